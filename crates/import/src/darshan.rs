//! Importer for the text of `darshan-dxt-parser`: reads and writes of programs that ran with Darshan's
//! DXT.
//!
//! ```text
//! # DXT, file_id: N, file_name: PATH
//! # DXT, rank: 0, hostname: NAME
//!  X_POSIX  RANK write|read SEGMENT OFFSET LENGTH START END [OST]
//! ```
//! The text lists one file after another, so it is not in order of time. Up to [`MAX_SORTED`] operations
//! are sorted in memory; a longer text is only partly sorted, with a warning. Rows of the MPI-IO layer
//! are dropped: each has a row of the POSIX layer below it.
//!
//! Rows with the same file, rank and direction are in order of their ends. A row that ended before the
//! previous one shows that the clock went backwards: it keeps its place, and its times are shifted.
//!
//! Cannot see: opens, closes and all operations on names. Times have a resolution of 0.1 ms.

use std::collections::HashMap;

use reelgauge_record::OpKind;

use crate::number::{decimal, seconds};
use crate::sink::{Op, Place, Sink};
use crate::{ImportError, LineError, LineResult, Source};

/// Limit of sorted operations: 88 bytes of memory each.
const MAX_SORTED: usize = 4 << 20;

/// Reads a whole source.
pub(crate) fn read(source: &mut Source<'_>) -> Result<(), ImportError> {
    source.sink.blind(&["opening and closing", "operations on names", "times below 0.1 ms"]);
    let mut darshan =
        Darshan { place: None, wall_ns: None, ops: Vec::new(), opened: Vec::new(), series: HashMap::new() };
    source.each_line(|sink, line| darshan.line(sink, line))?;
    match darshan.flush(&mut source.sink) {
        Err(LineError::Trace(error)) => Err(error.into()),
        _ => Ok(()),
    }
}

struct Darshan {
    /// The file of the current rows.
    place: Option<Place>,
    wall_ns: Option<u64>,
    ops: Vec<Op>,
    /// Handles by file number; 0 for none.
    opened: Vec<u32>,
    /// By file, rank and direction: the end of the latest row, and the shift of its times.
    series: HashMap<(u32, u64, OpKind), (u64, u64)>,
}

impl Darshan {
    fn line(&mut self, sink: &mut Sink, line: &[u8]) -> LineResult {
        if let Some(comment) = line.strip_prefix(b"#") {
            return self.comment(sink, comment.trim_ascii());
        }
        let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        let Some(module) = words.next() else { return Ok(()) };
        if module == b"X_MPIIO" {
            sink.leave_out("the MPI-IO layer, whose operations are also in the POSIX layer");
            return Ok(());
        }
        if module != b"X_POSIX" {
            return Err(LineError::Malformed("no row of X_POSIX"));
        }
        let row = (|| {
            let rank = decimal(words.next()?)?;
            let kind = match words.next()? {
                b"write" => OpKind::Write,
                b"read" => OpKind::Read,
                _ => return None,
            };
            words.next()?;
            let (offset, len) = (decimal(words.next()?)?, decimal(words.next()?)?);
            Some((rank, kind, offset, len, seconds(words.next()?)?, seconds(words.next()?)?))
        })();
        let (rank, kind, offset, len, start_ns, end_ns) =
            row.ok_or(LineError::Malformed("not eight fields"))?;
        let file = match self.place {
            Some(Ok(file)) => file,
            Some(Err(why)) => {
                sink.leave_out(why);
                return Ok(());
            }
            None => return Err(LineError::Malformed("a row before the first file name")),
        };
        let (start_ns, end_ns) = self.in_order(sink, (file, rank, kind), start_ns, end_ns);
        let stream = sink.thread(rank);
        self.ops.push(Op { offset, len, done_len: len, ..Op::new(kind, file, stream, start_ns, end_ns, 0) });
        if self.ops.len() >= MAX_SORTED {
            sink.warn(
                "places where the log was cut for sorting, because it has too many operations; operations \
                 are in order only from one such place to the next",
            );
            self.flush(sink)?;
        }
        Ok(())
    }

    /// The times of a row, shifted if necessary so that the row follows the earlier ones of its series.
    fn in_order(
        &mut self,
        sink: &mut Sink,
        key: (u32, u64, OpKind),
        start_ns: u64,
        end_ns: u64,
    ) -> (u64, u64) {
        /// Times have four decimal places, and threads of one rank may be logged in a slightly different
        /// order.
        const JITTER_NS: u64 = 1_000_000;
        if self.series.len() >= MAX_SORTED && !self.series.contains_key(&key) {
            return (start_ns, end_ns);
        }
        let (latest_ns, shift_ns) = self.series.entry(key).or_insert((0, 0));
        let back_ns = latest_ns.saturating_sub(end_ns.saturating_add(*shift_ns));
        if back_ns > JITTER_NS {
            sink.clock_stepped(back_ns);
            *shift_ns = latest_ns.saturating_sub(start_ns);
        }
        let times = (start_ns.saturating_add(*shift_ns), end_ns.saturating_add(*shift_ns));
        *latest_ns = (*latest_ns).max(times.1);
        times
    }

    fn comment(&mut self, sink: &mut Sink, comment: &[u8]) -> LineResult {
        if let Some(time) = comment.strip_prefix(b"start_time:") {
            self.wall_ns = seconds(time.trim_ascii());
        }
        if let Some(at) = memchr::memmem::find(comment, b"file_name: ")
            && comment.starts_with(b"DXT, file_id:")
        {
            self.place = Some(sink.file(&comment[at + b"file_name: ".len()..])?);
        }
        Ok(())
    }

    /// Passes on the collected operations, in order.
    fn flush(&mut self, sink: &mut Sink) -> LineResult {
        sink.begin(0, self.wall_ns);
        self.ops.sort_by_key(|op| op.start_ns);
        for op in std::mem::take(&mut self.ops) {
            let place = op.file as usize;
            if self.opened.len() <= place {
                self.opened.resize(place + 1, 0);
            }
            if self.opened[place] == 0 {
                self.opened[place] = sink.unseen_open(op.file, op.stream, op.start_ns)?;
            }
            sink.push(Op { transfer: self.opened[place], ..op })?;
        }
        Ok(())
    }
}
