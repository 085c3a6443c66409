//! Both passes of a run's detail: exact numbers, and the bounds of lists. An integration test, because
//! it computes long: here the crate is optimised.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use reelgauge_analysis::detail::data::{Measure, PointStreams};
use reelgauge_analysis::detail::{Decimal, Detail, FirstPass, JudgedPoint};
use reelgauge_analysis::hosts::RunHost;
use reelgauge_analysis::late::test_streams::player;
use reelgauge_analysis::late::{LateFigures, LateTally, MeasuredPart};
use reelgauge_record::test_records::{read, write};
use reelgauge_record::{OpFlags, OpRecord};

const MS: u64 = 1_000_000;

/// The detail of operations whose log is in order of issue.
fn detail(ops: &[OpRecord], files: usize) -> Detail {
    detail_of(FirstPass::new(Measure::Response, vec![0; files]), ops)
}

fn detail_of(mut first: FirstPass, ops: &[OpRecord]) -> Detail {
    ops.iter().for_each(|op| first.add(op));
    let mut second = first.second();
    ops.iter().for_each(|op| second.add(op));
    second.detail(|file| (file != 3).then(|| format!("reel/{file}.mov")))
}

#[test]
fn operations_are_counted_by_worker_and_kind() {
    let ops = [
        read(0, 0, 4_096).took_ms(90).flagged(OpFlags::WARMUP),
        read(0, 4_096, 4_096).at_ms(100).took_ms(3),
        write(1, 0, 512).at_ms(101).took_ms(4),
        OpRecord { errno: 5, ..read(0, 8_192, 4_096).at_ms(102).took_ms(5) },
        read(9, 0, 100).at_ms(110).took_ms(2),
    ];
    let detail = detail(&ops, 2);
    assert_eq!((detail.ops, detail.listed_all, detail.measure), (5, true, Measure::Response));
    assert_eq!(
        (detail.time.from_s, detail.time.bin_s, detail.time.bins),
        (Decimal(0.0), Decimal(0.001), 113)
    );
    let bins = |values: &[u64]| -> Vec<(usize, u64)> {
        values.iter().copied().enumerate().filter(|(_, value)| *value > 0).collect()
    };
    let over = &detail.over_time;
    assert_eq!(bins(&over.ops), [(90, 1), (103, 1), (105, 1), (107, 1), (112, 1)]);
    assert_eq!((bins(&over.failed_ops), bins(&over.warmup_ops)), (vec![(107, 1)], vec![(90, 1)]));
    assert_eq!(bins(&over.read_bytes), [(90, 4_096), (103, 4_096), (112, 100)]);
    assert_eq!(bins(&over.written_bytes), [(105, 512)]);
    // 3 ms is in bin 46 of latency (2^11.5 µs = 2896 µs), 4 ms in 47, 2 ms in 43; 5 ms failed.
    assert_eq!(detail.latency.reads.cells, [103, 46, 1, 112, 43, 1]);
    assert_eq!(detail.latency.writes.cells, [105, 47, 1]);
    assert_eq!(detail.latency.writes.sum_us[105], 4_000);
    let curves: Vec<(&str, u64)> =
        detail.percentiles.iter().map(|curve| (&*curve.kind, curve.count)).collect();
    assert_eq!(curves, [("read", 2), ("write", 1)]);
    assert_eq!(detail.worst.response_us, [5_000.0, 4_000.0, 3_000.0, 2_000.0].map(Decimal));
    assert_eq!(detail.listed.warmup, [true, false, false, false, false]);
    assert_eq!(detail.listed.file, [0, 0, 1, 0, -1]);
    assert_eq!((&detail.files.file[..], &detail.files.ops[..]), (&[0, 1][..], &[2, 1][..]));
    // The previous access was in the warm-up and ended there.
    assert_eq!(detail.files.sequential_percent, [Some(Decimal(100.0)), Some(Decimal(0.0))]);
    assert_eq!(
        detail.file_names,
        BTreeMap::from([(0, "reel/0.mov".to_owned()), (1, "reel/1.mov".to_owned())])
    );
}

fn host(first: u32) -> RunHost {
    RunHost { first_worker: first, workers: 2, first_stream: first, streams: 2, ..RunHost::default() }
}

