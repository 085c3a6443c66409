//! A run that must not outlive the process that started it: a pass of a proof. That process keeps the
//! other end of this run's standard input, which closes when the process ends for any reason; then the
//! run ends at once.
//!
//! A measurement of a killed proof is worthless, and its change may be undone at any moment.

use std::io::Read;

use crate::exit_code::INTERRUPTED;

/// The variable that requests it, with any value.
pub const PARENT_PIPE_VARIABLE: &str = "REELGAUGE_LEASHED";

/// Set for a run whose errors another one quotes, so that they do not begin with the program's name.
pub const QUOTED: &str = "REELGAUGE_QUOTED";

/// Ends this process when standard input ends, if that was requested. Call it first. Processes that this
/// one starts have another standard input, and no such request.
pub fn begin_if_asked() {
    if std::env::var_os(PARENT_PIPE_VARIABLE).is_some() {
        // Without the thread a killed proof would leave a pass running; that does not prevent the
        // measurement.
        let _ = std::thread::Builder::new().name("leash".to_owned()).spawn(|| {
            let mut way = std::io::stdin().lock();
            let mut said = [0];
            while matches!(way.read(&mut said), Ok(1..)) {}
            std::process::exit(INTERRUPTED.into());
        });
    }
}
