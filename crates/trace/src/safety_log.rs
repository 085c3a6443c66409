//! A recording's second log, which survives if the recorder is killed.
//!
//! A trace is written in the order of issue. Its last operations stay in memory while an earlier one may
//! still arrive, and would be lost with the process. So each operation is also written, in order of
//! arrival, to a log that is sealed twice a second. This log is where a trace has its log, so the
//! directory of a killed recorder can be opened as a trace. It is removed when the trace is complete.
//!
//! Not here: making a proper trace of such a directory ([`crate::rescue`]).

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Instant;

use reelgauge_record::OpRecord;
use reelgauge_record::log::{FileEntry, LogMeta, LogWriter};
use reelgauge_record::run_dir::label;

use crate::error::TraceError;
use crate::info::TraceInfo;

/// Locked during the recording, so that it is not mistaken for an interrupted one.
const LOCK: &str = "recording.lock";

/// The entry in [`TraceInfo::warnings`] for an interrupted recording.
const CUT_OFF: &str = "the recording did not end normally (it was killed, or still runs): its last second is \
    missing, and so are the counts of omitted operations";

#[derive(Debug)]
pub(crate) struct SafetyLog {
    /// `None` after a write error.
    log: Option<LogWriter>,
    dir: PathBuf,
    start: Instant,
    /// The kernel releases the lock when the file is closed, even if the process is killed.
    _lock: File,
}

impl SafetyLog {
    /// Starts the log in a directory without other writers.
    pub fn create(dir: &Path, meta: LogMeta, info: &TraceInfo) -> Result<SafetyLog, TraceError> {
        let lock = take_lock(dir, true)?.ok_or(TraceError::InUse { path: dir.to_owned() })?;
        let mut info = TraceInfo { cut_off: true, ..info.clone() };
        info.warnings.push(CUT_OFF.to_owned());
        info.write(dir)?;
        let log = LogWriter::create(&log_dir(dir, &meta), meta, Vec::new())?;
        Ok(SafetyLog { log: Some(log), dir: dir.to_owned(), start: Instant::now(), _lock: lock })
    }

    pub fn push(&mut self, op: OpRecord) {
        self.or_give_up(|log, _| log.append(&[op]));
    }

    /// Must be called several times a second: seals the new operations. `files` is the trace's file
    /// table.
    pub fn tick(&mut self, files: &[FileEntry]) {
        self.or_give_up(|log, now_ns| {
            let known = log.files_mut();
            known.extend(files.iter().skip(known.len()).cloned());
            log.tick(now_ns)
        });
    }

    /// A failure of this log must not stop the recording. The log is removed, which frees its space.
    fn or_give_up<E>(&mut self, act: impl FnOnce(&mut LogWriter, u64) -> Result<(), E>) {
        let now_ns = self.start.elapsed().as_nanos() as u64;
        if self.log.as_mut().is_some_and(|log| act(log, now_ns).is_err()) {
            self.log = None;
            let _ = fs::remove_dir_all(self.dir.join("ops"));
        }
    }
}

/// The path of an agent's log in a trace's directory.
pub(crate) fn log_dir(dir: &Path, meta: &LogMeta) -> PathBuf {
    dir.join("ops").join(format!("agent={}", label(&meta.agent)))
}

/// Locks the directory of a recording; `None` if another process holds the lock, or it is no recording.
pub(crate) fn take_lock(dir: &Path, create: bool) -> Result<Option<File>, TraceError> {
    let path = dir.join(LOCK);
    let file = match File::options().write(true).create(create).truncate(false).open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(TraceError::io("open", &path)(error)),
    };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(TraceError::io("lock", &path)(error)),
    }
}
