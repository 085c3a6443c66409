//! Tests of refusals, open files of operations, dependencies, and the timeline.
#![allow(clippy::unwrap_used)]

use reelgauge_record::test_records::op;
use reelgauge_record::{OpFlags, OpKind, OpenBits, OtherBits};
use reelgauge_workload::replay::{Pacing, ReplayOrder};

use super::*;
use crate::replay::sample::{NEW, READ, Sample, WRITE};

fn kinds(packed: &PackedTrace) -> Vec<(OpKind, u32)> {
    packed.ops.iter().map(|op| (op.kind, op.handle)).collect()
}

#[test]
fn names_outside_the_target_are_refused() {
    for name in ["../up", "/etc/passwd", "a/../../b", "a\0b", "c:\\x"] {
        let mut sample = Sample::new();
        sample.path(OpKind::Stat, name, 0);
        let error = sample.load_as(Wanted::default()).unwrap_err();
        assert!(matches!(error, ReplayError::BadName { .. }), "{name:?}: {error}");
    }
}

#[test]
fn impossible_offsets_and_file_numbers_are_refused() {
    let refused = |change: &dyn Fn(&mut OpRecord)| {
        let mut sample = Sample::new();
        let handle = sample.open("a", READ);
        sample.push(|op| {
            (op.kind, op.transfer) = (OpKind::Write, handle);
            change(op);
        });
        sample.load_as(Wanted::default()).unwrap_err()
    };
    let far = |op: &mut OpRecord| (op.offset, op.len) = (i64::MAX as u64, 1);
    assert!(matches!(refused(&far), ReplayError::OutOfRange { op: 1, .. }));
    let cut = |op: &mut OpRecord| (op.kind, op.offset, op.len) = (OpKind::Truncate, i64::MAX as u64, 1);
    assert!(matches!(refused(&cut), ReplayError::OutOfRange { .. }));
    let unknown = |op: &mut OpRecord| op.file = 9;
    assert!(matches!(refused(&unknown), ReplayError::NoFile { file: 9, .. }));
    let renamed = |op: &mut OpRecord| (op.kind, op.offset) = (OpKind::Rename, 1 << 40);
    assert!(matches!(refused(&renamed), ReplayError::NoFile { .. }));
}

#[test]
fn million_open_files_are_refused_unless_closed_in_between() {
    let mut sample = Sample::new();
    for _ in 0..=OPEN_MAX {
        sample.open("a", READ);
    }
    let error = sample.load_as(Wanted::default()).unwrap_err();
    assert!(matches!(error, ReplayError::TooManyOpen { .. }), "{error}");
    let mut sample = Sample::new();
    for _ in 0..=OPEN_MAX {
        let handle = sample.open("a", READ);
        sample.close("a", handle);
    }
    assert_eq!(sample.load().packed.open_most, 1);
}

#[test]
fn operations_without_equivalent_are_counted() {
    let mut sample = Sample::new();
    sample.path(OpKind::Other, "a", 0).path(OpKind::Other, "a", 0);
    let error = sample.load_as(Wanted::default()).unwrap_err();
    assert!(matches!(error, ReplayError::Nothing { ops: 2 }), "{error}");
    let mut sample = Sample::new();
    sample.path(OpKind::Other, "a", 0).path(OpKind::Stat, "a", 0);
    let replayable = sample.load();
    assert_eq!(replayable.left_out.values().sum::<u64>(), 1);
    assert_eq!(replayable.packed.ops.len(), 1);
}

#[test]
fn links_of_which_half_is_known_are_counted_and_their_names_are_files() {
    let mut sample = Sample::new();
    let link = |sample: &mut Sample, name: &str, what: OtherBits, errno| {
        let file = sample.file(name);
        sample.push(|op| (op.kind, op.file, op.len, op.errno) = (OpKind::Other, file, what.0, errno));
    };
    let handle = sample.open("a", READ);
    sample.read("a", handle, 0, 100);
    link(&mut sample, "b", OtherBits::HARD_LINK, 0);
    link(&mut sample, "c", OtherBits::HARD_LINK, 17);
    let handle = sample.open("b", READ);
    sample.read("b", handle, 0, 100);
    let replayable = sample.load();
    let left_out: Vec<_> = replayable.left_out.iter().map(|(kind, count)| (*kind, *count)).collect();
    assert_eq!(left_out, [(NotReplayed::UnknownHardLink, 1), (NotReplayed::Other, 1)]);
    assert_eq!(replayable.packed.ops.len(), 4);
    let names: Vec<_> = replayable.before.entries.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a", "b"], "what is read by the other name is there to be read");
}

