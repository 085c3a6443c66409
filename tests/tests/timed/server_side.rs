//! A fault that only the server's side shows: a disk that is throttled before it gets the requests must
//! not look sound because of its short response times.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::limited::{bulk, measured, start};
use reelgauge_tests::mounts::{self, ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::{tool, tool_with};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::at;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::throttle::{self, Throttle};
use reelgauge_tests::verb::Verb;
use rustix::process::{Pid, Signal};
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(120);
/// The rate limit of the served device.
const THROTTLED_BYTES_PER_S: u64 = 8_000_000;

/// A folder on a separate device, below the folder that a server serves. Unmounted on drop.
struct Served {
    point: PathBuf,
}

impl Served {
    fn new(image: &TempMount, sshfs: &Sshfs) -> Served {
        let point = sshfs.on_server().join("disk");
        fs::create_dir(&point).unwrap();
        tool_with(&["mount", "--bind", image.path().to_str().unwrap(), point.to_str().unwrap()]).unwrap();
        Served { point }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        mounts::detach(&self.point);
    }
}

/// Evicts a file system's data from the server's memory.
fn forget(folder: &Path) {
    let folder = folder.display();
    tool(&format!("sync -f {folder}"));
    let drop =
        format!("find {folder} -type f -size +1M -exec dd if={{}} iflag=nocache count=0 status=none ';'");
    tool_with(&["sh", "-c", &drop]).unwrap();
}

/// A run with a concurrent watch on the server. Returns the summary with the watch added.
fn watched(verb: &Verb, sshfs: &Sshfs) -> Value {
    let out = Scratch::new();
    let words = ["watch", "--name", "nas1", "--json", "--quiet", "--out", out.path().to_str().unwrap()];
    let mut watch = binary::start(words);
    let seen = |_: &mut binary::Running| {
        let found = fs::read_dir(out.path()).into_iter().flatten().flatten();
        found.into_iter().any(|run| run.path().join("counters/agent=nas1/part-000001.parquet").is_file())
    };
    assert!(watch.until(LIMIT, seen).is_some(), "{}", watch.stderr());
    let _ = start(verb, Some(sshfs.link())).wait(LIMIT).expect_end();
    watch.signal(Signal::INT);
    watch.wait(LIMIT).expect_code(0);
    let watched = fs::read_dir(out.path()).unwrap().next().unwrap().unwrap().path();
    let run = verb.run_dir();
    let words = ["report", run.to_str().unwrap(), "--json", "--observer", watched.to_str().unwrap()];
    binary::run(words).expect_end().json()
}

/// Whether any evidence of the limit contains the response time of the server's disks.
fn tells_disk_time(limit: &Value) -> bool {
    let findings = ["found", "contributing", "nearest"].map(|name| limit[name].clone());
    let all = findings.into_iter().flat_map(|one| match one {
        Value::Array(all) => all,
        one => vec![one],
    });
    all.filter(|finding| finding["step"] == "server").any(|finding| {
        finding["seen"].as_array().is_some_and(|seen| seen.iter().any(|one| one["measure"] == "disk_us"))
    })
}

#[test]
fn a_disk_that_is_throttled_above_itself_is_not_acquitted_by_its_short_answers() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    if !needs::are_met(sshfs::NEEDS) || !throttle::is_possible() {
        return;
    }
    // In memory: the host's own disk is slow when other tests use it, and would rightly be named.
    let (_turn, memory) = (my_turn(), TempMount::tmpfs(1700));
    let image = TempMount::image_on(memory.path(), ImageKind::Ext4, 1600);
    let sshfs = Sshfs::mount(1000);
    let served = Served::new(&image, &sshfs);
    let target = sshfs.path().join("disk");
    measured(&bulk(&target, "0").with(&["--duration", "1s"]), Some(sshfs.link()));
    forget(&served.point);
    let throttle = Throttle::reads(image.path(), THROTTLED_BYTES_PER_S);
    for process in sshfs.server_processes() {
        throttle.take(Pid::from_raw(process.cast_signed()).unwrap());
    }
    let verb = bulk(&target, "0").with(&["--duration", "6s"]);
    let summary = watched(&verb, &sshfs);
    let point = at(&summary, "load_points.0");
    let rate = point["total"]["read_bytes_per_s"].as_f64().unwrap();
    assert!(rate < 3.0 * THROTTLED_BYTES_PER_S as f64, "the bed throttles: {rate}");
    assert!(!tells_disk_time(&point["limit"]), "{:#}", point["limit"]);
}
