//! Small files of a run directory, read up to a limit. The files may be from any user: larger ones must
//! not use up the memory, and a pipe with the name of a file must not block.

use std::path::Path;

use reelgauge_record::regular_file::read_regular_text;
use serde::de::DeserializeOwned;

/// No plan is longer.
pub(crate) const PLAN_MAX_BYTES: u64 = 16 << 20;
/// No table of streams or load points is longer.
pub(crate) const TABLE_MAX_BYTES: u64 = 256 << 20;

/// The text of a regular file that is no longer than this.
pub(crate) fn read_to_string(path: &Path, most: u64) -> Option<String> {
    read_regular_text(path, most).ok()
}

/// The same as JSON; `None` also if it is invalid.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path, most: u64) -> Option<T> {
    serde_json::from_str(&read_to_string(path, most)?).ok()
}
