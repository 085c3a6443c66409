//! The block at the top of a run's page, as text: the meaning of its number, its cause, and its
//! confidence. The number itself is in the statement, so that a page shows it exactly as the summary
//! does.
//!
//! Not here: the sentences below the verdict; terminal and page take those from `answer`.

mod badge;
mod number;
mod verdict;

use reelgauge_analysis::facts::CheckCount;
use reelgauge_analysis::late::LateFigures;
use reelgauge_analysis::statement::{AtLeast, Cause, Doubt, Judgement, Number, Statement, of};
use reelgauge_analysis::{LoadPoint, Outcome, ReplayFacts, Summary};
use serde::{Deserialize, Serialize};

use crate::answer::closing_doubt;
use crate::answer_parts::{place, streams_of};
use crate::check;
use crate::count_context;
use crate::limit::{limit_words, line_words};
use crate::replay;
use crate::statement::{cause_words, culprit_words, doubts_of, whose_words};
use crate::streams;
use crate::text::{capital, plain, plain_short};
use crate::units::{count, counted, moment};
use crate::user_description::storage_words;

use self::badge::badge;
use self::number::number;
use self::verdict::verdict;
pub use self::verdict::{VerdictTone, VerdictWord};

/// The texts around the number at the top of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hero {
    /// The statement as data. It is taken from the summary, or made from the figures if the summary has
    /// none.
    pub statement: Statement,
    /// The verdict in one or two words.
    pub verdict: VerdictWord,
    /// Facts about the number, each with its name. The doubt is not among them.
    pub facts: Vec<HeroFact>,
    /// The number as text; a dash if nothing was measured.
    pub number: String,
    /// The path of the number in `summary.json`; empty if it is not in that file.
    pub number_path: String,
    /// The result for a badge, without day and storage.
    pub badge: VerdictWord,
    /// The text before the number: `at least`, or nothing.
    pub before: String,
    /// The unit of the number: `streams of Apple ProRes 422 HQ UHD without a late frame`.
    pub counts: String,
    /// Why it is not higher, or why the cause is unknown. A sentence.
    pub cause: String,
    /// A sentence that this client or Reelgauge, not the storage, was the limit; `None` otherwise.
    pub own_limit: Option<String>,
    /// The doubt at the end of the result, verbatim, so that a page shows it only once. Empty if there
    /// is none.
    pub doubt: String,
    /// The confidence, without that doubt. Sentences; empty if there is nothing but the doubt.
    pub confidence: String,
    /// The storage in one line: the user's description, or its path and type.
    pub storage: String,
}

/// A fact about a run's number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HeroFact {
    /// Its name in links and style sheets: `limited-by`.
    pub id: String,
    /// Its name on the page: `Limited by`.
    pub name: String,
    /// Sentences. The confidence may be empty if the doubt is all there is.
    pub text: String,
}

const CONFIDENCE: &str = "confidence";

/// The texts around a run's number.
pub fn hero(summary: &Summary) -> Hero {
    let statement = summary.statement.clone().unwrap_or_else(|| of(summary));
    let doubt = closing_doubt(summary);
    let cause = cause(&statement, summary);
    let confidence = confidence(&statement, summary, doubt.is_some());
    let (number, number_path) = number(&statement.number, summary);
    let before = before(&statement.number, summary);
    let format =
        count_context::found(&statement, summary).map_or_else(|| "streams".to_owned(), |found| found.format);
    Hero {
        verdict: verdict(summary),
        facts: facts(&statement, summary, &cause, &confidence),
        number,
        number_path,
        badge: badge(&statement, summary, &before, &format),
        before,
        counts: counts(&statement, summary),
        cause,
        // A check states it in its cause.
        own_limit: streams::own_limit(summary).filter(|_| summary.check.is_none()),
        confidence,
        doubt: doubt.unwrap_or_default(),
        storage: storage_words(&summary.storage).unwrap_or_else(|| place(&summary.target)),
        statement,
    }
}

