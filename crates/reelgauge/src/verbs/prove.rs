//! `reelgauge prove`: a change proven by runs with and without it, its screen again, and undoing the
//! change of an earlier proof.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use reelgauge_analysis::proof::ProofConclusion;
use reelgauge_report::proof::{StateName, disturbance_words, pass_line};
use reelgauge_report::text::{plain, shell_word};
use reelgauge_runner::exit_code::BROKE_OFF;
use reelgauge_runner::fresh_seed;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::prove::change::{Change, PLACE};
use reelgauge_runner::prove::pending_undo::{Noted, left_behind, own_folder};
use reelgauge_runner::prove::proof_file::Proof;
use reelgauge_runner::prove::proof_lock::ProofLock;
use reelgauge_runner::prove::report_data::proof_text;
use reelgauge_runner::prove::shell::InterruptibleWait;
use reelgauge_runner::prove::{ProveEvent, ProveRequest, prove as carry_out};
use serde::Serialize;

use super::estimate::ahead;
use crate::cli::ProveArgs;
use crate::screen;

/// No state was accepted.
const EXIT_NO_GAIN: u8 = 1;
/// Flags of the verb that the proof sets itself.
const OWN_FLAGS: [&str; 3] = ["--out", "--json", "--quiet"];
/// An event happens once, in one run.
const EVENT_FLAG: &str = "--event";
/// Verbs whose operations come from a seed.
const SEEDED: [&str; 4] = ["mix", "streams", "vda", "replay"];

/// Proves a change. Returns the exit status.
pub fn prove(args: &ProveArgs) -> Result<u8> {
    let left = left_behind();
    if args.undo_left {
        return undo_left();
    }
    if let Some(noted) = left.changes.first() {
        bail!(
            "an earlier proof did not undo its change ({}); undo it first: reelgauge prove --undo-left",
            plain(&noted.left.change)
        );
    }
    if let Some(path) = left.unreadable.first() {
        bail!("{}", unreadable(path));
    }
    let request = ProveRequest {
        program: std::env::current_exe().context("cannot find the Reelgauge program file")?,
        words: words(args)?,
        change: change(args)?,
        rounds: args.rounds,
        out: args.out.clone(),
    };
    takes_something(&request)?;
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let names = request.change.state_names();
    let is_quiet = args.quiet || args.json;
    let ended = carry_out(&request, &mut |event| tell(event, &names, is_quiet), &interrupt);
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            let code = error.exit_code();
            screen::complain(&error.into());
            return Ok(code);
        }
    };
    if let Some(error) = ended.not_undone {
        screen::complain(&error.into());
    }
    print(&ended.proof, &ended.dir, args.json)?;
    Ok(if ended.exit_code > 0 { ended.exit_code } else { exit_code(&ended.proof) })
}

/// Prints a proof that ran before. Returns the exit status.
pub fn again(dir: &Path, as_json: bool) -> Result<u8> {
    print(&Proof::read(dir)?, dir, as_json)?;
    Ok(0)
}

/// Reports a change that was left in place, before any verb.
pub fn remind() {
    let left = left_behind();
    let of_change = |noted: &Noted| {
        format!(
            "'prove' made a change at {} and did not undo it ({}). Undo it with: reelgauge prove --undo-left",
            plain(noted.left.made_at.split('.').next().unwrap_or_default()),
            plain(&noted.left.change)
        )
    };
    let unreadable = left.unreadable.iter().map(|path| unreadable(path));
    for text in left.changes.iter().map(of_change).chain(unreadable) {
        // If standard error is closed, the message is lost.
        let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&format!("reelgauge: {text}")));
    }
}

/// The message on a file with an undo command that can't be trusted.
fn unreadable(path: &Path) -> String {
    format!(
        "{} contains the undo command of an earlier 'prove', but is damaged or writable by other users. \
         Check it, undo the change manually, then remove the file",
        shell_word(path)
    )
}

fn undo_left() -> Result<u8> {
    let mut out = std::io::stdout();
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let folder = own_folder()?;
    // No other process undoes it at the same time, and no proof is in progress.
    let _turn = if folder.is_dir() { Some(ProofLock::to_undo(&folder)?) } else { None };
    let left = left_behind();
    if let Some(path) = left.unreadable.first() {
        bail!("{}", unreadable(path));
    }
    if left.changes.is_empty() {
        out.write_all(b"No change was left to undo.\n")?;
    }
    for noted in left.changes {
        let text = format!(
            "Undoing {} in {}: {}",
            plain(&noted.left.change),
            shell_word(&noted.left.directory),
            plain(&noted.left.undo)
        );
        out.write_all(screen::output_fitted(&text).as_bytes())?;
        // The original state is no longer known.
        if let Err(error) = noted.undo(&mut |waiting| tell_waiting(waiting), &interrupt, &|| None) {
            screen::complain(&error.into());
            return Ok(BROKE_OFF);
        }
        out.write_all(b"Undone.\n")?;
    }
    Ok(0)
}

