//! The result of a run as its screen shows it: result, reason, cause, limit and confidence, each with a
//! label.
//!
//! A page has the same content as sentences (`answer`), so the blocks of a screen use those.

use reelgauge_analysis::statement::{Cause, Doubt, Inconclusive, Judgement, Number, Statement, of};
use reelgauge_analysis::{Outcome, Summary};

use crate::answer::{answer_sentences, is_own_fault, reason, results};
use crate::check;
use crate::document::Block;
use crate::limit::limit_words;
use crate::page::ScreenText;
use crate::sentence::Tone;
use crate::statement::{cause_words, culprit_words, doubts_of};
use crate::text::{capital, plain};

/// Adds the labelled lines of the result to a page.
pub(crate) fn answer_block(summary: &Summary, page: &mut ScreenText) {
    let statement = of(summary);
    page.result(&results(summary, page.is_short));
    page.labelled("Reason", Tone::Inconclusive, &reason(summary, &statement).unwrap_or_default());
    page.labelled("Cause", Tone::Plain, &cause(summary, &statement).unwrap_or_default());
    let paragraphs = answer_sentences(summary).into_iter().map(Block::Paragraph);
    page.blocks.extend(paragraphs);
    limit(summary, &statement, page);
    let confidence = confidence(summary, &statement, page.is_short).unwrap_or_default();
    page.labelled("Confidence", Tone::Plain, &confidence);
    if summary.check.is_some() {
        page.row("Confidence", &capital(&confidence));
    }
}

/// Why the result is not better, unless the result itself explains it.
fn cause(summary: &Summary, statement: &Statement) -> Option<String> {
    // A check names one limit for all its counts.
    let cause = statement.cause.filter(|_| summary.check.is_none())?;
    let incident =
        incident(&cause, summary).filter(|_| matches!(statement.number, Number::LateFrames { .. }));
    // The limiting layer already names the component, and so does the reason.
    let has_layer = statement.limit(summary).is_some_and(|limit| limit.found.is_some());
    let is_reason = |one: &Inconclusive| matches!(one, Inconclusive::ClientLimit | Inconclusive::ClientDelay);
    let is_told = has_layer && cause.culprit.is_own() || statement.inconclusive.iter().any(is_reason);
    let whose = || (!is_told).then(|| culprit_words(cause.culprit, summary).to_owned());
    incident.or_else(whose).map(|words| format!("{words}."))
}

fn incident(cause: &Cause, summary: &Summary) -> Option<String> {
    Some(cause_words(cause, summary.point(cause.point)?.streams.as_ref()?, summary))
}

/// The layer that limited the run. A short screen with a known cause omits the sentence that no limit is
/// known.
fn limit(summary: &Summary, statement: &Statement, page: &mut ScreenText) {
    if let Some(check) = &summary.check {
        // The limit of a check that did not finish repeats why it did not.
        if summary.outcome == Outcome::Complete {
            page.labelled("Limit", Tone::Plain, &plain(&check.limit));
            page.row("Limit", &plain(&check.limit));
        }
        return;
    }
    let words = limit_words(summary);
    let Some(found) = &words.found else { return };
    page.row("Limited by", &words.limited_by());
    let is_known = statement.limit(summary).is_some_and(|limit| limit.found.is_some());
    match page.is_short {
        true if statement.cause.is_some() && !is_known => {}
        true => page.labelled("Limited by", Tone::Plain, found),
        false => page.labelled("Limited by", Tone::Plain, &words.limited_by()),
    }
}

/// How far the result can be trusted.
fn confidence(summary: &Summary, statement: &Statement, is_short: bool) -> Option<String> {
    if let Some(facts) = &summary.check {
        return Some(check::confidence(summary, facts, is_short));
    }
    if statement.number == Number::NotMeasured {
        return None;
    }
    let doubts = if is_own_fault(statement) { Vec::new() } else { doubts_of(summary, statement) };
    if !doubts.is_empty() {
        return Some(format!("low: {}.", doubts.join("; ")));
    }
    let has = |doubt| statement.confidence.doubts.contains(&doubt);
    Some(match summary.outcome {
        Outcome::Interrupted | Outcome::BrokeOff => "low: the run did not complete.".to_owned(),
        Outcome::Running => "low: the run is still running.".to_owned(),
        Outcome::Complete if has(Doubt::ShortLook) => "limited: the run was short.".to_owned(),
        Outcome::Complete if statement.confidence.doubts.is_empty() => {
            "no measurement contradicts the result.".to_owned()
        }
        Outcome::Complete if statement.judgement == Judgement::Inconclusive => {
            "low: the run is inconclusive.".to_owned()
        }
        Outcome::Complete => "limited: see the warnings.".to_owned(),
    })
}
