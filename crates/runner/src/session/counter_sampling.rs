//! Counters during a session: the facts that are needed to sample counters on the run's own clock.
//!
//! Not here: the counters, and how they are sampled (machine).

use reelgauge_engine::clock::Clock;
use reelgauge_machine::file_system::Protocol;
use reelgauge_machine::link::{Link, LinkKind};
use reelgauge_machine::mount::Mount;
use reelgauge_machine::sample::{Sampling, SamplingTarget, Target};
use reelgauge_record::counters::StoreMeta;
use reelgauge_record::run_dir::RunDir;

/// Starts to sample the counters of this mount and its link.
pub(super) fn start(run_dir: &RunDir, agent: &str, (mount, link): (&Mount, &Link), clock: Clock) -> Sampling {
    let server = match link.kind {
        LinkKind::Network { server_address, .. } => Some(server_address),
        LinkKind::Block { .. } | LinkKind::Memory | LinkKind::Unknown => None,
    };
    let watch = SamplingTarget {
        dir: run_dir.agent_counters_path(agent),
        meta: StoreMeta { run_ns: clock.start_unix_ns().cast_signed(), agent: agent.to_owned() },
        target: Target {
            fs_type: mount.fs_type.clone(),
            source: mount.source.clone(),
            mount_point: mount.mount_point.clone(),
            server,
            ports: ports(mount),
            is_whole_machine: false,
        },
    };
    Sampling::start(watch, move || clock.now_ns())
}

/// The server's ports of a mount. A program that serves files (sshfs) may use any: then all connections
/// to the server count, since an idle one adds nothing.
fn ports(mount: &Mount) -> Vec<u16> {
    let told = mount.option("port").and_then(|port| port.parse().ok()).filter(|port| *port > 0);
    match (mount.protocol(), told) {
        (Some(Protocol::Nfs), None) => vec![2049],
        (Some(Protocol::Smb), None) => vec![445, 139],
        (Some(Protocol::Nfs | Protocol::Smb), Some(port)) => vec![port],
        _ => Vec::new(),
    }
}
