//! `reelgauge record` with real programs: it records what strace shows, and every difference is
//! explained. No mount remains, however a recording ends.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::{tool, tool_with};
use reelgauge_tests::recording::{
    Recording, Transfer, Watched, is_mapped, is_mounted, listed, of_kind, ops, transfers, watch,
};
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use rustix::process::Signal;

/// How soon after the end all mounts must be gone.
const SOON: Duration = Duration::from_secs(10);

/// A command line for this directory, in which `$D` is the directory.
fn command(line: &str, dir: &Path) -> Vec<String> {
    line.split_whitespace().map(|word| word.replace("$D", dir.to_str().unwrap())).collect()
}

/// Runs `prepare` and then `line` in two equal directories: one recorded, one under strace.
fn both(prepare: &str, line: &str) -> (Vec<serde_json::Value>, Watched) {
    let scratch = Scratch::new();
    let (recorded, watched) = (Recording::new(), scratch.dir("media"));
    for dir in [recorded.dir(), &watched] {
        let script = prepare.replace("$D", dir.to_str().unwrap());
        tool_with(&["sh", "-c", &script]).unwrap();
    }
    let printed = recorded.run(&command(line, recorded.dir()));
    assert!(!is_mounted(recorded.dir()));
    (ops(&printed), watch(&watched, &command(line, &watched)))
}

/// rsync writes to `.name.XXXXXX` first, another one every time.
fn without_random_names(mut transfers: Vec<Transfer>) -> Vec<Transfer> {
    for one in &mut transfers {
        if let Some((begin, name)) = one.file.rsplit_once("/.") {
            let name = name.rsplit_once('.').map_or(name, |(name, _)| name);
            one.file = format!("{begin}/.{name}.*");
        }
    }
    transfers
}

/// Removes empty copies and returns their number. The kernel answers them itself at the end of a file.
/// They do not reach the storage, so the recorder has none of them.
fn take_empty_copies(transfers: &mut Vec<Transfer>) -> usize {
    let count = transfers.len();
    transfers.retain(|one| one.asked > 0);
    count - transfers.len()
}

/// Checks that both sources agree on every read and write. Returns the number of transfers, and of the
/// empty copies that only strace shows.
#[track_caller]
fn same(prepare: &str, line: &str) -> (usize, usize) {
    let (ops, watched) = both(prepare, line);
    let recorded = without_random_names(transfers(&ops));
    let mut seen = without_random_names(transfers(&watched.ops));
    let empty_copies = take_empty_copies(&mut seen);
    // Entries of the first list that are missing in the second, with their multiplicity.
    let only = |these: &[Transfer], those: &[Transfer]| {
        let mut left = those.to_vec();
        let is_missing = |one: &&Transfer| match left.iter().position(|other| other == *one) {
            Some(at) => {
                left.swap_remove(at);
                false
            }
            None => true,
        };
        these.iter().filter(is_missing).take(5).cloned().collect::<Vec<_>>()
    };
    let (recorder_only, strace_only) = (only(&recorded, &seen), only(&seen, &recorded));
    assert!(
        recorder_only.is_empty() && strace_only.is_empty(),
        "{line}\nonly the recorder: {recorder_only:#?}\nonly strace: {strace_only:#?}"
    );
    (recorded.len(), empty_copies)
}

/// Checks that both sources agree on every read and write, without exception. Returns their number.
#[track_caller]
fn assert_same(prepare: &str, line: &str) -> usize {
    let (count, empty_copies) = same(prepare, line);
    assert_eq!(empty_copies, 0, "{line}");
    count
}

/// Five seconds of video in a transport stream.
const FOOTAGE: &str = "ffmpeg -v error -f lavfi -i testsrc2=size=1280x720:rate=25:duration=5 -c:v mpeg2video \
                       -b:v 30M -f mpegts $D/in.ts";