#[test]
fn each_host_of_several_has_its_own_bytes_and_slowest_response() {
    let ops = [
        read(0, 0, 4_096).by_worker(0).took_ms(90).flagged(OpFlags::WARMUP),
        read(0, 4_096, 4_096).by_worker(1).at_ms(100).took_ms(3),
        write(1, 0, 512).by_worker(2).at_ms(101).took_ms(4),
        OpRecord { errno: 5, ..read(0, 8_192, 4_096).by_worker(3).at_ms(102).took_ms(5) },
    ];
    let of =
        |hosts: &[RunHost]| detail_of(FirstPass::new(Measure::Response, vec![0; 2]).of_hosts(hosts), &ops);
    let detail = of(&[host(0), host(2)]);
    let hosts = detail.hosts.unwrap();
    let sums: Vec<u64> = hosts.hosts.iter().map(|host| host.bytes.iter().sum()).collect();
    assert_eq!(sums, [8_192, 512]);
    assert_eq!(sums.iter().sum::<u64>(), {
        let over = &detail.over_time;
        over.read_bytes.iter().chain(&over.written_bytes).sum::<u64>()
    });
    let slowest = |at: usize| {
        let us = hosts.hosts[at].max_response_us.iter().map(|us| us.0);
        us.fold(0.0, f64::max)
    };
    // Neither that of the warm-up nor that of a failed read.
    assert_eq!([slowest(0), slowest(1)], [3_000.0, 4_000.0]);
    assert!(of(&[host(0)]).hosts.is_none() && of(&[]).hosts.is_none());
}

#[test]
fn late_frames_of_hosts_add_up_to_those_of_all() {
    let ops: Vec<OpRecord> = (0..4_u32)
        .flat_map(|stream| (0..25).map(move |frame| (stream, frame)))
        .map(|(stream, frame)| {
            let took_ms = if stream == 3 { 1_500 } else { 1 };
            read(stream, 0, 4_096)
                .by_worker(stream)
                .frame(frame)
                .at_ms(u64::from(frame) * 40)
                .took_ms(took_ms)
        })
        .collect();
    let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: 3_000 * MS };
    let point = JudgedPoint { part, specs: (0..4).map(player).collect() };
    let first = FirstPass::new(Measure::Response, vec![0; 4]).of_hosts(&[host(0), host(2)]);
    let detail = detail_of(first.judging(vec![point], false), &ops);
    let streams = &detail.streams[0];
    let sums: Vec<u64> = streams.host_late_frames.iter().map(|late| late.iter().sum()).collect();
    assert_eq!(sums.len(), 2);
    assert!(sums[1] > sums[0], "{sums:?}");
    assert_eq!(sums.iter().sum::<u64>(), streams.late_frames.iter().sum::<u64>());
}

#[test]
fn a_log_of_nothing_is_a_page_of_nothing() {
    let detail = detail(&[], 0);
    assert_eq!((detail.ops, detail.listed_all, detail.time.bins), (0, true, 1));
    assert!(detail.percentiles.is_empty() && detail.maps.is_empty() && detail.streams.is_empty());
}

#[test]
fn up_to_twenty_thousand_operations_are_listed_and_five_hundred_are_the_worst() {
    for (ops, listed, all) in [(20_000, 20_000, true), (20_001, 2_000, false)] {
        let ops: Vec<OpRecord> = (0..ops).map(|n| read(3, n, 1).at_ms(n).took_ms(1 + n % 777)).collect();
        let detail = detail(&ops, 4);
        assert_eq!((detail.listed.kind.len(), detail.listed_all), (listed, all));
        assert_eq!((detail.worst.kind.len(), detail.worst.service_us[0]), (500, Decimal(777_000.0)));
        // A file without a name still has a number.
        assert_eq!((detail.listed.file[0], detail.file_names.len()), (3, 0));
    }
}

#[test]
fn grid_with_too_many_cells_is_coarsened_without_loss() {
    let ops: Vec<OpRecord> = (0..400_000)
        .map(|n| {
            let took_ns = 1_000_u64 << (n * 7 % 22);
            read(0, 0, 8).at_ms(n).took_ns(took_ns + n * 13 % took_ns)
        })
        .collect();
    let detail = detail(&ops, 1);
    assert!(detail.latency.reads.cells.len() <= 3 * 60_000, "{}", detail.latency.reads.cells.len());
    let counts = detail.latency.reads.cells.chunks(3).map(|cell| cell[2]);
    assert_eq!(counts.sum::<u64>(), 400_000);
    assert_eq!(detail.over_time.ops.iter().sum::<u64>(), 400_000);
    assert_eq!(detail.over_time.ops.len(), detail.time.bins);
    assert_eq!(detail.latency.writes.max_us.len(), detail.time.bins);
}

fn judged(point: u16, from_ms: u64, until_ms: u64, streams: u32) -> JudgedPoint {
    let part = MeasuredPart {
        point,
        started_ns: from_ms * MS,
        from_ns: (from_ms + 200) * MS,
        until_ns: until_ms * MS,
    };
    JudgedPoint { part, specs: (0..streams).map(player).collect() }
}

