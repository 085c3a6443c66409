//! The driver that a plan requests.

use serde::{Deserialize, Serialize};

/// Which driver performs the operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum DriverChoice {
    /// One thread per worker, on every platform
    #[default]
    Threads,
    /// io_uring, Linux only
    Uring,
}
