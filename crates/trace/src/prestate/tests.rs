//! Tests for every row of the table in the module's head, each with the trace of a small application.
#![allow(clippy::unwrap_used)]

use reelgauge_record::{OpKind, OpenBits};

use super::{Prepare, Why};
use crate::replay::sample::{NEW, READ, Sample, WRITE};
use crate::replay::{ReplayError, Replayable};

const ENOENT: i32 = 2;
const EEXIST: i32 = 17;

fn file(size_bytes: u64) -> Prepare {
    Prepare::File { size_bytes }
}

#[track_caller]
fn assert_prepared(replayable: &Replayable, wanted: &[(&str, Prepare, Why)]) {
    let entries = replayable.before.entries.iter().map(|entry| (entry.name.as_str(), entry.what, entry.why));
    assert_eq!(entries.collect::<Vec<_>>(), wanted);
}

#[test]
fn created_file_is_not_prepared() {
    for bits in [
        NEW,
        WRITE.with(OpenBits::CREATE).with(OpenBits::EXCLUSIVE),
        WRITE.with(OpenBits::CREATE),
        READ.with(NEW),
    ] {
        let mut sample = Sample::new();
        let handle = sample.open("out/a.mp4", bits);
        sample.write("out/a.mp4", handle, 4096, 100).close("out/a.mp4", handle);
        let replayable = sample.load();
        assert_prepared(
            &replayable,
            &[("out", Prepare::Directory, Why::Above), ("out/a.mp4", Prepare::Absent, Why::Made)],
        );
        assert_eq!(replayable.before.growth_bytes, 100);
    }
}

#[test]
fn file_only_written_upwards_by_unknown_handle_is_new() {
    // By an open without flags, and by a handle that was never opened.
    for opened in [true, false] {
        let mut sample = Sample::new();
        let handle = if opened { sample.open("a", OpenBits::UNKNOWN) } else { 7 };
        sample.write("a", handle, 0, 100).write("a", handle, 100, 100).write("a", handle, 300, 10);
        let replayable = sample.load();
        assert_prepared(&replayable, &[("a", Prepare::Absent, Why::OnlyWritten)]);
        assert!(replayable.before.notes[0].starts_with("a is not prepared: "));
        assert!(replayable.packed.handles[0].makes);
        assert_eq!(replayable.packed.ops.len(), 4, "the open is there, or was added");
    }
    // Its directory existed; otherwise the write would have failed.
    let mut sample = Sample::new();
    for name in ["k9/job/a", "k9/b"] {
        let handle = sample.open(name, OpenBits::UNKNOWN);
        sample.write(name, handle, 0, 100);
    }
    let replayable = sample.load();
    assert_prepared(
        &replayable,
        &[
            ("k9", Prepare::Directory, Why::Above),
            ("k9/b", Prepare::Absent, Why::OnlyWritten),
            ("k9/job", Prepare::Directory, Why::Above),
            ("k9/job/a", Prepare::Absent, Why::OnlyWritten),
        ],
    );
    assert!(replayable.before.notes[0].contains("2 files are not prepared"));
    // Not written from 0, so an existing file was overwritten.
    let mut sample = Sample::new();
    sample.write("a", 7, 4096, 100).write("a", 7, 0, 100);
    assert_prepared(&sample.load(), &[("a", file(4196), Why::Used)]);
}

#[test]
fn read_file_existed_and_short_read_gives_its_size() {
    let mut sample = Sample::new();
    let (a, b, c, d) =
        (sample.open("a", READ), sample.open("b", READ), sample.open("c", READ), sample.open("d", READ));
    sample.read("a", a, 0, 4096).read("a", a, 8192, 100);
    sample.read("b", b, 0, 4096).data(OpKind::Read, "b", b, (4096, 4096, 5));
    sample.read("c", c, 0, 4096).data(OpKind::Read, "c", c, (4096, 4096, 0));
    sample.data(OpKind::Read, "d", d, (0, 4096, 0));
    assert_prepared(
        &sample.load(),
        &[
            ("a", file(8292), Why::Read),
            ("b", file(4101), Why::EndSeen),
            ("c", file(4096), Why::EndSeen),
            ("d", file(0), Why::EndSeen),
        ],
    );
}

