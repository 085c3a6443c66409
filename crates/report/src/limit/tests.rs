//! Tests of the sentences about findings; each figure must equal the summary's.

use reelgauge_analysis::LinkFacts;
use reelgauge_analysis::figures::{Figures, PointTiming};
use reelgauge_analysis::limit::{LimitStep, Measure, Seen};
use reelgauge_analysis::meter::PointFigures;
use reelgauge_analysis::summary::{LoadPointFacts, Target};

use super::*;

fn finding(step: LimitStep, at: Option<&str>, seen: &[(Measure, f64)], rules: &[&str]) -> LimitFinding {
    let threshold = |at: usize| (at == 0).then_some(0.1);
    let seen = seen.iter().enumerate();
    let seen = seen.map(|(at, (measure, value))| Seen {
        measure: *measure,
        value: *value,
        threshold: threshold(at),
    });
    LimitFinding {
        step,
        at: at.map(str::to_owned),
        seen: seen.collect(),
        rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
    }
}

fn mix(limit: Limit) -> Summary {
    let total = Figures {
        ops: 100,
        read_bytes: 970_000_000,
        read_bytes_per_s: Some(97e6),
        bytes_per_s: Some(97e6),
        ..Figures::default()
    };
    let figures = PointFigures {
        point: 0,
        timing: PointTiming { started_ns: 0, measured_ns: 10_000_000_000 },
        total,
        per_worker: Vec::new(),
        paper: Default::default(),
    };
    let mut point = LoadPoint::new(LoadPointFacts::default(), figures);
    point.limit = Some(limit);
    let mut summary = Summary::new("0.1.0", "2026-11-24T10:00:00Z", "mix", Target::default());
    summary.load_points = vec![point];
    summary
}

