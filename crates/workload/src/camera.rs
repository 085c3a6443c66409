//! The camera of the VDA-like workload (its component VDA1): stores the data of a surveillance camera.
//!
//! On the wire: nine writes per second of the published sizes, sequentially through existing files.
//! About every twentieth write is made durable immediately (fsync). Writes go through the client's cache
//! (the definition has neither O_DIRECT nor O_SYNC), so a server receives them in pieces of wsize. Each
//! file is opened once and stays open.
//!
//! Open loop: transfer k is due at t0 + k ÷ rate. t0 is the beginning of the load point plus a seeded
//! part of one period, so that a thousand cameras do not write in step. A camera that is behind catches
//! up as fast as possible. Positions continue from one load point to the next. A write that does not fit
//! at a file's end goes to the beginning of the next file, so that the sizes keep their shares.
//!
//! Not here: the decision that a rate is too low (the analysis crate).

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::FramePlace;
use crate::media::Media;
use crate::pace::OpRate;
use crate::parts::{Hand, Process};
use crate::random::Dice;
use crate::script::{Done, Needs, Op, Script, Step};
use crate::streams::actor::{Actor, ActorFacts, ActorScript, Instance, InstanceNeeds, Outline};
use crate::streams::setting::settings;
use crate::streams::validation::{Check, Checked};
use crate::vda_table::{CAMERA_OPS_PER_S, MAX_LEN, VdaLoad, WRITE_SIZES, draw, mean_bytes};

pub(crate) const FACTS: ActorFacts = ActorFacts {
    is_offered: false,
    ..ActorFacts::of("camera", "records like a surveillance camera (VDA-like)")
};

/// Share of writes in the published benchmark that are made durable immediately: 5 %.
const COMMIT_SHARE_PPM: u32 = 50_000;

settings! {
    /// Cameras of a plan.
    pub struct CameraPlan {
        ..load: VdaLoad,
    }
}

impl Actor for CameraPlan {
    fn check(&self, check: &Check) -> Checked {
        self.load.check(check)
    }

    fn outline(&self, _media: Option<&Media>) -> Outline<'_> {
        Outline {
            streams: 1,
            ops_per_s: Some(self.load.rate(CAMERA_OPS_PER_S)),
            needs: InstanceNeeds::files(self.load.files, self.load.file_size),
            written_bytes_per_s: Some(self.load.rate(CAMERA_OPS_PER_S) * mean_bytes(WRITE_SIZES)),
            ..Outline::default()
        }
    }

    fn script(&self, instance: &Instance<'_>) -> Option<Box<dyn ActorScript>> {
        let shape = CameraShape {
            files: instance.files.prepared.clone(),
            file_bytes: self.load.file_size.bytes(),
            ops_per_s: self.load.rate(CAMERA_OPS_PER_S),
            commit_share_ppm: COMMIT_SHARE_PPM,
            seed: instance.seed,
            start_after_ns: instance.start_after_ns,
        };
        Some(Box::new(Camera::new(instance.first_stream, shape)))
    }
}

impl ActorScript for Camera {}

/// The files and the settings of a camera.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraShape {
    /// Its files, as indexes into the run's file table; at least one.
    pub files: Vec<u32>,
    /// The size of each.
    pub file_bytes: u64,
    /// Transfers per second; 9 by the definition.
    pub ops_per_s: f64,
    /// Share of writes that are made durable immediately, in parts per million; 50,000 by the
    /// definition.
    pub commit_share_ppm: u32,
    /// The seed of its random draws.
    pub seed: u64,
    /// Delay of its start after the start of the load point, in addition to its phase.
    pub start_after_ns: u64,
}

/// A camera as a script. See the module.
#[derive(Clone, Debug)]
pub struct Camera {
    stream: u32,
    shape: CameraShape,
    dice: Dice,
    phase_ns: u64,
    process: Process,
    is_open: Vec<bool>,
    /// Index into the files, and the position of the current write.
    current: usize,
    place: FramePlace,
}

impl Camera {
    /// A camera that has not started.
    pub fn new(first_stream: u32, shape: CameraShape) -> Camera {
        let rate = OpRate::new(shape.ops_per_s);
        let mut dice = Dice::new(shape.seed, first_stream);
        Camera {
            stream: first_stream,
            phase_ns: dice.below(rate.due_ns(1)),
            dice,
            process: Process::new(rate),
            is_open: vec![false; shape.files.len()],
            current: 0,
            place: FramePlace { file: shape.files.first().copied().unwrap_or(0), offset: 0, len: 0 },
            shape,
        }
    }

