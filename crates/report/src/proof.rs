//! The screen of a proof: whether the change helped, all figures that show it with their spread, and the
//! change itself.

use std::fmt;

use reelgauge_analysis::Warning;
use reelgauge_analysis::compare::{Better, Judgement, VERDICT, is_of_streams};
use reelgauge_analysis::proof::disturbance::Disturbance;
use reelgauge_analysis::proof::{OverRuns, ProofConclusion, ProofFigure, ProofOutcome};

use crate::compare::say;
use crate::page::{PageWarning, ScreenText};
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::table::Table;
use crate::text::{path_short, plain};
use crate::units::{counted, fixed, mb_per_s, moment};
use crate::warning::warning_sentence;

/// The width of a state's name in the table, next to six columns of figures.
const NAME_CHARS: usize = 28;
/// A short screen has this many figures if none decides the outcome.
const FIGURES_SHOWN: usize = 2;

/// The name of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateName {
    /// Before a command changed something.
    AsItWas,
    /// With the change made by a command.
    WithChange,
    /// A setting with its value, or a path.
    Named(String),
}

impl fmt::Display for StateName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            StateName::AsItWas => "without the change",
            StateName::WithChange => "with the change",
            StateName::Named(name) => name,
        })
    }
}

impl StateName {
    fn words(&self) -> String {
        plain(&self.to_string())
    }

    /// The name at the beginning of a sentence. A setting or a path is not capitalised.
    fn subject(&self) -> String {
        match self {
            StateName::WithChange => "With the change it".to_owned(),
            StateName::AsItWas | StateName::Named(_) => self.words(),
        }
    }
}

/// The content of a proof's screen.
#[derive(Clone, Copy, Debug)]
pub struct ProofScreen<'a> {
    /// The name of each state. The first is the baseline for the others.
    pub states: &'a [StateName],
    /// Names and texts of the change and its undo.
    pub tried: &'a [(&'a str, String)],
    pub verb: &'a str,
    /// The verb and its flags.
    pub workload: &'a str,
    /// Passes of each state.
    pub rounds: u32,
    /// Disturbances, each with its state.
    pub disturbed: &'a [(usize, &'a Disturbance)],
    /// Passes that ran and count.
    pub counted: usize,
    /// Whether the user interrupted it.
    pub is_interrupted: bool,
    /// Why it ended early.
    pub ended_early: Option<&'a str>,
    /// Why the change is still in place.
    pub not_undone: Option<&'a str>,
    /// Whether it is still running.
    pub goes_on: bool,
    /// The conclusion from all passes; `None` if it ended early.
    pub conclusion: Option<&'a ProofConclusion>,
    /// How to make the best state permanent, if one was accepted and a command makes it.
    pub keep: Option<&'a str>,
    pub dir: &'a str,
}

/// The screen as text, ending with a line feed.
pub fn proof_screen(proof: &ProofScreen<'_>, style: Style) -> String {
    let mut page = ScreenText::new(style);
    page.result(&results(proof));
    page.labelled("Confidence", Tone::Plain, &confidence(proof));
    if let Some(conclusion) = proof.conclusion {
        let decisive = decisive(conclusion);
        let is_shown = |figure: &usize| !page.is_short || decisive.contains(figure);
        let shown: Vec<usize> = (0..conclusion.figures.len()).filter(is_shown).collect();
        page.gap();
        page.table(table(conclusion, proof.states, &shown));
        page.detail(|page| not_judged(conclusion, page));
    }
    page.gap();
    let cached = proof.conclusion.and_then(|conclusion| may_be_cached(conclusion, proof));
    let warning = |whole: String| PageWarning { short: None, whole };
    page.warnings(&cached.into_iter().chain(disturbed(proof)).map(warning).collect::<Vec<_>>());
    page.detail(|page| {
        proof.tried.iter().for_each(|(name, text)| page.item(name, &plain(text)));
        page.item("Measured", &measured(proof));
    });
    if page.is_short {
        page.omitted(["add --details"; 2]);
    }
    page.item("Files", &plain(proof.dir));
    page.item("Next", &next(proof));
    page.text
}

fn not_judged(conclusion: &ProofConclusion, page: &mut ScreenText) {
    let Some(ops) = conclusion.too_few_ops else { return };
    let text = format!(
        "Not judged: p99, because a pass had only {} of one kind (reads or writes). Use longer passes \
         (--duration).",
        counted(ops, "operation")
    );
    page.sentence(Tone::Plain, &text);
}

