//! The controller's clock: the wall clock when a run began, and steady from there on, also for a process that
//! takes the run up again on the same machine. So a wall clock that is set moves nothing.

use std::sync::OnceLock;
use std::time::SystemTime;

use reelgauge_engine::machine_clock::machine_ns;
use reelgauge_machine::source::Host;
use reelgauge_machine::system;
use serde::{Deserialize, Serialize};

use crate::agent::presence::unix_ns;

/// How the clock of a process stands to that of its machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockBase {
    /// Which boot of which machine; empty where that can't be known.
    boot: String,
    /// How far the clock is ahead of the machine's monotonic one.
    ahead_ns: i64,
}

static BASE: OnceLock<ClockBase> = OnceLock::new();

/// This process's, from its first use on.
pub fn base() -> &'static ClockBase {
    BASE.get_or_init(|| {
        let ahead_ns = unix_ns(SystemTime::now()).saturating_sub(machine_ns());
        ClockBase { boot: boot(), ahead_ns }
    })
}

/// Goes on with the clock of an earlier process, if that ran in the same boot of this machine and this one
/// has
/// not read its own clock yet.
pub fn go_on(base: &ClockBase) {
    if !base.boot.is_empty() && base.boot == boot() {
        let _ = BASE.set(base.clone());
    }
}

/// Now, in nanoseconds since 1970.
pub fn now_ns() -> i64 {
    machine_ns().saturating_add(base().ahead_ns)
}

/// Empty where nothing tells one boot from another.
fn boot() -> String {
    system::boot(&Host::here()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_steady_and_only_that_of_the_same_boot_is_gone_on_with() {
        let first_ns = now_ns();
        let another = ClockBase { boot: "another".to_owned(), ahead_ns: 5 };
        go_on(&another);
        assert_ne!(base(), &another);
        assert!((0..60_000_000_000).contains(&(now_ns() - first_ns)));
        let text = serde_json::to_string(base()).unwrap_or_default();
        assert_eq!(serde_json::from_str::<ClockBase>(&text).ok().as_ref(), Some(base()));
    }
}