#[test]
fn unsupported_operations_are_counted_by_kind() {
    let mut sample = Sample::new();
    let other = |sample: &mut Sample, name: &str, what: OtherBits, errno| {
        let file = sample.file(name);
        sample.push(|op| (op.kind, op.file, op.len, op.errno) = (OpKind::Other, file, what.0, errno));
    };
    for name in ["a", "b"] {
        let handle = sample.open(name, READ);
        sample.read(name, handle, 0, 100).close(name, handle);
    }
    other(&mut sample, "a", OtherBits::EXCHANGE, 0);
    other(&mut sample, "b", OtherBits::NO_REPLACE, 17);
    other(&mut sample, "a", OtherBits::WHITEOUT, 0);
    other(&mut sample, "d", OtherBits::NAMELESS, 95);
    other(&mut sample, "copy", OtherBits::CLONE, 0);
    other(&mut sample, "a", OtherBits::RANGE, 0);
    other(&mut sample, "a", OtherBits::UNKNOWN, 0);
    let handle = sample.open("copy", READ);
    sample.read("copy", handle, 0, 100).close("copy", handle);
    let replayable = sample.load();
    let left_out: Vec<_> = replayable.left_out.iter().map(|(kind, count)| (kind.name(), *count)).collect();
    let kinds =
        ["rename_exchange", "rename_whiteout", "rename_refused", "nameless_file", "clone", "range", "other"];
    assert_eq!(left_out, kinds.map(|kind| (kind, 1)));
    let names: Vec<_> = replayable.before.entries.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "copy"]);
}

#[test]
fn reserving_space_beyond_the_end_keeps_the_size() {
    let mut sample = Sample::new();
    let handle = sample.open("a", NEW);
    let file = sample.file("a");
    for flags in [OpFlags::KEEPS_SIZE, OpFlags::NONE] {
        sample.push(|op| {
            (op.kind, op.file, op.transfer, op.flags) = (OpKind::Allocate, file, handle, flags);
            (op.offset, op.len, op.done_len) = (0, 1 << 20, 1 << 20);
        });
    }
    let replayable = sample.load();
    let keeps = replayable.packed.ops.iter().filter(|op| op.kind == OpKind::Allocate);
    assert_eq!(keeps.map(|op| op.marks.has(Marks::KEEPS_SIZE)).collect::<Vec<_>>(), [true, false]);
}

/// A file that is read through its new name, and a link to it.
fn linking() -> Sample {
    let mut sample = Sample::new();
    let handle = sample.open("a", NEW);
    sample.write("a", handle, 0, 100).close("a", handle);
    sample.link(OpKind::Link, "a", "b").link(OpKind::SymLink, "d/soft", "a").path(
        OpKind::ReadLink,
        "d/soft",
        0,
    );
    let handle = sample.open("b", READ);
    sample.read("b", handle, 0, 100).close("b", handle);
    sample.path(OpKind::Unlink, "a", 0).path(OpKind::Stat, "b", 0);
    sample
}

fn prepared(replayable: &Replayable) -> Vec<(&str, Prepare)> {
    replayable.before.entries.iter().map(|entry| (entry.name.as_str(), entry.what)).collect()
}

