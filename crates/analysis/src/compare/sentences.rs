//! The answer of a comparison in words, for somebody who reads only that.

use super::{Comparison, ComparisonRow, Judgement, cautions, is_headline, is_of_the_tool};
use crate::page::{Sentence, Tone};

/// So many changes are told in a sentence; the rest is counted.
const TOLD: usize = 3;

/// The sentences, the answer first: one or two for every other side.
pub(super) fn sentences(comparison: &Comparison) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for run in comparison.others() {
        let (who, base) = (name(comparison, run), name(comparison, 0));
        of_side(comparison, run, &who, &base, &mut sentences);
    }
    if comparison.cautions.iter().any(|caution| caution.contains(cautions::OTHER_PLAN)) {
        let text = "Their plans differ (see the warnings), so what differs need not be the storage.";
        sentences.push(Sentence { tone: Tone::Plain, text: text.to_owned() });
    }
    let text = if comparison.has_repeats() {
        "The noise is the spread among the runs that repeat one another."
    } else {
        "The noise is estimated from each run alone, which can't see what differs from run to run. Surer: \
         three runs before and three after, compared with --repeats 3."
    };
    sentences.push(Sentence { tone: Tone::Plain, text: text.to_owned() });
    sentences
}

/// `run 2`, `runs 3 and 4`.
fn name(comparison: &Comparison, run: usize) -> String {
    let runs = (0..comparison.runs.len()).filter(|&other| comparison.side(other) == comparison.side(run));
    let numbers: Vec<String> = runs.map(|run| (run + 1).to_string()).collect();
    match numbers.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("runs {} and {last}", rest.join(", ")),
        _ => format!("run {}", run + 1),
    }
}

fn of_side(comparison: &Comparison, run: usize, who: &str, base: &str, into: &mut Vec<Sentence>) {
    let of = |judgement: Judgement| -> Vec<&ComparisonRow> {
        let rows = comparison.rows.iter().filter(|row| row.judgement[run] == judgement);
        let mut rows: Vec<&ComparisonRow> = rows.filter(|row| !is_of_the_tool(&row.figure)).collect();
        rows.sort_by_key(|row| !is_headline(&row.figure));
        rows
    };
    let (better, worse, different) = (of(Judgement::Better), of(Judgement::Worse), of(Judgement::Different));
    let same = of(Judgement::Same).iter().filter(|row| row.is_judged(run)).count();
    let unknown = of(Judgement::Unknown).len();
    if better.is_empty() && worse.is_empty() && different.is_empty() {
        into.push(nothing(same, who, base));
    }
    for (tone, what, rows) in [
        (Tone::Bad, "worse than", &worse),
        (Tone::Answer, "better than", &better),
        (Tone::Plain, "different from", &different),
    ] {
        if !rows.is_empty() {
            let text = format!("{} is {what} {base}: {}.", capital(who), told(rows, run));
            let text = if who.starts_with("runs") { text.replacen(" is ", " are ", 1) } else { text };
            into.push(Sentence { tone, text });
        }
    }
    let changed = better.len() + worse.len() + different.len();
    if changed > 0 && same > 0 {
        let text = format!("{} differ by less than the noise.", figures(same));
        into.push(Sentence { tone: Tone::Plain, text: capital(&text) });
    }
    if unknown > 0 && changed + same > 0 {
        let text =
            format!("{} can't be judged: too little was measured, or only one has it.", figures(unknown));
        into.push(Sentence { tone: Tone::Plain, text: capital(&text) });
    }
}

fn nothing(same: usize, who: &str, base: &str) -> Sentence {
    if same == 0 {
        let text = format!(
            "Nothing can be said about {who} against {base}: they have no figure in common whose noise is \
             known. Load points of 30 s or more tell it (--duration)."
        );
        return Sentence { tone: Tone::Bad, text };
    }
    let text = format!(
        "No difference between {who} and {base} that is larger than the noise, in {}.",
        figures(same)
    );
    Sentence { tone: Tone::Answer, text }
}

/// `read, MB/s with 4 workers +20 % (180, 216; noise 4 %); …; and 3 more`.
fn told(rows: &[&ComparisonRow], run: usize) -> String {
    let one = |row: &&ComparisonRow| {
        let place = if row.group.is_empty() { String::new() } else { format!(" at {}", row.group) };
        let (name, unit) = name_and_unit(&row.label);
        let values = format!("{} to {}{unit}", row.texts[0], row.texts[run]);
        let change =
            row.change_percent[run].map_or_else(String::new, |change| format!(" {}", signed(change)));
        let noise =
            row.noise_percent[run].map_or_else(String::new, |noise| format!("; noise {}", unsigned(noise)));
        format!("{name}{place}{change} ({values}{noise})")
    };
    let mut told = rows.iter().take(TOLD).map(one).collect::<Vec<_>>().join("; ");
    if rows.len() > TOLD {
        told.push_str(&format!("; and {} more", rows.len() - TOLD));
    }
    told
}

/// `read, MB/s` as `read` and ` MB/s`.
fn name_and_unit(label: &str) -> (&str, String) {
    match label.rsplit_once(", ") {
        Some((name, unit @ ("MB/s" | "ms" | "s" | "µs"))) => (name, format!(" {unit}")),
        _ => (label, String::new()),
    }
}

/// A change as it is shown everywhere: `+20 %`, `-3.4 %`.
pub fn signed(percent: f64) -> String {
    let sign = if percent < 0.0 { "-" } else { "+" };
    format!("{sign}{}", unsigned(percent.abs()))
}

/// `20 %`, `3.4 %`.
pub fn unsigned(percent: f64) -> String {
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

fn figures(count: usize) -> String {
    if count == 1 { "1 figure".to_owned() } else { format!("{count} figures") }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
