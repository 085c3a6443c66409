//! `procedure.json`: the steps of a procedure, their results, and the deviations from its paper.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reelgauge_analysis::procedure::Finding;
use reelgauge_engine::area::{Sharing, Terms};
use reelgauge_engine::ballast::{Aged, Filled};
use reelgauge_engine::space::KeepFree;
use reelgauge_record::notes::StorageDetails;
use reelgauge_record::run_dir::RunDirError;
use reelgauge_results::live::process;
use reelgauge_workload::procedure::deviation::Deviation;
use reelgauge_workload::procedure::requirement::{Missing, Requirement, missing};
use reelgauge_workload::procedure::{Action, FindingKind, Step};
use serde::{Deserialize, Serialize};

use super::ProcedureRequest;
use super::fleet::FleetChoice;
use crate::run_series::{self, SeriesState};

/// Version of this file.
pub(super) const PROCEDURE_VERSION: u32 = 1;

/// A procedure, as far as it has progressed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcedureRecord {
    /// Version of this format.
    pub procedure_version: u32,
    /// The program that wrote it.
    pub written_by: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    pub name: String,
    /// A one-line description.
    pub about: String,
    /// The document and section that it follows.
    pub paper: Option<String>,
    /// Whether it is the short variant.
    pub is_short: bool,
    /// The kind of conclusion.
    pub finding: Option<FindingKind>,
    /// The directory that is measured.
    pub target: PathBuf,
    /// The fleet that makes the load; `None` for the local host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetChoice>,
    /// The terms for the target.
    pub terms: KeptTerms,
    /// The storage as the user describes it.
    pub storage: StorageDetails,
    /// Tags for searching.
    pub tags: Vec<String>,
    /// The seed of every random draw.
    pub seed: u64,
    /// Conditions of the paper that are not kept.
    pub deviations: Vec<Deviation>,
    /// The steps, in their order.
    pub rows: Vec<Row>,
    /// The conclusion from all of them, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<Finding>,
    /// Whether all of them are complete, or no longer needed.
    pub complete: bool,
    /// Why not, if it was stopped.
    pub ended_early: Option<String>,
    /// Whether that was the user.
    pub is_interrupted: bool,
    /// The process that carries it out.
    pub(super) pid: u32,
    /// Distinguishes it from other processes with the same number.
    pub(super) process: String,
}

/// The terms for a target, in the form that is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTerms {
    /// Whether to work on a target of another owner.
    pub is_shared: bool,
    /// Bytes to leave free; `None` for the usual share.
    pub keep_free_bytes: Option<u64>,
    /// The largest rate in bytes per second.
    pub max_bytes_per_s: Option<NonZeroU64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name in the report.
    pub name: String,
    /// Its round, from 1; `None` outside rounds.
    pub round: Option<u32>,
    pub action: Action,
    pub state: RowState,
    #[serde(default)]
    pub requires: Requirement,
    /// The missing requirement, if it is not tried for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// Its run, next to this file; may be an interrupted one.
    pub run: Option<PathBuf>,
    /// The result of an action.
    pub fact: Option<ActionFact>,
    /// Why it was interrupted.
    pub why: Option<String>,
}

/// The progress of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ProcedureStepState"))]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    /// It is still to be done.
    Planned,
    /// It has begun.
    Running,
    /// It is complete.
    Done,
    /// It ended early.
    BrokeOff,
    /// The earlier rounds were steady.
    NotNeeded,
    /// A requirement is missing.
    NotTried,
}

impl RowState {
    /// Whether a resumed procedure keeps it unchanged.
    pub fn is_over(self) -> bool {
        matches!(self, RowState::Done | RowState::NotNeeded | RowState::NotTried)
    }
}

/// The result of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ActionFact {
    /// The volume was filled.
    Filled {
        /// The fill level before, in percent of the usable space.
        before_percent: f64,
        /// The fill level now.
        level_percent: f64,
        /// Bytes of all ballast.
        ballast_bytes: u64,
        /// The usable space of the volume.
        usable_bytes: u64,
    },
    /// Files were made, edited and deleted.
    Aged {
        /// Files made.
        made: u64,
        /// Files written into or added to.
        edited: u64,
        /// Files deleted.
        deleted: u64,
        written_bytes: u64,
        /// Files that are there now.
        files: u64,
        bytes: u64,
        /// Extents of all counted files; `None` if the file system does not report them.
        extents: Option<u64>,
        /// Files that were counted.
        counted_files: u64,
    },
    /// The server was made cold.
    Cooled {
        /// The command that made it cold.
        command: Option<String>,
        /// Or the bytes that were written to evict everything else from its memory.
        pushed_out_bytes: Option<u64>,
    },
}

impl ActionFact {
    pub(super) fn filled(filled: Filled) -> ActionFact {
        let Filled { before_percent, level_percent, ballast_bytes, usable_bytes } = filled;
        ActionFact::Filled { before_percent, level_percent, ballast_bytes, usable_bytes }
    }

