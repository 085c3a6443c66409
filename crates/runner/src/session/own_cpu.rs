//! The CPU time that this process has used, so that the tool can state its own cost.

/// CPU time since the process began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnCpu {
    /// In the tool's own code, in seconds.
    pub user_s: f64,
    /// In the kernel on its behalf, in seconds.
    pub system_s: f64,
}

impl OwnCpu {
    /// So far; `None` where the system is not asked (only Linux is), or does not answer.
    pub fn now() -> Option<OwnCpu> {
        #[cfg(target_os = "linux")]
        {
            let ticks_per_s = rustix::param::clock_ticks_per_second() as f64;
            parse(&std::fs::read_to_string("/proc/self/stat").ok()?, ticks_per_s)
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// From `earlier` to this.
    pub fn since(self, earlier: OwnCpu) -> OwnCpu {
        OwnCpu {
            user_s: (self.user_s - earlier.user_s).max(0.0),
            system_s: (self.system_s - earlier.system_s).max(0.0),
        }
    }
}

#[cfg(any(target_os = "linux", test))]
fn parse(stat: &str, ticks_per_s: f64) -> Option<OwnCpu> {
    let (user, system) = reelgauge_machine::process_stat::ProcessStat::of(stat)?.ticks()?;
    Some(OwnCpu { user_s: user as f64 / ticks_per_s, system_s: system as f64 / ticks_per_s })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_time_so_far_is_known() {
        let now = OwnCpu::now();
        assert!(now.is_some_and(|now| now.user_s >= 0.0 && now.system_s >= 0.0), "{now:?}");
    }

    #[test]
    fn the_name_may_hold_brackets() {
        let stat = "7 (a) (b) R 1 2 3 4 5 6 7 8 9 10 250 75 0 0 20";
        assert_eq!(parse(stat, 100.0), Some(OwnCpu { user_s: 2.5, system_s: 0.75 }));
        assert_eq!(parse("7 (x) R 1", 100.0), None);
        assert_eq!(parse("", 100.0), None);
    }
}
