//! The screen of a search for the largest count of streams: first the count, then its trials, then the
//! first failure just above it.

use reelgauge_analysis::facts::StoppedBy;
use reelgauge_analysis::statement::{AtLeast, Judgement, Number, Statement, of};
use reelgauge_analysis::{Culprit, SearchFacts, Summary, TrialsAt};

use crate::answer_parts::{outcome, place, streams_of};
use crate::document::{Block, Section, Tile};
use crate::ending::end;
use crate::page::ScreenText;
use crate::screen_options::Screen;
use crate::sentence::Tone;
use crate::statement::{is_over_network, judgement_tone};
use crate::streams;
use crate::table::Table;
use crate::tables::not_measured;
use crate::text::{plain, plain_short};
use crate::units::{count, counted};

/// The first lines of the screen: the result.
pub(crate) fn answer(summary: &Summary, facts: &SearchFacts) -> Vec<(Tone, String)> {
    let mut sentences = Vec::new();
    sentences.extend(outcome(summary).map(|outcome| (Tone::Bad, outcome)));
    let statement = of(summary);
    let tone = judgement_tone(statement.judgement);
    sentences.push((tone, carries(summary, facts, &statement)));
    sentences.push((Tone::Plain, evidence(facts)));
    sentences
}

/// Why a search has no certain result.
pub(crate) fn why_unfinished(summary: &Summary) -> Option<String> {
    let facts = summary.search.as_ref().filter(|facts| !facts.complete)?;
    Some(plain(&facts.answer_sentence)).filter(|words| !words.is_empty())
}

/// Writes the screen after the result.
pub(crate) fn screen(summary: &Summary, facts: &SearchFacts, show: &Screen, page: &mut ScreenText) {
    page.detail(|page| {
        if let Some(failed) = &facts.failed_first {
            page.gap();
            page.item("Failed first", &plain(failed));
        }
        if let Some(earlier) = &facts.earlier {
            let streams = streams_of(&earlier.point);
            page.item("Measured", &format!("with {streams}, in {}", plain(&earlier.run)));
        }
    });
    let rows = facts.all_trials(&summary.load_points);
    if !rows.is_empty() {
        page.gap();
        page.table(trials(summary, &rows));
    }
    if let Some(point) = streams::told(summary) {
        streams::details(point, summary, show.detail, page);
    }
    page.detail(|page| streams::limits(summary, page));
    end(summary, show, page);
}

/// The section of the page about a search. Trials of an earlier run are in that run's summary.
pub(crate) fn section(summary: &Summary, facts: &SearchFacts) -> Section {
    let about = plain(&facts.answer_sentence);
    let mut section = Section::of_page("search", "Largest count that passes", about);
    let streams =
        |streams: Option<u32>| streams.map_or_else(not_measured, |streams| count(u64::from(streams)));
    let yes = |is: bool| if is { "yes" } else { "no" };
    let (complete, limited) = (facts.complete, facts.limited_by_client);
    section.blocks.push(Block::Tiles(vec![
        Tile::new("Passed every time", streams(facts.streams)).at("search.streams"),
        Tile::new("Largest that passed at least once", streams(facts.at_most)).at("search.at_most"),
        Tile { is_good: Some(complete), ..Tile::new("Limit confirmed from both sides", yes(complete)) },
        Tile { is_good: Some(!limited), ..Tile::new("Limited by this client", yes(limited)) },
    ]));
    section.blocks.push(Block::PageChart("search".to_owned()));
    section.blocks.push(Block::Table(trials(summary, &facts.trials)));
    section.say(Tone::Plain, evidence(facts));
    section
}

/// The number of streams that the storage sustains, or why it is unknown.
fn carries(summary: &Summary, facts: &SearchFacts, statement: &Statement) -> String {
    let (place, what) = (place(&summary.target), plain_short(&facts.what, 80));
    let number = |streams: u32| format!("{} {}", count(u64::from(streams)), as_counted(streams, &what));
    let own = match statement.cause.map(|cause| cause.culprit) {
        Some(Culprit::Tool) => "Reelgauge itself",
        Some(Culprit::MaxRate) => "--max-rate",
        _ if summary.hosts.is_some() => "the host of an agent",
        _ => "this client",
    };
    let Number::Capacity { streams, sometimes, at_least } = statement.number else {
        let most = facts.at_most.filter(|_| !facts.limited_by_client);
        if let Some(most) = most {
            return format!(
                "UNKNOWN: the search on {place} was stopped before any count of {what} passed every time; \
                 up to {} passed sometimes.",
                count(u64::from(most))
            );
        }
        return match facts.limited_by_client {
            true => format!("Unknown for {what} on {place}: {own} was the limit from the first stream."),
            false => format!("Unknown for {what} on {place}: the search ended too early."),
        };
    };
    match (at_least, sometimes) {
        (Some(AtLeast::ThisMachine), _) => format!(
            "At least {} on {place}. Beyond that {own} was the limit, so this is not the capacity of the \
             storage.",
            number(streams)
        ),
        // There were fewer trials than the search needs.
        _ if statement.judgement == Judgement::NotKnown => {
            format!("UNKNOWN: {} passed on {place} before the search was stopped.", number(streams))
        }
        (Some(AtLeast::Unfinished), _) => {
            format!("At least {} on {place}.", number(streams))
        }
        (Some(AtLeast::NoMoreTried), _) => {
            let why = facts.stopped_by.map_or("", no_more_because);
            format!(
                "At least {} on {place}: every count passed, and no larger one was \
                     tried{why}.",
                number(streams)
            )
        }
        (None, None) if streams == 0 => format!("{place} does not sustain one stream: {what}."),
        (None, None) => format!("{place} sustains {}.", number(streams)),
        (None, Some(most)) if streams == 0 => {
            format!("No count on {place} passed every trial; up to {} passed some trials.", number(most))
        }
        (None, Some(most)) => format!(
            "{place} sustains {} in every trial and up to {} in some trials.",
            number(streams),
            count(u64::from(most))
        ),
    }
}

