//! Processes and threads of the host, from `/proc`: each has a directory with its kernel data. Without
//! `/proc`, as outside Linux, the results are `None` and empty lists.
//!
//! Parsed here, because procfs-core panics on a stat that ends early, and requires all lines of a
//! status.

use crate::mountinfo::{self, Entry};
use crate::source::Source;
use crate::system;

/// The directory of processes.
const ALL: &str = "/proc";
/// The file with the calling thread's own [`Schedule`]. It belongs to the thread that opens it.
pub const OWN_SCHEDULE: &str = "/proc/thread-self/schedstat";

/// The numbers of all processes, in no particular order.
pub fn all(source: &impl Source) -> Vec<u32> {
    numbers(source, ALL)
}

fn numbers(source: &impl Source, folder: &str) -> Vec<u32> {
    let names = source.text(folder).unwrap_or_default();
    names.split_whitespace().filter_map(|name| name.parse().ok()).collect()
}

/// Identifies a process among all others, before and after it: the boot, and the start time after it.
/// Numbers of processes are reused. `None` for a process that no longer exists; one that has ended but
/// was not waited for counts as such.
pub fn mark_of(source: &impl Source, process: u32) -> Option<String> {
    let stat = Task::of(process).stat(source)?;
    let start = stat.start_ticks().filter(|_| !stat.has_ended())?;
    Some(format!("{}/{start}", system::boot(source)?))
}

/// A process for screens: `dd (977)`.
pub fn described(source: &impl Source, process: u32) -> String {
    format!("{} ({process})", Task::of(process).program(source).unwrap_or_default())
}

/// A process or a thread, by its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task(String);

impl Task {
    /// This process.
    pub fn own() -> Task {
        Task(format!("{ALL}/self"))
    }

    /// The process, or the thread of any process, with a number.
    pub fn of(number: u32) -> Task {
        Task(format!("{ALL}/{number}"))
    }

    /// The facts about one of its threads.
    pub fn thread(&self, number: u32) -> Task {
        Task(format!("{}/task/{number}", self.0))
    }

    pub fn folder(&self) -> &str {
        &self.0
    }

    /// The numbers of its threads; empty if it no longer exists.
    pub fn threads(&self, source: &impl Source) -> Vec<u32> {
        numbers(source, &self.file("task"))
    }

    /// The name of its program, truncated to 15 bytes.
    pub fn program(&self, source: &impl Source) -> Option<String> {
        source.value(&self.file("comm"))
    }

    /// Its kernel data.
    pub fn stat(&self, source: &impl Source) -> Option<Stat> {
        Stat::of(&source.text(&self.file("stat"))?)
    }

    /// Its running and waiting time.
    pub fn schedule(&self, source: &impl Source) -> Option<Schedule> {
        Schedule::of(&source.text(&self.file("schedstat"))?)
    }

    /// A line of its status, by the name before the colon.
    pub fn status(&self, source: &impl Source, name: &str) -> Option<String> {
        let status = source.text(&self.file("status"))?;
        let value = |line: &str| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned());
        status.lines().find_map(value)
    }

    /// The mounts that it sees; empty if this user may not read them.
    pub fn mounts(&self, source: &impl Source) -> Vec<Entry> {
        mountinfo::parse(source.text(&self.file("mountinfo")).unwrap_or_default().as_bytes())
    }

    fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.0)
    }
}

/// How long a thread was running, and how long it was runnable without a processor, both since it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Running on a processor.
    pub ran_ns: u64,
    /// Runnable, but without a processor.
    pub waited_ns: u64,
}

impl Schedule {
    /// Reads a line of `schedstat`: the two times, and how often it ran.
    pub fn of(line: &str) -> Option<Schedule> {
        let mut numbers = line.split_ascii_whitespace().map(str::parse);
        Some(Schedule { ran_ns: numbers.next()?.ok()?, waited_ns: numbers.next()?.ok()? })
    }
}

/// The line of `/proc/PID/stat` of a process or a thread, as described in proc_pid_stat(5). The name is
/// in brackets and may contain anything, including brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    pub number: u32,
    /// The program's name, truncated to 15 bytes.
    pub name: String,
    /// The part after the name: the third field and the following ones.
    rest: String,
}

impl Stat {
    /// Parses a line; `None` if it has no number and no name.
    pub fn of(line: &str) -> Option<Stat> {
        let (begin, rest) = line.rsplit_once(')')?;
        let (number, name) = begin.split_once('(')?;
        Some(Stat { number: number.trim().parse().ok()?, name: name.to_owned(), rest: rest.to_owned() })
    }

    fn state(&self) -> Option<&str> {
        self.field(3)
    }

    /// Whether it is in uninterruptible sleep, so that it cannot end: it waits for a disk or a server.
    pub fn is_held(&self) -> bool {
        self.state() == Some("D")
    }

    /// Whether it has ended but was not waited for.
    pub fn has_ended(&self) -> bool {
        matches!(self.state(), Some("Z" | "X"))
    }

    /// The process that started it.
    pub fn parent(&self) -> Option<u32> {
        self.field(4)?.parse().ok()
    }

