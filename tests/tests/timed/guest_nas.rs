//! Real NFS and SMB mounts in a guest with an emulated processor: tests what is right, never how fast it
//! is.

use std::time::Duration;

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::guest::{self, Guest, Job};
use reelgauge_tests::needs;
use reelgauge_tests::run_dir::{at, count, text};

/// How long the guest may take for its next output: its runs use an emulated processor, concurrently
/// with other tests.
const PATIENCE: Duration = Duration::from_secs(300);

#[test]
fn nfs_and_smb_are_measured_right_and_survive_the_death_of_their_servers() {
    if !needs::are_met(guest::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let mut guest = Guest::boot(1000);
    for fs in ["nfs", "smb"] {
        guest.wait_for(&format!("@@ READY {fs}-killed"), PATIENCE);
        // The run measures until the server is killed.
        match fs {
            "nfs" => guest.kill_nfs_server(),
            _ => guest.kill_smb_server(),
        }
        guest.wait_for(&format!("@@ END {fs}-killed-report"), PATIENCE);
    }
    guest.wait_for("@@ DONE", PATIENCE);
    let jobs = guest.jobs();
    for (fs, fs_type, server) in [("nfs", "nfs4", "10.78.0.2"), ("smb", "cifs", "10.78.0.2")] {
        let mounted = &jobs[&format!("mount-{fs}")];
        assert_eq!(mounted.code, Some(0), "{mounted:#?}");
        let ways = ["threads--buffered", "threads--direct", "uring--buffered", "uring--direct"];
        let tried = ways.iter().filter_map(|way| Some((way, jobs.get(&format!("{fs}-{way}"))?)));
        let tried: Vec<_> = tried.collect();
        assert_eq!(tried.len(), if needs::is_soak() { 4 } else { 2 }, "{fs}: {:?}", jobs.keys());
        for (way, job) in tried {
            let mode = if way.ends_with("--direct") { "--direct" } else { "--buffered" };
            measured_right(job, fs_type, server, mode);
        }
        broke_off_and_kept(&jobs[&format!("{fs}-killed")], &jobs[&format!("{fs}-killed-report")]);
    }
}

/// It names the mount, counted no errors, and used or bypassed the cache as requested.
#[track_caller]
fn measured_right(job: &Job, fs_type: &str, server: &str, mode: &str) {
    assert_eq!(job.code, Some(0), "{job:#?}");
    let summary = job.json();
    assert_eq!(text(&summary, "target.fs_type"), fs_type);
    assert_eq!(text(&summary, "target.server"), server);
    assert_eq!(text(&summary, "outcome"), "complete");
    assert_eq!(count(&summary, "load_points.0.total.failed_ops"), 0, "{job:#?}");
    assert!(count(&summary, "load_points.0.total.read_bytes") > 0);
    assert!(count(&summary, "load_points.0.total.written_bytes") > 0);
    assert_eq!(count(&summary, "verify.different_bytes"), 0);
    assert!(count(&summary, "verify.checked_bytes") > 0);
    assert_eq!(
        text(&summary, "effective_mode.asked"),
        if mode == "--direct" { "direct" } else { "buffered" }
    );
}

/// It exited with the right status, kept its measurements, and can be reported again.
#[track_caller]
fn broke_off_and_kept(run: &Job, report: &Job) {
    assert_eq!(run.code, Some(3), "{run:#?}");
    let summary = run.json();
    assert_eq!(text(&summary, "outcome"), "broke_off");
    assert!(!text(&summary, "outcome_reason").is_empty());
    assert!(count(&summary, "load_points.0.total.ops") > 0, "{run:#?}");
    assert_eq!(report.code, Some(0), "{report:#?}");
    assert_eq!(at(&report.json(), "load_points.0.total.ops"), at(&summary, "load_points.0.total.ops"));
}
