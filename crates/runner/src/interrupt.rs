//! Ctrl-C and its relatives, as a flag that everything long polls.
//!
//! The first signal asks for an orderly end: what was measured is kept. The second ends the process at
//! once, for people who mean it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

/// The exit code of an interrupted run.
pub const EXIT_INTERRUPTED: i32 = 130;

/// Whether somebody asked the run to end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens for SIGINT and SIGTERM (Ctrl-C and Ctrl-Break on Windows).
    pub fn listen() -> io::Result<Interrupt> {
        let interrupt = Interrupt::default();
        for signal in [SIGINT, SIGTERM] {
            let asked = Arc::clone(&interrupt.asked);
            // Registered before the flag itself, so it acts from the second signal on.
            signal_hook::flag::register_conditional_shutdown(signal, EXIT_INTERRUPTED, asked)?;
            signal_hook::flag::register(signal, Arc::clone(&interrupt.asked))?;
        }
        Ok(interrupt)
    }

    /// Whether the run should end.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The flag itself, for code that polls a plain flag.
    pub fn flag(&self) -> &AtomicBool {
        &self.asked
    }
}
