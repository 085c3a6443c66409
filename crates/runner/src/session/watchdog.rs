//! The watchdog: a thread that only reads the clock, and so notices when this process did not run.
//!
//! It wakes a hundred times a second. If it wakes far too late, no thread of this process can be trusted
//! to have run in the gap: the process was stopped (SIGSTOP, a suspended host, a frozen group), or its
//! processors were taken away (a quota, a hypervisor, other programs). A sleeping thread is scheduled
//! first, so on a host that is merely busy it is late by milliseconds.
//!
//! The drain takes the pauses before it counts the operations that completed in them
//! ([`Watchdog::take`]). [`reelgauge_analysis::pause`] interprets them.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reelgauge_analysis::pause::Pause;
use reelgauge_engine::clock::Clock;

/// The time between two beats.
const BEAT: Duration = Duration::from_millis(10);
/// A later beat counts as a pause. Any stream's buffer covers shorter ones.
const LATE_NS: u64 = 25_000_000;
/// How long the drain waits for a watchdog that has not woken yet: all threads wake at once after a
/// pause.
const SETTLE: Duration = Duration::from_millis(50);
/// The interval of checks while it waits.
const LOOK: Duration = Duration::from_millis(1);

#[derive(Debug)]
struct Shared {
    last_beat_ns: AtomicU64,
    pauses: Mutex<Vec<Pause>>,
    ended: AtomicBool,
}

/// The handle on the thread. Dropping it ends the thread without waiting for it.
#[derive(Debug)]
pub struct Watchdog {
    shared: Arc<Shared>,
    clock: Clock,
}

impl Watchdog {
    /// Starts the thread.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(clock: Clock) -> io::Result<Watchdog> {
        let shared = Arc::new(Shared {
            last_beat_ns: AtomicU64::new(clock.now_ns()),
            pauses: Mutex::new(Vec::new()),
            ended: AtomicBool::new(false),
        });
        let watched = Arc::clone(&shared);
        #[cfg(test)]
        if let Some(world) = clock.world() {
            world.join(Box::new(Beats(watched)));
            return Ok(Watchdog { shared, clock });
        }
        std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            while !watched.ended.load(Ordering::Relaxed) {
                std::thread::sleep(BEAT);
                watched.beat(clock.now_ns());
            }
        })?;
        Ok(Watchdog { shared, clock })
    }

    /// The pauses since the last call, in order of time. If the watchdog has not woken in time, this
    /// waits for it briefly, because its report concerns the operations that have just completed.
    pub fn take(&self) -> Vec<Pause> {
        let asked_ns = self.clock.now_ns();
        while self.is_overdue() && self.clock.now_ns() - asked_ns < SETTLE.as_nanos() as u64 {
            self.clock.sleep(LOOK);
        }
        std::mem::take(&mut *self.shared.pauses.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_overdue(&self) -> bool {
        // It may beat after the clock was read here.
        let since_ns = self.clock.now_ns().saturating_sub(self.shared.last_beat_ns.load(Ordering::Acquire));
        since_ns > BEAT.as_nanos() as u64 + LATE_NS
    }
}

impl Shared {
    fn beat(&self, now_ns: u64) {
        let last_ns = self.last_beat_ns.load(Ordering::Relaxed);
        if let Some(pause) = pause(last_ns, now_ns) {
            // Before the beat is stored, so that a reader who sees the beat sees the pause.
            self.pauses.lock().unwrap_or_else(PoisonError::into_inner).push(pause);
        }
        self.last_beat_ns.store(now_ns, Ordering::Release);
    }
}

/// The watchdog of a simulated world.
#[cfg(test)]
struct Beats(Arc<Shared>);

#[cfg(test)]
impl reelgauge_engine::simulated::world::Part for Beats {
    fn next_ns(&self, now_ns: u64) -> Option<u64> {
        let next_ns = self.0.last_beat_ns.load(Ordering::Relaxed) + BEAT.as_nanos() as u64;
        (!self.0.ended.load(Ordering::Relaxed)).then_some(next_ns.max(now_ns))
    }

    fn act(&mut self, now_ns: u64) {
        self.0.beat(now_ns);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
    }
}

/// The pause between two beats, if there was one. It began at the latest when the second beat was due.
fn pause(last_ns: u64, now_ns: u64) -> Option<Pause> {
    let since_ns = now_ns - last_ns;
    let is_late = since_ns > BEAT.as_nanos() as u64 + LATE_NS;
    is_late.then_some(Pause { from_ns: last_ns, until_ns: now_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn waking_a_little_late_is_no_pause() {
        assert_eq!(pause(100 * MS, 110 * MS), None);
        assert_eq!(pause(100 * MS, 135 * MS), None);
        let stopped = Pause { from_ns: 100 * MS, until_ns: 1_110 * MS };
        assert_eq!(pause(100 * MS, 1_110 * MS), Some(stopped));
    }

    #[test]
    fn a_beat_stores_its_pause_first() {
        let shared = Shared {
            last_beat_ns: AtomicU64::new(0),
            pauses: Mutex::default(),
            ended: AtomicBool::new(false),
        };
        for now in [10, 20, 1_020, 1_030] {
            shared.beat(now * MS);
        }
        let pauses = shared.pauses.into_inner().unwrap_or_default();
        assert_eq!(pauses, [Pause { from_ns: 20 * MS, until_ns: 1_020 * MS }]);
    }

    #[test]
    fn watchdog_thread_beats() -> io::Result<()> {
        let clock = Clock::start();
        let watchdog = Watchdog::start(clock)?;
        std::thread::sleep(Duration::from_millis(100));
        watchdog.take();
        assert!(watchdog.shared.last_beat_ns.load(Ordering::Acquire) > 0);
        Ok(())
    }
}
