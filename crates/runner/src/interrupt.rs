//! Ctrl-C and similar signals, as a flag that every long operation polls.
//!
//! The first signal requests an orderly end: measurements are kept. A signal more than two seconds later
//! ends the process at once, for a user who insists. If two signals come shortly after each other, or a
//! terminal is closed after Ctrl-C, the second one has no further effect. If a child process does the
//! measuring ([`crate::supervise`]), its parent applies the same rule.

#[cfg(windows)]
mod windows;

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use reelgauge_analysis::run_ending::RunStop;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

#[cfg(unix)]
use crate::exit_code::INTERRUPTED;

#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Signals within this time of the first mean the same: an impatient second Ctrl-C, a terminal that
/// closes.
pub(crate) const TOGETHER: Duration = Duration::from_secs(2);

/// The reason why a run was interrupted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoppedBy {
    /// Ctrl-C, or another signal.
    #[default]
    User,
    /// The controller of a fleet demanded it.
    Controller,
    /// The controller of a fleet was silent for too long.
    Silence(Duration),
    /// The agent that controlled it no longer runs.
    AgentGone,
}

impl From<StoppedBy> for RunStop {
    fn from(by: StoppedBy) -> RunStop {
        match by {
            StoppedBy::User => RunStop::User,
            StoppedBy::Controller => RunStop::Controller,
            StoppedBy::Silence(_) => RunStop::Silence,
            StoppedBy::AgentGone => RunStop::AgentGone,
        }
    }
}

impl fmt::Display for StoppedBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoppedBy::User => formatter.write_str("stopped by the user"),
            StoppedBy::Controller => formatter.write_str("stopped by the fleet's controller"),
            StoppedBy::Silence(long) => write!(
                formatter,
                "stopped because the fleet's controller was silent for {:.1} s",
                long.as_secs_f64()
            ),
            StoppedBy::AgentGone => formatter.write_str("stopped because its agent was no longer running"),
        }
    }
}

/// Whether the run was interrupted.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    /// Set if the next signal ends the process.
    is_armed: Arc<AtomicBool>,
    /// The reason, if it was no signal.
    by: Arc<OnceLock<StoppedBy>>,
    /// When the request was first noticed.
    seen: Arc<OnceLock<Instant>>,
}

impl Interrupt {
    /// Listens for SIGINT, SIGTERM and SIGHUP; on Windows for Ctrl-C, Ctrl-Break and the end of the window,
    /// the session or the system.
    pub fn listen() -> io::Result<Interrupt> {
        let interrupt = Interrupt::default();
        // A file that exceeds this process's size limit is an error to report, not a silent death.
        #[cfg(unix)]
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        #[cfg(windows)]
        windows::listen(&interrupt.asked, &interrupt.is_armed)?;
        #[cfg(unix)]
        for signal in SIGNALS {
            let is_armed = Arc::clone(&interrupt.is_armed);
            signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED.into(), is_armed)?;
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

    /// Asks the run to end. The first reason is reported.
    pub fn ask(&self, by: StoppedBy) {
        if !self.asked.load(Ordering::Relaxed) {
            let _ = self.by.set(by);
        }
        self.asked.store(true, Ordering::Relaxed);
    }

    pub fn by(&self) -> StoppedBy {
        self.by.get().copied().unwrap_or_default()
    }

    /// The flag itself, for code that polls a plain flag.
    pub fn flag(&self) -> &AtomicBool {
        &self.asked
    }
}
