//! Prints an HTML file as PDF with a Chromium on this client. The file has no script and needs no
//! network. The browser gets a time limit, and a separate profile that is removed afterwards.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use reelgauge_record::named_file::write_named;

use crate::process_group::end_group;

/// Program names of Chromium.
const NAMES: [&str; 7] = [
    "chromium",
    "chromium-browser",
    "chromium-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "chrome",
];
/// The time limit.
const PATIENCE: Duration = Duration::from_secs(60);
/// The interval at which its state is checked.
const LOOK: Duration = Duration::from_millis(50);

/// Why there is no PDF.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PdfError {
    /// There is no Chromium in the directories of `PATH`.
    #[error("no Chromium was found. Open the HTML file in a browser and print it")]
    NoChromium,
    /// It cannot be started.
    #[error("cannot start {}: {source}", program.display())]
    NotStarted {
        program: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It ended without a PDF, or did not end.
    #[error(
        "{} wrote no PDF within {} s. Open the HTML file in a browser and print it",
        program.display(),
        PATIENCE.as_secs()
    )]
    NotMade { program: PathBuf },
    /// A directory for its profile cannot be created, or the PDF cannot be moved to its place.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// Prints an HTML file, and returns the path of the PDF next to it.
///
/// # Errors
/// If there is no Chromium, or it writes no PDF.
pub fn print_pdf(html: &Path) -> Result<PathBuf, PdfError> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let program = chromium(&folders).ok_or(PdfError::NoChromium)?;
    print_with(&program, html, PATIENCE)
}

fn print_with(program: &Path, html: &Path, patience: Duration) -> Result<PathBuf, PdfError> {
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |source| PdfError::Io { path, source }
    };
    let own = tempfile::tempdir().map_err(failed(&env::temp_dir()))?;
    let made = own.path().join("document.pdf");
    let full = fs::canonicalize(html).map_err(failed(html))?;
    let child = command(program, own.path(), &full, &made).spawn();
    let child = child.map_err(|source| PdfError::NotStarted { program: program.to_path_buf(), source })?;
    let is_done = ended_well(child, patience);
    let is_made = fs::metadata(&made).is_ok_and(|data| data.len() > 0);
    if !is_done || !is_made {
        return Err(PdfError::NotMade { program: program.to_path_buf() });
    }
    let pdf = html.with_extension("pdf");
    write_named(&pdf, |out| io::copy(&mut File::open(&made)?, out)).map_err(failed(&pdf))?;
    Ok(pdf)
}

fn command(program: &Path, own: &Path, html: &Path, made: &Path) -> Command {
    let with = |flag: &str, value: &OsStr| {
        let mut argument = OsString::from(flag);
        argument.push(value);
        argument
    };
    let mut command = Command::new(program);
    command.args(["--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer"]);
    command.arg(with("--user-data-dir=", own.as_os_str())).arg(with("--print-to-pdf=", made.as_os_str()));
    // As root it refuses to run without this. The file is our own and has no script.
    #[cfg(unix)]
    if rustix::process::geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    command.arg(file_url(html)).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// Whether it ended successfully in time. All processes that it started end with it.
fn ended_well(mut child: Child, patience: Duration) -> bool {
    let began = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(None) if began.elapsed() < patience => sleep(LOOK),
            Ok(status) => break status,
            Err(_) => break None,
        }
    };
    end_group(&mut child);
    status.is_some_and(|status| status.success())
}

/// The first Chromium in these directories.
fn chromium(folders: &OsStr) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(folders).filter(|folder| folder.is_absolute()).collect();
    NAMES.iter().find_map(|name| {
        let name = format!("{name}{}", env::consts::EXE_SUFFIX);
        folders.iter().map(|folder| folder.join(&name)).find(|path| path.is_file())
    })
}

/// A path as a URL: every byte with a special meaning is written as `%xx`.
fn file_url(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut url = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b':' => url.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => url.push(byte.into()),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn program(folder: &Path, script: &str) -> PathBuf {
        let path = folder.join("chromium");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn names_with_signs_of_addresses_stay_one_path() {
        assert_eq!(file_url(Path::new("/a b/#1?é%.html")), "file:///a%20b/%231%3F%C3%A9%25.html");
    }

    #[test]
    fn a_chromium_that_makes_none_or_hangs_is_no_pdf_and_leaves_no_process() {
        let folder = tempfile::tempdir().unwrap();
        let html = folder.path().join("d.html");
        fs::write(&html, "<p>x").unwrap();
        assert_eq!(chromium(folder.path().as_os_str()), None);
        for script in ["exit 0", "exit 1", "sleep 61.7 & sleep 61.7", "sleep 61.7 & exit 0"] {
            let program = program(folder.path(), script);
            assert_eq!(chromium(folder.path().as_os_str()), Some(program.clone()));
            let began = Instant::now();
            let error = print_with(&program, &html, Duration::from_millis(300)).unwrap_err();
            assert!(matches!(error, PdfError::NotMade { .. }), "{script}: {error}");
            assert!(
                began.elapsed() < Duration::from_secs(20) && !html.with_extension("pdf").exists(),
                "{script}"
            );
        }
        let left = Command::new("pgrep").args(["-f", "^sleep 61.7"]).output().unwrap();
        assert!(left.stdout.is_empty(), "{left:?}");
    }

    #[test]
    fn pdf_is_written_next_to_the_html() {
        let folder = tempfile::tempdir().unwrap();
        let html = folder.path().join("d.html");
        fs::write(&html, "<p>x").unwrap();
        let script = r#"for arg; do case "$arg" in --print-to-pdf=*) echo made > "${arg#*=}";; esac; done"#;
        let program = program(folder.path(), script);
        let pdf = print_with(&program, &html, PATIENCE).unwrap();
        assert_eq!(
            (pdf.file_name(), fs::read(&pdf).unwrap()),
            (Some(OsStr::new("d.pdf")), b"made\n".to_vec())
        );
    }
}
