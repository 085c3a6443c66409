//! Directories of this program that hold no operations themselves: their kind, and where to look
//! instead.

use std::path::Path;

use anyhow::{Result, ensure};
use reelgauge_console::entry::{PROCEDURE, PROOF, SUITE};
use reelgauge_msmeter::session_files::{RECORDS_FILE, SCRIPT_FILE, is_session};
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::text::shell_word;
use reelgauge_results::watch_summary::watch_plan;
use reelgauge_runner::procedure::procedure_file::ProcedureRecord;
use reelgauge_runner::prove::proof_file::Proof;
use reelgauge_runner::suite::Suite;

use super::latest_run::newest_and_below;
use crate::cli::ReportArgs;

/// The kind of a directory that holds something other than operations.
pub fn without_operations(dir: &Path) -> Option<String> {
    let said = shell_word(dir);
    if !dir.is_dir() || dir.join("ops").exists() {
        return None;
    }
    if let Some((kind, part)) = of_many(dir) {
        return Some(format!(
            "{said} is a {kind}; name the run of one {part}. List them: reelgauge report {said}"
        ));
    }
    if let Ok(run_dir) = RunDir::open(dir) {
        if is_session(&run_dir) {
            return Some(format!(
                "{said} is an msMeter session, without an operation log; all records are in {}",
                shell_word(&dir.join(RECORDS_FILE))
            ));
        }
        let is_watch = watch_plan(&run_dir).is_some();
        return is_watch.then(|| {
            format!(
                "{said} is a watch: it has counters but no operations. Show it with: reelgauge report {said}"
            )
        });
    }
    let holds_runs = newest_and_below(dir, 1).is_ok_and(|(runs, _)| !runs.is_empty());
    holds_runs.then(|| format!("{said} is a folder of runs, not a run. List them: reelgauge list {said}"))
}

/// The kind of a directory of many runs, and the kind of each of them.
pub fn of_many(dir: &Path) -> Option<(&'static str, &'static str)> {
    let is_in = [
        (Suite::is_in(dir), (SUITE, "workload")),
        (ProcedureRecord::is_in(dir), (PROCEDURE, "step")),
        (Proof::is_in(dir), ("proof", "pass")),
    ];
    is_in.into_iter().find_map(|(is_it, kind)| is_it.then_some(kind))
}

/// The command to use instead, for a directory or for a plan in it that no host can carry out alone.
pub fn without_a_plan(plan: &Path) -> Option<String> {
    let (said, is_dir) = (shell_word(plan), plan.is_dir());
    let dir = if is_dir { plan } else { plan.parent()? };
    let run_dir = RunDir::open(dir).ok()?;
    if is_session(&run_dir) {
        return Some(format!(
            "{said} is an msMeter session; repeat it with its workers: reelgauge fleet msmeter {} --root DIR",
            shell_word(&dir.join(SCRIPT_FILE))
        ));
    }
    if ProcedureRecord::is_in(dir) {
        return Some(format!(
            "{said} is a procedure; continue it: reelgauge procedure --resume {}",
            shell_word(dir)
        ));
    }
    let is_of_many = [(Suite::is_in(dir), SUITE), (Proof::is_in(dir), PROOF)];
    if let Some((_, verb)) = is_of_many.iter().find(|(is_it, _)| *is_it) {
        let what = if *verb == PROOF { "proof (repeat it with: reelgauge prove)" } else { "suite" };
        return Some(format!(
            "{said} belongs to a {what}. Repeat one of its runs: reelgauge run {}/RUN/run.toml",
            shell_word(dir)
        ));
    }
    is_dir.then(|| {
        format!(
            "{said} is a run; repeat it with its plan: reelgauge run {}",
            shell_word(&run_dir.plan_path())
        )
    })
}

/// Refuses flags that have no effect on a series of runs, such as a suite of workloads.
pub(super) fn has_table_and_page_alone(args: &ReportArgs, dir: &Path, kind: &str, part: &str) -> Result<()> {
    let of_runs = args.tables || args.workers || !args.observer.is_empty();
    let of_traces = args.as_trace || args.period.is_given() || args.top.is_some();
    ensure!(
        !of_runs && !of_traces,
        "{dir} is a {kind}; only the flags --json, --csv and --html have an effect. For one {part}, name \
         its run: reelgauge report {dir}/RUN",
        dir = shell_word(dir)
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_directory_without_operations_is_described() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, plan: &str| {
            let dir = folder.path().join(name);
            std::fs::create_dir_all(&dir).unwrap();
            RunDir::begin_at(&dir).unwrap().write_plan(plan).unwrap();
            dir
        };
        let run = make("run", "");
        std::fs::create_dir(run.join("ops")).unwrap();
        assert_eq!(without_operations(&run), None);
        assert!(without_a_plan(&run).unwrap().ends_with("/run/run.toml"));
        assert_eq!(without_a_plan(&run.join("run.toml")), None);
        let session = make("session", "[msmeter]\nscript = \"night\"\n");
        let said = without_operations(&session).unwrap();
        assert!(said.ends_with("records.csv"), "{said}");
        let said = without_a_plan(&session.join("run.toml")).unwrap();
        assert!(said.contains("fleet msmeter") && said.contains("script.txt"), "{said}");
        let suite = make("suite", "");
        std::fs::write(suite.join("suite.json"), "{}").unwrap();
        assert!(without_operations(&suite).unwrap().contains("one workload"));
        let said = without_a_plan(&suite.join("run.toml")).unwrap();
        assert!(said.ends_with("/suite/RUN/run.toml"), "{said}");
        assert!(without_operations(folder.path()).unwrap().contains("reelgauge list"));
        let empty = folder.path().join("empty");
        std::fs::create_dir(&empty).unwrap();
        assert_eq!((without_operations(&empty), without_a_plan(&empty)), (None, None));
    }
}
