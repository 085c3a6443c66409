//! The time of a request, for the questions about the server.

use crate::limit::input::LimitInput;

/// As counted by the mount, if it counts; otherwise as measured by Reelgauge.
pub(super) fn request_us(scene: &LimitInput<'_>) -> Option<f64> {
    let names = if scene.mostly_reads() {
        ["read_rtt_us", "mean_read_us"]
    } else {
        ["write_rtt_us", "mean_write_us"]
    };
    let of_mount = names.iter().find_map(|name| scene.mount(name));
    of_mount.or_else(|| scene.operation().map(|times| times.mean_us))
}
