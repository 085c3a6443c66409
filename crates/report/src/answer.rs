//! The answer in plain words, for somebody who is tired and has one question.

use reelgauge_analysis::Summary;
use reelgauge_analysis::statement::{Judgement, Number, of};

use crate::answer_parts::is_in_streams;
use crate::hosts::hosts_sentences;
use crate::sentence::{Sentence, Tone};
use crate::standstill::standstill;
use crate::statement::{doubt_words, inconclusive_sentence, judgement_words};
use crate::{check, mix, msmeter, replay, search, streams, vda, watch};

/// What every screen begins with, and every page: the answer, and what makes it worthless before it. Made in
/// one place, so that terminal and page say the same.
pub fn answer_sentences(summary: &Summary) -> Vec<Sentence> {
    let mut sentences = if let Some(facts) = &summary.watch {
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
    let statement = of(summary);
    if statement.judgement == Judgement::Inconclusive {
        mark_inconclusive(&mut sentences, inconclusive_sentence(&statement));
    }
    sentences.extend(silence(summary).map(|text| (Tone::Bad, text)));
    let sentences = sentences.into_iter().chain(hosts_sentences(summary));
    let is_measured = statement.number != Number::NotMeasured;
    // Where the tool itself is said to be the cause, its timing is no doubt.
    let is_own = statement.cause.is_some_and(|cause| cause.culprit.is_own());
    let doubts =
        doubt_words(summary, &statement).filter(|_| is_measured && !is_own).map(|text| (Tone::Plain, text));
    let told = sentences.chain(doubts).filter(|(_, text)| !text.is_empty());
    told.map(|(tone, text)| Sentence { tone, text }).collect()
}

/// A silence that no incident tells of, because no frame was late by it: it began shortly before the end, or
/// a buffer hid it. A mix has it in its own answer, and a first look measures its own way.
fn silence(summary: &Summary) -> Option<String> {
    let has_own = summary.check.is_some() || !(is_in_streams(summary) || summary.replay.is_some());
    let told = standstill(summary).filter(|_| !has_own)?;
    let (from_s, until_s) = (told.longest.began_s, told.longest.began_s + told.longest.lasted_s);
    let incidents =
        summary.load_points.iter().flat_map(|point| &point.streams).flat_map(|late| &late.incidents);
    let is_told =
        incidents.into_iter().any(|incident| incident.began_s < until_s && from_s < incident.ended_s);
    (!is_told).then(|| told.sentence(""))
}

/// The word in front of the first sentence of an answer, which lists show alone, and the reasons behind it.
fn mark_inconclusive(sentences: &mut Vec<(Tone, String)>, why: Option<String>) {
    let Some((tone, first)) = sentences.first_mut() else { return };
    *tone = Tone::Inconclusive;
    *first = format!("{}: {first}", judgement_words(Judgement::Inconclusive));
    if let Some(why) = why {
        sentences.insert(1, (Tone::Inconclusive, why));
    }
}
