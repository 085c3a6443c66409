//! Hostile or damaged sources: they cause an error or a count, but never a panic, unbounded memory, or a
//! name outside the trace.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::{BufReader, Read};

use common::try_import;
use proptest::prelude::*;
use reelgauge_import::{Format, ImportError, Options, import};
use reelgauge_trace::name;

/// A valid source of every format, from the corpus.
fn valid() -> Vec<(Format, Vec<u8>)> {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let of = |format: Format| {
        let folder = corpus.join(format.name());
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(move |file| (format, std::fs::read(file).unwrap()))
    };
    Format::ALL.into_iter().flat_map(of).collect()
}

/// Imports a source, which may fail. An imported trace must be valid.
fn survives(source: &[u8], format: Option<Format>) {
    let Ok(imported) = try_import(source, format, None) else { return };
    // A name that no operation refers to is not in the log.
    for file in imported.trace.files().iter().filter(|file| !file.path.is_empty()) {
        assert_eq!(name::check(&file.path), Ok(()), "{:?}", file.path);
    }
    let mut last_ns = 0;
    for op in imported.ops() {
        assert!(op.offset <= i64::MAX as u64 && op.done_ns >= op.issued_ns && op.issued_ns >= last_ns);
        assert!((op.file as usize) < imported.trace.files().len());
        last_ns = op.issued_ns;
    }
}

#[test]
fn every_format_has_a_corpus() {
    let valid = valid();
    for format in Format::ALL {
        assert!(valid.iter().any(|(of, _)| *of == format), "{}", format.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..2000), format in 0..9_usize) {
        survives(&bytes, Some(Format::ALL[format]));
        survives(&bytes, None);
    }

    #[test]
    fn lines_of_likely_bytes(
        text in "[0-9a-z<>(){}\\[\\]\"'\\\\,.:=|/ \t\n_-]{0,600}",
        format in 0..9_usize,
    ) {
        survives(text.as_bytes(), Some(Format::ALL[format]));
    }

    #[test]
    fn changed_sources(
        which in any::<prop::sample::Index>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..12),
    ) {
        let sources = valid();
        let (format, mut source) = sources[which.index(sources.len())].clone();
        for (place, byte, how) in changes {
            let at = place.index(source.len().max(1)).min(source.len().saturating_sub(1));
            match how {
                0 => source[at] = byte,
                1 => source.insert(at, byte),
                2 => drop(source.remove(at)),
                _ => source.truncate(at + 1),
            }
            if source.is_empty() {
                break;
            }
        }
        survives(&source, Some(format));
    }
}

#[test]
fn names_stay_within_the_trace() {
    let source = "7 1.0 open(\"/m/../../../x/passwd\", O_RDONLY) = 3\n7 1.1 open(\"../../up\", O_RDONLY) = 4\n\
        7 1.2 open(\"/m/zero\\0byte\", O_RDONLY) = 5\n7 1.3 open(\"C:\\\\x\", O_RDONLY) = 6\n";
    let imported = try_import(source.as_bytes(), Some(Format::Strace), None).unwrap();
    let names: Vec<&str> = imported.trace.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names, ["x/passwd", "up", "C%3A%5Cx"]);
    assert_eq!(imported.info().left_out["an invalid file name"], 1);
}

#[test]
fn offsets_beyond_every_file_are_counted() {
    for offset in ["9223372036854775808", "18446744073709551615", "9223372036854775807"] {
        let source =
            format!("7 1.0 open(\"/m/a\", O_RDWR) = 3\n7 1.1 pwrite64(3, \"\", 10, {offset}) = 10\n");
        let imported = try_import(source.as_bytes(), Some(Format::Strace), None).unwrap();
        assert_eq!(imported.lines(), ["open m/a rw h1"], "{offset}");
        assert_eq!(imported.info().left_out["an offset beyond 2^63"], 1);
        let source = format!("fio version 3 iolog\n1 a open\n2 a write {offset} 4096\n");
        let imported = try_import(source.as_bytes(), None, None).unwrap();
        assert_eq!(imported.lines(), ["open a ? h1"]);
    }
}

#[test]
fn times_that_no_log_can_hold_are_counted() {
    let source = "7 1.0 open(\"/m/a\", O_RDWR) = 3 <0.1>\n7 9300000000.5 pread64(3, \"\", 10, 0) = 10 <0.1>\n\
        7 2.0 pread64(3, \"\", 10, 0) = 10 <9300000000.0>\n7 3.0 close(3) = 0 <0.1>\n";
    let imported = try_import(source.as_bytes(), Some(Format::Strace), None).unwrap();
    assert_eq!(imported.lines(), ["open m/a rw h1", "close m/a h1"]);
    assert_eq!(imported.info().left_out["a time more than 292 years after the first"], 2);
}

#[test]
fn full_reservation_is_one_operation() {
    let source = "7 1.0 open(\"/m/a\", O_RDWR) = 3\n7 1.1 fallocate(3, 0, 0, 4611686018427387904) = 0\n";
    let imported = try_import(source.as_bytes(), Some(Format::Strace), None).unwrap();
    assert_eq!(imported.lines(), ["open m/a rw h1"]);
}