fn change(args: &ProveArgs) -> Result<Change> {
    let undo = args.undo.clone();
    Ok(match (&args.change, &args.sweep) {
        (Some(change), _) => Change::command(change, &undo.unwrap_or_default())?,
        (None, Some(sweep)) => Change::sweep(sweep, args.set.clone().unwrap_or_default(), undo)?,
        (None, None) if !args.targets.is_empty() => Change::targets(args.targets.clone())?,
        (None, None) => {
            bail!("name the variants: --change and --undo, --sweep and --set, or --targets (see --help)")
        }
    })
}

/// The verb and its flags. If the verb has a seed and none was given, a seed is added, so that all
/// passes do the same.
fn words(args: &ProveArgs) -> Result<Vec<OsString>> {
    let mut words = args.workload.clone();
    let is_flag = |word: &OsString, flag: &str| {
        word.to_str().is_some_and(|word| word == flag || word.starts_with(&format!("{flag}=")))
    };
    if let Some(flag) = OWN_FLAGS.iter().find(|flag| words.iter().any(|word| is_flag(word, flag))) {
        bail!("{flag} is a flag of prove; put it before the '--'");
    }
    if words.iter().any(|word| is_flag(word, EVENT_FLAG)) {
        bail!("{EVENT_FLAG} does not work in a proof; use --change for a command");
    }
    let has_place = words.iter().any(|word| word.to_str().is_some_and(|word| word.contains(PLACE)));
    ensure!(
        has_place != args.targets.is_empty(),
        "use {PLACE} in the verb's arguments and --targets together, or neither"
    );
    let is_seeded =
        SEEDED.iter().any(|verb| words.first().map(OsString::as_os_str) == Some(OsStr::new(verb)));
    if is_seeded && !words.iter().any(|word| is_flag(word, "--seed")) {
        words.push(format!("--seed={}", fresh_seed()).into());
    }
    Ok(words)
}

/// An impossible measurement is refused before anything is changed.
fn takes_something(request: &ProveRequest) -> Result<()> {
    if let Change::Targets { targets } = &request.change
        && let Some(missing) = targets.iter().find(|target| !target.is_dir())
    {
        bail!("{} is not a directory; --targets must be existing directories", shell_word(missing));
    }
    for state in 0..request.change.state_count() {
        ahead(&request.words_in(state)).map_err(|refusal| {
            let field = refusal.field.map_or_else(String::new, |field| format!("{field}: "));
            anyhow!("{field}{} (in the arguments after '--')", refusal.why)
        })?;
    }
    Ok(())
}

fn tell(event: &ProveEvent<'_>, names: &[StateName], is_quiet: bool) {
    let line = match event {
        // The user must know what is waited for, even if nothing else is shown.
        ProveEvent::Waiting(waiting) => waiting_words(waiting),
        _ if is_quiet => return,
        ProveEvent::FirstRun => "First run, not counted; it creates missing test files".to_owned(),
        ProveEvent::Pass { number, of, state, last_took_s } => {
            pass_line(*number, *of, &names[*state].to_string(), *last_took_s)
        }
        ProveEvent::Disturbed { disturbance, is_again } => {
            let again = if *is_again { "; it is measured again" } else { "" };
            format!("  does not count{again}: {}", disturbance_words(disturbance))
        }
        ProveEvent::Measured(_) => return,
    };
    // If standard error is closed, the message is lost.
    let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&line));
}

fn tell_waiting(waiting: &InterruptibleWait<'_>) {
    // If standard error is closed, the message is lost.
    let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&waiting_words(waiting)));
}

/// `Waiting for './set 4' (process 77)`, and the remedy.
pub(super) fn waiting_words(waiting: &InterruptibleWait<'_>) -> String {
    let what = format!("Waiting for '{}' (process {})", plain(waiting.command), waiting.pid);
    match waiting.is_interrupted {
        true => format!(
            "{what} to finish. A second Ctrl-C ends Reelgauge at once; then undo the change with: reelgauge \
             prove --undo-left"
        ),
        false => what,
    }
}

fn exit_code(proof: &Proof) -> u8 {
    if proof.conclusion.as_ref().is_some_and(is_gain) { 0 } else { EXIT_NO_GAIN }
}

/// Whether a state was better for the storage: reads from a cache prove nothing about it.
fn is_gain(conclusion: &ProofConclusion) -> bool {
    let is_cached = conclusion.cached.as_ref().is_some_and(|cached| cached.answered_passes() > 0);
    conclusion.best_state.is_some() && !is_cached
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::proof::cached::CachedReads;

    use super::*;

    #[test]
    fn reads_answered_by_a_cache_are_no_gain_of_the_storage() {
        let of = |best_state, answered: usize| {
            let cached = CachedReads { answered: vec![answered, 0], of: vec![3, 3], worst: None };
            let cached = Some(cached);
            let conclusion = ProofConclusion { best_state, cached, ..ProofConclusion::default() };
            is_gain(&conclusion)
        };
        assert!(of(Some(1), 0) && !of(Some(1), 1) && !of(None, 0));
    }
}

/// The output of `--json`.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    proof: &'a Proof,
    dir: &'a Path,
}

fn print(proof: &Proof, dir: &Path, as_json: bool) -> Result<()> {
    let text = match as_json {
        true => format!("{}\n", serde_json::to_string_pretty(&Printed { proof, dir })?),
        false => proof_text(proof, dir, screen::style()),
    };
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}
