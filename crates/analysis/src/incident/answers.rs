//! When the storage answered, and when it did not although operations were in flight.
//!
//! Every operation of a load point counts in the bin of time in which it completed. Bins start with a
//! width of [`NARROWEST_NS`] and get wider if a load point lasts long, so memory is bounded. The start
//! and the end of a silence are exact anyway, because each bin stores its first and its last answer.

use reelgauge_record::{OpRecord, ProcessorWait};

use super::{Behaviour, StorageThen};
use crate::figures::{seconds, stretch_ns, us};
use crate::pause::Pauses;
use crate::rounding::round_to;

const NARROWEST_NS: u64 = 10_000_000;

/// Bins that are kept, at most.
const BINS_MAX: usize = 1 << 14;

/// Shorter silences are no evidence: a few slow operations look the same.
const SILENCE_MIN_NS: u64 = 100_000_000;

/// A silence of at least this share of an incident explains it.
const SILENCE_SHARE: f64 = 0.3;

/// Below this share of the required rate, answers came too slowly.
const SLOW_SHARE: f64 = 0.97;

/// Storage is overloaded if it is busy for at least the first share of the time, and delivers less than
/// the second share of the required rate. Storage that is always busy may even deliver slightly more
/// than required: a deficit of 1 % makes streams late in the end, but cannot be measured at the edges of
/// an incident.
const OVERLOADED: [(f64, f64); 2] = [(0.8, SLOW_SHARE), (0.95, 1.02)];

/// An operation that takes this long is slow, whatever the others do.
const SLOW_OP_NS: u64 = 100_000_000;

/// The answers in one bin.
#[derive(Clone, Copy, Debug)]
struct Bin {
    bytes: u64,
    failed: u64,
    first_done_ns: u64,
    last_done_ns: u64,
    /// The issue time of the oldest operation that was answered in this bin.
    oldest_issued_ns: u64,
    /// The longest operation, without pauses of Reelgauge.
    longest_ns: u64,
    /// The largest scheduling delay of Reelgauge.
    own_delay_max_ns: u64,
    /// The longest wait of a measuring thread for a processor.
    processor_wait_max_ns: u64,
    /// The sum of the time that operations were in flight in it, without the delays of Reelgauge.
    in_flight_ns: u64,
}

impl Bin {
    const EMPTY: Bin = Bin {
        bytes: 0,
        failed: 0,
        first_done_ns: u64::MAX,
        last_done_ns: 0,
        oldest_issued_ns: u64::MAX,
        longest_ns: 0,
        own_delay_max_ns: 0,
        processor_wait_max_ns: 0,
        in_flight_ns: 0,
    };

    fn has_answers(&self) -> bool {
        self.first_done_ns != u64::MAX
    }

    fn plus(&self, other: &Bin) -> Bin {
        Bin {
            bytes: self.bytes + other.bytes,
            failed: self.failed + other.failed,
            first_done_ns: self.first_done_ns.min(other.first_done_ns),
            last_done_ns: self.last_done_ns.max(other.last_done_ns),
            oldest_issued_ns: self.oldest_issued_ns.min(other.oldest_issued_ns),
            longest_ns: self.longest_ns.max(other.longest_ns),
            own_delay_max_ns: self.own_delay_max_ns.max(other.own_delay_max_ns),
            processor_wait_max_ns: self.processor_wait_max_ns.max(other.processor_wait_max_ns),
            // Times in logs are untrusted input: the sum of absurd values must not wrap.
            in_flight_ns: self.in_flight_ns.saturating_add(other.in_flight_ns),
        }
    }
}

/// The part of an operation's time that Reelgauge caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnShare {
    /// The part of the time from its issue until its result was seen.
    pub booked_ns: u64,
    /// Its total scheduling delay.
    pub delay_ns: u64,
    /// How long its thread waited for a processor.
    pub wait: ProcessorWait,
}

/// A time in which operations were in flight and none completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// Its start, on the run's clock.
    pub from_ns: u64,
    /// The time of the next answer.
    pub until_ns: u64,
    /// Its length, without pauses of Reelgauge.
    pub length_ns: u64,
}

