//! Reads `live.jsonl` from a given place on, while it is still being written. The start and the latest
//! state of a run: [`reelgauge_results::live::liveness`].
//!
//! The file may be cut off anywhere, or not be a run's at all: lines that are not events are skipped,
//! and no line longer than any event is kept in memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use reelgauge_record::regular_file::open_regular;
use reelgauge_results::live::liveness::LINE_MAX;
use reelgauge_results::live::{LiveEvent, path_in};

pub use reelgauge_results::live::liveness::{Begin, Life, begin, life};

/// The number of bytes per read.
const CHUNK: u64 = 1 << 20;

/// Reads events as they are written.
#[derive(Debug)]
pub struct Tail {
    file: File,
    /// Everything before this place has been read.
    offset: u64,
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
    /// Whether the current line is too long.
    skipping: bool,
}

impl Tail {
    /// Begins at this place, which must be the beginning of a line; otherwise from the beginning of the
    /// file.
    ///
    /// # Errors
    /// If the run writes no events.
    pub fn open(run_dir: &Path, offset: u64) -> io::Result<Tail> {
        let (mut file, _) = open_regular(&path_in(run_dir))?;
        let offset = if is_beginning_of_line(&mut file, offset)? { offset } else { 0 };
        file.seek(SeekFrom::Start(offset))?;
        Ok(Tail { file, offset, begun: Vec::new(), skipping: false })
    }

    /// The current length of the file.
    pub fn len(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }

    /// Whether the file is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The next events, each with the place after it; empty if there are none yet.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(&mut self) -> io::Result<Vec<(u64, LiveEvent)>> {
        let mut chunk = Vec::new();
        self.file.by_ref().take(CHUNK).read_to_end(&mut chunk)?;
        let mut events = Vec::new();
        for part in chunk.split_inclusive(|&byte| byte == b'\n') {
            self.offset += part.len() as u64;
            let (text, is_whole) = match part.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (part, false),
            };
            self.skipping |= self.begun.len() + text.len() > LINE_MAX;
            if !self.skipping {
                self.begun.extend(text);
            }
            if is_whole {
                let event = if self.skipping { None } else { LiveEvent::from_line(&self.begun) };
                events.extend(event.map(|event| (self.offset, event)));
                self.begun.clear();
                self.skipping = false;
            }
        }
        Ok(events)
    }
}

fn is_beginning_of_line(file: &mut File, offset: u64) -> io::Result<bool> {
    let Some(before) = offset.checked_sub(1) else { return Ok(true) };
    if offset > file.metadata()?.len() {
        return Ok(false);
    }
    let mut byte = [0];
    file.seek(SeekFrom::Start(before))?;
    Ok(file.read(&mut byte)? == 1 && byte == *b"\n")
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::io::Write;

    use reelgauge_results::live::{FILE_NAME, LiveOutcome, process::own_mark};

    use super::*;

    pub(crate) fn begin_line(pid: u32, process: &str) -> String {
        let begin = LiveEvent::Begin {
            at_s: 0.0,
            pid,
            process: process.to_owned(),
            verb: "mix".to_owned(),
            label: "production-edit".to_owned(),
            target: "/mnt/nas".to_owned(),
        };
        begin.to_line() + "\n"
    }

    pub(crate) fn end(at_s: f64, late_frames: Option<u64>) -> LiveEvent {
        LiveEvent::End { at_s, outcome: LiveOutcome::Complete, reason: None, late_frames, incidents: None }
    }

    pub(crate) fn end_line() -> String {
        end(9.0, None).to_line() + "\n"
    }

    fn verified(checked_bytes: u64) -> String {
        LiveEvent::Verified { at_s: 1.0, checked_bytes }.to_line() + "\n"
    }

    #[test]
    fn a_run_lives_until_its_process_or_its_log_ends() {
        let dir = tempfile::tempdir().unwrap();
        let write = |text: String| fs::write(dir.path().join(FILE_NAME), text).unwrap();
        assert_eq!(life(dir.path()), Life::Unknown);
        let own = begin_line(std::process::id(), &own_mark());
        for (text, is) in [
            (own.clone(), "running"),
            (own.clone() + &verified(1) + &verified(2)[..9], "running"),
            (own.clone() + &end_line(), "ended"),
            (own.clone() + &end_line()[..20], "running"),
            // The same number, but a process from before the last boot.
            (begin_line(std::process::id(), "another-boot/7"), "gone"),
            (begin_line(std::process::id(), "another-boot/7") + &end_line(), "ended"),
            (own[..own.len() / 2].to_owned(), "unknown"),
            (String::new(), "unknown"),
            ("\n\n".to_owned(), "unknown"),
            ("{}\n".to_owned() + &own, "unknown"),
        ] {
            write(text.clone());
            let found = match life(dir.path()) {
                Life::Unknown => "unknown",
                Life::Running(begin) if begin.verb == "mix" && begin.target == "/mnt/nas" => "running",
                Life::Ended(LiveOutcome::Complete, None) => "ended",
                Life::Gone(_) => "gone",
                Life::Running(_) | Life::Ended(..) => "wrong",
            };
            assert_eq!(found, is, "{text}");
        }
    }

    #[test]
    fn events_are_delivered_once_for_any_chunking() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = File::create(dir.path().join(FILE_NAME)).unwrap();
        let mut tail = Tail::open(dir.path(), 0).unwrap();
        let mut count = |tail: &mut Tail, text: &str| {
            file.write_all(text.as_bytes()).unwrap();
            tail.read().unwrap().len()
        };
        let line = verified(7);
        let (one, other) = line.split_at(10);
        assert_eq!(count(&mut tail, ""), 0);
        assert_eq!(count(&mut tail, one), 0);
        assert_eq!(count(&mut tail, other), 1);
        assert_eq!(count(&mut tail, &format!("{line}{line}{one}")), 2);
        assert_eq!(count(&mut tail, other), 1);
        assert_eq!(count(&mut tail, &format!("no event\n{{}}\n\u{0}\n{line}")), 1);
        // Too long for an event, in pieces or at once, and the lines after it.
        assert_eq!(count(&mut tail, &"x".repeat(LINE_MAX)), 0);
        assert_eq!(count(&mut tail, &"x".repeat(LINE_MAX)), 0);
        assert_eq!(count(&mut tail, &format!("\n{line}")), 1);
        assert_eq!(count(&mut tail, &format!("{}\n{line}", " ".repeat(LINE_MAX + 1))), 1);
    }

    #[test]
    fn reading_continues_after_an_event_and_restarts_from_any_other_place() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(FILE_NAME), verified(1) + &verified(2)).unwrap();
        let all = Tail::open(dir.path(), 0).unwrap().read().unwrap();
        let (behind_first, _) = all[0];
        let from = |offset| Tail::open(dir.path(), offset).unwrap().read().unwrap().len();
        assert_eq!([from(0), from(behind_first), from(all[1].0)], [2, 1, 0]);
        assert_eq!([from(behind_first - 1), from(3), from(u64::MAX)], [2, 2, 2]);
    }
}
