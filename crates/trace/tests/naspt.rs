//! The twelve synthetic workloads have all their published figures, with any seed, and the same seed
//! results in the same trace. Figures are counted here from the written trace, independently of the
//! generators' tally.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use reelgauge_record::{OpKind, OpRecord, OpenBits};
use reelgauge_trace::synth::{STANDARD_SEED, Workload, workload, workloads};
use reelgauge_trace::trace::Trace;

fn made(name: &str, seed: u64, parent: &Path) -> Trace {
    workload(name).unwrap().generate(seed, parent).unwrap()
}

fn ops(trace: &Trace) -> Vec<OpRecord> {
    trace.batches().flat_map(Result::unwrap).collect()
}

fn accesses(trace: &Trace) -> Vec<OpRecord> {
    ops(trace).into_iter().filter(|op| op.kind.moves_data()).collect()
}

/// The paper's definition, in two lines.
fn sequential_percent(accesses: &[OpRecord]) -> f64 {
    let follows = |pair: &&[OpRecord]| {
        pair[0].file == pair[1].file && pair[0].offset + u64::from(pair[0].len) == pair[1].offset
    };
    100.0 * accesses.windows(2).filter(follows).count() as f64 / accesses.len() as f64
}

fn assert_figures(workload: &Workload, seed: u64) {
    let tally = workload.tally(seed).unwrap();
    for figure in workload.figures(&tally) {
        let miss = (figure.achieved - figure.target).abs();
        assert!(
            miss <= figure.tolerance,
            "{} with seed {seed}: {} is {}, published {} ± {}",
            workload.name,
            figure.figure,
            figure.achieved,
            figure.target,
            figure.tolerance
        );
    }
}

#[test]
fn every_published_figure_is_met_with_the_standard_seed() {
    for workload in workloads() {
        assert!(workload.figures(&workload.tally(1).unwrap()).len() >= 6, "{}", workload.name);
        assert_figures(workload, STANDARD_SEED);
    }
}

#[test]
fn every_published_figure_is_met_with_other_seeds() {
    for seed in [0, 2, 3, 4, 5, 77, 1_000_003, u64::MAX] {
        workloads().iter().for_each(|workload| assert_figures(workload, seed));
    }
}

#[test]
fn written_trace_matches_its_stored_figures() {
    let parent = tempfile::tempdir().unwrap();
    for workload in workloads() {
        let trace = workload.generate(9, parent.path()).unwrap();
        let accesses = accesses(&trace);
        let files: BTreeSet<u32> = accesses.iter().map(|op| op.file).collect();
        let info = trace.info().unwrap();
        let row = |what: &str| {
            let rows = info.synthetic.iter().filter(|row| row.figure.starts_with(what));
            rows.map(|row| row.achieved).next().unwrap()
        };
        assert_eq!(row("files"), files.len() as f64, "{}", workload.name);
        let share = sequential_percent(&accesses);
        assert!((row("sequential, %") - share).abs() < 1e-9, "{}: {share}", workload.name);
        let bytes: u64 = accesses.iter().map(|op| u64::from(op.len)).sum();
        assert_eq!(workload.tally(9).unwrap().bytes(), bytes);
        assert!(info.about.starts_with("Synthetic, matched to published statistics"));
        assert!(info.blind_to.iter().any(|what| what.contains("durations are nominal")));
        assert_eq!((info.made_by.as_str(), info.warnings.len()), ("synthetic", 0));
    }
}

#[test]
fn directory_copies_are_exact() {
    let parent = tempfile::tempdir().unwrap();
    for seed in [STANDARD_SEED, 12, 13] {
        let to = accesses(&made("DirectoryCopyToNAS-synth", seed, parent.path()));
        let from = accesses(&made("DirectoryCopyFromNAS-synth", seed, parent.path()));
        for accesses in [&to, &from] {
            assert_eq!(accesses.len(), 5966);
            assert_eq!((sequential_percent(accesses) * 10.0).round(), 525.0);
        }
        let bytes = |kind: OpKind, accesses: &[OpRecord]| -> u64 {
            accesses.iter().filter(|op| op.kind == kind).map(|op| u64::from(op.len)).sum()
        };
        assert_eq!((bytes(OpKind::Write, &to), bytes(OpKind::Read, &to)), (247_000_000, 70));
        assert_eq!((bytes(OpKind::Write, &from), bytes(OpKind::Read, &from)), (0, 247_000_070));
    }
}

#[test]
fn merged_streams_have_their_published_shares_within_a_point() {
    let parent = tempfile::tempdir().unwrap();
    for (name, shares, streams) in [
        ("HDVideo_2Play-synth", [18.0, 18.1], 2),
        ("HDVideo_4Play-synth", [11.0, 9.6], 4),
        ("HDVideo_1Play_1Record-synth", [20.0, 20.0], 2),
    ] {
        let trace = made(name, STANDARD_SEED, parent.path());
        let accesses = accesses(&trace);
        for share in shares {
            let achieved = sequential_percent(&accesses);
            assert!((achieved - share).abs() <= 1.0, "{name}: {achieved}, published {share}");
        }
        let asking: BTreeSet<u32> = accesses.iter().map(|op| op.stream).collect();
        assert_eq!(asking.len(), streams);
        assert!(trace.info().unwrap().about.contains("Fitted by bisection"), "the fit is published");
    }
}

