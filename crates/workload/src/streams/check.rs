//! What can be wrong with a plan of actors, found before anything is touched.

use super::{ActorKind, ActorPlan, Buffer, Setting, StreamsPlan};
use crate::plan::{BLOCK_BYTES, PLAN_VERSION, PlanError, WORKERS_MAX, check_file_size};
use crate::profile::Profile;
use crate::spelling::Spelling;
use crate::units::{Size, Span};
use crate::vda_table;

/// The most files of one camera or companion.
const FILES_MAX: u32 = 1024;

/// The most cameras of one editor.
const CAMERAS_MAX: u32 = 64;

/// The longest buffer in frames: ten minutes at 60 frames per second.
const BUFFER_FRAMES_MAX: u32 = 36_000;

/// Transfers per second of one camera or companion. Rates are exact to a millionth of a transfer per second,
/// so slower ones would be inexact; faster ones are more than a process does one after the other.
pub const OPS_PER_S: std::ops::RangeInclusive<f64> = 0.001..=100_000.0;

/// What is wrong with a plan of actors. Each says what, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamsError {
    /// Nobody in it.
    #[error("the plan has no actors; add at least one [[actor]] with its kind")]
    NoActors,
    /// None of a kind.
    #[error("{} leaves no {kind} to run; use at least 1", spelling.set("count", "0"))]
    ZeroCount {
        /// The kind.
        kind: ActorKind,
        /// Where the count comes from.
        spelling: Spelling,
    },
    /// Something that has to be more than nothing.
    #[error("{field} is 0; {remedy}")]
    Zero {
        /// What is nothing.
        field: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Nothing to play.
    #[error(
        "{} needs to know what it plays or records; give {} ('reelgauge formats WORDS' finds one) or {}",
        kind.with_article(), spelling.set("format", "ID"), spelling.set("like", "FILE")
    )]
    NoFormat {
        /// The kind.
        kind: ActorKind,
        /// Where the plan comes from.
        spelling: Spelling,
    },
    /// More than one thing to play.
    #[error("{} takes one of format, own_format and like, not several; leave one", kind.with_article())]
    TwoFormats {
        /// The kind.
        kind: ActorKind,
    },
    /// A setting that changes nothing.
    #[error("{field} has no effect {why}; leave it out")]
    NoEffect {
        /// The setting.
        field: &'static str,
        /// Where, and why not.
        why: String,
    },
    /// No load point.
    #[error("the scale is empty or 0; give at least one number, like 1 or 1..4")]
    EmptyScale,
    /// A scale and a search.
    #[error("find_max tries one scale after the other itself; leave out scale")]
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
    #[error("{field} {size} is less than the {kind}'s largest transfer of 1MiB; use 1MiB or more")]
    FileUnderTransfer {
        /// What the size is called.
        field: &'static str,
        /// The kind.
        kind: ActorKind,
        /// The size.
        size: Size,
    },
    /// More than one worker can hold.
    #[error("{field} is more than {most}; use fewer")]
    TooMany {
        /// What there is too much of.
        field: &'static str,
        /// The most.
        most: u32,
    },
    /// A search without time.
    #[error("{} leaves no time to search; give it some, like 5m, or leave it out", .0.set("time_max", "0s"))]
    ZeroTimeMax(Spelling),
    /// A search whose time is over before its first trial is.
    #[error(
        "--time-max {time_max} leaves no time for one trial, which takes {trial} with its warm-up; use at least that, \
         or a shorter --warmup or --duration"
    )]
    TimeMaxUnderTrial {
        /// The time of the search.
        time_max: Span,
        /// The time of a trial.
        trial: Span,
    },
    /// A rate that is none.
    #[error(
        "{field} is no rate from {} to {}; choose one within, or leave it out for the published one",
        OPS_PER_S.start(), OPS_PER_S.end()
    )]
    Rate {
        /// What the rate is called.
        field: &'static str,
    },
}

impl StreamsPlan {
    /// Says what is wrong with a plan made from flags, if anything is. One from a file was checked when it
    /// was read.
    ///
    /// # Errors
    /// [`PlanError`]: the first thing that is wrong, and its remedy.
    pub fn check(&self) -> Result<(), PlanError> {
        self.check_spelled(Spelling::Flags)?;
        // Not of a plan that is read: runs of earlier versions have such ones.
        let trial = Span(self.warmup.ns().saturating_add(self.duration.ns()));
        match self.find_max.and_then(|search| search.time_max).filter(|time_max| *time_max < trial) {
            Some(time_max) => Err(StreamsError::TimeMaxUnderTrial { time_max, trial }.into()),
            None => Ok(()),
        }
    }

