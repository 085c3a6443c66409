//! Random streams compared with a simple recomputation that keeps everything, compares fractions and
//! checks every operation for every frame.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::incident::StorageThen;

/// The results that both must find.
#[derive(Debug, Default, PartialEq)]
struct Found {
    judged: u64,
    late: u64,
    dropped: u64,
    failed: u64,
    unfinished: u64,
    with_own_delay: u64,
    /// (frame, whole nanoseconds)
    worst_came: Option<(u64, i128)>,
    first_late: Option<u64>,
    runs: Vec<(u64, u64)>,
    responses: u64,
}

#[derive(Clone, Debug)]
struct RandomFrame {
    skipped: bool,
    /// Whether playback restarts here.
    cue: bool,
    jitter_ms: u64,
    /// (issue delay in ms, service in ms, outcome)
    parts: Vec<(u64, u64, u8)>,
    /// Opening or making its file, and closing it, where it has one.
    around: ((u64, u8), (u64, u8)),
}

/// How frames are stored in files.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    Movie,
    /// Opened, read, and closed after the frame is complete.
    ReadFiles,
    /// Created, written, and complete when closed.
    WrittenFiles,
}

#[derive(Clone, Debug)]
struct Scene {
    rate: (u32, u32),
    prebuffer_ms: u64,
    from_ms: u64,
    length_ms: u64,
    knows_bytes: bool,
    layout: Layout,
    /// Whether the user scrubs when the load point ends.
    ends_scrubbing: bool,
    frames: Vec<RandomFrame>,
}

fn frames() -> impl Strategy<Value = Vec<RandomFrame>> {
    let part = (prop_oneof![4 => Just(0_u64), 1 => 0_u64..80], 1_u64..120, 0_u8..40);
    let (skipped, cue) = (prop::bool::weighted(0.25), prop::bool::weighted(0.15));
    let around = ((1_u64..30, 0_u8..20), (1_u64..30, 0_u8..20));
    let one = (skipped, cue, 0_u64..30, prop::collection::vec(part, 1..4), around);
    let one = one.prop_map(|(skipped, cue, jitter_ms, parts, around)| RandomFrame {
        skipped,
        cue,
        jitter_ms,
        parts,
        around,
    });
    prop::collection::vec(one, 0..20)
}

fn scenes() -> impl Strategy<Value = Scene> {
    let rates = prop_oneof![Just((25, 1)), Just((24_000, 1001)), Just((60_000, 1001)), Just((50, 1))];
    let times = (0_u64..200, 0_u64..300, 0_u64..900);
    let layouts = prop_oneof![Just(Layout::Movie), Just(Layout::ReadFiles), Just(Layout::WrittenFiles)];
    let fields = (rates, times, any::<bool>(), layouts, any::<bool>(), frames());
    fields.prop_map(|(rate, times, knows_bytes, layout, ends_scrubbing, frames)| Scene {
        rate,
        prebuffer_ms: times.0,
        from_ms: times.1,
        length_ms: times.2,
        knows_bytes,
        layout,
        ends_scrubbing,
        frames,
    })
}

impl Scene {
    fn spec(&self) -> StreamSpec {
        // Every frame of the scene has at most three parts of 100 bytes. By bytes, only frames of three
        // parts are known to be complete.
        let frame_bytes = self.knows_bytes.then_some(300);
        let spec = player(0).at_rate(self.rate.0, self.rate.1).with_buffer_ns(self.prebuffer_ms * MS);
        StreamSpec { frame_bytes, ..spec }
    }

    fn part(&self) -> MeasuredPart {
        part(self.from_ms * MS, (self.from_ms + self.length_ms) * MS)
    }

    /// Operations in the order of completion.
    fn ops(&self) -> Vec<OpRecord> {
        let open = op(OpKind::Open).at_ns(T0_NS).done_at_ns(6);
        let mut ops = vec![open];
        for (number, random) in self.frames.iter().enumerate().filter(|(_, random)| !random.skipped) {
            ops.extend(self.ops_of(number as u32, random));
        }
        let last_due_ns = ops.iter().skip(1).map(|op| op.due_ns).max().unwrap_or(0);
        // A user who scrubs and then continues playback has not stopped.
        ops.push(scrub(last_due_ns, 1));
        ops.extend(self.ends_scrubbing.then(|| scrub(last_due_ns + 1, 1)));
        ops.sort_by_key(|op| op.done_ns);
        ops
    }