/// Frames of every stream of a load point with these times; those with 999 ms or more never arrive.
fn frames(point: &JudgedPoint, took_ms: &[u16]) -> Vec<OpRecord> {
    let mut ops = Vec::new();
    for (frame, &took) in (0_u32..).zip(took_ms) {
        let stream = frame % point.specs.len() as u32;
        let number = frame / point.specs.len() as u32;
        let due_ns = point.part.started_ns + u64::from(number) * 40 * MS;
        if took < 999 {
            let read = read(0, 0, 1).by_worker(stream).frame(number).in_point(point.part.point);
            ops.push(read.at_ns(due_ns).took_ms(took.into()));
        }
    }
    ops.sort_by_key(|op| op.done_ns);
    ops
}

fn figures(point: &JudgedPoint, ops: &[OpRecord]) -> LateFigures {
    let mut tally = LateTally::new(point.specs.clone(), point.part);
    ops.iter().for_each(|op| tally.add(op));
    tally.finish(point.part.until_ns)
}

/// The strips count the same as the figures of a summary.
fn assert_same(streams: &PointStreams, figures: &LateFigures) {
    assert_eq!(streams.late_frames.iter().sum::<u64>(), figures.total.late_frames);
    let came: u64 = streams.headroom.count.iter().sum();
    assert_eq!(came + streams.headroom.never, figures.total.frames_judged);
    for strip in &streams.streams {
        let of_stream = figures.streams.iter().find(|of| of.stream == strip.stream).unwrap();
        assert_eq!(strip.late_frames.iter().sum::<u64>(), of_stream.late_frames, "stream {}", strip.stream);
    }
}

/// The smallest margin in each bin as in the live view, sampled at the end of each bin and right before
/// each completion.
fn live_margins(point: &JudgedPoint, ops: &[OpRecord], streams: &PointStreams) -> Vec<Vec<Option<i64>>> {
    let ns = |seconds: Decimal| (seconds.0 * 1e9).round() as u64;
    let (from_ns, bin_ns) = (ns(streams.time.from_s), ns(streams.time.bin_s));
    let ends = (1..=streams.time.bins as u64).map(|bin| from_ns + bin * bin_ns);
    let mut moments: Vec<u64> = ends.chain(ops.iter().map(|op| op.done_ns)).collect();
    moments.retain(|at_ns| (from_ns + 1..=point.part.until_ns).contains(at_ns));
    moments.push(point.part.until_ns);
    moments.sort_unstable();
    let mut margins = vec![vec![None; streams.time.bins]; point.specs.len()];
    let mut tally = LateTally::new(point.specs.clone(), point.part);
    let mut ops = ops.iter().peekable();
    for at_ns in moments {
        while let Some(op) = ops.next_if(|op| op.done_ns < at_ns) {
            tally.add(op);
        }
        for now in tally.at(at_ns).streams {
            let least = &mut margins[now.stream as usize][((at_ns - 1 - from_ns) / bin_ns) as usize];
            let margin_us = now.margin_ns.map(|ns| ns.div_euclid(1_000));
            *least = [*least, margin_us].into_iter().flatten().min();
        }
    }
    margins
}

fn assert_as_live(streams: &PointStreams, point: &JudgedPoint, ops: &[OpRecord]) {
    let live = live_margins(point, ops, streams);
    for strip in &streams.streams {
        assert_eq!(strip.min_margin_us, live[strip.stream as usize], "stream {}", strip.stream);
    }
    let smallest = |bin: usize| live.iter().filter_map(|margins| margins[bin]).min();
    assert_eq!(streams.min_margin_us, (0..streams.time.bins).map(smallest).collect::<Vec<_>>());
}

