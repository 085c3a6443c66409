//! The library of the fuzz targets: importers in [`imports`], plan files in [`plans`], run directories
//! in [`runs`]. Kernel texts are in [`texts`], a whole host in [`collected`], and counters of other
//! devices during a run in [`observers`].
//!
//! `README.md` explains how to run it, and where findings are stored.

pub mod collected;
pub mod imports;
pub mod observers;
pub mod plans;
mod run_files;
pub mod runs;
pub mod texts;

/// Whether an input is one of a few (one in `of`) that also get the slow checks. The answer depends only
/// on the input. It is yes for every input if `REELGAUGE_FUZZ_SLOW` is set, because a minimized input
/// differs from the original.
fn is_one_in(of: u64, bytes: &[u8]) -> bool {
    use std::hash::{DefaultHasher, Hasher};
    use std::sync::LazyLock;

    static ALL: LazyLock<bool> = LazyLock::new(|| std::env::var_os("REELGAUGE_FUZZ_SLOW").is_some());
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish() % of == 0 || *ALL
}
