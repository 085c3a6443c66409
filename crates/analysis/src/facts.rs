//! Results of single verbs, in addition to the figures of their load points: the largest count of a
//! search, the curve of a VDA-like run, the quick check, the passes of a replay, the counters of a
//! watch, the reports of the original meter's workers. For all verbs: the memories that may have
//! answered instead of the storage.
//!
//! This is plain data that the summary contains and the report shows. Not here: how it is measured
//! (searches in the workload crate, checks in the runner, the curve in [`mod@crate::vda_curve`]), and
//! sentences (report).

mod check;
mod event;
mod link;
mod memory;
mod msmeter;
mod observers;
mod replay;
mod search;
mod vda;
mod watch;

pub use check::{CheckBasis, CheckCount, CheckFacts, CheckFormat, CheckHint};
pub use event::{EventEffect, EventEnd, EventFacts, Recovery, WhyUnknown, whole_streams};
pub use link::LinkFacts;
pub use memory::MemoryFacts;
pub use msmeter::{MeterFacts, MeterTest, MeterWorker, Silence};
pub use observers::{ObserverFacts, ObserverKind};
pub use replay::{
    BadTiming, DELAY_MAX_PERCENT, LATENESS_MAX_US, ReplayFacts, ReplayPass, ReplaySilence, ReplayTiming,
    SilenceScene, WrittenPieces,
};
pub use search::{EarlierTrial, SearchFacts, StoppedBy, TrialsAt, keep_trials};
pub use vda::{VdaFacts, VdaPoint};
pub use watch::{WatchFacts, WatchedCounter};
