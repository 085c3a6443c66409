//! Reads logs as users do who do not know this tool: with pyarrow and with DuckDB.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::run_dir::{at, count, summary};
use crate::scratch::target_dir;

/// The sums that both libraries compute and the summary states, per load point.
pub const TOTALS: [&str; 5] = ["ops", "warmup_ops", "failed_ops", "read_bytes", "written_bytes"];

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

/// Checks that the log of a run and its summary agree: pyarrow and DuckDB find the same sums.
///
/// # Panics
/// If they do not.
#[track_caller]
pub fn log_and_summary_agree(run: &Path, printed: &Value) {
    assert_eq!(&summary(run), printed, "what was printed and what was kept");
    let totals = script("totals.py", &[run]);
    let points = at(printed, "load_points").as_array().unwrap();
    for library in ["pyarrow", "duckdb"] {
        let found = at(&totals, library).as_array().unwrap();
        assert_eq!(found.len(), points.len(), "{library}");
        for (found, stated) in found.iter().zip(points) {
            for name in TOTALS {
                assert_eq!(at(found, name), at(stated, &format!("total.{name}")), "{library}: {name}");
            }
        }
    }
    let times = script("times.py", &[run]);
    assert_eq!(count(&times, "disordered"), 0, "due, issued and done in this order");
    assert_eq!(count(&times, "rows"), count(printed, "log.rows"));
}
