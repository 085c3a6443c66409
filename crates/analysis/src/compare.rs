//! Two to eight runs side by side: before and after, vendor A and B, month by month. Figure by figure, what
//! changed, and by how much it would have changed anyway.
//!
//! # The noise, and why it is taken so
//!
//! A difference counts only where it is larger than the noise, and what the noise is has to come from
//! somewhere:
//!
//! 1. **Repeats**, where there are any (three runs before, three after): the spread among runs that did the
//!    same holds everything that differs from run to run, so it is the best evidence there is. Means are
//!    compared, by Student's t with the spread pooled over all sides. It takes two degrees of freedom (four
//!    runs in two pairs, or three and one); with less, the observed spread is only a lower bound to 2.
//! 2. **One run alone** (`evidence`): the load point's seconds are cut into at most ten equal
//!    stretches. How far the stretches' means lie apart tells how sure the mean of the whole is
//!    (non-overlapping batch means). Stretches, and not seconds, because neighbouring seconds are alike, by
//!    which their spread makes the mean look surer than it is; what likeness is left between neighbouring
//!    stretches widens the noise. With so few of them Student's t is what fits.
//!    * Throughput and op rates: as said.
//!    * Mean response: workers that always have one operation in flight make response × rate constant
//!      (Little's law), so it is as sure as the op rate. Where workers pause, the slowest operations of the
//!      stretches stand in.
//!    * Percentiles: a summary holds six points of the distribution and no histogram. So two uncertainties
//!      are added: that of the order statistic, for which the share of slow operations is taken to be no
//!      better known than by a fifth; and one between that of the mean and that of the stretches' slowest
//!      operations, in proportion to how far out in the tail the percentile lies.
//!    * The maximum is one operation. Its spread is that of the stretches' maxima on a logarithmic scale,
//!      which for heavy tails is the same for stretches and for the whole, and never less than a factor of
//!      two.
//!    * Errors come in bursts: their counts per stretch are taken like rates, and never better known than a
//!      Poisson count.
//!    * Late frames are counted by what made them late ([`incidents`]): from no disturbance to one is a
//!      change, from one to another, however long, is none.
//!    * Searches: the counts that passed only sometimes, and one stream. A first look (`check`): a fifth,
//!      because each count was played once.
//!    * What a single run can't know is what differs from run to run (where files came to lie, what the
//!      caches held). The same replay on the same storage differs by up to 15 % (NASPT paper). So every
//!      figure of single runs has a floor, [`FLOOR_RATE`] for throughput, below which nothing is said.
//! 3. **Too short** (fewer than five full seconds): nobody knows, and the judgement is "unknown".
//!
//! Of a hundred figures that did not change, two are to be called changed by chance. Tests with simulated
//! runs, moody ones too, hold it to less than five.
//!
//! # Machines of one run
//!
//! Machines that did the same at the same time are held against one another by the same noise: see
//! [`siblings`].
//!
//! # What is not compared
//!
//! What a clock asked for (the throughput of players, the rate of cameras) is demand: it says what was asked
//! and nothing about the storage. Of runs with other numbers of streams only what says whether the streams
//! were carried is compared, and nothing of runs that did other work ([`Kinship`]). Of the same kind of work
//! by another plan (other blocks, another way to the files) whether streams were carried is compared;
//! throughput is different at most, and times of operations are not compared.
//!
//! Not here: reading runs, how numbers become text (handed in as [`Say`]), and every sentence (the report
//! room's).

mod comparability;
pub(crate) mod evidence;
mod figures;
mod gate;
mod incidents;
mod judge;
mod label;
mod of_suites;
mod rows;
pub mod siblings;
mod sides;

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
    SUITE_WORKLOAD, VERDICT, WORST_MARGIN, Weight, is_headline, is_of_streams, is_of_the_tool, weight,
};
pub use gate::Gate;
pub use judge::{MeanScale, ratio_bounds};
pub use label::FigureLabel;
pub use of_suites::suite_rows;

