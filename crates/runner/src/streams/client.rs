//! Was it this machine? A load point that fell because the client had no time or no memory bandwidth left
//! says nothing about the storage.

use std::time::Instant;

use reelgauge_analysis::verdict::Verdict;

/// Of all processors' time, the share at which the machine counts as the limit.
const BUSY_SHARE: f64 = 0.90;
/// Of the rate at which memory is copied, the share at which moving data counts as the limit.
const MEMORY_SHARE: f64 = 0.50;
/// How much is copied to find out how fast that goes: more than caches hold.
const COPY_BYTES: usize = 64 << 20;

/// Processor time of the whole machine, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineTime {
    busy: u64,
    all: u64,
}

impl MachineTime {
    /// So far. Zero where the system is not asked (only Linux is).
    pub fn now() -> MachineTime {
        MachineTime::parse(&std::fs::read_to_string("/proc/stat").unwrap_or_default()).unwrap_or_default()
    }

    /// The first line of proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal.
    fn parse(text: &str) -> Option<MachineTime> {
        let mut fields = text.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace();
        let mut ticks = [0; 8];
        for slot in &mut ticks {
            *slot = fields.next()?.parse().ok()?;
        }
        let all: u64 = ticks.iter().sum();
        Some(MachineTime { busy: all - ticks[3] - ticks[4], all })
    }

    /// The share of the time since then in which the processors were busy, 0 to 1.
    pub fn busy_share_since(self, earlier: MachineTime) -> f64 {
        let all = self.all.saturating_sub(earlier.all);
        self.busy.saturating_sub(earlier.busy) as f64 / all.max(1) as f64
    }
}

/// How fast this machine copies memory, in bytes per second.
pub fn memory_copy_bytes_per_s() -> f64 {
    let source = vec![1u8; COPY_BYTES];
    let mut copy = vec![0u8; COPY_BYTES];
    // The first time also gets the memory.
    copy.copy_from_slice(&source);
    let begun = Instant::now();
    std::hint::black_box(&mut copy).copy_from_slice(std::hint::black_box(&source));
    COPY_BYTES as f64 / begun.elapsed().as_secs_f64().max(1e-6)
}

/// Why this machine was the limit of a load point that was not good enough, if it was.
pub fn limit(verdict: &Verdict, busy_share: f64, bytes_per_s: f64, copy_bytes_per_s: f64) -> Option<String> {
    if verdict.passed {
        return None;
    }
    if verdict.is_no_fault_of_the_storage() && verdict.failures.iter().any(|failure| failure.because_of_tool)
    {
        let why = "its own delay explains what was late: the storage answered in time";
        return Some(format!("this machine was late itself ({why})"));
    }
    if busy_share >= BUSY_SHARE {
        return Some(format!("this machine's processors were {:.0} % busy", busy_share * 100.0));
    }
    let share = bytes_per_s / copy_bytes_per_s.max(1.0);
    (share >= MEMORY_SHARE).then(|| {
        format!("data moved at {:.0} % of the rate at which this machine copies memory", share * 100.0)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn waiting_is_not_busy() {
        let earlier = MachineTime::parse("cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1").unwrap();
        let now = MachineTime::parse("cpu  150 0 140 900 10 0 0 0 0 0\n").unwrap();
        assert_eq!(now.busy_share_since(earlier), 90.0 / 200.0);
        assert_eq!(MachineTime::parse("intr 1"), None);
        assert_eq!(now.busy_share_since(now), 0.0);
    }

    #[test]
    fn what_passed_has_no_limit() {
        let passed = Verdict { passed: true, ..Verdict::default() };
        assert_eq!(limit(&passed, 1.0, 1e12, 1.0), None);
        let failed = Verdict { storage_failed: true, ..Verdict::default() };
        assert_eq!(limit(&failed, 0.5, 1e9, 1e10), None);
        assert!(limit(&failed, 0.95, 1e9, 1e10).unwrap().contains("95 %"));
        assert!(limit(&failed, 0.5, 6e9, 1e10).unwrap().contains("60 %"));
        let unmeasured = Verdict::default();
        assert_eq!(limit(&unmeasured, 0.1, 0.0, 1e10), None);
    }
}
