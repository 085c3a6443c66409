//! A run that must not outlive who started it: a pass of a proof. Whoever starts it keeps the other end of
//! its standard input, which closes when that process ends, however it ends; then the run ends at once.
//!
//! What a killed proof was measuring is worth nothing, and its change may be undone any moment.

use std::io::Read;

use crate::exit_code::INTERRUPTED;

/// Asks for it, whatever the value.
pub const ASKED: &str = "REELGAUGE_LEASHED";

/// Set for a run whose complaints another one quotes, so that the program's name is not in front of them.
pub const QUOTED: &str = "REELGAUGE_QUOTED";

/// Ends this process when standard input ends, if that was asked for. To be called before anything else is
/// done. What this process starts has another standard input, and is not asked.
pub fn begin_if_asked() {
    if std::env::var_os(ASKED).is_some() {
        // Without the thread a killed proof would leave a pass running; that is no reason not to measure.
        let _ = std::thread::Builder::new().name("leash".to_owned()).spawn(|| {
            let mut way = std::io::stdin().lock();
            let mut said = [0];
            while matches!(way.read(&mut said), Ok(1..)) {}
            std::process::exit(INTERRUPTED.into());
        });
    }
}
