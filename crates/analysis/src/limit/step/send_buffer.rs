//! Was this machine's TCP send buffer too small for the way? The kernel tells how long it waited for room in
//! it.

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::scene::{Connection, Scene};

/// Of the time with something to send, in percent.
const LIMITED_PERCENT: f64 = 20.0;

/// What tells more.
const RULES: &[&str] = &["net.tcp.buffer_below_bdp", "smb.samba.socket_options"];

pub(super) fn test(scene: &Scene<'_>) -> Tested {
    if !scene.on_network || scene.mostly_reads() {
        return Tested::No;
    }
    let percent = |connection: &Connection<'_>| {
        let busy = connection.of("busy_percent").filter(|busy| *busy > 0.0)?;
        Some((connection.of("send_buffer_limited_percent")? / busy * 100.0).min(100.0))
    };
    let connections = scene.connections();
    let known = connections.iter().filter_map(|connection| Some((connection.name, percent(connection)?)));
    let Some((name, percent)) = known.max_by(|one, two| one.1.total_cmp(&two.1)) else {
        return if connections.is_empty() { Tested::NotMeasured } else { Tested::No };
    };
    let seen = vec![Seen::against(Measure::SendBufferLimitedPercent, percent, LIMITED_PERCENT)];
    Tested::by_first(LimitFinding::new(LimitStep::SendBuffer, seen, RULES).at(name))
}
