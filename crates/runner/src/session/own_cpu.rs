//! The CPU time that this process has used, so that the tool can state its own cost.
//!
//! `/proc/PID/stat` is read by hand, here and wherever one of its fields matters: procfs-core panics over one
//! that ends early.

/// CPU time since the process began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OwnCpu {
    /// In the tool's own code, in seconds.
    pub user_s: f64,
    /// In the kernel on its behalf, in seconds.
    pub system_s: f64,
}

impl OwnCpu {
    /// So far. Zero where the system is not asked (only Linux is).
    pub fn now() -> OwnCpu {
        #[cfg(target_os = "linux")]
        {
            let ticks_per_s = rustix::param::clock_ticks_per_second() as f64;
            let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
            parse(&stat, ticks_per_s).unwrap_or_default()
        }
        #[cfg(not(target_os = "linux"))]
        OwnCpu::default()
    }

    /// From `earlier` to this.
    pub fn since(self, earlier: OwnCpu) -> OwnCpu {
        OwnCpu {
            user_s: (self.user_s - earlier.user_s).max(0.0),
            system_s: (self.system_s - earlier.system_s).max(0.0),
        }
    }
}

/// Fields 14 and 15 of proc_pid_stat(5). The name before them is in brackets and may hold anything.
#[cfg(any(target_os = "linux", test))]
fn parse(stat: &str, ticks_per_s: f64) -> Option<OwnCpu> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let mut seconds = || Some(fields.next()?.parse::<f64>().ok()? / ticks_per_s);
    Some(OwnCpu { user_s: seconds()?, system_s: seconds()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_may_hold_brackets() {
        let stat = "7 (a) (b) R 1 2 3 4 5 6 7 8 9 10 250 75 0 0 20";
        assert_eq!(parse(stat, 100.0), Some(OwnCpu { user_s: 2.5, system_s: 0.75 }));
        assert_eq!(parse("7 (x) R 1", 100.0), None);
        assert_eq!(parse("", 100.0), None);
    }
}
