//! The answer in plain words, for somebody who is tired and has one question.

use reelgauge_analysis::Summary;
use reelgauge_analysis::statement::{Number, of};

use crate::answer_parts::is_in_streams;
use crate::hosts::hosts_sentences;
use crate::sentence::{Sentence, Tone};
use crate::statement::doubt_words;
use crate::{check, mix, msmeter, replay, search, streams, vda, watch};

/// What every screen begins with, and every page: the answer, and what makes it worthless before it. Made in
/// one place, so that terminal and page say the same.
pub fn answer_sentences(summary: &Summary) -> Vec<Sentence> {
    let sentences = if let Some(facts) = &summary.watch {
        watch::answer(summary, facts)
    } else if let Some(facts) = &summary.msmeter {
        msmeter::answer(summary, facts)
    } else if let Some(facts) = &summary.check {
        check::answer(summary, facts)
    } else if let Some(facts) = &summary.replay {
        replay::answer(summary, facts)
    } else if let Some(facts) = &summary.vda {
        vda::answer(summary, facts)
    } else if let Some(facts) = &summary.search {
        search::answer(summary, facts)
    } else if is_in_streams(summary) {
        streams::answer(summary)
    } else {
        mix::answer(summary)
    };
    let sentences = sentences.into_iter().chain(hosts_sentences(summary));
    let statement = of(summary);
    let is_measured = statement.number != Number::NotMeasured;
    // Where the tool itself is said to be the cause, its timing is no doubt.
    let is_own = statement.cause.is_some_and(|cause| cause.culprit.is_own());
    let doubts = doubt_words(summary, &statement.confidence)
        .filter(|_| is_measured && !is_own)
        .map(|text| (Tone::Plain, text));
    let told = sentences.chain(doubts).filter(|(_, text)| !text.is_empty());
    told.map(|(tone, text)| Sentence { tone, text }).collect()
}