    pub(super) fn aged(aged: Aged) -> ActionFact {
        let Aged { made, edited, deleted, written_bytes, files, bytes, extents, counted_files } = aged;
        ActionFact::Aged { made, edited, deleted, written_bytes, files, bytes, extents, counted_files }
    }
}

/// Why the record of a procedure can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcedureFileError {
    /// It can't be written.
    #[error(transparent)]
    Write(#[from] RunDirError),
    /// It can't be read.
    #[error("{}: {why}. Its runs can still be opened one by one", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        why: String,
    },
}

impl KeptTerms {
    /// The terms that later runs need.
    pub fn of(terms: &Terms) -> KeptTerms {
        let keep_free_bytes = match terms.keep_free {
            KeepFree::Usual => None,
            KeepFree::Bytes(bytes) => Some(bytes),
        };
        let is_shared = matches!(terms.sharing, Sharing::Meant);
        KeptTerms { is_shared, keep_free_bytes, max_bytes_per_s: terms.max_bytes_per_s }
    }

    pub(super) fn terms(self) -> Terms {
        Terms {
            sharing: if self.is_shared { Sharing::Meant } else { Sharing::Unsaid },
            keep_free: self.keep_free_bytes.map_or(KeepFree::Usual, KeepFree::Bytes),
            max_bytes_per_s: self.max_bytes_per_s,
        }
    }

    /// The settings as flags of a run's command line.
    pub(super) fn flags(self) -> Vec<String> {
        let shared = self.is_shared.then(|| "--shared-target".to_owned());
        let keep_free = self.keep_free_bytes.map(|bytes| format!("--keep-free={bytes}B"));
        let max_rate = self.max_bytes_per_s.map(|bytes| format!("--max-rate={bytes}B"));
        shared.into_iter().chain(keep_free).chain(max_rate).collect()
    }
}

impl SeriesState for ProcedureRecord {
    const FILE_NAME: &'static str = "procedure.json";
    const VERSION: u32 = PROCEDURE_VERSION;

    fn version(&self) -> u32 {
        self.procedure_version
    }
}

impl ProcedureRecord {
    pub(super) fn begin(request: &ProcedureRequest) -> ProcedureRecord {
        let missing = missing(&request.steps, &request.events.events);
        let row = |(step, missing): (&Step, Option<Missing>)| Row {
            name: step.name.clone(),
            round: step.round,
            action: step.action.clone(),
            state: if missing.is_some() { RowState::NotTried } else { RowState::Planned },
            requires: step.requires.clone(),
            missing,
            run: None,
            fact: None,
            why: None,
        };
        ProcedureRecord {
            procedure_version: PROCEDURE_VERSION,
            written_by: concat!("reelgauge ", env!("CARGO_PKG_VERSION")).to_owned(),
            started_at: Timestamp::now().to_string(),
            name: request.name.clone(),
            about: request.about.clone(),
            paper: request.paper.clone(),
            is_short: request.is_short,
            finding: request.finding,
            target: request.target.clone(),
            fleet: request.fleet.as_ref().map(|fleet| fleet.choice.clone()),
            terms: KeptTerms::of(&request.terms),
            storage: request.storage.clone(),
            tags: request.tags.clone(),
            seed: request.seed,
            deviations: request.deviations.clone(),
            rows: request.steps.iter().zip(missing).map(row).collect(),
            conclusion: None,
            complete: false,
            ended_early: None,
            is_interrupted: false,
            pid: std::process::id(),
            process: process::own_mark(),
        }
    }

    /// Whether this is the directory of a procedure.
    pub fn is_in(dir: &Path) -> bool {
        run_series::is_in::<ProcedureRecord>(dir)
    }

    /// Reads the procedure in this directory.
    ///
    /// # Errors
    /// If there is none, it is damaged, or a newer version wrote it.
    pub fn read(dir: &Path) -> Result<ProcedureRecord, ProcedureFileError> {
        run_series::read(dir)
            .map_err(|why| ProcedureFileError::Read { path: dir.join(ProcedureRecord::FILE_NAME), why })
    }

    pub(super) fn write(&self, dir: &Path) -> Result<(), ProcedureFileError> {
        Ok(run_series::write(self, dir)?)
    }

    pub(super) fn remove(dir: &Path) {
        // If it can't be removed, it shows a procedure without a run.
        let _ = std::fs::remove_file(dir.join(ProcedureRecord::FILE_NAME));
    }

    /// The process that carries it out, and the mark that distinguishes it from others with the same
    /// number.
    pub fn process(&self) -> (u32, &str) {
        (self.pid, &self.process)
    }

    /// Whether it is in progress: its process lives, and it has not ended.
    pub fn goes_on(&self, dir: &Path) -> bool {
        let has_ended = self.complete || self.ended_early.is_some();
        !has_ended && process::is_alive(self.pid, &self.process, &dir.join(ProcedureRecord::FILE_NAME))
    }
}
