//! The result of a run in a few words, for a badge: `12 × Apple ProRes 422 HQ UHD · no late frame`.

use reelgauge_analysis::Summary;
use reelgauge_analysis::statement::{Judgement, Number, Statement};

use super::number::number;
use super::{VerdictTone, VerdictWord};
use crate::text::plain_short;
use crate::units::{count, counted, mb_per_s};

/// Longer names are cut on a badge.
const NAME_CHARS: usize = 48;

pub(super) fn badge(statement: &Statement, summary: &Summary, before: &str, format: &str) -> VerdictWord {
    let known = match statement.judgement {
        Judgement::NotKnown => "unknown · ",
        Judgement::Inconclusive => "inconclusive · ",
        _ => "",
    };
    let tone = match (&statement.number, statement.judgement) {
        (Number::NotMeasured, _) => VerdictTone::Bad,
        (Number::FirstLook { .. }, _) | (_, Judgement::NothingAsked) => VerdictTone::Plain,
        (_, Judgement::Met) => VerdictTone::Good,
        (_, Judgement::Inconclusive) => VerdictTone::Unsure,
        _ => VerdictTone::Bad,
    };
    VerdictWord { word: format!("{known}{}", words(statement, summary, before, format)), tone }
}

fn words(statement: &Statement, summary: &Summary, before: &str, format: &str) -> String {
    let least = if before.is_empty() { String::new() } else { format!("{before} ") };
    let format = plain_short(format, NAME_CHARS);
    let late_frames = |late| match late {
        0 => "no late frame".to_owned(),
        late => counted(late, "late frame"),
    };
    match &statement.number {
        Number::Streams { streams, late_frames: late, .. } => {
            format!("{} × {format} · {}", count(*streams), late_frames(*late))
        }
        Number::Capacity { streams, .. } => {
            format!("{least}{} × {format} · no late frame", count(u64::from(*streams)))
        }
        Number::FirstLook { play, record, .. } => match play.or(*record) {
            None => "not measured · quick check".to_owned(),
            Some(streams) => {
                format!("{least}{} × {format} · no late frame · quick check", count(u64::from(streams)))
            }
        },
        Number::LateFrames { streams, late_frames: late, .. } => {
            format!("{} · {}", counted(*streams, "stream"), late_frames(*late))
        }
        Number::ValidPoint { streams } => {
            let valid = streams.map(|streams| counted(u64::from(streams), "stream"));
            let label = summary.vda.as_ref().map_or("VDA-like", |vda| vda.label.as_str());
            let valid = valid.unwrap_or_else(|| "no valid load point".to_owned());
            format!("{valid} · {}", plain_short(label, NAME_CHARS))
        }
        Number::Throughput { bytes_per_s, .. } => format!("{} MB/s", mb_per_s(*bytes_per_s)),
        Number::Replay { .. } => {
            let unit = match summary.replay.as_ref().and_then(reelgauge_analysis::ReplayFacts::delay_s) {
                Some(_) => "later than recorded",
                None => "MB/s",
            };
            format!("replay · {} {unit}", number(&statement.number, summary).0)
        }
        Number::Failed { .. } => "criteria not met".to_owned(),
        Number::NotMeasured => "nothing measured".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::summary::Target;

    use super::*;

    fn of(number: Number, judgement: Judgement, before: &str) -> (String, VerdictTone) {
        let summary = Summary::new("0.1.0", "", "streams", Target::default());
        let statement = Statement { number, judgement, ..Statement::default() };
        let badge = badge(&statement, &summary, before, "ProRes");
        (badge.word, badge.tone)
    }

    #[test]
    fn a_badge_has_count_format_and_late_frames() {
        let mut printed = Vec::<String>::new();
        let capacity = Number::Capacity { streams: 12, sometimes: None, at_least: None };
        let (words, tone) = of(capacity.clone(), Judgement::Met, "at least");
        printed.push(words);
        assert_eq!(tone, VerdictTone::Good);
        let streams = Number::Streams { point: 0, streams: 12, late_frames: 2, frames_judged: 9 };
        let (words, tone) = of(streams, Judgement::NotKnown, "");
        printed.push(words);
        assert_eq!(tone, VerdictTone::Bad);
        assert_eq!(of(Number::NotMeasured, Judgement::NothingAsked, "").1, VerdictTone::Bad);
        insta::assert_snapshot!(printed.join("\n"));
    }
}
