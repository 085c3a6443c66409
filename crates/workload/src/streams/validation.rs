//! The problems of a plan of actors, checked before anything is accessed.

use super::{ActorKind, ActorPlan, StreamsPlan};
use crate::plan::{PLAN_VERSION, PlanError, WORKERS_MAX, check_file_size};
use crate::spelling::Spelling;
use crate::units::{Size, Span};

/// Permitted transfers per second of one camera or companion. Rates are exact to a millionth of a
/// transfer per second, so slower ones would be inexact. Faster ones exceed what a process can do
/// sequentially.
pub const OPS_PER_S: std::ops::RangeInclusive<f64> = 0.001..=100_000.0;

/// The problem of a plan of actors. Each message names the problem, its place and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamsError {
    /// There are no actors.
    #[error("the plan has no actors. Add at least one [[actor]] with its kind")]
    NoActors,
    /// The number of actors of a kind is 0.
    #[error("{} leaves no {kind} to run. Use at least 1", spelling.set("count", "0"))]
    ZeroCount {
        kind: ActorKind,
        /// The source of the count.
        spelling: Spelling,
    },
    /// A value must not be 0.
    #[error("{field} is 0: {remedy}")]
    Zero {
        /// The name of the value.
        field: String,
        remedy: &'static str,
    },
    /// There is no format.
    #[error(
        "{} needs a format. Add {} ('reelgauge formats WORDS' finds one) or {}",
        kind.with_article(), spelling.set("format", "ID"), spelling.set("like", "FILE")
    )]
    NoFormat {
        kind: ActorKind,
        /// The source of the plan.
        spelling: Spelling,
    },
    /// There is more than one format.
    #[error("{} takes only one of format, own_format and like. Remove the others", kind.with_article())]
    TwoFormats { kind: ActorKind },
    /// A setting has no effect.
    #[error("{field} has no effect {why}. Omit it")]
    NoEffect {
        field: String,
        /// The context, and the reason.
        why: String,
    },
    /// There is no load point.
    #[error("the scale is empty or 0. Give at least one number, like 1 or 1..4")]
    EmptyScale,
    /// There are a scale and a search.
    #[error("find_max sets the scale itself. Omit scale")]
    ScaleAndSearch,
    /// The range of the search is invalid.
    #[error(
        "the search cannot go from {start} to {cap}. Use a start of 1 or more, and a cap that is not smaller"
    )]
    SearchRange {
        /// The first scale.
        start: u32,
        /// The last scale.
        cap: u32,
    },
    /// The number of repeats of the search is 0.
    #[error("find_max must try its answer at least once. Use repeats = 3")]
    ZeroRepeats,
    /// A file is smaller than its largest transfer.
    #[error("{field} {size} is less than the {kind}'s largest transfer of 1MiB. Use 1MiB or more")]
    FileUnderTransfer {
        /// The name of the size.
        field: String,
        kind: ActorKind,
        size: Size,
    },
    /// A number is larger than one worker supports.
    #[error("{field} must be at most {most}{unit}")]
    TooMany {
        /// The name of the number.
        field: String,
        most: u32,
        /// The unit, after a space; empty for a plain number.
        unit: &'static str,
    },
    /// The time of the search is 0.
    #[error("{} leaves no time to search. Set a time, like 5m, or omit it", .0.set("time_max", "0s"))]
    ZeroTimeMax(Spelling),
    /// The time of the search is shorter than one trial.
    #[error(
        "--time-max {time_max} is too short for one trial, which takes {trial} with its warm-up. Use a \
         longer --time-max, or a shorter --warmup or --duration"
    )]
    TimeMaxUnderTrial {
        /// The time of the search.
        time_max: Span,
        /// The time of a trial.
        trial: Span,
    },
    /// A rate is out of range.
    #[error(
        "{field} is not a rate from {} to {}. Choose one in this range, or omit it for the published rate",
        OPS_PER_S.start(), OPS_PER_S.end()
    )]
    Rate {
        /// The name of the rate.
        field: String,
    },
}

