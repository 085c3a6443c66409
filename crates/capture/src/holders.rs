//! Other mount namespaces that hold a copy of a mount.
//!
//! A namespace that begins while a mount is there gets a copy of it. Unmounting here does not take that away,
//! and the connection to the file system lives as long as any copy does.

use std::path::Path;

use reelgauge_machine::mountinfo;

/// So many processes are named.
const NAMED: usize = 8;

/// The processes in whose mount namespace a mount of this source is, with their program and number; as far as
/// this user may look. `own` is left out.
pub(crate) fn of(source: &str, proc_dir: &Path, own: u32) -> Vec<String> {
    let mut found: Vec<u32> = Vec::new();
    for entry in std::fs::read_dir(proc_dir).into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let list = std::fs::read(entry.path().join("mountinfo")).unwrap_or_default();
        if pid != own && mountinfo::parse(&list).iter().any(|mount| mount.source == source) {
            found.push(pid);
        }
    }
    found.sort_unstable();
    let more = found.len().saturating_sub(NAMED);
    let name = |pid: &u32| {
        let comm = std::fs::read_to_string(proc_dir.join(pid.to_string()).join("comm")).unwrap_or_default();
        format!("{} ({pid})", comm.trim())
    };
    let mut names: Vec<String> = found.iter().take(NAMED).map(name).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A `/proc` of these processes: number, program, sources of its mounts.
    fn proc_of(processes: &[(u32, &str, &[&str])]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (pid, comm, sources) in processes {
            let process = dir.path().join(pid.to_string());
            std::fs::create_dir(&process).unwrap();
            std::fs::write(process.join("comm"), format!("{comm}\n")).unwrap();
            let mounts = sources.iter().map(|source| {
                format!("99 1 0:52 / /media/job rw,nosuid shared:7 - fuse.reelgauge {source} rw,user_id=0\n")
            });
            std::fs::write(process.join("mountinfo"), mounts.collect::<String>()).unwrap();
        }
        std::fs::write(dir.path().join("mounts"), "").unwrap();
        dir
    }

    #[test]
    fn holders_are_the_processes_whose_namespace_lists_the_mount() {
        let ours = "reelgauge-17-0";
        let dir = proc_of(&[
            (17, "reelgauge", &[ours]),
            (40, "sleep", &["/dev/vda", ours]),
            (9, "containerd-shim", &[ours]),
            (5, "sh", &["reelgauge-17-01"]),
            (6, "kthread", &[]),
        ]);
        assert_eq!(of(ours, dir.path(), 17), ["containerd-shim (9)", "sleep (40)"]);
        assert_eq!(of("reelgauge-18-0", dir.path(), 17), [""; 0]);
    }

    #[test]
    fn of_many_holders_the_first_are_named_and_the_rest_counted() {
        let many: Vec<(u32, &str, &[&str])> = (1..=20).map(|pid| (pid, "worker", &["m"][..])).collect();
        let dir = proc_of(&many);
        let named = of("m", dir.path(), 0);
        assert_eq!((named.len(), named[8].as_str()), (9, "12 more"));
    }
}
