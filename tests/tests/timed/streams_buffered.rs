//! Recorders that write through the page cache are judged by the storage's speed. Too many of them fail
//! on a slow disk, however much memory there is, and a sustainable number passes.

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count};
use reelgauge_tests::streams::{SMALL, agrees_with_log};
use reelgauge_tests::verb::Verb;

/// The disk's rate: 4 recordings of [`SMALL`] and a bit.
const DISK_BYTES_PER_S: u64 = 20_000_000;

/// So many recorders with a second of buffer, through the cache.
fn recorders(disk: &TempMount, count: u64) -> Verb {
    let count = count.to_string();
    Verb::on("streams", disk.path())
        .with(&["--actor", "recorder", "--format", SMALL.id, "--count", &count, "--buffered"])
        .with(&["--warmup", "1s", "--duration", "5s", "--seed", "7"])
}

#[test]
fn memory_is_no_disk() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"), Need::Python);
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let store = Faulty::mount();
    let disk = TempMount::image_on(&store.path(), ImageKind::Ext4, 512);
    store.faults().limit_bytes_per_s(DISK_BYTES_PER_S);

    // Half of the disk's rate.
    let few = recorders(&disk, 2);
    let summary = few.measure();
    assert_eq!(at(&summary, "verdict.passed"), true, "{:#}", at(&summary, "verdict"));
    assert_eq!(agrees_with_log(&few, &summary), 0);
    // One for each second of each recorder, the last included.
    let syncs = count(&summary, "load_points.0.total.ops_by_kind.sync");
    assert!((8..=14).contains(&syncs), "{syncs} syncs");

    // Nearly twice the disk's rate, and memory would hold it all.
    let many = recorders(&disk, 8);
    let summary = many.run().expect_code(1).json();
    assert_eq!(at(&summary, "verdict.passed"), false);
    assert!(agrees_with_log(&many, &summary) > 100);
    // The bytes written in time are those that the disk took, and those in the buffers.
    let written = count(&summary, "load_points.0.total.written_bytes");
    let taken = DISK_BYTES_PER_S * 5 + 8 * 2 * SMALL.bytes_per_s();
    assert!(written < taken, "{written} bytes written, {taken} can be");
    let notes = at(&summary, "notes").to_string();
    assert!(notes.contains("buffer length"), "{notes}");
}