#[test]
fn a_million_opens_are_a_million_operations() {
    let mut source = String::new();
    for at in 0..1_000_000 {
        source += &format!("7 1.{at:06} open(\"/m/{}\", O_RDONLY) = {}\n", at % 1000, at + 3);
    }
    let imported = try_import(source.as_bytes(), None, None).unwrap();
    assert_eq!(imported.info().ops, 1_000_000);
    assert_eq!(imported.info().files, 1000);
}

#[test]
fn file_facts_are_kept_after_its_last_use() {
    let mut source = "7 1.0 open(\"/m/a\", O_RDONLY) = 3\n7 1.1 open(\"/m/b\", O_RDWR) = 4\n".to_owned();
    for at in 0..300_000 {
        source += &format!("7 2.{at:06} pread64(4, \"\", 10, {at}) = 10\n");
    }
    source += "7 3.0 fstat(3, {st_mode=S_IFREG|0644, st_size=123}) = 0\n";
    for at in 0..300_000 {
        source += &format!("7 4.{at:06} pread64(4, \"\", 10, {at}) = 10\n");
    }
    let imported = try_import(source.as_bytes(), None, None).unwrap();
    assert_eq!(imported.before("m/a"), "found 123");
    assert_eq!(imported.before("m/b"), "found");
}

#[test]
fn too_many_names_end_the_import() {
    // 300 MB of names, generated while they are read.
    let line = |at: u64| format!("7 1.0 open(\"/m/{at:0>240}\", O_RDONLY) = 3\n").into_bytes();
    let source = Repeated { make: Box::new(line), at: 0, lines: 1_300_000, rest: Vec::new() };
    let folder = tempfile::tempdir().unwrap();
    let error = import(BufReader::new(source), &options(&folder)).err().unwrap().to_string();
    assert!(error.contains("more than 256 MiB"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_endless_line_takes_no_memory() {
    let head = b"7 1.0 open(\"/m/a\", O_RDONLY) = 3\n7 1.1 read(3, \"".to_vec();
    let line = move |at: u64| if at == 0 { head.clone() } else { vec![b'x'; 1 << 20] };
    let source = Repeated { make: Box::new(line), at: 0, lines: 300, rest: Vec::new() };
    let folder = tempfile::tempdir().unwrap();
    let trace = import(BufReader::new(source), &options(&folder)).unwrap();
    let info = trace.info().unwrap();
    assert_eq!((info.ops, info.malformed_lines), (1, 1));
    assert!(info.first_malformed[0].why.contains("1 MiB"));
}

#[test]
fn calls_that_never_end_take_no_endless_memory() {
    let text = "x".repeat(1000);
    let line = move |at: u64| match at {
        0 => b"1 1.0 open(\"/m/a\", O_RDONLY) = 3\n".to_vec(),
        at => format!("{} 1.1 read(3, \"{text}\" <unfinished ...>\n", at + 7).into_bytes(),
    };
    let source = Repeated { make: Box::new(line), at: 0, lines: 200_000, rest: Vec::new() };
    let folder = tempfile::tempdir().unwrap();
    let trace = import(BufReader::new(source), &options(&folder)).unwrap();
    let left_out = &trace.info().unwrap().left_out;
    assert!(left_out["too many concurrent calls to follow"] > 100_000, "{left_out:?}");
}

#[test]
fn other_encodings_have_a_remedy() {
    let utf16: Vec<u8> = "\u{feff}\"Time of Day\"".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let error = try_import(&utf16, None, None).err().unwrap();
    assert!(matches!(error, ImportError::Utf16 { .. }) && error.to_string().contains("iconv -f UTF-16"));
    let error = try_import(b"\x0a\x0d\x0d\x0a\x1c\0\0\0", None, None).err().unwrap().to_string();
    assert!(error.contains("packet capture") && error.contains("tshark"), "{error}");
    let error = try_import(b"hello\n", None, None).err().unwrap().to_string();
    assert!(error.contains("strace, fio, procmon"), "{error}");
    // Latin-1 in a path is valid.
    let source = b"7 1.0 open(\"/m/caf\xe9\", O_RDONLY) = 3\n";
    let imported = try_import(source, None, None).unwrap();
    assert_eq!(imported.lines(), ["open m/caf%E9 r h1"]);
}

#[test]
fn a_source_that_ends_in_the_middle_is_imported_up_to_there() {
    for (format, source) in valid() {
        for cut in [source.len() / 3, source.len() / 2, source.len() - 2] {
            survives(&source[..cut], Some(format));
        }
    }
}

fn options(folder: &tempfile::TempDir) -> Options {
    Options {
        name: "hostile".to_owned(),
        parent: folder.path().to_owned(),
        root: None,
        format: Some(Format::Strace),
        source: "made up".to_owned(),
    }
}

/// A source that is generated while it is read.
struct Repeated {
    make: Box<dyn Fn(u64) -> Vec<u8>>,
    at: u64,
    lines: u64,
    rest: Vec<u8>,
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() && self.at < self.lines {
            self.rest = (self.make)(self.at);
            self.at += 1;
        }
        let count = self.rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}
