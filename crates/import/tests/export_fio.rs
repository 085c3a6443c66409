//! Exports a trace as fio's log and imports it again. In this crate, because the result is imported.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Imported, imported, try_import};
use reelgauge_import::Format;
use reelgauge_record::OpRecord;
use reelgauge_trace::export::ExportError;
use reelgauge_trace::export::fio::{Exported, Version, write};

fn exported(imported: &Imported, version: Version) -> (String, Exported) {
    let mut text = Vec::new();
    let exported = write(&imported.trace, version, &mut text).unwrap();
    (String::from_utf8(text).unwrap(), exported)
}

const SOURCE: &str = r#"7 1795186657.000000 openat(AT_FDCWD</m>, "in a.ts", O_RDONLY) = 3</m/in a.ts> <0.000053>
7 1795186657.000100 read(3</m/in a.ts>, ""..., 32768) = 32768 <0.000071>
7 1795186657.000200 openat(AT_FDCWD</m>, "in a.ts", O_RDONLY) = 4</m/in a.ts> <0.000053>
7 1795186657.000300 pread64(4</m/in a.ts>, ""..., 100, 5000000000) = 50 <0.000071>
7 1795186657.000400 read(3</m/in a.ts>, "", 32768) = 0 <0.000071>
7 1795186657.000500 close(3</m/in a.ts>) = 0 <0.000001>
7 1795186657.000600 openat(AT_FDCWD</m>, "o", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 5</m/o> <0.000140>
7 1795186657.000700 write(5</m/o>, ""..., 44) = 44 <0.000071>
7 1795186657.000800 fsync(5</m/o>) = 0 <0.000071>
7 1795186657.000900 write(5</m/o>, ""..., 44) = -1 ENOSPC (No space left on device) <0.000071>
7 1795186657.001000 close(4</m/in a.ts>) = 0 <0.000001>
7 1795186657.001100 unlink("/m/o") = 0 <0.000001>
7 1795186657.001200 stat("/m/other", {st_mode=S_IFREG|0644, st_size=5}) = 0 <0.000001>
"#;

#[test]
fn fio_version_3_has_every_transferred_byte() {
    let (text, exported) = exported(&imported(SOURCE), Version::Three);
    let wanted = "fio version 3 iolog\n0 m/in%20a.ts add\n0 m/o add\n0 m/in%20a.ts open\n\
        100 m/in%20a.ts read 0 32768\n300 m/in%20a.ts read 5000000000 50\n600 m/o open\n\
        700 m/o write 0 44\n800 m/o datasync 0 0\n1000 m/in%20a.ts close\n1000 m/o close\n";
    // o was never closed, so it is closed at the end of the log.
    assert_eq!(text, wanted);
    assert_eq!((exported.ops, exported.files, exported.renamed_files), (4, 2, 1));
    let left_out: Vec<(&str, u64)> =
        exported.left_out.iter().map(|(why, ops)| (why.as_str(), *ops)).collect();
    let wanted = [
        ("operations on files without any data moved", 1),
        ("operations that failed", 1),
        ("reads and writes that moved nothing", 1),
        ("unlink operations", 1),
    ];
    assert_eq!(left_out, wanted);
}

#[test]
fn version_2_has_pauses_instead_of_times() {
    let (text, _) = exported(&imported(SOURCE), Version::Two);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..6],
        [
            "fio version 2 iolog",
            "m/in%20a.ts add",
            "m/o add",
            "m/in%20a.ts open",
            "m/in%20a.ts wait 100 0",
            "m/in%20a.ts read 0 32768",
        ]
    );
}

/// The parts of an operation that fio's log can represent.
fn essence(imported: &Imported, name: impl Fn(&str) -> String) -> Vec<(String, &'static str, u64, u32, u64)> {
    let ops = imported.ops();
    let first_us = ops[0].issued_ns / 1000;
    let kept = |op: &&OpRecord| op.kind.moves_data() && op.errno == 0 && op.done_len > 0;
    let ops = ops.iter().filter(kept);
    ops.map(|op| {
        let at_us = op.issued_ns / 1000 - first_us;
        (name(imported.path(op.file)), op.kind.name(), op.offset, op.done_len, at_us)
    })
    .collect()
}

#[test]
fn trace_is_read_from_both_versions() {
    let first = imported(SOURCE);
    for version in [Version::Three, Version::Two] {
        let (text, _) = exported(&first, version);
        let second = try_import(text.as_bytes(), Some(Format::Fio), None).unwrap();
        assert_eq!(second.info().malformed_lines, 0);
        // A blank became %20, and the percent sign itself is written as %25 in a trace.
        let first = essence(&first, |name| name.replace(' ', "%2520"));
        assert_eq!(first, essence(&second, str::to_owned), "{version:?}");
        assert_eq!(first.len(), 3);
    }
}

#[test]
fn operations_unsupported_by_fio_are_refused() {
    let name = "x".repeat(200);
    let source = format!("7 1.0 open(\"/{name}/{name}\", O_RDWR) = 3\n7 1.1 write(3, \"a\", 1) = 1\n");
    let long = imported(&source);
    let error = write(&long.trace, Version::Three, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, ExportError::NameTooLong { .. }) && error.to_string().contains("--root"));
    let still = imported("7 1.0 open(\"/m/a\", O_RDWR) = 3\n7 1.1 fsync(3) = 0\n");
    let error = write(&still.trace, Version::Three, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, ExportError::NoData));
}
