//! The treatment of frames whose time has passed.

use serde::{Deserialize, Serialize};

/// What a stream does with frames whose time has passed before it could ask for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// Skip them and stay on schedule
    ///
    /// What editing systems do by default, and recorders have to.
    #[default]
    Drop,
    /// Request every frame, late if necessary, until the stream has caught up
    Stall,
}
