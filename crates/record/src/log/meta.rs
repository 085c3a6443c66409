//! The metadata of a part, as key/value pairs in its footer.
//!
//! Every part has all of it, so that each can be read alone. The file table of a part contains only the
//! files that its rows refer to: a run over a hundred thousand image files must not write them all every
//! half second.

use std::collections::BTreeMap;
use std::path::Path;

use parquet::file::metadata::KeyValue;
use serde::{Deserialize, Serialize};

use super::error::LogError;
use super::schema::SCHEMA_VERSION;

const KEY_VERSION: &str = "reelgauge.schema_version";
pub(super) const KEY_RUN_NS: &str = "reelgauge.run_ns";
const KEY_AGENT: &str = "reelgauge.agent";
const KEY_CAPTURE: &str = "reelgauge.capture";
const KEY_BLIND_TO: &str = "reelgauge.blind_to";
pub(super) const KEY_FILES: &str = "reelgauge.files";
pub(super) const KEY_FLAGS: &str = "reelgauge.flags";

/// The meaning of the bits of the `flags` column, for readers that do not know this program.
const FLAGS_LEGEND: &str = concat!(
    r#"{"1":"writing","2":"random","4":"warmup","8":"last of its transfer","16":"frame","#,
    r#""32":"play begins anew","64":"copied by the system","128":"through a memory map"}"#
);

/// The level at which operations were captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CaptureLevel {
    /// As requested by the application.
    Application,
    /// Between the client's page cache and its file system.
    Cache,
    Network,
    /// At a block device.
    Block,
}

/// The metadata of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMeta {
    /// Wall-clock time of the run's time 0, in nanoseconds since 1970 (UTC).
    pub run_ns: i64,
    /// The agent's own name.
    pub agent: String,
    /// The level at which operations were captured.
    pub capture: CaptureLevel,
    /// Descriptions of operations that this capture can't see ("memory-mapped reads"). Empty for a run
    /// of this program.
    pub blind_to: Vec<String>,
}

/// A file that operations refer to by its index in the run's file table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path, relative to the area or to the root of the capture.
    pub path: String,
    /// Size before the run, in bytes; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_before_bytes: Option<u64>,
    /// Size after the run, in bytes; `None` if unknown, or not yet known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_after_bytes: Option<u64>,
    /// Whether it existed before the run.
    pub existed_before: bool,
    /// The origin of its content ("written", "reused", "found").
    pub prepared: String,
    /// The main name of the same file, if it had several names before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_file_as: Option<String>,
    /// The target, if it was a symbolic link before the run; its own name if the target is outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<String>,
}

/// A file entry with its index, as stored in the metadata.
#[derive(Serialize, Deserialize)]
struct NumberedFile<F> {
    file: u32,
    #[serde(flatten)]
    entry: F,
}

/// The key/value metadata of a part whose rows refer to `used` of the files.
pub(super) fn to_key_values(
    meta: &LogMeta,
    used: impl Iterator<Item = u32>,
    files: &[FileEntry],
) -> Vec<KeyValue> {
    let table: Vec<NumberedFile<&FileEntry>> = used
        .filter_map(|file| {
            let entry = files.get(file as usize)?;
            Some(NumberedFile { file, entry })
        })
        .collect();
    vec![
        KeyValue::new(KEY_VERSION.to_string(), SCHEMA_VERSION.to_string()),
        KeyValue::new(KEY_RUN_NS.to_string(), meta.run_ns.to_string()),
        KeyValue::new(KEY_AGENT.to_string(), meta.agent.clone()),
        KeyValue::new(KEY_CAPTURE.to_string(), json_word(&meta.capture)),
        KeyValue::new(KEY_BLIND_TO.to_string(), json(&meta.blind_to)),
        KeyValue::new(KEY_FLAGS.to_string(), FLAGS_LEGEND.to_string()),
        KeyValue::new(KEY_FILES.to_string(), json(&table)),
    ]
}

/// The schema version of a part.
pub(super) fn version(values: &[KeyValue], path: &Path) -> Result<u32, LogError> {
    let text = value(values, KEY_VERSION, path)?;
    text.parse().map_err(|_| bad_value(path, KEY_VERSION, "not a version number"))
}

/// The metadata of a part of schema version 1.
pub(super) fn from_key_values(
    values: &[KeyValue],
    path: &Path,
) -> Result<(LogMeta, BTreeMap<u32, FileEntry>), LogError> {
    let run_ns = value(values, KEY_RUN_NS, path)?
        .parse()
        .map_err(|_| bad_value(path, KEY_RUN_NS, "not a number of nanoseconds"))?;
    let capture = value(values, KEY_CAPTURE, path)?;
    let capture = serde_json::from_value(serde_json::Value::String(capture.to_string()))
        .map_err(|error| bad_value(path, KEY_CAPTURE, &error.to_string()))?;
    let blind_to = serde_json::from_str(value(values, KEY_BLIND_TO, path)?)
        .map_err(|error| bad_value(path, KEY_BLIND_TO, &error.to_string()))?;
    let table: Vec<NumberedFile<FileEntry>> = serde_json::from_str(value(values, KEY_FILES, path)?)
        .map_err(|error| bad_value(path, KEY_FILES, &error.to_string()))?;
    let meta = LogMeta { run_ns, agent: value(values, KEY_AGENT, path)?.to_string(), capture, blind_to };
    let files = table.into_iter().map(|numbered| (numbered.file, numbered.entry));
    Ok((meta, files.collect()))
}

fn value<'a>(values: &'a [KeyValue], key: &str, path: &Path) -> Result<&'a str, LogError> {
    values.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.as_deref()).ok_or_else(|| {
        LogError::NotALog { path: path.to_path_buf(), why: format!("its metadata has no {key}") }
    })
}

fn bad_value(path: &Path, key: &str, why: &str) -> LogError {
    LogError::Corrupt { path: path.to_path_buf(), why: format!("metadata {key}: {why}") }
}

/// Strings, numbers and options only: serialising can't fail.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data serialises")
}

/// The name of an enum variant without fields, without the quotes.
fn json_word(value: &impl Serialize) -> String {
    json(value).trim_matches('"').to_string()
}