#[test]
fn stall_of_1s_is_found_at_its_time() {
    let point = judged(0, 0, 4_000, 2);
    // Two streams; frames 30 to 54 of the first arrive at 2.2 s.
    let took: Vec<u16> = (0..200_u16)
        .map(|n| match (n % 2, n / 2) {
            (0, frame @ 30..55) => 2_200 - frame * 40,
            _ => 5,
        })
        .map(|took| if took >= 999 { 998 } else { took })
        .collect();
    let ops = frames(&point, &took);
    let detail =
        detail_of(FirstPass::new(Measure::Response, vec![0]).judging(vec![point.clone()], false), &ops);
    let streams = &detail.streams[0];
    assert_same(streams, &figures(&point, &ops));
    assert_eq!((streams.streams.len(), streams.left_out), (2, 0));
    assert_eq!((streams.streams[0].stream, streams.streams[0].name.as_str()), (0, "player 0"));
    assert_eq!(
        (streams.time.from_s, streams.time.bin_s, streams.time.bins),
        (Decimal(0.2), Decimal(0.01), 380)
    );
    // The first late frame is due at 1.2 s and needed at 1.3 s. From then on the margin is below 0;
    // until the frame arrives at 2.198 s it falls with the clock.
    let first = streams.late_frames.iter().position(|late| *late > 0).unwrap();
    assert_eq!(first, (1_300 - 200) / 10);
    let margin_ms = |at_ms: usize| streams.min_margin_us[(at_ms - 200) / 10].map(|us| us.div_euclid(1_000));
    assert_eq!([margin_ms(1_290), margin_ms(1_300), margin_ms(2_180)], [Some(0), Some(-10), Some(-890)]);
    assert_eq!(margin_ms(2_190), Some(-898));
    assert!(margin_ms(2_400) >= Some(90) && streams.min_margin_us.iter().all(Option::is_some));
    assert_as_live(streams, &point, &ops);
    // In time by 95 of 140 ms: 67 %.
    assert_eq!((streams.headroom.from_percent, streams.headroom.count.len()), (-100, 41));
    let usual = streams.headroom.count.iter().enumerate().max_by_key(|(_, count)| **count).unwrap();
    assert_eq!(usual.0, ((65 - -100) / 5) as usize);
}

#[test]
fn interleaved_load_points_are_counted_separately() {
    let points: Vec<JudgedPoint> = (0..3)
        .map(|point| judged(point, u64::from(point) * 3_000, u64::from(point) * 3_000 + 2_000, 4))
        .collect();
    let ops_of = |point: &JudgedPoint| frames(point, &[70, 95, 101, 139, 200, 3].repeat(40));
    let mut ops: Vec<OpRecord> = points.iter().flat_map(ops_of).collect();
    // As in a row group: sorted by worker, each in order.
    ops.sort_by_key(|op| op.worker);
    let detail = detail_of(FirstPass::new(Measure::Response, vec![0]).judging(points.clone(), false), &ops);
    assert_eq!(detail.streams.len(), 3);
    for (streams, point) in detail.streams.iter().zip(&points) {
        let figures = figures(point, &ops);
        assert!(figures.total.late_frames > 20 && figures.total.streams == 4);
        assert_same(streams, &figures);
    }
}

#[test]
fn hundreds_of_load_points_and_streams_are_bounded() {
    let points: Vec<JudgedPoint> = (0..400)
        .map(|point| judged(point, u64::from(point) * 2_000, u64::from(point) * 2_000 + 1_900, 300))
        .collect();
    let ops: Vec<OpRecord> = points.iter().flat_map(|point| frames(point, &[150; 600])).collect();
    let detail = detail_of(FirstPass::new(Measure::Response, vec![0]).judging(points.clone(), false), &ops);
    assert_eq!(detail.streams.len(), 400);
    let json = serde_json::to_vec(&detail.streams).unwrap().len();
    assert!(json < 1_600_000, "{json}");
    assert!(detail.streams.iter().all(|point| point.left_out as usize + point.streams.len() == 300));
    assert_same(&detail.streams[7], &figures(&points[7], &ops));
}

proptest! {
    #[test]
    fn late_frames_of_all_bins_are_those_of_the_summary(
        took_ms in prop::collection::vec(prop_oneof![0_u16..300, 900_u16..1_100], 1..200),
        streams in 1_u32..5,
        until_ms in 300_u64..6_000,
    ) {
        let point = judged(2, 100, until_ms, streams);
        let ops = frames(&point, &took_ms);
        let first = FirstPass::new(Measure::Response, vec![]).judging(vec![point.clone()], false);
        let detail = detail_of(first, &ops);
        assert_same(&detail.streams[0], &figures(&point, &ops));
    }

    #[test]
    fn margins_over_time_are_those_of_the_live_view(
        took_ms in prop::collection::vec(
            prop_oneof![3 => 0_u16..60, 1 => 0_u16..300, 1 => 900_u16..1_100], 1..200
        ),
        streams in 1_u32..4,
        until_ms in 400_u64..6_000,
    ) {
        let point = judged(2, 100, until_ms, streams);
        // The start of a stream is certain from its first frame on.
        let took_ms = [vec![5; streams as usize], took_ms].concat();
        let ops = frames(&point, &took_ms);
        let first = FirstPass::new(Measure::Response, vec![]).judging(vec![point.clone()], false);
        assert_as_live(&detail_of(first, &ops).streams[0], &point, &ops);
    }
}
