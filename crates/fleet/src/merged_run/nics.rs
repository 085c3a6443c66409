//! Each host's own counters in a load point: the traffic of its network interfaces, and whether the
//! server can have been its limit although its other clients were faster.
//!
//! Not here: figures of operations (`rows`).

use reelgauge_analysis::counters::means::{CounterMeans, Stretch};
use reelgauge_analysis::hosts::{HostFigure, NicFigures, StandsOut};
use reelgauge_analysis::limit::{LimitStep, way_is_queued};
use reelgauge_record::counters::Layer;
use reelgauge_record::host::NicFacts;
use reelgauge_results::limiting_layers::means_in;

use super::agent_part::{AgentPart, own_folder};

/// The largest number of interfaces of one host.
const NICS_MAX: usize = 16;
/// Other interfaces are listed from this share of the traffic of the busiest one.
const TOLD_SHARE: f64 = 0.02;

/// The means of every host over the measured time of these load points, in their order; empty for a host
/// without samples.
pub(super) fn sampled(parts: &[AgentPart], indices: &[u16]) -> Vec<Vec<CounterMeans>> {
    let of = |part: &AgentPart| {
        let stretch = |index: &u16| {
            let measured = part.measured(*index);
            measured.map_or_else(Stretch::default, |measured| Stretch {
                from_ns: measured.from_ns,
                until_ns: measured.until_ns,
            })
        };
        let folder = own_folder(&part.run.as_ref()?.dir.path().join("counters"))?;
        means_in(&folder, indices.iter().map(stretch).collect())
    };
    parts.iter().map(|part| of(part).unwrap_or_default()).collect()
}

/// The interfaces of a host with traffic, and always the one on the path to its target.
pub(super) fn nics(part: &AgentPart, means: &CounterMeans) -> Vec<NicFigures> {
    let hosts = part.run.iter().flat_map(|run| &run.hosts);
    let facts: Vec<&NicFacts> = hosts.flat_map(|host| &host.nics).collect();
    let on_the_way = part.interface();
    of_machine(&part.name, part.target.as_deref(), on_the_way.as_deref(), (&facts, means))
}

fn of_machine(
    agent: &str,
    target: Option<&str>,
    on_the_way: Option<&str>,
    (facts, means): (&[&NicFacts], &CounterMeans),
) -> Vec<NicFigures> {
    let received = |name: &str| means.of(Layer::Network, "rx_bytes_per_s", name);
    let sent = |name: &str| means.of(Layer::Network, "tx_bytes_per_s", name);
    let carried = |name: &str| received(name).unwrap_or(0.0) + sent(name).unwrap_or(0.0);
    let mut names: Vec<&str> = means.each(Layer::Network, "rx_bytes_per_s").map(|(name, _)| name).collect();
    let is_on_the_way = |name: &str| on_the_way == Some(name);
    // Traffic of the loopback interface stays on the host.
    names.retain(|name| *name != "lo" || is_on_the_way(name));
    let most = names.iter().map(|name| carried(name)).fold(0.0, f64::max);
    names.retain(|name| is_on_the_way(name) || carried(name) > 0.0 && carried(name) >= TOLD_SHARE * most);
    names.sort_by(|one, other| {
        is_on_the_way(other).cmp(&is_on_the_way(one)).then(carried(other).total_cmp(&carried(one)))
    });
    names.truncate(NICS_MAX);
    let of = |name: &str| {
        let speed_mbit_per_s =
            facts.iter().filter(|nic| nic.name == name).find_map(|nic| nic.speed_mbit_per_s);
        let busier = received(name).into_iter().chain(sent(name)).reduce(f64::max);
        let percent = |(bytes_per_s, mbit): (f64, u64)| bytes_per_s * 8.0 / (mbit as f64 * 1e6) * 100.0;
        NicFigures {
            agent: agent.to_owned(),
            interface: name.to_owned(),
            target: target.filter(|_| is_on_the_way(name)).map(str::to_owned),
            received_bytes_per_s: received(name),
            sent_bytes_per_s: sent(name),
            speed_mbit_per_s,
            used_percent: busier.zip(speed_mbit_per_s.filter(|mbit| *mbit > 0)).map(percent),
        }
    };
    names.into_iter().map(of).collect()
}

