//! Combines the late runs of all streams of a load point: those that overlap in time, or nearly, have
//! one cause.

use std::collections::BTreeMap;

use super::answers::AnswerTally;
use super::{Behaviour, INCIDENTS_KEPT, Incident, MachineThen, STREAMS_NAMED, StorageThen};
use crate::culprit::{Evidence, decide};
use crate::figures::{seconds, us};
use crate::late::ClosedRun;
use crate::pause::Pauses;

/// Late runs with at most this distance belong together: a stream that catches up is late again for a
/// while.
pub const APART_NS: u64 = 1_000_000_000;

/// Groups that are kept apart while a load point runs, at most. With more, the storage cannot keep up,
/// and it is one long incident.
const OPEN_MAX: usize = 4096;

/// Late runs that belong together, so far.
#[derive(Clone, Debug)]
struct Group {
    from_ns: u64,
    until_ns: u64,
    /// Late frames that Reelgauge or the limit on bytes per second caused, with an entry for every stream.
    own_frames: BTreeMap<u32, u64>,
    /// Those that the limit caused.
    rate_limited_frames: u64,
    late_frames: u64,
    dropped_frames: u64,
    failed_frames: u64,
    worst_late_ns: Option<u64>,
}

impl Group {
    fn new(stream: u32, run: &ClosedRun) -> Group {
        Group {
            from_ns: run.began_ns,
            until_ns: run.ended_ns.max(run.began_ns),
            own_frames: BTreeMap::from([(stream, run.own_frames)]),
            rate_limited_frames: run.rate_limited_frames,
            late_frames: run.frames,
            dropped_frames: run.dropped_frames,
            failed_frames: run.failed_frames,
            worst_late_ns: run.worst_late_ns,
        }
    }

    fn absorb(&mut self, other: Group) {
        self.from_ns = self.from_ns.min(other.from_ns);
        self.until_ns = self.until_ns.max(other.until_ns);
        self.late_frames += other.late_frames;
        self.dropped_frames += other.dropped_frames;
        self.failed_frames += other.failed_frames;
        self.rate_limited_frames += other.rate_limited_frames;
        for (stream, frames) in other.own_frames {
            *self.own_frames.entry(stream).or_default() += frames;
        }
        self.worst_late_ns = self.worst_late_ns.max(other.worst_late_ns);
    }

    fn is_near(&self, other: &Group) -> bool {
        // A time at the end of the clock's range cannot be exceeded.
        self.from_ns <= other.until_ns.saturating_add(APART_NS)
            && other.from_ns <= self.until_ns.saturating_add(APART_NS)
    }
}

/// Takes late runs as they end, in any order.
#[derive(Clone, Debug, Default)]
pub struct IncidentTally {
    /// In order of time; no two are near each other.
    groups: Vec<Group>,
}

impl IncidentTally {
    /// Takes a run of late frames of a stream that has ended.
    pub(crate) fn take(&mut self, stream: u32, run: &ClosedRun) {
        let mut group = Group::new(stream, run);
        let first =
            self.groups.partition_point(|known| !known.is_near(&group) && known.from_ns < group.from_ns);
        // A group that grows may come near to the next ones.
        while self.groups.get(first).is_some_and(|known| known.is_near(&group)) {
            group.absorb(self.groups.remove(first));
        }
        self.groups.insert(first, group);
        if self.groups.len() > OPEN_MAX
            && let Some(last) = self.groups.pop()
            && let Some(before) = self.groups.last_mut()
        {
            before.absorb(last);
        }
    }

    /// The number of incidents so far.
    pub fn count(&self) -> u64 {
        self.groups.len() as u64
    }

