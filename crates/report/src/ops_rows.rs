//! Single operations: as text lines, as CSV, or as JSON. Rows are written as they arrive.

use std::io::{self, Write};

use reelgauge_record::errno::errno_name;
use reelgauge_record::{OpFlags, OpKind, OpRecord, OpenBits};
use serde::Serialize;

use crate::text::{display_width, plain, wrap};

/// The format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// Aligned text, for reading on a terminal.
    Text,
    /// With a header line.
    Csv,
    /// An array of objects.
    Json,
}

/// All fields of a row.
#[derive(Debug, Serialize)]
struct Row {
    issued_ns: u64,
    worker: u32,
    stream: u32,
    transfer: u32,
    kind: &'static str,
    file: String,
    /// The new name of a rename.
    new_file: Option<String>,
    /// How a file was opened: words separated by blanks.
    open: Option<String>,
    offset_bytes: Option<u64>,
    length_bytes: Option<u32>,
    done_bytes: Option<u32>,
    /// `None` if the source has no durations.
    service_ns: Option<u64>,
    /// `None` if the source has no durations.
    response_ns: Option<u64>,
    errno: i32,
    error: Option<String>,
    flags: String,
}

/// Writes rows. [`OpRows::finish`] must be called.
pub struct OpRows<W: Write, N> {
    out: Out<W>,
    rows: u64,
    name: N,
}

enum Out<W: Write> {
    Text(W, Option<usize>),
    Csv(Box<csv::Writer<W>>),
    Json(W),
}

impl<W: Write, N: Fn(u32) -> String> OpRows<W, N> {
    /// Writes to `out`; `name` returns a file's name. Text lines are at most `width` wide, if it is set.
    pub fn new(format: RowFormat, out: W, width: Option<usize>, name: N) -> OpRows<W, N> {
        let out = match format {
            RowFormat::Text => Out::Text(out, width),
            RowFormat::Csv => Out::Csv(Box::new(csv::Writer::from_writer(out))),
            RowFormat::Json => Out::Json(out),
        };
        OpRows { out, rows: 0, name }
    }

    pub fn write(&mut self, op: &OpRecord) -> io::Result<()> {
        let row = Row::of(op, &self.name);
        let first = self.rows == 0;
        self.rows += 1;
        match &mut self.out {
            Out::Text(out, width) => {
                let is_narrow = width.is_some_and(|width| width < HEADER.len());
                if first && !is_narrow {
                    writeln!(out, "{HEADER}")?;
                }
                let text =
                    if is_narrow { in_lines(&row, width.unwrap_or_default()) } else { in_line(&row, *width) };
                writeln!(out, "{text}")
            }
            Out::Csv(out) => out.serialize(&row).map_err(io_error),
            Out::Json(out) => {
                out.write_all(if first { b"[\n" } else { b",\n" })?;
                serde_json::to_writer(out, &row).map_err(io::Error::from)
            }
        }
    }

    /// Writes buffered rows and the end of the list. Returns the number of rows.
    pub fn finish(self) -> io::Result<u64> {
        match self.out {
            Out::Text(mut out, _) => out.flush()?,
            Out::Csv(mut out) => out.flush()?,
            Out::Json(mut out) => {
                out.write_all(if self.rows == 0 { b"[]\n" } else { b"\n]\n" })?;
                out.flush()?;
            }
        }
        Ok(self.rows)
    }
}

/// Unwraps an I/O error inside an error of the CSV library, so that a closed pipe is recognised.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// The indent of lines below an operation.
const FILE_INDENT: &str = "    ";

const HEADER: &str = "      time s  stream  kind            offset     length       done  service ms  response ms  error  file";

/// An operation in one line; its file in a second line if the first is too short.
fn in_line(row: &Row, width: Option<usize>) -> String {
    let cell = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let figures = format!(
        "{:>12.6}  {:>6}  {:<8}  {:>12}  {:>9}  {:>9}  {:>10}  {:>11}  {:<5}  ",
        row.issued_ns as f64 / 1e9,
        row.stream,
        row.kind,
        cell(row.offset_bytes),
        cell(row.length_bytes.map(u64::from)),
        cell(row.done_bytes.map(u64::from)),
        ms(row.service_ns),
        ms(row.response_ns),
        row.error.as_deref().unwrap_or("-"),
    );
    let file = file_words(row);
    match width.filter(|width| display_width(&figures) + display_width(&file) > *width) {
        Some(width) => {
            format!("{}\n{FILE_INDENT}{}", figures.trim_end(), wrap(&file, width - FILE_INDENT.len(), 0))
        }
        None => figures + &file,
    }
}

