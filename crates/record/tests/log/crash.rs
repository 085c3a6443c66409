//! A writer that is killed loses at most the last second.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use reelgauge_record::log::{LogReader, LogWriter, repair};

use crate::support::{files, meta, op, read_all};

/// Passes the directory to the child, which is another process of this test program.
const CHILD_DIR: &str = "REELGAUGE_TEST_LOG_DIR";
/// Operations per millisecond of the child's clock.
const OPS_PER_MS: u32 = 20;
const SECOND_NS: u64 = 1_000_000_000;

/// The child. Logs operations on the real clock until it is killed, and prints its progress. Does
/// nothing if the test program itself runs it, without the variable.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(CHILD_DIR) else {
        return;
    };
    let mut log = LogWriter::create(Path::new(&dir), meta(), files(3)).unwrap();
    let began = Instant::now();
    let mut logged = 0;
    loop {
        std::thread::sleep(Duration::from_millis(5));
        let now_ns = began.elapsed().as_nanos() as u64;
        let until = (now_ns / 1_000_000) as u32 * OPS_PER_MS;
        let ops: Vec<_> = (logged..until)
            .map(|number| {
                let mut op = op(0, number);
                op.done_ns = u64::from(number) * 1_000_000 / u64::from(OPS_PER_MS);
                op
            })
            .collect();
        log.append(&ops).unwrap();
        log.tick(now_ns).unwrap();
        logged = until;
        println!("\nat {now_ns}");
    }
}

/// Starts the child, kills it when it reports this progress, and returns the last progress.
fn run_and_kill(dir: &Path, after_ns: u64) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture"])
        .env(CHILD_DIR, dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reached_ns = 0;
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while reached_ns < after_ns {
        let line = lines.next().expect("the child ended by itself").unwrap();
        if let Some(at) = line.strip_prefix("at ") {
            reached_ns = at.parse().unwrap();
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // It may have progressed before the kill arrived.
    for line in lines.map_while(Result::ok) {
        if let Some(at) = line.strip_prefix("at ") {
            reached_ns = at.parse().unwrap_or(reached_ns);
        }
    }
    reached_ns
}

#[test]
fn a_killed_writer_loses_at_most_a_second() {
    for after_ms in [700, 1_340, 2_900] {
        let ops = tempfile::tempdir().unwrap();
        let agent = ops.path().join("agent=x");
        let reached_ns = run_and_kill(&agent, after_ms * 1_000_000);
        let read = read_all(ops.path());
        let last_ns = read.last().expect("nothing was sealed").done_ns;
        let lost_ns = reached_ns.saturating_sub(last_ns);
        assert!(lost_ns <= SECOND_NS, "lost {} ms", lost_ns / 1_000_000);
        // Up to there, nothing is missing or duplicated.
        for (number, op) in read.iter().enumerate() {
            let due_ms = op.due_ns / 1_000_000;
            assert_eq!(due_ms, number as u64);
        }
        repair(&agent).unwrap();
        let reader = LogReader::open(ops.path()).unwrap();
        assert!(reader.skipped().is_empty(), "{:?}", reader.skipped());
        assert_eq!(read_all(ops.path()), read);
    }
}
