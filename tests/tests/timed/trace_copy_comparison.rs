//! A file compared with a copy of it, through the binary: `reelgauge extents FILE --copy-to DIR`. The
//! file is really fragmented, the copy is not. Both are read alternately, only the area is written, and
//! nothing is left.
//!
//! The slowdown by fragmentation depends on the disk. It is asserted only with a device whose seeks cost
//! as much as on hard disks.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::Faulty;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::tree::{Tree, tree};
use rustix::fs::FallocateFlags;
use rustix::process::Signal;
use serde_json::Value;

const TOTAL: u64 = 32 << 20;
const PIECE: u64 = 64 << 10;

/// Two files that are allocated alternately, so that each is fragmented by the other.
fn in_pieces(folder: &Path) -> std::path::PathBuf {
    let (path, other) = (folder.join("slow.mov"), folder.join("other.mov"));
    let (file, between) = (File::create(&path).unwrap(), File::create(&other).unwrap());
    for offset in (0..TOTAL).step_by(PIECE as usize) {
        for file in [&file, &between] {
            rustix::fs::fallocate(file, FallocateFlags::empty(), offset, PIECE).unwrap();
        }
    }
    for offset in (0..TOTAL).step_by(PIECE as usize) {
        let block: Vec<u8> = (0..PIECE).map(|at| (at * 7 + offset / PIECE) as u8).collect();
        file.write_all_at(&block, offset).unwrap();
    }
    file.sync_all().unwrap();
    path
}

/// The words of a comparison.
fn words<'a>(file: &'a Path, target: &'a Path, flags: &[&'a str]) -> Vec<&'a str> {
    let words = ["extents", file.to_str().unwrap(), "--copy-to", target.to_str().unwrap()];
    words.iter().chain(flags).copied().collect()
}

/// Compares, and checks that everything else is unchanged.
#[track_caller]
fn compared(file: &Path, target: &Path, flags: &[&str], stock: &dyn Fn() -> Tree) -> Outcome {
    let before = stock();
    let outcome = binary::run(words(file, target, flags));
    assert_eq!(stock(), before, "{}", outcome.said());
    outcome
}

#[test]
fn a_file_in_pieces_is_compared_with_a_copy_in_one() {
    require!(Need::Root, Need::Tool("mkfs.xfs"), Need::Tool("mkfs.ext4"), Need::FileSystem("xfs"));
    for kind in [ImageKind::Xfs, ImageKind::Ext4] {
        let mount = TempMount::image(kind, 512);
        let file = in_pieces(mount.path());
        let stock = || tree(mount.path(), &["lost+found"]);
        let told = compared(&file, mount.path(), &["--json", "--passes", "4"], &stock).expect_code(0).json();
        let (pieces, copied) = (count(&told, "file_extents.extents"), count(&told, "copy_extents.extents"));
        println!("{}: {pieces} pieces, the copy {copied}; {}", kind.name(), text(&told, "sentence"));
        assert!(pieces > 100 && copied <= 4, "{told:#}");
        assert_eq!((count(&told, "size_bytes"), count(&told, "compared_bytes")), (TOTAL, TOTAL));
        for side in ["file", "copy"] {
            let passes = at(&told, &format!("{side}.pass_s")).as_array().unwrap();
            let mut seconds: Vec<f64> = passes.iter().map(|pass| pass.as_f64().unwrap()).collect();
            seconds.sort_by(f64::total_cmp);
            let median_s = f64::midpoint(seconds[1], seconds[2]);
            assert!(seconds.len() == 4 && seconds[0] > 0.0, "{told:#}");
            assert!((number(&told, &format!("{side}.median_s")) - median_s).abs() < 1e-6, "{told:#}");
            // Every read was looked at, and counted.
            let reads = count(&told, &format!("{side}_reads.reads"));
            assert_eq!(reads, TOTAL / (256 << 10), "{told:#}");
        }
        let ratio = number(&told, "file.median_s") / number(&told, "copy.median_s");
        assert!((number(&told, "ratio") - ratio).abs() < 0.01, "{told:#}");
        let finding = text(&told, "finding");
        assert!(["pieces", "same", "copy_slower"].contains(&finding), "{told:#}");
        // In plain text: a table of both, and the result.
        let screen = compared(&file, mount.path(), &[], &stock).expect_code(0).words();
        assert!(screen.contains("slow.mov") && screen.contains("its copy"), "{screen}");
        assert!(screen.contains(" 5 reads"), "{screen}");
        assert!(!mount.path().join("reelgauge-area").exists(), "no area was left");
    }
}