impl StreamsPlan {
    /// Checks a plan made from flags. A plan from a file was checked when it was read.
    ///
    /// # Errors
    /// [`PlanError`]: the first problem, with its remedy.
    pub fn check(&self) -> Result<(), PlanError> {
        self.check_spelled(Spelling::Flags)?;
        // This check is not made for a plan that is read, because runs of earlier versions may violate
        // it.
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
            checked.map_err(|problem| of_actor(problem, index, actor.kind(), spelling))?;
        }
        if self.read_from.is_some() && !self.actors.iter().any(|actor| actor.kind().reads_footage) {
            let why = "without players, editors or transcoders".to_owned();
            return Err(StreamsError::NoEffect { field: spelling.name("read_from"), why }.into());
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
    /// The setting that determines the number of streams.
    fn count_setting(&self, spelling: Spelling) -> &'static str {
        let is_curve = self.actors.iter().any(|actor| actor.outline(None).ops_per_s.is_some());
        match spelling {
            Spelling::Flags if is_curve => "--streams or --points",
            Spelling::Flags => "--count",
            Spelling::File => "count or scale",
        }
    }
}

/// Adds the actor to a problem, if there may be several. Flags describe only one kind of actor.
pub(super) fn of_actor(problem: PlanError, index: usize, kind: ActorKind, spelling: Spelling) -> PlanError {
    match spelling {
        Spelling::Flags => problem,
        Spelling::File => PlanError::Actor { number: index + 1, kind, problem: Box::new(problem) },
    }
}

fn check_actor(actor: &ActorPlan, spelling: Spelling) -> Result<(), PlanError> {
    let kind = actor.kind();
    match actor.count {
        0 => Err(StreamsError::ZeroCount { kind, spelling }.into()),
        _ => actor.actor().check(&Check { kind, spelling }),
    }
}

/// The result of checking an actor.
pub type Checked = Result<(), PlanError>;

/// The context for checking the settings of an actor.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The kind of the actor.
    pub kind: ActorKind,
    /// The source of its plan.
    pub spelling: Spelling,
}

impl Check {
    /// Fails if a value is 0.
    pub(crate) fn not_zero(
        &self,
        key: &str,
        is_zero: bool,
        remedy: &'static str,
    ) -> Result<(), StreamsError> {
        if is_zero { Err(StreamsError::Zero { field: self.spelling.name(key), remedy }) } else { Ok(()) }
    }

    /// Fails for a number that would exhaust the memory.
    pub(crate) fn at_most(
        &self,
        key: &str,
        count: u32,
        most: u32,
        unit: &'static str,
    ) -> Result<(), StreamsError> {
        if count > most {
            Err(StreamsError::TooMany { field: self.spelling.name(key), most, unit })
        } else {
            Ok(())
        }
    }

