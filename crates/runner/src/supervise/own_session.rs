//! A run that was started by something that may end before it: it makes a session of its own first, so that
//! neither a terminal that is closed nor Ctrl-C in it reaches it.
//!
//! Whoever starts such a run can't do that for it without unsafe code, so it asks by a variable.

/// Asks for a session of its own, whatever the value.
pub const ASKED: &str = "REELGAUGE_OWN_SESSION";

/// Makes a session if that was asked for. To be called before anything else is done.
pub fn begin_if_asked() {
    if std::env::var_os(ASKED).is_some() {
        begin();
    }
}

#[cfg(unix)]
fn begin() {
    // Whoever leads a group can't; that is so for the process that this one starts, whose session is made.
    let _ = rustix::process::setsid();
}

/// There are no sessions; whoever starts it says that it is detached.
#[cfg(not(unix))]
fn begin() {}
