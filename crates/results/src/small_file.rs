//! Small files of a run directory, read as far as they may be long: whoever made them, they take no memory
//! beyond that.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::de::DeserializeOwned;

/// A file's text, if it is one and no longer than this.
pub(crate) fn read_to_string(path: &Path, most: u64) -> Option<String> {
    let mut text = String::new();
    let read = File::open(path).ok()?.take(most + 1).read_to_string(&mut text).ok()?;
    (read as u64 <= most).then_some(text)
}

/// The same as JSON; `None` too where it is none.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path, most: u64) -> Option<T> {
    serde_json::from_str(&read_to_string(path, most)?).ok()
}