#[test]
fn faststart_prepares_its_input_only() {
    let mut sample = Sample::new();
    let input = sample.open("in.ts", READ);
    sample.read("in.ts", input, 0, 32_768).data(OpKind::Read, "in.ts", input, (32_768, 32_768, 1000));
    let out = sample.open("out.mp4", NEW);
    sample.write("out.mp4", out, 0, 32_768).write("out.mp4", out, 32_768, 500);
    // The second pass reads the output of the first through another handle, and moves it.
    let again = sample.open("out.mp4", READ);
    sample.read("out.mp4", again, 0, 32_768).write("out.mp4", out, 4096, 32_768);
    sample.data(OpKind::Read, "out.mp4", again, (32_768, 32_768, 4096)).close("out.mp4", out);
    assert_prepared(
        &sample.load(),
        &[("in.ts", file(33_768), Why::EndSeen), ("out.mp4", Prepare::Absent, Why::Made)],
    );
}

#[test]
fn file_read_and_written_is_prepared_up_to_the_last_read() {
    let mut sample = Sample::new();
    let handle = sample.open("project.db", READ.with(WRITE));
    sample.read("project.db", handle, 0, 100).write("project.db", handle, 100, 5000);
    sample.read("project.db", handle, 50, 1000);
    assert_prepared(&sample.load(), &[("project.db", file(100), Why::Read)]);
    // A truncated file is not read beyond the truncation.
    let mut sample = Sample::new();
    let handle = sample.open("a", READ.with(WRITE));
    sample.data(OpKind::Truncate, "a", handle, (10, 0, 0)).read("a", handle, 0, 4096);
    assert_prepared(&sample.load(), &[("a", file(10), Why::Read)]);
}

#[test]
fn an_append_begins_where_the_file_ended() {
    let mut sample = Sample::new();
    let handle = sample.open("log", WRITE.with(OpenBits::APPEND).with(OpenBits::CREATE));
    sample.write("log", handle, 777, 100).write("log", handle, 877, 100);
    assert_prepared(&sample.load(), &[("log", file(777), Why::AppendedAt)]);
}

#[test]
fn size_known_by_the_source_overrides_evidence() {
    let mut sample = Sample::new();
    sample.found("a", Some(1 << 20)).found("b", None).absent("c").found("d", Some(50));
    let (a, d) = (sample.open("a", READ), sample.open("d", NEW));
    sample.read("a", a, 0, 4096).write("d", d, 0, 10);
    let c = sample.open("c", WRITE.with(OpenBits::CREATE));
    sample.write("c", c, 0, 10).path(OpKind::Stat, "b", 0);
    assert_prepared(
        &sample.load(),
        &[
            ("a", file(1 << 20), Why::Known),
            ("b", file(0), Why::Used),
            ("c", Prepare::Absent, Why::Made),
            ("d", file(50), Why::Known),
        ],
    );
}

#[test]
fn expected_errors_imply_presence_or_absence() {
    let mut sample = Sample::new();
    sample.path(OpKind::Stat, "missing", ENOENT).path(OpKind::MakeDir, "there", EEXIST);
    sample.path(OpKind::Create, "taken", EEXIST).path(OpKind::Unlink, "gone", ENOENT);
    // First it does not exist, then it is created.
    sample.path(OpKind::Stat, "lock", ENOENT);
    let lock = sample.open("lock", WRITE.with(OpenBits::CREATE));
    sample.close("lock", lock).path(OpKind::Unlink, "lock", 0).path(OpKind::Stat, "lock", ENOENT);
    assert_prepared(
        &sample.load(),
        &[
            ("gone", Prepare::Absent, Why::Missed),
            ("lock", Prepare::Absent, Why::Missed),
            ("missing", Prepare::Absent, Why::Missed),
            ("taken", file(0), Why::Used),
            ("there", Prepare::Directory, Why::Used),
        ],
    );
}