#[test]
fn the_same_seed_gives_the_same_trace_and_another_one_another() {
    let parent = tempfile::tempdir().unwrap();
    for workload in workloads().iter().filter(|workload| !workload.name.starts_with("FileCopy")) {
        let of = |seed| {
            let trace = workload.generate(seed, parent.path()).unwrap();
            (ops(&trace), trace.files().to_vec())
        };
        assert!(of(5) == of(5), "{}", workload.name);
        assert!(of(5).0 != of(6).0, "{}", workload.name);
    }
}

/// One request is outstanding, times never go backwards, every handle is open when it is used, no file
/// is used before it exists, and all accesses go through the cache.
#[test]
fn operations_are_those_of_an_application() {
    let parent = tempfile::tempdir().unwrap();
    for workload in workloads() {
        let trace = workload.generate(STANDARD_SEED, parent.path()).unwrap();
        let (mut open, mut exists, mut free_ns) = (HashMap::new(), BTreeMap::new(), 0);
        for (file, entry) in trace.files().iter().enumerate() {
            exists.insert(file as u32, entry.existed_before);
            assert!(reelgauge_trace::name::check(&entry.path).is_ok(), "{}", entry.path);
            assert_eq!(entry.prepared, if entry.existed_before { "found" } else { "absent" });
            let is_directory = entry.path.ends_with('/');
            assert_eq!(entry.size_before_bytes.is_some(), entry.existed_before && !is_directory);
        }
        for op in ops(&trace) {
            assert!(op.issued_ns >= free_ns && op.due_ns == op.issued_ns, "{}", workload.name);
            free_ns = op.done_ns;
            match op.kind {
                OpKind::Open | OpKind::Create => {
                    let bits = OpenBits(op.len);
                    assert!(!bits.has(OpenBits::DIRECT));
                    assert_eq!(op.kind == OpKind::Create, bits.has(OpenBits::CREATE));
                    let existed = exists.insert(op.file, true).unwrap();
                    assert_eq!(existed, op.kind == OpKind::Open, "{}", workload.name);
                    assert!(open.insert(op.transfer, (op.file, bits)).is_none());
                }
                OpKind::Close => assert!(open.remove(&op.transfer).is_some()),
                OpKind::Read | OpKind::Write => {
                    let (file, bits) = open[&op.transfer];
                    let is_read = op.kind == OpKind::Read;
                    assert!(bits.has(if is_read { OpenBits::READ } else { OpenBits::WRITE }));
                    assert!(file == op.file && op.len > 0 && op.done_len == op.len);
                    let size = trace.files()[file as usize].size_after_bytes.unwrap();
                    assert!(op.offset + u64::from(op.len) <= size, "{}", workload.name);
                }
                _ => assert_eq!(op.transfer, 0),
            }
        }
        assert!(open.is_empty(), "{}: everything is closed", workload.name);
    }
}

/// The standard traces are the same for all users and versions, because results are compared by them. A
/// change of them is a change of the workloads, and needs new names.
#[test]
fn the_standard_traces_never_change() {
    let parent = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for workload in workloads() {
        let trace = workload.generate(STANDARD_SEED, parent.path()).unwrap();
        let mut sum = 0xCBF2_9CE4_8422_2325;
        for op in ops(&trace) {
            let numbers = [op.kind as u64, op.file.into(), op.offset, op.len.into(), op.issued_ns];
            // FNV-1a, which never changes, over eight bytes at a time.
            sum = numbers.iter().fold(sum, |sum, n| (sum ^ n).wrapping_mul(0x0100_0000_01B3));
        }
        found.push((workload.name, trace.ops(), sum));
    }
    assert_eq!(found, STANDARD);
}

const STANDARD: [(&str, u64, u64); 12] = [
    ("ContentCreation-synth", 10545, 7520393138206904319),
    ("DirectoryCopyFromNAS-synth", 11824, 11698196769376269291),
    ("DirectoryCopyToNAS-synth", 11824, 6335712482453561516),
    ("FileCopyFromNAS-synth", 21364, 11343167182980660859),
    ("FileCopyToNAS-synth", 21364, 686235632757012476),
    ("HDVideo_1Play-synth", 4961, 9517030540593657127),
    ("HDVideo_1Play_1Record-synth", 3818, 9050256853348974221),
    ("HDVideo_1Record-synth", 6105, 6139555389649788025),
    ("HDVideo_2Play-synth", 5344, 955791425079314095),
    ("HDVideo_4Play-synth", 4968, 13014330352300680673),
    ("OfficeProductivity-synth", 188323, 17514289224696077668),
    ("PhotoAlbum-synth", 43091, 17150550982989249730),
];