/// The answers of a load point over time.
#[derive(Clone, Debug)]
pub struct AnswerTally {
    from_ns: u64,
    width_ns: u64,
    bins: Vec<Bin>,
}

impl AnswerTally {
    /// For a load point that begins at this time.
    pub fn new(from_ns: u64) -> AnswerTally {
        AnswerTally { from_ns, width_ns: NARROWEST_NS, bins: Vec::new() }
    }

    /// Takes an operation, and the part of its time that Reelgauge caused.
    #[inline]
    pub fn add(&mut self, op: &OpRecord, own: &OwnShare) {
        debug_assert!(
            own.booked_ns <= op.service_ns(),
            "Reelgauge's share of an operation's time is at most that time"
        );
        // The answer had arrived before a thread got a processor to see it. A wait is never longer than
        // its operation, except in damaged records.
        let answered_ns = op.done_ns.saturating_sub(own.wait.in_flight_ns).max(op.issued_ns.min(op.done_ns));
        let bin = self.bin(answered_ns);
        if op.errno == 0 {
            bin.bytes += u64::from(op.done_len);
        } else {
            bin.failed += 1;
        }
        bin.first_done_ns = bin.first_done_ns.min(answered_ns);
        bin.last_done_ns = bin.last_done_ns.max(answered_ns);
        bin.oldest_issued_ns = bin.oldest_issued_ns.min(op.issued_ns);
        bin.longest_ns = bin.longest_ns.max(op.service_ns() - own.booked_ns);
        bin.own_delay_max_ns = bin.own_delay_max_ns.max(own.delay_ns);
        bin.processor_wait_max_ns = bin.processor_wait_max_ns.max(own.wait.total_ns());
        self.in_flight(op.issued_ns, op.done_ns - own.booked_ns);
    }

    /// Records that something was in flight between two times; the second one has a bin.
    fn in_flight(&mut self, from_ns: u64, until_ns: u64) {
        let from_ns = from_ns.max(self.from_ns);
        if until_ns <= from_ns {
            return;
        }
        let (first, last) = (self.index(from_ns), self.index(until_ns - 1).min(self.bins.len()));
        let (start_ns, width_ns) = (self.from_ns, self.width_ns);
        for (index, bin) in self.bins.iter_mut().enumerate().take(last + 1).skip(first) {
            let begins_ns = start_ns + index as u64 * width_ns;
            let within_ns = until_ns.min(begins_ns + width_ns) - from_ns.max(begins_ns);
            // Times in logs are untrusted input: the sum of absurd values must not wrap.
            bin.in_flight_ns = bin.in_flight_ns.saturating_add(within_ns);
        }
    }

    /// Records an operation, issued at `issued_ns`, that had not completed when the load point was given
    /// up.
    pub fn unanswered(&mut self, issued_ns: u64, given_up_ns: u64) {
        let bin = self.bin(given_up_ns);
        bin.first_done_ns = bin.first_done_ns.min(given_up_ns);
        bin.last_done_ns = bin.last_done_ns.max(given_up_ns);
        bin.oldest_issued_ns = bin.oldest_issued_ns.min(issued_ns);
        bin.longest_ns = bin.longest_ns.max(stretch_ns(issued_ns, given_up_ns));
        self.in_flight(issued_ns, given_up_ns);
    }

    #[inline]
    fn bin(&mut self, at_ns: u64) -> &mut Bin {
        let mut index = self.index(at_ns);
        while index >= BINS_MAX {
            self.widen();
            index = self.index(at_ns);
        }
        if index >= self.bins.len() {
            self.bins.resize(index + 1, Bin::EMPTY);
        }
        &mut self.bins[index]
    }

    /// The bin of a time. Times before the load point count in the first bin.
    fn index(&self, at_ns: u64) -> usize {
        (stretch_ns(self.from_ns, at_ns) / self.width_ns) as usize
    }