#[test]
fn ffmpeg_is_noted_as_strace_sees_it() {
    require!(Need::Fuse, Need::Root, Need::Tool("strace"), Need::Tool("ffmpeg"));
    for job in [
        "-c copy $D/out.mp4",
        "-c copy -movflags +faststart $D/out.mp4",
        "-t 1 -c:v mjpeg $D/out.mov",
        "-t 0.4 $D/frame%04d.dpx",
    ] {
        let line = format!("ffmpeg -v error -nostdin -threads 1 -i $D/in.ts {job}");
        assert!(assert_same(FOOTAGE, &line) > 20, "{job}");
    }
}

#[test]
fn an_editors_render_is_noted_as_strace_sees_it() {
    require!(Need::Fuse, Need::Root, Need::Tool("strace"), Need::Tool("ffmpeg"), Need::Tool("melt"));
    let line = "melt -silent $D/in.ts out=20 -consumer avformat:$D/out.mp4 vcodec=mpeg2video an=1 real_time=-1 threads=1";
    assert!(assert_same(FOOTAGE, line) > 100);
}

#[test]
fn copies_are_noted_as_strace_sees_them() {
    require!(Need::Fuse, Need::Root, Need::Tool("strace"), Need::Tool("rsync"), Need::Tool("fio"));
    let files =
        "mkdir $D/a && head -c 3000000 /dev/urandom > $D/a/one && head -c 70000 /dev/urandom > $D/a/two";
    // The kernel copies each file in one piece, and is asked for more at its end: a read and a write
    // each.
    let (copies, empty_copies) = same(files, "cp -r $D/a $D/b");
    assert!(copies >= 4 && empty_copies == 4, "{copies} and {empty_copies}");
    assert!(assert_same(files, "cp --reflink=never --sparse=always $D/a/one $D/b") > 20);
    assert!(assert_same(files, "rsync -a $D/a/ $D/b/") > 20);
    let job =
        "fio --name=j --filename=$D/f --rw=randrw --bs=16k --size=2m --ioengine=psync --thread --numjobs=2";
    assert!(assert_same("true", job) >= 256);
}

#[test]
fn io_uring_operations_are_recorded() {
    require!(Need::Fuse, Need::Root, Need::Tool("strace"), Need::Tool("fio"));
    let job = "fio --name=j --filename=$D/f --rw=write --bs=64k --size=1m --ioengine=io_uring --iodepth=4 \
               --fallocate=none --randrepeat=1";
    let (ops, watched) = both("truncate -s 1m $D/f", job);
    let writes: Vec<Transfer> = transfers(&ops).into_iter().filter(|one| one.kind == "write").collect();
    let offsets: Vec<u64> = writes.iter().map(|one| one.offset).collect();
    assert_eq!(offsets, (0..16).map(|block| block << 16).collect::<Vec<_>>());
    assert!(writes.iter().all(|one| (one.asked, one.done) == (65536, 65536)), "{writes:?}");
    // strace shows the calls that submit, and none of the writes.
    assert!(watched.warns_of("calls of io_uring"), "{}", watched.info);
    assert_eq!(of_kind(&watched.ops, "write"), Vec::<&serde_json::Value>::new());
    // The kernel's own threads for it count as the requesting thread.
    let streams =
        |kind| -> HashSet<String> { of_kind(&ops, kind).iter().map(|op| op["stream"].to_string()).collect() };
    assert_eq!(streams("write").len(), 1);
    assert!(streams("write").is_subset(&streams("open")), "{ops:#?}");
}

#[test]
fn mmap_access_is_recorded_as_pages_and_noted() {
    require!(Need::Fuse, Need::Root, Need::Tool("strace"), Need::Tool("python3"));
    let program = "import mmap,sys\nf=open(sys.argv[1],'r+b',buffering=0)\nm=mmap.mmap(f.fileno(),0)\n\
                   m[5]\nm[2000000]=7\nm.flush()\nm.close()\nf.close()";
    let scratch = Scratch::new();
    std::fs::write(scratch.path().join("map.py"), program).unwrap();
    let line = format!("python3 -S -E {}/map.py $D/f", scratch.path().display());
    let (ops, watched) = both("head -c 4000000 /dev/urandom > $D/f", &line);
    let mapped: Vec<_> = ops.iter().filter(|op| is_mapped(op)).collect();
    assert!(mapped.iter().any(|op| op["kind"] == "read" && op["offset_bytes"] == 0), "{ops:#?}");
    let page = 2_000_000 / 4096 * 4096;
    assert!(mapped.iter().any(|op| op["kind"] == "write" && op["offset_bytes"] == page), "{ops:#?}");
    // Neither shows a call that reads or writes, and only the recorder shows the pages.
    assert_eq!(transfers(&ops), []);
    assert_eq!(transfers(&watched.ops), []);
    assert!(watched.warns_of("memory"), "{}", watched.info);
}

