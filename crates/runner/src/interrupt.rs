//! Ctrl-C and its relatives, as a flag that everything long polls.
//!
//! The first signal asks for an orderly end: what was measured is kept. One that comes later than two
//! seconds after it ends the process at once, for people who mean it; the second of two quick ones, or the
//! hang-up of a terminal that was closed with Ctrl-C, means the same as the first. Where the measuring is
//! done by a child ([`crate::supervise`]), its parent holds to that.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGXFSZ};
use signal_hook::consts::{SIGINT, SIGTERM};

#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Signals within this time of the first mean the same: the second Ctrl-C of an impatient hand, a terminal's
/// end.
pub(crate) const TOGETHER: Duration = Duration::from_secs(2);

/// The exit code of an interrupted run.
pub const EXIT_INTERRUPTED: i32 = 130;

/// Whether somebody asked the run to end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    /// The next signal ends the process.
    is_armed: Arc<AtomicBool>,
    /// When it was first seen that somebody asked.
    seen: Arc<OnceLock<Instant>>,
}

impl Interrupt {
    /// Listens for SIGINT, SIGTERM and SIGHUP (Ctrl-C and Ctrl-Break on Windows).
    pub fn listen() -> io::Result<Interrupt> {
        let interrupt = Interrupt::default();
        // A file that grows beyond what this process may write is an error to be told, not a silent death.
        #[cfg(unix)]
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        for signal in SIGNALS {
            let is_armed = Arc::clone(&interrupt.is_armed);
            signal_hook::flag::register_conditional_shutdown(signal, EXIT_INTERRUPTED, is_armed)?;
            signal_hook::flag::register(signal, Arc::clone(&interrupt.asked))?;
        }
        Ok(interrupt)
    }

    /// Whether the run should end.
    pub fn asked(&self) -> bool {
        let asked = self.asked.load(Ordering::Relaxed);
        if asked && self.seen.get_or_init(Instant::now).elapsed() >= TOGETHER {
            self.is_armed.store(true, Ordering::Relaxed);
        }
        asked
    }

    /// The flag itself, for code that polls a plain flag.
    pub fn flag(&self) -> &AtomicBool {
        &self.asked
    }
}
