//! Compares two to eight runs: before and after, vendor A and B, month by month. For each figure it
//! reports what changed, and how much it would have changed by chance.
//!
//! # Where the noise comes from
//!
//! A difference counts only if it is larger than the noise. The noise is estimated from the best
//! evidence that the runs have:
//!
//! 1. **Repeats**, if there are any (three runs before, three after). The spread among runs of the same
//!    configuration includes everything that differs from run to run, so it is the best evidence. Means
//!    are compared by Student's t, with the spread pooled over all sides. This takes two degrees of
//!    freedom (two pairs of runs, or three runs and one). With fewer, the observed spread is only a
//!    lower bound for case 2.
//! 2. **Single runs** (`evidence`): the seconds of the load point are divided into at most ten equal
//!    stretches. The spread of the stretches' means gives the uncertainty of the overall mean
//!    (non-overlapping batch means). Single seconds would underestimate it, because neighbouring seconds
//!    are correlated. Correlation that remains between neighbouring stretches widens the noise. With so
//!    few stretches, Student's t is the right distribution.
//!    * Throughput and op rates: as above.
//!    * Mean response: if workers always have one operation in flight, response × rate is constant
//!      (Little's law), so the mean response is as certain as the op rate. If workers pause, the slowest
//!      operations of the stretches are used instead.
//!    * Percentiles: a summary holds six points of the distribution and no histogram. So two
//!      uncertainties are added. The first is that of the order statistic, where the share of slow
//!      operations is assumed to be known to a fifth at best. The second lies between that of the mean
//!      and that of the stretches' slowest operations, depending on how far out in the tail the
//!      percentile lies.
//!    * The maximum is one operation. Its spread is that of the stretches' maxima on a logarithmic
//!      scale, and never less than a factor of two. For heavy tails this spread is the same for
//!      stretches and for the whole.
//!    * Errors come in bursts. Their counts per stretch are treated like rates, and are never more
//!      certain than a Poisson count.
//!    * Late frames are counted by their causes ([`incidents`]): from no disturbance to one is a change;
//!      from one disturbance to another, however long, is not.
//!    * Searches: the counts that passed only sometimes, and one stream. A quick check (`check`): a
//!      fifth, because each count was played once.
//!    * A single run cannot show what differs from run to run (where files are on the disks, what the
//!      caches held). The same replay on the same storage differs by up to 15 % (NASPT paper). So every
//!      figure of single runs has a floor, [`FLOOR_RATE`] for throughput. Smaller differences are never
//!      reported as changes.
//! 3. **Too short** (fewer than five full seconds): the judgement is "unknown".
//!
//! Of a hundred figures that did not change, two may be called changed by chance. Tests with simulated
//! runs, including unsteady ones, require fewer than five.
//!
//! # Hosts of one run
//!
//! Hosts that did the same work at the same time are compared with one another by the same noise: see
//! [`siblings`].
//!
//! # What is not compared
//!
//! Throughput that a clock requests (the throughput of players, the rate of cameras) is demand. It
//! describes the request and not the storage. Between runs with different stream counts, only figures
//! that show whether the streams were sustained are compared. Between runs of different work, nothing is
//! compared ([`Kinship`]). Between runs of the same kind of work with another plan (other block sizes,
//! another route to the files), it is compared whether streams were sustained; throughput is at most
//! "different", and response times are not compared.
//!
//! Not here: reading runs, formatting numbers (passed in as [`Say`]), and all sentences (in the report
//! crate).

mod comparability;
pub(crate) mod evidence;
mod figures;
mod gate;
mod incidents;
mod judge;
mod label;
mod rows;
pub mod siblings;
mod sides;
mod suites;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::statement::{self, Inconclusive};
use crate::summary::Summary;
use sides::Sides;

pub use comparability::{Kinship, PlanDifference, WorkActor};
pub use figures::{
    INCIDENTS, KNOWN_FIGURES, KnownFigure, LATE_FRAMES, SEARCH, SILENCE, STREAMS_HIT, SUITE_MEAN,
    SUITE_WORKLOAD, VERDICT, WORST_MARGIN, Weight, is_about_reelgauge, is_headline, is_of_streams, weight,
};
pub use gate::Gate;
pub use judge::{MeanScale, ratio_bounds};
pub use label::FigureLabel;
pub use suites::suite_rows;

