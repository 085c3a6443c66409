//! Opening a link in whatever browser this machine has.

use std::io;
use std::process::{Command, Stdio};

/// Programs that open links, each with what goes in front of the link.
#[cfg(target_os = "macos")]
const OPENERS: &[&[&str]] = &[&["open"]];
#[cfg(windows)]
const OPENERS: &[&[&str]] = &[&["cmd", "/C", "start", ""]];
#[cfg(not(any(target_os = "macos", windows)))]
const OPENERS: &[&[&str]] = &[&["xdg-open"]];

/// Opens a link. Whether a browser shows it, nobody can tell.
///
/// # Errors
/// When there is nothing that opens links.
pub fn open(link: &str) -> io::Result<()> {
    let mut error = io::Error::from(io::ErrorKind::NotFound);
    for opener in OPENERS {
        let mut command = Command::new(opener[0]);
        command.args(&opener[1..]).arg(link);
        match command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
            Ok(mut child) => {
                // Somebody has to take note of its end.
                std::thread::Builder::new().name("browser".to_owned()).spawn(move || child.wait())?;
                return Ok(());
            }
            Err(why) => error = io::Error::new(why.kind(), format!("{}: {why}", opener[0])),
        }
    }
    Err(error)
}
