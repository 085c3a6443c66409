//! Measures how long a driver thread waited for processor time: it was runnable but did not run, because
//! of other threads or an exhausted quota.
//!
//! If a result is available but the thread does not run, the delay between two clock readings looks like
//! slow storage. The kernel can distinguish the two: it counts how long each thread has waited for a
//! processor. The query costs some microseconds. It is made only after a slow operation, and
//! occasionally in between, so that the difference covers only the last moments. A sleeping thread, or
//! one that waits for a result, does not wait for a processor. So unresponsive storage is still reported
//! as such, however busy the host is.
//!
//! Only Linux has this counter. On other systems no wait is ever found. A thread suspended by a signal
//! does not wait for a processor either. The watchdog detects that.

#[cfg(target_os = "linux")]
use std::{fs::File, os::unix::fs::FileExt};

#[cfg(target_os = "linux")]
use reelgauge_machine::process::{OWN_SCHEDULE, Schedule};
use reelgauge_record::ProcessorWait;

/// An operation needs no explanation if it completed within this time and was issued at most this late.
const WORTH_ASKING_NS: u64 = 5_000_000;
/// The kernel's counter is read again if the last value is older than this.
const OUTDATED_NS: u64 = 100_000_000;
/// Shorter waits are not significant.
const WORTH_TELLING_NS: u64 = 1_000_000;

/// The processor waits of one thread. Create and query it on that thread.
#[derive(Debug)]
pub(super) struct RunDelays {
    #[cfg(target_os = "linux")]
    told_by: Option<File>,
    /// The total wait at the last query.
    waited_ns: u64,
    asked_at_ns: u64,
}

impl RunDelays {
    /// For the calling thread.
    pub(super) fn of_this_thread() -> RunDelays {
        let mut turns = RunDelays {
            #[cfg(target_os = "linux")]
            told_by: File::open(OWN_SCHEDULE).ok(),
            waited_ns: 0,
            asked_at_ns: 0,
        };
        turns.waited_ns = turns.ask().unwrap_or(0);
        turns
    }

    /// The wait to record for an operation that could have been issued at `could_ns`; `None` if its
    /// thread did not wait for a processor.
    #[inline]
    pub(super) fn look(
        &mut self,
        worker: u32,
        could_ns: u64,
        issued_ns: u64,
        done_ns: u64,
    ) -> Option<ProcessorWait> {
        // `could_ns` is the caller's knowledge of when the worker was free. It may be later than
        // `issued_ns`.
        let late_ns = issued_ns.saturating_sub(could_ns);
        let took_ns = done_ns - issued_ns;
        let waited_ns = self.waited_since(late_ns.max(took_ns), done_ns)?;
        let wait = share(waited_ns, late_ns, took_ns);
        let wait = ProcessorWait { worker, done_ns, ..wait };
        (wait.total_ns() >= WORTH_TELLING_NS).then_some(wait)
    }

    /// How long the thread waited since the last query, if the last operation took long enough for a
    /// query.
    #[inline]
    pub(super) fn waited_since(&mut self, took_ns: u64, now_ns: u64) -> Option<u64> {
        let is_long = took_ns >= WORTH_ASKING_NS;
        // The subtraction may be negative: one time may be the ring's reading and the other a helper's.
        // The difference of the counter may be, too, since the kernel corrects its count.
        if !is_long && now_ns.saturating_sub(self.asked_at_ns) < OUTDATED_NS {
            return None;
        }
        self.asked_at_ns = now_ns;
        let before_ns = self.waited_ns;
        self.waited_ns = self.ask()?;
        // The kernel corrects its count: see above.
        is_long.then(|| self.waited_ns.saturating_sub(before_ns))
    }

    #[cold]
    #[cfg(target_os = "linux")]
    fn ask(&mut self) -> Option<u64> {
        let mut text = [0; 96];
        let len = self.told_by.as_ref()?.read_at(&mut text, 0).ok()?;
        Some(Schedule::of(std::str::from_utf8(text.get(..len)?).ok()?)?.waited_ns)
    }

    #[cold]
    #[cfg(not(target_os = "linux"))]
    fn ask(&mut self) -> Option<u64> {
        None
    }
}

/// Divides a wait into the parts before and during the operation. Lateness is attributed first. The wait
/// during the operation cannot exceed its duration.
fn share(waited_ns: u64, late_ns: u64, took_ns: u64) -> ProcessorWait {
    let before_ns = waited_ns.min(late_ns);
    let in_flight_ns = (waited_ns - before_ns).min(took_ns);
    ProcessorWait { before_ns, in_flight_ns, ..ProcessorWait::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn wait_before_an_operation_is_not_counted_in_it() {
        let shared = |waited: u64, late: u64, took: u64| {
            let wait = share(waited * MS, late * MS, took * MS);
            (wait.before_ns / MS, wait.in_flight_ns / MS)
        };
        assert_eq!(shared(35, 0, 36), (0, 35));
        assert_eq!(shared(35, 35, 1), (35, 0));
        assert_eq!(shared(500, 30, 40), (30, 40));
        // The thread waited for the storage nearly all the time.
        assert_eq!(shared(2, 0, 1_600), (0, 2));
    }

    #[test]
    fn a_thread_that_sleeps_does_not_wait() {
        let mut turns = RunDelays::of_this_thread();
        std::thread::sleep(std::time::Duration::from_millis(200));
        let wait = turns.look(0, 0, 0, 200 * MS).unwrap_or_default();
        assert!(wait.in_flight_ns < 150 * MS, "{wait:?}");
    }

    #[test]
    fn fast_operations_are_not_examined() {
        let mut turns = RunDelays::of_this_thread();
        turns.asked_at_ns = 1_000 * MS;
        assert_eq!(turns.look(0, 1_001 * MS, 1_001 * MS, 1_002 * MS), None);
        assert_eq!(turns.asked_at_ns, 1_000 * MS);
        // An outdated value is still refreshed.
        assert_eq!(turns.look(0, 1_200 * MS, 1_200 * MS, 1_201 * MS), None);
        assert_eq!(turns.asked_at_ns, 1_201 * MS);
    }

    /// If there are many more busy threads than processors, each waits most of its time.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_among_many_busy_ones_waits() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let spin = || {
            let mut turns = RunDelays::of_this_thread();
            let start = std::time::Instant::now();
            while start.elapsed().as_millis() < 300 {
                std::hint::spin_loop();
            }
            turns.look(0, 0, 0, 300 * MS).unwrap_or_default().in_flight_ns
        };
        let threads: Vec<_> = (0..cores * 4).map(|_| std::thread::spawn(spin)).collect();
        let waited_ns = threads.into_iter().filter_map(|thread| thread.join().ok()).max();
        assert!(waited_ns.is_some_and(|waited_ns| waited_ns > 50 * MS), "{waited_ns:?}");
    }
}