    /// Whether it is one of the kernel's own threads (`PF_KTHREAD`).
    pub fn is_kernel_thread(&self) -> Option<bool> {
        const KERNEL_THREAD: u64 = 0x0020_0000;
        Some(self.field(9)?.parse::<u64>().ok()? & KERNEL_THREAD != 0)
    }

    /// Processor time in its own code and in the kernel, in clock ticks.
    pub fn ticks(&self) -> Option<(u64, u64)> {
        Some((self.field(14)?.parse().ok()?, self.field(15)?.parse().ok()?))
    }

    /// When it was started, in clock ticks since the boot.
    pub fn start_ticks(&self) -> Option<u64> {
        self.field(22)?.parse().ok()
    }

    /// A field by its number in the manual page.
    fn field(&self, number: usize) -> Option<&str> {
        self.rest.split_ascii_whitespace().nth(number - 3)
    }
}

/// The number of clock ticks per second.
#[cfg(target_os = "linux")]
pub fn ticks_per_s() -> f64 {
    rustix::param::clock_ticks_per_second() as f64
}

/// Without `/proc`, no time is in ticks.
#[cfg(not(target_os = "linux"))]
pub fn ticks_per_s() -> f64 {
    1.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    #[cfg(target_os = "linux")]
    use crate::source::Host;
    use crate::texts::Texts;

    #[test]
    fn the_name_may_hold_brackets_and_blanks() {
        let line = "7 (a) (b c) D 1 2 3 4 5 69238880 7 8 9 10 250 75 0 0 20 0 1 0 123456 9";
        let stat = Stat::of(line).unwrap();
        assert_eq!((stat.number, stat.name.as_str(), stat.is_held()), (7, "a) (b c", true));
        assert_eq!(
            (stat.parent(), stat.is_kernel_thread(), stat.ticks()),
            (Some(1), Some(true), Some((250, 75)))
        );
        assert_eq!((stat.start_ticks(), stat.has_ended()), (Some(123_456), false));
        let ended = Stat::of(&line.replace(" D ", " Z ")).unwrap();
        assert!(ended.has_ended() && !ended.is_held());
    }

    #[test]
    fn truncated_text_is_unknown() {
        let short = Stat::of("7 (x) R 1").unwrap();
        assert_eq!((short.parent(), short.is_kernel_thread()), (Some(1), None));
        assert_eq!((short.ticks(), short.start_ticks()), (None, None));
        for line in ["", "7 x R 1", "x (y) R 1", "7 (x"] {
            assert_eq!(Stat::of(line), None, "{line}");
        }
        assert_eq!(Schedule::of("1302 77 9\n"), Some(Schedule { ran_ns: 1302, waited_ns: 77 }));
        for line in ["", "1302", "1 x 2"] {
            assert_eq!(Schedule::of(line), None, "{line}");
        }
    }

    #[test]
    fn a_process_is_known_by_its_boot_and_its_start() {
        let mut texts = Texts::default();
        let stat = "77 (a) b (c) S 1 77 77 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 9 9 1844";
        texts.put("/proc/77/stat", Ok(stat.to_owned()));
        assert_eq!(mark_of(&texts, 77), None, "without a boot there is none");
        texts.put("/proc/sys/kernel/random/boot_id", Ok("boot\n".to_owned()));
        assert_eq!(mark_of(&texts, 77).as_deref(), Some("boot/123456"));
        texts.put("/proc/77/stat", Ok(stat.replace(" S ", " Z ")));
        assert_eq!((mark_of(&texts, 77), mark_of(&texts, 78)), (None, None));
    }

    #[test]
    fn files_of_a_task_are_found_by_name() {
        let mut texts = Texts::default();
        texts.put("/proc", Ok("7\nmounts\n40".to_owned()));
        texts.put("/proc/7/task", Ok("7\n8".to_owned()));
        texts.put("/proc/7/task/8/comm", Ok("drain\n".to_owned()));
        texts.put("/proc/7/status", Ok("Name:\ta\nUmask:\t0022\nVmHWM:\t  12 kB\n".to_owned()));
        assert_eq!((all(&texts), Task::of(7).threads(&texts)), (vec![7, 40], vec![7, 8]));
        assert_eq!(Task::of(7).thread(8).program(&texts).as_deref(), Some("drain"));
        assert_eq!(Task::of(7).status(&texts, "Umask").as_deref(), Some("0022"));
        assert_eq!(Task::of(7).status(&texts, "Uma"), None);
        assert!(Task::of(40).threads(&texts).is_empty() && Task::of(40).mounts(&texts).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_one_and_runs() {
        let here = Host::here();
        assert!(all(&here).contains(&std::process::id()));
        let own = Task::own();
        assert!(own.schedule(&here).unwrap().ran_ns > 0 && !own.stat(&here).unwrap().has_ended());
        assert!(!own.mounts(&here).is_empty() && !own.threads(&here).is_empty());
        assert!(mark_of(&here, std::process::id()).is_some() && mark_of(&here, u32::MAX).is_none());
    }
}
