//! The controller's clock: it starts from the wall clock when a run begins and is steady from there on.
//! A process that resumes the run on the same host continues it. Setting the wall clock therefore moves
//! nothing.

use std::sync::OnceLock;
use std::time::SystemTime;

use reelgauge_engine::machine_clock::machine_ns;
use reelgauge_machine::source::Host;
use reelgauge_machine::system;
use serde::{Deserialize, Serialize};

use crate::agent::presence::unix_ns;

/// The offset between a process's clock and its host's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockBase {
    /// Identifies the boot of a host; empty if that is unknown.
    boot: String,
    /// How far the clock is ahead of the host's monotonic one.
    ahead_ns: i64,
}

static BASE: OnceLock<ClockBase> = OnceLock::new();

/// This process's base, from its first use on.
pub fn base() -> &'static ClockBase {
    BASE.get_or_init(|| {
        let ahead_ns = unix_ns(SystemTime::now()).saturating_sub(machine_ns());
        ClockBase { boot: boot(), ahead_ns }
    })
}

/// Continues the clock of an earlier process. It does so only if that process ran in the same boot of
/// this host and this one has not read its own clock yet.
pub fn go_on(base: &ClockBase) {
    if !base.boot.is_empty() && base.boot == boot() {
        let _ = BASE.set(base.clone());
    }
}

/// Now, in nanoseconds since 1970.
pub fn now_ns() -> i64 {
    machine_ns().saturating_add(base().ahead_ns)
}

/// Empty if the host has no identifier of its boot.
fn boot() -> String {
    system::boot(&Host::here()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_steady_and_continues_only_within_the_same_boot() {
        let first_ns = now_ns();
        let another = ClockBase { boot: "another".to_owned(), ahead_ns: 5 };
        go_on(&another);
        assert_ne!(base(), &another);
        assert!((0..60_000_000_000).contains(&(now_ns() - first_ns)));
        let text = serde_json::to_string(base()).unwrap_or_default();
        assert_eq!(serde_json::from_str::<ClockBase>(&text).ok().as_ref(), Some(base()));
    }
}
