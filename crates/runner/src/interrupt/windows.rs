//! Ctrl-C, Ctrl-Break, closing the window, logging off and shutting down, which Windows reports to a handler.
//!
//! The handler runs on a separate thread. When it returns after one of the last three, Windows ends the
//! process. So it then stays until the run has ended and the process with it. Windows waits five seconds
//! for a window, longer at log-off.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT,
    SetConsoleCtrlHandler,
};

use crate::exit_code::INTERRUPTED;

/// The flags to set, and for each whether the next event ends the process.
static LISTENERS: Mutex<Vec<(Arc<AtomicBool>, Arc<AtomicBool>)>> = Mutex::new(Vec::new());

/// Sets `asked` at the next event. If `is_armed` is set by then, the event ends the process.
pub(super) fn listen(asked: &Arc<AtomicBool>, is_armed: &Arc<AtomicBool>) -> io::Result<()> {
    let mut listeners = LISTENERS.lock().unwrap_or_else(PoisonError::into_inner);
    if listeners.is_empty() {
        // SAFETY: the handler is a function of this program, which exists until the process ends.
        if unsafe { SetConsoleCtrlHandler(Some(handle), 1) } == 0 {
            return Err(io::Error::last_os_error());
        }
    }
    listeners.push((Arc::clone(asked), Arc::clone(is_armed)));
    Ok(())
}

/// The handler. Returns whether the event needs no further handling.
unsafe extern "system" fn handle(event: u32) -> i32 {
    let ends_process = matches!(event, CTRL_CLOSE_EVENT | CTRL_LOGOFF_EVENT | CTRL_SHUTDOWN_EVENT);
    if !ends_process && !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        return 0;
    }
    notify();
    while ends_process {
        std::thread::sleep(Duration::from_secs(1));
    }
    1
}

fn notify() {
    let listeners = LISTENERS.lock().unwrap_or_else(PoisonError::into_inner);
    if listeners.iter().any(|(_, is_armed)| is_armed.load(Ordering::Relaxed)) {
        std::process::exit(INTERRUPTED.into());
    }
    listeners.iter().for_each(|(asked, _)| asked.store(true, Ordering::Relaxed));
}
