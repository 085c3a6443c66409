//! A series: a directory with a state file, whose rows name the runs next to it. Suites, proofs and
//! procedures are series. The state is written again after every row, so that the end of the process
//! loses one row at most.

use std::path::Path;

use reelgauge_record::regular_file::read_regular;
use reelgauge_record::run_dir::{RunDirError, write_atomically};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A longer file is not read.
const FILE_MAX_BYTES: u64 = 64 << 20;

/// The state of a series.
pub(crate) trait SeriesState: Serialize + DeserializeOwned {
    /// Its file in the series' directory.
    const FILE_NAME: &'static str;
    /// The version that this program writes and reads.
    const VERSION: u32;

    /// The version that it was written with.
    fn version(&self) -> u32;
}

/// Whether this is the directory of such a series.
pub(crate) fn is_in<S: SeriesState>(dir: &Path) -> bool {
    dir.join(S::FILE_NAME).exists()
}

/// Reads the state, or returns why it can't be read.
pub(crate) fn read<S: SeriesState>(dir: &Path) -> Result<S, String> {
    let text = read_regular(&dir.join(S::FILE_NAME), FILE_MAX_BYTES).map_err(|error| error.to_string())?;
    let state: S = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    match state.version() {
        found if found == S::VERSION => Ok(state),
        found => Err(format!("its version is {found}, but this Reelgauge reads version {}", S::VERSION)),
    }
}

/// Replaces the state atomically.
pub(crate) fn write<S: SeriesState>(state: &S, dir: &Path) -> Result<(), RunDirError> {
    let path = dir.join(S::FILE_NAME);
    let text = serde_json::to_vec_pretty(state)
        .map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    write_atomically(&path, &text)
}
