//! The limits of synthetic load points: for each question, figures that answer it with yes, and some
//! that do not.

#![allow(clippy::unwrap_used)]

use reelgauge_record::counters::Layer::{self, Disk, Host, Mount, Network, Tool};

use super::*;
use crate::cached_reads::{CacheEvidence, CacheSuspicion};
use crate::counters::means::CounterMeans;
use crate::facts::{LinkFacts, MemoryFacts};
use crate::figures::{Figures, PointTiming, TimeFigures};
use crate::incident::{Incident, MachineThen};
use crate::late::LateFigures;
use crate::meter::PointFigures;
use crate::rereads::{ComparedReads, Rereads};
use crate::summary::LoadPointFacts;
use crate::verdict::{Verdict, failure_of_tests};

type Values = Vec<(Layer, &'static str, &'static str, f64)>;

const SERVER: &str = "10.0.0.2:2049 from 700";

fn link(line_bytes_per_s: Option<f64>) -> LinkFacts {
    LinkFacts { interface: "eth0".to_owned(), line_bytes_per_s, ..LinkFacts::default() }
}

/// A mix of 4 workers, whose operations each transferred 1 MB in 10 ms.
fn mix(read: f64, written: f64) -> LoadPoint {
    let moved = read + written;
    let time = TimeFigures {
        count: 1_000,
        deviation_us: None,
        mean_us: 10_000.0,
        p50_us: 10_000.0,
        p95_us: 10_000.0,
        p99_us: 10_000.0,
        p99_9_us: 10_000.0,
        max_us: 10_000.0,
        max_began_s: 0.0,
        max_began_in_point_s: 0.0,
    };
    let mut total = Figures {
        ops: 1_000,
        read_bytes: (read * 10.0) as u64,
        written_bytes: (written * 10.0) as u64,
        read_bytes_per_s: Some(read),
        written_bytes_per_s: Some(written),
        bytes_per_s: Some(moved),
        data_ops_per_s: Some(moved / 1e6),
        ..Figures::default()
    };
    total.service.data = Some(time);
    let figures = PointFigures {
        point: 0,
        timing: PointTiming { started_ns: 0, measured_ns: 10_000_000_000 },
        total,
        per_worker: Vec::new(),
        paper: Default::default(),
    };
    let point = LoadPoint::new(LoadPointFacts { workers: 4, ..LoadPointFacts::default() }, figures);
    LoadPoint { threads: Some(4), ..point }
}

/// The same as streams that met their criteria, or failed because of this culprit.
fn streams(culprit: Option<Culprit>) -> LoadPoint {
    let failures = culprit.map(|_| failure_of_tests());
    let verdict =
        Verdict { passed: culprit.is_none(), failures: failures.into_iter().collect(), ..Verdict::default() };
    LoadPoint { stream_count: Some(4), culprit, verdict: Some(verdict), ..mix(50e6, 0.0) }
}

