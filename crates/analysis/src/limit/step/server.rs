//! Was the server slow? If an operation takes many times as long as the network path, and nothing on the
//! path delayed it, it waited for the server: its processors, its threads or its disks.

use super::request::request_us;
use super::server_disk::{acquitting_us, waited_percent};
use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::input::LimitInput;

/// How many times the round trip.
const TIMES_THE_PATH: f64 = 3.0;

/// A faster answer is never noticed in media playback, however short the network path is.
const NOTICED_US: f64 = 1_000.0;

/// The rules with more details; all of them are about the server.
const RULES: &[&str] = &["nfs.server.threads", "smb.crypto_algorithm_slow", "blk.disk_saturated"];

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    if !scene.on_network {
        return Tested::No;
    }
    let (Some(way_us), Some(request_us)) = (way_us(scene), request_us(scene)) else {
        return Tested::NotMeasured;
    };
    let mut seen = vec![
        Seen::against(Measure::OperationUs, request_us, (way_us * TIMES_THE_PATH).max(NOTICED_US)),
        Seen::beside(Measure::RttUs, way_us),
    ];
    // Its storage was sampled and is not the reason: that question comes before.
    seen.extend(acquitting_us(scene).map(|us| Seen::beside(Measure::DiskUs, us)));
    seen.extend(waited_percent(scene).map(|percent| Seen::beside(Measure::DiskPressurePercent, percent)));
    Tested::by_first(LimitFinding::new(LimitStep::Server, seen, RULES))
}

/// The shortest TCP round trip, plus the time of an operation's bytes on the line if its speed is known.
fn way_us(scene: &LimitInput<'_>) -> Option<f64> {
    let rtt_us = scene.shortest_rtt_us()?;
    let line = scene.link.and_then(|link| link.line_bytes_per_s);
    let on_the_line_us = operation_bytes(scene).zip(line).map_or(0.0, |(bytes, line)| bytes / line * 1e6);
    Some(rtt_us + on_the_line_us)
}

/// Bytes of a mean operation.
pub(super) fn operation_bytes(scene: &LimitInput<'_>) -> Option<f64> {
    let total = &scene.point.total;
    let bytes_per_s = total.bytes_per_s.filter(|rate| *rate > 0.0)?;
    Some(bytes_per_s / total.data_ops_per_s.filter(|rate| *rate > 0.0)?)
}
