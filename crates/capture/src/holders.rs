//! Other mount namespaces with a copy of a mount.
//!
//! A namespace that is created while a mount exists has a copy of it. Unmounting here does not remove
//! that copy, and the connection to the file system exists as long as any copy.

use reelgauge_machine::process::{self, Task};
use reelgauge_machine::source::Source;

/// Limit of processes that are listed.
const NAMED: usize = 8;

/// The processes whose mount namespace contains a mount of this source, with program and number, as far
/// as this user may see them. `own` is excluded.
pub(crate) fn of(source: &str, proc: &impl Source, own: u32) -> Vec<String> {
    let mut found = process::all(proc);
    found.retain(|process| {
        *process != own && Task::of(*process).mounts(proc).iter().any(|mount| mount.source == source)
    });
    found.sort_unstable();
    let more = found.len().saturating_sub(NAMED);
    let named = found.iter().take(NAMED);
    let mut names: Vec<String> = named.map(|process| process::described(proc, *process)).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names
}

#[cfg(test)]
mod tests {
    use reelgauge_machine::texts::Texts;

    use super::*;

    /// A host with these processes: number, program, sources of its mounts.
    fn host(processes: &[(u32, &str, &[&str])]) -> Texts {
        let mut texts = Texts::default();
        let numbers = processes.iter().map(|(number, ..)| format!("{number}\n"));
        texts.put("/proc", Ok(numbers.chain(["mounts".to_owned()]).collect()));
        for (number, comm, sources) in processes {
            let mounts = sources.iter().map(|source| {
                format!("99 1 0:52 / /media/job rw,nosuid shared:7 - fuse.reelgauge {source} rw,user_id=0\n")
            });
            texts.put(format!("/proc/{number}/comm"), Ok(format!("{comm}\n")));
            texts.put(format!("/proc/{number}/mountinfo"), Ok(mounts.collect()));
        }
        texts
    }

    #[test]
    fn holders_are_the_processes_whose_namespace_lists_the_mount() {
        let ours = "reelgauge-17-0";
        let host = host(&[
            (17, "reelgauge", &[ours]),
            (40, "sleep", &["/dev/vda", ours]),
            (9, "containerd-shim", &[ours]),
            (5, "sh", &["reelgauge-17-01"]),
            (6, "kthread", &[]),
        ]);
        assert_eq!(of(ours, &host, 17), ["containerd-shim (9)", "sleep (40)"]);
        assert_eq!(of("reelgauge-18-0", &host, 17), [""; 0]);
    }

    #[test]
    fn first_holders_are_named_and_the_rest_counted() {
        let many: Vec<(u32, &str, &[&str])> = (1..=20).map(|pid| (pid, "worker", &["m"][..])).collect();
        let host = host(&many);
        let named = of("m", &host, 0);
        assert_eq!((named.len(), named[8].as_str()), (9, "12 more"));
    }
}