/// The list below the number on the page and in the fallback.
fn facts(statement: &Statement, summary: &Summary, cause: &str, confidence: &str) -> Vec<HeroFact> {
    let limit = limit_words(summary);
    let facts = [
        ("cause", "Cause", Some(cause.to_owned())),
        ("failed-first", "Failed first", failed_first(statement, summary)),
        ("limited-by", "Limited by", Some(limit.limited_by())),
        ("beside", "Note", limit.only_beside()),
        ("line", "Link", line_words(summary)),
        (CONFIDENCE, "Confidence", Some(confidence.to_owned())),
        ("storage", "Storage", Some(whole_storage(summary))),
    ];
    let facts = facts.into_iter().filter_map(|(id, name, text)| Some((id, name, text?)));
    let facts = facts.filter(|(id, _, text)| *id == CONFIDENCE || !text.is_empty());
    facts.map(|(id, name, text)| HeroFact { id: id.to_owned(), name: name.to_owned(), text }).collect()
}

/// The user's description of the storage, its path, the system's information about it, and its tags.
fn whole_storage(summary: &Summary) -> String {
    let target = &summary.target;
    let server = target.server.as_deref().map(|server| format!("server {}", plain_short(server, 80)));
    let tags = (!summary.tags.is_empty()).then(|| format!("tags {}", plain(&summary.tags.join(", "))));
    let parts = [storage_words(&summary.storage), Some(place(target)), server, tags];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

impl Hero {
    /// The whole confidence as one text.
    pub(crate) fn whole_confidence(&self) -> String {
        let told = [&self.doubt, &self.confidence].into_iter().filter(|text| !text.is_empty());
        told.map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// The first failure. The result already states it unless its number is of late frames or of a search;
/// the cause states it unless it is an incident.
fn failed_first(statement: &Statement, summary: &Summary) -> Option<String> {
    let failure = summary.verdict.as_ref()?.failed_first.as_ref()?;
    let in_answer = summary.search.is_none() && !matches!(statement.number, Number::LateFrames { .. });
    let in_cause = statement.cause.as_ref().is_some_and(|cause| incidents_of(cause, summary).is_none());
    let text = plain(&failure.sentence);
    (!in_answer && !in_cause).then(|| format!("{}.", text.trim_end_matches('.')))
}

/// The load point's late frames, if the cause is one of its incidents.
fn incidents_of<'a>(cause: &Cause, summary: &'a Summary) -> Option<&'a LateFigures> {
    summary.point(cause.point)?.streams.as_ref().filter(|_| cause.incident.is_some())
}

fn before(number: &Number, summary: &Summary) -> String {
    let at_least = match number {
        Number::Capacity { at_least, .. } => at_least.is_some(),
        Number::FirstLook { format, .. } => {
            let format = summary.check.as_ref().and_then(|check| check.formats.get(*format));
            format
                .and_then(|format| format.play.as_ref().or(format.record.as_ref()))
                .is_some_and(|count| count.at_least && count.is_sustained())
        }
        _ => false,
    };
    if at_least { "at least".to_owned() } else { String::new() }
}

fn counts(statement: &Statement, summary: &Summary) -> String {
    let point = |at: &usize| summary.load_points.get(*at);
    match &statement.number {
        Number::NotMeasured if summary.watch.is_some() => "watched, not measured".to_owned(),
        Number::NotMeasured if summary.msmeter.is_some() => {
            "reported by the original meter's workers".to_owned()
        }
        Number::NotMeasured => "nothing was measured".to_owned(),
        Number::LateFrames { frames_judged, streams_with_late_frames: hit, streams, .. } => {
            format!(
                "of {} late, on {} of {}",
                counted(*frames_judged, "frame"),
                count(*hit),
                counted(*streams, "stream")
            )
        }
        Number::Streams { point: at, streams, late_frames, .. } => {
            let late = match late_frames {
                0 => "without a late frame".to_owned(),
                late => format!("with {}, which the criteria allow", counted(*late, "late frame")),
            };
            let of = point(at).and_then(|point| point.streams.as_ref()).map_or_else(String::new, of_format);
            let so_far = match (statement.judgement, summary.outcome) {
                (Judgement::NotKnown, Outcome::Complete) => ", according to its log",
                (Judgement::NotKnown, _) => ", so far",
                _ => "",
            };
            format!("{}{of} {late}{so_far}", plural(*streams, "stream"))
        }
        Number::Capacity { sometimes, .. } => {
            let what = summary.search.as_ref().map_or("streams", |search| search.what.as_str());
            let sometimes = sometimes.map_or_else(String::new, |most| {
                format!(" every time; up to {} sometimes", count(u64::from(most)))
            });
            format!("{}{sometimes}", plain_short(what, 80))
        }
        Number::Failed { point: at, .. } => {
            let streams = point(at).map_or(0, |point| u64::from(point.stream_count.unwrap_or(point.workers)));
            format!("{} did not meet the criteria", plural(streams, "stream"))
        }
        Number::ValidPoint { streams: Some(streams) } => {
            format!("{} at the requested rates", plural(u64::from(*streams), "stream"))
        }
        Number::ValidPoint { streams: None } => "streams at the requested rates".to_owned(),
        Number::Throughput { point: at, .. } => {
            format!("MB/s, reads and writes together{}", with_workers(point(at)))
        }
        Number::FirstLook { format, play, .. } => {
            let format = summary.check.as_ref().and_then(|check| check.formats.get(*format));
            let name = format.map_or("", |format| format.name.as_str());
            let verb = if play.is_some() { "played" } else { "recorded" };
            let found = format.and_then(|format| format.play.as_ref().or(format.record.as_ref()));
            let held = found.map_or_else(String::new, check::for_how_long);
            let error = found.and_then(CheckCount::stated_error);
            let error = error.map_or_else(String::new, |error| format!("± {} ", count(u64::from(error))));
            format!("{error}× {} {verb} without a late frame{held}", plain_short(name, 80))
        }
        Number::Replay { .. } => match summary.replay.as_ref().and_then(ReplayFacts::delay_s) {
            Some(_) => "later than recorded".to_owned(),
            None => "MB/s moved by the replay".to_owned(),
        },
    }
}

fn with_workers(point: Option<&LoadPoint>) -> String {
    point.map_or_else(String::new, |point| match point.stream_count {
        Some(_) => format!(", {}", streams_of(point)),
        None => format!(", {}", counted(u64::from(point.workers), "worker")),
    })
}

/// `stream` or `streams`, depending on the number before it.
fn plural(number: u64, noun: &str) -> String {
    if number == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// ` of Apple ProRes 422 HQ UHD`, if all streams have one format.
fn of_format(late: &LateFigures) -> String {
    let mut formats = late.streams.iter().map(|stream| stream.format.as_deref());
    match formats.next().flatten() {
        Some(first) if formats.all(|format| format == Some(first)) => {
            format!(" of {}", plain_short(first, 80))
        }
        _ => String::new(),
    }
}

fn cause(statement: &Statement, summary: &Summary) -> String {
    if let Some(check) = summary.check.as_ref().filter(|check| !check.limit.is_empty()) {
        return plain(&check.limit);
    }
    if summary.watch.is_some() {
        return "None: a watch generates no load.".to_owned();
    }
    if summary.msmeter.is_some() {
        return "Unknown: Reelgauge sampled nothing during the original meter's run.".to_owned();
    }
    if let Some(cause) = &statement.cause {
        return sentence(&with_what_failed(cause, statement, summary));
    }
    match (&statement.number, statement.judgement) {
        (Number::NotMeasured, _) => "Unknown: nothing was measured.".to_owned(),
        (Number::Capacity { at_least: Some(AtLeast::NoMoreTried), .. }, _) => {
            "None: every count passed, and no larger one could be tried.".to_owned()
        }
        (Number::Capacity { at_least: Some(_), .. }, _) => {
            "Unknown: the search ended before it reached a limit.".to_owned()
        }
        (Number::Throughput { .. }, Judgement::NothingAsked) => {
            "No criterion was set, and the workers had no requested rate.".to_owned()
        }
        (Number::Replay { .. }, _) => summary.replay.as_ref().map_or_else(String::new, replay::cause),
        (Number::ValidPoint { .. }, Judgement::Met) => "None: every load point was valid.".to_owned(),
        (_, Judgement::Met) => "None: all criteria were met.".to_owned(),
        _ => "Unknown.".to_owned(),
    }
}

/// The responsible component and the evidence.
fn with_what_failed(cause: &Cause, statement: &Statement, summary: &Summary) -> String {
    if let Some(late) = incidents_of(cause, summary) {
        // The sentence above already describes the incident.
        let is_told = matches!(statement.number, Number::LateFrames { .. });
        let incident = cause.incident.and_then(|at| late.incidents.get(at)).filter(|_| is_told);
        let whose = incident.map(|incident| whose_words(incident, summary));
        return whose.unwrap_or_else(|| cause_words(cause, late, summary));
    }
    let failed = summary.search.as_ref().and_then(|search| search.failed_first.as_deref()).or_else(|| {
        let verdict = summary.point(cause.point).and_then(|point| point.verdict.as_ref());
        verdict.and_then(|verdict| verdict.failed_first.as_ref()).map(|failure| failure.sentence.as_str())
    });
    let culprit = culprit_words(cause.culprit, summary);
    failed.map_or_else(|| culprit.to_owned(), |failed| format!("{culprit}: {}", plain(failed)))
}

fn sentence(text: &str) -> String {
    format!("{}.", capital(text.trim_end_matches('.')))
}

/// `is_doubt_told`: the result already ends with the doubts.
fn confidence(statement: &Statement, summary: &Summary, is_doubt_told: bool) -> String {
    if let Some(check) = &summary.check {
        return check::confidence(summary, check, false);
    }
    if summary.msmeter.as_ref().is_some_and(|facts| !facts.is_whole()) {
        return "Low: some workers did not measure (listed above).".to_owned();
    }
    if summary.msmeter.is_some() {
        return "Depends on msMeter's records alone: msMeter measures nothing that could confirm them."
            .to_owned();
    }
    let mut others = Vec::new();
    if let Number::Capacity { at_least: Some(AtLeast::Unfinished), .. } = statement.number {
        others.push("the limit was not confirmed".to_owned());
    }
    others.extend(statement.confidence.doubts.iter().filter_map(|doubt| short(*doubt, summary)));
    let others = (!others.is_empty()).then(|| sentence(&others.join("; ")));
    let doubts = if is_doubt_told { Vec::new() } else { doubts_of(summary, statement) };
    let doubt = (!doubts.is_empty()).then(|| format!("Low: {}.", doubts.join("; ")));
    let told: Vec<String> = doubt.into_iter().chain(others).collect();
    match told.is_empty() && !is_doubt_told {
        true => "No measurement contradicts this result.".to_owned(),
        false => told.join(" "),
    }
}

/// Doubts that a screen shows elsewhere: in its first sentence, or as a warning.
fn short(doubt: Doubt, summary: &Summary) -> Option<String> {
    Some(match doubt {
        Doubt::BrokeOff => "the run ended unexpectedly".to_owned(),
        Doubt::Interrupted => "the run was interrupted".to_owned(),
        Doubt::Running => "the run is still running".to_owned(),
        Doubt::OwnFault if summary.hosts.is_some() => {
            "a measuring host, or Reelgauge on it, was late".to_owned()
        }
        Doubt::OwnFault => "this client or Reelgauge itself was late".to_owned(),
        Doubt::Unsteady => "trials contradicted each other".to_owned(),
        Doubt::Burst => "a rate was not steady, so counts use the lower one".to_owned(),
        Doubt::Silence => {
            let told = reelgauge_analysis::silence::without_incident(summary)?;
            format!(
                "the storage did not respond for {}, outside all incidents",
                moment(told.longest.lasted_s)
            )
        }
        Doubt::ShortLook => {
            let measured = summary.load_points.iter().filter(|point| point.total.ops > 0);
            let shortest_s = measured.map(|point| point.measured_s).min_by(f64::total_cmp)?;
            format!("only {} were measured", moment(shortest_s))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::culprit::Culprit;
    use reelgauge_analysis::incident::Incident;
    use reelgauge_analysis::statement::Confidence;
    use reelgauge_analysis::summary::{LoadPointFacts, Target};
    use reelgauge_analysis::{Meter, PointTiming};

    use super::*;

    fn with(number: Number, judgement: Judgement) -> Summary {
        let mut summary = Summary::new("0.1.0", "2026-11-22T10:00:00Z", "streams", Target::default());
        summary.statement = Some(Statement { number, judgement, ..Statement::default() });
        summary
    }

    #[test]
    fn nothing_measured_is_no_number_and_no_cause() {
        let told = hero(&with(Number::NotMeasured, Judgement::NotKnown));
        insta::assert_snapshot!(format!("{}\n{}", told.counts, told.cause));
    }

    #[test]
    fn cause_does_not_repeat_the_first_sentence() {
        let number = Number::LateFrames {
            point: 0,
            late_frames: 3,
            frames_judged: 9,
            streams_with_late_frames: 1,
            streams: 1,
        };
        let mut summary = with(number, Judgement::NotMet);
        let incident = Incident { culprit: Culprit::Storage, began_s: 7.0, ..Incident::default() };
        let point = Meter::new().finish_point(0, PointTiming::default());
        let mut point = LoadPoint::new(LoadPointFacts::default(), point);
        point.streams = Some(LateFigures { incidents: vec![incident], ..LateFigures::default() });
        summary.load_points.push(point);
        if let Some(statement) = &mut summary.statement {
            let cause = Cause { point: 0, culprit: Culprit::Storage, incident: Some(0), incidents: 1 };
            statement.cause = Some(cause);
        }
        assert_eq!(hero(&summary).cause, "The storage.");
        // The first sentence of a search contains its count.
        if let Some(statement) = &mut summary.statement {
            statement.number = Number::Capacity { streams: 1, sometimes: None, at_least: None };
        }
        assert!(hero(&summary).cause.contains("7.0 s"), "{}", hero(&summary).cause);
    }

    #[test]
    fn a_search_that_was_cut_short_is_at_least() {
        let of = |at_least| {
            let number = Number::Capacity { streams: 11, sometimes: None, at_least };
            hero(&with(number, Judgement::Met))
        };
        assert_eq!(of(Some(AtLeast::Unfinished)).before, "at least");
        insta::assert_snapshot!(of(Some(AtLeast::Unfinished)).whole_confidence());
        assert_eq!(of(None).before, "");
        assert!(of(Some(AtLeast::NoMoreTried)).cause.starts_with("None: "));
    }

    #[test]
    fn streams_of_an_interrupted_run_are_judged_to_its_end() {
        let mut printed = Vec::<String>::new();
        let number = Number::Streams { point: 0, streams: 3, late_frames: 0, frames_judged: 274 };
        let told = |judgement, outcome| hero(&Summary { outcome, ..with(number.clone(), judgement) }).counts;
        printed.push(told(Judgement::Met, Outcome::Complete).to_string());
        printed.push(told(Judgement::NotKnown, Outcome::Interrupted).to_string());
        // A finished run that has lost its summary.
        let lost = told(Judgement::NotKnown, Outcome::Complete);
        printed.push(lost.to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn doubts_or_their_absence_are_shown() {
        let mut printed = Vec::<String>::new();
        let number = Number::ValidPoint { streams: Some(1) };
        let mut summary = with(number, Judgement::Met);
        printed.push(hero(&summary).counts.to_string());
        printed.push(hero(&summary).whole_confidence().to_string());
        let doubts = vec![Doubt::Interrupted, Doubt::Memory];
        if let Some(statement) = &mut summary.statement {
            statement.confidence = Confidence { doubts };
        }
        printed.push(hero(&summary).whole_confidence().to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }
}