    #[cold]
    fn widen(&mut self) {
        let merged = self.bins.chunks(2).map(|pair| pair.iter().fold(Bin::EMPTY, |sum, bin| sum.plus(bin)));
        self.bins = merged.collect();
        self.width_ns *= 2;
    }

    /// The bins that overlap a period.
    fn within(&self, from_ns: u64, until_ns: u64) -> &[Bin] {
        let first = self.index(from_ns).min(self.bins.len());
        let end = (self.index(until_ns) + 1).clamp(first, self.bins.len());
        &self.bins[first..end]
    }

    /// The largest scheduling delay of Reelgauge among the operations that completed in a period.
    pub fn own_delay_max_ns(&self, from_ns: u64, until_ns: u64) -> Option<u64> {
        let bins = self.within(from_ns, until_ns).iter().filter(|bin| bin.has_answers());
        bins.map(|bin| bin.own_delay_max_ns).max()
    }

    /// How long something was in flight in a period. The times of operations within a bin are added, up
    /// to the width of the bin. If they overlap, the result is too long, by less than one bin for each
    /// such bin.
    fn busy_ns(&self, from_ns: u64, until_ns: u64) -> u64 {
        let bins = self.within(from_ns, until_ns).iter();
        bins.map(|bin| bin.in_flight_ns.min(self.width_ns)).sum()
    }

    /// Whether the storage was busy nearly all the time and delivered less than needed. If so, it could
    /// not have delivered more.
    pub fn is_overloaded(&self, from_ns: u64, until_ns: u64, needed_per_s: f64, pauses: &Pauses) -> bool {
        let then = self.storage_then(from_ns, until_ns, Some(needed_per_s), pauses);
        let (Some(busy), Some(answered)) = (then.busy_share, then.answered_share) else {
            return false;
        };
        OVERLOADED.iter().any(|(at_work, too_little)| busy >= *at_work && answered < *too_little)
    }

    /// The longest wait of a measuring thread for a processor, around the operations that completed in a
    /// period.
    pub fn processor_wait_max_ns(&self, from_ns: u64, until_ns: u64) -> Option<u64> {
        let bins = self.within(from_ns, until_ns).iter().filter(|bin| bin.has_answers());
        bins.map(|bin| bin.processor_wait_max_ns).max()
    }

    /// Every silence of at least this length, in order of time.
    pub fn silences(&self, at_least_ns: u64, pauses: &Pauses) -> Vec<Silence> {
        let filled: Vec<&Bin> = self.bins.iter().filter(|bin| bin.has_answers()).collect();
        // From the end, so that for each answer the issue time of the oldest operation after it is
        // known.
        let mut oldest_ns = u64::MAX;
        let mut found = Vec::new();
        for (at, bin) in filled.iter().enumerate().rev() {
            oldest_ns = oldest_ns.min(bin.oldest_issued_ns);
            let before_ns = at.checked_sub(1).map_or(0, |before| filled[before].last_done_ns);
            let (from_ns, until_ns) = (before_ns.max(oldest_ns), bin.first_done_ns);
            let silent_ns = stretch_ns(from_ns, until_ns);
            // Pauses are read from a file when a run is opened again: damaged ones may overlap, also
            // below.
            let length_ns = silent_ns.saturating_sub(pauses.total_ns(from_ns, until_ns));
            if length_ns >= at_least_ns.max(1) {
                found.push(Silence { from_ns, until_ns, length_ns });
            }
        }
        found.reverse();
        found
    }

