//! The analysis crate: turns operations into figures and judgements.
//!
//! * [`meter`]: takes every operation and returns the figures of each load point; `tally`, `scope`,
//!   `spread` and `transfer` are its parts.
//! * [`figures`]: the numbers of a load point or a worker.
//! * [`paper`]: the three tables of the EBU Media Storage Meter, and the meaning of their numbers.
//! * [`series`]: every second of the run.
//! * [`mod@rebuild`]: the same figures from a log alone.
//! * [`summary`]: everything that a report shows, as one JSON file; [`facts`]: what single verbs add to
//!   it.
//! * [`self_cost`]: the cost of Reelgauge itself, and whether its timing is good enough. [`selftest`]: what a
//!   host can judge.
//! * [`mod@statement`]: the first lines of a report, as data: verdict, number, cause, confidence.
//! * [`late`]: late frames of streams, on a timeline that never shifts.
//! * [`incident`]: disturbances, each with the state of the storage and the local host; [`pause`]: times
//!   in which Reelgauge did not run. [`culprit`]: the cause of a failure, decided once for all verbs.
//!   [`limit`]: the layer that limited a load point, with the counters that show it.
//! * [`criteria`]: the limits for a good result. [`verdict`]: whether they were met, what failed first,
//!   and why.
//! * [`trace_stats`]: traces, in total and for each file; [`issue_order`] sorts logs by the order of issue;
//!   [`operation_list`] selects single operations. [`fragments`]: signs of fragmented files.
//! * [`msmeter`]: the tables of the original Media Storage Meter, from its workers' records.
//! * [`naspt`]: the table of a suite of workloads, and its means. [`suites`]: several suites compared.
//! * [`rates`]: workers with a required rate.
//! * [`ort`]: curves of load points: overall response time, spacing, knee. [`vda`]: whether a VDA-like
//!   load point is valid. [`mod@vda_curve`]: both, from load points.
//! * [`mod@compare`]: compares two to eight runs, and finds the differences that exceed the noise.
//! * [`response_counts`]: response times as counts, which hosts exchange while they measure.
//! * [`run_event`]: the effect of a user's event on the streams.
//! * [`rereads`]: compares first reads with later reads of the same bytes. [`mod@cached_reads`]: whether
//!   a cache answered.
//! * [`hosts`]: the figures of each host, in a run on several hosts. [`preflight`]: the facts about
//!   these hosts before the run.
//! * [`warning`]: reasons to doubt the figures.
//!
//! Not here: I/O, clocks, screens and sentences. Everything is computed from records alone.

pub mod cached_reads;
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
pub mod host_state;
pub mod hosts;
pub mod incident;
pub mod issue_order;
pub mod late;
pub mod limit;
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
pub mod rate_limit_delay;
pub mod rates;
pub mod rebuild;
pub mod rereads;
pub mod response_counts;
mod rounding;
pub mod run_ending;
pub mod run_event;
mod scope;
pub mod self_cost;
pub mod selftest;
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

pub use cached_reads::{CacheEvidence, CacheSuspicion, WhySuspected, cache_suspicion};
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
