//! An editor with several cameras in sync (multicam): it plays a piece, cuts or scrubs, and plays on.
//!
//! On the wire: like one player per camera, all on one timeline and at the same position of their clips,
//! each with one operation at a time. Each piece ends in one of two ways, equally likely:
//! * a cut: the position in the clips jumps, and the timeline continues without a gap. The read-ahead
//!   crosses the cut, so a server sees a jump in every file and no pause.
//! * a scrub: the editor plays until the piece's last frame is shown. Then it reads single frames at
//!   random positions of one camera, one after the other as fast as possible. Then playback restarts at
//!   another position: all buffers are empty and are filled at once.
//!
//! Frames on the timeline have deadlines like a player's. Frames read while scrubbing have none; their
//! response times are recorded. The first frame of each camera after a scrub has the flag
//! [`OpFlags::CUE`]; its number is the timeline's at that time, rounded up to a whole frame.
//!
//! The editor knows the end of a piece in advance, like an out point: nothing is read ahead beyond a
//! scrub. A piece's last frame before a scrub is never skipped, because it stays on the screen.
//!
//! Not here: decoding from the previous key frame after a jump. Clips are intra-frame material.

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::Clip;
use crate::media::Media;
use crate::pace::Pace;
use crate::parts::{FrameRead, Hand, PAUSE_AFTER_ERROR_NS};
use crate::random::Dice;
use crate::script::{Done, Needs, Script, Step};
use crate::streams::actor::{Actor, ActorFacts, ActorScript, FrameStreams, Instance, InstanceNeeds, Outline};
use crate::streams::setting::settings;
use crate::streams::validation::{Check, Checked};
use crate::streams::{Footage, Frames};

pub(crate) const FACTS: ActorFacts = ActorFacts {
    reads_footage: true,
    writes: false,
    parts: Some("cameras"),
    ..ActorFacts::of("editor", "plays several cameras in parallel, with cuts and scrubs")
};

/// The maximum number of cameras of one editor.
const CAMERAS_MAX: u32 = 64;
/// The minimum and maximum duration of a piece, in seconds.
const PLAY_S: (f64, f64) = (2.0, 8.0);
/// The minimum and maximum number of frames read while scrubbing.
const SCRUB_READS: (u32, u32) = (5, 25);

settings! {
    /// Editors of a plan.
    pub struct EditorPlan {
        ..footage: Footage,
        ..frames: Frames,
        /// Number of cameras that an editor plays at once
        cameras: u32 = 4 => option(N, u32),
    }
}

impl Actor for EditorPlan {
    fn check(&self, check: &Check) -> Checked {
        self.footage.check(check)?;
        self.frames.check(check)?;
        check.not_zero("cameras", self.cameras == 0, "an editor plays at least one camera")?;
        Ok(check.at_most("cameras", self.cameras, CAMERAS_MAX, "")?)
    }

    fn outline(&self, media: Option<&Media>) -> Outline<'_> {
        Outline {
            streams: self.cameras,
            footage: Some((&self.footage, self.frames.clip)),
            frames: Some(FrameStreams { frames: &self.frames, writes: false, may_jump: true }),
            needs: InstanceNeeds::clips(media, self.cameras),
            written_bytes_per_s: Some(0.0),
            idle: self.footage.idle(),
            ..Outline::default()
        }
    }

    fn script(&self, instance: &Instance<'_>) -> Option<Box<dyn ActorScript>> {
        let media = instance.media?;
        let per_camera = media.files() as usize;
        let cameras = instance.files.prepared.chunks(per_camera.max(1)).enumerate();
        let clip =
            |(camera, files): (usize, &[u32])| media.clip_from(files, instance.begin(camera * per_camera));
        let pace = media.pace(&self.frames);
        let frames = |seconds: f64| ((seconds * pace.rate.per_s()) as u32).max(1);
        let shape = EditorShape {
            cameras: cameras.map(clip).collect::<Option<_>>()?,
            pace,
            direct: instance.direct,
            start_after_ns: instance.start_after_ns,
            seed: instance.seed,
            play_frames: (frames(PLAY_S.0), frames(PLAY_S.1)),
            scrub_reads: SCRUB_READS,
        };
        Some(Box::new(Editor::new(instance.first_stream, shape)))
    }
}

