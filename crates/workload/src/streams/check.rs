//! What can be wrong with a plan of actors, found before anything is touched.

use super::{ActorKind, ActorPlan, Buffer, StreamsPlan};
use crate::plan::{BLOCK_BYTES, PLAN_VERSION, PlanError, WORKERS_MAX};
use crate::units::Size;
use crate::vda_table;

/// The most files of one camera or companion.
const FILES_MAX: u32 = 1024;

/// The most cameras of one editor.
const CAMERAS_MAX: u32 = 64;

/// The longest buffer in frames: ten minutes at 60 frames per second.
const BUFFER_FRAMES_MAX: u32 = 36_000;

/// What is wrong with a plan of actors. Each says what, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamsError {
    /// Nobody in it.
    #[error("the plan has no actors; add at least one [[actor]] with its kind")]
    NoActors,
    /// None of a kind.
    #[error("--count 0 leaves no {kind} to run; use at least 1")]
    ZeroCount {
        /// The kind.
        kind: ActorKind,
    },
    /// Something that has to be more than nothing.
    #[error("{field} of the {kind} is 0; {remedy}")]
    Zero {
        /// The kind.
        kind: ActorKind,
        /// What is nothing.
        field: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Nothing to play.
    #[error(
        "a {kind} needs to know what it plays or records; give --format ID ('reelgauge formats WORDS' finds one) \
         or --like FILE"
    )]
    NoFormat {
        /// The kind.
        kind: ActorKind,
    },
    /// More than one thing to play.
    #[error("a {kind} takes one of format, own_format and like, not several; leave one")]
    TwoFormats {
        /// The kind.
        kind: ActorKind,
    },
    /// A field that does nothing.
    #[error("{field} has no effect on a {kind}; leave it out")]
    NoEffect {
        /// The kind.
        kind: ActorKind,
        /// The field.
        field: &'static str,
    },
    /// No load point.
    #[error("the scale is empty or 0; give at least one number, like 1 or 1..4")]
    EmptyScale,
    /// A scale and a search.
    #[error(
        "a search (--find-max) tries one scale after the other itself; leave out --count or --scale ramps"
    )]
    ScaleAndSearch,
    /// A search that can find nothing.
    #[error("the search starts with {start} and may go up to {cap}; raise cap or lower start")]
    SearchRange {
        /// The first scale.
        start: u32,
        /// The last.
        cap: u32,
    },
    /// A search that believes nothing.
    #[error("find_max must try its answer at least once; use repeats = 3")]
    ZeroRepeats,
    /// A file that its largest transfer does not fit into.
    #[error("--file-size {size} is less than the {kind}'s largest transfer of 1MiB; use 1MiB or more")]
    FileUnderTransfer {
        /// The kind.
        kind: ActorKind,
        /// The size.
        size: Size,
    },
    /// More than one worker can hold.
    #[error("{field} of the {kind} is more than {most}; use fewer")]
    TooMany {
        /// The kind.
        kind: ActorKind,
        /// What there is too much of.
        field: &'static str,
        /// The most.
        most: u32,
    },
    /// A search without time.
    #[error("--time-max 0 leaves no time to search; give it some, like 5m, or leave it out")]
    ZeroTimeMax,
    /// A rate that is none.
    #[error("ops_per_s of the {kind} is no rate above 0; leave it out for the published one")]
    Rate {
        /// The kind.
        kind: ActorKind,
    },
}

impl StreamsPlan {
    /// Says what is wrong with the plan, if anything is.
    ///
    /// # Errors
    /// [`PlanError`]: the first thing that is wrong, and its remedy.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.plan_version > PLAN_VERSION {
            return Err(PlanError::Newer(self.plan_version));
        }
        if self.actors.is_empty() {
            return Err(StreamsError::NoActors.into());
        }
        if self.duration.ns() == 0 {
            return Err(PlanError::ZeroDuration);
        }
        if self.hang_after.ns() == 0 {
            return Err(PlanError::ZeroHangAfter);
        }
        self.actors.iter().try_for_each(check_actor)?;
        self.check_scale()
    }

    fn check_scale(&self) -> Result<(), PlanError> {
        let largest = self.scale.0.iter().copied().max().unwrap_or(0);
        if self.scale.0.contains(&0) || largest == 0 {
            return Err(StreamsError::EmptyScale.into());
        }
        let workers = match &self.find_max {
            Some(search) => {
                if self.scale.0 != [1] {
                    return Err(StreamsError::ScaleAndSearch.into());
                }
                let (start, cap) = (search.start, self.search_cap());
                if start == 0 || cap < start {
                    return Err(StreamsError::SearchRange { start, cap }.into());
                }
                if search.time_max.is_some_and(|time| time.ns() == 0) {
                    return Err(StreamsError::ZeroTimeMax.into());
                }
                if search.repeats == 0 {
                    return Err(StreamsError::ZeroRepeats.into());
                }
                self.workers(start)
            }
            None => self.workers(largest),
        };
        match workers > WORKERS_MAX {
            true => Err(PlanError::TooManyWorkers(workers)),
            false => Ok(()),
        }
    }
}

