//! The CPU time of this process, so that Reelgauge can report its own cost.

use reelgauge_machine::process::{Task, ticks_per_s};
use reelgauge_machine::source::Host;

/// CPU time since the process began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessCpuTime {
    /// Time in Reelgauge's own code, in seconds.
    pub user_s: f64,
    /// Time in the kernel on its behalf, in seconds.
    pub system_s: f64,
}

impl ProcessCpuTime {
    /// The time used so far; `None` if the system does not answer, or is not Linux.
    pub fn now() -> Option<ProcessCpuTime> {
        let (user, system) = Task::own().stat(&Host::here())?.ticks()?;
        let [user_s, system_s] = [user, system].map(|ticks| ticks as f64 / ticks_per_s());
        Some(ProcessCpuTime { user_s, system_s })
    }

    /// The difference between `earlier` and this reading.
    pub fn since(self, earlier: ProcessCpuTime) -> ProcessCpuTime {
        ProcessCpuTime {
            user_s: (self.user_s - earlier.user_s).max(0.0),
            system_s: (self.system_s - earlier.system_s).max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_time_so_far_is_known() {
        let now = ProcessCpuTime::now();
        assert!(now.is_some_and(|now| now.user_s >= 0.0 && now.system_s >= 0.0), "{now:?}");
    }
}