#[test]
fn links_are_replayed_and_share_one_file() {
    let replayable = linking().load();
    assert!(replayable.left_out.is_empty());
    assert_eq!(replayable.links, LinkCounts { hard: 1, symbolic: 1, exchanges: 0 });
    let wanted = [
        ("a", Prepare::Absent),
        ("b", Prepare::Absent),
        ("d", Prepare::Directory),
        ("d/soft", Prepare::Absent),
    ];
    assert_eq!(prepared(&replayable), wanted);
    let links: Vec<_> = replayable.packed.ops.iter().filter(|op| op.kind.names_two()).collect();
    assert_eq!((links[0].file, links[0].offset), (0, 1));
    assert_eq!((links[1].file, links[1].offset), (2, 0));
}

#[test]
fn unsupported_links_are_omitted_and_their_names_become_files() {
    let without = Without { hard_links: true, ..Without::default() };
    let replayable = linking().load_as(Wanted { without, ..Wanted::default() }).unwrap();
    assert_eq!(replayable.left_out.len(), 1);
    assert_eq!(prepared(&replayable)[1], ("b", Prepare::File { size_bytes: 100 }));
    let without = Without { symbolic_links: true, ..Without::default() };
    let replayable = linking().load_as(Wanted { without, ..Wanted::default() }).unwrap();
    assert_eq!(replayable.left_out.values().sum::<u64>(), 2, "made, and read");
    assert_eq!(replayable.links, LinkCounts { hard: 1, symbolic: 0, exchanges: 0 });
}

#[test]
fn windows_gets_permitted_names_and_a_note_with_their_number() {
    let mut sample = Sample::new();
    for name in ["12:30.mov", "plain.mov"] {
        sample.found(name, Some(100));
        let handle = sample.open(name, READ);
        sample.read(name, handle, 0, 100).close(name, handle);
    }
    let trace = sample.finish();
    let here = load(&trace, Wanted::default()).unwrap();
    let windows = load(&trace, Wanted { on_windows: true, ..Wanted::default() }).unwrap();
    let file = Prepare::File { size_bytes: 100 };
    assert_eq!(prepared(&here), [("12:30.mov", file), ("plain.mov", file)]);
    assert_eq!(prepared(&windows), [("12%3A30.mov", file), ("plain.mov", file)]);
    let names: Vec<&str> = windows.renamed_files.iter().flatten().map(|file| file.path.as_str()).collect();
    assert_eq!((names, windows.notes.len()), (vec!["12%3A30.mov", "plain.mov"], here.notes.len() + 1));
}

fn exchange(sample: &mut Sample, one: &str, two: &str, errno: i32) {
    let (one, two) = (sample.file(one), sample.file(two));
    sample.push(|op| {
        (op.kind, op.file, op.offset, op.errno) = (OpKind::Rename, one, u64::from(two), errno);
        op.flags = OpFlags::EXCHANGES;
    });
}

/// Two files, or two directories with a file each, that exchange their names and are then read.
fn exchanging(one: (&str, &str), two: (&str, &str)) -> Sample {
    let mut sample = Sample::new();
    exchange(&mut sample, one.0, two.0, 0);
    let [first, second] = [one, two].map(|(name, below)| format!("{name}{below}"));
    let handle = sample.open(&first, READ);
    sample.read(&first, handle, 0, 100).close(&first, handle);
    let handle = sample.open(&second, READ);
    sample.read(&second, handle, 0, 7).close(&second, handle);
    sample
}

#[test]
fn names_that_exchange_have_each_others_files_from_then_on() {
    let size = |size_bytes| Prepare::File { size_bytes };
    let replayable = exchanging(("a", ""), ("b", "")).load();
    assert_eq!((replayable.links.exchanges, replayable.left_out.len()), (1, 0));
    assert_eq!(prepared(&replayable), [("a", size(7)), ("b", size(100))], "what is read as a was b");
    assert!(replayable.packed.ops[0].marks.has(Marks::EXCHANGES));
    let replayable = exchanging(("d", "/x"), ("e", "/y")).load();
    let wanted = [("d", Prepare::Directory), ("d/y", size(7)), ("e", Prepare::Directory), ("e/x", size(100))];
    assert_eq!(
        prepared(&replayable).into_iter().filter(|it| it.1 != Prepare::Absent).collect::<Vec<_>>(),
        wanted
    );
}