    fn longest(&self) -> u32 {
        u64::from(MAX_LEN).min(self.shape.file_bytes) as u32
    }

    /// Draws the next transfer.
    fn begin(&mut self) {
        let len = draw(&mut self.dice, WRITE_SIZES).min(self.longest());
        let commits = self.dice.below(1_000_000) < u64::from(self.shape.commit_share_ppm);
        let mut offset = self.place.offset + u64::from(self.place.len);
        if offset + u64::from(len) > self.shape.file_bytes {
            self.current = (self.current + 1) % self.shape.files.len();
            offset = 0;
        }
        self.place = FramePlace { file: self.shape.files[self.current], offset, len };
        self.process.begin(match (self.is_open[self.current], commits) {
            (true, false) => &[OpKind::Write],
            (true, true) => &[OpKind::Write, OpKind::Sync],
            (false, false) => &[OpKind::Open, OpKind::Write],
            (false, true) => &[OpKind::Open, OpKind::Write, OpKind::Sync],
        });
    }

    fn op(&self, kind: OpKind) -> Op {
        let hand = Hand::writing(self.stream, self.current as u16, false);
        let (number, due_ns) = (self.process.number(), self.process.due_ns());
        let op = match kind {
            OpKind::Write => hand.block(kind, self.place, number, due_ns),
            _ => hand.op(kind, self.place.file, number, due_ns),
        };
        Op { flags: OpFlags::WRITING.with(self.process.last()), ..op }
    }
}

impl Script for Camera {
    fn needs(&self) -> Needs {
        let handles = self.shape.files.len() as u16;
        Needs { handles, in_flight: 1, max_len: self.longest(), writes: true }
    }

    fn next(&mut self, _now_ns: u64) -> Step {
        if self.shape.files.is_empty() {
            return Step::Finished;
        }
        if self.process.is_in_flight {
            return Step::Blocked;
        }
        if self.process.kind().is_none() {
            self.begin();
        }
        let Some(kind) = self.process.kind() else { return Step::Finished };
        self.process.is_in_flight = true;
        Step::Do(self.op(kind))
    }

    fn done(&mut self, done: &Done) {
        if self.process.kind() == Some(OpKind::Open) {
            self.is_open[self.current] = done.errno == 0;
        }
        self.process.done(done);
    }

