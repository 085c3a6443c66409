//! What the fuzz targets do: importers in [`imports`], plan files in [`plans`], run directories in [`runs`],
//! what a kernel tells of itself in [`texts`], a whole machine in [`collected`], and what others
//! counted beside a run in [`observers`].
//!
//! How to run it, and where what it finds goes, is in `README.md`.

pub mod collected;
pub mod imports;
pub mod observers;
pub mod plans;
mod run_files;
pub mod runs;
pub mod texts;

/// Whether an input is one of a few (one in `of`) that are also looked at in a way that takes long. Always
/// the same answer for the same input, and yes for all of them if `REELGAUGE_FUZZ_SLOW` is set: what is
/// made smaller becomes another input.
fn is_one_in(of: u64, bytes: &[u8]) -> bool {
    use std::hash::{DefaultHasher, Hasher};
    use std::sync::LazyLock;

    static ALL: LazyLock<bool> = LazyLock::new(|| std::env::var_os("REELGAUGE_FUZZ_SLOW").is_some());
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish() % of == 0 || *ALL
}
