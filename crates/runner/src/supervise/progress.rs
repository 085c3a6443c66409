//! Whether a process does anything: which of its threads the kernel has run since the last look.
//!
//! A thread that waits in a mount that does not answer is never run. One that waits with a time limit, as
//! everything here does that waits for another thread, is run again and again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::process::Pid;

/// Threads that are run whether the work goes on or not.
const KEEPERS: [&str; 8] = ["counters", "watchdog", "signals", "drain", "leash", "steering", "said", "event"];

/// Nobody looked for so long: the watching process itself was stopped, and knows nothing of that time.
const MISSED: Duration = Duration::from_secs(1);

/// Times on a processor, by thread.
type Times = BTreeMap<u32, u64>;

/// How long a process has done nothing.
#[derive(Debug)]
pub(super) struct Progress {
    times: Times,
    seen: Instant,
    looked: Instant,
}

impl Progress {
    pub(super) fn new(now: Instant) -> Progress {
        Progress { times: Times::new(), seen: now, looked: now }
    }

    /// Begins anew: from now on it is known to do something.
    pub(super) fn reset(&mut self, now: Instant) {
        self.seen = now;
    }

    /// Looks at the process. How long it has done nothing.
    pub(super) fn idle(&mut self, pid: Pid, now: Instant) -> Duration {
        let times = times(pid);
        self.take(times, now)
    }

    /// `None` where nothing can be known: then it counts as being at work.
    fn take(&mut self, times: Option<Times>, now: Instant) -> Duration {
        let was_away = now - self.looked > MISSED;
        self.looked = now;
        if was_away || times.as_ref().is_none_or(|times| *times != self.times) {
            self.seen = now;
        }
        self.times = times.unwrap_or_default();
        now - self.seen
    }
}

/// How long each of its threads that work has been on a processor, in nanoseconds.
fn times(pid: Pid) -> Option<Times> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task", pid = pid.as_raw_nonzero())).ok()?;
    let mut times = Times::new();
    for task in tasks.flatten() {
        let read = |name: &str| std::fs::read_to_string(task.path().join(name)).ok();
        let (Some(number), Some(name)) =
            (task.file_name().to_str().and_then(|n| n.parse().ok()), read("comm"))
        else {
            continue;
        };
        if !KEEPERS.contains(&name.trim()) {
            // The first number; a kernel without it tells nothing.
            times.insert(number, read("schedstat")?.split(' ').next()?.parse().ok()?);
        }
    }
    Some(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_idle_while_no_thread_of_it_runs() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut progress = Progress::new(start);
        let times = |one: u64, two: u64| Some(Times::from([(1, one), (2, two)]));
        assert_eq!(progress.take(times(5, 0), at(100)), Duration::ZERO);
        assert_eq!(progress.take(times(5, 0), at(200)), Duration::from_millis(100));
        assert_eq!(progress.take(times(5, 1), at(300)), Duration::ZERO);
        assert_eq!(progress.take(times(5, 1), at(900)), Duration::from_millis(600));
        // A thread that comes or goes is work, and so is what can't be looked at.
        assert_eq!(progress.take(Some(Times::from([(1, 5)])), at(1000)), Duration::ZERO);
        assert_eq!(progress.take(None, at(1100)), Duration::ZERO);
    }

    #[test]
    fn who_was_stopped_knows_nothing_of_that_time() {
        let start = Instant::now();
        let mut progress = Progress::new(start);
        let times = || Some(Times::from([(1, 5)]));
        progress.take(times(), start);
        assert_eq!(progress.take(times(), start + Duration::from_secs(60)), Duration::ZERO);
    }

    #[test]
    fn this_process_is_at_work() {
        let me = rustix::process::getpid();
        let mut progress = Progress::new(Instant::now());
        assert!(times(me).is_some_and(|times| !times.is_empty()));
        assert_eq!(progress.idle(me, Instant::now()), Duration::ZERO);
    }
}
