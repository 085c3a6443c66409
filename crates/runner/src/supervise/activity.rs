//! Whether a process does anything: which of its threads the kernel has run since the last check.
//!
//! A thread that waits in a mount that does not answer is never run. A thread that waits for another
//! thread always has a time limit here, so it is run repeatedly.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use reelgauge_machine::process::Task;
use reelgauge_machine::source::Host;

/// Threads that are run whether the work makes progress or not.
const KEEPERS: [&str; 8] = ["counters", "watchdog", "signals", "drain", "leash", "steering", "said", "event"];

/// If this thread was not scheduled for this long, the watching process was suspended, and that time
/// does not count.
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

    /// Restarts the count: the process is known to be active now.
    pub(super) fn reset(&mut self, now: Instant) {
        self.seen = now;
    }

    /// Checks the process; returns how long it has done nothing.
    pub(super) fn idle(&mut self, process: u32, now: Instant) -> Duration {
        let times = times(process);
        self.take(times, now)
    }

    /// `None` if the state is unknown: then it counts as active.
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

/// The processor time of each of its working threads, in nanoseconds.
fn times(process: u32) -> Option<Times> {
    let (here, process) = (Host::here(), Task::of(process));
    let mut times = Times::new();
    for number in process.threads(&here) {
        let thread = process.thread(number);
        if thread.program(&here).is_some_and(|name| !KEEPERS.contains(&name.as_str())) {
            // An older kernel does not report this.
            times.insert(number, thread.schedule(&here)?.ran_ns);
        }
    }
    Some(times).filter(|times| !times.is_empty())
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
        // A thread that starts or ends counts as work, and so does an unknown state.
        assert_eq!(progress.take(Some(Times::from([(1, 5)])), at(1000)), Duration::ZERO);
        assert_eq!(progress.take(None, at(1100)), Duration::ZERO);
    }

    #[test]
    fn the_time_of_a_suspension_does_not_count_as_idle() {
        let start = Instant::now();
        let mut progress = Progress::new(start);
        let times = || Some(Times::from([(1, 5)]));
        progress.take(times(), start);
        assert_eq!(progress.take(times(), start + Duration::from_secs(60)), Duration::ZERO);
    }

    #[test]
    fn this_process_is_at_work() {
        let me = std::process::id();
        let mut progress = Progress::new(Instant::now());
        assert!(times(me).is_some());
        assert_eq!(progress.idle(me, Instant::now()), Duration::ZERO);
    }
}