    /// The operations that have completed at this time.
    fn ops_until(&self, now_ns: u64) -> Vec<OpRecord> {
        self.ops().into_iter().filter(|op| op.done_ns <= now_ns).collect()
    }

    /// The stream with its planned start.
    fn expected(&self) -> StreamSpec {
        self.spec().begins_after_ns(T0_NS)
    }

    /// Late frames as the live view shows them.
    fn late_at(&self, now_ns: u64) -> u64 {
        let mut tally = LateTally::new(vec![self.expected()], self.part());
        self.ops_until(now_ns).iter().for_each(|op| tally.add(op));
        tally.at(now_ns).late_frames
    }

    /// The operations of one frame. Without known bytes, the one with LAST completes last.
    fn ops_of(&self, number: u32, random: &RandomFrame) -> Vec<OpRecord> {
        let due_ns = u64::from(number) * 40 * MS + random.jitter_ms * MS;
        let mut parts: Vec<OpRecord> = Vec::new();
        for &(delay_ms, service_ms, outcome) in &random.parts {
            let issued_ns = due_ns + delay_ms * MS;
            let done_ns = issued_ns + service_ms * MS;
            let (errno, done_len) = if outcome == 0 { (5, 0) } else { (0, 100) };
            let flags = OpFlags::FRAME;
            parts.push(OpRecord { issued_ns, errno, done_len, flags, ..frame(number, due_ns, done_ns) });
        }
        if !self.knows_bytes {
            parts.sort_by_key(|op| op.done_ns);
        }
        if self.layout != Layout::Movie {
            self.put_into_file(&mut parts, random);
        }
        parts[0].flags = parts[0].flags.with_if(OpFlags::CUE, random.cue);
        // One in twenty frames never completes its LAST.
        let keeps_last = random.parts[0].2 % 20 != 7;
        let of_frame = parts.iter_mut().rfind(|op| op.flags.has(OpFlags::FRAME));
        if let Some(last) = of_frame.filter(|_| keeps_last) {
            last.flags = last.flags.with(OpFlags::LAST);
        }
        parts
    }

    /// Puts a frame's reads or writes between opening and closing its file.
    fn put_into_file(&self, parts: &mut Vec<OpRecord>, random: &RandomFrame) {
        let ((open_ms, open_outcome), (close_ms, close_outcome)) = random.around;
        let opened_ns = parts.iter().map(|op| op.issued_ns).min().unwrap();
        for part in parts.iter_mut() {
            part.issued_ns += open_ms * MS;
            part.done_ns += open_ms * MS;
        }
        let data_until_ns = parts.iter().map(|op| op.done_ns).max().unwrap();
        let reads = self.layout == Layout::ReadFiles;
        let (before, after) =
            if reads { (OpKind::Open, OpFlags::NONE) } else { (OpKind::Create, OpFlags::FRAME) };
        let op_of_file = |kind, issued_ns: u64, length_ms: u64, outcome| OpRecord {
            kind,
            issued_ns,
            done_ns: issued_ns + length_ms * MS,
            errno: if outcome == 0 { 5 } else { 0 },
            len: 0,
            done_len: 0,
            flags: OpFlags::FRAME,
            ..parts[0]
        };
        let open = op_of_file(before, opened_ns, open_ms, open_outcome);
        let close = op_of_file(OpKind::Close, data_until_ns, close_ms, close_outcome);
        parts.insert(0, open);
        parts.push(OpRecord { flags: after, ..close });
    }

    /// Whether the storage was busy all the time and delivered too little, so that the delays of
    /// Reelgauge do not matter.
    fn has_overload(&self) -> bool {
        let mut tally = LateTally::new(vec![self.spec()], self.part());
        self.ops().iter().for_each(|op| tally.add(op));
        let figures = tally.finish(self.part().until_ns);
        let shares = |then: StorageThen| then.busy_share.zip(then.answered_share);
        let mut shares = figures.incidents.iter().filter_map(|incident| shares(incident.storage));
        shares.any(|(busy, given)| busy >= 0.8 && given < 0.97 || busy >= 0.95 && given < 1.02)
    }