/// The limit of a host compared with its siblings: if it moved less than they did from the same target,
/// the server was not its limit. If its pings were delayed, its own link was, whatever its nominal
/// speed; otherwise the limit is unknown.
pub(super) fn own_limit(
    step: LimitStep,
    stands_out: Option<StandsOut>,
    means: Option<&CounterMeans>,
) -> Option<LimitStep> {
    let is_of_all = matches!(step, LimitStep::Server | LimitStep::ServerThreads | LimitStep::ServerDisk);
    let is_behind = |out: StandsOut| out.is_worse && out.figure == HostFigure::Throughput;
    if !is_of_all || !stands_out.is_some_and(is_behind) {
        return Some(step);
    }
    means.and_then(way_is_queued).unwrap_or(false).then_some(LimitStep::LinkFull)
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::counters::means::Averaging;
    use reelgauge_record::counters::{CounterRow, kind};

    use super::*;

    fn out(is_worse: bool, figure: HostFigure) -> Option<StandsOut> {
        Some(StandsOut { figure, value: 1.0, siblings: 2.0, noise_percent: 5.0, is_worse })
    }

    /// A single sample that is valid for ten seconds.
    fn means_of(samples: &[(Layer, &str, &str, f64)]) -> CounterMeans {
        let mut averaging = Averaging::over(vec![Stretch { from_ns: 0, until_ns: 10_000_000_000 }]);
        for at_ns in [0, 10_000_000_000] {
            for (layer, name, device, value) in samples {
                let unit = kind(*layer, name).map_or("", |kind| kind.unit.name());
                let value = Some(*value);
                averaging.take(&CounterRow { at_ns, layer: layer.name(), name, device, unit, value });
            }
        }
        averaging.finish().pop().unwrap_or_default()
    }

    /// A host with this ping time on a path of half a millisecond.
    fn means(ping_us: f64) -> CounterMeans {
        means_of(&[
            (Layer::Network, "ping_us", "", ping_us),
            (Layer::Network, "connection_min_rtt_us", "10.0.0.5:445", 500.0),
            (Layer::Network, "rx_bytes_per_s", "eth0", 100e6),
            (Layer::Network, "tx_bytes_per_s", "eth0", 1e6),
            (Layer::Network, "rx_bytes_per_s", "eth1", 50e6),
            (Layer::Network, "tx_bytes_per_s", "eth1", 2e6),
            (Layer::Network, "rx_bytes_per_s", "eth2", 1e3),
            (Layer::Network, "tx_bytes_per_s", "eth2", 0.0),
            (Layer::Network, "rx_bytes_per_s", "lo", 500e6),
            (Layer::Network, "tx_bytes_per_s", "lo", 500e6),
        ])
    }

    #[test]
    fn a_host_slower_than_its_siblings_is_not_limited_by_the_server() {
        let behind = out(true, HostFigure::Throughput);
        let (queued, idle) = (means(40_000.0), means(600.0));
        assert_eq!(own_limit(LimitStep::Server, behind, Some(&queued)), Some(LimitStep::LinkFull));
        assert_eq!(own_limit(LimitStep::Server, behind, Some(&idle)), None, "not known");
        assert_eq!(own_limit(LimitStep::Server, behind, None), None);
        // A limit of the host itself remains, and so does one that all hosts have in common.
        assert_eq!(own_limit(LimitStep::Client, behind, Some(&queued)), Some(LimitStep::Client));
        for same in [None, out(false, HostFigure::Throughput), out(true, HostFigure::MeanResponse)] {
            assert_eq!(own_limit(LimitStep::Server, same, Some(&queued)), Some(LimitStep::Server));
        }
    }

    #[test]
    fn every_interface_with_traffic_has_a_row_and_the_path_to_the_target_is_marked() {
        let eth1 = NicFacts {
            name: "eth1".to_owned(),
            state: "up".to_owned(),
            speed_mbit_per_s: Some(10_000),
            mtu_bytes: None,
            driver: None,
        };
        let rows = of_machine("a", Some("/mnt/nas"), Some("eth1"), (&[&eth1], &means(600.0)));
        let told: Vec<_> = rows
            .iter()
            .map(|row| (row.interface.as_str(), row.target.as_deref(), row.used_percent))
            .collect();
        assert_eq!(told, [("eth1", Some("/mnt/nas"), Some(4.0)), ("eth0", None, None)]);
        assert_eq!((rows[1].received_bytes_per_s, rows[1].sent_bytes_per_s), (Some(100e6), Some(1e6)));
        let none = of_machine("a", Some("/mnt/nas"), Some("eth1"), (&[&eth1], &CounterMeans::default()));
        assert!(none.is_empty(), "nothing was sampled");
    }
}
