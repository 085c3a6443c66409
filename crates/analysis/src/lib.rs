//! The analysis room: what operations mean.
//!
//! * [`meter`]: takes every operation and gives the figures of each load point;
//!   `tally`, `scope`, `spread` and `transfer` are its parts.
//! * [`figures`]: the numbers of a load point or a worker.
//! * [`paper`]: the three tables of the EBU Media Storage Meter, and what their numbers mean.
//! * [`series`]: every second of the run.
//! * [`mod@rebuild`]: the same figures from a log alone.
//! * [`summary`]: everything that a report shows, as one JSON file; [`facts`]: what single verbs add to it.
//! * [`self_cost`]: what the tool itself cost, and whether its timing is good enough.
//! * [`mod@statement`]: what is said on top, as data: verdict, number, cause, how sure.
//! * [`late`]: late frames of streams, on a timeline that never slides.
//! * [`incident`]: disturbances, each with what the storage and this machine did; [`pause`]: when the tool
//!   itself did not run. [`culprit`]: whose fault it was, decided once for every verb.
//!   [`limit`]: which layer limited a load point, with the counters that say so.
//! * [`criteria`]: what counts as good enough. [`verdict`]: whether it was, what failed first, and why.
//! * [`trace_stats`]: traces, for the whole and file by file; [`in_order`] puts logs into the order of issue;
//!   [`operation_list`] chooses single operations. [`fragments`]: signs that files lie in pieces.
//! * [`msmeter`]: the tables of the original Media Storage Meter, from its workers' records.
//! * [`naspt`]: the table of a suite of workloads, and its means. [`suites`]: several of them side by side.
//! * [`rates`]: what workers that were asked for a rate did.
//! * [`ort`]: curves of load points: overall response time, spacing, knee. [`vda`]: whether a VDA-like
//!   load point is valid. [`mod@vda_curve`]: both, from load points.
//! * [`mod@compare`]: two to eight runs side by side, and which differences are more than noise.
//! * [`response_counts`]: response times as counts, which hosts tell each other while they measure.
//! * [`run_event`]: what an event of the user's own did to the streams.
//! * [`rereads`]: first against later reads of the same bytes. [`mod@whose_memory`]: whether a cache
//!   answered.
//! * [`hosts`]: whose figures they are, in a run that several machines made. [`preflight`]: what is known of
//!   those machines before.
//! * [`warning`]: what makes figures doubtful.
//!
//! Not here: I/O, clocks, screens and sentences. Everything is computed from records alone.

pub mod compare;
pub mod counters;
pub mod criteria;
pub mod culprit;
pub mod detail;
pub mod facts;
pub mod figures;
pub mod flow;
pub mod forecast;
pub mod fragments;
pub mod held_back;
pub mod hosts;
pub mod in_order;
pub mod incident;
pub mod late;
pub mod limit;
pub mod machine_then;
pub mod marks;
pub mod meter;
pub mod mix_fit;
pub mod msmeter;
pub mod naspt;
pub mod note;
pub mod operation_list;
pub mod ort;
pub mod paper;
pub mod path;
pub mod pause;
pub mod point_culprit;
pub mod preflight;
pub mod procedure;
pub mod proof;
pub mod rates;
pub mod rebuild;
pub mod rereads;
pub mod response_counts;
mod rounding;
pub mod run_ending;
pub mod run_event;
mod scope;
pub mod self_cost;
pub mod series;
pub mod silence;
mod spread;
pub mod statement;
pub mod suites;
pub mod summary;
pub mod sustained;
mod tally;
#[cfg(any(test, feature = "test-streams"))]
pub mod test_figures;
pub mod trace_stats;
mod transfer;
pub mod vda;
pub mod vda_curve;
pub mod vda_published;
pub mod verdict;
pub mod warning;
pub mod whose_memory;

pub use culprit::Culprit;
pub use facts::{
    BadTiming, CheckBasis, CheckCount, CheckFacts, CheckFormat, CheckHint, DELAY_MAX_PERCENT,
    LATENESS_MAX_US, LinkFacts, MemoryFacts, MeterFacts, ObserverFacts, ReplayFacts, ReplayPass,
    ReplaySilence, ReplayTiming, SearchFacts, SilenceScene, TrialsAt, VdaFacts, VdaPoint, WatchFacts,
    WatchedCounter, WrittenPieces,
};
pub use figures::{Figures, PointTiming, TimeFigures, WorkerFigures};
pub use hosts::HostsSection;
pub use incident::Incident;
pub use meter::{Counts, Meter, PointFigures, PointTally, RunTotals, ShortOps};
pub use note::{Note, NoteFact};
pub use paper::{Mode, PaperCell, PaperTables};
pub use rates::{RateSpec, RateTally};
pub use rebuild::{Rebuilt, rebuild, try_rebuild};
pub use response_counts::ResponseCounts;
pub use self_cost::SelfCost;
pub use series::{Series, SeriesStep};
pub use statement::Statement;
pub use summary::{LoadPoint, Outcome, Summary, SummaryError};
pub use vda_curve::{VdaCurve, vda_curve};
pub use warning::Warning;
pub use whose_memory::{CacheEvidence, CacheSuspicion, WhySuspected, whose_memory};
