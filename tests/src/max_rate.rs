//! A limit on bytes per second, and the check that a run kept to it.

use serde_json::Value;

use crate::run_dir::number;

/// Slower than any storage that a test runs on.
pub const RATE: u64 = 4 << 20;
/// The same, as the value of a flag.
pub const RATE_FLAG: &str = "4MiB";

/// Checks that the bytes are at most a fifth over what the rate allows. Bytes sent ahead and one
/// operation account for that in two seconds.
///
/// # Panics
/// If there are more.
#[track_caller]
pub fn is_kept_to(point: &Value, rate: u64) {
    let moved = number(point, "total.read_bytes_per_s") + number(point, "total.written_bytes_per_s");
    assert!(moved <= rate as f64 * 1.2, "{moved} bytes a second of {rate}\n{point:#}");
    assert!(moved > rate as f64 * 0.2, "hardly anything moved: {moved}\n{point:#}");
}
