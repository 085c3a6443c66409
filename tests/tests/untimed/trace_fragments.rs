//! Fragmented files: `reelgauge extents` counts what filefrag counts. A client that writes single bytes
//! ahead of its data makes a thousand extents of 64 MiB on XFS, also through a Samba share, and is
//! named.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use reelgauge_tests::binary;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::tool;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::smb::{self, Share};
use reelgauge_tests::verb::Verb;
use serde_json::Value;

const TOTAL: u64 = 64 << 20;
const BLOCK: u64 = 64 << 10;
const AHEAD: u64 = 15 << 20;

/// Writes like `hint-stream`: data, and single bytes ahead of it; none if `spacing` is 0.
fn write_with_hints(path: &Path, spacing: u64) {
    let file = File::create(path).unwrap();
    let (block, mut hint) = (vec![0x5a; BLOCK as usize], spacing);
    for offset in (0..TOTAL).step_by(BLOCK as usize) {
        while spacing > 0 && hint <= offset + AHEAD && hint < TOTAL {
            file.write_all_at(&[0], hint).unwrap();
            hint += spacing;
        }
        file.write_all_at(&block, offset).unwrap();
    }
    file.sync_all().unwrap();
}

/// The binary's report of one file.
#[track_caller]
fn extents(path: &Path) -> Value {
    let told = binary::run(["extents", "--json", path.to_str().unwrap()]).expect_code(0).json();
    told[0].clone()
}

/// The count of filefrag.
#[track_caller]
fn filefrag(path: &Path) -> u64 {
    let said = tool(&format!("filefrag {}", path.display()));
    let words = said.trim().rsplit(": ").next().unwrap();
    words.split(' ').next().unwrap().parse().unwrap()
}

/// The number of extents, which must be filefrag's too.
#[track_caller]
fn pieces(path: &Path) -> u64 {
    let told = extents(path);
    assert_eq!(count(&told, "extents"), filefrag(path), "{told:#}");
    assert_eq!(count(&told, "size_bytes"), TOTAL);
    count(&told, "extents")
}

#[test]
fn hints_make_a_thousand_pieces_on_xfs_and_are_named() {
    require!(Need::Root, Need::Tool("mkfs.xfs"), Need::Tool("filefrag"), Need::FileSystem("xfs"));
    let mount = TempMount::image(ImageKind::Xfs, 512);
    let file = |name: &str| mount.path().join(name);
    write_with_hints(&file("plain"), 0);
    write_with_hints(&file("hints"), 128 << 10);
    write_with_hints(&file("hints-1mib"), 1 << 20);

    assert!(pieces(&file("plain")) <= 2);
    assert_eq!(at(&extents(&file("plain")), "sign"), &Value::Null);
    let many = pieces(&file("hints"));
    assert!((900..=1100).contains(&many), "{many} pieces");
    // One extent from each single byte to the next, and the earlier ones.
    let fewer = pieces(&file("hints-1mib"));
    assert!((64..=140).contains(&fewer), "{fewer} pieces");

    let told = extents(&file("hints"));
    assert_eq!((count(&told, "ideal_extents"), count(&told, "common_extent_bytes")), (1, BLOCK));
    assert!(text(&told, "sign").contains("1-byte-ahead"), "{told:#}");
    assert!(count(&told, "backward_jumps") > 300 && count(&told, "seek_bytes") > 0, "{told:#}");
    let screen = binary::run([Path::new("extents"), &file("hints"), &file("plain")]).expect_code(0).stdout;
    assert!(screen.contains("1-byte-ahead") && screen.lines().count() >= 4, "{screen}");
}

#[test]
fn ext4_keeps_it_together() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::Tool("filefrag"), Need::FileSystem("ext4"));
    let mount = TempMount::image(ImageKind::Ext4, 512);
    for spacing in [0, 128 << 10] {
        let path = mount.path().join(format!("every-{spacing}"));
        write_with_hints(&path, spacing);
        let found = pieces(&path);
        assert!(found <= 4, "{found} pieces");
    }
    // Holes end no extent if space is left for them, and filefrag agrees.
    let sparse = File::create(mount.path().join("sparse")).unwrap();
    for at in 0..64 {
        sparse.write_all_at(&[1; 4096], at << 20).unwrap();
    }
    sparse.sync_all().unwrap();
    let told = extents(&mount.path().join("sparse"));
    assert_eq!(count(&told, "extents"), filefrag(&mount.path().join("sparse")), "{told:#}");
    assert_eq!(count(&told, "mapped_bytes"), 64 * 4096);
}

#[test]
fn compressed_extents_are_not_counted() {
    require!(Need::Root, Need::Tool("mkfs.btrfs"), Need::Tool("chattr"), Need::FileSystem("btrfs"));
    let mount = TempMount::image(ImageKind::Btrfs, 256);
    let path = mount.path().join("compressed");
    File::create(&path).unwrap();
    tool(&format!("chattr +c {}", path.display()));
    write_with_hints(&path, 0);
    let told = extents(&path);
    assert_eq!(at(&told, "extents"), &Value::Null, "{told:#}");
    assert!(text(&told, "uncountable").contains("compressed"));
}