/// Runs per comparison, at most. A table with more columns is unreadable.
pub const RUNS_MAX: usize = 8;

/// Smaller differences of throughput and mean response between single runs are not evidence, as a share.
pub const FLOOR_RATE: f64 = 0.03;

/// A comparison of runs; the first run is the reference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Comparison {
    /// The runs, in the order given.
    pub runs: Vec<ComparedRun>,
    /// Their figures: those of the whole run, then load point by load point.
    pub rows: Vec<ComparisonRow>,
    /// The results of the streams, for each load point that has streams.
    pub late: Vec<ComparedLate>,
}

/// One of the runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedRun {
    /// Name of the run directory.
    pub id: String,
    /// The user's own name for the run; may be empty.
    pub label: String,
    /// The command.
    pub verb: String,
    /// When it started, RFC 3339; empty if it was not recorded.
    pub started_at: String,
    /// Where the test data was.
    pub target: String,
    /// Runs with the same number repeat one another and are evaluated together. 0 is the side of the
    /// first run.
    pub side: u32,
    /// The actors of the run; empty if unknown.
    pub work: Vec<WorkActor>,
    /// Whether it searched for the largest number of streams, instead of running a given number.
    pub searches: bool,
    /// How it is related to the first run.
    pub kinship: Kinship,
    /// Where its plan differs from that of the first run.
    #[serde(default)]
    pub plan_differences: Vec<PlanDifference>,
    /// The user's tags, for finding the run.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The tags that not all sides have, which distinguish this run. Empty if there are none.
    #[serde(default)]
    pub distinguishing_tags: Vec<String>,
    /// What was measured, and from where.
    pub system: ComparedSystem,
    /// The reasons why the run is inconclusive; empty if it is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inconclusive: Vec<Inconclusive>,
}

/// A storage system and the client that measured it. Fields that were neither detected nor entered are
/// `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedSystem {
    /// The maker of the storage, as the user entered it.
    pub make: Option<String>,
    /// The model of the storage, as the user entered it.
    pub model: Option<String>,
    /// The firmware or version of the storage, as the user entered it.
    pub firmware: Option<String>,
    /// Other entries of the user about the storage, by name.
    #[serde(default)]
    pub other: BTreeMap<String, String>,
    /// For display: `SMB 3.1.1 from nas1`.
    pub protocol: Option<String>,
    /// `nfs4`, `cifs`, `ext4`, …
    pub fs_type: Option<String>,
    /// The source of the mount, such as a share or a block device.
    pub source: Option<String>,
    /// Mount options as the system states them.
    pub mount_options: Option<String>,
    /// Host name of the client; of the first one, if there are several.
    pub client: Option<String>,
    /// Its operating system and kernel.
    pub client_system: Option<String>,
    /// Its processors and memory.
    pub client_hardware: Option<String>,
    /// Its network links that were up.
    pub client_links: Option<String>,
    /// What the client was set to, by name.
    #[serde(default)]
    pub client_settings: BTreeMap<String, String>,
}

/// The results of the streams of one load point in one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedLate {
    /// The load point, as [`ComparisonRow::group`] has it.
    pub group: String,
    /// The run, from 0.
    pub run: u32,
    /// How long the measured part was.
    pub measured_s: f64,
    /// How many streams had frames to judge.
    pub streams: u64,
    /// How many of these streams had late frames.
    pub streams_with_late_frames: u64,
    /// Frames whose deadline was in the measured part.
    pub frames_judged: u64,
    /// How many of these frames were late.
    pub late_frames: u64,
    /// Disturbances that caused late frames.
    pub incidents: u64,
    /// The disturbance with the most late frames; `None` if there was none.
    pub worst_incident: Option<ComparedIncident>,
}

/// One disturbance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedIncident {
    /// When it began, in the load point.
    pub began_in_point_s: f64,
    /// From the first late frame's deadline to the next frame in time.
    pub length_s: f64,
    /// How many frames it made late.
    pub late_frames: u64,
}