#[test]
fn large_transfers_are_recorded_in_parts_that_add_up() {
    require!(Need::Fuse, Need::Root, Need::Tool("strace"));
    let (ops, watched) = both("true", "dd if=/dev/zero of=$D/f bs=5000000 count=2");
    let parts: Vec<u64> = transfers(&ops).iter().map(|one| one.done).collect();
    let whole: Vec<u64> = transfers(&watched.ops).iter().map(|one| one.done).collect();
    assert_eq!(whole, [5_000_000; 2]);
    assert_eq!(parts.iter().sum::<u64>(), 10_000_000);
    assert!(parts.len() > 2 && parts.iter().all(|part| *part <= 1 << 20), "{parts:?}");
}

#[test]
fn names_become_numbers_and_nothing_leaks() {
    require!(Need::Fuse, Need::Root);
    let recording = Recording::new().with(&["--anonymise"]);
    let script = "mkdir $D/Acme-Wedding; echo x > $D/Acme-Wedding/Jane.Doe.mov; ls $D/Acme-Wedding; \
                  mv $D/Acme-Wedding/Jane.Doe.mov $D/Final-Cut.mov; cat $D/Final-Cut.mov $D/Missing-Bride; true";
    let printed = recording.shell(script).expect_code(0).json();
    let names: Vec<String> = ops(&printed).iter().map(|op| op["file"].as_str().unwrap().to_owned()).collect();
    assert!(names.iter().any(|name| name.ends_with(".mov")), "the kind of a file stays: {names:?}");
    let trace = Path::new(printed["trace"].as_str().unwrap());
    let found = tool_with(&[
        "grep",
        "-r",
        "-l",
        "-i",
        "-a",
        "-E",
        "Acme|Wedding|Jane|Final|Bride|media",
        trace.to_str().unwrap(),
    ]);
    assert!(found.is_err(), "names in {found:?}");
    // Without it, the same words are there: the search finds them.
    let plain = Recording::new();
    let printed = plain.shell(script).expect_code(0).json();
    tool_with(&["grep", "-r", "-l", "-a", "Bride", printed["trace"].as_str().unwrap()]).unwrap();
}

#[test]
fn errors_reach_the_command_unchanged_and_are_recorded() {
    require!(Need::Fuse, Need::Root);
    let small = TempMount::tmpfs(2);
    let recording = Recording::of(small.path());
    let outcome = recording
        .shell("head -c 4000000 /dev/zero > $D/f; rmdir $D/none; mkdir $D/f; rmdir $D")
        .expect_code(1);
    for said in ["No space left", "No such file", "File exists", "busy"] {
        assert!(outcome.stderr.contains(said), "no '{said}' in {}", outcome.said());
    }
    let ops = ops(&outcome.json());
    let errors: Vec<&str> = ops.iter().filter_map(|op| op["error"].as_str()).collect();
    assert!(errors.contains(&"ENOSPC"), "{errors:?}");
    let short = of_kind(&ops, "write");
    assert!(short.iter().any(|op| op["error"] == "ENOSPC"));
}

