//! Actors that work on the target together, in one value: from `reelgauge streams`, a scenario, or a
//! `run.toml` with `[[actor]]` tables.
//!
//! Every setting has a default, so a plan is short to write. Only the kind of each actor is required,
//! and the media of those that play, record, edit or transcode. A setting that has no effect is refused,
//! even if it equals the default:
//!
//! ```
//! let plan = reelgauge_workload::streams::StreamsPlan::from_toml(
//!     r#"
//!     plan_version = 1
//!     name = "small newsroom"
//!     target = "/mnt/nas"
//!     warmup = "10s"
//!     duration = "60s"
//!     direct = true               # bypasses the client's cache
//!     scale = "1..4"              # four load points, with 1 to 4 times the actors below
//!
//!     ## Instead of a scale, this searches for the largest one that passes:
//!     ## find_max = { start = 1, cap = 100, repeats = 3, confirm = "60s", time_max = "10m" }
//!
//!     [[actor]]
//!     kind = "recorder"           # grows a file; preallocated = true overwrites an existing one
//!     count = 2
//!     format = "xavc-intra-class-100-1080-25"
//!     buffer = "12 frames"        # or a time
//!     sync_every = "1s"
//!     criteria = "late=0,p99=40ms"
//!
//!     [[actor]]
//!     kind = "editor"
//!     cameras = 3
//!     format = "dnxhr-lb-uhd-25"
//!
//!     [[actor]]
//!     kind = "player"
//!     own_format = { name = "house mezzanine", mbit_per_s = 220, fps = 25 }
//!     read_ahead = "open"         # closed: one frame after the other
//!     policy = "stall"            # drop: keep the time and skip frames
//!
//!     [[actor]]
//!     kind = "copier"
//!     block = "1MiB"
//!     file_size = "4GiB"
//!     "#,
//! )?;
//! assert_eq!(plan.label(2), "2 x small newsroom");
//! assert_eq!(plan.stream_count(2), 2 * (2 + 3 + 1));
//! # Ok::<(), reelgauge_workload::plan::PlanError>(())
//! ```
//!
//! Checks here are pure: the runner checks whether the formats exist and the target has enough space.
//! [`catalogue`]: all actors, each in a separate file next to this one. [`actor`]: their interface.
//! [`setting`]: the names of their settings, reading and writing them; [`footage`]: the settings that
//! several actors share. [`buffer_length`]: how much a stream buffers. [`validation`]: the problems of a
//! plan. [`counts`]: the number of streams. `flags`: settings as flags of a command line. [`plan_toml`]:
//! plans as TOML.

pub mod actor;
pub mod buffer_length;
pub mod catalogue;
pub mod counts;
#[cfg(feature = "flags")]
pub mod flags;
pub mod footage;
pub mod plan_toml;
pub mod setting;
pub mod validation;

use std::path::PathBuf;

use reelgauge_record::notes::StorageDetails;
use serde::{Deserialize, Serialize};

use crate::driver_choice::DriverChoice;
use crate::plan_version::PLAN_VERSION;
use crate::range::Ramp;
use crate::units::{Size, Span};

pub use buffer_length::Buffer;
pub use catalogue::{ActorKind, ActorPlan, ActorWork};
pub use footage::{Footage, Frames};
pub use plan_toml::AnyPlan;
pub use validation::StreamsError;

/// A run of actors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StreamsPlan {
    /// Version of this format.
    pub plan_version: u32,
    /// The program that wrote it; empty if a person did.
    pub written_by: String,
    /// The name of the scenario, or `streams` if there is none.
    pub name: String,
    /// The directory to measure; empty in a scenario, which can be run anywhere.
    pub target: PathBuf,
    /// The seed of all random draws.
    pub seed: u64,
    /// Performs the operations.
    pub driver: DriverChoice,
    /// Time before each load point that is excluded from the figures.
    pub warmup: Span,
    /// The measured time of each load point.
    pub duration: Span,
    /// A target that completes nothing for this long is abandoned.
    pub hang_after: Span,
    /// Whether to keep every operation.
    pub log: bool,
    /// Memory of the file server, if the user knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_memory: Option<Size>,
    /// A folder of the user's own files, on the same storage, which players, editors and transcoders
    /// read instead of test files. They are never changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_from: Option<PathBuf>,
    /// Whether to bypass the client's cache.
    pub direct: bool,
    /// Streams begin at different times drawn from the seed, as with real users; otherwise all at once.
    pub staggered: bool,
    /// Load points: every actor's count is multiplied by this.
    pub scale: Ramp,
    /// Search for the largest scale that passes, instead of the values of `scale`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub find_max: Option<FindMaxPlan>,
    /// Tags to find the run by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The user's description of the storage.
    #[serde(skip_serializing_if = "StorageDetails::is_empty")]
    pub storage: StorageDetails,
    /// The actors that work on the target.
    #[serde(rename = "actor")]
    pub actors: Vec<ActorPlan>,
}

/// Settings of the search for the largest scale that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FindMaxPlan {
    /// The first scale to try.
    pub start: u32,
    /// The largest scale to try; by default the largest that one process supports
    /// ([`StreamsPlan::search_cap`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<u32>,
    /// How often the answer must pass.
    pub repeats: u32,
    /// The duration of a final trial that confirms the answer, because the other trials are shorter; 0
    /// for none.
    pub confirm: Span,
    /// Maximum total time of all trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_max: Option<Span>,
}

impl Default for StreamsPlan {
    /// Half a minute after a warm-up of five seconds, without actors.
    fn default() -> StreamsPlan {
        StreamsPlan {
            plan_version: PLAN_VERSION,
            written_by: String::new(),
            name: "streams".to_owned(),
            target: PathBuf::new(),
            seed: 1,
            driver: DriverChoice::default(),
            warmup: Span::secs(5),
            duration: Span::secs(30),
            hang_after: Span::secs(30),
            log: true,
            server_memory: None,
            read_from: None,
            tags: Vec::new(),
            storage: StorageDetails::default(),
            direct: true,
            staggered: true,
            scale: Ramp(vec![1]),
            find_max: None,
            actors: Vec::new(),
        }
    }
}

impl Default for FindMaxPlan {
    fn default() -> FindMaxPlan {
        FindMaxPlan { start: 1, cap: None, repeats: 3, confirm: Span::secs(60), time_max: None }
    }
}
