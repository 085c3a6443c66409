//! The control groups of this process, from `/proc/self/cgroup`: `0::/user.slice/run.scope` (version 2),
//! or `4:cpu,cpuacct:/job` (version 1). The limits of a group also apply to the groups in it.

use std::path::{Path, PathBuf};

use procfs_core::{FromBufRead, ProcessCGroup, ProcessCGroups};

pub const FILE: &str = "/proc/self/cgroup";

/// The mount point of control groups.
const ROOT: &str = "/sys/fs/cgroup";

/// This process's groups of a controller (`""`: of the unified hierarchy), the innermost first. The
/// outermost one, `/`, is the group of the container, if there is one, and limits it.
pub fn groups(text: &str, controller: &str) -> Vec<String> {
    // Line by line: a line that cannot be parsed must not lose the others.
    let lines = text.lines().filter_map(|line| ProcessCGroups::from_buf_read(line.as_bytes()).ok());
    let is_its = |group: &ProcessCGroup| match controller {
        "" => group.controllers.is_empty(),
        name => group.controllers.iter().any(|other| other == name),
    };
    let own = lines.flatten().find(is_its);
    own.map(|group| with_those_around(&group)).unwrap_or_default()
}

fn with_those_around(group: &ProcessCGroup) -> Vec<String> {
    let root = format!("/{}", group.controllers.join(","));
    let path = Path::new(group.pathname.trim_matches('/'));
    let whole = |part: &Path| Path::new(&root).join(part).to_string_lossy().trim_end_matches('/').to_owned();
    path.ancestors().map(whole).map(|name| if name.is_empty() { "/".to_owned() } else { name }).collect()
}

/// The folder of a group.
pub fn folder(group: &str) -> PathBuf {
    Path::new(ROOT).join(group.trim_start_matches('/'))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_versions_are_found_with_those_around_them() {
        assert_eq!(groups("0::/user.slice/run.scope\n", ""), ["/user.slice/run.scope", "/user.slice", "/"]);
        let v1 = "9:name=systemd:/\n7:cpu,cpuacct:/a\n4:memory:/docker/12:34\n";
        assert_eq!(groups(v1, "memory"), ["/memory/docker/12:34", "/memory/docker", "/memory"]);
        assert_eq!(groups(v1, "cpuacct"), ["/cpu,cpuacct/a", "/cpu,cpuacct"]);
        assert!(groups(v1, "").is_empty() && groups("nonsense", "").is_empty());
        assert_eq!(folder("/cpu,cpuacct/a"), Path::new("/sys/fs/cgroup/cpu,cpuacct/a"));
    }

    /// In a container with a separate namespace.
    #[test]
    fn the_group_of_a_container_is_the_outermost() {
        assert_eq!(groups("0::/\n", ""), ["/"]);
        assert_eq!(folder("/"), Path::new("/sys/fs/cgroup/"));
    }
}
