//! Whether a driver thread got its processor time: how long it was runnable without running, because
//! other threads or an exhausted quota kept it off the processor.
//!
//! If a result is available but the thread does not run, the delay between two clock readings looks like
//! slow storage. The kernel can separate the two: it counts how long each thread has waited for a
//! processor. The query costs some microseconds. It is made only after a slow operation, and
//! occasionally in between, so that the difference covers only the last moments. A sleeping thread, or
//! one that waits for a result, does not wait for a processor: unresponsive storage is still reported as
//! such, however busy the host.
//!
//! Only Linux has this counter. Elsewhere no wait is ever found. A thread suspended by a signal does not
//! wait for a processor either. The watchdog detects that.

#[cfg(target_os = "linux")]
use std::{fs::File, os::unix::fs::FileExt};

#[cfg(target_os = "linux")]
use reelgauge_machine::process::{OWN_SCHEDULE, Schedule};
use reelgauge_record::ProcessorWait;

/// An operation that was answered within this, and issued no later than this after it could have been, needs
/// no explanation.
const WORTH_ASKING_NS: u64 = 5_000_000;
/// The kernel's counter is read again when the last value is older than this.
const OUTDATED_NS: u64 = 100_000_000;
/// Waits that are shorter say nothing.
const WORTH_TELLING_NS: u64 = 1_000_000;

/// The waits of one thread. To be made and asked on that thread.
#[derive(Debug)]
pub(super) struct Turns {
    #[cfg(target_os = "linux")]
    told_by: Option<File>,
    /// How long it had waited in all, when it was asked last.
    waited_ns: u64,
    asked_at_ns: u64,
}

impl Turns {
    /// Of the calling thread.
    pub(super) fn of_this_thread() -> Turns {
        let mut turns = Turns {
            #[cfg(target_os = "linux")]
            told_by: File::open(OWN_SCHEDULE).ok(),
            waited_ns: 0,
            asked_at_ns: 0,
        };
        turns.waited_ns = turns.ask().unwrap_or(0);
        turns
    }

    /// The wait to record for an operation that could have been issued at `could_ns`; `None` unless its
    /// thread waited for a processor.
    #[inline]
    pub(super) fn look(
        &mut self,
        worker: u32,
        could_ns: u64,
        issued_ns: u64,
        done_ns: u64,
    ) -> Option<ProcessorWait> {
        // When the worker was free is what the caller knows of it, which may be after all.
        let late_ns = issued_ns.saturating_sub(could_ns);
        let took_ns = done_ns - issued_ns;
        let waited_ns = self.waited_since(late_ns.max(took_ns), done_ns)?;
        let wait = share(waited_ns, late_ns, took_ns);
        let wait = ProcessorWait { worker, done_ns, ..wait };
        (wait.total_ns() >= WORTH_TELLING_NS).then_some(wait)
    }

    /// How long the thread waited since it was asked last, if what happened just now took long enough to ask.
    #[inline]
    pub(super) fn waited_since(&mut self, took_ns: u64, now_ns: u64) -> Option<u64> {
        let is_long = took_ns >= WORTH_ASKING_NS;
        // Both counters only grow, but the one may be the ring's reading and the other a helper's, or the
        // kernel's, which corrects itself.
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

/// Which part of a wait was before the operation and which in it. What made the operation late came first;
/// more than all of its time can't have been waited in it.
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
    fn what_made_an_operation_late_was_not_waited_in_it() {
        let shared = |waited: u64, late: u64, took: u64| {
            let wait = share(waited * MS, late * MS, took * MS);
            (wait.before_ns / MS, wait.in_flight_ns / MS)
        };
        assert_eq!(shared(35, 0, 36), (0, 35));
        assert_eq!(shared(35, 35, 1), (35, 0));
        assert_eq!(shared(500, 30, 40), (30, 40));
        // The thread waited for the storage, as good as all the time.
        assert_eq!(shared(2, 0, 1_600), (0, 2));
    }

    #[test]
    fn a_thread_that_sleeps_does_not_wait() {
        let mut turns = Turns::of_this_thread();
        std::thread::sleep(std::time::Duration::from_millis(200));
        let wait = turns.look(0, 0, 0, 200 * MS).unwrap_or_default();
        assert!(wait.in_flight_ns < 150 * MS, "{wait:?}");
    }

    #[test]
    fn what_went_fast_is_not_looked_into() {
        let mut turns = Turns::of_this_thread();
        turns.asked_at_ns = 1_000 * MS;
        assert_eq!(turns.look(0, 1_001 * MS, 1_001 * MS, 1_002 * MS), None);
        assert_eq!(turns.asked_at_ns, 1_000 * MS);
        // An outdated value is refreshed all the same.
        assert_eq!(turns.look(0, 1_200 * MS, 1_200 * MS, 1_201 * MS), None);
        assert_eq!(turns.asked_at_ns, 1_201 * MS);
    }

    /// Threads that want all processors many times over wait for most of their time.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_among_many_busy_ones_waits() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let spin = || {
            let mut turns = Turns::of_this_thread();
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
