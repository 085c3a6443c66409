//! The run directory, as a user finds it.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The only run directory in a folder for runs.
///
/// # Panics
/// If there is none, or more than one.
#[track_caller]
pub fn only_in(runs: &Path) -> PathBuf {
    let all = all_in(runs);
    assert_eq!(all.len(), 1, "in {} there are {all:?}", runs.display());
    all.into_iter().next().unwrap()
}

/// Every run directory in a folder for runs, the oldest first; none if there is no such folder.
pub fn all_in(runs: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    all.sort();
    all
}

/// Whether operations of the run have reached the disk. It has then made its files and measures.
pub fn has_log(run: &Path) -> bool {
    let agents = std::fs::read_dir(run.join("ops")).into_iter().flatten().flatten();
    let mut files = agents.flat_map(|agent| std::fs::read_dir(agent.path()).into_iter().flatten().flatten());
    files.any(|file| file.path().extension().is_some_and(|extension| extension == "parquet"))
}

/// The summary of a run.
///
/// # Panics
/// If there is none.
#[track_caller]
pub fn summary(run: &Path) -> Value {
    let path = run.join("summary.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}\n{text}", path.display()))
}

/// A value inside JSON, by its path: `totals.reads.ops`, `points.0.errors`.
///
/// # Panics
/// If it does not exist. The message has the JSON.
#[track_caller]
pub fn at<'a>(json: &'a Value, path: &str) -> &'a Value {
    let pointer = format!("/{}", path.replace('.', "/"));
    json.pointer(&pointer).unwrap_or_else(|| panic!("no '{path}' in\n{json:#}"))
}

/// A whole number inside JSON.
///
/// # Panics
/// If it does not exist.
#[track_caller]
pub fn count(json: &Value, path: &str) -> u64 {
    let value = at(json, path);
    value.as_u64().unwrap_or_else(|| panic!("'{path}' is {value}, not a count"))
}

/// A number inside JSON.
///
/// # Panics
/// If it does not exist.
#[track_caller]
pub fn number(json: &Value, path: &str) -> f64 {
    let value = at(json, path);
    value.as_f64().unwrap_or_else(|| panic!("'{path}' is {value}, not a number"))
}

/// A text inside JSON.
///
/// # Panics
/// If it does not exist.
#[track_caller]
pub fn text<'a>(json: &'a Value, path: &str) -> &'a str {
    let value = at(json, path);
    value.as_str().unwrap_or_else(|| panic!("'{path}' is {value}, not a text"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_found_by_their_path() {
        let json = json!({"points": [{"errors": 3, "fs": "xfs"}]});
        assert_eq!(count(&json, "points.0.errors"), 3);
        assert_eq!(text(&json, "points.0.fs"), "xfs");
    }

    #[test]
    #[should_panic(expected = "no 'points.1' in")]
    fn missing_value_is_reported() {
        at(&json!({"points": []}), "points.1");
    }
}
