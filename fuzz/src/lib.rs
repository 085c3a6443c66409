//! What the fuzz targets do. Those of importers ([`check`]) import whatever the bytes are, and hold what
//! comes out to what a trace promises; the others are in [`plans`], [`runs`] and [`texts`].
//!
//! How to run it, and where what it finds goes, is in `README.md`.

pub mod plans;
pub mod runs;
pub mod texts;

use std::path::PathBuf;

use reelgauge_trace::import::{Format, Options, import};
use reelgauge_trace::name;

/// Imports bytes as a format.
///
/// # Panics
/// If a trace comes of it that breaks a promise: a name that leaves the area, times that go back.
pub fn check(format: Format, bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder for the trace");
    let options = Options {
        name: "fuzz".to_owned(),
        parent: PathBuf::from(folder.path()),
        root: None,
        format: Some(format),
        source: "fuzz".to_owned(),
    };
    let Ok(trace) = import(bytes, &options) else { return };
    // A name that no operation refers to is not in the log.
    for file in trace.files().iter().filter(|file| !file.path.is_empty()) {
        assert_eq!(name::check(&file.path), Ok(()), "{}", file.path);
    }
    for batch in trace.batches() {
        for op in batch.expect("a trace that was just written can be read") {
            assert!(op.done_ns >= op.issued_ns && op.offset <= i64::MAX as u64);
            assert!((op.file as usize) < trace.files().len());
        }
    }
}