    /// Fails for a file size of 0, or one that no storage supports.
    pub(crate) fn file_size(&self, size: Size, least: Size) -> Checked {
        let remedy = "use a file size from 1B to 1024TiB";
        self.not_zero("file_size", size.bytes() == 0, remedy)?;
        check_file_size(size, least, || self.spelling.name("file_size"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::camera::CameraPlan;
    use crate::range::Ramp;
    use crate::streams::FindMaxPlan;
    use crate::vda_table::VdaLoad;

    /// An actor made from flags.
    fn actor(settings: &str) -> Result<ActorPlan, PlanError> {
        ActorPlan::from_settings(settings.parse::<toml::Table>().unwrap(), Spelling::Flags)
    }

    fn player() -> ActorPlan {
        actor("kind = 'player'\nformat = 'prores-422-hq-uhd-25'").unwrap()
    }

    fn plan(actor: ActorPlan) -> StreamsPlan {
        StreamsPlan { actors: vec![actor], ..StreamsPlan::default() }
    }

    #[test]
    fn a_sound_plan_passes() {
        assert_eq!(plan(player()).check(), Ok(()));
        assert_eq!(plan(actor("kind = 'copier'").unwrap()).check(), Ok(()));
    }

    #[test]
    fn mistakes_of_an_actor_are_named_with_their_remedy() {
        let footage = "format = 'prores-422-hq-uhd-25'";
        let with = |kind: &str, line: &str| format!("kind = '{kind}'\n{footage}\n{line}");
        let cases = [
            (with("player", "count = 0"), "--count 0"),
            ("kind = 'player'".to_owned(), "--format ID"),
            (with("player", "like = 'x.mov'"), "only one of"),
            (with("copier", ""), "no effect on a copier"),
            (with("player", "buffer = '0frames'"), "12frames"),
            (with("player", "buffer = '0s'"), "--buffer"),
            (with("player", "clip = '0s'"), "--clip"),
            (with("player", "preallocated = true"), "--preallocated has no effect on a player"),
            (with("editor", "cameras = 0"), "--cameras"),
            (with("player", "cameras = 9"), "--cameras has no effect"),
            (with("recorder", "sync_every = '0s'"), "--sync-every"),
            (with("recorder", "read_ahead = 'open'"), "--read-ahead has no effect"),
            (with("editor", "cameras = 65"), "at most 64"),
            ("kind = 'camera'\nfiles = 2000".to_owned(), "at most 1024"),
            (with("player", "buffer = '36001frames'"), "at most 36000"),
            ("kind = 'copier'\nblock = '100B'".to_owned(), "512B to 64MiB"),
            ("kind = 'copier'\nfile_size = '4KiB'".to_owned(), "larger than the file"),
            ("kind = 'editor'".to_owned(), "an editor needs a format"),
            ("kind = 'camera'\nfiles = 0".to_owned(), "files"),
            ("kind = 'camera'\nfile_size = '64KiB'".to_owned(), "1MiB or more"),
            (
                format!("kind = 'camera'\nfile_size = '{}TiB'", 1 << 20),
                "--file-size 1048576TiB is outside 1MiB to 1024TiB",
            ),
            (
                format!("kind = 'copier'\nfile_size = '{}TiB'", 1 << 20),
                "--file-size 1048576TiB is outside 1B to 1024TiB",
            ),
            (
                "kind = 'copier'\nfile_size = '0B'".to_owned(),
                "--file-size is 0: use a file size from 1B to 1024TiB",
            ),
        ];
        for (settings, remedy) in cases {
            let checked = actor(&settings).and_then(|actor| plan(actor).check());
            let error = checked.unwrap_err().to_string();
            assert!(error.contains(remedy), "{error:?} does not say {remedy:?}");
        }
    }

    #[test]
    fn rates_are_bounded_at_both_ends() {
        let mut printed = Vec::<String>::new();
        let camera = |rate| {
            let load = VdaLoad { ops_per_s: Some(rate), ..VdaLoad::default() };
            plan(CameraPlan { load }.into())
        };
        for rate in [0.001, 9.0, 100_000.0] {
            assert_eq!(camera(rate).check(), Ok(()));
        }
        for rate in [0.0, -1.0, 0.000_9, 100_001.0, 1e300, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE] {
            let error = camera(rate).check().unwrap_err().to_string();
            printed.push(error.to_string());
        }
        insta::assert_snapshot!(printed.join("\n"));
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
            (StreamsPlan { scale: Ramp(vec![5000]), ..sound() }, "--count results in 5000 workers"),
            (StreamsPlan { scale: Ramp(vec![1, 2]), find_max: find_max(1, None), ..sound() }, "Omit scale"),
            (StreamsPlan { find_max: find_max(8, Some(4)), ..sound() }, "from 8 to 4"),
            (StreamsPlan { find_max: find_max(0, None), ..sound() }, "start of 1 or more"),
            (
                StreamsPlan {
                    warmup: Span::secs(300),
                    duration: Span::secs(2),
                    find_max: Some(FindMaxPlan { time_max: Some(Span::secs(25)), ..FindMaxPlan::default() }),
                    ..sound()
                },
                "is too short for one trial, which takes 302s",
            ),
            (
                StreamsPlan {
                    read_from: Some("/mnt/nas/archive".into()),
                    ..plan(actor("kind = 'recorder'\nformat = 'prores-422-hq-uhd-25'").unwrap())
                },
                "--read-from has no effect without players",
            ),
        ];
        for (plan, remedy) in cases {
            let error = plan.check().unwrap_err().to_string();
            assert!(error.contains(remedy), "{error:?} does not say {remedy:?}");
        }
    }
}
