//! Is it only round trips? If an operation takes little more than the network path, only larger requests
//! or more of them in flight increase the throughput.

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::input::LimitInput;

use super::server::operation_bytes;

/// Share of an operation's time on the network path, in percent, if nothing else matters.
const ON_THE_WAY_PERCENT: f64 = 80.0;

const RULES: &[&str] = &["nfs.rsize_wsize", "nfs.readahead_128k", "net.path.same_switch_and_vlan"];

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    if !scene.on_network {
        return Tested::No;
    }
    let (Some(rtt_us), Some(operation)) = (scene.shortest_rtt_us(), scene.operation()) else {
        return Tested::NotMeasured;
    };
    if operation.mean_us <= 0.0 {
        return Tested::NotMeasured;
    }
    let percent = (rtt_us / operation.mean_us * 100.0).min(100.0);
    let mut seen = vec![
        Seen::against(Measure::OnTheWayPercent, percent, ON_THE_WAY_PERCENT),
        Seen::beside(Measure::RttUs, rtt_us),
    ];
    seen.extend(operation_bytes(scene).map(|bytes| Seen::beside(Measure::RequestBytes, bytes)));
    let at_a_time = scene.point.total.data_ops_per_s.map(|rate| rate * operation.mean_us / 1e6);
    seen.extend(at_a_time.map(|requests| Seen::beside(Measure::RequestsAtATime, requests)));
    Tested::by_first(LimitFinding::new(LimitStep::Latency, seen, RULES))
}