/// So many runs are compared at most: more columns are read by nobody.
pub const RUNS_MAX: usize = 8;

/// Differences of throughput and mean response between single runs that are below this share say nothing.
pub const FLOOR_RATE: f64 = 0.03;

/// Runs side by side; the first is what the others are compared with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Comparison {
    /// The runs, in the order given.
    pub runs: Vec<ComparedRun>,
    /// Their figures: those of the whole run, then load point by load point.
    pub rows: Vec<ComparisonRow>,
    /// What came of the streams of every load point that has some.
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
    /// When it started, RFC 3339; empty where nobody wrote it down.
    pub started_at: String,
    /// Where the data lay.
    pub target: String,
    /// Runs with the same number repeat one another and are taken together; 0 is the side of the first run.
    pub side: u32,
    /// Who worked; empty where that is not known.
    pub work: Vec<WorkActor>,
    /// It looked for the largest number of streams, instead of running a given one.
    pub searches: bool,
    /// How it is related to the first run.
    pub kinship: Kinship,
    /// Where its plan differs from that of the first run.
    #[serde(default)]
    pub plan_differences: Vec<PlanDifference>,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Those of them that not all sides have: what tells it from the others. Empty where none does.
    #[serde(default)]
    pub distinguishing_tags: Vec<String>,
    /// What was measured, and from where.
    pub system: ComparedSystem,
    /// Why it is inconclusive; empty where it is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inconclusive: Vec<Inconclusive>,
}

/// A storage and the client that measured it. What nobody found out or wrote down is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedSystem {
    /// Who made the storage, as people say.
    pub make: Option<String>,
    /// Which storage it is, as people say.
    pub model: Option<String>,
    /// Its firmware or version, as people say.
    pub firmware: Option<String>,
    /// Anything else that people say of it, by name.
    #[serde(default)]
    pub other: BTreeMap<String, String>,
    /// For display: `SMB 3.1.1 from nas1`.
    pub protocol: Option<String>,
    /// `nfs4`, `cifs`, `ext4`, …
    pub fs_type: Option<String>,
    /// The mounted thing.
    pub source: Option<String>,
    /// Mount options as the system states them.
    pub mount_options: Option<String>,
    /// Host name of the client; of the first one, where there are several.
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

/// What came of the streams of one load point in one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedLate {
    /// The load point, as [`ComparisonRow::group`] has it.
    pub group: String,
    /// The run, from 0.
    pub run: u32,
    /// How long was measured.
    pub measured_s: f64,
    /// How many streams had frames.
    pub streams: u64,
    /// How many of them had late ones.
    pub streams_with_late_frames: u64,
    /// Frames whose deadline lay in the measured part.
    pub frames_judged: u64,
    /// Those of them that were late.
    pub late_frames: u64,
    /// Disturbances that made them late.
    pub incidents: u64,
    /// The one that cost most frames; `None` where there was none.
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
    /// For people, with the unit of `texts`: `read, MB/s`.
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub label: FigureLabel,
    /// The unit of `values`.
    pub unit: FigureUnit,
    /// Which direction is good.
    pub better: Better,
    /// What was measured; `None` where it was not.
    pub values: Vec<Option<f64>>,
    /// The same as the terminal prints them; `-` where there is none.
    pub texts: Vec<String>,
    /// Against the first run, or that of a side's mean against the first side's mean. `None` for the first
    /// side, and where one of the two is missing or the first is 0.
    pub change_percent: Vec<Option<f64>>,
    /// Differences smaller than this say nothing; `None` where it can't be told, or not in percent.
    pub noise_percent: Vec<Option<f64>>,
    /// What is to be made of it.
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

