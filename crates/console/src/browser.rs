//! Opens a link in this host's browser, without showing it to other users.
//!
//! All users of a host can read the command line of a program, and the link contains the token. So the
//! browser is started with a file that only this user can read, and the file leads to the link.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::{Command, Stdio};

use tempfile::NamedTempFile;

/// Programs that open links, each with the arguments that precede the link.
#[cfg(target_os = "macos")]
const OPENERS: &[&[&str]] = &[&["open"]];
#[cfg(windows)]
const OPENERS: &[&[&str]] = &[&["cmd", "/C", "start", ""]];
#[cfg(not(any(target_os = "macos", windows)))]
const OPENERS: &[&[&str]] = &[&["xdg-open"]];

/// The file for the browser, removed on drop.
#[derive(Debug)]
pub struct Handed {
    _file: NamedTempFile,
}

/// Opens a link. Whether a browser really shows it is unknown.
///
/// # Errors
/// If no program opens links.
pub fn open(link: &str) -> io::Result<Handed> {
    let file = hand_over(link)?;
    let mut error = io::Error::from(io::ErrorKind::NotFound);
    for opener in OPENERS {
        match start(opener, file.path().as_os_str()) {
            Ok(()) => return Ok(Handed { _file: file }),
            Err(why) => error = io::Error::new(why.kind(), format!("{}: {why}", opener[0])),
        }
    }
    Err(error)
}

fn start(opener: &[&str], what: &OsStr) -> io::Result<()> {
    let mut command = Command::new(opener[0]);
    command.args(&opener[1..]).arg(what);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // A thread waits for its end, so that it leaves no zombie.
    std::thread::Builder::new().name("browser".to_owned()).spawn(move || child.wait())?;
    Ok(())
}

/// A page that leads to the link, readable by this user only: temporary files have such rights.
fn hand_over(link: &str) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("reelgauge-console-").suffix(".html").tempfile()?;
    let link = link.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    writeln!(
        file,
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <title>Reelgauge</title><meta http-equiv=\"refresh\" content=\"0; url={link}\">\
         <a href=\"{link}\">Reelgauge's console</a>"
    )?;
    file.flush()?;
    Ok(file)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn page_with_the_link_is_readable_only_by_its_user() {
        let file = hand_over("http://127.0.0.1:8642/#token=a+/=\"<b>").unwrap();
        assert_eq!(file.as_file().metadata().unwrap().permissions().mode() & 0o7777, 0o600);
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(text.contains("0; url=http://127.0.0.1:8642/#token=a+/=&quot;&lt;b>"), "{text}");
        let path = file.path().to_owned();
        drop(Handed { _file: file });
        assert!(!path.exists());
    }
}
