//! `reelgauge prove`: a change proven by runs with and without it, its screen again, and what an earlier one
//! left changed.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use reelgauge_report::proof::{ProofScreen, disturbance_words, pass_line, proof_screen};
use reelgauge_report::text::{plain, shell_word};
use reelgauge_runner::fresh_seed;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::prove::change::{Change, PLACE};
use reelgauge_runner::prove::left_change::{Noted, left_behind};
use reelgauge_runner::prove::proof_file::Proof;
use reelgauge_runner::prove::{ProveEvent, ProveRequest, prove as carry_out};
use serde::Serialize;

use super::ahead::ahead;
use crate::cli::ProveArgs;
use crate::screen;

/// No state was accepted.
const EXIT_NO_GAIN: u8 = 1;
/// Flags of the verb that the proof sets itself.
const OWN_FLAGS: [&str; 3] = ["--out", "--json", "--quiet"];
/// Verbs whose operations come from a seed.
const SEEDED: [&str; 4] = ["mix", "streams", "vda", "replay"];

/// Proves a change. The exit code.
pub fn prove(args: &ProveArgs) -> Result<u8> {
    let left = left_behind();
    if args.undo_left {
        return undo_left(left);
    }
    if let Some(noted) = left.first() {
        bail!(
            "an earlier proof left its change in place ({}); undo that first: reelgauge prove --undo-left",
            plain(&noted.left.change)
        );
    }
    let request = ProveRequest {
        program: std::env::current_exe().context("this program's own file can't be found")?,
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
    print(&ended.proof, &ended.dir, args.json)?;
    Ok(if ended.exit_code > 0 { ended.exit_code } else { exit_code(&ended.proof) })
}

/// Prints a proof that ran before. The exit code.
pub fn again(dir: &Path, as_json: bool) -> Result<u8> {
    print(&Proof::read(dir)?, dir, as_json)?;
    Ok(0)
}

/// Tells of a change that was left in place, beside whatever is started.
pub fn remind() {
    for noted in left_behind() {
        let text = format!(
            "reelgauge: a change that 'prove' made {} was not undone ({}); undo it: reelgauge prove --undo-left",
            plain(&noted.left.made_at),
            plain(&noted.left.change)
        );
        // Nobody is left to tell when standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&text));
    }
}

fn undo_left(left: Vec<Noted>) -> Result<u8> {
    let mut out = std::io::stdout();
    if left.is_empty() {
        out.write_all(b"No change was left in place.\n")?;
    }
    for noted in left {
        let text = format!("Undoing {}: {}", plain(&noted.left.change), plain(&noted.left.undo));
        out.write_all(screen::output_fitted(&text).as_bytes())?;
        noted.undo()?;
        out.write_all(b"Undone.\n")?;
    }
    Ok(0)
}

fn change(args: &ProveArgs) -> Result<Change> {
    let undo = args.undo.clone();
    Ok(match (&args.change, &args.sweep) {
        (Some(change), _) => Change::Command { change: change.clone(), undo: undo.unwrap_or_default() },
        (None, Some(sweep)) => Change::sweep(sweep, args.set.clone().unwrap_or_default(), undo)?,
        (None, None) if !args.targets.is_empty() => Change::targets(args.targets.clone())?,
        (None, None) => {
            bail!("say what is proven: --change and --undo, --sweep and --set, or --targets (see --help)")
        }
    })
}

/// The verb and its flags, with a seed where it has one and none was given: every pass does the same.
fn words(args: &ProveArgs) -> Result<Vec<OsString>> {
    let mut words = args.workload.clone();
    let is_flag = |word: &OsString, flag: &str| {
        word.to_str().is_some_and(|word| word == flag || word.starts_with(&format!("{flag}=")))
    };
    if let Some(flag) = OWN_FLAGS.iter().find(|flag| words.iter().any(|word| is_flag(word, flag))) {
        bail!("{flag} belongs in front of the '--': it is the proof's, and not the verb's");
    }
    let has_place = words.iter().any(|word| word.to_str().is_some_and(|word| word.contains(PLACE)));
    ensure!(
        has_place != args.targets.is_empty(),
        "{PLACE} in the verb's flags stands for each of --targets: give both or none"
    );
    let is_seeded =
        SEEDED.iter().any(|verb| words.first().map(OsString::as_os_str) == Some(OsStr::new(verb)));
    if is_seeded && !words.iter().any(|word| is_flag(word, "--seed")) {
        words.push(format!("--seed={}", fresh_seed()).into());
    }
    Ok(words)
}

/// What can't be measured is refused before anything is changed.
fn takes_something(request: &ProveRequest) -> Result<()> {
    for state in 0..request.change.state_count() {
        ahead(&request.words_in(state)).map_err(|why| anyhow!("{why} (in what stands behind the '--')"))?;
    }
    Ok(())
}

fn tell(event: &ProveEvent<'_>, names: &[String], is_quiet: bool) {
    let line = match event {
        _ if is_quiet => return,
        ProveEvent::FirstRun => "Making the test files, and a first run that does not count".to_owned(),
        ProveEvent::Pass { number, of, state, last_took_s } => {
            pass_line(*number, *of, &names[*state], *last_took_s)
        }
        ProveEvent::Disturbed(disturbance) => {
            format!("  does not count, and is measured again: {}", disturbance_words(disturbance))
        }
        ProveEvent::Measured(_) => return,
    };
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&line));
}

fn exit_code(proof: &Proof) -> u8 {
    let is_gain = proof.conclusion.as_ref().is_some_and(|conclusion| conclusion.best_state.is_some());
    if is_gain { 0 } else { EXIT_NO_GAIN }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    proof: &'a Proof,
    dir: &'a Path,
}

fn print(proof: &Proof, dir: &Path, as_json: bool) -> Result<()> {
    let text = match as_json {
        true => format!("{}\n", serde_json::to_string_pretty(&Printed { proof, dir })?),
        false => shown(proof, dir),
    };
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

fn shown(proof: &Proof, dir: &Path) -> String {
    let tried = tried(&proof.change);
    let disturbed: Vec<_> =
        proof.passes.iter().filter_map(|pass| Some((pass.state, pass.disturbance.as_ref()?))).collect();
    let best = proof.conclusion.as_ref().and_then(|conclusion| conclusion.best_state);
    let keep = best.and_then(|best| proof.change.command_to(best));
    let workload: Vec<String> = proof.workload.iter().map(|word| shell_word(Path::new(word))).collect();
    let shown = ProofScreen {
        states: &proof.change.state_names(),
        tried: &tried,
        workload: &workload.join(" "),
        rounds: proof.rounds,
        disturbed: &disturbed,
        ended_early: proof.ended_early.as_deref(),
        conclusion: proof.conclusion.as_ref(),
        keep: keep.as_deref(),
        dir: &shell_word(dir),
    };
    proof_screen(&shown, screen::style())
}

fn tried(change: &Change) -> Vec<(&'static str, String)> {
    match change {
        Change::Command { change, undo } => vec![("Change", change.clone()), ("Undone by", undo.clone())],
        Change::Sweep { set, undo, .. } => {
            let undo = undo.clone().or_else(|| change.undo()).unwrap_or_default();
            vec![("Set by", set.clone()), ("Undone by", undo)]
        }
        Change::Targets { .. } => Vec::new(),
    }
}