#[test]
fn an_exchange_that_the_target_cannot_do_leaves_both_names_with_their_files() {
    let without = Without { exchanges: true, ..Without::default() };
    let replayable =
        exchanging(("a", ""), ("b", "")).load_as(Wanted { without, ..Wanted::default() }).unwrap();
    assert_eq!(replayable.left_out.get(&NotReplayed::RenameExchange), Some(&1));
    let size = |size_bytes| Prepare::File { size_bytes };
    assert_eq!(prepared(&replayable), [("a", size(100)), ("b", size(7))]);
}

#[test]
fn a_refused_exchange_is_done_again_only_where_a_name_was_missing() {
    let mut sample = Sample::new();
    sample.path(OpKind::Stat, "a", 0);
    exchange(&mut sample, "a", "gone", 2);
    exchange(&mut sample, "a", "b", 22);
    let replayable = sample.load();
    assert_eq!(replayable.left_out.get(&NotReplayed::RenameRefused), Some(&1));
    assert_eq!(prepared(&replayable), [("a", Prepare::File { size_bytes: 0 }), ("gone", Prepare::Absent)]);
    assert_eq!(replayable.packed.ops.len(), 2);
}

#[test]
fn links_that_were_there_are_prepared_as_links() {
    let mut sample = Sample::new();
    sample.found("a", Some(7)).was_link("b", Some("a"), None).was_link("d/soft", None, Some("a"));
    // Two names of a file whose first name has no operation.
    sample.was_link("c", Some("gone"), None).was_link("e", Some("gone"), None);
    for name in ["a", "b", "c", "e", "d/soft"] {
        sample.path(OpKind::Stat, name, 0);
    }
    let replayable = sample.load();
    let (file, link) = (Prepare::File { size_bytes: 7 }, Prepare::HardLink { size_bytes: 7 });
    let wanted = [
        ("a", file),
        ("b", link),
        ("c", file),
        ("d", Prepare::Directory),
        ("d/soft", Prepare::SymbolicLink),
        ("e", link),
    ];
    assert_eq!(prepared(&replayable), wanted);
    let target = |name| replayable.before.target(name);
    assert_eq!((target("b"), target("e"), target("d/soft")), (Some("a"), Some("c"), Some("a")));
    assert_eq!((target("a"), replayable.before.file_bytes()), (None, 14));
    assert_eq!(replayable.links, LinkCounts { hard: 2, symbolic: 1, exchanges: 0 });
    let mut sample = Sample::new();
    sample.was_link("a", None, Some("../../etc/passwd")).path(OpKind::Stat, "a", 0);
    let refused = sample.load_as(Wanted::default()).unwrap_err();
    assert!(matches!(refused, ReplayError::BadName { .. }), "{refused}");
}

#[test]
fn a_link_that_moves_up_never_leads_out() {
    for (renamed, is_exchange, leads_to_itself) in [
        (("d/e", "top"), false, true),
        (("d/e/soft", "soft"), false, true),
        (("d/e", "d/f"), false, false),
        (("top", "d/e"), true, true),
        (("soft", "d/e/soft"), true, true),
        (("d/f", "d/e"), true, false),
    ] {
        let mut sample = Sample::new();
        sample.link(OpKind::SymLink, "d/e/soft", "x").link(OpKind::SymLink, "d/e/near", "d/e/y");
        match is_exchange {
            true => exchange(&mut sample, renamed.0, renamed.1, 0),
            false => drop(sample.rename(renamed.0, renamed.1)),
        }
        let replayable = sample.load();
        let [soft, near, ..] = &replayable.packed.ops[..] else { unreachable!() };
        assert_eq!(u64::from(soft.file) == soft.offset, leads_to_itself, "{renamed:?}");
        assert_ne!(u64::from(near.file), near.offset, "it does not climb");
        let is_said =
            replayable.notes.iter().any(|note| note.starts_with("1 symbolic links point to themselves"));
        assert_eq!(is_said, leads_to_itself, "{:?}", replayable.notes);
    }
}