    /// Removes frames from Reelgauge's account: if the storage was busy all the time and delivered less
    /// than needed, they would have been late without Reelgauge's delay too. Returns how many frames of
    /// which stream. To be called after all late runs were taken.
    pub(crate) fn acquit_tool(
        &mut self,
        answers: &AnswerTally,
        pauses: &Pauses,
        needed_bytes_per_s: f64,
    ) -> Vec<(u32, u64)> {
        let has_own = |group: &&mut Group| group.own_frames.values().any(|frames| *frames > 0);
        let mut acquitted = Vec::new();
        for group in self.groups.iter_mut().filter(has_own) {
            if answers.is_overloaded(group.from_ns, group.until_ns, needed_bytes_per_s, pauses) {
                let frames = group.own_frames.iter_mut();
                acquitted.extend(frames.map(|(stream, frames)| (*stream, std::mem::take(frames))));
            }
        }
        acquitted
    }

    /// Removes all late frames of these streams from Reelgauge's account, and returns how many of which
    /// stream.
    pub(crate) fn acquit_tool_of(&mut self, streams: &[u32]) -> Vec<(u32, u64)> {
        let frames = self.groups.iter_mut().flat_map(|group| &mut group.own_frames);
        let own = frames.filter(|(stream, frames)| **frames > 0 && streams.contains(stream));
        own.map(|(stream, frames)| (*stream, std::mem::take(frames))).collect()
    }

    /// The incidents of a load point that began at `point_started_ns`, the first [`INCIDENTS_KEPT`] of
    /// them, from the operations alone. [`Incident::explain`] adds what the counters show.
    pub fn finish(
        &self,
        answers: &AnswerTally,
        pauses: &Pauses,
        needed_bytes_per_s: Option<f64>,
        point_started_ns: u64,
    ) -> Vec<Incident> {
        let incident = |group: &Group| {
            let own_frames = group.own_frames.values().sum();
            // Frames that were removed from Reelgauge's account were removed from that of the limit, too.
            let rate_limited_frames = group.rate_limited_frames.min(own_frames);
            let storage = answers.storage_then(group.from_ns, group.until_ns, needed_bytes_per_s, pauses);
            let began_s = began_s(group, &storage);
            let mut incident = Incident {
                began_s,
                began_in_point_s: began_s - seconds(point_started_ns),
                ended_s: seconds(group.until_ns),
                stream_count: group.own_frames.len() as u64,
                streams: group.own_frames.keys().copied().take(STREAMS_NAMED).collect(),
                late_frames: group.late_frames,
                dropped_frames: group.dropped_frames,
                failed_frames: group.failed_frames,
                late_frames_with_own_delay: own_frames - rate_limited_frames,
                late_frames_rate_limited: rate_limited_frames,
                worst_late_us: group.worst_late_ns.map(us),
                storage,
                ..Incident::default()
            };
            incident.explain(own(group, answers, pauses));
            incident
        };
        self.groups.iter().take(INCIDENTS_KEPT).map(incident).collect()
    }
}

/// When an incident began. If it started with a silence, that is the time of the last answer, which is
/// more precise than the request of the first late frame. A silence long after the first late frame is
/// not its start.
fn began_s(group: &Group, storage: &StorageThen) -> f64 {
    let is_silent = storage.behaviour == Behaviour::NoAnswer;
    // A time at the end of the clock's range cannot be exceeded.
    let soon_s = seconds(group.from_ns.saturating_add(APART_NS));
    let silent_from_s = storage.no_answer_began_s.filter(|began_s| is_silent && *began_s <= soon_s);
    silent_from_s.unwrap_or_else(|| seconds(group.from_ns))
}

/// What Reelgauge itself knows about the local host at that time.
fn own(group: &Group, answers: &AnswerTally, pauses: &Pauses) -> MachineThen {
    let (from_ns, until_ns) = (group.from_ns, group.until_ns);
    MachineThen {
        own_delay_max_us: answers.own_delay_max_ns(from_ns, until_ns).map(us),
        processor_wait_max_us: answers.processor_wait_max_ns(from_ns, until_ns).map(us),
        paused_s: Some(seconds(pauses.total_ns(from_ns, until_ns))),
        longest_pause_s: Some(seconds(pauses.longest_ns(from_ns, until_ns))),
        ..MachineThen::default()
    }
}