    fn found(&self) -> Found {
        let figures = figures(&self.spec(), self.part(), &self.ops());
        let worst = figures.worst_margin.filter(|worst| worst.has_come);
        let runs = figures.first_late_runs.iter().map(|run| (run.first_frame, run.frames)).collect();
        Found {
            judged: figures.frames_judged,
            late: figures.late_frames,
            dropped: figures.dropped_frames,
            failed: figures.failed_frames,
            unfinished: figures.unfinished_frames,
            with_own_delay: figures.late_frames_with_own_delay,
            worst_came: worst.map(|worst| (worst.frame, (worst.margin_us * 1e3).round() as i128)),
            first_late: figures.first_late.map(|first| first.frame),
            runs,
            responses: figures.response.map_or(0, |response| response.count),
        }
    }
}

/// When the last of the operations with these flags was due.
fn latest_due(ops: &[OpRecord], flags: OpFlags) -> Option<u64> {
    ops.iter().filter(|op| op.flags.has(flags)).map(|op| op.due_ns).max()
}

/// All data of a scene, recomputed as often as needed.
struct Plain<'a> {
    scene: &'a Scene,
    ops: Vec<OpRecord>,
    /// (completed, free) of every operation without delays of Reelgauge.
    own: Vec<(u64, u64)>,
    by_frame: BTreeMap<u64, Vec<usize>>,
    /// When frame 0 is needed, in ns × frames per `rate.1` seconds: then all deadlines are whole numbers.
    start: i128,
    /// Frames with a deadline from this time on are not judged.
    until_ns: u64,
    /// Whether playback has stopped.
    has_stopped: bool,
}

/// When the first operation of every scene is due.
const T0_NS: u64 = 0;

