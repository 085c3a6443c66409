//! Did the server take its time? An operation that takes many times as long as the way there and back, where
//! nothing on the way held it up, waited for the server: its processors, its threads or its disks.

use super::request::request_us;
use super::server_disk::{acquitting_us, waited_percent};
use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::scene::Scene;

/// The way there and back, so many times.
const TIMES_THE_WAY: f64 = 3.0;

/// A server that answers sooner is not waited for by anybody who plays media, however short the way is.
const NOTICED_US: f64 = 1_000.0;

/// What tells more: all of it is to be looked for on the server.
const RULES: &[&str] = &["nfs.server.threads", "smb.crypto_algorithm_slow", "blk.disk_saturated"];

pub(super) fn test(scene: &Scene<'_>) -> Tested {
    if !scene.on_network {
        return Tested::No;
    }
    let (Some(way_us), Some(request_us)) = (way_us(scene), request_us(scene)) else {
        return Tested::NotMeasured;
    };
    let mut seen = vec![
        Seen::against(Measure::OperationUs, request_us, (way_us * TIMES_THE_WAY).max(NOTICED_US)),
        Seen::beside(Measure::RttUs, way_us),
    ];
    // Its storage was seen, and is not what it waited for: that is asked before.
    seen.extend(acquitting_us(scene).map(|us| Seen::beside(Measure::DiskUs, us)));
    seen.extend(waited_percent(scene).map(|percent| Seen::beside(Measure::DiskPressurePercent, percent)));
    Tested::by_first(LimitFinding::new(LimitStep::Server, seen, RULES))
}

/// The shortest round trip of TCP, and how long the bytes of an operation take on the line where that is
/// known.
fn way_us(scene: &Scene<'_>) -> Option<f64> {
    let rtt_us = scene.shortest_rtt_us()?;
    let line = scene.link.and_then(|link| link.line_bytes_per_s);
    let on_the_line_us = operation_bytes(scene).zip(line).map_or(0.0, |(bytes, line)| bytes / line * 1e6);
    Some(rtt_us + on_the_line_us)
}

/// Bytes of a mean operation.
pub(super) fn operation_bytes(scene: &Scene<'_>) -> Option<f64> {
    let total = &scene.point.total;
    let bytes_per_s = total.bytes_per_s.filter(|rate| *rate > 0.0)?;
    Some(bytes_per_s / total.data_ops_per_s.filter(|rate| *rate > 0.0)?)
}