/// One figure of all runs. The lists have one entry for each run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparisonRow {
    /// The load point; empty for figures of the whole run.
    pub group: String,
    /// Name of the figure, as in summary.json: `total.read_bytes_per_s`.
    pub figure: String,
    /// The label for screens, with the unit of `texts`: `read, MB/s`.
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub label: FigureLabel,
    /// The unit of `values`.
    pub unit: FigureUnit,
    /// Which direction is good.
    pub better: Better,
    /// The measured values; `None` if not measured.
    pub values: Vec<Option<f64>>,
    /// The same values as the terminal prints them; `-` for `None`.
    pub texts: Vec<String>,
    /// Change from the first run, or from the first side's mean to this side's mean. `None` for the
    /// first side, and if one of the two is missing or the first is 0.
    pub change_percent: Vec<Option<f64>>,
    /// Smaller differences are within the noise. `None` if the noise is unknown or has no percentage.
    pub noise_percent: Vec<Option<f64>>,
    /// The judgement for each run.
    pub judgement: Vec<Judgement>,
}

/// Which direction is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither.
    Neither,
}

/// The judgement on a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ComparisonJudgement"))]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The reference for the other runs.
    Base,
    /// The difference is not larger than the noise.
    Same,
    /// Better by more than the noise.
    Better,
    /// Worse by more than the noise.
    Worse,
    /// Different by more than the noise, and neither direction is good.
    Different,
    /// There is too little evidence for a judgement.
    Unknown,
    /// The figure is a requested rate, and no evidence about the storage.
    Demand,
    /// The runs did different operations, so the figures cannot be compared.
    OtherPlan,
}

/// Units of values in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FigureUnit {
    /// Bytes per second.
    BytesPerS,
    /// MB per second, for figures that the summary gives in this unit.
    MbPerS,
    /// Operations per second.
    PerS,
    /// Microseconds, shown as ms.
    Us,
    /// Microseconds, shown as µs: for the small delays of Reelgauge itself.
    SmallUs,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
    /// Something counted.
    Count,
    /// Streams.
    Streams,
    /// Criteria: 1 if they were met, else 0.
    Verdict,
}

/// A run to be compared.
#[derive(Clone, Copy, Debug)]
pub struct RunToCompare<'a> {
    /// Name of the run directory.
    pub id: &'a str,
    pub summary: &'a Summary,
    /// The hosts it ran on; empty if unknown.
    pub machines: &'a [Machine],
    /// The actors of the run; empty if unknown.
    pub work: &'a [WorkActor],
}

/// A host of a run, with the properties that matter in a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    pub name: String,
    /// Operating system and kernel, in words.
    pub system: String,
    /// Processors and memory, in words.
    pub hardware: String,
    /// Network links that were up, in words.
    pub links: Vec<String>,
    /// The settings of the run, by name.
    pub settings: BTreeMap<String, String>,
}

/// A number as it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shown {
    /// The exact value.
    Exactly(f64),
    /// A lower bound.
    AtLeast(f64),
    /// The value lies between these two.
    Between(f64, f64),
}

/// Formats a number of this unit, without the unit.
pub type Say = dyn Fn(FigureUnit, Shown) -> String;

/// Why runs cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Too few or too many runs.
    #[error("{0} runs were given. Name 2 to {RUNS_MAX} runs, the baseline first")]
    RunCount(usize),
    /// The number of runs is not divisible by the number of repeats.
    #[error(
        "{runs} runs cannot be split into groups of {repeats}. Name {repeats} runs for each of at least two \
         groups, the baseline group first"
    )]
    Repeats {
        /// How many runs there are.
        runs: usize,
        /// How many runs repeat one another.
        repeats: usize,
    },
    /// The same run given twice as its own repeat, which has no spread.
    #[error("runs {first} and {second} are the same run. Repeats must be separate runs")]
    Twice {
        /// Number of one of them, from 1.
        first: usize,
        /// Number of the other.
        second: usize,
    },
}