    pub(super) fn check_spelled(&self, spelling: Spelling) -> Result<(), PlanError> {
        if self.plan_version > PLAN_VERSION {
            return Err(PlanError::Newer(self.plan_version));
        }
        if self.actors.is_empty() {
            return Err(StreamsError::NoActors.into());
        }
        if self.duration.ns() == 0 {
            return Err(PlanError::ZeroDuration(spelling));
        }
        if self.hang_after.ns() == 0 {
            return Err(PlanError::ZeroHangAfter(spelling));
        }
        for (index, actor) in self.actors.iter().enumerate() {
            let checked = check_actor(actor, spelling);
            checked.map_err(|problem| of_actor(problem, index, actor.kind, spelling))?;
        }
        if self.read_from.is_some() && !self.actors.iter().any(|actor| actor.kind.reads_footage()) {
            let why = "where nobody plays, edits or transcodes".to_owned();
            return Err(StreamsError::NoEffect { field: read_from_named(spelling), why }.into());
        }
        self.check_scale(spelling)
    }

    fn check_scale(&self, spelling: Spelling) -> Result<(), PlanError> {
        let largest = self.scale.0.iter().copied().max().unwrap_or(0);
        if largest == 0 {
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
                    return Err(StreamsError::ZeroTimeMax(spelling).into());
                }
                if search.repeats == 0 {
                    return Err(StreamsError::ZeroRepeats.into());
                }
                self.workers(start)
            }
            None => self.workers(largest),
        };
        match workers > WORKERS_MAX {
            true => Err(PlanError::TooManyWorkers { workers, setting: self.count_setting(spelling) }),
            false => Ok(()),
        }
    }
}

impl StreamsPlan {
    /// What sets the number of streams.
    fn count_setting(&self, spelling: Spelling) -> &'static str {
        let is_curve = self.actors.iter().any(|actor| has_table(actor.kind));
        match spelling {
            Spelling::Flags if is_curve => "--streams or --points",
            Spelling::Flags => "--count",
            Spelling::File => "count or scale",
        }
    }
}

/// Whether its transfers are those of a published table.
fn has_table(kind: ActorKind) -> bool {
    matches!(kind, ActorKind::Camera | ActorKind::Companion)
}

const fn read_from_named(spelling: Spelling) -> &'static str {
    match spelling {
        Spelling::Flags => "--read-from",
        Spelling::File => "read_from",
    }
}

/// Says whose problem it is, where there may be several. Flags describe only one sort of actor.
pub(super) fn of_actor(problem: PlanError, index: usize, kind: ActorKind, spelling: Spelling) -> PlanError {
    match spelling {
        Spelling::Flags => problem,
        Spelling::File => PlanError::Actor { number: index + 1, kind, problem: Box::new(problem) },
    }
}

fn check_actor(actor: &ActorPlan, spelling: Spelling) -> Result<(), PlanError> {
    if actor.count == 0 {
        return Err(StreamsError::ZeroCount { kind: actor.kind, spelling }.into());
    }
    let set = Setting::ALL.into_iter().filter(|setting| setting.is_set(actor));
    set.into_iter().try_for_each(|setting| setting.check_effect(actor, spelling))?;
    check_media(actor, spelling)?;
    check_nothing_is_zero(actor, spelling)?;
    check_most(actor, spelling)?;
    match actor.kind {
        ActorKind::Copier => check_block(actor, spelling)?,
        ActorKind::Mix => check_mix(actor, spelling)?,
        _ => {}
    }
    let field = Setting::FileSize.named(spelling);
    if Setting::FileSize.belongs_to(actor.kind) {
        let least = if has_table(actor.kind) { u64::from(vda_table::MAX_LEN) } else { 1 };
        check_file_size(actor.file_size, Size(least), || field.to_owned())?;
    }
    if has_table(actor.kind) && actor.file_size.bytes() < u64::from(vda_table::MAX_LEN) {
        return Err(StreamsError::FileUnderTransfer { field, kind: actor.kind, size: actor.file_size }.into());
    }
    match actor.ops_per_s.is_some_and(|rate| !OPS_PER_S.contains(&rate)) {
        true => Err(StreamsError::Rate { field: Setting::OpsPerS.named(spelling) }.into()),
        false => Ok(()),
    }
}

fn check_nothing_is_zero(actor: &ActorPlan, spelling: Spelling) -> Result<(), StreamsError> {
    let kind = actor.kind;
    let zeros = [
        (
            Setting::Buffer,
            actor.buffer.is_zero(),
            "a stream holds at least one frame in hand, like 1s or 12frames",
        ),
        (Setting::Clip, actor.clip.ns() == 0, "give it some time, like 10s"),
        (
            Setting::SyncEvery,
            actor.sync_every.is_some_and(|span| span.ns() == 0),
            "give it some time, like 1s, or leave it out",
        ),
        (Setting::Cameras, actor.cameras == 0, "an editor plays at least one"),
        (Setting::FileSize, actor.file_size.bytes() == 0, "give the files some size, from 1B to 1024TiB"),
        (Setting::Files, actor.files == 0, "use at least 1"),
    ];
    match zeros.into_iter().find(|(setting, is_zero, _)| *is_zero && setting.belongs_to(kind)) {
        Some((setting, _, remedy)) => Err(StreamsError::Zero { field: setting.named(spelling), remedy }),
        None => Ok(()),
    }
}