/// Why no larger count was tried.
fn no_more_because(by: StoppedBy) -> &'static str {
    match by {
        StoppedBy::Cap => " (cap in the plan)",
        StoppedBy::Room => " (no space for more files)",
        StoppedBy::OwnFiles => " (no more files of your own)",
        StoppedBy::OneProcess => " (the most that one process can play)",
        StoppedBy::Time | StoppedBy::Trials => "",
    }
}

/// The singular of `players of prores-422-hq-uhd-25` is `player of prores-422-hq-uhd-25`.
fn as_counted(streams: u32, what: &str) -> String {
    let (noun, rest) = what.split_at(what.find(' ').unwrap_or(what.len()));
    let one = if noun == "mixes" { Some("mix") } else { noun.strip_suffix('s') };
    match one.filter(|_| streams == 1) {
        Some(one) => format!("{one}{rest}"),
        None => what.to_owned(),
    }
}

/// `31 streams passed 3 of 3; 32 passed 1 of 3.`
fn evidence(facts: &SearchFacts) -> String {
    let sure = facts.streams.unwrap_or(0);
    let top = facts.at_most.unwrap_or(sure).max(sure);
    let fell = |at: &&TrialsAt| at.streams > top && at.passed < at.trials();
    let until = facts.trials.iter().find(fell).map_or(top, |at| at.streams);
    let edge = facts.trials.iter().filter(|at| (sure..=until).contains(&at.streams));
    let mut sentence = String::new();
    for at in edge {
        let (subject, trials) = if sentence.is_empty() {
            (counted(u64::from(at.streams), "stream"), counted(u64::from(at.trials()), "trial"))
        } else {
            sentence.push_str("; ");
            (count(u64::from(at.streams)), at.trials().to_string())
        };
        sentence.push_str(&format!("{subject} passed {} of {trials}", at.passed));
    }
    if sentence.is_empty() { plain(&facts.evidence_sentence) } else { format!("{sentence}.") }
}

/// The result of a search over several hosts, if one of them was the limit.
pub fn limited_by_agents(streams: u32, limited_at: u32) -> String {
    format!(
        "At least {}: with {} the host of an agent was the limit, not the storage. Use more or faster hosts.",
        counted(u64::from(streams), "stream"),
        count(u64::from(limited_at))
    )
}

/// The result of a search over several hosts that ended too early.
pub fn not_finished(streams: u32) -> String {
    match streams {
        0 => "The search ended before any count passed on all hosts.".to_owned(),
        streams => {
            format!(
                "The search did not finish. {} passed before it ended.",
                counted(u64::from(streams), "stream")
            )
        }
    }
}

/// The column for trials that failed through no fault of the storage.
fn own_column(summary: &Summary) -> &'static str {
    let is_held = summary.load_points.iter().any(|point| point.culprit == Some(Culprit::MaxRate));
    match (is_held, summary.hosts.is_some()) {
        (true, _) => "--max-rate",
        (false, true) => "own host",
        (false, false) => "this client",
    }
}

/// One row per count that was tried. The column of failures names all possible causes: a network on the
/// path cannot be distinguished from the storage.
fn trials(summary: &Summary, rows: &[TrialsAt]) -> Table {
    let column = |of: fn(&TrialsAt) -> u32| rows.iter().map(|row| count(u64::from(of(row)))).collect();
    let theirs = if is_over_network(summary) { "storage or network" } else { "storage" };
    let mut table = Table::new("Trials with each count");
    table.rows = (0..rows.len()).map(|at| format!("search.trials.{at}")).collect();
    table.column("", "streams", column(|row| row.streams)).at("streams");
    table.column("", "passed", column(|row| row.passed)).at("passed");
    table.column("failed:", theirs, column(|row| row.failed)).at("failed");
    table.column("failed:", own_column(summary), column(|row| row.client_limited)).at("client_limited");
    // Only in a search that was stopped.
    if rows.iter().any(|row| row.unfinished > 0) {
        table.column("", "unfinished", column(|row| row.unfinished)).at("unfinished");
    }
    table
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::LoadPoint;
    use reelgauge_analysis::facts::LinkFacts;
    use reelgauge_analysis::summary::Target;
    use reelgauge_analysis::test_figures::vda_point;

    use super::*;

    /// The possible causes of failed trials in this run.
    fn causes(summary: &Summary) -> Vec<String> {
        trials(summary, &[]).columns()[2..].iter().map(|column| column.header[1].clone()).collect()
    }

    #[test]
    fn failed_trials_are_named_by_a_network_or_a_rate_limit_where_there_was_one() {
        let mut printed = Vec::<String>::new();
        let mut summary = Summary::new("0.1.0", "2026-11-24T10:00:00Z", "streams", Target::default());
        assert_eq!(causes(&summary), ["storage", "this client"]);
        summary.link = Some(LinkFacts::default());
        summary.load_points = vec![LoadPoint { culprit: Some(Culprit::MaxRate), ..vda_point(1, 1.0, None) }];
        printed.extend(causes(&summary).iter().map(|text| text.to_string()));
        insta::assert_snapshot!(printed.join("\n"));
    }
}