/// A healthy connection that reads 50 MB/s, with these counters changed.
fn connection(changed: &[(&'static str, f64)]) -> Values {
    let sound = [
        ("connection_sent_bytes_per_s", 200_000.0),
        ("connection_received_bytes_per_s", 50e6),
        ("connection_retransmitted_bytes_per_s", 0.0),
        ("connection_segments_received_per_s", 34_000.0),
        ("connection_out_of_order_segments_per_s", 0.0),
        ("connection_timeouts_per_s", 0.0),
        ("connection_window_scaling", 1.0),
        ("connection_window_bytes", 3e6),
        ("connection_peer_window_bytes", 3e6),
        ("connection_min_rtt_us", 500.0),
        ("connection_busy_percent", 40.0),
        ("connection_window_limited_percent", 0.0),
        ("connection_send_buffer_limited_percent", 0.0),
        ("connection_receive_queue_bytes", 1_000.0),
        ("connection_receive_buffer_bytes", 6e6),
    ];
    let value = |(name, value): (&'static str, f64)| {
        let changed = changed.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
        (Network, name, SERVER, changed.unwrap_or(value))
    };
    sound.into_iter().map(value).collect()
}

fn limit_of(
    point: &LoadPoint,
    values: &Values,
    link: Option<&LinkFacts>,
    memory: Option<&MemoryFacts>,
) -> Limit {
    let means = CounterMeans::of_tests(10.0, values);
    let is_paced = point.stream_count.is_some();
    let on_network = link.is_some();
    of_point(
        &LimitInput {
            means: &means,
            point,
            link,
            memory,
            observed: &[],
            on_network,
            processors: 4,
            incidents_s: None,
            is_paced,
        },
        None,
    )
}

/// The limit of a mix that reads 50 MB/s over a healthy network, each operation in 10 ms, from a server
/// with these disk counters.
fn with_server_disk(disk: &[(&'static str, f64)]) -> Limit {
    with_server_disk_over(1_177e6, disk)
}

/// The same over a link with this rate.
fn with_server_disk_over(line_bytes_per_s: f64, disk: &[(&'static str, f64)]) -> Limit {
    with_server(line_bytes_per_s, disk, &[])
}

/// The same with any other counters of the server.
fn with_server(
    line_bytes_per_s: f64,
    disk: &[(&'static str, f64)],
    more: &[(Layer, &'static str, &'static str, f64)],
) -> Limit {
    let means = CounterMeans::of_tests(10.0, &connection(&[]));
    let values: Values = disk.iter().map(|(name, value)| (Disk, *name, "sda", *value)).collect();
    let values = [&values[..], more].concat();
    let server = CounterMeans::of_tests(10.0, &values);
    let observed = [crate::limit::Observed { name: "nas1", means: &server }];
    let (point, link) = (mix(50e6, 0.0), link(Some(line_bytes_per_s)));
    of_point(
        &LimitInput {
            means: &means,
            point: &point,
            link: Some(&link),
            memory: None,
            observed: &observed,
            on_network: true,
            processors: 4,
            incidents_s: None,
            is_paced: false,
        },
        None,
    )
}

#[test]
fn a_disk_that_was_seen_to_be_slow_at_the_server_is_the_disk() {
    let slow = [("mean_read_us", 8_000.0), ("util_percent", 60.0), ("read_bytes_per_s", 48e6)];
    let limit = with_server_disk(&slow);
    assert_eq!(found(&limit), Some(LimitStep::ServerDisk), "{limit:#?}");
    let finding = limit.found.as_ref().unwrap();
    assert_eq!(finding.at.as_deref(), Some("sda of nas1"));
    assert_eq!(finding.value(Measure::DiskOfOperationPercent), Some(80.0));
    assert!(limit.contributing.iter().all(|other| other.step != LimitStep::Server), "{limit:#?}");
    // Always busy, with requests too small to be slow.
    let busy =
        with_server_disk(&[("mean_read_us", 900.0), ("util_percent", 97.0), ("read_bytes_per_s", 48e6)]);
    assert_eq!(found(&busy), Some(LimitStep::ServerDisk), "{busy:#?}");
}

#[test]
fn requests_longer_than_operations_are_no_limit() {
    // Written behind, or read ahead: operations take 10 ms, requests of the disk 18 ms.
    let of = |busy| {
        with_server_disk(&[("mean_read_us", 18_000.0), ("util_percent", busy), ("read_bytes_per_s", 48e6)])
    };
    let calm = of(20.0);
    assert_eq!(found(&calm), Some(LimitStep::Server), "{calm:#?}");
    assert_eq!(calm.found.unwrap().value(Measure::DiskUs), None, "which acquits no disk");
    let busy = of(99.0).found.unwrap();
    assert_eq!(busy.step, LimitStep::ServerDisk);
    let share = busy.seen.iter().find(|seen| seen.measure == Measure::DiskOfOperationPercent).unwrap();
    assert_eq!((share.value, share.threshold), (180.0, None));
}

#[test]
fn blamed_disk_is_not_cleared_as_well() {
    // Always busy with fast requests, behind a saturated link.
    let disk = [("mean_read_us", 400.0), ("util_percent", 99.0), ("read_bytes_per_s", 48e6)];
    let limit = with_server_disk_over(52e6, &disk);
    let told: Vec<_> = limit.found.iter().chain(&limit.contributing).collect();
    assert!(told.iter().any(|finding| finding.step == LimitStep::ServerDisk), "{limit:#?}");
    let server = told.iter().filter(|finding| finding.step == LimitStep::Server);
    assert!(server.clone().all(|finding| finding.value(Measure::DiskUs).is_none()), "{limit:#?}");
}

#[test]
fn fast_disk_blames_the_server_and_idle_disk_is_no_evidence() {
    let quick = [("mean_read_us", 400.0), ("util_percent", 20.0), ("read_bytes_per_s", 48e6)];
    let acquitted = |disk: &[(&'static str, f64)], waiting: &[(Layer, &'static str, &'static str, f64)]| {
        let limit = with_server(1_177e6, disk, waiting);
        assert_eq!(found(&limit), Some(LimitStep::Server), "{limit:#?}");
        limit.found.unwrap().value(Measure::DiskUs)
    };
    let waits = |percent| [(Host, "pressure_io_some_percent", "", percent)];
    assert_eq!(acquitted(&quick, &waits(3.0)), Some(400.0), "and it says how quick they were");
    // A task waited for storage above that disk: a queue, a control group, a loop device. Or the waits
    // were not measured.
    assert_eq!(acquitted(&quick, &waits(60.0)), None);
    assert_eq!(acquitted(&quick, &[]), None);
    // Part of the load came from a disk that was not sampled; and an array counts once together with its
    // members.
    let part = [("mean_read_us", 400.0), ("util_percent", 20.0), ("read_bytes_per_s", 9e6)];
    assert_eq!(acquitted(&part, &waits(3.0)), None);
    let members = [("md0", 48e6), ("sdb", 24e6)].map(|(disk, rate)| (Disk, "read_bytes_per_s", disk, rate));
    let of_members = [&waits(3.0)[..], &members].concat();
    assert_eq!(acquitted(&[("mean_read_us", 400.0), ("read_bytes_per_s", 24e6)], &of_members), Some(400.0));
    // A slow log was written to it; the reads came from elsewhere.
    let idle =
        with_server_disk(&[("mean_read_us", 9_000.0), ("util_percent", 5.0), ("read_bytes_per_s", 1_000.0)]);
    assert_eq!(found(&idle), Some(LimitStep::Server), "{idle:#?}");
    assert_eq!(idle.found.unwrap().value(Measure::DiskUs), None);
    let unseen = over_network(&mix(50e6, 0.0), &connection(&[]));
    assert!(unseen.not_measured.contains(&LimitStep::ServerDisk), "{unseen:#?}");
}

/// The limit of a mix over a network.
fn over_network(point: &LoadPoint, values: &Values) -> Limit {
    limit_of(point, values, Some(&link(Some(1_177e6))), None)
}

fn found(limit: &Limit) -> Option<LimitStep> {
    assert_eq!(limit.found.is_some(), limit.verdict == LimitVerdict::Found, "{limit:?}");
    limit.found.as_ref().map(|finding| finding.step)
}

#[track_caller]
fn first_rule(limit: &Limit) -> &str {
    limit.found.as_ref().and_then(|finding| finding.rules.first()).map_or("", String::as_str)
}

/// A healthy connection to a server that needs 10 ms, with 0.5 ms on the network path.
#[test]
fn slow_server_on_a_healthy_network_is_blamed() {
    let limit = over_network(&mix(50e6, 0.0), &connection(&[]));
    assert_eq!(found(&limit), Some(LimitStep::Server), "{limit:#?}");
    assert!(limit.not_measured.contains(&LimitStep::ServerThreads));
    let quick = connection(&[("connection_min_rtt_us", 4_000.0)]);
    assert_eq!(found(&over_network(&mix(50e6, 0.0), &quick)), None);
}

#[test]
fn link_at_90_percent_is_saturated_per_direction() {
    let gigabit = link(Some(117.7e6));
    let of = |point: LoadPoint| found(&limit_of(&point, &connection(&[]), Some(&gigabit), None));
    assert_eq!(of(mix(110e6, 0.0)), Some(LimitStep::LinkFull));
    // The sum of both directions exceeds the rate of one.
    assert_ne!(of(mix(70e6, 70e6)), Some(LimitStep::LinkFull));
    let queue = |bytes| [connection(&[]), vec![(Network, "queue_backlog_bytes", "eth0", bytes)]].concat();
    let of = |bytes| found(&limit_of(&mix(0.0, 50e6), &queue(bytes), Some(&link(None)), None));
    assert_eq!(of(72_000.0), Some(LimitStep::LinkFull), "a queue that is never empty");
    assert_ne!(of(900.0), Some(LimitStep::LinkFull));
    let unknown = limit_of(&mix(110e6, 0.0), &connection(&[]), Some(&link(None)), None);
    assert!(unknown.not_measured.contains(&LimitStep::LinkFull), "{unknown:#?}");
}

#[test]
fn retransmissions_are_loss_when_writing() {
    let values = |again| {
        connection(&[("connection_sent_bytes_per_s", 50e6), ("connection_retransmitted_bytes_per_s", again)])
    };
    let lossy = over_network(&mix(0.0, 50e6), &values(600_000.0));
    assert_eq!((found(&lossy), first_rule(&lossy)), (Some(LimitStep::NetworkLoss), "net.tcp.retransmits"));
    assert_eq!(lossy.found.unwrap().value(Measure::RetransmittedPercent), Some(1.2));
    assert_ne!(found(&over_network(&mix(0.0, 50e6), &values(20_000.0))), Some(LimitStep::NetworkLoss));
    // Two retransmitted segments on a nearly idle connection are chance.
    let few = connection(&[("connection_retransmitted_bytes_per_s", 290.0)]);
    assert_ne!(found(&over_network(&mix(50e6, 0.0), &few)), Some(LimitStep::NetworkLoss));
}

#[test]
fn out_of_order_packets_are_loss_when_reading_and_back_pressure_when_writing() {
    let lossy = connection(&[("connection_out_of_order_segments_per_s", 700.0)]);
    let limit = over_network(&mix(50e6, 0.0), &lossy);
    assert_eq!((found(&limit), first_rule(&limit)), (Some(LimitStep::NetworkLoss), "net.tcp.backpressure"));
    // A queue on the network path overflowed once or twice.
    let few = connection(&[("connection_out_of_order_segments_per_s", 75.0)]);
    assert_ne!(found(&over_network(&mix(50e6, 0.0), &few)), Some(LimitStep::NetworkLoss));
    let mut dropped = lossy.clone();
    dropped.push((Network, "rx_drops_per_s", "eth0", 40.0));
    assert_eq!(first_rule(&over_network(&mix(50e6, 0.0), &dropped)), "net.ring.rx_small");
    dropped.push((Network, "rx_drops_per_s", "docker0", 4_000.0));
    let limit = over_network(&mix(50e6, 0.0), &dropped);
    assert_eq!(limit.found.unwrap().value(Measure::ReceiveDropsPerS), Some(40.0), "its own interface alone");
}

#[test]
fn a_window_that_is_full_is_the_window() {
    // 65,535 bytes per 2 ms are 32.8 MB/s.
    let unscaled = connection(&[
        ("connection_window_scaling", 0.0),
        ("connection_received_bytes_per_s", 27e6),
        ("connection_min_rtt_us", 2_000.0),
        ("connection_window_bytes", 65_535.0),
    ]);
    let limit = over_network(&mix(27e6, 0.0), &unscaled);
    assert_eq!(
        (found(&limit), first_rule(&limit)),
        (Some(LimitStep::TcpWindow), "net.tcp.window_scaling_off")
    );
    // On a short network path the same window is large enough.
    let short = connection(&[("connection_window_scaling", 0.0), ("connection_min_rtt_us", 200.0)]);
    assert_ne!(found(&over_network(&mix(50e6, 0.0), &short)), Some(LimitStep::TcpWindow));
    let peer = |percent| {
        connection(&[
            ("connection_sent_bytes_per_s", 50e6),
            ("connection_window_limited_percent", percent),
            ("connection_peer_window_bytes", 16_000.0),
        ])
    };
    let limit = over_network(&mix(0.0, 50e6), &peer(36.0));
    assert_eq!((found(&limit), first_rule(&limit)), (Some(LimitStep::TcpWindow), "net.tcp.buffer_below_bdp"));
    assert_eq!(limit.found.unwrap().value(Measure::WindowLimitedPercent), Some(90.0));
    assert_ne!(found(&over_network(&mix(0.0, 50e6), &peer(4.0))), Some(LimitStep::TcpWindow));
}

#[test]
fn one_connection_that_is_stuck_among_its_like_is_named() {
    let like = |number: usize, changed: &[(&'static str, f64)]| {
        let names = ["10.0.0.2:2049 from 701", "10.0.0.2:2049 from 702", "10.0.0.2:2049 from 703"];
        let of = |(layer, name, _, value)| (layer, name, names[number], value);
        connection(changed).into_iter().map(of).collect::<Values>()
    };
    let rtt = |number: usize, us| vec![(Network, "connection_rtt_us", like(number, &[])[0].2, us)];
    let of = |slow: Values, slow_rtt| {
        let others = [like(0, &[]), like(1, &[]), rtt(0, 600.0), rtt(1, 700.0), rtt(2, slow_rtt)].concat();
        let limit = over_network(&streams(None), &[others, slow].concat());
        let is_of_one = |finding: &&LimitFinding| finding.value(Measure::OfLikeConnectionsPercent).is_some();
        limit.contributing.iter().find(is_of_one).and_then(|finding| finding.at.clone())
    };
    let stuck = like(2, &[("connection_received_bytes_per_s", 2e6)]);
    assert_eq!(of(stuck.clone(), 9_000.0).as_deref(), Some("10.0.0.2:2049 from 703"));
    // An idle connection without faults; or one to a distant host that transfers as much as the others.
    assert_eq!(of(stuck, 650.0), None);
    assert_eq!(of(like(2, &[]), 9_000.0), None);
    let lossy = [
        ("connection_received_bytes_per_s", 1e6),
        ("connection_retransmitted_bytes_per_s", 9_000.0),
        ("connection_sent_bytes_per_s", 100_000.0),
    ];
    assert_eq!(of(like(2, &lossy), 650.0).as_deref(), Some("10.0.0.2:2049 from 703"));
}

#[test]
fn a_send_buffer_that_is_full_is_the_send_buffer() {
    let values = |percent| {
        connection(&[
            ("connection_sent_bytes_per_s", 50e6),
            ("connection_send_buffer_limited_percent", percent),
        ])
    };
    assert_eq!(found(&over_network(&mix(0.0, 50e6), &values(30.0))), Some(LimitStep::SendBuffer));
    assert_ne!(found(&over_network(&mix(0.0, 50e6), &values(3.0))), Some(LimitStep::SendBuffer));
}

#[test]
fn a_wire_with_errors_is_broken() {
    let errors = |rate| [connection(&[]), vec![(Network, "rx_errors_per_s", "eth0", rate)]].concat();
    assert_eq!(found(&over_network(&mix(50e6, 0.0), &errors(5.0))), Some(LimitStep::PathBroken));
    assert_ne!(found(&over_network(&mix(50e6, 0.0), &errors(0.1))), Some(LimitStep::PathBroken));
    let half = LinkFacts { is_half_duplex: true, ..link(Some(12e6)) };
    let limit = limit_of(&mix(5e6, 0.0), &connection(&[]), Some(&half), None);
    assert_eq!(found(&limit), Some(LimitStep::PathBroken));
}

#[test]
fn queued_requests_and_unread_data_blame_the_client() {
    let queued = |queue_us| {
        let mount = [(Mount, "read_queue_us", "", queue_us), (Mount, "read_rtt_us", "", 3_000.0)];
        [connection(&[]), mount.to_vec()].concat()
    };
    let limit = over_network(&mix(50e6, 0.0), &queued(9_000.0));
    assert_eq!((found(&limit), first_rule(&limit)), (Some(LimitStep::Client), "nfs.rpc.queue_vs_rtt"));
    assert_ne!(found(&over_network(&mix(50e6, 0.0), &queued(900.0))), Some(LimitStep::Client));
    let waiting = connection(&[("connection_receive_queue_bytes", 4e6)]);
    let limit = over_network(&mix(50e6, 0.0), &waiting);
    assert_eq!((found(&limit), first_rule(&limit)), (Some(LimitStep::Client), "net.tcp.receiver_slow"));
}

#[test]
fn workers_without_storage_waits_blame_the_client() {
    let tool = |cpu: f64, waiting: f64| {
        vec![
            (Tool, "cpu_percent", "", cpu),
            (Tool, "threads_waiting", "", waiting),
            (Host, "cpu_busy_percent", "", 100.0),
            (Host, "program_percent", "blender", 210.0),
            (Host, "program_processes", "blender", 3.0),
            (Host, "program_processes", "other", 7.0),
        ]
    };
    let of = |values: Values| limit_of(&mix(900e6, 0.0), &values, None, None);
    let limit = of(tool(190.0, 1.8));
    assert_eq!(found(&limit), Some(LimitStep::Client));
    let finding = limit.found.unwrap();
    assert_eq!(finding.at.as_deref(), Some("blender"));
    assert_eq!(finding.value(Measure::ProgramProcesses), Some(3.0));
    // The kernel's own threads, such as those of a loop device, are not other programs.
    let mut by_kernel = tool(20.0, 0.1);
    by_kernel.retain(|(_, name, ..)| !name.starts_with("program"));
    let others = |values: Values| of(values).contributing.iter().any(|finding| finding.at.is_none());
    assert!(others(by_kernel.clone()));
    by_kernel.push((Host, "kernel_threads_percent", "", 260.0));
    assert!(!others(by_kernel.clone()));
    // If no processor is idle, a third of them is worth reporting, otherwise a half.
    let third = |busy: f64| {
        let mut third = by_kernel.clone();
        third.retain(|(_, name, ..)| !["kernel_threads_percent", "cpu_busy_percent"].contains(name));
        third.extend([(Host, "cpu_busy_percent", "", busy), (Host, "kernel_threads_percent", "", 220.0)]);
        others(third)
    };
    assert!(third(100.0) && !third(94.0));
    // Every processor is busy, but the workers still wait for the storage.
    let limit = of(tool(20.0, 0.1));
    assert_eq!(found(&limit), None);
    let told = limit.contributing.first().unwrap();
    assert_eq!((told.step, told.at.as_deref()), (LimitStep::Client, Some("blender")));
    assert_eq!(told.value(Measure::ProgramProcesses), Some(3.0));
}

#[test]
fn a_disk_at_work_all_the_time_is_the_disk_and_a_cache_that_answered_is_not() {
    let disk = |busy| vec![(Disk, "util_percent", "sda", busy), (Disk, "mean_in_flight", "sda", 3.2)];
    let limit = limit_of(&mix(50e6, 0.0), &disk(97.0), None, None);
    assert_eq!(found(&limit), Some(LimitStep::Disk));
    let idle = limit_of(&mix(50e6, 0.0), &disk(60.0), None, None);
    assert_eq!((found(&idle), idle.verdict), (None, LimitVerdict::NothingStoodOut));
    assert_eq!(idle.nearest.first().map(|finding| finding.step), Some(LimitStep::Disk));
    let evidence = CacheEvidence::ClientCounted { share: 0.8 };
    let cached =
        MemoryFacts { suspicion: Some(CacheSuspicion::Answered { evidence }), ..MemoryFacts::default() };
    let limit = limit_of(&mix(50e6, 0.0), &disk(97.0), None, Some(&cached));
    assert_eq!(found(&limit), Some(LimitStep::Cache));
    // Most data came from the disk, which was always busy.
    let evidence = CacheEvidence::ClientCounted { share: 0.28 };
    let partly =
        MemoryFacts { suspicion: Some(CacheSuspicion::Answered { evidence }), ..MemoryFacts::default() };
    let limit = limit_of(&mix(50e6, 0.0), &disk(97.0), None, Some(&partly));
    assert_eq!(found(&limit), Some(LimitStep::Disk));
    assert!(limit.contributing.iter().any(|finding| finding.step == LimitStep::Cache), "{limit:#?}");
    // Writes keep the disk busy even if a cache answers the reads.
    assert_eq!(found(&limit_of(&mix(0.0, 50e6), &disk(97.0), None, Some(&cached))), Some(LimitStep::Disk));
}

#[test]
fn operations_that_take_a_round_trip_are_latency() {
    let far = connection(&[("connection_min_rtt_us", 9_000.0)]);
    let limit = over_network(&mix(50e6, 0.0), &far);
    assert_eq!(found(&limit), Some(LimitStep::Latency), "{limit:#?}");
    let near = connection(&[("connection_min_rtt_us", 5_000.0)]);
    assert_eq!(found(&over_network(&mix(50e6, 0.0), &near)), None);
}

#[test]
fn met_criteria_have_no_limit_despite_findings() {
    let lossy = connection(&[("connection_out_of_order_segments_per_s", 700.0)]);
    let limit = over_network(&streams(None), &lossy);
    assert_eq!((limit.verdict, found(&limit)), (LimitVerdict::NothingLimited, None));
    assert_eq!(limit.contributing.first().map(|finding| finding.step), Some(LimitStep::NetworkLoss));
}

#[test]
fn limit_is_on_the_side_of_the_culprit() {
    let lossy = connection(&[("connection_out_of_order_segments_per_s", 700.0)]);
    let of = |culprit| over_network(&streams(Some(culprit)), &lossy);
    assert_eq!(found(&of(Culprit::Storage)), Some(LimitStep::NetworkLoss));
    assert_eq!(of(Culprit::Tool).verdict, LimitVerdict::OwnFault);
    assert_eq!(of(Culprit::NotKnown).verdict, LimitVerdict::NotKnown);
    let own = of(Culprit::ThisMachine);
    assert_eq!(found(&own), Some(LimitStep::Client));
    assert_eq!(own.contributing.first().map(|finding| finding.step), Some(LimitStep::NetworkLoss));
    // The link was saturated in an incident of two seconds, and half utilized over the whole time.
    let mut full = streams(Some(Culprit::Link));
    let machine = Some(MachineThen { link_share: Some(0.96), ..MachineThen::default() });
    let incidents = vec![Incident { culprit: Culprit::Link, machine, late_frames: 9, ..Incident::default() }];
    full.streams = Some(LateFigures { incidents, ..LateFigures::default() });
    let limit = over_network(&full, &lossy);
    assert_eq!(found(&limit), Some(LimitStep::LinkFull));
    assert_eq!(limit.found.unwrap().value(Measure::LinkPercent), Some(96.0));
}

#[test]
fn a_full_link_is_no_reason_where_the_storage_was_at_fault() {
    let gigabit = link(Some(52e6));
    let limit = limit_of(&streams(Some(Culprit::Storage)), &connection(&[]), Some(&gigabit), None);
    assert_ne!(found(&limit), Some(LimitStep::LinkFull));
    assert!(limit.contributing.iter().any(|finding| finding.step == LimitStep::LinkFull), "{limit:#?}");
}

#[test]
fn without_counters_nothing_is_known() {
    let limit = limit_of(&mix(50e6, 0.0), &Vec::new(), None, None);
    assert_eq!((limit.verdict, limit.found), (LimitVerdict::NotKnown, None));
    assert!(limit.not_measured.contains(&LimitStep::Disk));
    let network = limit_of(&mix(50e6, 0.0), &Vec::new(), Some(&link(None)), None);
    for step in [LimitStep::NetworkLoss, LimitStep::TcpWindow, LimitStep::Server, LimitStep::Latency] {
        assert!(network.not_measured.contains(&step), "{step:?}");
    }
}

#[test]
fn queued_ping_shows_a_saturated_link_of_unknown_speed() {
    let ping = |us| [connection(&[]), vec![(Network, "ping_us", "", us)]].concat();
    let of = |us, line| limit_of(&mix(50e6, 0.0), &ping(us), Some(&link(line)), None);
    let full = of(14_000.0, None);
    assert_eq!(
        (found(&full), first_rule(&full)),
        (Some(LimitStep::LinkFull), "net.link.ceiling"),
        "{full:#?}"
    );
    assert_eq!(full.found.unwrap().value(Measure::PingUs), Some(14_000.0));
    assert!(full.contributing.iter().all(|finding| finding.step != LimitStep::Server), "no second thing");
    // Nothing was transferred, so nothing was saturated.
    let still = [ping(14_000.0), vec![(Network, "still_pings_per_s", "", 0.8)]].concat();
    let still = limit_of(&mix(50e6, 0.0), &still, Some(&link(None)), None);
    assert_ne!(found(&still), Some(LimitStep::LinkFull));
    // Not much longer than without load: the server, or a line of unknown speed.
    assert_eq!(found(&of(4_900.0, None)), Some(LimitStep::Server));
    // The local line is known to be half utilized: the queue is elsewhere on the network path.
    let elsewhere = of(14_000.0, Some(1_177e6));
    assert_eq!(found(&elsewhere), Some(LimitStep::LinkFull));
    assert_eq!(elsewhere.found.unwrap().seen[0].measure, Measure::PingUs);
    // A load point that failed on the storage's side, which includes the network path.
    let failed = streams(Some(Culprit::Storage));
    let limit = limit_of(&failed, &ping(14_000.0), Some(&link(None)), None);
    assert_eq!(found(&limit), Some(LimitStep::LinkFull));
}

#[test]
fn duplicate_packets_at_the_server_are_no_loss() {
    let values = |had_already| {
        connection(&[
            ("connection_sent_bytes_per_s", 50e6),
            ("connection_retransmitted_bytes_per_s", 600_000.0),
        ])
        .into_iter()
        .chain([
            (Network, "connection_sent_twice_segments_per_s", SERVER, had_already),
            (Network, "connection_mss_bytes", SERVER, 1_448.0),
        ])
        .collect::<Values>()
    };
    // 414 segments were retransmitted.
    assert_eq!(found(&over_network(&mix(0.0, 50e6), &values(20.0))), Some(LimitStep::NetworkLoss));
    assert_ne!(found(&over_network(&mix(0.0, 50e6), &values(410.0))), Some(LimitStep::NetworkLoss));
    // For all connections, if there are no counters per connection.
    let of_all = |had_already| {
        vec![
            (Network, "tcp_retransmitted_segments_per_s", "", 400.0),
            (Network, "tcp_data_segments_per_s", "", 35_000.0),
            (Network, "tcp_sent_twice_segments_per_s", "", had_already),
        ]
    };
    assert_eq!(found(&over_network(&mix(0.0, 50e6), &of_all(10.0))), Some(LimitStep::NetworkLoss));
    assert_ne!(found(&over_network(&mix(0.0, 50e6), &of_all(390.0))), Some(LimitStep::NetworkLoss));
    // For reads: the segment was overtaken, but arrived.
    let read = |twice| {
        let out_of_order = connection(&[("connection_out_of_order_segments_per_s", 700.0)]);
        [out_of_order, vec![(Network, "tcp_received_twice_segments_per_s", "", twice)]].concat()
    };
    assert_eq!(found(&over_network(&mix(50e6, 0.0), &read(1.0))), Some(LimitStep::NetworkLoss));
    assert_ne!(found(&over_network(&mix(50e6, 0.0), &read(8.0))), Some(LimitStep::NetworkLoss));
    assert_ne!(found(&over_network(&mix(50e6, 0.0), &read(140.0))), Some(LimitStep::NetworkLoss));
}

/// Each segment carries twenty bytes less, so the same bytes take more segments.
#[test]
fn a_segment_of_ipv6_carries_less() {
    let named = |name: &'static str| {
        let of = |(layer, counter, _, value)| (layer, counter, name, value);
        let means = CounterMeans::of_tests(10.0, &connection(&[]).into_iter().map(of).collect::<Values>());
        let (point, link) = (mix(50e6, 0.0), link(None));
        let scene = LimitInput {
            means: &means,
            point: &point,
            link: Some(&link),
            memory: None,
            observed: &[],
            on_network: true,
            processors: 4,
            incidents_s: None,
            is_paced: false,
        };
        scene.connections()[0].segment_bytes()
    };
    assert_eq!((named(SERVER), named("[fd00::2]:2049 from 700")), (1_448.0, 1_428.0));
}

#[test]
fn long_packets_that_never_arrive_while_short_ones_do_are_a_broken_path() {
    let pings = |short, long| {
        let still = [
            (Network, "still_pings_per_s", "", 0.8),
            (Network, "still_pings_answered_per_s", "", short),
            (Network, "still_long_pings_answered_per_s", "", long),
            (Network, "connection_path_mtu_bytes", SERVER, 9_000.0),
        ];
        [connection(&[]), still.to_vec()].concat()
    };
    for point in [mix(50e6, 0.0), mix(0.0, 50e6), streams(Some(Culprit::Storage))] {
        let limit = over_network(&point, &pings(0.8, 0.0));
        assert_eq!(
            (found(&limit), first_rule(&limit)),
            (Some(LimitStep::PathBroken), "net.mtu.path_mismatch"),
            "{limit:#?}"
        );
        assert_eq!(limit.found.unwrap().value(Measure::PacketBytes), Some(9_000.0));
        // The server hung behind a healthy network path. Or the path was cut.
        assert_ne!(found(&over_network(&point, &pings(0.8, 0.8))), Some(LimitStep::PathBroken));
        assert_ne!(found(&over_network(&point, &pings(0.0, 0.0))), Some(LimitStep::PathBroken));
    }
    // No operation completed, so there is no figure, but the broken path is known.
    let mut hung = mix(0.0, 0.0);
    hung.total.ops = 0;
    assert_eq!(found(&over_network(&hung, &pings(0.8, 0.0))), Some(LimitStep::PathBroken));
    assert_eq!(over_network(&hung, &pings(0.8, 0.8)).verdict, LimitVerdict::NotKnown);
    // If Reelgauge itself was at fault, nothing can be concluded.
    let own = LoadPoint { culprit: Some(Culprit::Tool), ..hung };
    assert_eq!(over_network(&own, &pings(0.8, 0.0)).found, None);
}

#[test]
fn lost_jumbo_packets_name_the_jumbo_rule_first() {
    let lossy = [
        connection(&[("connection_out_of_order_segments_per_s", 700.0)]),
        vec![(Network, "connection_mss_bytes", SERVER, 8_948.0)],
    ];
    let limit = over_network(&mix(50e6, 0.0), &lossy.concat());
    assert_eq!((found(&limit), first_rule(&limit)), (Some(LimitStep::NetworkLoss), "net.mtu.jumbo_fanin"));
}

/// A disk with these read and write rates, while Reelgauge read 50 MB/s.
fn beside_others(read: f64, written: f64, past_client_cache: bool) -> Limit {
    let values: Values = vec![
        (Disk, "util_percent", "vda", 95.0),
        (Disk, "reads_per_s", "vda", read / 4_096.0),
        (Disk, "read_bytes_per_s", "vda", read),
        (Disk, "written_bytes_per_s", "vda", written),
    ];
    let memory = MemoryFacts { past_client_cache: Some(past_client_cache), ..MemoryFacts::default() };
    limit_of(&mix(50e6, 0.0), &values, None, Some(&memory))
}

#[test]
fn foreign_reads_are_no_evidence_of_fragmentation() {
    for past_client_cache in [true, false] {
        let alone = beside_others(60e6, 0.0, past_client_cache).found.unwrap();
        assert!(alone.value(Measure::RequestsPerRead).is_some(), "{alone:#?}");
        let limit = beside_others(80e6, 0.0, past_client_cache);
        let found = limit.found.as_ref().unwrap();
        assert_eq!(found.value(Measure::RequestsPerRead), None, "{limit:#?}");
        assert_eq!(first_rule(&limit), "blk.disk_saturated");
    }
}

#[test]
fn foreign_disk_load_is_reported_with_the_share_of_the_run() {
    let limit = beside_others(300e6, 10e6, true);
    let found = limit.found.as_ref().unwrap();
    assert_eq!(found.value(Measure::DiskBytesPerS), Some(310e6), "{limit:#?}");
    assert_eq!(found.value(Measure::OwnBytesPerS), Some(50e6));
    assert!(limit.contributing.is_empty(), "said twice: {limit:#?}");
    let writes = beside_others(50e6, 200e6, false);
    assert_eq!(writes.found.unwrap().value(Measure::DiskBytesPerS), Some(250e6));
    // Journals and metadata of the run do not count as other programs.
    for (read, written) in [(55e6, 1e6), (64e6, 0.0), (10e6, 4e6)] {
        let limit = beside_others(read, written, true);
        let told = limit.found.iter().chain(&limit.contributing);
        assert!(told.filter_map(|finding| finding.value(Measure::DiskBytesPerS)).next().is_none());
    }
    // Through the cache it may be read-ahead. That is reported, but not as the cause.
    let ahead = beside_others(300e6, 0.0, false);
    assert_eq!(ahead.found.unwrap().value(Measure::DiskBytesPerS), None);
    assert_eq!(ahead.contributing[0].rules[0], "blk.read_ahead");
}

#[test]
fn foreign_disk_load_is_reported_with_other_limits_and_excludes_cached_bytes() {
    let values: Values = vec![
        (Disk, "util_percent", "vda", 40.0),
        (Disk, "read_bytes_per_s", "vda", 0.0),
        (Disk, "written_bytes_per_s", "vda", 200e6),
    ];
    let of = |written_by_this_run_bytes| {
        let memory = MemoryFacts {
            past_client_cache: Some(false),
            written_by_this_run_bytes,
            ..MemoryFacts::default()
        };
        let limit = limit_of(&streams(None), &values, None, Some(&memory));
        assert_eq!(limit.verdict, LimitVerdict::NothingLimited);
        limit.contributing.iter().filter_map(|finding| finding.value(Measure::DiskBytesPerS)).next()
    };
    assert_eq!(of(0), Some(200e6));
    assert_eq!(of(2_000_000_000), None);
}

#[test]
fn faster_rereads_are_cached_except_for_disk_reads() {
    let evidence = CacheEvidence::LaterReadsFaster { point: 0, reads: ComparedReads::default() };
    let memory = |first_read_bytes, later_read_bytes| MemoryFacts {
        suspicion: Some(CacheSuspicion::Answered { evidence: evidence.clone() }),
        rereads: vec![Rereads { point: 0, first_read_bytes, later_read_bytes, compared: None }],
        ..MemoryFacts::default()
    };
    let of = |values: &Values, link: Option<&LinkFacts>, memory: &MemoryFacts| {
        let limit = limit_of(&mix(50e6, 0.0), values, link, Some(memory));
        let mut told = limit.found.into_iter().chain(limit.contributing);
        let cache = told.find(|finding| finding.step == LimitStep::Cache);
        cache.map(|finding| finding.value(Measure::CachedPercent))
    };
    let disk = |read| vec![(Disk, "read_bytes_per_s", "loop1", read), (Disk, "util_percent", "loop1", 50.0)];
    assert_eq!(of(&disk(36e6), None, &memory(10, 90)), Some(Some(28.0)));
    assert_eq!(of(&disk(0.0), None, &memory(40, 60)), Some(Some(60.0)));
    // Everything came from the disk, with additional read-ahead.
    assert_eq!(of(&disk(60e6), None, &memory(10, 90)), None);
    // The local host's disks are not those of a server.
    let link = link(Some(1_177e6));
    assert_eq!(of(&disk(60e6), Some(&link), &memory(10, 90)), Some(Some(90.0)));
    let unknown = MemoryFacts { rereads: Vec::new(), ..memory(0, 0) };
    assert_eq!(of(&Vec::new(), None, &unknown), Some(None));
}

#[test]
fn a_loop_device_that_reads_through_the_cache_is_no_disk() {
    let below = |read: f64, busy: f64| -> Values {
        vec![
            (Disk, "util_percent", "loop1", 94.0),
            (Disk, "read_bytes_per_s", "loop1", 50e6),
            (Disk, "util_percent", "vdb", busy),
            (Disk, "read_bytes_per_s", "vdb", read),
        ]
    };
    let memory = MemoryFacts {
        past_client_cache: Some(true),
        cached_loop: Some("loop1".to_owned()),
        ..MemoryFacts::default()
    };
    let of = |values: &Values| limit_of(&mix(50e6, 0.0), values, None, Some(&memory)).found;
    let cached = of(&below(5e6, 3.0)).unwrap();
    assert_eq!((cached.step, cached.at.as_deref()), (LimitStep::Cache, Some("loop1")));
    assert_eq!(cached.value(Measure::CachedPercent), Some(90.0));
    // Something in front of the cache, such as a throttle, takes 62 ms per megabyte.
    let mut slow = mix(50e6, 0.0);
    slow.total.read_bytes = 1 << 20;
    slow.total.service.data =
        slow.total.service.data.map(|times| TimeFigures { count: 1, p50_us: 62_000.0, ..times });
    assert_eq!(limit_of(&slow, &below(5e6, 3.0), None, Some(&memory)).found, None);
    let disk = of(&below(50e6, 96.0)).unwrap();
    assert_eq!((disk.step, disk.at.as_deref()), (LimitStep::Disk, Some("vdb")));
    // Devices below were not sampled, so they are unknown.
    assert_eq!(of(&below(5e6, 3.0)[..2].to_vec()), None);
}

/// Reads of a megabyte that reach the disk as this many requests.
#[test]
fn small_disk_reads_show_read_ahead_or_fragmentation() {
    let disk = |pieces: f64, busy| {
        vec![
            (Disk, "util_percent", "sda", busy),
            (Disk, "reads_per_s", "sda", 50.0 * pieces),
            (Disk, "read_bytes_per_s", "sda", 50e6),
        ]
    };
    let of = |pieces, busy, past_client_cache| {
        let memory = MemoryFacts { past_client_cache, ..MemoryFacts::default() };
        limit_of(&mix(50e6, 0.0), &disk(pieces, busy), None, Some(&memory))
    };
    let small = of(64.0, 80.0, Some(false));
    assert_eq!((found(&small), first_rule(&small)), (Some(LimitStep::Disk), "blk.read_ahead"), "{small:#?}");
    // Without the cache, the parts of a read are in flight together, so a disk with idle time is not the
    // limit; and the layout of the file is one of two possible reasons for the parts.
    assert_eq!(found(&of(64.0, 80.0, Some(true))), None);
    let cut = of(64.0, 97.0, Some(true));
    assert_eq!((found(&cut), first_rule(&cut)), (Some(LimitStep::Disk), "blk.disk_saturated"));
    assert_eq!(cut.found.unwrap().value(Measure::RequestsPerRead), Some(64.0));
    // Whole reads from a disk that is not always busy; parts from a disk that is hardly busy.
    assert_eq!(found(&of(4.0, 80.0, Some(false))), None);
    assert_eq!(found(&of(64.0, 20.0, Some(false))), None);
    let full = of(4.0, 97.0, Some(true));
    assert_eq!(first_rule(&full), "blk.disk_saturated");
}

/// A load point of 60 s that failed because of an incident of 12 s, with the counters of both periods.
fn in_incident(whole: &Values, incident: &Values, link: Option<&LinkFacts>) -> Limit {
    let (whole, part) = (CounterMeans::of_tests(60.0, whole), CounterMeans::of_tests(12.0, incident));
    let point = streams(Some(Culprit::Storage));
    let scene = LimitInput {
        means: &whole,
        point: &point,
        link,
        memory: None,
        observed: &[],
        on_network: link.is_some(),
        processors: 4,
        incidents_s: None,
        is_paced: true,
    };
    let within = LimitInput { means: &part, incidents_s: Some(12.0), ..scene };
    of_point(&scene, Some(&within))
}

#[test]
fn a_fault_of_a_part_is_named_from_the_incidents_and_not_averaged_away() {
    let busy = |percent| vec![(Disk, "util_percent", "loop1", percent)];
    let limit = in_incident(&busy(70.0), &busy(100.0), None);
    assert_eq!(found(&limit), Some(LimitStep::Disk), "{limit:#?}");
    let finding = limit.found.as_ref().unwrap();
    assert_eq!(finding.value(Measure::DiskBusyPercent), Some(100.0));
    assert_eq!(finding.value(Measure::IncidentsS), Some(12.0));
    assert!(limit.contributing.is_empty() && limit.nearest.is_empty(), "{limit:#?}");
    // Packets were lost only in the incident, on an otherwise healthy connection.
    let link = link(Some(1_177e6));
    let lossy = connection(&[("connection_out_of_order_segments_per_s", 2_000.0)]);
    let limit = in_incident(&connection(&[]), &lossy, Some(&link));
    assert_eq!(found(&limit), Some(LimitStep::NetworkLoss), "{limit:#?}");
    // No counter reached its threshold in the incidents, so the whole load point decides.
    let limit = in_incident(&busy(96.0), &busy(40.0), None);
    assert_eq!(limit.found.as_ref().unwrap().value(Measure::IncidentsS), None, "{limit:#?}");
    assert_eq!(found(&limit), Some(LimitStep::Disk));
    assert_eq!(in_incident(&busy(70.0), &busy(60.0), None).verdict, LimitVerdict::NothingStoodOut);
}

#[test]
fn a_link_that_went_down_in_an_incident_is_the_path_and_one_of_another_interface_is_not() {
    let changed = |device| [connection(&[]), vec![(Network, "link_changes_per_s", device, 0.17)]].concat();
    let link = link(Some(1_177e6));
    let limit = in_incident(&connection(&[]), &changed("eth0"), Some(&link));
    assert_eq!(found(&limit), Some(LimitStep::PathBroken), "{limit:#?}");
    let finding = limit.found.as_ref().unwrap();
    assert_eq!((finding.at.as_deref(), finding.value(Measure::LinkChanges)), (Some("eth0"), Some(2.0)));
    assert!(finding.step.is_on_the_way(), "so that nobody is sent to the storage's log");
    let other = in_incident(&connection(&[]), &changed("docker0"), Some(&link));
    assert_ne!(found(&other), Some(LimitStep::PathBroken), "{other:#?}");
    // A load that continued during the change was not delayed by it.
    let went_on = over_network(&mix(50e6, 0.0), &changed("eth0"));
    assert_ne!(found(&went_on), Some(LimitStep::PathBroken), "{went_on:#?}");
    // No operation completed after it.
    let mut hung = mix(0.0, 0.0);
    hung.total.ops = 0;
    assert_eq!(found(&over_network(&hung, &changed("eth0"))), Some(LimitStep::PathBroken));
}

#[test]
fn small_send_buffer_is_found_by_bytes_in_flight() {
    // 13.9 MB/s at 2 ms are 27.8 kB.
    let values = |changed: &[(&'static str, f64)]| {
        let small = [
            ("connection_sent_bytes_per_s", 13.9e6),
            ("connection_busy_percent", 98.0),
            ("connection_rtt_us", 2_000.0),
            ("connection_cwnd_bytes", 290_000.0),
            ("connection_send_buffer_bytes", 46_080.0),
        ];
        let value = |name: &'static str, value: f64| {
            changed.iter().find(|(other, _)| *other == name).map_or(value, |(_, changed)| *changed)
        };
        let known = connection(changed);
        let known = known.into_iter().filter(|(_, name, ..)| small.iter().all(|(other, _)| other != name));
        known.chain(small.map(|(name, of)| (Network, name, SERVER, value(name, of)))).collect::<Values>()
    };
    let of = |changed: &[(&'static str, f64)]| found(&over_network(&mix(0.0, 13.9e6), &values(changed)));
    let limit = over_network(&mix(0.0, 13.9e6), &values(&[]));
    assert_eq!(
        (found(&limit), first_rule(&limit)),
        (Some(LimitStep::SendBuffer), "net.tcp.buffer_below_bdp"),
        "{limit:#?}"
    );
    assert!(limit.contributing.iter().all(|finding| finding.step != LimitStep::Server), "{limit:#?}");
    assert_eq!(limit.found.unwrap().value(Measure::InFlightBytes), Some(27_800.0));
    // The congestion window or the server's window is full; the program sends only now and then; or the
    // buffer is large.
    assert_ne!(of(&[("connection_cwnd_bytes", 29_000.0)]), Some(LimitStep::SendBuffer));
    assert_ne!(of(&[("connection_peer_window_bytes", 32_000.0)]), Some(LimitStep::SendBuffer));
    assert_ne!(of(&[("connection_busy_percent", 20.0)]), Some(LimitStep::SendBuffer));
    assert_ne!(of(&[("connection_send_buffer_bytes", 600_000.0)]), Some(LimitStep::SendBuffer));
    // Reads do not pass through the send buffer.
    assert_ne!(found(&over_network(&mix(50e6, 0.0), &values(&[]))), Some(LimitStep::SendBuffer));
}

#[test]
fn a_busy_disk_of_the_server_that_moved_none_of_the_load_is_not_the_limit() {
    let other = with_server_disk(&[("util_percent", 98.0), ("read_bytes_per_s", 100_000.0)]);
    assert_eq!(found(&other), Some(LimitStep::Server), "{other:#?}");
    let own = with_server_disk(&[("util_percent", 98.0), ("read_bytes_per_s", 48e6)]);
    assert_eq!(found(&own), Some(LimitStep::ServerDisk), "{own:#?}");
    // Its bytes were not counted, so it may be the limit.
    assert_eq!(found(&with_server_disk(&[("util_percent", 98.0)])), Some(LimitStep::ServerDisk));
}
