//! A run whose starting process may end earlier: it first makes a separate session, so that neither a
//! terminal that closes nor Ctrl-C in it reaches it.
//!
//! The starting process cannot do this for it without unsafe code, so it requests it by a variable.

/// The variable that requests a separate session, with any value.
pub const ASKED: &str = "REELGAUGE_OWN_SESSION";

/// Makes a session if that was requested. Call it first.
pub fn begin_if_asked() {
    if std::env::var_os(ASKED).is_some() {
        begin();
    }
}

#[cfg(unix)]
fn begin() {
    // This fails for a group leader, such as the child of this process, which has its session already.
    let _ = rustix::process::setsid();
}

/// There are no sessions; the starting process reports that the run is detached.
#[cfg(not(unix))]
fn begin() {}
