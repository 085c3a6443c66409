//! Other programs that use processors: those that used most since the previous sample round, by name.
//! All processes of a name are reported together, with their number. The measuring process is not
//! included, whatever the names are. Nor are kernel threads, which do the I/O of other processes: their
//! sum is reported separately.
//!
//! Reading every process takes some milliseconds, so it is done every few seconds, and more rarely with
//! more processes.

use std::collections::BTreeMap;

use crate::process::{self, Task};
use crate::sample::counter::{Layer, Look, Reading};
use crate::sample::parse::{put, put_on};
use crate::source::Host;

/// Programs that are reported, at most.
const TOLD: usize = 3;

/// Programs below this share of one processor, in percent, are not reported.
const PERCENT_MIN: f64 = 10.0;

/// The interval in sample rounds, plus one round for each of this many processes.
const EVERY_LOOKS: u64 = 2;
const PROCESSES_A_LOOK: usize = 150;

/// Processes that are read, at most.
const PROCESSES_MAX: usize = 4_000;

/// Samples the other programs.
#[derive(Debug, Default)]
pub struct Programs {
    /// By process, its ticks in the last round.
    before: BTreeMap<u32, u64>,
    /// The ticks of kernel threads in the last round.
    kernel_before: BTreeMap<u32, u64>,
    looked_at_ns: Option<u64>,
    looks: u64,
    next_look: u64,
}

impl Programs {
    /// One sample round, if it is due.
    pub fn look(&mut self, now_ns: u64, ticks_per_s: f64, look: &mut Look) {
        self.looks += 1;
        if self.looks < self.next_look {
            return;
        }
        // In the numbering of this `/proc`, which may differ from this process's view: in a container, a
        // process sees another number of itself than a `/proc` that was passed in from outside.
        let here = Host::here();
        let Some(own) = Task::own().stat(&here) else { return };
        let mut taken = BTreeMap::new();
        let mut names: BTreeMap<u32, String> = BTreeMap::new();
        let mut of_kernel = BTreeMap::new();
        let others = process::all(&here).into_iter().take(PROCESSES_MAX).filter(|it| *it != own.number);
        for stat in others.filter_map(|process| Task::of(process).stat(&here)) {
            let (Some((own, in_kernel)), Some(is_kernel)) = (stat.ticks(), stat.is_kernel_thread()) else {
                continue;
            };
            let ticks = own.saturating_add(in_kernel);
            if is_kernel {
                of_kernel.insert(stat.number, ticks);
            } else {
                taken.insert(stat.number, ticks);
                names.insert(stat.number, stat.name);
            }
        }
        self.next_look = self.looks + EVERY_LOOKS + (taken.len() / PROCESSES_A_LOOK) as u64;
        let before_ns = self.looked_at_ns.replace(now_ns);
        if let Some(before_ns) = before_ns.filter(|before_ns| *before_ns < now_ns) {
            let elapsed_s = (now_ns - before_ns) as f64 / 1e9;
            let ticks = elapsed_s * ticks_per_s;
            let kernel: u64 = since(&self.kernel_before, &of_kernel).map(|(_, ticks)| ticks).sum();
            put(look, Layer::Host, "kernel_threads_percent", Reading::Level(percent_of(kernel, ticks)));
            for took in most(&self.before, &taken, &names, ticks) {
                let mut put = |counter, value| {
                    put_on(look, Layer::Host, counter, &took.name, Reading::Level(value));
                };
                put("program_percent", took.percent);
                put("program_processes", f64::from(took.processes));
            }
        }
        self.before = taken;
        self.kernel_before = of_kernel;
    }
}

/// The total of all processes of a name.
#[derive(Clone, Debug, PartialEq)]
struct Took {
    name: String,
    percent: f64,
    /// How many of them used any processor time.
    processes: u32,
}

/// The programs that used most, all processes of a name together.
fn most(
    before: &BTreeMap<u32, u64>,
    now: &BTreeMap<u32, u64>,
    names: &BTreeMap<u32, String>,
    ticks: f64,
) -> Vec<Took> {
    let mut of_name: BTreeMap<&str, (u64, u32)> = BTreeMap::new();
    for (process, since) in since(before, now) {
        let name = names.get(&process).map_or("", String::as_str);
        let (sum, processes) = of_name.entry(name).or_default();
        *sum = sum.saturating_add(since);
        *processes += u32::from(since > 0);
    }
    let took = |(name, (taken, processes)): (&str, (u64, u32))| Took {
        name: name.to_owned(),
        percent: percent_of(taken, ticks),
        processes,
    };
    let mut all: Vec<Took> = of_name.into_iter().map(took).collect();
    all.retain(|took| took.percent >= PERCENT_MIN);
    all.sort_by(|one, two| two.percent.total_cmp(&one.percent));
    all.truncate(TOLD);
    all
}

