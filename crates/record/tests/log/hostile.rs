//! Damaged or foreign files: each must cause an error, never a panic, and never go unnoticed.

use std::fs;

use reelgauge_record::log::{LogError, LogReader, SkipReason};

use crate::support::{Loose, expected, fill, names, one_part, op, read_all, read_part, small};

/// Replaces all occurrences of `old` by `new`. `old` must occur, and both must have the same length.
fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut bytes = bytes.to_vec();
    let places: Vec<_> = bytes
        .windows(old.len())
        .enumerate()
        .filter_map(|(at, window)| (window == old).then_some(at))
        .collect();
    assert!(!places.is_empty(), "{old:?} is not there");
    for at in places {
        bytes[at..at + new.len()].copy_from_slice(new);
    }
    bytes
}

fn message(bytes: &[u8]) -> String {
    read_part(bytes).expect_err("it was read").to_string()
}

#[test]
fn a_newer_version_is_named_as_such() {
    let part = one_part(&expected(3));
    let key = b"reelgauge.schema_version\x18\x011";
    let newer = replace(&part, key, b"reelgauge.schema_version\x18\x017");
    match read_part(&newer) {
        Err(LogError::NewerVersion { found, known, .. }) => assert_eq!((found, known), (7, 1)),
        other => panic!("{other:?}"),
    }
    let none = replace(&part, key, b"reelgauge.schema_version\x18\x010");
    assert!(matches!(read_part(&none), Err(LogError::NotALog { .. })));
    let word = replace(&part, key, b"reelgauge.schema_version\x18\x01x");
    assert!(message(&word).contains("schema_version"), "{}", message(&word));
}

#[test]
fn a_parquet_file_of_another_kind_is_refused() {
    let part = one_part(&expected(3));
    let foreign = replace(&part, b"reelgauge.schema_version", b"something.schema_version");
    assert!(matches!(read_part(&foreign), Err(LogError::NotALog { .. })));
    let columnless = replace(&part, b"done_len", b"gone_len");
    assert!(message(&columnless).contains("'done_len'"), "{}", message(&columnless));
    let agentless = replace(&part, b"reelgauge.agent", b"reelgauge.mgent");
    assert!(message(&agentless).contains("reelgauge.agent"));
}

#[test]
fn values_out_of_range_are_refused() {
    let kind = replace(&one_part(&expected(3)), b"write", b"wr\x1bte");
    assert!(message(&kind).contains("wr\\u{1b}te"), "{}", message(&kind));

    let mut odd = op(0, 1);
    odd.point = 0xbeef;
    let point = replace(&one_part(&[odd]), &[0xef, 0xbe, 0, 0], &[0xef, 0xbe, 1, 0]);
    assert!(message(&point).contains("column point"), "{}", message(&point));

    let mut odd = op(0, 1);
    odd.due_ns = 0x3abc_def0_1234_5678;
    // The first value of a delta-encoded page: zigzag, seven bits a byte. Its lowest bit is the sign.
    let mut zigzag = odd.due_ns << 1;
    let mut coded = Vec::new();
    while zigzag >= 0x80 {
        coded.push(zigzag as u8 | 0x80);
        zigzag >>= 7;
    }
    coded.push(zigzag as u8);
    let mut negative = coded.clone();
    negative[0] |= 1;
    let due = replace(&one_part(&[odd]), &coded, &negative);
    assert!(message(&due).contains("column due_ns"), "{}", message(&due));
}

#[test]
fn flipped_bits_never_panic() {
    let part = one_part(&expected(40));
    let loose = Loose::new();
    assert_eq!(loose.read(&part).unwrap(), expected(40));
    let mut refused = 0;
    for at in 0..part.len() {
        // Three flips of each byte; over eight bytes every bit is flipped once.
        for flip in [1 << (at % 8), 1 << ((at + 4) % 8), 0xff] {
            let mut bytes = part.clone();
            bytes[at] ^= flip;
            // Both results are valid: a flipped bit can result in another valid value.
            refused += u32::from(loose.read(&bytes).is_err());
        }
    }
    assert!(refused > 0);
}

#[test]
fn cut_files_never_panic_and_are_reported() {
    let part = one_part(&expected(40));
    let loose = Loose::new();
    for length in 0..part.len() {
        let reader = loose.open(&part[..length]).unwrap();
        let reasons: Vec<_> = reader.skipped().iter().map(|skipped| skipped.reason).collect();
        assert_eq!(reasons, [SkipReason::Torn, SkipReason::Empty], "{length} bytes");
        assert_eq!(reader.batches().count(), 0);
    }
}

#[test]
fn a_missing_part_is_reported() {
    let ops = tempfile::tempdir().unwrap();
    let agent = ops.path().join("agent=x");
    drop(fill(&agent, small(), 60, 20));
    assert_eq!(names(&agent).len(), 3);
    fs::remove_file(agent.join("part-000002.parquet")).unwrap();
    let mut rest = expected(60);
    rest.drain(20..40);
    assert_eq!(read_all(ops.path()), rest);
    let skipped = LogReader::open(ops.path()).unwrap().skipped().to_vec();
    assert_eq!(skipped.len(), 1);
    assert_eq!(skipped[0].reason, SkipReason::Missing);
    assert!(skipped[0].path.ends_with("part-000002.parquet"));
}

#[test]
fn overlapping_and_mixed_parts_are_refused() {
    let ops = tempfile::tempdir().unwrap();
    let agent = ops.path().join("agent=x");
    fs::create_dir(&agent).unwrap();
    let part = one_part(&expected(3));
    fs::write(agent.join("part-000001-000004.parquet"), &part).unwrap();
    fs::write(agent.join("part-000004-000006.parquet"), &part).unwrap();
    let error = LogReader::open(&agent).unwrap_err().to_string();
    assert!(error.contains("overlaps"), "{error}");
    fs::remove_file(agent.join("part-000004-000006.parquet")).unwrap();
    let other = replace(&part, b"edit-01", b"edit-02");
    fs::write(agent.join("part-000005.parquet"), other).unwrap();
    let error = LogReader::open(&agent).unwrap_err().to_string();
    assert!(error.contains("another log"), "{error}");
}

#[test]
fn missing_log_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(LogReader::open(dir.path()), Err(LogError::NoLog { .. })));
    let missing = dir.path().join("missing");
    assert!(matches!(LogReader::open(&missing), Err(LogError::Io { .. })));
}
