//! Commands of the user, run as the shell runs them, and nothing else.
//!
//! Each has a process group of its own: Ctrl-C in the terminal, which ends what is measured, does not end a
//! change or an undo in its middle. What it prints goes to a file without a name, which can't block it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How much of what a command printed is told.
const SAID_MAX_BYTES: u64 = 2048;

/// Why a command is no success.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShellError {
    /// There is no shell, or no process more.
    #[error("'{command}' cannot be started: {source}")]
    Start {
        /// What was to run.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// The directory that it belongs in is gone.
    #[error("'{command}' belongs in {}, which is not there", directory.display())]
    Directory {
        /// What was to run.
        command: String,
        /// Where.
        directory: PathBuf,
    },
    /// It ended with something else than 0.
    #[error("'{command}' ended with {how}{}", said_behind(said))]
    Failed {
        /// What ran.
        command: String,
        /// Its exit code or the signal.
        how: String,
        /// What it printed.
        said: String,
    },
}

fn said_behind(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

/// Runs a command in a directory to its end.
///
/// # Errors
/// It can't be started, the directory is gone, or it ends with something else than 0.
pub(super) fn run(command: &str, directory: &Path) -> Result<(), ShellError> {
    let start = |source| ShellError::Start { command: command.to_owned(), source };
    if !directory.is_dir() {
        let directory = directory.to_path_buf();
        return Err(ShellError::Directory { command: command.to_owned(), directory });
    }
    let mut said = tempfile::tempfile().map_err(start)?;
    let mut shell = shell(command);
    shell.current_dir(directory);
    apart(&mut shell);
    shell.stdin(Stdio::null());
    shell.stdout(said.try_clone().map_err(start)?).stderr(said.try_clone().map_err(start)?);
    let status = shell.status().map_err(start)?;
    if status.success() {
        return Ok(());
    }
    let how = status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"));
    Err(ShellError::Failed { command: command.to_owned(), how, said: beginning(&mut said) })
}

#[cfg(not(windows))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]);
    shell
}

#[cfg(windows)]
fn shell(command: &str) -> Command {
    use std::os::windows::process::CommandExt;

    let mut shell = Command::new("cmd");
    // The quotes of the command are the shell's, not those of an argument.
    shell.raw_arg("/C").raw_arg(command);
    shell
}

#[cfg(unix)]
fn apart(shell: &mut Command) {
    use std::os::unix::process::CommandExt;

    shell.process_group(0);
}

#[cfg(not(unix))]
fn apart(_shell: &mut Command) {}

/// What was printed first, without the white space around it.
pub(super) fn beginning(said: &mut File) -> String {
    let mut text = Vec::new();
    let read = said.seek(SeekFrom::Start(0)).and_then(|_| said.take(SAID_MAX_BYTES).read_to_end(&mut text));
    match read {
        Ok(_) => String::from_utf8_lossy(&text).trim().to_owned(),
        Err(_) => String::new(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_command_is_what_the_shell_makes_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("made");
        run("echo one > made && echo two >> made", dir.path()).unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "one\ntwo\n");
        let gone = run("true", &dir.path().join("gone")).unwrap_err().to_string();
        assert!(gone.contains("gone, which is not there"), "{gone}");
    }

    #[test]
    fn a_failure_is_told_with_what_was_printed() {
        let here = Path::new("/");
        let error = run("echo no such setting >&2; exit 3", here).unwrap_err();
        assert_eq!(
            error.to_string(),
            "'echo no such setting >&2; exit 3' ended with exit code 3: no such setting"
        );
        assert!(run("kill -9 $$", here).unwrap_err().to_string().contains("signal: 9"));
    }
}
