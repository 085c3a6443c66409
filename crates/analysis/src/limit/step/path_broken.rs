//! Is the network path itself broken? Errors on the wire, a link that cannot send and receive at the
//! same time, or a switch that drops packets above its maximum size.
//!
//! A link that went down or came up in an incident explains that incident. It does not explain a whole
//! load point that continued.
//!
//! Dropped large packets are detected while connections hang: short pings are answered, but none with
//! the maximum packet size. If the short ones are not answered either, the path is cut, or the server is
//! down.

use reelgauge_record::counters::Layer;

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::input::LimitInput;
use crate::marks::Way;

const RULES: &[&str] = &["net.link.errors", "net.link.speed_downshift"];

/// A good cable has no errors; this many per second are not chance.
const ERRORS_PER_S: f64 = 1.0;

/// The rules about a link that went down.
const LINK_RULES: &[&str] = &["net.link.errors"];

/// The rules about large packets that are dropped.
const DROPPED_PACKET_RULES: &[&str] = &["net.mtu.path_mismatch", "net.mtu.tcp_mtu_probing"];

/// Lost share of the long pings, in percent, if none gets through.
const LONG_LOST_PERCENT: f64 = 90.0;

/// Answered share of the short pings, in percent, if the path works.
const SHORT_ANSWERED_PERCENT: f64 = 60.0;

/// Seconds in which a connection hung, at least, each with a ping of both kinds.
const STILL_MIN: f64 = 3.0;

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    if let Some(finding) = link_change(scene).or_else(|| large_packets_dropped(scene)) {
        return Tested::Found(finding);
    }
    let Some(link) = scene.link else {
        return if scene.on_network { Tested::NotMeasured } else { Tested::No };
    };
    let errors = [scene.interface("rx_errors_per_s"), scene.interface("tx_errors_per_s")];
    let errors = errors.into_iter().flatten().reduce(|one, two| one + two);
    let seen = errors.map(|errors| Seen::against(Measure::InterfaceErrorsPerS, errors, ERRORS_PER_S));
    let finding = LimitFinding::new(LimitStep::PathBroken, seen.into_iter().collect(), RULES);
    let finding = finding.at(&link.interface);
    if link.is_half_duplex { Tested::Found(finding) } else { Tested::by_first(finding) }
}

/// A link on the path that went down or came up while operations hung.
fn link_change(scene: &LimitInput<'_>) -> Option<LimitFinding> {
    if scene.incidents_s.is_none() && scene.point.total.ops > 0 {
        return None;
    }
    let way = Way::Over(&scene.link?.interface);
    let links = scene.means.each(Layer::Network, "link_changes_per_s").filter(|(link, _)| way.may_take(link));
    let (link, per_s) = links.max_by(|one, two| one.1.total_cmp(&two.1))?;
    let changes = (per_s * scene.means.seconds).round();
    let seen = vec![Seen::beside(Measure::LinkChanges, changes)];
    (changes >= 1.0).then(|| LimitFinding::new(LimitStep::PathBroken, seen, LINK_RULES).at(link))
}

/// Large packets that never arrive, while short ones do.
fn large_packets_dropped(scene: &LimitInput<'_>) -> Option<LimitFinding> {
    let sent = scene.network("still_pings_per_s").filter(|sent| *sent > 0.0)?;
    if sent * scene.means.seconds < STILL_MIN {
        return None;
    }
    let answered_percent = |name: &str| Some((scene.network(name)? / sent * 100.0).min(100.0));
    let short = answered_percent("still_pings_answered_per_s")?;
    let long = answered_percent("still_long_pings_answered_per_s")?;
    let lost = Seen::against(Measure::LongPingsLostPercent, 100.0 - long, LONG_LOST_PERCENT);
    if short < SHORT_ANSWERED_PERCENT || !lost.stands_out() {
        return None;
    }
    let longest =
        scene.connections().iter().filter_map(|connection| connection.of("path_mtu_bytes")).reduce(f64::max);
    let mut seen = vec![lost, Seen::beside(Measure::ShortPingsAnsweredPercent, short)];
    seen.extend(longest.map(|bytes| Seen::beside(Measure::PacketBytes, bytes)));
    let finding = LimitFinding::new(LimitStep::PathBroken, seen, DROPPED_PACKET_RULES);
    Some(finding.at(scene.link.map_or("", |link| &link.interface)))
}
