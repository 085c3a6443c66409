//! Texts of the local Windows host. Its settings are in no files, so the collecting script for
//! PowerShell runs, with its output in a new directory, which is removed after it was read.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::folder::{self, FolderError};
use super::{NotKnown, Texts, collect_script, command};

/// PowerShell and its modules take seconds to load.
const TIME_MAX: Duration = Duration::from_secs(90);

/// Why there are no texts.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// The script cannot be written to a temporary directory.
    #[error(transparent)]
    NoScript(#[from] io::Error),
    /// PowerShell did not collect them.
    #[error("{POWERSHELL}: {0:?}")]
    Failed(NotKnown),
    #[error(transparent)]
    Unreadable(#[from] FolderError),
}

/// The program that is part of every Windows, in the system's directory.
pub const POWERSHELL: &str = r"WindowsPowerShell\v1.0\powershell.exe";

/// Collects the texts of this host with the PowerShell of Windows.
///
/// # Errors
/// If PowerShell does not exist, failed, or took too long.
#[cfg(windows)]
pub fn collect() -> Result<Texts, CollectError> {
    collect_with(&system_directory()?.join(POWERSHELL))
}

/// `C:\Windows\System32`. Variables with this path belong to the caller, who may have fewer rights.
#[cfg(windows)]
fn system_directory() -> io::Result<std::path::PathBuf> {
    use std::os::windows::ffi::OsStringExt;
    const LONGEST: usize = 260;
    let mut path = [0_u16; LONGEST];
    // SAFETY: the buffer is writable for the length that is passed.
    let units = unsafe {
        windows_sys::Win32::System::SystemInformation::GetSystemDirectoryW(path.as_mut_ptr(), LONGEST as u32)
    } as usize;
    match path.get(..units) {
        Some(path) if units > 0 => Ok(std::ffi::OsString::from_wide(path).into()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Collects them with this PowerShell.
fn collect_with(program: &Path) -> Result<Texts, CollectError> {
    let scratch = tempfile::Builder::new().prefix("reelgauge-doctor-").tempdir()?;
    let script = scratch.path().join("collect.ps1");
    std::fs::write(&script, collect_script::powershell())?;
    let collected = scratch.path().join("texts");
    let mut shell = Command::new(program);
    shell.args(["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File"]);
    shell.arg(&script).arg(&collected);
    command::run(shell, TIME_MAX).map_err(CollectError::Failed)?;
    match collected.is_dir() {
        true => Ok(folder::read(&collected)?),
        false => Err(CollectError::Failed(NotKnown::NotTold)),
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A program in place of PowerShell. Its last argument is the directory for the texts.
    fn shell(folder: &Path, commands: &str) -> std::path::PathBuf {
        let program = folder.join("powershell");
        std::fs::write(&program, format!("#!/bin/sh\nfor dir; do :; done\n{commands}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    #[test]
    fn texts_of_the_script_are_read_and_its_directory_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("path");
        let commands = format!(
            "mkdir \"$dir\"\nprintf 'ServerName : nas1\\n' > \"$dir/Get-SmbConnection\"\n\
             printf 'not allowed' > \"$dir/Get-NetAdapter.why\"\nprintf %s \"$dir\" > '{}'",
            kept.display()
        );
        let texts = collect_with(&shell(folder.path(), &commands)).unwrap();
        assert_eq!(texts.get("Get-SmbConnection").unwrap(), "ServerName : nas1\n");
        assert_eq!(texts.get("Get-NetAdapter"), Err(NotKnown::NotAllowed));
        let directory = std::fs::read_to_string(kept).unwrap();
        assert!(!directory.is_empty() && !Path::new(&directory).parent().unwrap().exists());
    }

    #[test]
    fn each_failure_has_its_error() {
        let folder = tempfile::tempdir().unwrap();
        let outcome = |commands: &str| collect_with(&shell(folder.path(), commands)).unwrap_err();
        let missing = collect_with(&folder.path().join("nothing")).unwrap_err();
        assert!(matches!(missing, CollectError::Failed(NotKnown::NotThere)));
        assert!(matches!(outcome("true"), CollectError::Failed(NotKnown::NotTold)));
        let denied = outcome("echo denied >&2; exit 1");
        assert!(matches!(denied, CollectError::Failed(NotKnown::Failed(said)) if said == "denied"));
        assert!(matches!(outcome("mkdir \"$dir\""), CollectError::Unreadable(FolderError::Nothing { .. })));
    }
}