/// Invalid input is refused before anything is written.
#[test]
fn contradictory_input_is_refused() {
    let scratch = Scratch::new();
    let (folder, file) = (scratch.dir("media"), scratch.dir("media").join("file.mov"));
    std::fs::write(&file, vec![1; 9 << 20]).unwrap();
    let small = folder.join("small.mov");
    std::fs::write(&small, vec![1; 1 << 20]).unwrap();
    let own = scratch.dir("media/reelgauge-area").join("own.mov");
    std::fs::write(&own, vec![1; 9 << 20]).unwrap();
    let memory = Path::new("/dev/shm");
    let cases: [(&Path, &Path, &[&str], &str); 8] = [
        (&small, &folder, &[], "too quickly"),
        (&file, &folder, &["--first", "1MiB"], "too quickly"),
        (&file, &folder, &["--passes", "3"], "--passes 3 is outside "),
        (&file, &folder, &["--passes", "1000"], "--passes 1000 is outside "),
        (&folder, &folder, &[], "regular file"),
        (&file, &scratch.path().join("nowhere"), &[], "nowhere"),
        (&own, &folder, &[], "your own"),
        (&file, memory, &[], "file system"),
    ];
    let stock = || tree(&folder, &[]);
    for (file, target, flags, why) in cases {
        let refused = compared(file, target, flags, &stock).expect_code(2);
        assert!(refused.stderr.contains(why) && refused.stdout.is_empty(), "{}", refused.said());
    }
    let two = binary::run(["extents", "a", "b", "--copy-to", "/tmp"]).expect_code(2);
    assert!(two.stderr.contains("--copy-to"), "{}", two.said());
    let lone = binary::run(["extents", "a", "--passes", "4"]).expect_code(2);
    assert!(lone.stderr.contains("--copy-to"), "{}", lone.said());
}

#[test]
fn an_interrupted_comparison_leaves_nothing() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"), Need::Throttle);
    let mount = TempMount::image(ImageKind::Ext4, 256);
    let file = in_pieces(mount.path());
    let before = tree(mount.path(), &["lost+found"]);
    let throttle = reelgauge_tests::throttle::Throttle::reads(mount.path(), 8 << 20);
    let command = throttle.command(binary::path());
    let running = binary::start_by(command, words(&file, mount.path(), &["--json"]));
    let copy = mount.path().join("reelgauge-area/scratch/copy");
    let mut running = running;
    let begun = running.until(Duration::from_secs(60), |_| copy.exists());
    assert!(begun.is_some(), "{}", running.stderr());
    running.signal(Signal::INT);
    let outcome = running.wait(Duration::from_secs(20)).expect_code(130);
    assert!(outcome.stderr.contains("interrupted") && outcome.stdout.is_empty(), "{}", outcome.said());
    assert_eq!(tree(mount.path(), &["lost+found"]), before);
}

/// If the disk needs time for every request, a fragmented file is slower, and the result reports that.
/// The device below it serves so many requests per second, however large they are.
#[test]
fn request_time_is_shown_by_its_parts() {
    require!(Need::Root, Need::Tool("mkfs.xfs"), Need::FileSystem("xfs"), Need::Throttle);
    let _turn = my_turn();
    let mount = TempMount::image(ImageKind::Xfs, 512);
    let file = in_pieces(mount.path());
    let stock = || tree(mount.path(), &[]);
    let before = stock();
    let throttle = reelgauge_tests::throttle::Throttle::requests(mount.path(), 400);
    let command = throttle.command(binary::path());
    let flags = ["--json", "--first", "24MiB", "--passes", "4"];
    let running = binary::start_by(command, words(&file, mount.path(), &flags));
    let told: Value = running.wait(Duration::from_secs(120)).expect_code(0).json();
    println!("{told:#}");
    assert_eq!((text(&told, "finding"), count(&told, "compared_bytes")), ("pieces", 24 << 20), "{told:#}");
    assert!(number(&told, "ratio") > 1.5, "{told:#}");
    assert!(at(&told, "notes").to_string().contains("24MiB"), "{told:#}");
    assert_eq!(stock(), before);
}

/// The analysis of uneven reads on measured times, of a file system whose disk has to seek every MiB.
/// (Throttled block devices let some requests pass at once and make up for it later, and a delaying
/// device mapper is not available everywhere: neither gives exact times.)
#[test]
fn a_disk_that_moves_shows_as_a_second_peak_with_its_rhythm() {
    require!(Need::Root, Need::Fuse);
    const EVERY: u64 = 1 << 20;
    let faulty = Faulty::mount();
    let file = faulty.path().join("uneven.mov");
    std::fs::write(&file, vec![7; 24 << 20]).unwrap();
    // Long compared with other work on the host.
    faulty.faults().delay(Duration::from_millis(4));
    faulty.faults().seek_every(EVERY, Duration::from_millis(60));
    let told = binary::run(words(&file, &faulty.path(), &["--json", "--passes", "4"])).expect_code(0).json();
    println!("{told:#}");
    for side in ["file_reads", "copy_reads"] {
        let reads = at(&told, side);
        let peaks = at(reads, "peaks_us").as_array().unwrap_or_else(|| panic!("one peak: {reads:#}"));
        assert!(peaks[1].as_f64() >= Some(50_000.0), "{reads:#}");
        assert!(peaks[0].as_f64().map(|fast_us| fast_us * 3.0) < peaks[1].as_f64(), "{reads:#}");
        assert!((20.0..40.0).contains(&number(reads, "slower_percent")), "a quarter: {reads:#}");
        assert_eq!((count(reads, "period_bytes"), count(reads, "reads")), (EVERY, 96), "{reads:#}");
    }
    // Both are equal, and the file system does not report extents.
    assert_eq!((text(&told, "finding"), at(&told, "file_extents")), ("same", &Value::Null), "{told:#}");
    assert!(!at(&told, "notes").as_array().unwrap().is_empty(), "{told:#}");
}