/// A user who is not root: the helper mounts, and the storage refuses as it should.
#[test]
fn permissions_are_enforced_during_recording() {
    require!(Need::Fuse, Need::Root, Need::Tool("fusermount3"), Need::Tool("setpriv"));
    // The binary of a debug build must fit, too.
    let place = TempMount::tmpfs(256);
    let at = place.path().to_str().unwrap().to_owned();
    let prepared = format!(
        "mkdir {at}/d {at}/out && echo x > {at}/d/closed && chmod 600 {at}/d/closed && echo y > {at}/d/open && \
         cp {} {at}/reelgauge && chown 65534 {at}/d {at}/out",
        binary::path().display()
    );
    tool_with(&["sh", "-c", &prepared]).unwrap();
    // /dev/fuse may be limited to root here, so a private mount makes it available to all users. Mounts
    // of concurrent tests are copied into the namespace, too.
    let run = format!(
        "mknod {at}/fuse c 10 229; chmod 666 {at}/fuse; mount -o remount,dev {at}; mount --bind {at}/fuse /dev/fuse; \
         setpriv --reuid=65534 --regid=65534 --clear-groups {at}/reelgauge record {at}/d --json --out {at}/out -- \
         sh -c 'cat {at}/d/closed; cat {at}/d/open'; grep {at} /proc/self/mountinfo | grep -c fuse.reelgauge >&2; true"
    );
    let output = Command::new("unshare").args(["-m", "sh", "-c", &run]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(stderr.contains("Permission denied"), "{stderr}");
    assert!(stderr.trim_end().ends_with("\n0"), "something is still mounted: {stderr}");
    let printed: serde_json::Value =
        serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    let ops = ops(&printed);
    let opens: Vec<_> =
        of_kind(&ops, "open").iter().map(|op| (op["file"].clone(), op["error"].clone())).collect();
    assert_eq!(opens, [("closed".into(), "EACCES".into()), ("open".into(), serde_json::Value::Null)]);
}

#[test]
fn recorded_open_flags_are_replayed() {
    require!(Need::Fuse, Need::Root, Need::Tool("python3"));
    let recording = Recording::new();
    std::fs::write(recording.dir().join("plain"), "abc").unwrap();
    // Root has every right except to execute a file without execute permission. One file is truncated,
    // which requires that it exists.
    let program = "import os\nfor mode in (os.F_OK, os.R_OK, os.W_OK, os.X_OK, os.R_OK | os.W_OK):\n    \
                   os.access('$D/plain', mode)\nos.close(os.open('$D/plain', os.O_WRONLY | os.O_TRUNC))";
    let program = program.replace("$D", recording.dir().to_str().unwrap());
    let printed = recording.run(&["python3", "-S", "-E", "-c", &program].map(str::to_owned));
    let errors = |ops: &[serde_json::Value]| -> Vec<(String, String)> {
        let of = |op: &serde_json::Value| (op["kind"].to_string(), op["error"].to_string());
        ops.iter().filter(|op| op["kind"] == "access" || op["kind"] == "create").map(of).collect()
    };
    let recorded = ops(&printed);
    let refused = of_kind(&recorded, "access").iter().filter(|op| op["error"] == "EACCES").count();
    assert_eq!((of_kind(&recorded, "access").len(), refused), (5, 1), "{recorded:#?}");
    assert_eq!(of_kind(&recorded, "create")[0]["open"], "write truncate");
    let target = Scratch::new();
    let verb = Verb::on("replay", printed["trace"].as_str().unwrap()).operand(target.path());
    let summary = verb.measure();
    assert_eq!(summary["replay"]["passes"][0]["different_ops"], 0, "{summary}");
    let replayed = listed(verb.run_dir().to_str().unwrap());
    assert_eq!(errors(&replayed), errors(&recorded));
    assert_eq!(of_kind(&replayed, "create")[0]["open"], "write truncate");
}

/// Starts a command that runs for a minute, and waits until it does.
fn going_on(recording: &Recording) -> Running {
    let mut running = recording.start(&recording.script("echo x > $D/begun; exec sleep 60"));
    let begun = recording.dir().join("begun");
    let is_written = || std::fs::metadata(&begun).is_ok_and(|about| about.len() > 0);
    running.until(SOON, |_| is_mounted(recording.dir()) && is_written()).expect("it does not begin");
    running
}

#[test]
fn a_signal_reaches_the_command_and_the_trace_is_kept() {
    require!(Need::Fuse, Need::Root);
    for signal in [Signal::INT, Signal::TERM] {
        let recording = Recording::new();
        let running = going_on(&recording);
        running.signal(signal);
        let printed = running.wait(SOON).expect_code(130).json();
        assert_eq!((&printed["was_interrupted"], &printed["write_ops"]), (&true.into(), &1.into()));
        assert!(!is_mounted(recording.dir()));
        assert!(recording.dir().join("begun").exists(), "what was written lies below");
    }
}

#[test]
fn kill_minus_9_leaves_no_mount() {
    require!(Need::Fuse, Need::Root);
    let recording = Recording::new();
    let mut running = going_on(&recording);
    running.signal(Signal::KILL);
    let gone = running.until(SOON, |_| !is_mounted(recording.dir()));
    assert!(gone.is_some(), "still mounted");
    assert_eq!(std::fs::read_to_string(recording.dir().join("begun")).unwrap(), "x\n");
    // The directory can be recorded again.
    recording.shell("cat $D/begun").expect_code(0);
}

/// The folder that a killed recorder has left.
fn left(out: &Path) -> std::path::PathBuf {
    let entries = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    let left: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "tmp")).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    left[0].clone()
}