/// In milliseconds; `-` if it was not measured.
fn ms(ns: Option<u64>) -> String {
    ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.3}", ns as f64 / 1e6))
}

/// The same operation in several lines, for a narrow terminal.
fn in_lines(row: &Row, width: usize) -> String {
    let error = row.error.as_deref().map_or_else(String::new, |error| format!(", {error}"));
    let part =
        |name: &str, value: Option<u64>| value.map(|value| format!("{name} {value}, ")).unwrap_or_default();
    let lines = [
        format!("{:.6} s: {}, stream {}{error}", row.issued_ns as f64 / 1e9, row.kind, row.stream),
        format!(
            "{}{}{}service {} ms, response {} ms",
            part("offset", row.offset_bytes),
            part("length", row.length_bytes.map(u64::from)),
            part("done", row.done_bytes.map(u64::from)),
            ms(row.service_ns),
            ms(row.response_ns),
        ),
        file_words(row),
    ];
    let indent = FILE_INDENT.len();
    let below = lines[1..].iter().flat_map(|line| {
        let wrapped = wrap(line, width.saturating_sub(indent), 0);
        wrapped.lines().map(|line| format!("{FILE_INDENT}{line}")).collect::<Vec<_>>()
    });
    std::iter::once(lines[0].clone()).chain(below).collect::<Vec<_>>().join("\n")
}

/// The file, with its other names.
fn file_words(row: &Row) -> String {
    let new_file = row.new_file.as_ref().map(|new_file| format!(" -> {}", plain(new_file)));
    let open = row.open.as_deref().filter(|open| !open.is_empty()).map(|open| format!(" ({open})"));
    format!("{}{}{}", plain(&row.file), new_file.unwrap_or_default(), open.unwrap_or_default())
}

impl Row {
    fn of(op: &OpRecord, name: &impl Fn(u32) -> String) -> Row {
        let has_offset =
            matches!(op.kind, OpKind::Read | OpKind::Write | OpKind::Truncate | OpKind::Allocate);
        let has_length = matches!(op.kind, OpKind::Read | OpKind::Write | OpKind::Allocate);
        let opens = matches!(op.kind, OpKind::Open | OpKind::Create);
        let new_file = op.kind.names_two().then(|| u32::try_from(op.offset).map_or("?".to_owned(), name));
        let error = || errno_name(op.errno).map_or_else(|| op.errno.to_string(), str::to_owned);
        Row {
            issued_ns: op.issued_ns,
            worker: op.worker,
            stream: op.stream,
            transfer: op.transfer,
            kind: op.kind.name(),
            file: name(op.file),
            new_file,
            open: opens.then(|| open_words(OpenBits(op.len))),
            offset_bytes: has_offset.then_some(op.offset),
            length_bytes: has_length.then_some(op.len),
            done_bytes: op.kind.moves_data().then_some(op.done_len),
            service_ns: op.has_duration().then(|| op.service_ns()),
            response_ns: op.has_duration().then(|| op.response_ns()),
            errno: op.errno,
            error: (op.errno != 0).then(error),
            flags: flag_words(op.flags),
        }
    }
}

fn open_words(bits: OpenBits) -> String {
    let words = [
        (OpenBits::READ, "read"),
        (OpenBits::WRITE, "write"),
        (OpenBits::APPEND, "append"),
        (OpenBits::CREATE, "create"),
        (OpenBits::EXCLUSIVE, "exclusive"),
        (OpenBits::TRUNCATE, "truncate"),
        (OpenBits::DIRECT, "direct"),
        (OpenBits::DSYNC, "dsync"),
    ];
    let set: Vec<&str> = words.into_iter().filter(|(bit, _)| bits.has(*bit)).map(|(_, word)| word).collect();
    set.join(" ")
}

