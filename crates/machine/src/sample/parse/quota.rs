//! The processor quota of this process's control group: how long it throttled the group.
//!
//! From `cpu.stat` of the group and of its parents, because the quota of each of them applies. Version 2
//! of control groups has it in microseconds, version 1 in nanoseconds. A process can be moved from group
//! to group while it runs, so its groups are read in every sample round.

use super::put_on;
use crate::cgroup;
use crate::sample::counter::{CountedPart, Layer, Look, Reading};

/// The file of a group with these values.
pub const STAT: &str = "cpu.stat";

/// This process's groups that may have a quota, from `/proc/self/cgroup`.
pub fn groups(text: &str) -> Vec<String> {
    [cgroup::groups(text, ""), cgroup::groups(text, "cpu")].concat()
}

/// Microseconds for which a group was throttled, from its `cpu.stat`; `None` if it has no quota.
pub fn throttled_us(text: &str) -> Option<u64> {
    let number =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name))?.trim().parse::<u64>().ok();
    number("throttled_usec ").or_else(|| Some(number("throttled_time ")? / 1_000))
}

/// Adds the share of time in which a group was throttled, as read at `at_us` of any monotonic clock. The
/// round's start is no substitute: a throttled process takes long for a sample round, so its parts are
/// read much later. Each group is a separate device: if the process is moved to another one, that is
/// another counter, which starts again.
pub fn put_throttled(group: &str, throttled_us: u64, at_us: u64, look: &mut Look) {
    let share = CountedPart { part: throttled_us, whole: at_us };
    put_on(look, Layer::Tool, "throttled_percent", group, Reading::PercentOf(share));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::counter::values;

    #[test]
    fn quota_at_any_cgroup_level_counts() {
        assert_eq!(groups("0::/user.slice/run.scope\n"), ["/user.slice/run.scope", "/user.slice", "/"]);
        let v1 = groups("5:memory:/x\n1:cpu,cpuacct:/job\n2:cpuset:/y\n0::/\n");
        assert_eq!(v1, ["/", "/cpu,cpuacct/job", "/cpu,cpuacct"]);
        let stat = "usage_usec 7\nnr_periods 3\nnr_throttled 2\nthrottled_usec 181234\n";
        assert_eq!(throttled_us(stat), Some(181_234));
        assert_eq!(throttled_us("nr_periods 3\nthrottled_time 181234567\n"), Some(181_234));
        assert_eq!(throttled_us("usage_usec 7\n"), None);
    }
    const SECOND_NS: u64 = 1_000_000_000;

    fn look(group: &str, throttled_us: u64, at_us: u64) -> Look {
        let mut look = Look::new();
        put_throttled(group, throttled_us, at_us, &mut look);
        look
    }

    fn percent(earlier: &Look, later: &Look) -> Vec<Option<f64>> {
        values(Some(earlier), later, SECOND_NS).into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn another_group_is_another_counter() {
        let (free, starved) = (look("cpu/free", 3, 0), look("cpu/starved", 77_000_000, 0));
        // The past of its new group does not belong to it.
        assert_eq!(percent(&free, &starved), []);
        let later = look("cpu/starved", 77_900_000, 1_000_000);
        assert_eq!(percent(&starved, &later), [Some(90.0)]);
    }

    /// A sample round that began a second before its quota was read, throttled all the time: that second
    /// belongs to the time before, and only what comes after the reading counts.
    #[test]
    fn reading_is_compared_with_its_own_time() {
        let (late, next) = (look("job", 950_000, 1_000_000), look("job", 1_040_000, 1_100_000));
        assert_eq!(percent(&late, &next), [Some(90.0)]);
    }
}