impl ActorScript for Editor {}

/// The clips and the settings of an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorShape {
    /// One clip per camera; at least one.
    pub cameras: Vec<Clip>,
    /// The rate and the buffer of every camera.
    pub pace: Pace,
    /// Whether it bypasses the client's cache. Then frames must be aligned.
    pub direct: bool,
    /// Delay of its start after the beginning of the load point.
    pub start_after_ns: u64,
    /// The seed of its random draws.
    pub seed: u64,
    /// The minimum and maximum length of a piece, in frames; each length between is equally likely.
    pub play_frames: (u32, u32),
    /// The minimum and maximum number of frames read in a scrub, likewise.
    pub scrub_reads: (u32, u32),
}

/// A piece of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Its frames on the timeline.
    first: u64,
    end: u64,
    /// The position of the first frame in the clips.
    position: u64,
    ends_in_scrub: bool,
}

impl Piece {
    /// Draws the piece that begins at this frame.
    fn draw(dice: &mut Dice, first: u64, shape: &EditorShape) -> Piece {
        let frames = between(dice, shape.play_frames).max(1);
        let clip_frames = shape.cameras.first().map_or(1, Clip::frames);
        Piece {
            first,
            end: first + frames,
            position: dice.below(clip_frames),
            ends_in_scrub: dice.below(2) == 0,
        }
    }
}

/// A uniformly distributed integer from `least` to `most`.
fn between(dice: &mut Dice, (least, most): (u32, u32)) -> u64 {
    u64::from(least) + dice.below(u64::from(most.saturating_sub(least)) + 1)
}

#[derive(Clone, Copy, Debug)]
enum Doing {
    /// The movie file must be opened at this time.
    Closed(u64),
    Opening,
    /// Ready for the next frame.
    Idle,
    Reading(FrameRead),
}

/// One camera. Every camera draws the pieces itself, from generators with the same seed. So one may have
/// crossed a cut before another, and no list of pieces is needed.
#[derive(Clone, Debug)]
struct Camera {
    hand: Hand,
    doing: Doing,
    is_in_flight: bool,
    dice: Dice,
    piece: Piece,
    next_frame: u64,
}

/// The last start of playback.
#[derive(Clone, Copy, Debug)]
struct Cue {
    frame: u64,
    at_ns: u64,
}

/// A scrub in progress.
#[derive(Clone, Copy, Debug)]
struct Scrub {
    camera: usize,
    /// Frames that remain to be read.
    left: u64,
}

/// An editor as a script. See the module.
#[derive(Clone, Debug)]
pub struct Editor {
    shape: EditorShape,
    cameras: Vec<Camera>,
    dice: Dice,
    t0_ns: u64,
    cue: Cue,
    scrub: Option<Scrub>,
    /// When the last operation was done.
    done_ns: u64,
}

impl Editor {
    /// An editor that has not started. Its cameras are the streams from `first_stream` on.
    pub fn new(first_stream: u32, shape: EditorShape) -> Editor {
        let dice = Dice::new(shape.seed, first_stream);
        let piece = Piece { first: 0, end: 0, position: 0, ends_in_scrub: false };
        let camera = |number: usize| Camera {
            hand: Hand::reading(first_stream + number as u32, number as u16, shape.direct),
            doing: Doing::Idle,
            is_in_flight: false,
            dice: dice.clone(),
            piece,
            next_frame: 0,
        };
        let cameras = (0..shape.cameras.len()).map(camera).collect();
        let cue = Cue { frame: 0, at_ns: 0 };
        Editor { shape, cameras, dice, t0_ns: 0, cue, scrub: None, done_ns: 0 }
    }

    /// When the editor may request a frame. After a cue it may request a whole buffer at once.
    fn readable_ns(&self, frame: u64) -> u64 {
        if frame < self.cue.frame + u64::from(self.shape.pace.buffer_frames) {
            return self.cue.at_ns;
        }
        self.shape.pace.readable_ns(self.t0_ns, frame)
    }

