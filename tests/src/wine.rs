//! The Windows program under wine. The step `windows` of `cargo xtask test` builds the program and makes
//! wine's prefix.
//!
//! The program takes the paths of the Linux host: its working directory is on `Z:`, wine's drive for the
//! host's root, so a path without a drive is a path of the host. On another mount of the host it cannot find
//! out the file system, as wine does not know mount points: give the mount a [`Drive`].

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::binary::{self, Outcome};
use crate::scratch::target_dir;

/// A command that starts the program. Its process is the program: wine's launcher execs it.
pub fn command() -> Command {
    let mut wine = Command::new("wine");
    wine.arg(program()).env("WINEPREFIX", prefix()).env("WINEDEBUG", "-all");
    wine
}

/// Runs the program to its end.
///
/// # Panics
/// If it is not done after two minutes; it is killed then.
#[track_caller]
pub fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Outcome {
    binary::start_by(command(), arguments).wait(binary::LIMIT)
}

/// Whether the program and the prefix exist.
pub fn is_ready() -> bool {
    program().is_file() && prefix().join("dosdevices").is_dir()
}

fn program() -> PathBuf {
    target_dir().join("x86_64-pc-windows-gnu/debug/reelgauge.exe")
}

/// The folder with wine's drives and registry.
fn prefix() -> PathBuf {
    target_dir().join("wine")
}

/// A drive letter for a folder of the host. Removed on drop.
#[derive(Debug)]
pub struct Drive {
    link: PathBuf,
    letter: char,
}

impl Drive {
    /// Gives the folder this letter. Tests that run at the same time need different letters.
    ///
    /// # Panics
    /// If the letter cannot be given.
    pub fn new(letter: char, folder: &Path) -> Drive {
        let link = prefix().join("dosdevices").join(format!("{letter}:"));
        // A killed test leaves its link behind.
        if link.is_symlink() {
            std::fs::remove_file(&link).unwrap();
        }
        std::os::unix::fs::symlink(folder, &link).unwrap();
        Drive { link, letter }
    }

    /// Its root, as the program names it: `D:\`.
    pub fn root(&self) -> String {
        format!("{}:\\", self.letter.to_ascii_uppercase())
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        // A link that stays behind is replaced by the next test.
        drop(std::fs::remove_file(&self.link));
    }
}
