//! The log when it can't be written any more.

use std::fs;

use reelgauge_record::log::{LogError, LogOptions, LogWriter};

use crate::support::{SEAL_NS, assert_same, expected, files, fill, meta, op, read_all, small};

#[test]
fn error_ends_the_log_and_keeps_sealed_segments() {
    let ops = tempfile::tempdir().unwrap();
    let agent = ops.path().join("agent=x");
    let options = LogOptions { table_segments: 1000, ..small() };
    let mut log = fill(&agent, options, 40, 20);
    // Blocks the next segment: not even root can write a file there.
    fs::create_dir(agent.join("_segment-000003.tmp")).unwrap();
    let ops_after: Vec<_> = (40..60).map(|number| op(0, number)).collect();
    log.append(&ops_after).unwrap();
    let error = log.tick(10 * SEAL_NS).unwrap_err();
    assert!(matches!(error, LogError::Io { action: "create", .. }), "{error}");
    assert!(matches!(log.append(&ops_after), Err(LogError::GivenUp { .. })));
    assert!(matches!(log.tick(99 * SEAL_NS), Err(LogError::GivenUp { .. })));
    let summary = log.finish().unwrap();
    assert_eq!((summary.rows, summary.lost_rows, summary.parts), (40, 20, 2));
    assert_same(&read_all(ops.path()), &expected(40));
}

#[test]
fn a_table_that_cannot_be_written_costs_no_row() {
    let ops = tempfile::tempdir().unwrap();
    let agent = ops.path().join("agent=x");
    fs::create_dir_all(agent.join("_table-000001.tmp")).unwrap();
    assert!(LogWriter::create(&agent, meta(), files(3)).is_err());
    fs::remove_dir(agent.join("_table-000001.tmp")).unwrap();
    let mut log = LogWriter::create_with(&agent, meta(), files(3), small()).unwrap();
    fs::create_dir(agent.join("_table-000001.tmp")).unwrap();
    log.tick(0).unwrap();
    for at in 0..30 {
        let portion: Vec<_> = (at * 20..at * 20 + 20).map(|number| op(0, number)).collect();
        log.append(&portion).unwrap();
        log.tick(u64::from(at + 1) * SEAL_NS).unwrap();
    }
    let summary = log.finish().unwrap();
    let error = summary.table_error.expect("the table was written").to_string();
    assert!(error.contains("_table-000001.tmp"), "{error}");
    assert_eq!((summary.rows, summary.lost_rows, summary.parts), (600, 0, 30));
    fs::remove_dir(agent.join("_table-000001.tmp")).unwrap();
    assert_same(&read_all(ops.path()), &expected(600));
}

/// A file system of this many KiB, unmounted when dropped; `None` if it can't be created here.
#[cfg(target_os = "linux")]
struct SmallDisk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn new(kib: u32) -> Option<SmallDisk> {
        let dir = tempfile::tempdir().unwrap();
        let size = format!("size={kib}k");
        let status = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "none"])
            .arg(dir.path())
            .stderr(std::process::Stdio::null())
            .status();
        status.is_ok_and(|status| status.success()).then_some(SmallDisk(dir))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn full_disk_is_reported_and_sealed_segments_are_kept() {
    let Some(disk) = SmallDisk::new(600) else {
        eprintln!("SKIPPED a_full_disk_is_said_with_its_remedy: needs root to mount a tmpfs");
        return;
    };
    let agent = disk.0.path().join("agent=x");
    let mut log = LogWriter::create_with(&agent, meta(), files(3), small()).unwrap();
    log.tick(0).unwrap();
    let mut sealed = 0;
    let error = loop {
        let portion: Vec<_> = (sealed..sealed + 100).map(|number| op(0, number)).collect();
        if let Err(error) = log.append(&portion) {
            break error;
        }
        if let Err(error) = log.tick(u64::from(sealed) * SEAL_NS) {
            break error;
        }
        sealed += 100;
        assert!(sealed < 1_000_000, "the disk never filled up");
    };
    assert!(error.to_string().contains("--out"), "{error}");
    let summary = log.finish().unwrap();
    assert!(summary.lost_rows <= 200 && summary.rows >= 5_000, "{summary:?}");
    let read = read_all(disk.0.path());
    assert_eq!(read.len() as u64, summary.rows);
    assert_same(&read, &expected(summary.rows as u32));
    let reader = reelgauge_record::log::LogReader::open(disk.0.path()).unwrap();
    assert!(reader.skipped().is_empty(), "{:?}", reader.skipped());
}