    /// When this camera's next operation is due; `None` if it must wait for another event.
    fn due_ns(&self, camera: &Camera) -> Option<u64> {
        if camera.is_in_flight {
            return None;
        }
        match camera.doing {
            Doing::Opening => None,
            Doing::Closed(open_ns) => Some(open_ns),
            Doing::Reading(read) => Some(read.due_ns()),
            Doing::Idle if camera.has_played() => None,
            Doing::Idle => Some(self.readable_ns(camera.next_frame)),
        }
    }

    /// The next operation of a camera that has one, at `now_ns`.
    fn go_on(&mut self, number: usize, now_ns: u64) -> Step {
        let hand = self.cameras[number].hand;
        let (doing, op) = match self.cameras[number].doing {
            Doing::Closed(open_ns) => {
                // An open has the number of the frame that follows it.
                let frame = self.cameras[number].next_frame as u32;
                let file = self.shape.cameras[number].place(0).file;
                (Doing::Opening, hand.op(OpKind::Open, file, frame, open_ns))
            }
            Doing::Opening => return Step::Blocked,
            Doing::Idle => {
                let read = self.begin_frame(number, now_ns);
                (Doing::Reading(read), read.op(&hand, true))
            }
            Doing::Reading(read) => (Doing::Reading(read), read.op(&hand, true)),
        };
        self.cameras[number].doing = doing;
        self.cameras[number].is_in_flight = true;
        Step::Do(op)
    }

    /// Begins to read the next frame at `now_ns`.
    fn begin_frame(&mut self, number: usize, now_ns: u64) -> FrameRead {
        let camera = &mut self.cameras[number];
        let is_cue = camera.next_frame == self.cue.frame && self.cue.frame > 0;
        if !is_cue {
            let wanted = self.shape.pace.next_frame(self.t0_ns, camera.next_frame, now_ns);
            camera.skip_to(wanted, &self.shape);
        }
        let frame = camera.next_frame;
        let position = camera.piece.position + (frame - camera.piece.first);
        camera.advance(&self.shape);
        let flags = OpFlags::FRAME.with_if(OpFlags::CUE, is_cue);
        let due_ns = self.readable_ns(frame);
        FrameRead::new(&self.shape.cameras[number], position, frame as u32, due_ns, flags)
    }

    /// All cameras have played up to a scrub. Begins the scrub when the last frame has been shown, and
    /// reads one frame after the other.
    fn scrub(&mut self, now_ns: u64) -> Step {
        let Some(end) = self.cameras.first().map(|camera| camera.piece.end) else {
            return Step::Finished;
        };
        let shown_ns = self.shape.pace.deadline_ns(self.t0_ns, end);
        if now_ns < shown_ns {
            return Step::Wait { until_ns: shown_ns };
        }
        let scrub = match self.scrub {
            Some(scrub) => scrub,
            None => Scrub {
                camera: self.dice.below(self.cameras.len() as u64) as usize,
                left: between(&mut self.dice, self.shape.scrub_reads),
            },
        };
        // On slow storage the last frame arrived after it should have been shown.
        let due_ns = self.done_ns.max(shown_ns);
        if scrub.left == 0 {
            self.cue_up(due_ns);
            return self.next(now_ns);
        }
        self.scrub = Some(Scrub { left: scrub.left - 1, ..scrub });
        let clip = &self.shape.cameras[scrub.camera];
        let position = self.dice.below(clip.frames());
        let read = FrameRead::new(clip, position, end as u32, due_ns, OpFlags::RANDOM);
        self.cameras[scrub.camera].doing = Doing::Reading(read);
        self.go_on(scrub.camera, now_ns)
    }