#[test]
fn kill_minus_9_costs_the_last_second_and_the_next_recording_keeps_the_rest() {
    require!(Need::Fuse, Need::Root);
    let recording = Recording::new();
    // A write a fifth of a second, each with the time in its name.
    let script = "for turn in $(seq 300); do echo x > $D/$(date +%s%N); sleep 0.2; done";
    let mut running = recording.start(&recording.script(script));
    let written = || std::fs::read_dir(recording.dir()).map_or(0, Iterator::count);
    running.until(SOON, |_| is_mounted(recording.dir()) && written() >= 15).expect("it does not begin");
    running.signal(Signal::KILL);
    let killed_ns = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
    running.until(SOON, |_| !is_mounted(recording.dir())).expect("still mounted");

    // The leftover opens directly: it has everything except the last second, and reports that.
    let left = left(&recording.out());
    let ops = listed(left.to_str().unwrap());
    let writes = of_kind(&ops, "write");
    let last_ns: u128 = writes.iter().map(|op| op["file"].as_str().unwrap().parse().unwrap()).max().unwrap();
    assert!(killed_ns - last_ns < 1_500_000_000, "{} ms are lost", (killed_ns - last_ns) / 1_000_000);
    assert!(writes.len() >= 8, "{writes:#?}");
    let told = binary::run(["report", left.to_str().unwrap()]).expect_code(0).words();
    assert!(told.contains("did not end"), "{told}");
    let target = Scratch::new();
    let summary = Verb::on("replay", &left).operand(target.path()).measure();
    assert_eq!(summary["replay"]["passes"][0]["different_ops"], 0, "{summary}");

    // The next recording completes that trace, and writes its own.
    let outcome = recording.shell("ls $D/missing; true").expect_code(0);
    assert!(outcome.stderr.contains("last second"), "{}", outcome.stderr);
    assert!(!left.exists());
    let kept = listed(recording.out().join("sh").to_str().unwrap());
    assert_eq!(kept.len(), ops.len());
    assert_eq!(transfers(&kept), transfers(&ops));
    assert_eq!(Path::new(outcome.json()["trace"].as_str().unwrap()), recording.out().join("sh-2"));
    let told = binary::run(["report", recording.out().join("sh").to_str().unwrap()]).expect_code(0).words();
    assert!(told.contains("did not end"), "{told}");
}

#[test]
fn a_dead_mount_is_reported_with_a_remedy() {
    require!(Need::Fuse, Need::Root);
    let recording = Recording::new();
    let running = going_on(&recording);
    // First kill the process that would unmount.
    let watchdogs = tool("pgrep -f reelgauge-watchdog.*media");
    let dir = recording.dir().to_str().unwrap();
    for pid in watchdogs.split_whitespace() {
        let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        if line.contains(dir) {
            tool(&format!("kill -9 {pid}"));
        }
    }
    running.signal(Signal::KILL);
    let mut running = running;
    running.until(SOON, Running::is_done).unwrap();
    let outcome = recording.shell("true").expect_code(2);
    assert!(outcome.stderr.contains("fusermount3 -u"), "{}", outcome.stderr);
    tool(&format!("umount -l {dir}"));
    assert!(!is_mounted(recording.dir()));
}