fn check_actor(actor: &ActorPlan) -> Result<(), PlanError> {
    let kind = actor.kind;
    if actor.count == 0 {
        return Err(StreamsError::ZeroCount { kind }.into());
    }
    check_media(actor)?;
    if let Some(mix) = &actor.mix {
        mix.check_combination()?;
        mix.check_sizes()?;
    }
    let zero = |field, remedy| Err(PlanError::from(StreamsError::Zero { kind, field, remedy }));
    if actor.buffer.is_zero() {
        return zero("--buffer", "a stream holds at least one frame in hand, like 1s or 12frames");
    }
    if actor.clip.ns() == 0 {
        return zero("--clip", "give it some time, like 10s");
    }
    if actor.sync_every.is_some_and(|span| span.ns() == 0) {
        return zero("--sync-every", "give it some time, like 1s, or leave it out");
    }
    if kind == ActorKind::Editor && actor.cameras == 0 {
        return zero("--cameras", "an editor plays at least one");
    }
    check_most(actor)?;
    if kind == ActorKind::Copier {
        check_block(actor)?;
    }
    if kind.has_files() && (actor.file_size.bytes() == 0 || actor.files == 0) {
        return zero("file_size or files", "use file_size = \"1GiB\" and files = 11");
    }
    let has_table = matches!(kind, ActorKind::Camera | ActorKind::Companion);
    if has_table && actor.file_size.bytes() < u64::from(vda_table::MAX_LEN) {
        return Err(StreamsError::FileUnderTransfer { kind, size: actor.file_size }.into());
    }
    if actor.ops_per_s.is_some_and(|rate| !(rate > 0.0 && rate.is_finite())) {
        return Err(StreamsError::Rate { kind }.into());
    }
    check_effect(actor)
}

/// Refuses what would only fill the memory.
fn check_most(actor: &ActorPlan) -> Result<(), PlanError> {
    let buffer_frames = match actor.buffer {
        Buffer::Frames(frames) => frames,
        Buffer::Time(_) => 0,
    };
    let counted = [
        ("--cameras", actor.cameras, CAMERAS_MAX),
        ("files", actor.files, FILES_MAX),
        ("--buffer", buffer_frames, BUFFER_FRAMES_MAX),
    ];
    match counted.into_iter().find(|(_, count, most)| count > most) {
        Some((field, _, most)) => Err(StreamsError::TooMany { kind: actor.kind, field, most }.into()),
        None => Ok(()),
    }
}

fn check_block(actor: &ActorPlan) -> Result<(), PlanError> {
    let (block, file) = (actor.block, actor.file_size);
    if !BLOCK_BYTES.contains(&block.bytes()) {
        return Err(PlanError::BlockRange(block));
    }
    match block > file {
        true => Err(PlanError::BlockOverFile { block, file }),
        false => Ok(()),
    }
}

fn check_media(actor: &ActorPlan) -> Result<(), PlanError> {
    let kind = actor.kind;
    let given = [actor.format.is_some(), actor.own_format.is_some(), actor.like.is_some()];
    match (kind.has_media(), given.into_iter().filter(|&given| given).count()) {
        (true, 0) => Err(StreamsError::NoFormat { kind }.into()),
        (true, 1) | (false, 0) => Ok(()),
        (true, _) => Err(StreamsError::TwoFormats { kind }.into()),
        (false, _) => Err(StreamsError::NoEffect { kind, field: "--format or --like" }.into()),
    }
}

/// Refuses what was set and changes nothing.
fn check_effect(actor: &ActorPlan) -> Result<(), PlanError> {
    let usual = ActorPlan::new(actor.kind);
    let set = [
        ("--fps", actor.fps.is_some()),
        ("output_format", actor.output_format.is_some()),
        ("--clip", actor.clip != usual.clip),
        ("--buffer", actor.buffer != usual.buffer),
        ("--policy", actor.policy != usual.policy),
        ("--read-ahead", actor.read_ahead != usual.read_ahead),
        ("--sync-every", actor.sync_every.is_some()),
        ("--preallocated", actor.preallocated),
        ("--cameras", actor.cameras != usual.cameras),
        ("--block", actor.block != usual.block),
        ("--file-size", actor.file_size != usual.file_size),
        ("ops_per_s", actor.ops_per_s.is_some()),
        ("mix", actor.mix.is_some()),
    ];
    set.into_iter().filter(|(_, set)| *set).try_for_each(|(field, _)| actor.kind.check_effect(field))
}

