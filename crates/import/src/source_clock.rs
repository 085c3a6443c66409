//! Corrects the clock of a source that goes backwards.
//!
//! Lines of one thread are in order of events. If a wall clock is set back, the times change, but not
//! the order. So a line with an earlier time than the previous line of its thread follows that line
//! without a pause, and later lines keep their distances. The step is counted, with a lower bound of its
//! size: no line shows the real length of the pause.
//!
//! Lines of different threads may be out of order: some tools print a call when it ends.

use std::collections::HashMap;

/// Limit of threads whose last line is stored.
const MAX_THREADS: usize = 1 << 20;

/// How often a source's clock went backwards, and by how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steps {
    pub times: u64,
    pub largest_ns: u64,
    /// The first line at which it went backwards.
    pub first_line: u64,
}

impl Steps {
    fn add(&mut self, back_ns: u64, line: u64) {
        if self.times == 0 {
            self.first_line = line;
        }
        self.times += 1;
        self.largest_ns = self.largest_ns.max(back_ns);
    }
}

/// The time of a line on the clock of its source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shown {
    pub thread: u64,
    /// The time that the line shows.
    pub at_ns: u64,
    /// The duration of its operation before that time, if the line shows the end.
    pub began_before_ns: u64,
    /// The end of its operation, if a line is printed after the end and shows the start.
    pub printed_after_ns: Option<u64>,
}

/// The last times of a thread, corrected.
#[derive(Clone, Copy, Debug)]
struct Latest {
    line_ns: u64,
    end_ns: u64,
}

/// Corrects the times of a source, line by line.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// A step of up to this size is jitter: the time is kept from going backwards, and no step is
    /// counted.
    jitter_ns: u64,
    /// Whether the lines of all threads together are in order of time.
    is_strict: bool,
    shift_ns: u64,
    latest_ns: u64,
    /// Whether a line came after a later one of another thread.
    is_mixed: bool,
    threads: HashMap<u64, Latest>,
    steps: Steps,
}

impl Timeline {
    /// For packets: capturing on several queues reorders them slightly.
    pub fn with_jitter(jitter_ns: u64) -> Timeline {
        Timeline { jitter_ns, ..Timeline::default() }
    }

    /// For a source whose lines are all in order of time, across threads.
    pub fn strict() -> Timeline {
        Timeline { is_strict: true, ..Timeline::default() }
    }

    /// The corrected time of a line; `number` is its line number in the source.
    pub fn line(&mut self, shown: Shown, number: u64) -> u64 {
        let at_ns = shown.at_ns.saturating_add(self.shift_ns);
        let own = self.threads.get(&shown.thread).copied();
        let Some(own) = own else {
            self.is_mixed |= at_ns < self.latest_ns;
            return self.keep(shown.thread, at_ns);
        };
        let behind_ns = own.line_ns.saturating_sub(at_ns);
        if behind_ns == 0 && !self.is_step_of_all(shown, at_ns) {
            self.is_mixed |= at_ns < self.latest_ns;
            return self.keep(shown.thread, at_ns);
        }
        if behind_ns > 0 && behind_ns <= self.jitter_ns {
            return self.keep(shown.thread, own.line_ns);
        }
        let latest_ns = if self.is_mixed { 0 } else { self.latest_ns };
        let resumed_ns = own.end_ns.max(latest_ns).saturating_add(shown.began_before_ns);
        let back_ns = if behind_ns > 0 { behind_ns } else { self.latest_ns.saturating_sub(at_ns) };
        self.steps.add(back_ns, number);
        self.shift_ns = self.shift_ns.saturating_add(resumed_ns.saturating_sub(at_ns));
        self.keep(shown.thread, resumed_ns)
    }

    /// Whether a line that is in order within its thread shows a clock step that affects all threads.
    fn is_step_of_all(&self, shown: Shown, at_ns: u64) -> bool {
        let reaches_ns = shown.printed_after_ns.map_or(at_ns, |end_ns| end_ns.saturating_add(self.shift_ns));
        self.is_strict && !self.is_mixed && reaches_ns < self.latest_ns
    }

    fn keep(&mut self, thread: u64, at_ns: u64) -> u64 {
        self.latest_ns = self.latest_ns.max(at_ns);
        if self.threads.len() < MAX_THREADS || self.threads.contains_key(&thread) {
            let own = self.threads.entry(thread).or_insert(Latest { line_ns: at_ns, end_ns: at_ns });
            own.line_ns = at_ns;
            own.end_ns = own.end_ns.max(at_ns);
        }
        at_ns
    }

