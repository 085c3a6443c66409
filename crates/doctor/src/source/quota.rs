//! The processor quota of this process's control group: how long it kept the group from running.
//!
//! `cpu.stat` of the group and of those above it, because a quota anywhere on the way counts. Version 2 of
//! control groups tells it in microseconds, version 1 in nanoseconds.

use super::put;
use crate::counter::{Layer, Look, Reading};

/// Where the `cpu.stat` files of this process's groups are below `/sys/fs/cgroup`, the innermost first, from
/// `/proc/self/cgroup`: lines like `0::/user.slice/run.scope` (version 2) or `4:cpu,cpuacct:/job` (version
/// 1).
pub fn stat_files(text: &str) -> Vec<String> {
    text.lines().flat_map(of_line).collect()
}

fn of_line(line: &str) -> Vec<String> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else {
        return Vec::new();
    };
    let is_v1 = controllers.split(',').any(|name| name == "cpu");
    if !is_v1 && !controllers.is_empty() {
        return Vec::new();
    }
    let root = if is_v1 { format!("{controllers}/") } else { String::new() };
    let mut files = Vec::new();
    let mut rest = group.trim_matches('/');
    while !rest.is_empty() {
        files.push(format!("{root}{rest}/cpu.stat"));
        rest = rest.rsplit_once('/').map_or("", |(above, _)| above);
    }
    files
}

/// Microseconds for which a group was kept from running, from its `cpu.stat`; `None` where it has no quota.
pub fn throttled_us(text: &str) -> Option<u64> {
    let number =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name))?.trim().parse::<u64>().ok();
    number("throttled_usec ").or_else(|| Some(number("throttled_time ")? / 1_000))
}

/// Adds the share of time in which the group was kept from running.
pub fn put_throttled(throttled_us: u64, look: &mut Look) {
    put(look, Layer::Tool, "throttled_percent", Reading::PercentOfTime(throttled_us));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_anywhere_on_the_way_counts() {
        let v2 = stat_files("0::/user.slice/run.scope\n");
        assert_eq!(v2, ["user.slice/run.scope/cpu.stat", "user.slice/cpu.stat"]);
        let v1 = stat_files("5:memory:/x\n1:cpu,cpuacct:/job\n2:cpuset:/y\n0::/\n");
        assert_eq!(v1, ["cpu,cpuacct/job/cpu.stat"]);
        assert_eq!(stat_files("nonsense"), Vec::<String>::new());
        let stat = "usage_usec 7\nnr_periods 3\nnr_throttled 2\nthrottled_usec 181234\n";
        assert_eq!(throttled_us(stat), Some(181_234));
        assert_eq!(throttled_us("nr_periods 3\nthrottled_time 181234567\n"), Some(181_234));
        assert_eq!(throttled_us("usage_usec 7\n"), None);
    }
}