/// The proven result, or why nothing was proven.
fn results(proof: &ProofScreen<'_>) -> Vec<(Tone, String)> {
    let is_over = proof.conclusion.is_some() || proof.ended_early.is_some();
    let mut results = Vec::new();
    if let Some(why) = proof.ended_early {
        results.push((Tone::Bad, format!("Nothing is proven: {}.", plain(why).trim_end_matches('.'))));
    } else if proof.goes_on {
        results.push((Tone::Answer, "The proof is still running; there is no result yet.".to_owned()));
    } else if !is_over {
        let change = match proof.tried.is_empty() {
            true => "",
            false => {
                " When the same user starts Reelgauge again, it reports whether the change is still in \
                 place."
            }
        };
        results.push((Tone::Bad, format!("Nothing is proven: reelgauge prove was killed.{change}")));
    }
    if let Some(why) = proof.not_undone {
        let why = plain(why);
        results.push((Tone::Bad, format!("The change is still in place: {}.", why.trim_end_matches('.'))));
    }
    if let Some(conclusion) = proof.conclusion {
        results.extend(cached(conclusion, proof).map(|sentence| (Tone::Bad, sentence)));
        results.extend(answers(conclusion, proof.states));
    }
    results
}

/// The number of passes behind the result, and whether a cache answered them.
fn confidence(proof: &ProofScreen<'_>) -> String {
    let Some(conclusion) = proof.conclusion else { return String::new() };
    let is_cached = conclusion.cached.as_ref().is_some_and(|cached| cached.answered_passes() > 0);
    let passes = format!("{} passes of each state, alternating.", proof.rounds);
    match conclusion.limited_to_bytes_per_s {
        _ if is_cached => format!("low: a cache answered reads; {passes}"),
        Some(limit) => format!("low: --max-rate ({} MB/s) set the figures; {passes}", mb_per_s(limit as f64)),
        None => passes,
    }
}

/// The indices of the figures that decide the outcome; of the first ones if none does.
fn decisive(conclusion: &ProofConclusion) -> Vec<usize> {
    let figures = conclusion.outcomes.iter().flat_map(|outcome| match *outcome {
        ProofOutcome::Gain(figure) | ProofOutcome::Loss(figure) => vec![figure],
        ProofOutcome::Traded(gained, lost) => vec![gained, lost],
        ProofOutcome::NoChange | ProofOutcome::Unknown => Vec::new(),
    });
    let decisive: Vec<usize> = figures.collect();
    if decisive.is_empty() { (0..FIGURES_SHOWN).collect() } else { decisive }
}

/// The result in one line, for lists.
pub fn proof_sentence(conclusion: &ProofConclusion, states: &[StateName]) -> String {
    let answer = answers(conclusion, states).swap_remove(0).1;
    match conclusion.cached.as_ref().is_some_and(|cached| cached.answered_passes() > 0) {
        true => format!("{NOT_OF_THE_STORAGE}. {answer}"),
        false => answer,
    }
}

/// The sentence for a proof whose passes read from a cache.
const NOT_OF_THE_STORAGE: &str = "This proves nothing about the storage: reads came from a cache";

/// Reports that a cache answered: the number of passes, their state, and the remedy.
fn cached(conclusion: &ProofConclusion, proof: &ProofScreen<'_>) -> Option<String> {
    let cached = conclusion.cached.as_ref().filter(|cached| cached.answered_passes() > 0)?;
    let states = proof.states.iter().zip(cached.answered.iter().zip(&cached.of));
    let of_state = |(name, (answered, of)): (&StateName, (&usize, &usize))| {
        format!("{answered} of {of} ({})", name.words())
    };
    let passes = match cached.answered_passes() == cached.passes() {
        true => "all passes".to_owned(),
        false => format!("these passes: {}", states.map(of_state).collect::<Vec<_>>().join(", ")),
    };
    let memory = cached.worst.as_ref()?;
    // A target in memory has its own warning, which is not about caches.
    let why = match Warning::if_cached(memory, proof.verb) {
        Some(warning) => format!("Worst pass: {}", warning_sentence(&warning)),
        None => "The target is memory: choose a path on the storage that you want to measure.".to_owned(),
    };
    Some(format!("{NOT_OF_THE_STORAGE} in {passes}. {why}"))
}