#[test]
fn tmpfs_has_no_extents_and_a_reason() {
    require!(Need::Root);
    let mount = TempMount::tmpfs(8);
    let path = mount.path().join("file");
    std::fs::write(&path, "x").unwrap();
    let said = binary::run([Path::new("extents"), &path, mount.path(), Path::new("/no/such/file")]);
    let said = said.expect_code(2).words();
    for part in ["memory", "regular file", "/no/such/file"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

/// The finding of 2010, end to end: the client writes ahead, the share is on XFS, and the file gets a
/// thousand extents. This also happens with 'strict allocate', which today's Samba does not apply to
/// such writes. If it does (without asynchronous writes), the file has one extent.
#[test]
fn hints_over_smb_make_a_thousand_pieces_on_xfs_and_are_named() {
    let [root, smbd, client] = smb::NEEDS;
    require!(root, smbd, client, Need::Tool("mkfs.xfs"), Need::Tool("filefrag"), Need::FileSystem("xfs"));
    let mount = TempMount::image(ImageKind::Xfs, 512);
    let cases = [
        ("default", "", 900..=1100),
        ("strict", " strict allocate = yes", 900..=1100),
        ("strict-sync", " strict allocate = yes\n aio write size = 0", 1..=4),
    ];
    for (name, options, expected) in cases {
        let share = Share::of(mount.path(), options);
        share.write_with_hints(&format!("{name}-plain"), TOTAL, 0);
        share.write_with_hints(&format!("{name}-hints"), TOTAL, 128 << 10);
        let plain = pieces(&mount.path().join(format!("{name}-plain")));
        let path = mount.path().join(format!("{name}-hints"));
        let hints = pieces(&path);
        println!("{name}: {plain} pieces plain, {hints} with hints");
        assert!(plain <= 4 && expected.contains(&hints), "{name}: plain {plain}, with hints {hints}");
        let named = at(&extents(&path), "sign").as_str().is_some_and(|sign| sign.contains("1-byte-ahead"));
        assert_eq!(named, hints >= 900, "{name}");
    }
}

/// The server's calls, as recorded by strace: the import names the client's pattern.
#[test]
fn the_calls_of_an_smb_server_name_the_pattern() {
    let [root, smbd, client] = smb::NEEDS;
    require!(root, smbd, client, Need::Tool("strace"));
    let scratch = Scratch::new();
    let (folder, calls) = (scratch.dir("share"), scratch.path().join("calls.strace"));
    let share = Share::traced(&folder, &calls);
    share.write_with_hints("reel.mov", TOTAL, 128 << 10);
    // The client has its answers before strace has written the last of them down.
    let written = || std::fs::read_to_string(&calls).unwrap().matches("pwrite64(").count();
    let start = Instant::now();
    while written() < 1535 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(share);
    let out = scratch.path().join("traces");
    let words = ["import", calls.to_str().unwrap(), "--root", folder.to_str().unwrap(), "--name", "calls"];
    binary::run(words.into_iter().chain(["--out", out.to_str().unwrap()])).expect_code(0);
    let trace = out.join("calls");
    let report = binary::run(["report", "--json", trace.to_str().unwrap()]).expect_code(0).json();
    let hints = at(&report, "signs.hints.0");
    assert_eq!((text(hints, "path"), count(hints, "hints")), ("reel.mov", 511), "{hints:#}");
    assert_eq!((count(hints, "spacing_bytes"), count(hints, "ahead_bytes")), (128 << 10, AHEAD));
    // The server may run writes in parallel, so that a byte arrives after the data at its position.
    assert!(count(hints, "overwritten") >= 500, "{hints:#}");
}

#[test]
fn the_traces_that_provoke_it_are_named_in_their_reports() {
    let scratch = Scratch::new();
    for (name, sign) in [
        ("hint-stream", "hint-stream.bin: 511 "),
        ("hint-stream-1mib", "hint-stream-1mib.bin: 63 "),
        ("far-write", " 1 GiB "),
    ] {
        let dir = scratch.path().join(name);
        binary::run(["traces", name, "--out", dir.to_str().unwrap()]).expect_code(0);
        let screen = binary::run(["report", dir.to_str().unwrap()]).expect_code(0).words();
        assert!(screen.contains(sign), "{screen}");
    }
}

/// The run itself reports the extents, and reads without the local cache.
#[test]
fn a_replay_of_them_counts_the_pieces_and_reads_cold() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let mount = TempMount::image(ImageKind::Ext4, 400);
    let replay = Verb::on("replay", "hint-stream").operand(mount.path()).with(&["--pace", "max"]);
    let summary = replay.measure();
    let found = at(&summary, "replay.written_pieces.0");
    assert_eq!((text(found, "file"), count(found, "size_bytes")), ("hint-stream.bin", 64 << 20), "{found:#}");
    assert!(count(found, "pieces") >= 1, "{found:#}");
    let screen = binary::run(["report", replay.run_dir().to_str().unwrap()]).expect_code(0).words();
    assert!(screen.contains("hint-stream.bin consists of"), "{screen}");
    let ops = binary::run(["ops", "--json", "--kind", "open", replay.run_dir().to_str().unwrap()]);
    let ops = ops.expect_code(0).json();
    assert!(ops.as_array().unwrap().iter().any(|op| text(op, "open") == "read direct"), "{ops:#}");
}
