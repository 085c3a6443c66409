//! The child's side: it measures, and reports its state.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use super::says;

/// The connection to the parent, if there is one.
static PARENT: OnceLock<UnixStream> = OnceLock::new();

/// Does the work for a parent with this number.
pub(super) fn work_for(parent: &OsStr, work: impl FnOnce() -> u8) -> u8 {
    // Without this signal a killed parent would leave the load running; that is no reason not to
    // measure.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let orphaned = getppid().is_none_or(|pid| parent != OsStr::new(&pid.as_raw_nonzero().to_string()));
    if orphaned {
        return 130;
    }
    // Standard input is the connection to the parent in both directions: this program reads nothing else
    // from it.
    if let Ok(way) = rustix::stdio::stdin().try_clone_to_owned().map(UnixStream::from) {
        if let Ok(way) = way.try_clone() {
            // Without the thread a stuck child holds its pipes; that is no reason not to measure.
            let _ = std::thread::Builder::new().name("leash".to_owned()).spawn(move || listen(way));
        }
        let _ = PARENT.set(way);
    }
    let code = work();
    let _ = io::stdout().flush();
    let_go();
    tell(&[says::DONE, code]);
    code
}

pub(super) fn tell_measuring(is_measuring: bool) {
    tell(&[if is_measuring { says::MEASURES } else { says::PREPARES }]);
}

/// Has no effect without a parent, or if it is ending.
fn tell(said: &[u8]) {
    if let Some(mut parent) = PARENT.get() {
        let _ = parent.write_all(said);
    }
}

/// Obeys the parent until it ends.
fn listen(mut way: UnixStream) {
    let mut said = [0];
    while let Ok(1) = way.read(&mut said) {
        if said == [says::LET_GO] {
            let_go();
            tell(&[says::LET_GO_DONE]);
        }
    }
}

/// Closes standard output and error: their readers see the end, although the kernel may hold this
/// process for as long as the storage does not answer.
fn let_go() {
    let Ok(nothing) = OpenOptions::new().write(true).open("/dev/null") else {
        return;
    };
    // If a stream cannot be closed, it ends with the process.
    let _ = rustix::stdio::dup2_stdout(nothing.as_fd());
    let _ = rustix::stdio::dup2_stderr(nothing.as_fd());
}
