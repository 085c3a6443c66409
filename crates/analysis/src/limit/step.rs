//! The questions, one file each: which counters they use, and their thresholds.
//!
//! Thresholds are those of the rules that each finding names. Not here: which answer counts
//! ([`super::choose`]).

mod cache;
mod client;
mod disk;
mod latency;
mod link_full;
mod network_loss;
mod path_broken;
mod request;
mod send_buffer;
mod server;
mod server_disk;
mod tcp_window;

pub use link_full::way_is_queued;

use super::finding::{LimitStep, Tested};
use super::input::LimitInput;

pub(super) fn test(step: LimitStep, scene: &LimitInput<'_>) -> Tested {
    match step {
        // Known without a counter: see `choose`.
        LimitStep::MaxRate => Tested::No,
        LimitStep::Cache => cache::test(scene),
        LimitStep::LinkFull => link_full::test(scene),
        LimitStep::PathBroken => path_broken::test(scene),
        LimitStep::NetworkLoss => network_loss::test(scene),
        LimitStep::TcpWindow => tcp_window::test(scene),
        LimitStep::Client => client::test(scene),
        LimitStep::SendBuffer => send_buffer::test(scene),
        LimitStep::ServerDisk => server_disk::test(scene),
        LimitStep::Server => server::test(scene),
        // Only the server itself counts them.
        LimitStep::ServerThreads if scene.on_network => Tested::NotMeasured,
        LimitStep::ServerThreads => Tested::No,
        LimitStep::Disk => disk::test(scene),
        LimitStep::Latency => latency::test(scene),
    }
}
