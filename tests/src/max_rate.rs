//! A limit on bytes a second, and whether it was kept to.

use serde_json::Value;

use crate::run_dir::number;

/// Slower than any storage that a test runs on.
pub const RATE: u64 = 4 << 20;
/// The same, as a flag says it.
pub const RATE_FLAG: &str = "4MiB";

/// A fifth more in a time than a rate gives: what may be ahead, and one operation, in two seconds.
///
/// # Panics
/// If it is not.
#[track_caller]
pub fn is_kept_to(point: &Value, rate: u64) {
    let moved = number(point, "total.read_bytes_per_s") + number(point, "total.written_bytes_per_s");
    assert!(moved <= rate as f64 * 1.2, "{moved} bytes a second of {rate}\n{point:#}");
    assert!(moved > rate as f64 * 0.2, "hardly anything moved: {moved}\n{point:#}");
}