    /// Restarts playback at this time, with the first frame of the timeline that is not past.
    fn cue_up(&mut self, at_ns: u64) {
        self.scrub = None;
        let frame = self.shape.pace.rate.frames_in(at_ns.saturating_sub(self.t0_ns));
        self.cue = Cue { frame, at_ns };
        for camera in &mut self.cameras {
            camera.piece = Piece::draw(&mut camera.dice, frame, &self.shape);
            camera.next_frame = frame;
        }
    }
}

impl Camera {
    /// Whether it has read all frames before a scrub.
    fn has_played(&self) -> bool {
        self.next_frame >= self.piece.end
    }

    /// Skips to a later frame, but never past the last one before a scrub.
    fn skip_to(&mut self, frame: u64, shape: &EditorShape) {
        self.cross_cuts(frame, shape);
        self.next_frame = frame.min(self.piece.end - 1).max(self.next_frame);
    }

    /// Advances to the frame after the current one.
    fn advance(&mut self, shape: &EditorShape) {
        self.next_frame += 1;
        self.cross_cuts(self.next_frame, shape);
    }

    /// Draws pieces up to the one that contains this frame, or the one that ends in a scrub before it.
    fn cross_cuts(&mut self, frame: u64, shape: &EditorShape) {
        while frame >= self.piece.end && !self.piece.ends_in_scrub {
            self.piece = Piece::draw(&mut self.dice, self.piece.end, shape);
        }
    }
}

impl Script for Editor {
    fn needs(&self) -> Needs {
        let cameras = self.cameras.len() as u16;
        Needs {
            handles: cameras,
            in_flight: cameras.max(1),
            max_len: self.shape.cameras.iter().map(Clip::max_len).max().unwrap_or(0),
            writes: false,
        }
    }

    fn next(&mut self, now_ns: u64) -> Step {
        let due = |(number, camera)| self.due_ns(camera).map(|due_ns| (due_ns, number));
        match self.cameras.iter().enumerate().filter_map(due).min() {
            Some((due_ns, number)) if due_ns <= now_ns => self.go_on(number, now_ns),
            // Not issued early: the driver would hold it and not ask for the other cameras.
            Some((due_ns, _)) => Step::Wait { until_ns: due_ns },
            None if self.cameras.iter().any(|camera| camera.is_in_flight) => Step::Blocked,
            None => self.scrub(now_ns),
        }
    }

    fn done(&mut self, done: &Done) {
        let Some(camera) = self.cameras.get_mut(done.token as usize) else { return };
        camera.is_in_flight = false;
        camera.doing = match camera.doing {
            Doing::Opening if done.errno == 0 => Doing::Idle,
            // If a camera's file could not be opened, the open is retried, late.
            Doing::Opening => Doing::Closed(done.done_ns.saturating_add(PAUSE_AFTER_ERROR_NS)),
            Doing::Reading(read) => read.after(done).map_or(Doing::Idle, Doing::Reading),
            Doing::Idle => Doing::Idle,
            Doing::Closed(open_ns) => Doing::Closed(open_ns),
        };
        self.done_ns = self.done_ns.max(done.done_ns);
    }