impl Plain<'_> {
    fn of(scene: &Scene) -> Plain<'_> {
        Plain::at(scene, u64::MAX)
    }

    /// For the operations that completed by `now_ns`, when the load point ends.
    fn at(scene: &Scene, now_ns: u64) -> Plain<'_> {
        let ops = scene.ops_until(now_ns);
        let mut by_frame: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (index, op) in ops.iter().enumerate().filter(|(_, op)| op.flags.has(OpFlags::FRAME)) {
            by_frame.entry(u64::from(op.transfer)).or_default().push(index);
        }
        Plain {
            scene,
            own: Plain::without_delays(&ops),
            start: i128::from(T0_NS + scene.prebuffer_ms * MS) * i128::from(scene.rate.0),
            until_ns: scene.part().until_ns.min(now_ns),
            has_stopped: latest_due(&ops, OpFlags::RANDOM) > latest_due(&ops, OpFlags::FRAME),
            ops,
            by_frame,
        }
    }

    fn without_delays(ops: &[OpRecord]) -> Vec<(u64, u64)> {
        let mut own: Vec<(u64, u64)> = Vec::new();
        for (index, op) in ops.iter().enumerate() {
            let freed = (0..index).rev().find(|&before| ops[before].done_ns <= op.issued_ns);
            let free_ns = freed.map_or(0, |before| own[before].0);
            let freed_ns = freed.map_or(0, |before| ops[before].done_ns);
            // A step that was due at the end of the one before it moves with that.
            let due_ns = if op.due_ns == freed_ns { free_ns } else { op.due_ns };
            let issued_ns = op.issued_ns.min(due_ns.max(free_ns));
            own.push((issued_ns + (op.done_ns - op.issued_ns), free_ns));
        }
        own
    }

    fn deadline(&self, number: u64) -> i128 {
        self.start + i128::from(number) * i128::from(self.scene.rate.1) * i128::from(S)
    }

    /// Whether a time is no later than a frame's deadline.
    fn is_in_time(&self, time_ns: u64, number: u64) -> bool {
        i128::from(time_ns) * i128::from(self.scene.rate.0) <= self.deadline(number)
    }

    /// A deadline is rounded down to the nanosecond.
    fn deadline_ns(&self, number: u64) -> i128 {
        self.deadline(number).div_euclid(i128::from(self.scene.rate.0))
    }

    fn found(&self) -> Found {
        let measured = i128::from(self.scene.part().from_ns)..i128::from(self.until_ns);
        let mut found = Found::default();
        let judged = |number: &u64| measured.contains(&self.deadline_ns(*number)) && self.was_wanted(*number);
        for number in (0..200).filter(judged) {
            found.judged += 1;
            self.judge(number, &mut found);
        }
        found
    }

    /// Whether a frame was begun, or should have been.
    fn was_wanted(&self, number: u64) -> bool {
        match self.by_frame.range(number..).next() {
            Some((&begun, _)) if begun == number => true,
            Some((_, parts)) => !parts.iter().any(|&at| self.ops[at].flags.has(OpFlags::CUE)),
            // Without any frame, the habits of a player are unknown.
            None => !self.has_stopped || self.by_frame.is_empty(),
        }
    }

    fn judge(&self, number: u64, found: &mut Found) {
        let parts = self.by_frame.get(&number).map_or(&[][..], |parts| parts);
        let bytes: u32 = parts.iter().map(|&at| self.ops[at].done_len).sum();
        let all_fine = parts.iter().all(|&at| self.ops[at].errno == 0);
        let fine_last = |op: &OpRecord| op.flags.has(OpFlags::LAST) && op.errno == 0;
        let has_last = parts.iter().any(|&at| fine_last(&self.ops[at]));
        let closed = parts.iter().all(|&at| self.ops[at].kind != OpKind::Close || self.ops[at].errno == 0);
        let all_came = if self.scene.knows_bytes { bytes >= 300 && closed } else { all_fine };
        let complete = has_last && all_came;
        let done_ns = parts.iter().map(|&at| self.ops[at].done_ns).max().unwrap_or(0);
        if complete {
            found.responses += 1;
            let margin = self.deadline_ns(number) - i128::from(done_ns);
            if found.worst_came.is_none_or(|(_, worst)| margin < worst) {
                found.worst_came = Some((number, margin));
            }
            if self.is_in_time(done_ns, number) {
                return;
            }
        }
        found.late += 1;
        found.first_late.get_or_insert(number);
        match found.runs.last_mut() {
            Some((first, frames)) if *first + *frames == number => *frames += 1,
            _ => found.runs.push((number, 1)),
        }
        if complete {
            let own_done_ns = parts.iter().map(|&at| self.own[at].0).max().unwrap();
            found.with_own_delay += u64::from(self.is_in_time(own_done_ns, number));
        } else if parts.is_empty() {
            found.dropped += 1;
            let next = self.by_frame.range(number..).next();
            let last_ns = || self.own.iter().map(|own| own.0).max();
            let free_ns = match next {
                Some((_, parts)) => parts.iter().map(|&at| self.own[at].1).min(),
                None => last_ns(),
            };
            found.with_own_delay +=
                u64::from(free_ns.is_some_and(|free_ns| self.is_in_time(free_ns, number)));
        } else if all_fine {
            found.unfinished += 1;
        } else {
            found.failed += 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn incremental_count_equals_the_full_count(scene in scenes()) {
        let (found, recomputed) = (scene.found(), Plain::of(&scene).found());
        // If a frame that never arrived is worse than all that did, the figures show that one.
        let worst_came = recomputed.worst_came.filter(|_| found.worst_came.is_some());
        let with_own_delay = match scene.has_overload() {
            true => recomputed.with_own_delay.min(found.with_own_delay),
            false => recomputed.with_own_delay,
        };
        let comparable = Found { worst_came, with_own_delay, ..recomputed };
        prop_assert_eq!(found, comparable);
    }

    /// At any time the live count is what the report would show if the load point ended then.
    #[test]
    fn the_live_count_is_the_reports_at_any_time(
        scene in scenes(),
        frame in 0_u64..40,
        around_ns in prop_oneof![Just(0), Just(1), 0..40 * MS],
    ) {
        // The count changes at deadlines.
        let now_ns = scene.spec().timeline(T0_NS).deadline_ns(frame) + around_ns;
        prop_assert_eq!(scene.late_at(now_ns), Plain::at(&scene, now_ns).found().late);
        // In the end it is the report's.
        prop_assert_eq!(scene.late_at(u64::MAX), scene.found().late);
    }
}
