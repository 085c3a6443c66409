//! A pipe of limited bandwidth that serves one request after the other, and one for each open file.
//!
//! The time of each request follows from when the pipe is free, not from how long a thread slept. The
//! bandwidth is exact even if the system wakes threads late.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How much idle time the pipe may catch up: about the delay of a thread's wakeup.
const CATCH_UP: Duration = Duration::from_millis(2);

/// The bandwidth, and when the pipe is free again.
#[derive(Debug)]
pub(super) struct Pipe(Mutex<State>);

/// A burst allowance: so many bytes pass at once after the pipe was idle long enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) bytes: u64,
}

#[derive(Debug)]
struct State {
    bytes_per_s: u64,
    busy_until: Instant,
    catch_up: Duration,
}

impl Pipe {
    /// A pipe without a limit.
    pub(super) fn unlimited() -> Pipe {
        Pipe(Mutex::new(State { bytes_per_s: 0, busy_until: Instant::now(), catch_up: CATCH_UP }))
    }

    /// Limits it from now on; 0 ends that.
    pub(super) fn limit(&self, bytes_per_s: u64) {
        let mut state = self.0.lock().unwrap();
        *state = State { bytes_per_s, busy_until: Instant::now(), catch_up: CATCH_UP };
    }

    /// Continues at another rate. Requests in flight keep the old one.
    pub(super) fn change_rate(&self, bytes_per_s: u64) {
        self.0.lock().unwrap().bytes_per_s = bytes_per_s;
    }

    /// The same with a burst allowance. It is full now, and refills while the pipe is idle.
    pub(super) fn limit_with(&self, bytes_per_s: u64, allowance: Allowance) {
        let catch_up = CATCH_UP + time_of(allowance.bytes, bytes_per_s);
        let busy_until = Instant::now().checked_sub(catch_up).unwrap();
        *self.0.lock().unwrap() = State { bytes_per_s, busy_until, catch_up };
    }

    /// Returns when so many bytes have passed.
    #[cfg(test)]
    pub(super) fn pass(&self, bytes: u64) {
        if let Some(until) = self.reserve(bytes) {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
    }

    /// Reserves the time of so many bytes that arrive now. Returns when they have passed; `None` without
    /// a limit.
    pub(super) fn reserve(&self, bytes: u64) -> Option<Instant> {
        let mut state = self.0.lock().unwrap();
        if state.bytes_per_s == 0 {
            return None;
        }
        state.busy_until = passed(&state, bytes, Instant::now());
        Some(state.busy_until)
    }
}

/// When bytes that arrive at `now` have passed.
fn passed(state: &State, bytes: u64, now: Instant) -> Instant {
    let since = now.checked_sub(state.catch_up).unwrap_or(now);
    state.busy_until.max(since) + time_of(bytes, state.bytes_per_s)
}

/// A pipe of one open file. Its requests together take exactly as long as their bytes need. The next
/// request makes up for an answer that was late. Time without requests does not count.
#[derive(Debug)]
pub(super) struct OwnPipe {
    /// 0 means unlimited.
    bytes_per_s: u64,
    answers: Mutex<Answers>,
}

/// When the last answer was due, and when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answers {
    due: Instant,
    came: Instant,
}

impl OwnPipe {
    /// A pipe of a file that is opened now.
    pub(super) fn new(bytes_per_s: u64) -> OwnPipe {
        let now = Instant::now();
        OwnPipe { bytes_per_s, answers: Mutex::new(Answers { due: now, came: now }) }
    }

    /// Returns when the bytes of a request that arrived at this time have passed.
    pub(super) fn pass(&self, arrived: Instant, bytes: u64) {
        if self.bytes_per_s == 0 {
            return;
        }
        // The lock is held while waiting: the next request begins where this one ends.
        let mut answers = self.answers.lock().unwrap();
        answers.due = due(*answers, arrived, bytes, self.bytes_per_s);
        std::thread::sleep(answers.due.saturating_duration_since(Instant::now()));
        answers.came = Instant::now();
    }
}

/// When a request is to be answered.
fn due(last: Answers, arrived: Instant, bytes: u64, bytes_per_s: u64) -> Instant {
    let idle = arrived.saturating_duration_since(last.came);
    last.due + idle + time_of(bytes, bytes_per_s)
}

/// How long so many bytes take.
fn time_of(bytes: u64, bytes_per_s: u64) -> Duration {
    let ns = u128::from(bytes) * 1_000_000_000 / u128::from(bytes_per_s);
    Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separate_pipe_compensates_late_answers_not_idle_time() {
        let (start, ms) = (Instant::now(), Duration::from_millis);
        let opened = Answers { due: start, came: start };
        // Opened; 5 ms later, 100 ms' worth of bytes is requested.
        let first = due(opened, start + ms(5), 100_000, 1_000_000);
        assert_eq!(first, start + ms(105));
        // It was answered 30 ms late. The next request arrives 2 ms after that.
        let late = Answers { due: first, came: first + ms(30) };
        assert_eq!(due(late, late.came + ms(2), 100_000, 1_000_000), first + ms(102));
    }

    #[test]
    fn simultaneous_requests_are_served_in_turn() {
        let start = Instant::now() + Duration::from_secs(1);
        let mut state = State { bytes_per_s: 1_000_000, busy_until: start, catch_up: CATCH_UP };
        for turn in 1..=3 {
            state.busy_until = passed(&state, 100_000, start);
            assert_eq!(state.busy_until, start + Duration::from_millis(100 * turn));
        }
    }

    #[test]
    fn idle_time_is_lost_but_for_a_little() {
        let start = Instant::now() + Duration::from_secs(1);
        let state = State { bytes_per_s: 1_000_000, busy_until: start, catch_up: CATCH_UP };
        let later = start + Duration::from_secs(5);
        assert_eq!(passed(&state, 1_000_000, later), later + Duration::from_secs(1) - CATCH_UP);
    }

    #[test]
    fn a_burst_allowance_passes_at_once_and_fills_again() {
        let pipe = Pipe::unlimited();
        pipe.limit_with(1_000_000, Allowance { bytes: 500_000 });
        let start = Instant::now();
        let waits = |bytes| {
            let until = pipe.reserve(bytes).unwrap();
            until.saturating_duration_since(start).as_secs_f64()
        };
        assert_eq!(waits(500_000), 0.0);
        let beyond = waits(1_000_000);
        assert!((0.9..=1.1).contains(&beyond), "{beyond}");
    }

    #[test]
    fn threads_share_it() {
        let pipe = Pipe::unlimited();
        let start = Instant::now();
        pipe.pass(u64::MAX);
        assert!(start.elapsed() < Duration::from_secs(1));
        pipe.limit(10_000_000);
        let start = Instant::now();
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(|| pipe.pass(500_000)))));
        // 2 MB at 10 MB/s.
        assert!(start.elapsed() >= Duration::from_millis(195), "{:?}", start.elapsed());
    }
}
