//! Reads logs as users do who do not know this tool: with pyarrow and with DuckDB.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::scratch::target_dir;

/// The Python that has pyarrow and DuckDB.
pub fn interpreter() -> PathBuf {
    program("python")
}

/// A program of the test environment: that of `REELGAUGE_TEST_VENV`, or of the target folder.
pub fn program(name: &str) -> PathBuf {
    let venv =
        std::env::var_os("REELGAUGE_TEST_VENV").map_or_else(|| target_dir().join("test-venv"), PathBuf::from);
    venv.join("bin").join(name)
}

/// Runs a script of `tests/python/` with these arguments and gives the JSON that it prints.
///
/// # Panics
/// If it fails.
#[track_caller]
pub fn script(name: &str, arguments: &[&Path]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python").join(name);
    let interpreter = interpreter();
    let mut words = vec![interpreter.to_string_lossy(), script.to_string_lossy()];
    words.extend(arguments.iter().map(|argument| argument.to_string_lossy()));
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let printed = crate::programs::tool_with(&words).unwrap_or_else(|why| panic!("{why}"));
    serde_json::from_str(&printed)
        .unwrap_or_else(|error| panic!("{name} printed no JSON: {error}\n{printed}"))
}
