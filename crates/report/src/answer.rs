//! The result in plain sentences, for a tired reader with one question.

use reelgauge_analysis::Summary;
use reelgauge_analysis::silence::without_incident;
use reelgauge_analysis::statement::{Inconclusive, Judgement, Number, Statement, of};

use crate::answer_parts::{is_in_streams, outcome};
use crate::hosts::hosts_sentences;
use crate::sentence::{Sentence, Tone};
use crate::standstill::sentence;
use crate::statement::{cause_clause, doubt_words, inconclusive_reasons, judgement_words};
use crate::{check, mix, msmeter, replay, search, streams, vda, watch};

/// The first sentences of every page: the result, preceded by anything that invalidates it. Screens show
/// the same with labels (`answer_block`).
pub fn answer_sentences(summary: &Summary) -> Vec<Sentence> {
    let mut sentences = results(summary, false);
    let statement = of(summary);
    if let Some(cause) = cause_clause(summary, &statement) {
        let at = usize::from(outcome(summary).is_some());
        sentences.get_mut(at).into_iter().for_each(|(_, first)| first.push_str(&cause));
    }
    if let Some(why) = reason(summary, &statement) {
        sentences.insert(1, (Tone::Inconclusive, format!("Reason: {why}")));
    }
    let doubt = closing_doubt(summary).map(|text| (Tone::Plain, text));
    let told = sentences.into_iter().chain(doubt).filter(|(_, text)| !text.is_empty());
    told.map(|(tone, text)| Sentence { tone, text }).collect()
}

/// The result of a run, without its cause and its doubts. A short screen has no reasons of load points.
pub(crate) fn results(summary: &Summary, is_short: bool) -> Vec<(Tone, String)> {
    let mut sentences = if let Some(facts) = &summary.watch {
        watch::answer(summary, facts)
    } else if let Some(facts) = &summary.msmeter {
        msmeter::answer(summary, facts)
    } else if let Some(facts) = &summary.check {
        check::answer(summary, facts)
    } else if let Some(facts) = &summary.replay {
        replay::answer(summary, facts)
    } else if let Some(facts) = &summary.vda {
        vda::answer(summary, facts, is_short)
    } else if let Some(facts) = &summary.search {
        search::answer(summary, facts)
    } else if is_in_streams(summary) {
        streams::answer(summary)
    } else {
        mix::answer(summary)
    };
    if of(summary).judgement == Judgement::Inconclusive
        && let Some((tone, first)) = sentences.first_mut()
    {
        *tone = Tone::Inconclusive;
        // Lists show only the first sentence.
        *first = format!("{}: {first}", judgement_words(Judgement::Inconclusive));
    }
    sentences.extend(silence(summary).map(|text| (Tone::Bad, text)));
    sentences.extend(hosts_sentences(summary));
    sentences.retain(|(_, text)| !text.is_empty());
    sentences
}

/// Why a run is inconclusive or its search unfinished. `None` if the cause of the late frames already
/// explains it.
pub(crate) fn reason(summary: &Summary, statement: &Statement) -> Option<String> {
    let is_late = matches!(statement.number, Number::LateFrames { .. });
    if is_late && statement.cause.is_some() && statement.inconclusive == [Inconclusive::ClientDelay] {
        return None;
    }
    let is_inconclusive = statement.judgement == Judgement::Inconclusive;
    let reasons = || inconclusive_reasons(statement).filter(|_| is_inconclusive);
    search::why_unfinished(summary).or_else(|| reasons().map(|reasons| format!("{reasons}.")))
}

/// The last sentence of a result that is doubtful.
pub(crate) fn closing_doubt(summary: &Summary) -> Option<String> {
    let statement = of(summary);
    let is_measured = statement.number != Number::NotMeasured;
    // A check has its doubts under its confidence.
    let has_doubts = is_measured && !is_own_fault(&statement) && summary.check.is_none();
    doubt_words(summary, &statement).filter(|_| has_doubts)
}

/// Whether Reelgauge itself or this client is named as the cause. Then its timing is not listed as a
/// doubt.
pub(crate) fn is_own_fault(statement: &Statement) -> bool {
    statement.cause.is_some_and(|cause| cause.culprit.is_own())
}

/// A period without responses that no incident covers. A mix reports it in its own result, and a quick
/// check measures in another way.
fn silence(summary: &Summary) -> Option<String> {
    let has_own = summary.check.is_some() || !(is_in_streams(summary) || summary.replay.is_some());
    let told = without_incident(summary).filter(|_| !has_own)?;
    Some(sentence(&told, ""))
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::incident::Incident;
    use reelgauge_analysis::late::LateFigures;
    use reelgauge_analysis::series::Standstill;
    use reelgauge_analysis::summary::Target;
    use reelgauge_analysis::test_figures::vda_point;

    use super::*;

    /// Players that run for 20 s, with a silence of 4 s that begins at this time.
    fn silent_from(began_s: f64, incidents: Vec<Incident>) -> Option<String> {
        let mut summary = Summary::new("0.1.0", "2026-11-28T10:00:00Z", "streams", Target::default());
        let mut point = vda_point(1, 1.0, None);
        (point.stream_count, point.measured_s) = (Some(2), 20.0);
        point.streams = Some(LateFigures { incidents, ..LateFigures::default() });
        summary.load_points = vec![point];
        summary.series.standstills = vec![Standstill { began_s, lasted_s: 4.0 }];
        let told = answer_sentences(&summary);
        told.into_iter().map(|sentence| sentence.text).find(|text| text.contains(" for 4.0 s"))
    }

    #[test]
    fn a_silence_of_4s_that_begins_shortly_before_the_end_is_reported() {
        for began_s in [19.3, 19.99, 16.1, 3.0] {
            let text = silent_from(began_s, Vec::new());
            assert!(text.as_ref().is_some_and(|text| text.contains("for 4.0 s")), "{began_s}: {text:?}");
        }
    }

    #[test]
    fn a_silence_that_an_incident_reports_is_not_reported_twice() {
        let incident = |began_s, ended_s| vec![Incident { began_s, ended_s, ..Incident::default() }];
        assert_eq!(silent_from(3.0, incident(3.4, 7.2)), None);
        // An incident at another time does not cover this silence.
        assert!(silent_from(19.3, incident(3.4, 7.2)).is_some());
    }
}