#[test]
fn operations_on_two_names_of_a_file_are_ordered() {
    let mut sample = Sample::new();
    sample.link(OpKind::Link, "a", "b");
    let (one, two) = (sample.open("a", WRITE), sample.thread(1).open("b", READ));
    sample.thread(0).write("a", one, 0, 10);
    sample.thread(1).read("b", two, 0, 10);
    let replayable = sample.load_as(Wanted { order: ReplayOrder::Resources, ..Wanted::default() }).unwrap();
    let read = replayable.packed.ops.iter().position(|op| op.kind == OpKind::Read).unwrap() as u32;
    let write = replayable.packed.ops.iter().position(|op| op.kind == OpKind::Write).unwrap() as u32;
    assert!(replayable.packed.waits_for(read).contains(&write));
}

#[test]
fn rename_between_names_of_one_file_does_nothing() {
    let mut sample = Sample::new();
    sample.found("a", Some(7)).was_link("b", Some("a"), None);
    sample.rename("a", "b").path(OpKind::Unlink, "a", 0).path(OpKind::Stat, "b", 0);
    assert!(sample.load().notes.is_empty(), "both were there still");
    let mut sample = Sample::new();
    for _ in 0..2 {
        let handle = sample.open("a", NEW);
        sample.close("a", handle).path(OpKind::Unlink, "b", 2).link(OpKind::Link, "a", "b");
        sample.path(OpKind::Unlink, "a", 0);
        let handle = sample.open("a", NEW);
        sample.close("a", handle).rename("a", "b").path(OpKind::Stat, "a", 2).path(OpKind::Unlink, "b", 0);
    }
    assert!(sample.load().notes.is_empty(), "what replaced it was another file");
}

#[test]
fn long_operations_are_split_and_errors_and_short_reads_kept() {
    let mut sample = Sample::new();
    let handle = sample.open("a", READ);
    let asked = 2 * PIECE_BYTES + 10;
    sample.data(OpKind::Read, "a", handle, (5, asked, PIECE_BYTES + 1));
    sample.path(OpKind::Stat, "b", 2);
    let replayable = sample.load();
    let packed = &replayable.packed;
    let places: Vec<_> = packed.ops.iter().map(|op| (op.offset, op.len)).collect();
    let piece = u64::from(PIECE_BYTES);
    assert_eq!(places[1..4], [(5, PIECE_BYTES), (5 + piece, PIECE_BYTES), (5 + 2 * piece, 10)]);
    let done: Vec<_> = (1..5).map(|op| (packed.recorded(op).done_len, packed.recorded(op).errno)).collect();
    assert_eq!(done, [(PIECE_BYTES, 0), (1, 0), (0, 0), (0, 2)]);
    assert_eq!((packed.max_len, packed.writes), (PIECE_BYTES, false));
    assert!(replayable.notes.iter().any(|note| note.contains("1 reads and writes are longer")));
}

#[test]
fn files_that_were_open_before_are_opened_first_or_right_before_they_are_written() {
    let mut sample = Sample::new();
    sample.read("a", 5, 100, 10).write("b", 6, 0, 10).read("a", 5, 0, 10).close("a", 5);
    let packed = sample.load().packed;
    assert_eq!(packed.preopened, [0]);
    assert_eq!(
        kinds(&packed),
        [(OpKind::Read, 0), (OpKind::Open, 1), (OpKind::Write, 1), (OpKind::Read, 0), (OpKind::Close, 0)]
    );
    assert!(packed.handles[0].read && !packed.handles[0].written);
    assert_eq!((packed.handles[0].align_log2, packed.handles[1].align_log2), (1, 1));
}

#[test]
fn copied_and_mapped_operations_are_noted() {
    let mut sample = Sample::new();
    let handle = sample.open("a", READ);
    sample.push(|op| {
        (op.kind, op.transfer, op.len, op.done_len) = (OpKind::Read, handle, 10, 10);
        op.flags = OpFlags::COPIED.with(OpFlags::MAPPED);
    });
    let notes = sample.load().notes.join(" ");
    assert!(notes.contains("copy_file_range") && notes.contains("memory maps"), "{notes}");
}