/// The warning of its runs that a cache may have answered, once for all of them.
fn may_be_cached(conclusion: &ProofConclusion, proof: &ProofScreen<'_>) -> Option<String> {
    let cached = conclusion.cached.as_ref().filter(|cached| cached.answered_passes() == 0)?;
    let warning = Warning::if_cached(cached.worst.as_ref()?, proof.verb)?;
    Some(warning_sentence(&warning))
}

fn measured(proof: &ProofScreen<'_>) -> String {
    let workload = format!("reelgauge {}", plain(proof.workload));
    let wanted = proof.rounds as usize * proof.states.len();
    match proof.conclusion {
        Some(_) => format!(
            "{} passes of each, alternating, with the same test files and seed, after one warm-up run that \
             is not counted: {workload}",
            proof.rounds
        ),
        None => {
            let others = match proof.disturbed.len() {
                0 => String::new(),
                others => format!(" ({} did not)", counted(others as u64, "other")),
            };
            format!("{} of {wanted} passes counted{others}: {workload}", proof.counted)
        }
    }
}

/// Disturbances during passes that do not count, each once with its number of occurrences.
fn disturbed(proof: &ProofScreen<'_>) -> Vec<String> {
    let mut all: Vec<(usize, Vec<&Disturbance>)> = Vec::new();
    for (state, disturbance) in proof.disturbed {
        let is_like = |(other, like): &&mut (usize, Vec<&Disturbance>)| {
            let is_of_others = |one: &Disturbance| matches!(one, Disturbance::OtherPrograms { .. });
            *other == *state
                && (like[0] == *disturbance || is_of_others(like[0]) && is_of_others(disturbance))
        };
        match all.iter_mut().find(is_like) {
            Some((_, like)) => like.push(disturbance),
            None => all.push((*state, vec![disturbance])),
        }
    }
    let became = if proof.conclusion.is_some() { "measured again" } else { "not counted" };
    all.iter()
        .map(|(state, like)| {
            let (name, words) = (proof.states[*state].words(), all_alike(like));
            match like.len() {
                1 => format!("1 pass ({name}) was {became}, because {words}."),
                many => format!("{many} passes ({name}) were {became}, because {words}."),
            }
        })
        .collect()
}

/// Similar disturbances during several passes, as one sentence.
fn all_alike(like: &[&Disturbance]) -> String {
    let taken = like.iter().filter_map(|one| match one {
        Disturbance::OtherPrograms { processors_percent } => Some(*processors_percent),
        _ => None,
    });
    let (least, most) = taken.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), percent| {
        (least.min(percent), most.max(percent))
    });
    let (least, most) = (fixed(least, 0), fixed(most, 0));
    match like {
        [Disturbance::OtherPrograms { .. }, _, ..] if least != most => {
            format!("other programs used {least} to {most} % of the processors while frames were late")
        }
        [first, ..] => disturbance_words(first),
        [] => String::new(),
    }
}

/// The next step, as a sentence.
fn next(proof: &ProofScreen<'_>) -> String {
    let Some(conclusion) = proof.conclusion else {
        // If the user interrupted it, there is nothing to fix.
        let then = if proof.is_interrupted { "prove it again" } else { "fix what stopped it" };
        return match (proof.goes_on, proof.not_undone) {
            (true, _) => "Wait until it ends".to_owned(),
            (false, Some(_)) => format!("Undo the change (reelgauge prove --undo-left), then {then}"),
            (false, None) if proof.is_interrupted => "Prove it again when there is time to finish".to_owned(),
            (false, None) if proof.ended_early.is_none() && proof.tried.is_empty() => {
                "Prove it again".to_owned()
            }
            (false, None) if proof.ended_early.is_none() => {
                "If the change is still in place, undo it (reelgauge prove --undo-left), then prove it \
                 again"
                    .to_owned()
            }
            (false, None) => "Fix what stopped it, then prove it again".to_owned(),
        };
    };
    if proof.not_undone.is_some() {
        return "Undo the change: reelgauge prove --undo-left".to_owned();
    }
    let is_changed = !proof.tried.is_empty();
    let is_worse = conclusion.outcomes.iter().all(|outcome| matches!(outcome, ProofOutcome::Loss(_)));
    let has_streams = conclusion.figures.iter().any(|figure| is_of_streams(&figure.figure));
    let is_of_a_cache = conclusion.cached.as_ref().is_some_and(|cached| cached.answered_passes() > 0);
    match proof.keep {
        _ if is_of_a_cache => "Prove it again with more data than any cache holds".to_owned(),
        _ if conclusion.best_state.is_some() && !is_changed => {
            "Use the better setting; 'reelgauge compare' shows two of the runs side by side".to_owned()
        }
        Some(keep) if conclusion.best_state.is_some() => {
            format!("The change is undone; to make it permanent: {}", plain(keep))
        }
        _ if is_worse && is_changed => {
            "Keep the previous setting: the change made it worse. Reelgauge has already undone the change"
                .to_owned()
        }
        _ if conclusion.limited_to_bytes_per_s.is_some() => {
            "Prove it again with a higher --max-rate, or without it".to_owned()
        }
        _ if has_streams => {
            "Use more rounds (--rounds) to detect smaller gains, or a search (--find-max): a fixed count of \
             streams may hide gains"
                .to_owned()
        }
        _ => "Use more rounds (--rounds) or longer passes (--duration) to detect smaller gains".to_owned(),
    }
}

