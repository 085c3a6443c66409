//! The thread that moves records from memory into the trace.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reelgauge_record::log::FileEntry;
use reelgauge_record::{OpFlags, OpKind, OpRecord};
use reelgauge_trace::TraceError;
use reelgauge_trace::writer::{ABSENT, FOUND, TraceWriter};
use rtrb::Consumer;

use crate::Tally;
use crate::journal::Journal;
use crate::mutex::lock;
use crate::names::{Before, NameTable, TraceName};
use crate::requests::max_request_bytes;

/// How long it sleeps if there were no records.
const IDLE: Duration = Duration::from_millis(5);

/// Adds an operation to the totals of the recording.
fn count(tally: &mut Tally, op: &OpRecord) {
    tally.ops += 1;
    tally.failed += u64::from(op.errno != 0);
    let is_mapped = op.flags.has(OpFlags::MAPPED);
    tally.mapped += u64::from(is_mapped);
    let is_long = op.kind.moves_data() && op.len == max_request_bytes() && !op.flags.has(OpFlags::COPIED);
    tally.longest += u64::from(is_long && !is_mapped);
    match op.kind {
        OpKind::Read if !is_mapped => {
            tally.reads += 1;
            tally.read_bytes += u64::from(op.done_len);
        }
        OpKind::Write if !is_mapped => {
            tally.writes += 1;
            tally.written_bytes += u64::from(op.done_len);
        }
        _ => {}
    }
}

/// Moves records into the trace until the journal is closed and empty.
#[derive(Debug)]
pub(crate) struct Drain {
    journal: Arc<Journal>,
    names: Arc<Mutex<NameTable>>,
    writer: TraceWriter,
    /// The names that the recorder has numbered. A name that a record uses also has its number in the
    /// trace; names of failed lookups may have none.
    names_used: Vec<(TraceName, Option<u32>)>,
    tally: Tally,
}

impl Drain {
    pub(crate) fn new(journal: Arc<Journal>, names: Arc<Mutex<NameTable>>, writer: TraceWriter) -> Drain {
        Drain { journal, names, writer, names_used: Vec::new(), tally: Tally::default() }
    }

    /// Runs until all records are written. After a failure it makes the writing threads stop recording.
    pub(crate) fn run(mut self) -> Result<(TraceWriter, Tally), TraceError> {
        match self.all() {
            Ok(()) => Ok((self.writer, self.tally)),
            Err(error) => {
                self.journal.fail();
                Err(error)
            }
        }
    }

    fn all(&mut self) -> Result<(), TraceError> {
        let mut rings = Vec::new();
        loop {
            // Read before the rings, so that records written before the close are seen.
            let is_last = self.journal.is_closed();
            rings.extend(self.journal.new_rings());
            let mut moved = 0;
            for ring in &mut rings {
                moved += self.ring(ring)?;
            }
            self.writer.tick();
            if moved == 0 {
                if is_last {
                    return Ok(());
                }
                std::thread::sleep(IDLE);
            }
        }
    }

    fn ring(&mut self, ring: &mut Consumer<OpRecord>) -> Result<usize, TraceError> {
        let waiting = ring.slots();
        for _ in 0..waiting {
            let Ok(op) = ring.pop() else { break };
            count(&mut self.tally, &op);
            let file = self.file(op.file)?;
            let offset = match op.kind {
                kind if kind.names_two() => u64::from(self.file(op.offset as u32)?),
                _ => op.offset,
            };
            self.writer.push(OpRecord { file, offset, ..op })?;
        }
        Ok(waiting)
    }

    fn file(&mut self, number: u32) -> Result<u32, TraceError> {
        let at = number as usize;
        if at >= self.names_used.len() {
            let more = lock(&self.names).since(self.names_used.len());
            self.names_used.extend(more.into_iter().map(|name| (name, None)));
        }
        // A name is added before the first record that uses it.
        let Some((name, used)) = self.names_used.get_mut(at) else { return Ok(0) };
        if let Some(file) = *used {
            return Ok(file);
        }
        let file = self.writer.file(&name.path)?;
        *used = Some(file);
        if let Some(entry) = self.writer.entry(file) {
            complete(entry, name.before);
            entry.same_file_as.clone_from(&name.same_file_as);
            entry.leads_to.clone_from(&name.leads_to);
        }
        Ok(file)
    }
}

/// Records a file's state before the recording in its entry.
fn complete(entry: &mut FileEntry, before: Option<Before>) {
    entry.existed_before = matches!(before, Some(Before::File { .. } | Before::Dir));
    entry.size_before_bytes = match before {
        Some(Before::File { size_bytes }) => Some(size_bytes),
        _ => None,
    };
    match before {
        Some(Before::Absent) => entry.prepared = ABSENT.to_owned(),
        Some(_) => entry.prepared = FOUND.to_owned(),
        None => {}
    }
}