/// Two threads use one handle and one name; the second starts when the first has ended.
fn two_threads(order: ReplayOrder) -> PackedTrace {
    let mut sample = Sample::new();
    let a = sample.open("dir/a", NEW.with(READ));
    sample.write("dir/a", a, 0, 10);
    sample.thread(1).read("dir/a", a, 0, 10);
    let b = sample.open("dir/a", READ);
    sample.read("dir/a", b, 0, 10);
    sample.thread(0).close("dir/a", a);
    sample.path(OpKind::Unlink, "dir/a", 0);
    sample.thread(1).close("dir/a", b).path(OpKind::Stat, "dir/a", 2);
    sample.load_as(Wanted { order, ..Wanted::default() }).unwrap().packed
}

#[test]
fn dependencies_follow_the_selected_order() {
    let waits = |order| {
        let packed = two_threads(order);
        (0..packed.ops.len() as u32).map(|op| packed.waits_for(op).to_vec()).collect::<Vec<_>>()
    };
    // 0 create, 1 write; by the other thread 2 read, 3 open, 4 read; 5 close, 6 unlink; 7 close, 8 stat.
    let none = || Vec::<u32>::new();
    assert!(waits(ReplayOrder::Serial).iter().all(Vec::is_empty));
    assert_eq!(
        waits(ReplayOrder::Streams),
        [none(), none(), vec![0], none(), none(), vec![2], none(), none(), none()]
    );
    assert_eq!(
        waits(ReplayOrder::Resources),
        // The unlink waits for the other thread's last use of the name; the other thread's stat waits
        // for the unlink.
        [none(), none(), vec![1], none(), none(), vec![2], vec![4], vec![6], none()]
    );
    assert_eq!(two_threads(ReplayOrder::Serial).chains(), 1);
    assert_eq!(two_threads(ReplayOrder::Streams).chains(), 2);
}

#[test]
fn directories_precede_their_entries() {
    let mut sample = Sample::new();
    sample.path(OpKind::MakeDir, "d", 0);
    sample.thread(1);
    let file = sample.open("d/x/f", NEW);
    sample.close("d/x/f", file).rename("d/x/f", "d/g");
    sample.thread(0).path(OpKind::RemoveDir, "d", 0);
    let packed = sample.load().packed;
    assert_eq!(packed.waits_for(1), [0]);
    assert_eq!(packed.waits_for(4), [3]);
}

#[test]
fn in_a_run_operations_belong_to_the_file_that_their_stream_opened_last() {
    let mut handles = Handles::new(false);
    let op = |kind, stream, transfer| op(kind).on_stream(stream).of_transfer(transfer).on_file(3);
    let first = handles.open(&op(OpKind::Open, 0, 0), true);
    let second = handles.open(&op(OpKind::Open, 1, 0), true);
    assert_eq!(handles.used(&op(OpKind::Read, 0, 17)), Some(first));
    assert_eq!(handles.used(&op(OpKind::Read, 1, 18)), Some(second));
    assert_eq!(handles.used(&op(OpKind::Read, 7, 19)), Some(second));
    handles.close(&op(OpKind::Close, 1, 99), second);
    assert_eq!(handles.used(&op(OpKind::Read, 1, 20)), None);
    assert_eq!(handles.used(&op(OpKind::Read, 0, 21)), Some(first));
    assert_eq!(handles.open_most, 2);
}