/// What is to be made of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ComparisonJudgement"))]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The others are compared with it.
    Base,
    /// The difference is not larger than the noise.
    Same,
    /// Better by more than the noise.
    Better,
    /// Worse by more than the noise.
    Worse,
    /// Different by more than the noise, and neither direction is good.
    Different,
    /// It can't be told.
    Unknown,
    /// It is what was asked for, and says nothing about the storage.
    Demand,
    /// The runs did other operations, so that the figures have nothing to do with each other.
    OtherPlan,
}

/// Units of values in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FigureUnit {
    /// Bytes per second.
    BytesPerS,
    /// MB per second, where the summary has it so.
    MbPerS,
    /// Operations per second.
    PerS,
    /// Microseconds, shown as ms.
    Us,
    /// Microseconds, shown as they are: what the tool itself takes is small.
    SmallUs,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
    /// Something counted.
    Count,
    /// Streams.
    Streams,
    /// Criteria: 1 where they were met, else 0.
    Verdict,
}

/// A run to be compared.
#[derive(Clone, Copy, Debug)]
pub struct RunToCompare<'a> {
    /// Name of the run directory.
    pub id: &'a str,
    /// Its figures.
    pub summary: &'a Summary,
    /// The machines it ran on; empty where that is not known.
    pub machines: &'a [Machine],
    /// Who worked; empty where that is not known.
    pub work: &'a [WorkActor],
}

/// A machine that a run was made on, as far as it bears on comparing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Host name.
    pub name: String,
    /// Operating system and kernel, in words.
    pub system: String,
    /// Processors and memory, in words.
    pub hardware: String,
    /// Network links that were up, in words.
    pub links: Vec<String>,
    /// What it was set to, by name.
    pub settings: BTreeMap<String, String>,
}

/// A number as it is to be shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shown {
    /// As it is.
    Exactly(f64),
    /// It may be more.
    AtLeast(f64),
    /// It lies between these.
    Between(f64, f64),
}

/// How a number of a unit is shown, without the unit.
pub type Say = dyn Fn(FigureUnit, Shown) -> String;

/// What can't be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Too few or too many runs.
    #[error("{0} runs were given. Name two to {RUNS_MAX} runs, the base first")]
    RunCount(usize),
    /// Repeats that don't add up.
    #[error(
        "{runs} runs cannot be split into groups of {repeats}. Name the same number of repeats for each \
         side (at least two sides), those of the base first"
    )]
    Repeats {
        /// How many runs there are.
        runs: usize,
        /// How many were to repeat one another.
        repeats: usize,
    },
    /// A run that is to repeat itself, which has no spread.
    #[error("runs {first} and {second} are the same run. Repeats must be separate runs")]
    Twice {
        /// Number of one of them, from 1.
        first: usize,
        /// Number of the other.
        second: usize,
    },
}

/// Compares runs with the first of them. `repeats` says that so many runs one after another did the same;
/// without it, runs whose whole configuration is the same are taken for that, unless it is the same for
/// all.
///
/// # Errors
/// The number of runs does not fit.
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

/// Compares as many runs as there are, so many one after another of each side. For figures over sides: as
/// columns nobody would read them.
///
/// # Errors
/// The number of runs does not fit.
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
        // Nothing is compared of settings that nobody knows.
        client_settings: client.map(|client| client.settings.clone()).unwrap_or_default(),
    }
}

/// `None` where nobody wrote anything.
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

    /// What came of the streams of a load point in a run.
    pub fn late_of(&self, group: &str, run: usize) -> Option<&ComparedLate> {
        self.late.iter().find(|late| late.group == group && late.run as usize == run)
    }

    /// The runs that stand for a side in lists: the first run of every side but the first run's.
    pub fn others(&self) -> Vec<usize> {
        let is_first = |&at: &usize| (0..at).all(|before| self.side(before) != self.side(at));
        (1..self.runs.len()).filter(is_first).collect()
    }
}

impl ComparisonRow {
    /// Whether a run is judged on it. That no operation failed shows no performance; that no frame was late
    /// does.
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