    /// Records the end of a thread's last operation.
    pub fn lasted(&mut self, thread: u64, end_ns: u64) {
        if let Some(own) = self.threads.get_mut(&thread) {
            own.end_ns = own.end_ns.max(end_ns);
        }
    }

    /// Records that the source shows a clock step of this size; its times are already corrected.
    pub fn stepped(&mut self, back_ns: u64, number: u64) {
        self.steps.add(back_ns, number);
    }

    /// Records the end of a thread; another one may reuse its number.
    pub fn thread_ended(&mut self, thread: u64) {
        self.threads.remove(&thread);
    }

    /// The steps of the clock, if there were any.
    pub fn steps(&self) -> Option<Steps> {
        Some(self.steps).filter(|steps| steps.times > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(timeline: &mut Timeline, lines: &[(u64, u64)]) -> Vec<u64> {
        let lines = lines.iter().enumerate();
        let line = |(number, &(thread, at_ns)): (usize, &(u64, u64))| {
            timeline.line(Shown { thread, at_ns, ..Shown::default() }, number as u64 + 1)
        };
        lines.map(line).collect()
    }

    #[test]
    fn a_step_back_keeps_the_order_and_later_distances() {
        let mut timeline = Timeline::default();
        assert_eq!(times(&mut timeline, &[(7, 100), (7, 200)]), [100, 200]);
        timeline.lasted(7, 230);
        assert_eq!(times(&mut timeline, &[(7, 50), (7, 80), (7, 10)]), [230, 260, 260]);
        assert_eq!(timeline.steps(), Some(Steps { times: 2, largest_ns: 150, first_line: 1 }));
    }

    #[test]
    fn one_step_is_counted_once_for_all_threads() {
        let mut timeline = Timeline::default();
        let lines = [(1, 1000), (2, 1010), (1, 500), (2, 510), (1, 520)];
        assert_eq!(times(&mut timeline, &lines), [1000, 1010, 1010, 1020, 1030]);
        assert_eq!(timeline.steps().map(|steps| steps.times), Some(1));
    }

    #[test]
    fn other_threads_may_be_behind_where_lines_are_printed_at_the_end() {
        let mut timeline = Timeline::default();
        assert_eq!(times(&mut timeline, &[(1, 1000), (2, 900), (2, 950), (1, 1010)]), [1000, 900, 950, 1010]);
        assert_eq!(timeline.steps(), None);
    }

    #[test]
    fn a_strict_source_shows_a_step_by_any_thread() {
        let lines = [(2, 100), (1, 1000), (2, 700), (1, 750)];
        let mut timeline = Timeline::strict();
        assert_eq!(times(&mut timeline, &lines), [100, 1000, 1000, 1050]);
        assert_eq!(timeline.steps().map(|steps| steps.largest_ns), Some(300));
        let mut timeline = Timeline::strict();
        times(&mut timeline, &lines[..2]);
        let late = Shown { thread: 2, at_ns: 700, printed_after_ns: Some(1001), ..Shown::default() };
        assert_eq!((timeline.line(late, 3), timeline.steps()), (700, None), "it was printed when it ended");
    }

    #[test]
    fn jitter_is_no_step() {
        let mut timeline = Timeline::with_jitter(10);
        assert_eq!(times(&mut timeline, &[(1, 100), (1, 95), (1, 101), (1, 50)]), [100, 100, 101, 101]);
        assert_eq!(timeline.steps().map(|steps| (steps.times, steps.first_line)), Some((1, 4)));
    }

    #[test]
    fn a_line_that_shows_its_end_begins_after_the_one_before() {
        let mut timeline = Timeline::default();
        times(&mut timeline, &[(1, 1000)]);
        let shown = Shown { thread: 1, at_ns: 400, began_before_ns: 30, printed_after_ns: None };
        assert_eq!(timeline.line(shown, 2), 1030);
    }

    #[test]
    fn threads_that_ended_and_huge_times_do_no_harm() {
        let mut timeline = Timeline::default();
        times(&mut timeline, &[(1, 1000)]);
        timeline.thread_ended(1);
        assert_eq!(times(&mut timeline, &[(1, 10)]), [10]);
        assert_eq!(times(&mut timeline, &[(1, u64::MAX), (1, 0), (1, u64::MAX)])[2], u64::MAX);
    }
}