#[test]
fn mount_in_use_is_detached_and_reported() {
    require!(Need::Fuse, Need::Root);
    let recording = Recording::new();
    let script = "cat $D/none; (cd $D && exec sleep 20 >/dev/null 2>&1) & sleep 0.5";
    let printed = recording.shell(script).expect_code(0).json();
    let warnings = printed["info"]["warnings"].to_string();
    assert!(warnings.contains("sleep ("), "{warnings}");
    assert!(!is_mounted(recording.dir()));
}

/// A process in a separate mount namespace, in this directory. Killed on drop.
struct ElsewhereMounted(std::process::Child);

impl ElsewhereMounted {
    /// Creates its namespace now, with a copy of all mounts.
    fn sleeping_in(dir: &Path) -> ElsewhereMounted {
        let mut unshare = Command::new("unshare");
        unshare.args(["-m", "sleep", "60"]).current_dir(dir);
        let holder = ElsewhereMounted(unshare.spawn().unwrap());
        let comm = format!("/proc/{}/comm", holder.0.id());
        while std::fs::read_to_string(&comm).unwrap() != "sleep\n" {
            std::thread::sleep(Duration::from_millis(10));
        }
        holder
    }
}

impl Drop for ElsewhereMounted {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn mount_copy_in_another_namespace_is_named_without_delaying_the_end() {
    require!(Need::Fuse, Need::Root, Need::Tool("unshare"));
    for (signal, uses_it) in [(Some(Signal::INT), false), (Some(Signal::TERM), true), (None, false)] {
        let recording = Recording::new();
        let script = "echo x > $D/begun; while [ ! -e $D/end ]; do sleep 0.1; done";
        let mut running = recording.start(&recording.script(script));
        let begun = recording.dir().join("begun");
        let is_written = || std::fs::metadata(&begun).is_ok_and(|about| about.len() > 0);
        running.until(SOON, |_| is_mounted(recording.dir()) && is_written()).expect("it does not begin");
        let holder = ElsewhereMounted::sleeping_in(if uses_it { recording.dir() } else { Path::new("/") });
        std::fs::write(recording.dir().join("last"), "last words").unwrap();
        let code = match signal {
            Some(signal) => {
                running.signal(signal);
                130
            }
            None => {
                std::fs::write(recording.dir().join("end"), "").unwrap();
                0
            }
        };
        let printed = running.wait(SOON).expect_code(code).json();
        let warnings = printed["info"]["warnings"].to_string();
        let named = format!("sleep ({})", holder.0.id());
        assert!(warnings.contains(&named), "{warnings}");
        assert!(!is_mounted(recording.dir()));
        // The recording is complete.
        let ops = ops(&printed);
        assert_eq!(printed["written_bytes"], 12, "{ops:#?}");
        assert!(of_kind(&ops, "write").iter().any(|op| op["file"] == "last"), "{ops:#?}");
        assert_eq!(std::fs::read_to_string(recording.dir().join("last")).unwrap(), "last words");
    }
}

#[test]
fn a_namespace_that_ended_before_is_not_named() {
    require!(Need::Fuse, Need::Root, Need::Tool("unshare"));
    let recording = Recording::new();
    let printed = recording.shell("unshare -m cat $D/none; echo x > $D/one").expect_code(0).json();
    let warnings = printed["info"]["warnings"].to_string();
    assert!(!warnings.contains("cat ("), "{warnings}");
}

#[test]
fn without_a_command_all_users_of_the_directory_are_recorded_until_the_end() {
    require!(Need::Fuse, Need::Root);
    let recording = Recording::new();
    let mut words = recording.words(&[]);
    words.pop();
    let scratch = Scratch::new();
    let point = scratch.dir("point");
    words.extend(["--mount".into(), point.clone().into()]);
    let mut running = binary::start(words);
    running.until(SOON, |_| is_mounted(&point)).expect("it does not begin");
    running.until(SOON, |running| running.stderr().contains("Ctrl-C ends it")).unwrap();
    std::fs::write(point.join("by-hand"), "hello").unwrap();
    assert_eq!(std::fs::read_to_string(recording.dir().join("by-hand")).unwrap(), "hello");
    running.signal(Signal::INT);
    let printed = running.wait(SOON).expect_code(0).json();
    assert_eq!(printed["written_bytes"], 5);
    assert!(!is_mounted(&point));
}

#[test]
fn unrecordable_directory_is_refused_before_mounting() {
    require!(Need::Fuse, Need::Root);
    let recording = Recording::new();
    let dir = recording.dir().to_str().unwrap().to_owned();
    let inside = format!("{dir}/traces");
    for (flags, code, said) in [
        (vec!["--out", inside.as_str()], 2, "--out"),
        (vec!["--mount", dir.as_str()], 2, "Choose another --mount"),
        (vec!["--mount", "/no/such/place"], 2, "No such file"),
    ] {
        let mut words: Vec<&str> = vec!["record", dir.as_str()];
        words.extend(flags);
        words.extend(["--", "true"]);
        let outcome = binary::run(words).expect_code(code);
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
    let outcome = binary::run(recording.words(&["/no/such/program".to_owned()])).expect_code(2);
    assert!(outcome.stderr.contains("cannot start"), "{}", outcome.stderr);
    // No trace results, which the exit code reports.
    let outcome = recording.shell("exit 7").expect_code(3);
    assert!(outcome.stderr.contains("directory"), "{}", outcome.stderr);
    assert!(!is_mounted(recording.dir()) && !recording.dir().join("traces").exists());
}

#[test]
fn recording_exits_with_the_code_of_its_command_and_names_leftovers() {
    require!(Need::Fuse, Need::Root);
    let recording = Recording::new();
    let script = "echo x > $D/f; sleep 20 > /dev/null 2>&1 & sleep 0.3; exit 42";
    let outcome = recording.shell(&script.replace("$D", recording.dir().to_str().unwrap())).expect_code(42);
    let printed = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(printed.contains("sleep (") && !printed.contains("sh ("), "only that: {printed}");
    let script = "echo x > $D/g; kill -TERM $$";
    let outcome =
        recording.shell(&script.replace("$D", recording.dir().to_str().unwrap())).expect_code(128 + 15);
    let printed = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(!printed.contains("sleep (") && !printed.contains("sh ("), "{printed}");
}

/// Rights that the storage applies to a user who is not root. The recorder runs as root and has to apply
/// them itself.
#[test]
fn rights_and_groups_are_those_that_the_storage_would_give() {
    require!(Need::Fuse, Need::Root, Need::Tool("setpriv"));
    let scratch = Scratch::new();
    let (recorded, plain) = (Recording::new(), scratch.dir("plain"));
    let script =
        "printf x > $D/prog; chmod 6777 $D/prog; mkdir $D/shared; chgrp 1234 $D/shared; chmod 2777 $D/shared";
    let user = "setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'echo y >> $D/prog; echo z > $D/shared/f; \
                mkdir $D/shared/sub'";
    let mut seen = Vec::new();
    for dir in [recorded.dir(), &plain] {
        let at = dir.to_str().unwrap();
        std::fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        tool_with(&["sh", "-c", &script.replace("$D", at)]).unwrap();
        let line = user.replace("$D", at);
        if dir == recorded.dir() {
            let mut words = recorded.words(&["sh".to_owned(), "-c".to_owned(), line]);
            words.insert(2, "--allow-other".into());
            binary::run(words).expect_code(0);
        } else {
            tool_with(&["sh", "-c", &line]).unwrap();
        }
        let stat = format!("cd {at} && stat -c '%a %u %g %n' prog shared/f shared/sub");
        seen.push(tool_with(&["sh", "-c", &stat]).unwrap());
    }
    assert_eq!(format!("{:?}", seen[0]), format!("{:?}", seen[1]));
}