    /// The state of the storage in a period in which streams needed this rate.
    pub fn storage_then(
        &self,
        from_ns: u64,
        until_ns: u64,
        needed_bytes_per_s: Option<f64>,
        pauses: &Pauses,
    ) -> StorageThen {
        let bins = self.within(from_ns, until_ns);
        let within = |silence: &Silence| silence.from_ns < until_ns && silence.until_ns > from_ns;
        let silences = self.silences(SILENCE_MIN_NS, pauses).into_iter().filter(within);
        let silence = silences.max_by_key(|silence| silence.length_ns);
        // Without answers in the period, only later answers can show the reason.
        if silence.is_none() && !bins.iter().any(Bin::has_answers) {
            return StorageThen::default();
        }
        let bytes: u64 = bins.iter().map(|bin| bin.bytes).sum();
        let whole_ns = stretch_ns(from_ns, until_ns);
        // See `AnswerTally::silences`.
        let running_ns = whole_ns.saturating_sub(pauses.total_ns(from_ns, until_ns));
        let needed_bytes = needed_bytes_per_s.map(|rate| rate * running_ns as f64 / 1e9);
        let answered_share = needed_bytes.filter(|bytes| *bytes > 0.0).map(|needed| bytes as f64 / needed);
        // The bytes of a few moments between pauses are too few for a share.
        let mostly_ran = running_ns >= whole_ns / 10;
        let busy_share = (self.busy_ns(from_ns, until_ns) as f64 / running_ns as f64).min(1.0);
        let longest_ns = bins.iter().map(|bin| bin.longest_ns).max().unwrap_or(0);
        let longest_ns = longest_ns.max(silence.map_or(0, |silence| silence.length_ns));
        let silence_explains =
            |silence: &Silence| silence.length_ns as f64 >= SILENCE_SHARE * running_ns as f64;
        let behaviour = if bins.iter().any(|bin| bin.failed > 0) {
            Behaviour::Failed
        } else if silence.is_some_and(|silence| silence_explains(&silence)) {
            Behaviour::NoAnswer
        } else if answered_share.is_some_and(|share| share < SLOW_SHARE) {
            Behaviour::Slow
        } else if longest_ns >= SLOW_OP_NS {
            Behaviour::SingleSlowOps
        } else {
            Behaviour::Usual
        };
        StorageThen {
            behaviour,
            no_answer_s: silence.map(|silence| seconds(silence.length_ns)),
            no_answer_began_s: silence.map(|silence| seconds(silence.from_ns)),
            answered_share: answered_share.filter(|_| mostly_ran).map(|share| round_to(share, 4)),
            busy_share: (running_ns > 0).then(|| round_to(busy_share, 4)),
            longest_op_us: Some(us(longest_ns)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_record::test_records::read;

    use super::*;
    use crate::pause::Pause;

    const MS: u64 = 1_000_000;

    /// An operation of one megabyte every 40 ms, each taking 5 ms; none completes for `length_ms`,
    /// starting at `from_ms`.
    fn frozen(from_ms: u64, length_ms: u64) -> AnswerTally {
        let mut tally = AnswerTally::new(0);
        for at_ms in (0..10_000).step_by(40) {
            let frozen = (from_ms..from_ms + length_ms).contains(&at_ms);
            let (issued_ms, done_ms) =
                if frozen { (from_ms / 40 * 40, from_ms + length_ms) } else { (at_ms, at_ms + 5) };
            add(&mut tally, issued_ms, done_ms);
        }
        tally
    }

    fn add(tally: &mut AnswerTally, issued_ms: u64, done_ms: u64) {
        let op = read(0, 0, 1_000_000).at_ms(issued_ms).done_at_ms(done_ms);
        tally.add(&op, &OwnShare::default());
    }

    #[test]
    fn a_freeze_is_a_silence_to_the_nanosecond() {
        let tally = frozen(4_000, 1_600);
        let silences = tally.silences(100 * MS, &Pauses::default());
        assert_eq!(silences, [Silence { from_ns: 4_000 * MS, until_ns: 5_600 * MS, length_ns: 1_600 * MS }]);
        let then = tally.storage_then(4_000 * MS, 5_700 * MS, Some(25e6), &Pauses::default());
        assert_eq!(
            (then.behaviour, then.no_answer_s, then.no_answer_began_s),
            (Behaviour::NoAnswer, Some(1.6), Some(4.0))
        );
    }

    #[test]
    fn a_silence_that_outlasts_the_load_point_is_one() {
        let mut tally = AnswerTally::new(0);
        add(&mut tally, 1_000, 1_005);
        tally.unanswered(1_040 * MS, 9_000 * MS);
        // The load point was stopped at 5 s, and waited until 9 s.
        let then = tally.storage_then(2_000 * MS, 5_000 * MS, Some(25e6), &Pauses::default());
        assert_eq!((then.behaviour, then.no_answer_began_s), (Behaviour::NoAnswer, Some(1.04)));
        assert_eq!((then.no_answer_s, then.longest_op_us), (Some(7.96), Some(7_960_000.0)));
    }

    #[test]
    fn time_without_requests_is_no_silence() {
        let mut tally = AnswerTally::new(0);
        add(&mut tally, 0, 5);
        add(&mut tally, 3_000, 3_005);
        assert_eq!(tally.silences(100 * MS, &Pauses::default()), []);
        // Unless something had been in flight all the time.
        add(&mut tally, 10, 3_010);
        let silences = tally.silences(100 * MS, &Pauses::default());
        assert_eq!(silences.iter().map(|one| one.length_ns / MS).collect::<Vec<_>>(), [2_995]);
    }

    #[test]
    fn pause_of_reelgauge_is_no_silence_of_the_storage() {
        let mut pauses = Pauses::default();
        pauses.push(Pause { from_ns: 4_010 * MS, until_ns: 5_600 * MS });
        let then = frozen(4_000, 1_600).storage_then(4_000 * MS, 5_700 * MS, Some(25e6), &pauses);
        assert_eq!((then.behaviour, then.no_answer_s), (Behaviour::SingleSlowOps, None));
    }

    #[test]
    fn time_without_a_processor_is_no_silence() {
        let mut tally = frozen(9_000, 0);
        let op = read(0, 0, 100).at_ms(10_000).took_ms(500);
        let wait = ProcessorWait { in_flight_ns: 490 * MS, ..ProcessorWait::default() };
        tally.add(&op, &OwnShare { booked_ns: 490 * MS, delay_ns: 490 * MS, wait });
        assert_eq!(tally.silences(100 * MS, &Pauses::default()), []);
        assert_eq!(tally.processor_wait_max_ns(10_000 * MS, 10_100 * MS), Some(490 * MS));
        tally.add(&op, &OwnShare::default());
        assert_eq!(tally.silences(100 * MS, &Pauses::default()).len(), 1);
    }

    #[test]
    fn slow_is_less_than_was_needed() {
        let mut tally = AnswerTally::new(0);
        (0..100).for_each(|n| add(&mut tally, n * 100, n * 100 + 100));
        // 10 MB/s were received.
        let then = |needed| tally.storage_then(0, 10_000 * MS, Some(needed), &Pauses::default());
        assert_eq!((then(25e6).behaviour, then(25e6).answered_share), (Behaviour::Slow, Some(0.4)));
        assert_eq!(then(10e6).behaviour, Behaviour::SingleSlowOps);
        assert_eq!(
            tally.storage_then(20_000 * MS, 30_000 * MS, None, &Pauses::default()),
            StorageThen::default()
        );
    }

    #[test]
    fn unanswered_operation_is_a_silence_until_abandoned() {
        let mut tally = AnswerTally::new(0);
        add(&mut tally, 0, 5);
        tally.unanswered(40 * MS, 30_040 * MS);
        let silences = tally.silences(100 * MS, &Pauses::default());
        assert_eq!(silences[0].length_ns, 30_000 * MS);
    }

    #[test]
    fn days_take_no_more_memory() {
        let mut tally = AnswerTally::new(0);
        (0..7 * 24 * 3600).for_each(|second| add(&mut tally, second * 1000, second * 1000 + 5));
        assert!(tally.bins.len() <= BINS_MAX);
        add(&mut tally, 604_800_000, 604_860_000);
        let silences = tally.silences(10_000 * MS, &Pauses::default());
        assert_eq!(silences.iter().map(|one| one.length_ns / MS).collect::<Vec<_>>(), [60_000]);
    }
}