/// Refuses what would only fill the memory.
fn check_most(actor: &ActorPlan, spelling: Spelling) -> Result<(), StreamsError> {
    let buffer_frames = match actor.buffer {
        Buffer::Frames(frames) => frames,
        Buffer::Time(_) => 0,
    };
    let counted = [
        (Setting::Cameras, actor.cameras, CAMERAS_MAX),
        (Setting::Files, actor.files, FILES_MAX),
        (Setting::Buffer, buffer_frames, BUFFER_FRAMES_MAX),
    ];
    match counted.into_iter().find(|(_, count, most)| count > most) {
        Some((setting, _, most)) => Err(StreamsError::TooMany { field: setting.named(spelling), most }),
        None => Ok(()),
    }
}

fn check_block(actor: &ActorPlan, spelling: Spelling) -> Result<(), PlanError> {
    let (block, file) = (actor.block, actor.file_size);
    let setting = Setting::Block.named(spelling);
    if !BLOCK_BYTES.contains(&block.bytes()) {
        return Err(PlanError::BlockRange { block, setting: setting.to_owned() });
    }
    match block > file {
        true => Err(PlanError::BlockOverFile { block, file, setting: setting.to_owned(), spelling }),
        false => Ok(()),
    }
}

/// The profile of a mix must go with its file, also the one that it has when it names none.
fn check_mix(actor: &ActorPlan, spelling: Spelling) -> Result<(), PlanError> {
    let mut mix = match &actor.mix {
        Some(mix) => mix.clone(),
        None => Profile::named("production-edit").map(|profile| profile.plan()).unwrap_or_default(),
    };
    if actor.mix.is_none() {
        mix.file_size = actor.file_size;
    }
    mix.check_combination(spelling)?;
    mix.check_sizes(spelling)
}

fn check_media(actor: &ActorPlan, spelling: Spelling) -> Result<(), StreamsError> {
    let kind = actor.kind;
    let given = [actor.format.is_some(), actor.own_format.is_some(), actor.like.is_some()];
    match given.into_iter().filter(|&given| given).count() {
        0 if kind.has_media() => Err(StreamsError::NoFormat { kind, spelling }),
        0 | 1 => Ok(()),
        _ => Err(StreamsError::TwoFormats { kind }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::range::Ramp;
    use crate::streams::FindMaxPlan;

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
            (
                ActorPlan { cameras: 4, kind: ActorKind::Editor, format: None, ..player() },
                "an editor needs to know",
            ),
            (ActorPlan { files: 0, ..ActorPlan::new(ActorKind::Camera) }, "files"),
            (
                ActorPlan { file_size: Size::mib(1 << 40), ..ActorPlan::new(ActorKind::Camera) },
                "--file-size 1048576TiB is outside 1MiB to 1024TiB",
            ),
            (
                ActorPlan { file_size: Size::mib(1 << 40), ..ActorPlan::new(ActorKind::Copier) },
                "--file-size 1048576TiB is outside 1B to 1024TiB",
            ),
            (
                ActorPlan { file_size: Size(0), ..ActorPlan::new(ActorKind::Copier) },
                "--file-size is 0; give the files some size, from 1B to 1024TiB",
            ),
            (ActorPlan { file_size: Size::kib(64), ..ActorPlan::new(ActorKind::Camera) }, "1MiB or more"),
        ];
        for (actor, remedy) in cases {
            let error = plan(actor).check().unwrap_err().to_string();
            assert!(error.contains(remedy), "{error:?} does not say {remedy:?}");
        }
    }

    #[test]
    fn rates_are_bounded_at_both_ends() {
        let camera = |rate| plan(ActorPlan { ops_per_s: Some(rate), ..ActorPlan::new(ActorKind::Camera) });
        for rate in [0.001, 9.0, 100_000.0] {
            assert_eq!(camera(rate).check(), Ok(()));
        }
        for rate in [0.0, -1.0, 0.000_9, 100_001.0, 1e300, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE] {
            let error = camera(rate).check().unwrap_err().to_string();
            assert!(error.contains("no rate from 0.001 to 100000"), "{rate}: {error}");
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
            (StreamsPlan { scale: Ramp(vec![5000]), ..sound() }, "--count makes 5000 workers"),
            (
                StreamsPlan { scale: Ramp(vec![1, 2]), find_max: find_max(1, None), ..sound() },
                "leave out scale",
            ),
            (StreamsPlan { find_max: find_max(8, Some(4)), ..sound() }, "raise cap"),
            (StreamsPlan { find_max: find_max(0, None), ..sound() }, "lower start"),
            (
                StreamsPlan {
                    warmup: Span::secs(300),
                    duration: Span::secs(2),
                    find_max: Some(FindMaxPlan { time_max: Some(Span::secs(25)), ..FindMaxPlan::default() }),
                    ..sound()
                },
                "leaves no time for one trial, which takes 302s",
            ),
            (
                StreamsPlan {
                    read_from: Some("/mnt/nas/archive".into()),
                    ..plan(ActorPlan { kind: ActorKind::Recorder, ..player() })
                },
                "--read-from has no effect where nobody plays",
            ),
        ];
        for (plan, remedy) in cases {
            let error = plan.check().unwrap_err().to_string();
            assert!(error.contains(remedy), "{error:?} does not say {remedy:?}");
        }
    }
}
