//! Maps the numbers and times of each host's log into a run of several hosts.
//!
//! Every host counts workers, streams and files from 0 and time from its own start, and its log is kept
//! unchanged. `ops/_agents.json` contains the offsets to add; because of the underscore, readers that
//! treat the folder as a data set ignore it. Readers of logs and counters add the offsets, so that their
//! callers see one run.
//!
//! Not here: comparing clocks, and detecting missing hosts (the fleet crate).

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::op::OpRecord;
use crate::run_delay::ProcessorWait;

/// Name of the file, in `ops/`.
pub const AGENTS_FILE: &str = "_agents.json";

/// Enough for the offsets of ten thousand hosts.
const FILE_MAX_BYTES: u64 = 8 << 20;

/// The offsets for the numbers and times of one host's log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentPlace {
    /// The host's display name.
    pub agent: String,
    /// Its folder in `ops/` and `counters/`: `agent=a1`.
    pub folder: String,
    /// The start of its time after the start of the run, by the same clock.
    pub shift_ns: u64,
    /// The run's number of its worker 0.
    pub first_worker: u32,
    /// The run's number of its stream 0.
    pub first_stream: u32,
    /// The run's number of its file 0.
    pub first_file: u32,
}

/// The hosts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentPlaces {
    /// The run's time 0, in nanoseconds since 1970 (UTC) by the clock that all times were mapped to.
    pub run_ns: i64,
    /// In the order of their numbers.
    pub agents: Vec<AgentPlace>,
}

impl AgentPlaces {
    /// Reads the offsets for the logs in this folder; `None` if one host made the run.
    ///
    /// # Errors
    /// If the file exists and can't be read.
    pub fn read(ops: &Path) -> io::Result<Option<AgentPlaces>> {
        let path = ops.join(AGENTS_FILE);
        // Check the file type by name: opening a FIFO would block until it has a writer.
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut text = Vec::new();
        File::open(&path)?.take(FILE_MAX_BYTES).read_to_end(&mut text)?;
        Ok(Some(serde_json::from_slice(&text)?))
    }

    /// The offsets of the host whose files are in a folder with this name.
    pub fn of_folder(&self, folder: &str) -> Option<&AgentPlace> {
        self.agents.iter().find(|place| place.folder == folder)
    }
}

impl AgentPlace {
    /// Converts a time of the host to one of the run.
    ///
    /// The offset and the record are both read from files. Sums saturate, here and below: such a row
    /// belongs to no worker, stream or file of the run.
    pub fn time_ns(&self, own_ns: u64) -> u64 {
        own_ns.saturating_add(self.shift_ns)
    }

    /// Converts an operation to one of the run.
    pub fn place(&self, op: &mut OpRecord) {
        op.worker = op.worker.saturating_add(self.first_worker);
        op.stream = op.stream.saturating_add(self.first_stream);
        op.file = op.file.saturating_add(self.first_file);
        if op.kind.names_two() {
            op.offset = op.offset.saturating_add(u64::from(self.first_file));
        }
        for time in [&mut op.due_ns, &mut op.issued_ns, &mut op.done_ns] {
            *time = self.time_ns(*time);
        }
    }

    /// Converts a processor wait to one of the run.
    pub fn placed_wait(&self, wait: ProcessorWait) -> ProcessorWait {
        ProcessorWait {
            // See `AgentPlace::time_ns`.
            worker: wait.worker.saturating_add(self.first_worker),
            done_ns: self.time_ns(wait.done_ns),
            ..wait
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::op::OpKind;
    use crate::test_records::read as read_op;

    #[test]
    fn numbers_and_times_are_those_of_the_run() {
        let place = AgentPlace {
            shift_ns: 1_000_000,
            first_worker: 4,
            first_stream: 6,
            first_file: 10,
            ..AgentPlace::default()
        };
        let own = read_op(1, 0, 4096).at_ms(40).took_ms(5);
        let mut op = own;
        place.place(&mut op);
        assert_eq!((op.worker, op.stream, op.file), (own.worker + 4, own.stream + 6, own.file + 10));
        assert_eq!((op.due_ns, op.done_ns), (own.due_ns + 1_000_000, own.done_ns + 1_000_000));
        assert_eq!((op.offset, op.response_ns()), (own.offset, own.response_ns()));
        let mut rename = OpRecord { kind: OpKind::Rename, offset: 3, ..own };
        place.place(&mut rename);
        assert_eq!(rename.offset, 13, "the second file's number moves too");
        let wait = place.placed_wait(ProcessorWait { worker: 1, done_ns: 5, ..ProcessorWait::default() });
        assert_eq!((wait.worker, wait.done_ns), (5, 1_000_005));
    }

    #[test]
    fn unreadable_agent_data_are_an_error() {
        let ops = tempfile::tempdir().unwrap();
        assert_eq!(AgentPlaces::read(ops.path()).unwrap(), None);
        fs::write(ops.path().join(AGENTS_FILE), "{").unwrap();
        assert!(AgentPlaces::read(ops.path()).is_err());
        let places = AgentPlaces { run_ns: 7, agents: vec![AgentPlace::default()] };
        fs::write(ops.path().join(AGENTS_FILE), serde_json::to_vec(&places).unwrap()).unwrap();
        assert_eq!(AgentPlaces::read(ops.path()).unwrap(), Some(places));
    }
}
