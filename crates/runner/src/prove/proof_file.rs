//! `proof.json`: the request, every pass, and the conclusion. It is written again after every pass.
//!
//! ```text
//! reelgauge-runs/2026-11-24T021500Z-nas1-prove/
//!   proof.json
//!   2026-…/      the run of each pass, with its log and summary
//! ```

use std::path::{Path, PathBuf};

use reelgauge_analysis::proof::ProofConclusion;
use reelgauge_analysis::proof::disturbance::Disturbance;
use reelgauge_record::run_dir::RunDirError;
use reelgauge_results::live::process;
use serde::{Deserialize, Serialize};

use super::change::Change;
use crate::run_series::{self, SeriesState};

/// Version of this file.
pub(super) const PROOF_VERSION: u32 = 1;

/// A proof, as far as it has progressed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// Version of this format.
    pub proof_version: u32,
    /// The program that wrote it.
    pub written_by: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// The verb and its flags, as they were measured in every pass.
    pub workload: Vec<String>,
    pub change: Change,
    /// Passes of each state that count.
    pub rounds: u32,
    /// The runs before all passes, one for each target. They made the test files and do not count.
    pub first_runs: Vec<PathBuf>,
    /// The passes, in the order in which they ran.
    pub passes: Vec<ProofPass>,
    /// Whether all of them ran.
    pub complete: bool,
    /// Why not, if it was stopped.
    pub ended_early: Option<String>,
    /// Whether the user stopped it.
    #[serde(default)]
    pub is_interrupted: bool,
    /// The conclusion from all of them.
    pub conclusion: Option<ProofConclusion>,
    /// Why the change is still in place, if it is.
    #[serde(default)]
    pub not_undone: Option<String>,
    /// The process that measures.
    pub(super) pid: u32,
    /// Distinguishes it from others with the same number.
    pub(super) process: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProofPass {
    /// The round, from 0.
    pub round: u32,
    /// The state, from 0.
    pub state: usize,
    /// Its run, below the proof's directory.
    pub run: PathBuf,
    /// The disturbance during it; then it does not count, and was measured again.
    pub disturbance: Option<Disturbance>,
}

/// Why a directory's proof can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofFileError {
    /// It can't be written.
    #[error(transparent)]
    Write(#[from] RunDirError),
    /// It can't be read.
    #[error("{}: {why}. Its runs can still be opened one by one", path.display())]
    Read { path: PathBuf, why: String },
}

impl SeriesState for Proof {
    const FILE_NAME: &'static str = "proof.json";
    const VERSION: u32 = PROOF_VERSION;

    fn version(&self) -> u32 {
        self.proof_version
    }
}

impl Proof {
    /// Whether this is the directory of a proof.
    pub fn is_in(dir: &Path) -> bool {
        run_series::is_in::<Proof>(dir)
    }

    /// Reads the proof in this directory.
    ///
    /// # Errors
    /// If there is none, it is damaged, or a newer version wrote it.
    pub fn read(dir: &Path) -> Result<Proof, ProofFileError> {
        run_series::read(dir).map_err(|why| ProofFileError::Read { path: dir.join(Proof::FILE_NAME), why })
    }

    pub(super) fn write(&self, dir: &Path) -> Result<(), ProofFileError> {
        Ok(run_series::write(self, dir)?)
    }

    /// Whether it is in progress: its process lives, and it has not ended.
    pub fn goes_on(&self, dir: &Path) -> bool {
        let has_ended = self.complete || self.ended_early.is_some();
        !has_ended && process::is_alive(self.pid, &self.process, &dir.join(Proof::FILE_NAME))
    }

    /// The passes of a state that count, in their order.
    pub fn counting(&self, state: usize) -> impl Iterator<Item = &ProofPass> {
        self.passes.iter().filter(move |pass| pass.state == state && pass.disturbance.is_none())
    }

    /// How many passes were disturbed.
    pub fn disturbed(&self) -> usize {
        self.passes.iter().filter(|pass| pass.disturbance.is_some()).count()
    }
}