    fn resume(&mut self, now_ns: u64) {
        let t0_ns = now_ns.saturating_add(self.shape.start_after_ns).saturating_add(self.phase_ns);
        self.process.resume(t0_ns);
        self.is_open.fill(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_driver::{DoneOp, chi_square, chi_square_max, done_ops, run, takes};

    const S: u64 = 1_000_000_000;

    fn shape(file_bytes: u64) -> CameraShape {
        CameraShape {
            files: vec![10, 11, 12],
            file_bytes,
            ops_per_s: 9.0,
            commit_share_ppm: 50_000,
            seed: 1,
            start_after_ns: 0,
        }
    }

    fn ends(ops: &[DoneOp]) -> impl Iterator<Item = &DoneOp> {
        ops.iter().filter(|op| op.op.flags.has(OpFlags::LAST))
    }

    #[test]
    fn nine_transfers_a_second_each_at_its_time() {
        let ops = done_ops(&mut Camera::new(0, shape(1 << 30)), (0, 1000 * S), takes(0));
        let first_ns = ops[0].op.due_ns;
        assert!(first_ns < S / 9);
        assert_eq!(ends(&ops).count(), 9000);
        for (transfer, end) in (0_u64..).zip(ends(&ops)) {
            assert_eq!(end.op.due_ns, first_ns + transfer * S / 9);
            assert_eq!(u64::from(end.op.transfer), transfer);
        }
    }

    #[test]
    fn sizes_and_commits_have_the_published_shares() {
        let mut counts = vec![0; WRITE_SIZES.len()];
        let (mut writes, mut syncs, mut bytes) = (0_u64, 0_u64, 0_u64);
        run(&mut Camera::new(0, shape(1 << 30)), (0, 20_000 * S), takes(1000), |done| match done.op.kind {
            OpKind::Write => {
                writes += 1;
                bytes += u64::from(done.op.len);
                let known = WRITE_SIZES.iter().position(|&(_, size)| size == done.op.len);
                counts[known.unwrap_or(usize::MAX)] += 1;
            }
            OpKind::Sync => syncs += 1,
            _ => {}
        });
        assert_eq!(writes, 180_000);
        let shares: Vec<u32> = WRITE_SIZES.iter().map(|&(share, _)| share).collect();
        let distance = chi_square(&counts, &shares);
        assert!(distance < chi_square_max(6), "{distance} {counts:?}");
        // 5 %, within five standard deviations.
        assert!(syncs.abs_diff(9000) < 5 * 92, "{syncs}");
        // 9 × 468.8 KiB = 4.12 MiB each second.
        let mib_per_s = bytes as f64 / 20_000.0 / f64::from(1 << 20);
        assert!((mib_per_s - 4.120_3).abs() < 0.02, "{mib_per_s}");
    }

    #[test]
    fn writes_go_through_the_files_one_after_the_other() {
        let ops = done_ops(&mut Camera::new(0, shape(5 << 20)), (0, 100 * S), takes(1000));
        let writes: Vec<&Op> = ops.iter().map(|op| &op.op).filter(|op| op.kind == OpKind::Write).collect();
        assert_eq!((writes[0].file, writes[0].offset), (10, 0));
        let mut turns = 0;
        for pair in writes.windows(2) {
            let end = pair[0].offset + u64::from(pair[0].len);
            if pair[1].offset == 0 {
                turns += 1;
                assert_eq!(pair[1].file, 10 + (pair[0].file - 9) % 3);
                assert!(end + u64::from(pair[1].len) > 5 << 20);
            } else {
                assert_eq!((pair[1].file, pair[1].offset), (pair[0].file, end));
            }
            assert!(pair[1].offset + u64::from(pair[1].len) <= 5 << 20);
        }
        assert!(turns > 50, "{turns}");
        // Each file is opened once, regardless of the number of passes.
        assert_eq!(ops.iter().filter(|op| op.op.kind == OpKind::Open).count(), 3);
    }

    #[test]
    fn a_stall_is_caught_up_with_and_moves_no_due_time() {
        let mut camera = Camera::new(0, shape(1 << 30));
        let ops = done_ops(&mut camera, (0, 100 * S), |_, now_ns| {
            let freezes = (30 * S..50 * S).contains(&now_ns);
            (if freezes { 50 * S } else { now_ns + S / 1000 }, 0)
        });
        assert_eq!(ends(&ops).count(), 900);
        let first_ns = ops[0].op.due_ns;
        let mut transfers = ops.chunk_by(|one, other| one.op.transfer == other.op.transfer);
        assert!(
            (0_u64..)
                .zip(&mut transfers)
                .all(|(transfer, ops)| { ops[0].op.due_ns == first_ns + transfer * S / 9 })
        );
        // 180 are late by then. The last of them waits for those before it; then the camera has caught
        // up.
        let late = ops.iter().filter(|op| op.issued_ns > op.op.due_ns).count();
        assert!((180..200).contains(&late), "{late}");
        assert!(ops.iter().all(|op| op.done_ns < 51 * S || op.issued_ns == op.op.due_ns));
    }

    #[test]
    fn a_failed_open_or_write_ends_its_transfer_and_the_file_is_tried_again() {
        let mut camera = Camera::new(0, shape(1 << 30));
        let mut opens = 0;
        let ops = done_ops(&mut camera, (0, 20 * S), |op, now_ns| {
            opens += u32::from(op.kind == OpKind::Open);
            let fails = opens <= 3 || op.kind == OpKind::Write && op.transfer == 8;
            (now_ns + 1000, if fails { 5 } else { 0 })
        });
        let kinds = |transfer| ops.iter().filter(move |op| op.op.transfer == transfer).map(|op| op.op.kind);
        for transfer in 0..3 {
            assert!(kinds(transfer).eq([OpKind::Open]));
        }
        assert!(kinds(3).take(2).eq([OpKind::Open, OpKind::Write]));
        assert!(kinds(8).eq([OpKind::Write]));
    }

    #[test]
    fn load_points_continue_after_the_previous_one() {
        let mut camera = Camera::new(0, shape(1 << 30));
        let before = done_ops(&mut camera, (0, 10 * S), takes(1000));
        let after = done_ops(&mut camera, (70 * S, 80 * S), takes(1000));
        assert_eq!(after[0].op.due_ns, 70 * S + before[0].op.due_ns);
        assert_eq!((after[0].op.kind, after[0].op.transfer), (OpKind::Open, 0));
        let places = |ops: &[DoneOp]| -> Vec<u64> {
            ops.iter().filter(|op| op.op.kind == OpKind::Write).map(|op| op.op.offset).collect()
        };
        assert!(places(&after)[0] > places(&before)[80]);
        // Each worker has its own phase.
        let phase =
            |worker| done_ops(&mut Camera::new(worker, shape(1 << 30)), (0, S), takes(1))[0].op.due_ns;
        assert!((1..20).all(|worker| phase(worker) != phase(0)));
    }
}