#[test]
fn idle_times_are_cut_and_busy_ones_are_not() {
    let with_cap = |idle_cap_ns, pace| {
        let mut sample = Sample::new();
        for (at_ns, took_ns) in [(50, 10), (1_000, 5_000), (6_100, 10), (9_000, 10)] {
            sample.at(at_ns, took_ns).path(OpKind::Stat, "a", 0);
        }
        sample.load_as(Wanted { idle_cap_ns, pace, ..Wanted::default() }).unwrap().packed
    };
    let times = |packed: &PackedTrace| packed.ops.iter().map(|op| op.time_ns).collect::<Vec<_>>();
    let packed = with_cap(None, Pacing::Recorded);
    assert_eq!((times(&packed), packed.span_ns), (vec![0, 950, 6_050, 8_950], 8_960));
    // An idle time of 940 ns is cut to 200 ns; the long operation keeps its time; 2,890 ns are cut to
    // 200 ns.
    let packed = with_cap(Some(200), Pacing::Recorded);
    assert_eq!((times(&packed), packed.span_ns), (vec![0, 210, 5_310, 5_520], 5_530));
    let packed = with_cap(None, Pacing::Think);
    assert_eq!(times(&packed), [0, 940, 100, 2_890]);
    assert!(packed.ops[0].marks.has(Marks::ABSOLUTE) && !packed.ops[1].marks.has(Marks::ABSOLUTE));
}

#[test]
fn the_same_name_with_a_slash_is_the_same_file() {
    let mut sample = Sample::new();
    sample.path(OpKind::MakeDir, "d/", 0).path(OpKind::Stat, "d", 0);
    let packed = sample.load().packed;
    assert_eq!(packed.ops[0].file, packed.ops[1].file);
}

#[test]
fn a_handle_is_known_by_its_number_even_where_two_threads_use_the_same_name() {
    let mut sample = Sample::new();
    let one = sample.open("a", READ);
    let two = sample.open("a", WRITE.with(OpenBits::CREATE));
    sample.read("a", one, 0, 10).write("a", two, 0, 10).close("a", one).write("a", two, 10, 10);
    let packed = sample.load().packed;
    assert_eq!(packed.ops.iter().map(|op| op.handle).collect::<Vec<_>>(), [0, 1, 0, 1, 0, 1]);
}

/// Two programs that run one after the other, and a third that overlaps both, each with its own files.
#[test]
fn sequential_programs_stay_sequential_at_full_speed() {
    let of_pace = |pace, order| {
        let mut sample = Sample::new();
        sample.thread(1).at(0, 10).path(OpKind::Stat, "a", 0);
        sample.thread(9).at(5, 2_000).path(OpKind::Stat, "beside", 0);
        sample.thread(1).at(100, 50).path(OpKind::Stat, "a2", 0);
        sample.thread(2).at(160, 10).path(OpKind::Stat, "b", 0);
        sample.thread(2).at(200, 10).path(OpKind::Stat, "b2", 0);
        sample.thread(3).at(300, 10).path(OpKind::Stat, "c", 0);
        sample.thread(3).at(300, 10).path(OpKind::Stat, "c2", 0);
        sample.load_as(Wanted { pace, order, ..Wanted::default() }).unwrap().packed
    };
    let waits = |packed: &PackedTrace| {
        (0..packed.ops.len() as u32).map(|op| packed.waits_for(op).to_vec()).collect::<Vec<_>>()
    };
    let packed = of_pace(Pacing::Max, ReplayOrder::Resources);
    // 0 and 2 by the first program, 3 and 4 by the second, 5 and 6 concurrently by the third.
    let none = Vec::new;
    assert_eq!(waits(&packed), [none(), none(), none(), vec![2], none(), vec![4], vec![4]]);
    let packed = of_pace(Pacing::Recorded, ReplayOrder::Resources);
    assert!(waits(&packed).iter().all(Vec::is_empty), "their times keep them apart");
    let packed = of_pace(Pacing::Max, ReplayOrder::Streams);
    assert!(waits(&packed).iter().all(Vec::is_empty), "threads in their own order, and nothing else");
}

#[test]
fn start_order_is_added_to_existing_dependencies() {
    let mut sample = Sample::new();
    sample.thread(1).at(0, 10).path(OpKind::MakeDir, "d", 0);
    sample.thread(1).at(50, 10).path(OpKind::Stat, "elsewhere", 0);
    sample.thread(2).at(100, 10).path(OpKind::Stat, "d/x", 2);
    let packed = sample.load_as(Wanted { pace: Pacing::Max, ..Wanted::default() }).unwrap().packed;
    assert_eq!(packed.waits_for(2), [0, 1]);
}
