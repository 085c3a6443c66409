//! Segments become tables. After an interruption, leftovers are neither read twice nor kept.

use std::fs;
use std::path::Path;

use reelgauge_record::log::{LogOptions, LogReader, LogWriter, RepairReport, SkipReason, repair};

use crate::support::{
    SEAL_NS, assert_same, expected, files, fill, fill_looking, meta, names, op, read_all, small,
};

#[test]
fn small_segments_are_merged_until_large_enough() {
    let ops = tempfile::tempdir().unwrap();
    let dir = ops.path().join("agent=x");
    // 5 rows each half second, 16 to a segment: the fourth fills the first segment.
    let log = fill(&dir, small(), 15, 5);
    assert_eq!(names(&dir), ["part-000001.parquet"]);
    assert_same(&read_all(&dir), &expected(15));
    drop(log);
    let ops = tempfile::tempdir().unwrap();
    let dir = ops.path().join("agent=x");
    let log = fill(&dir, small(), 25, 5);
    assert_eq!(names(&dir), ["part-000001.parquet", "part-000002.parquet"]);
    assert_same(&read_all(&dir), &expected(25));
    drop(log);
}

#[test]
fn a_table_takes_the_place_of_its_segments() {
    let ops = tempfile::tempdir().unwrap();
    let dir = ops.path().join("agent=x");
    let log = fill(&dir, small(), 200, 20);
    let temporary = "_table-000009.tmp";
    let sealed = [
        "part-000001-000004.parquet",
        "part-000005-000008.parquet",
        "part-000009.parquet",
        "part-000010.parquet",
    ];
    let all = names(&dir);
    assert_eq!(all.iter().filter(|name| *name != temporary).collect::<Vec<_>>(), sealed);
    assert_same(&read_all(&dir), &expected(200));
    let summary = log.finish().unwrap();
    assert_eq!(names(&dir)[2..], ["part-000009-000010.parquet"]);
    assert_eq!((summary.rows, summary.parts), (200, 3));
    assert_same(&read_all(&dir), &expected(200));
}

#[test]
fn every_row_is_readable_after_every_seal() {
    // 30 rows at a time: groups of 64 become full in the middle of segments.
    for batch in [3, 30, 64, 100, 200] {
        let ops = tempfile::tempdir().unwrap();
        let dir = ops.path().join("agent=x");
        let mut seals = 0;
        fill_looking(&dir, small(), 600, batch, |count| {
            assert_same(&read_all(&dir), &expected(count));
            seals += 1;
        });
        assert_eq!(seals, 600_u32.div_ceil(batch));
    }
}

#[test]
fn large_segments_stay_and_small_ones_after_them_make_tables_again() {
    let ops = tempfile::tempdir().unwrap();
    let dir = ops.path().join("agent=x");
    let options = LogOptions { large_segment_bytes: 8_000, ..small() };
    let mut log = LogWriter::create_with(&dir, meta(), files(3), options).unwrap();
    let (mut from, mut now_ns) = (0, 0);
    log.tick(0).unwrap();
    for count in [20, 20, 2000, 2000, 20, 20, 20, 20, 20] {
        let ops: Vec<_> = (from..from + count).map(|number| op(0, number)).collect();
        from += count;
        now_ns += SEAL_NS;
        log.append(&ops).unwrap();
        log.tick(now_ns).unwrap();
        assert_same(&read_all(&dir), &expected(from));
    }
    log.finish().unwrap();
    let parts = names(&dir);
    let expected_parts = [
        "part-000001-000003.parquet",
        "part-000004.parquet",
        "part-000005.parquet",
        "part-000006-000009.parquet",
    ];
    assert_eq!(parts, expected_parts);
    assert_same(&read_all(&dir), &expected(from));
}

/// A log of 60 rows with both a table and its replaced segments, as after a crash between the two steps.
fn interrupted(agent: &Path) {
    let log = fill(agent, small(), 60, 20);
    let segments: Vec<_> = names(agent)
        .into_iter()
        .filter(|name| name.starts_with("part-"))
        .map(|name| (name.clone(), fs::read(agent.join(name)).unwrap()))
        .collect();
    assert_eq!(segments.len(), 3);
    log.finish().unwrap();
    assert_eq!(names(agent), ["part-000001-000003.parquet"]);
    for (name, bytes) in &segments {
        fs::write(agent.join(name), bytes).unwrap();
    }
}

#[test]
fn segments_left_next_to_their_table_are_read_once_and_repaired() {
    let ops = tempfile::tempdir().unwrap();
    let agent = ops.path().join("agent=x");
    interrupted(&agent);
    fs::write(agent.join("_segment-000004.tmp"), "PAR1 torn").unwrap();
    fs::write(agent.join("notes.txt"), "not ours").unwrap();
    assert_same(&read_all(ops.path()), &expected(60));
    let reader = LogReader::open(ops.path()).unwrap();
    let reasons: Vec<_> = reader.skipped().iter().map(|skipped| skipped.reason).collect();
    let count = |reason| reasons.iter().filter(|&&other| other == reason).count();
    assert_eq!((count(SkipReason::Covered), count(SkipReason::Temporary)), (3, 1));

    let report = repair(&agent).unwrap();
    assert_eq!((report.covered_segments, report.temporary_files), (3, 1));
    assert_eq!(names(&agent), ["notes.txt", "part-000001-000003.parquet"]);
    assert_eq!(repair(&agent).unwrap(), RepairReport::default());
    assert_same(&read_all(ops.path()), &expected(60));
}

#[test]
fn repair_keeps_segments_whose_table_is_torn() {
    let ops = tempfile::tempdir().unwrap();
    let agent = ops.path().join("agent=x");
    interrupted(&agent);
    let table = agent.join("part-000001-000003.parquet");
    let bytes = fs::read(&table).unwrap();
    fs::write(&table, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(repair(&agent).unwrap(), RepairReport::default());
    assert_same(&read_all(ops.path()), &expected(60));
    let skipped = LogReader::open(ops.path()).unwrap().skipped().to_vec();
    assert_eq!(skipped.len(), 1);
    assert_eq!((&skipped[0].path, skipped[0].reason), (&table, SkipReason::Torn));
}

#[test]
fn a_log_is_never_appended_to() {
    let ops = tempfile::tempdir().unwrap();
    let dir = ops.path().join("agent=x");
    fill(&dir, small(), 20, 20).finish().unwrap();
    let error = LogWriter::create(&dir, meta(), Vec::new()).unwrap_err();
    assert!(error.to_string().contains("already has"), "{error}");
}