/// The usage of each process between two rounds. The whole usage of a new process belongs to this time.
fn since<'a>(
    before: &'a BTreeMap<u32, u64>,
    now: &'a BTreeMap<u32, u64>,
) -> impl Iterator<Item = (u32, u64)> + 'a {
    now.iter()
        .map(|(process, taken)| (*process, taken.saturating_sub(before.get(process).copied().unwrap_or(0))))
}

fn percent_of(taken: u64, ticks: f64) -> f64 {
    taken as f64 / ticks.max(1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn kernel_threads_are_counted_separately() {
        let mut programs = Programs::default();
        programs.look(1, 100.0, &mut Look::new());
        // As if they had used no processor time before.
        programs.kernel_before.clear();
        programs.next_look = 0;
        let mut look = Look::new();
        programs.look(1_000_000_001, 100.0, &mut look);
        crate::sample::parse::testing::all_known(&look);
        let told = look.iter().find(|(key, _)| key.name == "kernel_threads_percent");
        assert!(matches!(told, Some((_, Reading::Level(percent))) if *percent >= 0.0), "{look:#?}");
        let is_kworker = |name: &str| name.starts_with("kworker/") || name.starts_with("ksoftirqd/");
        assert!(
            !look.keys().any(|key| key.name == "program_percent" && is_kworker(&key.device)),
            "{look:#?}"
        );
    }

    #[test]
    fn busiest_programs_are_summed_over_their_processes() {
        let names =
            [(1, "blender"), (2, "blender"), (3, "cc1"), (4, "init"), (5, "new"), (6, "blender"), (7, "new")];
        let names = names.map(|(process, name)| (process, name.to_owned())).into();
        let before = [(1, 100), (2, 100), (3, 500), (4, 7), (6, 900)].into();
        let now = [(1, 200), (2, 150), (3, 400), (4, 8), (5, 60), (6, 900), (7, 0)].into();
        // One second with a hundred ticks; one blender did nothing.
        let told = most(&before, &now, &names, 100.0);
        let took = |name: &str, percent, processes| Took { name: name.to_owned(), percent, processes };
        assert_eq!(told, [took("blender", 150.0, 2), took("new", 60.0, 1)]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_is_busy_is_seen() {
        let mut programs = Programs::default();
        let mut busy =
            std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("sh");
        let begun = std::time::Instant::now();
        // Only the busiest programs are reported, and others may be busier for a while.
        let is_seen = std::iter::repeat_with(|| {
            let mut look = Look::new();
            programs.look(begun.elapsed().as_nanos() as u64, 100.0, &mut look);
            programs.next_look = 0;
            std::thread::sleep(std::time::Duration::from_millis(600));
            look.keys().any(|key| key.name == "program_percent" && key.device == "sh")
        });
        let is_seen = is_seen.take(50).any(|is_seen| is_seen);
        busy.kill().and_then(|()| busy.wait()).expect("it can be ended");
        assert!(is_seen, "not once in half a minute");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn own_process_is_excluded_from_other_programs_by_id() {
        let own = Task::own().stat(&Host::here()).expect("a name").name;
        // Another process with this one's name, which spins for as long as this one does.
        let dir = tempfile::tempdir().expect("a folder");
        let script = dir.path().join(&own);
        std::fs::copy("/bin/sh", &script).expect("a copy");
        let spins = ["-c", "while :; do :; done"];
        let mut twin = std::process::Command::new(&script).args(spins).spawn().expect("it starts");
        let mut programs = Programs::default();
        let begun = std::time::Instant::now();
        programs.look(0, 100.0, &mut Look::new());
        // Only the busiest programs are reported, and others may be busier than the twin for a while.
        let told = (0..50).find_map(|_| {
            let looked = std::time::Instant::now();
            while looked.elapsed().as_millis() < 600 {
                std::hint::spin_loop();
            }
            programs.next_look = 0;
            let mut look = Look::new();
            programs.look(begun.elapsed().as_nanos() as u64, 100.0, &mut look);
            look.into_iter().find(|(key, _)| key.name == "program_processes" && key.device == own)
        });
        twin.kill().and_then(|()| twin.wait()).expect("it can be ended");
        assert!(matches!(told, Some((_, Reading::Level(number))) if number == 1.0), "{own}: {told:#?}");
    }
}