fn flag_words(flags: OpFlags) -> String {
    let words = [
        (OpFlags::WRITING, "writing"),
        (OpFlags::RANDOM, "random"),
        (OpFlags::WARMUP, "warmup"),
        (OpFlags::LAST, "last"),
        (OpFlags::FRAME, "frame"),
        (OpFlags::CUE, "cue"),
        (OpFlags::RATE_LIMITED, "rate_limited"),
        (OpFlags::COPIED, "copied"),
        (OpFlags::MAPPED, "mapped"),
    ];
    let is_set = |flag: OpFlags| flags.has(flag) && (flag != OpFlags::COPIED || flags.is_copied());
    let set: Vec<&str> = words.into_iter().filter(|(flag, _)| is_set(*flag)).map(|(_, word)| word).collect();
    set.join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_record::test_records::read;

    use super::*;

    fn op() -> OpRecord {
        read(0, 4096, 100)
            .that_did(60)
            .on_stream(2)
            .of_transfer(7)
            .at_ns(1_000_500_000)
            .due_at_ns(1_000_000_000)
            .done_at_ns(1_002_000_000)
            .flagged(OpFlags::MAPPED)
    }

    fn ops() -> [OpRecord; 4] {
        let open = OpenBits::WRITE.with(OpenBits::CREATE);
        [
            op(),
            OpRecord { kind: OpKind::Rename, offset: 1, ..op() },
            OpRecord { kind: OpKind::Create, len: open.0, errno: 2, ..op() },
            OpRecord { kind: OpKind::Truncate, errno: 9999, ..op() },
        ]
    }

    fn written(format: RowFormat, ops: &[OpRecord]) -> String {
        let mut out = Vec::new();
        let names = ["a,\"b\u{1b}.mov", "new.mov"];
        let mut rows = OpRows::new(format, &mut out, None, |file| names[file as usize].to_owned());
        ops.iter().for_each(|op| rows.write(op).unwrap());
        assert_eq!(rows.finish().unwrap(), ops.len() as u64);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_lines_are_aligned_and_escaped() {
        let text = written(RowFormat::Text, &ops());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        let column = lines[0].find("file").unwrap();
        assert_eq!(lines[1].find("a,"), Some(column), "{text}");
        assert!(
            lines[1].contains("    1.000500       2  read") && lines[1].contains("1.500        2.000"),
            "{text}"
        );
        assert!(lines[2].ends_with("-> new.mov") && lines[2].contains("  -  "), "{text}");
        assert!(lines[3].contains("ENOENT") && lines[3].ends_with("(write create)"), "{text}");
        assert!(lines[4].contains(" 4096 ") && lines[4].contains(" 9999 "), "{text}");
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn times_that_were_not_measured_are_unknown_and_not_0() {
        let untimed = OpRecord { done_ns: 7_000, issued_ns: 7_000, due_ns: 7_000, ..read(0, 0, 100) };
        let timed = OpRecord { done_ns: 9_000, ..untimed };
        let all = [untimed, timed];
        let json: Vec<serde_json::Value> = serde_json::from_str(&written(RowFormat::Json, &all)).unwrap();
        assert!(json[0]["service_ns"].is_null() && json[0]["response_ns"].is_null(), "{json:?}");
        assert_eq!((&json[1]["service_ns"], &json[1]["response_ns"]), (&2_000.into(), &2_000.into()));
        assert!(written(RowFormat::Csv, &all).lines().nth(1).is_some_and(|line| line.contains(",,,0,")));
        let text = written(RowFormat::Text, &all);
        let lines: Vec<&str> = text.lines().collect();
        assert!(!lines[1].contains("0.000  ") && lines[1].contains("-            -"), "{text}");
        assert!(lines[2].contains("0.002        0.002"), "{text}");
    }

    #[test]
    fn lines_fit_the_width() {
        for width in [40, 60, 80, 110, 140] {
            let mut out = Vec::new();
            let name = |_| "folder/of/a/long/name/clip-0001.mov".to_owned();
            let mut rows = OpRows::new(RowFormat::Text, &mut out, Some(width), name);
            ops().iter().for_each(|op| rows.write(op).unwrap());
            rows.finish().unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            assert_eq!(text.matches("clip-0001.mov").count(), 5, "{width}:\n{text}");
        }
    }

    #[test]
    fn csv_and_json_are_equal() {
        let json: Vec<serde_json::Value> = serde_json::from_str(&written(RowFormat::Json, &ops())).unwrap();
        let csv = written(RowFormat::Csv, &ops());
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let header = reader.headers().unwrap().clone();
        for (object, record) in json.iter().zip(reader.records()) {
            for (name, cell) in header.iter().zip(&record.unwrap()) {
                let value = match &object[name] {
                    serde_json::Value::Null => String::new(),
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                assert_eq!(value, cell, "{name}");
            }
        }
        assert_eq!((&json[0]["service_ns"], &json[0]["response_ns"]), (&1_500_000.into(), &2_000_000.into()));
        assert_eq!((&json[0]["flags"], &json[2]["error"]), (&"mapped".into(), &"ENOENT".into()));
        assert_eq!(written(RowFormat::Json, &[]), "[]\n");
    }
}