/// The result: for one change its effect; for several the best one, or that there is none.
fn answers(conclusion: &ProofConclusion, states: &[StateName]) -> Vec<(Tone, String)> {
    let base = states[0].words();
    if let [outcome] = conclusion.outcomes.as_slice() {
        return vec![answer(conclusion, *outcome, 1, &states[1].subject(), &base)];
    }
    match conclusion.best_state {
        Some(best) => {
            let subject = format!("The best is {}. It", states[best].words());
            vec![answer(conclusion, conclusion.outcomes[best - 1], best, &subject, &base)]
        }
        None => vec![(Tone::Answer, none_is_better(conclusion, &base))],
    }
}

fn none_is_better(conclusion: &ProofConclusion, base: &str) -> String {
    let all = |wanted: fn(&ProofOutcome) -> bool| conclusion.outcomes.iter().all(wanted);
    if all(|outcome| *outcome == ProofOutcome::Unknown) {
        format!("Unknown whether any is better than {base}: no figure could be judged.")
    } else if all(|outcome| *outcome == ProofOutcome::NoChange) {
        format!("None is better than {base}: no figure changed by more than the noise.")
    } else {
        format!("None improves on {base} without making another figure worse.")
    }
}

fn answer(
    conclusion: &ProofConclusion,
    outcome: ProofOutcome,
    state: usize,
    name: &str,
    base: &str,
) -> (Tone, String) {
    let told = |figure: usize| change_words(&conclusion.figures[figure], state);
    let sentence = match outcome {
        ProofOutcome::Gain(figure) => {
            format!("{name} is better: {}. Nothing got worse.", told(figure))
        }
        ProofOutcome::Traded(gained, lost) => {
            format!("{name} is not clearly better: {}, but {}.", told(gained), told(lost))
        }
        ProofOutcome::Loss(figure) => format!("{name} is worse: {}.", told(figure)),
        ProofOutcome::NoChange => {
            format!("{name} is no better than {base}: no figure changed by more than the noise.")
        }
        ProofOutcome::Unknown => {
            format!("Unknown whether {name} is better: no figure could be judged.")
        }
    };
    (if matches!(outcome, ProofOutcome::Loss(_)) { Tone::Bad } else { Tone::Answer }, sentence)
}

/// `read, MB/s: 412 instead of 198 on average (+108 %, where 3 % is chance)`.
fn change_words(figure: &ProofFigure, state: usize) -> String {
    let label = match figure.group.is_empty() {
        true => plain(&figure.label),
        false => format!("{} at {}", plain(&figure.label), plain(&figure.group)),
    };
    let said = |of: fn(OverRuns) -> Option<f64>| {
        let text = |state: usize| {
            let value = figure.values[state].and_then(of);
            value.map_or_else(|| "-".to_owned(), |value| say(figure.unit, value))
        };
        format!("{label}: {} instead of {}", text(state), text(0))
    };
    // Criteria are met or not; a mean of that is meaningless.
    let is_told_by_means = figure.figure != VERDICT && has_means(figure);
    match (figure.change_percent[state], figure.noise_percent[state]) {
        _ if !is_told_by_means => said(|over| Some(over.median)),
        (Some(change), Some(noise)) => {
            format!("{} on average ({change:+.0} %, noise {} %)", said(|over| over.mean), fixed(noise, 1))
        }
        _ => format!("{} on average", said(|over| over.mean)),
    }
}

/// Whether its means are known; conclusions of earlier versions have none.
fn has_means(figure: &ProofFigure) -> bool {
    figure.values.iter().flatten().all(|over| over.mean.is_some())
}

