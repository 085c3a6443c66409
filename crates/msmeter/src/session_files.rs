//! The files of a session: all records with worker and time, and each test in the format of the
//! original.
//!
//! ```text
//! reelgauge-runs/2026-11-26T031500Z-night-msmeter/
//!   run.toml            the settings, in a table [msmeter]
//!   summary.json        the figures; rewritten after each test
//!   script.txt          the script, unchanged
//!   records.csv         all records: time of arrival, worker, and figures with units
//!   text/01-night.csv   a test in the format of the original, for old spreadsheets
//! ```
//!
//! Not here: the meaning of records ([`reelgauge_analysis::msmeter`]).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use reelgauge_analysis::facts::MeterFacts;
use reelgauge_analysis::msmeter::{MeterFigures, MeterRecord};
use reelgauge_analysis::summary::{Outcome, Target};
use reelgauge_analysis::{Summary, statement};
use reelgauge_record::run_dir::{RunDir, RunDirError};
use serde::Serialize;

use crate::original_format;

/// The folder of the texts.
const TEXTS: &str = "text";
/// The columns of `records.csv`.
const COLUMNS: &str = "arrived_s,test,worker,file,access,length_kib,block_kib,\
                       rate_while_transferring_mib_per_s,msmeter_latency_ms\n";

pub const RECORDS_FILE: &str = "records.csv";
/// The name of the script's copy.
pub const SCRIPT_FILE: &str = "script.txt";
/// The subcommand of a session.
pub const MSMETER: &str = "msmeter";
/// The note for a test that did not end normally.
const UNFINISHED: &str =
    "the session still runs, was killed, or ran out of space; the figures end with its last complete test";

/// The files of a session in progress.
#[derive(Debug)]
pub struct SessionFiles {
    run_dir: RunDir,
    summary: Summary,
    records: BufWriter<File>,
    text: Option<BufWriter<File>>,
}

impl SessionFiles {
    /// Creates the files in the session's directory.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn begin(
        run_dir: RunDir,
        facts: &MeterFacts,
        started_at: &str,
        script: &str,
    ) -> io::Result<SessionFiles> {
        let dir = run_dir.path();
        let plan = plan(facts).map_err(io::Error::other)?;
        run_dir.write_plan(&plan).map_err(io::Error::other)?;
        std::fs::write(dir.join(SCRIPT_FILE), script)?;
        std::fs::create_dir(dir.join(TEXTS))?;
        let mut records = BufWriter::new(File::create_new(dir.join(RECORDS_FILE))?);
        records.write_all(COLUMNS.as_bytes())?;
        let target = Target { path: facts.roots.join(", "), ..Target::default() };
        let mut summary = Summary::new(env!("CARGO_PKG_VERSION"), started_at, MSMETER, target);
        summary.run_dir = Some(dir.display().to_string());
        summary.label.clone_from(&facts.script);
        // This program executes no operations itself, so none is missing from its log.
        summary.log.complete = true;
        let kept = SessionFiles { run_dir, summary, records, text: None };
        kept.tell(facts, Outcome::BrokeOff, Some(UNFINISHED)).map_err(io::Error::other)?;
        Ok(kept)
    }

    pub fn dir(&self) -> &Path {
        self.run_dir.path()
    }

    /// Writes the figures so far, as those of an unfinished session.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn tell_unfinished(&self, facts: &MeterFacts) -> io::Result<()> {
        self.tell(facts, Outcome::BrokeOff, Some(UNFINISHED)).map(drop).map_err(io::Error::other)
    }

    /// Writes the figures, and returns them.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn tell(
        &self,
        facts: &MeterFacts,
        outcome: Outcome,
        why: Option<&str>,
    ) -> Result<Summary, RunDirError> {
        let mut summary = self.summary.clone();
        (summary.outcome, summary.outcome_reason) = (outcome, why.map(str::to_owned));
        summary.msmeter = Some(facts.clone());
        summary.statement = Some(statement::of(&summary));
        self.run_dir.write_summary(&summary)?;
        Ok(summary)
    }

    /// Starts the text of a test. Returns its path in the session's directory.
    ///
    /// # Errors
    /// If the file can't be created.
    pub fn begin_text(&mut self, number: usize, name: &str) -> io::Result<String> {
        let path = format!("{TEXTS}/{number:02}-{name}");
        self.text = Some(BufWriter::new(File::create_new(self.dir().join(&path))?));
        Ok(path)
    }

    /// Stores a record, with its test.
    ///
    /// # Errors
    /// If the files can't be written.
    pub fn record(
        &mut self,
        arrived_s: f64,
        test: Option<usize>,
        worker: usize,
        record: &MeterRecord,
        as_sent: &str,
    ) -> io::Result<()> {
        let test = test.map(|test| test.to_string()).unwrap_or_default();
        let MeterRecord { file, access, length_kib, block_kib, rate_mib_per_s, latency_ms } = record;
        let access = access.name();
        writeln!(
            self.records,
            "{arrived_s:.6},{test},{worker},{file},{access},{length_kib},{block_kib},{rate_mib_per_s},{latency_ms}"
        )?;
        match &mut self.text {
            Some(text) => text.write_all(original_format::record_line(worker, as_sent).as_bytes()),
            None => Ok(()),
        }
    }

    /// Writes a line of an EBU worker after its previous record, as the original does.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn extra(&mut self, line: &str) -> io::Result<()> {
        match &mut self.text {
            Some(text) => writeln!(text, "{line}"),
            None => Ok(()),
        }
    }

    /// Completes the text of a test with its tables.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn end_text(&mut self, figures: &MeterFigures) -> io::Result<()> {
        if let Some(mut text) = self.text.take() {
            text.write_all(original_format::summary(figures).as_bytes())?;
            text.flush()?;
        }
        self.flush()
    }

    /// Writes all buffered data, so that a killed session keeps it.
    ///
    /// # Errors
    /// If the files can't be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.text.as_mut().map_or(Ok(()), Write::flush)?;
        self.records.flush()
    }
}

/// Whether this is the directory of a session.
pub fn is_session(run_dir: &RunDir) -> bool {
    let text = std::fs::read_to_string(run_dir.plan_path()).unwrap_or_default();
    text.parse::<toml::Table>().is_ok_and(|plan| plan.contains_key(MSMETER))
}

/// The settings in `run.toml`. No command repeats such a run, because the workers are separate programs.
#[derive(Serialize)]
struct MeterPlan<'a> {
    msmeter: Asked<'a>,
}

#[derive(Serialize)]
struct Asked<'a> {
    script: &'a str,
    roots: &'a [String],
    workers: usize,
}

fn plan(facts: &MeterFacts) -> Result<String, toml::ser::Error> {
    let asked = Asked { script: &facts.script, roots: &facts.roots, workers: facts.workers.len() };
    toml::to_string(&MeterPlan { msmeter: asked })
}
