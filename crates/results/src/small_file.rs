//! Small files of a run directory, read as far as they may be long: whoever made them, they take no memory
//! beyond that, and nobody waits for a pipe that has the name of one.

use std::path::Path;

use reelgauge_record::regular_file::read_regular_text;
use serde::de::DeserializeOwned;

/// No plan is longer.
pub(crate) const PLAN_MAX_BYTES: u64 = 16 << 20;
/// No table of streams or load points is.
pub(crate) const TABLE_MAX_BYTES: u64 = 256 << 20;

/// A file's text, if it is one and no longer than this.
pub(crate) fn read_to_string(path: &Path, most: u64) -> Option<String> {
    read_regular_text(path, most).ok()
}

/// The same as JSON; `None` too where it is none.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path, most: u64) -> Option<T> {
    serde_json::from_str(&read_to_string(path, most)?).ok()
}