/// A table with every figure and one line per state below it.
fn table(conclusion: &ProofConclusion, states: &[StateName], shown: &[usize]) -> Table {
    let mut columns: [Vec<String>; 7] = Default::default();
    let figures = shown.iter().filter_map(|at| conclusion.figures.get(*at));
    for figure in figures.filter(|figure| says_something(figure)) {
        let group = if figure.group.is_empty() { String::new() } else { format!("{}: ", figure.group) };
        let head = [plain(&format!("{group}{}", figure.label))];
        let blanks = std::iter::repeat_n(String::new(), 6);
        push(&mut columns, head.into_iter().chain(blanks));
        for (state, name) in names_in_table(states).iter().enumerate() {
            push(&mut columns, row(figure, state, name).into_iter());
        }
    }
    let mut table = Table::default();
    let [names, means, lowest, highest, changes, chances, words] = columns;
    table.words("", names);
    let are_means = conclusion.figures.iter().all(has_means);
    table.column("", if are_means { "mean" } else { "median" }, means);
    table.column("", "lowest", lowest);
    table.column("", "highest", highest);
    table.column(if are_means { "" } else { "mean" }, "changed", changes);
    table.column("chance", "alone", chances);
    table.words("", words);
    table
}

/// Short names of the states: the end of long names, unless that makes two of them equal.
fn names_in_table(states: &[StateName]) -> Vec<String> {
    let short: Vec<String> = states.iter().map(|name| path_short(&name.to_string(), NAME_CHARS)).collect();
    let is_twice = short.iter().enumerate().any(|(at, name)| short[..at].contains(name));
    if is_twice { states.iter().map(StateName::words).collect() } else { short }
}

fn push(columns: &mut [Vec<String>; 7], cells: impl Iterator<Item = String>) {
    columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
}

/// Whether a figure is worth showing. Zero late frames are; zero failures, writes or retransmissions are
/// not.
fn says_something(figure: &ProofFigure) -> bool {
    let any = figure.values.iter().flatten().any(|value| value.highest != 0.0);
    any || is_of_streams(&figure.figure)
}

fn row(figure: &ProofFigure, state: usize, name: &str) -> [String; 7] {
    let of = |value: fn(OverRuns) -> f64| {
        figure.values[state].map_or_else(|| "-".to_owned(), |over| say(figure.unit, value(over)))
    };
    let percent = |value: Option<f64>, signed: bool| match value {
        Some(value) if state > 0 && signed => format!("{value:+.1} %"),
        Some(value) if state > 0 => format!("{} %", fixed(value, 1)),
        _ => String::new(),
    };
    [
        format!("  {name}"),
        of(|over| over.mean.unwrap_or(over.median)),
        of(|over| over.lowest),
        of(|over| over.highest),
        percent(figure.change_percent[state], true),
        percent(figure.noise_percent[state], false),
        judgement_word(figure.judgement[state], figure.better).to_owned(),
    ]
}

fn judgement_word(judgement: Judgement, better: Better) -> &'static str {
    match (judgement, better) {
        (Judgement::Better, _) => "better",
        (Judgement::Worse, _) => "WORSE",
        (Judgement::Different, _) => "different",
        (Judgement::Unknown, _) => "unknown",
        (Judgement::Same | Judgement::Base | Judgement::Demand | Judgement::OtherPlan, _) => "",
    }
}

/// A disturbance during a pass, as text.
pub fn disturbance_words(disturbance: &Disturbance) -> String {
    match disturbance {
        Disturbance::Timing => "this client kept Reelgauge from running in time".to_owned(),
        Disturbance::OtherPrograms { processors_percent } => format!(
            "other programs used {} % of the processors while frames were late",
            fixed(*processors_percent, 0)
        ),
        Disturbance::Remounted { before, now } => {
            format!("the mount options changed ({} before, {} now)", plain(before), plain(now))
        }
        Disturbance::OtherCache { before, now } => {
            format!("the I/O mode changed ({} before, {} now)", plain(before), plain(now))
        }
        Disturbance::OtherFiles => "the test files were created again".to_owned(),
    }
}

/// `Pass 3 of 10, with the change; about 1 min 20 s left`, for a user who waits.
pub fn pass_line(number: usize, of: usize, state: &str, last_took_s: f64) -> String {
    let left_s = last_took_s * (of + 1 - number.min(of)) as f64;
    let left = if last_took_s > 0.0 { format!("; about {} left", moment(left_s)) } else { String::new() };
    format!("Pass {number} of {of}, {}{left}", plain(state))
}

#[cfg(test)]
mod tests;