#[test]
fn a_finding_is_the_layer_then_its_figures() {
    let mut printed = Vec::<String>::new();
    let loss = [(Measure::OutOfOrderPercent, 2.1), (Measure::RetransmittedPercent, 0.0)];
    let loss = finding(LimitStep::NetworkLoss, None, &loss, &["net.tcp.backpressure"]);
    let limit = Limit { verdict: LimitVerdict::Found, found: Some(loss), ..Limit::default() };
    let told = limit_words(&mix(limit)).limited_by();
    printed.push(told.to_string());
    let window = [
        (Measure::WindowFilledPercent, 82.4),
        (Measure::WindowBytes, 65_535.0),
        (Measure::RttUs, 2_000.0),
        (Measure::Connections, 1.0),
        (Measure::ConnectionsWithoutScaling, 1.0),
    ];
    let window = finding_words(&finding(LimitStep::TcpWindow, None, &window, &[]), Way::default());
    printed.push(window.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn server_is_not_distinguished_from_a_link_of_unknown_speed() {
    let mut printed = Vec::<String>::new();
    let slow = [(Measure::OperationUs, 10_000.0), (Measure::RttUs, 500.0)];
    let slow = finding(LimitStep::Server, None, &slow, &[]);
    let words = |is_line_known, has_own_program| {
        finding_words(&slow, Way { is_line_known, has_own_program })
            .split(':')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(words(true, false), "the server");
    printed.push(words(false, false).to_string());
    printed.push(words(true, true).to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn load_point_is_named_if_there_are_several() {
    let mut printed = Vec::<String>::new();
    let disk = finding(LimitStep::Disk, Some("sda"), &[(Measure::DiskBusyPercent, 97.0)], &[]);
    let limit = Limit { verdict: LimitVerdict::Found, found: Some(disk), ..Limit::default() };
    let mut summary = mix(limit);
    printed.push(limit_words(&summary).limited_by().to_string());
    let mut other = summary.load_points[0].clone();
    (other.limit, other.label) = (None, "1 worker".to_owned());
    "8 workers".clone_into(&mut summary.load_points[0].label);
    summary.load_points.insert(0, other);
    printed.push(limit_words(&summary).limited_by().to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn nearest_counters_are_shown_with_thresholds_if_no_limit_is_found() {
    let disk = finding(LimitStep::Disk, Some("sda"), &[(Measure::DiskBusyPercent, 71.0)], &[]);
    let disk = LimitFinding { seen: vec![Seen { threshold: Some(90.0), ..disk.seen[0] }], ..disk };
    let limit = Limit { verdict: LimitVerdict::NothingStoodOut, nearest: vec![disk], ..Limit::default() };
    let told = limit_words(&mix(limit)).limited_by();
    insta::assert_snapshot!(told);
    let nothing = Limit { verdict: LimitVerdict::NothingLimited, ..Limit::default() };
    assert_eq!(limit_words(&mix(nothing)), LimitWords::default());
}

#[test]
fn other_programs_are_named_and_link_speed_is_compared_with_the_rate() {
    let others = [(Measure::OthersPercent, 64.0), (Measure::ProgramPercent, 210.0)];
    let beside = vec![finding(LimitStep::Client, Some("blender\u{1b}[2J"), &others, &[])];
    let mut summary =
        mix(Limit { verdict: LimitVerdict::NothingLimited, contributing: beside, ..Limit::default() });
    summary.link = Some(LinkFacts {
        words: "eth0 to 10.0.0.2, 1 Gbit/s, MTU 1500".to_owned(),
        line_bytes_per_s: Some(117.7e6),
        ..LinkFacts::default()
    });
    let lines = limit_notes(&summary);
    assert_eq!(lines.iter().map(|(label, _)| *label).collect::<Vec<_>>(), ["Note", "Link"]);
    summary.link = Some(LinkFacts { words: "eth0 to 10.0.0.2".to_owned(), ..LinkFacts::default() });
    let without = limit_notes(&summary)[1].1.clone();
    insta::assert_snapshot!([lines[0].1.as_str(), &lines[1].1, &without].join("\n"));
}

#[test]
fn contributing_findings_are_shown_only_with_a_found_limit() {
    let mut printed = Vec::<String>::new();
    let beside = vec![finding(LimitStep::Client, None, &[(Measure::OthersPercent, 64.0)], &[])];
    let alone =
        Limit { verdict: LimitVerdict::NothingLimited, contributing: beside.clone(), ..Limit::default() };
    let words = limit_words(&mix(alone));
    assert_eq!(words.limited_by(), "");
    printed.extend(words.only_beside().as_deref().map(|text| text.to_string()));
    let disk = finding(LimitStep::Disk, Some("sda"), &[(Measure::DiskBusyPercent, 97.0)], &[]);
    let both =
        Limit { verdict: LimitVerdict::Found, found: Some(disk), contributing: beside, ..Limit::default() };
    let words = limit_words(&mix(both.clone()));
    printed.push(words.limited_by().to_string());
    assert_eq!(words.only_beside(), None);
    assert_eq!(limit_notes(&mix(both)), []);
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn other_program_is_shown_with_its_process_count() {
    let mut printed = Vec::<String>::new();
    let mut told = |name: &str, processes: Option<f64>| {
        let mut seen = vec![(Measure::OthersPercent, 64.0), (Measure::ProgramPercent, 177.0)];
        seen.extend(processes.map(|processes| (Measure::ProgramProcesses, processes)));
        let beside = finding_words(&finding(LimitStep::Client, Some(name), &seen, &[]), Way::default());
        seen[0] = (Measure::WorkersAtWorkPercent, 90.0);
        let limits = finding_words(&finding(LimitStep::Client, Some(name), &seen, &[]), Way::default());
        printed.extend([beside, limits]);
    };
    told("smbd", Some(1.0));
    told("smbd", Some(2.0));
    told("cc1", Some(4.5));
    told("reelgauge", Some(1.0));
    told("reelgauge", Some(2.0));
    // Summaries of earlier versions have no process count.
    told("smbd", None);
    told("reelgauge", None);
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn network_path_findings_have_a_remedy() {
    let mut printed = Vec::<String>::new();
    let words = |step, seen: &[(Measure, f64)], rules: &[&str]| {
        finding_words(&finding(step, Some("eth0"), seen, rules), Way::default())
    };
    let full = [(Measure::PingUs, 18_000.0), (Measure::RttUs, 300.0), (Measure::ReadBytesPerS, 24e6)];
    printed.push(words(LimitStep::LinkFull, &full, &[]).to_string());
    let swallowed = [
        (Measure::LongPingsLostPercent, 100.0),
        (Measure::ShortPingsAnsweredPercent, 100.0),
        (Measure::PacketBytes, 9_000.0),
    ];
    let said = words(LimitStep::PathBroken, &swallowed, &["net.mtu.path_mismatch"]);
    printed.push(said.to_string());

    let usual = [(Measure::LongPingsLostPercent, 100.0), (Measure::PacketBytes, 1_500.0)];
    let said = words(LimitStep::PathBroken, &usual, &["net.mtu.path_mismatch"]);
    assert!(said.contains("mtu 1400") && !said.contains("mtu 1500"), "it is 1500 already: {said}");
    let pieces = [(Measure::DiskBusyPercent, 80.0), (Measure::RequestsPerRead, 64.2)];
    let said = words(LimitStep::Disk, &pieces, &["blk.read_ahead"]);
    printed.push(said.to_string());
    let used = [(Measure::DiskBytesPerS, 843e6), (Measure::OwnBytesPerS, 145e6)];
    let said = words(LimitStep::Disk, &used, &["blk.disk_saturated"]);
    let told = " transferred 843 MB/s, of which this run accounts for at most 145 MB/s: something else used \
                it";
    assert!(said.ends_with(told), "{said}");
    let busy = [&[(Measure::DiskBusyPercent, 97.0)], &used[..]].concat();
    let said = words(LimitStep::Disk, &busy, &["blk.disk_saturated"]);
    printed.push(said.to_string());
    let jumbo = [(Measure::OutOfOrderPercent, 6.0)];
    let said = words(LimitStep::NetworkLoss, &jumbo, &["net.mtu.jumbo_fanin", "net.tcp.backpressure"]);
    printed.push(said.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn claims_do_not_exceed_the_evidence() {
    let mut printed = Vec::<String>::new();
    let words = |step, at, seen: &[(Measure, f64)], rules: &[&str]| {
        finding_words(
            &finding(step, Some(at), seen, rules),
            Way { is_line_known: true, has_own_program: false },
        )
    };
    // Direct reads that arrive in pieces: the sentence names the layout as one of two possible causes,
    // with the evidence.
    let pieces = [(Measure::DiskBusyPercent, 97.0), (Measure::RequestsPerRead, 64.0)];
    let said = words(LimitStep::Disk, "sda", &pieces, &["blk.disk_saturated"]);
    assert!(said.contains("reelgauge extents"), "{said}");
    assert!(said.contains("max_sectors_kb"), "{said}");
    // If a task waited for the server's storage, that storage is not ruled out.
    let server =
        [(Measure::OperationUs, 130e3), (Measure::RttUs, 500.0), (Measure::DiskPressurePercent, 93.0)];
    let said = words(LimitStep::Server, "", &server, &[]);
    printed.push(said.to_string());
    // 0.5 % loss, with half of the received data delayed.
    let said = words(LimitStep::NetworkLoss, "", &[(Measure::OutOfOrderPercent, 53.0)], &[]);
    printed.push(said.to_string());
    let disk = [(Measure::DiskBusyPercent, 100.0), (Measure::IncidentsS, 12.0)];
    let said = words(LimitStep::Disk, "loop1", &disk, &[]);
    printed.push(said.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn small_send_buffer_and_link_down_are_named() {
    let mut printed = Vec::<String>::new();
    let words = |step, at, seen: &[(Measure, f64)]| {
        finding_words(&finding(step, Some(at), seen, &[]), Way::default())
    };
    let buffer = [
        (Measure::SendBufferInFlightPercent, 60.0),
        (Measure::InFlightBytes, 27_800.0),
        (Measure::SendBufferBytes, 46_080.0),
        (Measure::CongestionWindowBytes, 290_000.0),
        (Measure::WindowBytes, 3_100_000.0),
        (Measure::RttUs, 2_000.0),
    ];
    printed.push(words(LimitStep::SendBuffer, "10.0.0.2:2049 from 700", &buffer).to_string());
    let flap = [(Measure::LinkChanges, 2.0), (Measure::IncidentsS, 4.0)];
    printed.push(words(LimitStep::PathBroken, "eth0", &flap).to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn partial_cache_hits_are_shown_and_do_not_rule_out_the_disk() {
    let mut printed = Vec::<String>::new();
    let of = |at, percent: Option<f64>| {
        let seen: Vec<_> = percent.map(|percent| (Measure::CachedPercent, percent)).into_iter().collect();
        finding_words(&finding(LimitStep::Cache, at, &seen, &[]), Way::default())
    };
    printed.push(of(None, Some(28.0)).to_string());
    printed.push(of(None, Some(97.0)).to_string());
    printed.push(of(None, None).to_string());
    printed.push(of(Some("loop1"), Some(60.0)).to_string());
    printed.push(of(Some("loop1"), Some(95.0)).to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn request_time_above_operation_time_is_not_shown_as_a_share() {
    let of = |percent| {
        let seen = [
            (Measure::DiskBusyPercent, 99.0),
            (Measure::DiskOfOperationPercent, percent),
            (Measure::DiskUs, 9_000.0),
        ];
        finding_words(&finding(LimitStep::ServerDisk, Some("sda of nas1"), &seen, &[]), Way::default())
    };
    insta::assert_snapshot!([80.0, 104.0, 184.0].map(of).join("\n"));
}