impl Incident {
    /// Adds the state of the local host, and decides the culprit again.
    pub fn explain(&mut self, machine: MachineThen) {
        // Until now the state of the host was unknown.
        let known = self.machine.take().unwrap_or_default();
        let machine = known.or(machine);
        self.culprit = decide(&Evidence {
            harmed: self.late_frames,
            saved_without_own_delay: self.late_frames_with_own_delay,
            saved_without_rate_limit: self.late_frames_rate_limited,
            storage_busy_share: self.storage.busy_share,
            machine: Some(&machine),
        });
        self.machine = Some(machine);
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::ProcessorWait;
    use reelgauge_record::test_records::read;

    use super::super::answers::OwnShare;
    use super::*;
    use crate::culprit::Culprit;
    use crate::pause::Pause;

    const MS: u64 = 1_000_000;

    fn run(began_ms: u64, ended_ms: u64, frames: u64) -> ClosedRun {
        ClosedRun {
            began_ns: began_ms * MS,
            ended_ns: ended_ms * MS,
            frames,
            dropped_frames: 0,
            failed_frames: 0,
            worst_late_ns: Some(5 * MS),
            ..ClosedRun::default()
        }
    }

    fn answers(frozen_from_ms: u64, length_ms: u64) -> AnswerTally {
        let mut answers = AnswerTally::new(0);
        for at_ms in (0..20_000).step_by(40) {
            let frozen = (frozen_from_ms..frozen_from_ms + length_ms).contains(&at_ms);
            let done_ms = if frozen { frozen_from_ms + length_ms } else { at_ms + 5 };
            let issued_ms = if frozen { frozen_from_ms } else { at_ms };
            let op = read(0, 0, 1000).at_ms(issued_ms).done_at_ms(done_ms);
            answers.add(&op, &OwnShare::default());
        }
        answers
    }

    #[test]
    fn one_stall_of_three_streams_is_one_incident() {
        let mut tally = IncidentTally::default();
        tally.take(2, &run(7_920, 9_600, 19));
        tally.take(0, &run(7_900, 9_640, 19));
        tally.take(1, &run(15_000, 15_010, 1));
        tally.take(1, &run(7_910, 9_600, 19));
        assert_eq!(tally.count(), 2);
        let found = tally.finish(&answers(7_905, 1_600), &Pauses::default(), Some(25_000.0), 0);
        assert_eq!(
            (found[0].late_frames, found[0].stream_count, found[0].streams.clone()),
            (57, 3, vec![0, 1, 2])
        );
        assert_eq!((found[0].storage.behaviour, found[0].culprit), (Behaviour::NoAnswer, Culprit::Storage));
        assert_eq!((found[0].began_s, found[0].ended_s), (7.905, 9.64));
        assert_eq!((found[1].late_frames, found[1].began_s), (1, 15.0));
    }

    /// Otherwise frames would be late before the incident that they belong to.
    #[test]
    fn final_silence_is_not_the_start_of_a_long_incident() {
        let mut tally = IncidentTally::default();
        (0..7).for_each(|n| tally.take(0, &run(1_000 + n * 1_000, 1_500 + n * 1_000, 5)));
        tally.take(0, &run(7_900, 9_600, 19));
        let found = tally.finish(&answers(7_905, 1_600), &Pauses::default(), Some(25_000.0), 0);
        assert_eq!((found.len(), found[0].late_frames), (1, 54));
        assert_eq!((found[0].began_s, found[0].ended_s), (1.0, 9.6));
        assert_eq!(found[0].storage.no_answer_began_s, Some(7.905));
    }

    #[test]
    fn a_run_between_two_joins_them() {
        let mut tally = IncidentTally::default();
        tally.take(0, &run(0, 100, 1));
        tally.take(0, &run(2_000, 2_100, 1));
        assert_eq!(tally.count(), 2);
        tally.take(1, &run(1_000, 1_100, 1));
        assert_eq!(tally.count(), 1);
    }

    #[test]
    fn incident_caused_by_reelgauge_is_attributed_to_it() {
        let mut tally = IncidentTally::default();
        tally.take(0, &ClosedRun { own_frames: 19, ..run(7_900, 9_600, 19) });
        let mut pauses = Pauses::default();
        pauses.push(Pause { from_ns: 7_910 * MS, until_ns: 9_505 * MS });
        let found = tally.finish(&answers(7_905, 1_600), &pauses, None, 0);
        assert_eq!(found[0].culprit, Culprit::Tool);
        assert_eq!(found[0].machine.as_ref().and_then(|machine| machine.longest_pause_s), Some(1.595));
    }

    #[test]
    fn storage_slow_under_constant_demand_is_not_cleared() {
        let runs = |tally: &mut IncidentTally| {
            tally.take(0, &ClosedRun { own_frames: 19, ..run(7_900, 9_600, 19) });
            tally.take(3, &ClosedRun { own_frames: 4, ..run(7_900, 9_600, 9) });
        };
        let mut tally = IncidentTally::default();
        runs(&mut tally);
        // 25 kB/s are received in operations of 5 ms, with long gaps between them.
        let none = Pauses::default();
        assert_eq!(tally.acquit_tool(&answers(30_000, 0), &none, 30_000.0), []);
        // Two workers, each with one operation of 40 ms after the other, that sometimes wait for a
        // processor.
        let mut full = AnswerTally::new(0);
        for at_ms in (0..20_000).step_by(40) {
            let op = read(0, 0, 500).at_ms(at_ms).took_ms(40);
            let wait = ProcessorWait { in_flight_ns: 15 * MS, ..ProcessorWait::default() };
            full.add(&op, &OwnShare { booked_ns: 15 * MS, delay_ns: 15 * MS, wait });
            full.add(&op.by_worker(1), &OwnShare::default());
        }
        // The storage delivered more than needed, so the waits matter.
        assert_eq!(tally.acquit_tool(&full, &none, 24_000.0), []);
        assert_eq!(tally.acquit_tool(&full, &none, 50_000.0), [(0, 19), (3, 4)]);
        let found = tally.finish(&full, &none, Some(50_000.0), 0);
        assert_eq!((found[0].late_frames_with_own_delay, found[0].culprit), (0, Culprit::Storage));
        assert_eq!(found[0].storage.busy_share, Some(1.0));
    }

    #[test]
    fn any_order_gives_the_same() {
        let runs = [(0, 100), (450, 500), (5_000, 5_300), (1_200, 1_300), (900, 1_000), (4_000, 6_000)];
        let found = |order: &[usize]| {
            let mut tally = IncidentTally::default();
            order.iter().for_each(|&at| tally.take(at as u32, &run(runs[at].0, runs[at].1, 1)));
            tally.finish(&answers(30_000, 0), &Pauses::default(), None, 0)
        };
        let one = found(&[0, 1, 2, 3, 4, 5]);
        assert_eq!(one.len(), 2);
        assert_eq!(one, found(&[5, 4, 3, 2, 1, 0]));
        assert_eq!(one, found(&[3, 0, 5, 1, 4, 2]));
    }

    #[test]
    fn endless_trouble_is_bounded() {
        let mut tally = IncidentTally::default();
        (0..10_000).for_each(|n| tally.take(0, &run(n * 2_000, n * 2_000 + 10, 1)));
        assert_eq!(tally.count(), OPEN_MAX as u64);
        let found = tally.finish(&answers(0, 0), &Pauses::default(), None, 0);
        assert_eq!(found.len(), INCIDENTS_KEPT);
        assert_eq!(tally.groups.iter().map(|group| group.late_frames).sum::<u64>(), 10_000);
    }
}