    fn resume(&mut self, now_ns: u64) {
        self.t0_ns = now_ns.saturating_add(self.shape.start_after_ns);
        self.cue = Cue { frame: 0, at_ns: self.t0_ns };
        self.scrub = None;
        self.done_ns = self.t0_ns;
        // Interrupted cameras may have drawn different numbers of pieces.
        let dice = Dice::new(self.dice.below(u64::MAX), 0);
        for (camera, clip) in self.cameras.iter_mut().zip(&self.shape.cameras) {
            camera.doing = if clip.is_sequence() { Doing::Idle } else { Doing::Closed(self.t0_ns) };
            camera.is_in_flight = false;
            camera.dice = dice.clone();
            camera.piece = Piece::draw(&mut camera.dice, 0, &self.shape);
            camera.next_frame = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::HashMap;

    use proptest::prelude::*;
    use reelgauge_formats::FrameRate;

    use super::*;
    use crate::pace::Policy;
    use crate::script::Op;
    use crate::test_driver::{Answer, DoneOp, done_ops, takes};

    const MS: u64 = 1_000_000;
    const FRAME_BYTES: u32 = 100;

    /// Cameras of 1000 frames each: movies one after the other in the file table, or sequences.
    fn shape(cameras: u32, is_sequence: bool, seed: u64) -> EditorShape {
        let clip = |camera| match is_sequence {
            true => Clip::sequence(camera * 1000, 1000, FRAME_BYTES),
            false => Clip::constant(camera, 100_000, FRAME_BYTES),
        };
        EditorShape {
            cameras: (0..cameras).map(|camera| clip(camera).unwrap()).collect(),
            pace: Pace { rate: FrameRate::whole(25), buffer_frames: 10, policy: Policy::Drop },
            direct: false,
            start_after_ns: 7 * MS,
            seed,
            play_frames: (20, 60),
            scrub_reads: (2, 9),
        }
    }

    /// The position of a read in its clip.
    fn position(op: &Op) -> u64 {
        u64::from(op.file % 1000) + op.offset / u64::from(FRAME_BYTES)
    }

    fn position_in_movie(op: &Op) -> u64 {
        op.offset / u64::from(FRAME_BYTES)
    }

    fn reads_of(ops: &[DoneOp], stream: u32) -> impl Iterator<Item = &DoneOp> {
        let is_read = move |op: &&DoneOp| op.op.stream == stream && op.op.kind == OpKind::Read;
        ops.iter().filter(is_read)
    }

    fn frames_of(ops: &[DoneOp], stream: u32) -> impl Iterator<Item = &Op> {
        reads_of(ops, stream).map(|op| &op.op).filter(|op| op.flags.has(OpFlags::FRAME))
    }

    #[test]
    fn a_cut_jumps_in_the_clip_and_leaves_no_gap_in_time() {
        let ops = done_ops(&mut Editor::new(5, shape(3, false, 1)), (0, 120_000 * MS), takes(MS));
        let frames: Vec<&Op> = frames_of(&ops, 5).collect();
        let (mut cuts, mut cues, mut piece_frames) = (0, 0, 1);
        for pair in frames.windows(2) {
            let jumps = position_in_movie(pair[1]) != (position_in_movie(pair[0]) + 1) % 1000;
            if pair[1].flags.has(OpFlags::CUE) {
                cues += 1;
            } else {
                assert_eq!(pair[1].transfer, pair[0].transfer + 1);
                assert!(pair[1].due_ns <= (7 + 40 * u64::from(pair[1].transfer)) * MS);
                cuts += u32::from(jumps);
            }
            if jumps {
                assert!((20..=60).contains(&piece_frames), "{piece_frames}");
                piece_frames = 0;
            }
            piece_frames += 1;
        }
        assert!(cuts > 15 && cues > 15, "{cuts} {cues}");
        assert!(frames[0].transfer == 0 && !frames[0].flags.has(OpFlags::CUE));
    }

    #[test]
    fn scrub_begins_after_the_last_frame_and_runs_unpaced() {
        let mut editor = Editor::new(0, shape(2, false, 3));
        let ops = done_ops(&mut editor, (1000 * MS, 60_000 * MS), takes(3 * MS));
        let reads: Vec<DoneOp> = ops.into_iter().filter(|op| op.op.flags.has(OpFlags::RANDOM)).collect();
        let mut streams = [0, 0];
        for scrub in reads.chunk_by(|one, other| one.op.transfer == other.op.transfer) {
            assert!((2..=9).contains(&scrub.len()));
            // Its reads have the number of the frame after the last one shown.
            assert_eq!(scrub[0].op.due_ns, (1007 + 400 + 40 * u64::from(scrub[0].op.transfer)) * MS);
            assert!(scrub.windows(2).all(|pair| pair[1].op.due_ns == pair[0].done_ns));
            assert!(scrub.iter().all(|op| op.op.flags == OpFlags::RANDOM.with(OpFlags::LAST)));
            assert!(scrub.iter().all(|op| op.op.stream == scrub[0].op.stream));
            streams[scrub[0].op.stream as usize] += 1;
        }
        assert!(streams[0] > 2 && streams[1] > 2, "{streams:?}");
    }

    #[test]
    fn play_resumes_at_the_scrubbed_frame() {
        let mut editor = Editor::new(0, shape(2, false, 3));
        let ops = done_ops(&mut editor, (1000 * MS, 60_000 * MS), takes(3 * MS));
        for stream in 0..2 {
            let frames: Vec<&Op> = frames_of(&ops, stream).collect();
            let cues = frames.iter().filter(|op| op.flags.has(OpFlags::CUE));
            assert!(cues.clone().count() > 5);
            for cue in cues {
                // When the last frame of the scrub had arrived.
                let mut looked_at = ops.iter().filter(|op| op.op.flags.has(OpFlags::RANDOM));
                assert!(looked_at.any(|op| op.done_ns == cue.due_ns));
                // The number is the timeline's, rounded up: 40 ms per frame.
                let since_t0_ns = cue.due_ns - 1007 * MS;
                assert_eq!(u64::from(cue.transfer), since_t0_ns.div_ceil(40 * MS));
                // The whole buffer is requested at once, and each further frame at its own time.
                for op in frames.iter().filter(|op| (cue.transfer..cue.transfer + 20).contains(&op.transfer))
                {
                    let in_time_ns = (1007 + 40 * u64::from(op.transfer)) * MS;
                    let fills = op.transfer < cue.transfer + 10;
                    assert_eq!(op.due_ns, if fills { cue.due_ns } else { in_time_ns });
                }
            }
        }
    }

    /// A store with delays: mostly fast, sometimes slow.
    fn hiccups(seed: u64, slow_ms: u64) -> impl FnMut(&Op, u64) -> Answer {
        let mut dice = Dice::new(seed, 9);
        move |_, now_ns| {
            let ms = if dice.below(40) == 0 { dice.below(slow_ms) } else { 1 + dice.below(5) };
            (now_ns + ms * MS, 0)
        }
    }

    #[test]
    fn the_last_frame_before_a_scrub_is_never_skipped() {
        let mut dropped = 0;
        for seed in 0..20 {
            let mut editor = Editor::new(0, shape(3, false, seed));
            let ops = done_ops(&mut editor, (0, 60_000 * MS), hiccups(seed, 4000));
            for stream in 0..3 {
                let frames: Vec<&Op> = frames_of(&ops, stream).collect();
                dropped += frames.windows(2).filter(|pair| pair[1].transfer > pair[0].transfer + 1).count();
            }
            // Scrub reads have the number of the frame after the last one before them.
            let ends = ops.iter().filter(|op| op.op.flags.has(OpFlags::RANDOM)).map(|op| op.op.transfer);
            for end in ends {
                let is_last = |op: &&Op| op.transfer == end - 1;
                assert!((0..3).all(|stream| frames_of(&ops, stream).any(|op| is_last(&op))));
            }
        }
        assert!(dropped > 100, "{dropped}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn cameras_stay_in_sync(seed: u64, cameras in 1_u32..6, is_sequence: bool, slow_ms in 1_u64..3000) {
            let mut editor = Editor::new(0, shape(cameras, is_sequence, seed));
            for begin_ns in [0, 100_000 * MS] {
                let span_ns = (begin_ns, begin_ns + 40_000 * MS);
                let ops = done_ops(&mut editor, span_ns, hiccups(seed, slow_ms));
                let mut places: HashMap<u32, (u64, bool)> = HashMap::new();
                for stream in 0..cameras {
                    let mut next = 0;
                    for op in frames_of(&ops, stream) {
                        prop_assert!(op.transfer >= next, "numbers only rise");
                        next = op.transfer + 1;
                        let place = if is_sequence { position(op) } else { position_in_movie(op) };
                        let is_cue = op.flags.has(OpFlags::CUE);
                        // Every read of a frame has the same position in the clip.
                        let known = places.entry(op.transfer).or_insert((place, is_cue));
                        prop_assert_eq!(*known, (place, is_cue));
                    }
                }
                prop_assert!(places.len() > 100);
            }
        }
    }
}