#[test]
fn renames_are_tracked_over_time() {
    let mut sample = Sample::new();
    // Safe saving: the old file is read, and a new one is written and renamed over it.
    let old = sample.open("doc", READ);
    sample.read("doc", old, 0, 300).close("doc", old);
    let new = sample.open("doc.tmp", NEW);
    sample.write("doc.tmp", new, 0, 9000).close("doc.tmp", new).rename("doc.tmp", "doc");
    let again = sample.open("doc", READ);
    sample.read("doc", again, 0, 9000);
    // A file that is renamed into place is read under its new name only.
    sample.rename("incoming", "stock");
    let stock = sample.open("stock", READ);
    sample.read("stock", stock, 0, 50);
    // Removed, and created again with other content.
    sample.path(OpKind::Unlink, "cache", 0);
    let cache = sample.open("cache", NEW.with(READ));
    sample.write("cache", cache, 0, 10).read("cache", cache, 0, 10);
    assert_prepared(
        &sample.load(),
        &[
            ("cache", file(0), Why::Used),
            ("doc", file(300), Why::Read),
            ("doc.tmp", Prepare::Absent, Why::Made),
            ("incoming", file(50), Why::Read),
            ("stock", Prepare::Absent, Why::Made),
        ],
    );
}

#[test]
fn directories_are_there_unless_the_trace_makes_them() {
    let mut sample = Sample::new();
    sample.path(OpKind::ReadDir, "shots/", 0).path(OpKind::MakeDir, "render/new", 0);
    let frame = sample.open("render/new/1.exr", NEW);
    sample.write("render/new/1.exr", frame, 0, 10);
    let deep = sample.open("a/b/c", READ);
    sample.read("a/b/c", deep, 0, 10).path(OpKind::RemoveDir, "old", 0).path(OpKind::Stat, "a", 0);
    assert_prepared(
        &sample.load(),
        &[
            ("a", Prepare::Directory, Why::Used),
            ("a/b", Prepare::Directory, Why::Above),
            ("a/b/c", file(10), Why::Read),
            ("old", Prepare::Directory, Why::Used),
            ("render", Prepare::Directory, Why::Above),
            ("render/new", Prepare::Absent, Why::Made),
            ("render/new/1.exr", Prepare::Absent, Why::Made),
            ("shots", Prepare::Directory, Why::Used),
        ],
    );
}

#[test]
fn a_renamed_directory_takes_its_files_with_it() {
    let mut sample = Sample::new();
    sample.file("final/seen");
    let made = sample.open("work/made", NEW);
    sample.write("work/made", made, 0, 10).close("work/made", made);
    sample.rename("work", "final");
    let seen = sample.open("final/seen", READ);
    let again = sample.open("final/made", READ);
    sample.read("final/seen", seen, 0, 20).read("final/made", again, 0, 10);
    sample.path(OpKind::Stat, "work/made", ENOENT);
    assert_prepared(
        &sample.load(),
        &[
            ("final", Prepare::Absent, Why::Made),
            ("final/made", Prepare::Absent, Why::Made),
            ("final/seen", Prepare::Absent, Why::Made),
            ("work", Prepare::Directory, Why::Used),
            ("work/made", Prepare::Absent, Why::Made),
            ("work/seen", file(20), Why::Read),
        ],
    );
}

#[test]
fn path_used_as_file_and_directory_is_refused() {
    let mut sample = Sample::new();
    let file = sample.open("a", READ);
    sample.read("a", file, 0, 10);
    let below = sample.open("a/b", READ);
    sample.read("a/b", below, 0, 10);
    let error = sample.load_as(Default::default()).unwrap_err();
    assert!(matches!(error, ReplayError::Contradiction { .. }), "{error}");
}

#[test]
fn truncated_file_is_prepared_empty() {
    let mut sample = Sample::new();
    let only_emptied = WRITE.with(OpenBits::TRUNCATE);
    let handle = sample.open("there", only_emptied);
    sample.write("there", handle, 0, 100).close("there", handle);
    let missing = sample.file("missing");
    sample.push(|op| {
        (op.kind, op.file, op.len, op.errno) = (OpKind::Create, missing, only_emptied.0, ENOENT);
    });
    let replayable = sample.load();
    let entries: Vec<_> = replayable.before.entries.iter().map(|entry| (&*entry.name, entry.what)).collect();
    assert_eq!(entries[0], ("missing", Prepare::Absent));
    assert!(matches!(entries[1], ("there", Prepare::File { .. })), "{entries:?}");
}