impl ActorKind {
    /// Refuses a field or flag that does nothing for this kind.
    ///
    /// # Errors
    /// [`StreamsError::NoEffect`].
    pub fn check_effect(self, field: &'static str) -> Result<(), PlanError> {
        let has_frames = matches!(self, ActorKind::Player | ActorKind::Recorder | ActorKind::Editor);
        let has_effect = match field {
            "--fps" | "--clip" => self.has_media(),
            "--buffer" | "--policy" => has_frames,
            "output_format" => self == ActorKind::Transcoder,
            "--read-ahead" => self == ActorKind::Player,
            "--sync-every" | "--preallocated" => self == ActorKind::Recorder,
            "--cameras" => self == ActorKind::Editor,
            "--block" => self == ActorKind::Copier,
            "--file-size" => self.has_files(),
            "ops_per_s" => matches!(self, ActorKind::Camera | ActorKind::Companion),
            "mix" => self == ActorKind::Mix,
            _ => true,
        };
        match has_effect {
            true => Ok(()),
            false => Err(StreamsError::NoEffect { kind: self, field }.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::range::Ramp;
    use crate::streams::FindMaxPlan;
    use crate::units::Span;

    fn player() -> ActorPlan {
        ActorPlan { format: Some("prores-422-hq-uhd-25".to_owned()), ..ActorPlan::new(ActorKind::Player) }
    }

    fn plan(actor: ActorPlan) -> StreamsPlan {
        StreamsPlan { actors: vec![actor], ..StreamsPlan::default() }
    }

    #[test]
    fn a_sound_plan_passes() {
        assert_eq!(plan(player()).check(), Ok(()));
        assert_eq!(plan(ActorPlan::new(ActorKind::Copier)).check(), Ok(()));
    }

    #[test]
    fn mistakes_of_an_actor_are_named_with_their_remedy() {
        let recorder = ActorPlan { kind: ActorKind::Recorder, ..player() };
        let cases: Vec<(ActorPlan, &str)> = vec![
            (ActorPlan { count: 0, ..player() }, "--count 0"),
            (ActorPlan { format: None, ..player() }, "--format ID"),
            (ActorPlan { like: Some("x.mov".into()), ..player() }, "leave one"),
            (
                ActorPlan { format: player().format, ..ActorPlan::new(ActorKind::Copier) },
                "no effect on a copier",
            ),
            (ActorPlan { buffer: Buffer::Frames(0), ..player() }, "12frames"),
            (ActorPlan { buffer: Buffer::Time(Span(0)), ..player() }, "--buffer"),
            (ActorPlan { clip: Span(0), ..player() }, "--clip"),
            (ActorPlan { preallocated: true, ..player() }, "--preallocated has no effect on a player"),
            (ActorPlan { cameras: 0, kind: ActorKind::Editor, ..player() }, "--cameras"),
            (ActorPlan { cameras: 9, ..player() }, "--cameras has no effect"),
            (ActorPlan { sync_every: Some(Span(0)), ..recorder.clone() }, "--sync-every"),
            (
                ActorPlan { read_ahead: crate::pace::ReadAhead::Open, ..recorder },
                "--read-ahead has no effect",
            ),
            (ActorPlan { cameras: 65, kind: ActorKind::Editor, ..player() }, "more than 64"),
            (ActorPlan { files: 2000, ..ActorPlan::new(ActorKind::Camera) }, "more than 1024"),
            (ActorPlan { buffer: Buffer::Frames(36_001), ..player() }, "more than 36000"),
            (ActorPlan { block: Size(100), ..ActorPlan::new(ActorKind::Copier) }, "512B to 64MiB"),
            (
                ActorPlan { file_size: Size::kib(4), ..ActorPlan::new(ActorKind::Copier) },
                "larger than the file",
            ),
            (ActorPlan { ops_per_s: Some(0.0), ..ActorPlan::new(ActorKind::Camera) }, "ops_per_s"),
            (ActorPlan { files: 0, ..ActorPlan::new(ActorKind::Camera) }, "files"),
            (ActorPlan { file_size: Size::kib(64), ..ActorPlan::new(ActorKind::Camera) }, "1MiB or more"),
        ];
        for (actor, remedy) in cases {
            let error = plan(actor).check().unwrap_err().to_string();
            assert!(error.contains(remedy), "{error:?} does not say {remedy:?}");
        }
    }

    #[test]
    fn mistakes_of_the_plan_are_named_with_their_remedy() {
        let find_max = |start, cap| Some(FindMaxPlan { start, cap, ..FindMaxPlan::default() });
        let sound = || plan(player());
        let cases: Vec<(StreamsPlan, &str)> = vec![
            (StreamsPlan::default(), "[[actor]]"),
            (StreamsPlan { plan_version: 99, ..sound() }, "99"),
            (StreamsPlan { duration: Span(0), ..sound() }, "--duration"),
            (StreamsPlan { scale: Ramp(vec![]), ..sound() }, "1..4"),
            (StreamsPlan { scale: Ramp(vec![5000]), ..sound() }, "5000"),
            (StreamsPlan { scale: Ramp(vec![1, 2]), find_max: find_max(1, None), ..sound() }, "--find-max"),
            (StreamsPlan { find_max: find_max(8, Some(4)), ..sound() }, "raise cap"),
            (StreamsPlan { find_max: find_max(0, None), ..sound() }, "lower start"),
        ];
        for (plan, remedy) in cases {
            let error = plan.check().unwrap_err().to_string();
            assert!(error.contains(remedy), "{error:?} does not say {remedy:?}");
        }
    }
}
