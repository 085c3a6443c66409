//! One record: a worker's report of one operation, `file,mode,lenKiB,blkKiB,rate,latency`.
//!
//! Not here: the meaning of its rate and its latency ([`reelgauge_analysis::msmeter`]).

use reelgauge_analysis::msmeter::MeterRecord;
use reelgauge_analysis::paper::Mode;

/// The longest file name that is stored; the original's have seven characters.
const NAME_CHARS_MAX: usize = 64;

/// The meaning of a line from a worker.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkerLine {
    /// An operation that the worker completed.
    Record(MeterRecord),
    /// The worker could not open a file.
    NoFiles,
    Bye,
    /// Frame times and timestamps of an EBU worker, which start with a colon. They are stored as text.
    Extra(String),
    Unknown,
}

pub fn said(line: &str) -> WorkerLine {
    // Control characters are refused, because the text is written to files that users view in a
    // terminal.
    if line.trim().contains(char::is_control) {
        return WorkerLine::Unknown;
    }
    match line.trim() {
        "bye" => WorkerLine::Bye,
        "nofiles" => WorkerLine::NoFiles,
        extra if extra.starts_with(':') => WorkerLine::Extra(extra.to_owned()),
        text => record(text).map_or(WorkerLine::Unknown, WorkerLine::Record),
    }
}

fn record(text: &str) -> Option<MeterRecord> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let [file, mode, length, block, rate, latency] = fields.as_slice() else { return None };
    let is_name = !file.is_empty()
        && file.chars().count() <= NAME_CHARS_MAX
        && file.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let access = match *mode {
        "0" => Mode::SeqRd,
        "1" => Mode::RandRd,
        "2" => Mode::SeqWr,
        "3" => Mode::RandWr,
        _ => return None,
    };
    is_name.then_some(())?;
    Some(MeterRecord {
        file: (*file).to_owned(),
        access,
        length_kib: length.parse().ok()?,
        block_kib: block.parse().ok()?,
        // The original writes "inf" or "nan" if no time elapsed.
        rate_mib_per_s: rate.parse().ok()?,
        latency_ms: latency.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_record_of_the_original_is_read() {
        let WorkerLine::Record(record) = said("test002,0,357,64,391.836525,1.849120") else {
            panic!("no record")
        };
        assert_eq!((record.file.as_str(), record.access), ("test002", Mode::SeqRd));
        assert_eq!((record.length_kib, record.block_kib), (357, 64));
        assert_eq!((record.rate_mib_per_s, record.latency_ms), (391.836_525, 1.849_120));
    }

    #[test]
    fn record_of_zero_duration_is_a_record() {
        let WorkerLine::Record(record) = said("test000,3,1,1,inf,0.01") else { panic!("no record") };
        assert!(record.rate_mib_per_s.is_infinite());
    }

    #[test]
    fn other_lines_are_distinguished_from_records() {
        assert_eq!(said("bye"), WorkerLine::Bye);
        assert_eq!(said("nofiles"), WorkerLine::NoFiles);
        assert_eq!(said(":1.5:2.5"), WorkerLine::Extra(":1.5:2.5".to_owned()));
        for text in [
            "test000,4,1,1,1,1",
            "test000,0,1,1,1",
            "../x,0,1,1,1,1",
            "a\u{1b}[2J,0,1,1,1,1",
            ",0,1,1,1,1",
            ":1\u{1b}[2J",
        ] {
            assert_eq!(said(text), WorkerLine::Unknown, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_is_sent_panics(line in "\\PC*") {
            said(&line);
        }
    }
}