/// Compares runs with the first of them. `repeats` is the number of consecutive runs that repeat one
/// another. Without it, runs with the same configuration are taken as repeats, unless all runs have the
/// same one.
///
/// # Errors
/// If the number of runs does not fit.
pub fn compare(
    runs: &[RunToCompare<'_>],
    repeats: Option<usize>,
    say: &Say,
) -> Result<Comparison, CompareError> {
    if !(2..=RUNS_MAX).contains(&runs.len()) {
        return Err(CompareError::RunCount(runs.len()));
    }
    let sides = match repeats {
        Some(repeats) => sides::given(runs, repeats)?,
        None => sides::found(runs),
    };
    Ok(of_sides(runs, &sides, say))
}

/// Compares any number of runs; each side has `repeats` consecutive runs. For figures over sides only: a
/// table with this many columns would be unreadable.
///
/// # Errors
/// If the number of runs does not fit.
pub fn compare_repeats(
    runs: &[RunToCompare<'_>],
    repeats: usize,
    say: &Say,
) -> Result<Comparison, CompareError> {
    Ok(of_sides(runs, &sides::given(runs, repeats)?, say))
}

fn of_sides(runs: &[RunToCompare<'_>], sides: &Sides, say: &Say) -> Comparison {
    let kinships = comparability::kinships(runs);
    let table = rows::table(runs, sides, &kinships, say);
    let compared = |at: usize| ComparedRun {
        side: sides.of_run[at] as u32,
        kinship: kinships[at],
        plan_differences: comparability::plan_differences(&runs[0], &runs[at]),
        distinguishing_tags: distinguishing_tags(runs, at),
        ..compared(&runs[at])
    };
    Comparison { runs: (0..runs.len()).map(compared).collect(), rows: table.rows, late: table.late }
}

/// The tags of a run that not all runs have.
fn distinguishing_tags(runs: &[RunToCompare<'_>], at: usize) -> Vec<String> {
    let is_common = |tag: &&String| runs.iter().all(|run| run.summary.tags.contains(tag));
    runs[at].summary.tags.iter().filter(|tag| !is_common(tag)).cloned().collect()
}

fn compared(run: &RunToCompare<'_>) -> ComparedRun {
    ComparedRun {
        id: run.id.to_owned(),
        label: run.summary.label.clone(),
        verb: run.summary.verb.clone(),
        started_at: run.summary.started_at.clone(),
        target: run.summary.target.path.clone(),
        work: run.work.to_vec(),
        searches: run.summary.search.is_some(),
        tags: run.summary.tags.clone(),
        system: system(run),
        inconclusive: statement::of(run.summary).inconclusive,
        ..ComparedRun::default()
    }
}

fn system(run: &RunToCompare<'_>) -> ComparedSystem {
    let target = &run.summary.target;
    let storage = run.summary.storage.clone();
    let client = run.machines.first();
    let of_client = |of: fn(&Machine) -> &String| known(client.map_or("", |client| of(client)));
    ComparedSystem {
        make: storage.make,
        model: storage.model,
        firmware: storage.firmware,
        other: storage.other,
        protocol: target.description.clone(),
        fs_type: target.fs_type.clone(),
        source: target.source.clone(),
        mount_options: target.mount_options.clone(),
        client: of_client(|client| &client.name),
        client_system: of_client(|client| &client.system),
        client_hardware: of_client(|client| &client.hardware),
        client_links: client.and_then(|client| known(&client.links.join("; "))),
        // An unknown setting takes no part in the comparison.
        client_settings: client.map(|client| client.settings.clone()).unwrap_or_default(),
    }
}

/// `None` for an empty text.
fn known(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

impl Comparison {
    /// The side of a run.
    pub fn side(&self, run: usize) -> u32 {
        self.runs.get(run).map_or(0, |run| run.side)
    }

    /// Whether runs repeat one another and are taken together.
    pub fn has_repeats(&self) -> bool {
        (1..self.runs.len()).any(|run| (0..run).any(|before| self.side(before) == self.side(run)))
    }

    /// The results of the streams of a load point in a run.
    pub fn late_of(&self, group: &str, run: usize) -> Option<&ComparedLate> {
        self.late.iter().find(|late| late.group == group && late.run as usize == run)
    }

    /// One run per side for lists: the first run of each side, without the first run's side.
    pub fn others(&self) -> Vec<usize> {
        let is_first = |&at: &usize| (0..at).all(|before| self.side(before) != self.side(at));
        (1..self.runs.len()).filter(is_first).collect()
    }
}

impl ComparisonRow {
    /// Whether a run has a figure to be judged on. "No late frame" shows performance; "no failed
    /// operation" does not.
    pub fn is_judged(&self, run: usize) -> bool {
        let is_not_zero = self.values.iter().flatten().any(|value| *value != 0.0);
        let says_something = is_not_zero || is_of_streams(&self.figure);
        let judged = matches!(
            self.judgement.get(run),
            Some(Judgement::Same | Judgement::Better | Judgement::Worse | Judgement::Different)
        );
        says_something && judged
    }
}
