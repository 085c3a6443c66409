//! A proof in the form of the report.

use std::ffi::OsStr;
use std::path::Path;

use reelgauge_report::Style;
use reelgauge_report::proof::{ProofScreen, proof_screen};
use reelgauge_report::text::{shell_argument, shell_word};

use super::change::Change;
use super::proof_file::Proof;

/// The screen of the proof in this directory, ending with a line feed.
pub fn proof_text(proof: &Proof, dir: &Path, style: Style) -> String {
    let disturbed: Vec<_> =
        proof.passes.iter().filter_map(|pass| Some((pass.state, pass.disturbance.as_ref()?))).collect();
    let best = proof.conclusion.as_ref().and_then(|conclusion| conclusion.best_state);
    let keep = best.and_then(|best| proof.change.command_to(best));
    let workload: Vec<String> = proof.workload.iter().map(|word| shell_argument(OsStr::new(word))).collect();
    let shown = ProofScreen {
        states: &proof.change.state_names(),
        tried: &tried(&proof.change),
        verb: proof.workload.first().map_or("", String::as_str),
        workload: &workload.join(" "),
        rounds: proof.rounds,
        disturbed: &disturbed,
        counted: proof.passes.len() - proof.disturbed(),
        is_interrupted: proof.is_interrupted,
        ended_early: proof.ended_early.as_deref(),
        not_undone: proof.not_undone.as_deref(),
        goes_on: proof.goes_on(dir),
        conclusion: proof.conclusion.as_ref(),
        keep: keep.as_deref(),
        dir: &shell_word(dir),
    };
    proof_screen(&shown, style)
}

fn tried(change: &Change) -> Vec<(&'static str, String)> {
    match change {
        Change::Command { change, undo } => vec![("Change", change.clone()), ("Undo", undo.clone())],
        Change::Sweep { set, .. } => {
            vec![("Set by", set.clone()), ("Undo", change.undo().unwrap_or_default())]
        }
        Change::Targets { .. } => Vec::new(),
    }
}
