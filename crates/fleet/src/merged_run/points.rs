//! The load points of the whole: the operations of all agents counted together, as if by one host.
//!
//! Rates are over the time from when the first agent was measured until the last was. Not here: the
//! figures of single agents (`rows`).

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use reelgauge_analysis::incident::host_merge::{HostIncident, merge_hosts};
use reelgauge_analysis::incident::{INCIDENTS_KEPT, Incident};
use reelgauge_analysis::late::{LateCounted, LateFigures, StreamFigures};
use reelgauge_analysis::point_culprit::of_hosts as culprit_of_hosts;
use reelgauge_analysis::rates::mean_response_together_ms;
use reelgauge_analysis::summary::{HeldBack, LoadPointFacts, Unanswered};
use reelgauge_analysis::verdict::hosts::{FailurePlace, of_hosts};
use reelgauge_analysis::verdict::{Failure, Verdict};
use reelgauge_analysis::{LoadPoint, Meter, PointTally, RunTotals, Summary};
use reelgauge_record::agents::AgentPlace;
use reelgauge_report::hosts::{not_there_words, on_host_words};
use reelgauge_runner::streams::verdict::{verdict_on_rates, verdict_when_stopped};

use super::View;
use super::agent_part::AgentPart;
use super::offsets::clock;
use super::recount::Counted;

/// Adds the load points, the seconds and the verdict to the summary; returns the totals.
pub(super) fn put_into(summary: &mut Summary, seen: &View<'_>) -> RunTotals {
    let mut all = Meter::new();
    seen.counted.iter().for_each(|counted| all.merge(&counted.meter));
    summary.series = all.series();
    for index in seen.indices() {
        let Some(measured) = seen.measured(index, |_| true) else { continue };
        let figures = all.finish_point(index, measured.timing());
        let mut point = LoadPoint::new(facts(seen, index), figures);
        let of_each = || seen.parts.iter().filter_map(|part| part.point(index));
        let sum = |of: fn(&LoadPoint) -> Option<u32>| of_each().filter_map(of).reduce(u32::saturating_add);
        point.threads = sum(|point| point.threads);
        point.stream_count = sum(|point| point.stream_count);
        point.held_back = held_back(of_each());
        point.unanswered = unanswered(of_each());
        point.streams = late(seen, index);
        for (part, place, _) in seen.each() {
            let rates = part.point(index).map(|point| point.rates.clone()).unwrap_or_default();
            point.rates.extend(rates.into_iter().map(|mut rate| {
                rate.worker = rate.worker.saturating_add(place.first_worker);
                rate
            }));
        }
        if point.total.ops == 0
            && let Some(why) = of_each().find_map(|point| point.not_measured)
        {
            point.was_not_measured(why);
        }
        point.rates_mean_response_ms = mean_response_together_ms(of_each().filter_map(rated));
        let of_rates = seen.rates.filter(|_| !point.rates.is_empty());
        let of_rates = of_rates.map(|criteria| verdict_on_rates(criteria, &point.rates));
        let stopped = point.streams.as_ref().map(|late| late.streams.as_slice()).unwrap_or_default();
        point.verdict = verdict(seen, index, of_rates, stopped);
        let culprits: Vec<_> = of_each().map(|point| point.culprit).collect();
        let incidents = point.streams.as_ref().map_or(&[][..], |late| &late.incidents);
        point.culprit =
            point.verdict.as_ref().and_then(|verdict| culprit_of_hosts(verdict, incidents, &culprits));
        summary.load_points.push(point);
    }
    let verdicts = || summary.load_points.iter().filter_map(|point| point.verdict.as_ref());
    summary.verdict = verdicts().find(|verdict| !verdict.passed).or(verdicts().next_back()).cloned();
    all.run_totals()
}

/// The requests that the owners' limits delayed, if every host has a limit: otherwise there is no common
/// limit.
fn held_back<'a>(of_each: impl Iterator<Item = &'a LoadPoint>) -> Option<HeldBack> {
    let together = |one: HeldBack, other: HeldBack| HeldBack {
        max_bytes_per_s: one.max_bytes_per_s.saturating_add(other.max_bytes_per_s),
        operations: one.operations.saturating_add(other.operations),
    };
    let held: Option<Vec<HeldBack>> = of_each.map(|point| point.held_back).collect();
    held?.into_iter().reduce(together)
}

/// The unanswered requests of all hosts, with the longest time of any host.
fn unanswered<'a>(of_each: impl Iterator<Item = &'a LoadPoint>) -> Option<Unanswered> {
    let together = |one: Unanswered, other: Unanswered| Unanswered {
        threads: one.threads.saturating_add(other.threads),
        for_s: one.for_s.max(other.for_s),
    };
    of_each.filter_map(|point| point.unanswered).reduce(together)
}

/// The label of the load point, and the number of workers.
fn facts(seen: &View<'_>, index: u16) -> LoadPointFacts {
    let of_each: Vec<&LoadPoint> = seen.parts.iter().filter_map(|part| part.point(index)).collect();
    let swept = of_each.first().and_then(|point| point.sweep_value.clone());
    LoadPointFacts {
        label: label(&of_each.iter().map(|point| point.label.as_str()).collect::<Vec<_>>()),
        workers: of_each.iter().fold(0, |sum: u32, point| sum.saturating_add(point.workers)),
        sweep_value: swept
            .filter(|_| of_each.iter().all(|point| point.sweep_value == of_each[0].sweep_value)),
        ended_early: None,
    }
}

/// `6 players` for three hosts with `2 players`; otherwise the common label, or each one.
pub(super) fn label(labels: &[&str]) -> String {
    let counted = |label: &&str| {
        let (count, noun) = label.split_once(' ')?;
        Some((count.parse::<u32>().ok()?, noun.strip_suffix('s').unwrap_or(noun).to_owned()))
    };
    let counts: Option<Vec<(u32, String)>> = labels.iter().map(counted).collect();
    if let Some(counts) = counts.filter(|counts| counts.windows(2).all(|pair| pair[0].1 == pair[1].1))
        && let Some((_, noun)) = counts.first()
        && !noun.contains(' ')
    {
        let sum = counts.iter().fold(0, |sum: u32, (count, _)| sum.saturating_add(*count));
        return if sum == 1 { format!("1 {noun}") } else { format!("{sum} {noun}s") };
    }
    let mut each: Vec<&str> = labels.to_vec();
    each.dedup();
    each.join(" + ")
}

/// Late frames of all agents whose operations are complete.
fn late(seen: &View<'_>, index: u16) -> Option<LateFigures> {
    let mut merged: Option<LateCounted> = None;
    let mut incidents = Vec::new();
    let mut told = 0;
    for (part, place, counted) in seen.each() {
        let Some(late) = exact_late(part, counted, index) else { continue };
        let found = own_incidents(part, place, index).unwrap_or_else(|| {
            let figures = late.figures();
            (figures.incidents, figures.incident_count)
        });
        told += found.1.saturating_sub(found.0.len() as u64);
        let uncertainty_s = clock(part).map(|clock| clock.uncertainty_ns as f64 / 1e9);
        let of_host = |incident: Incident| HostIncident { agent: part.name.clone(), uncertainty_s, incident };
        incidents.extend(found.0.into_iter().map(of_host));
        match &mut merged {
            Some(merged) => merged.merge(late.clone()),
            None => merged = Some(late.clone()),
        }
    }
    let mut figures = merged?.figures();
    for stream in &mut figures.streams {
        let is_its = |(part, place, _): &(&AgentPart, &AgentPlace, &Counted)| {
            let own = stream.stream.checked_sub(place.first_stream);
            own.zip(part.run.as_ref()).is_some_and(|(own, run)| own < run.stream_numbers)
        };
        stream.agent = seen.each().find(is_its).map(|(part, ..)| part.name.clone());
    }
    let mut joined = merge_hosts(incidents);
    figures.incident_count = told + joined.len() as u64;
    joined.truncate(INCIDENTS_KEPT);
    let run_ns = seen.places.run_ns;
    joined.iter_mut().for_each(|incident| incident.began_at = wall_time(run_ns, incident.began_s));
    figures.incidents = joined;
    Some(figures)
}

/// The streams of an agent in a load point; `None` if operations are missing, because frames would then
/// seem late that were not.
pub(super) fn exact_late<'a>(part: &AgentPart, counted: &'a Counted, index: u16) -> Option<&'a LateCounted> {
    counted.late.get(&index).filter(|_| counted.is_exact(part, index))
}

/// The incidents in an agent's own report, with the causes from its counters; and their total number.
fn own_incidents(part: &AgentPart, place: &AgentPlace, index: u16) -> Option<(Vec<Incident>, u64)> {
    part.run.as_ref().filter(|run| run.has_summary)?;
    let late = part.point(index)?.streams.as_ref()?;
    let shift_s = place.shift_ns as f64 / 1e9;
    let placed = |incident: &Incident| {
        let mut incident = incident.clone();
        incident.began_s += shift_s;
        incident.ended_s += shift_s;
        if let Some(began_s) = &mut incident.storage.no_answer_began_s {
            *began_s += shift_s;
        }
        let numbers = incident.streams.iter_mut();
        numbers.for_each(|stream| *stream = stream.saturating_add(place.first_stream));
        incident
    };
    Some((late.incidents.iter().map(placed).collect(), late.incident_count))
}

/// A time of the run by the controller's clock, rounded down to the second, so that a search in other
/// logs begins early enough.
fn wall_time(run_ns: i64, at_s: f64) -> Option<String> {
    let at_ns = i128::from(run_ns) + (at_s * 1e9) as i128;
    let whole_s = TimestampRound::new().smallest(Unit::Second).mode(RoundMode::Floor);
    Some(Timestamp::from_nanosecond(at_ns).ok()?.round(whole_s).ok()?.to_string())
}

/// The mean response times of an agent's transfers, and the number that it completed.
fn rated(point: &LoadPoint) -> Option<(f64, f64)> {
    let per_s: f64 = point.rates.iter().map(|rate| rate.achieved_ops_per_s).sum();
    Some((point.rates_mean_response_ms?, per_s * point.measured_s))
}

/// The verdict of all agents; one that was missing at the end has met nothing. `of_rates` is the verdict
/// on the rates of all together, if their criteria are known.
fn verdict(
    seen: &View<'_>,
    index: u16,
    of_rates: Option<Verdict>,
    streams: &[StreamFigures],
) -> Option<Verdict> {
    let mut of_each = Vec::new();
    let mut not_there = Vec::new();
    for (part, place, counted) in seen.each() {
        if !(part.ended(index) && counted.is_exact(part, index)) {
            let from_s = missing_from_s(part, seen.places.run_ns);
            let words = not_there_words(&part.name, from_s, part.why_missing.as_deref());
            not_there.push(Failure::not_there(words));
        }
        let Some(verdict) = part.point(index).and_then(|point| point.verdict.clone()) else { continue };
        let at = FailurePlace {
            shift_s: place.shift_ns as f64 / 1e9,
            first_stream: place.first_stream,
            first_worker: place.first_worker,
        };
        let placed = |failure: Failure| failure.placed(&at, |words| on_host_words(&part.name, words));
        let failures = verdict.failures.into_iter().map(placed).collect();
        let verdict = Verdict { failures, ..verdict };
        of_each.push(if of_rates.is_some() { verdict.but_for_rates() } else { verdict });
    }
    of_each.extend(of_rates);
    if of_each.is_empty() {
        // No agent reached its end. Late frames still count.
        of_each.extend(seen.plan.and_then(|plan| verdict_when_stopped(plan, streams)));
    }
    of_hosts(of_each, not_there)
}

/// Since when an agent was missing, on the clock of the whole.
pub(super) fn missing_from_s(part: &AgentPart, run_ns: i64) -> Option<f64> {
    let from_ns = i128::from(part.missing_from_ns?) - i128::from(run_ns);
    Some((from_ns as f64 / 1e9).max(0.0))
}

/// The counts of some agents together in a load point.
pub(super) fn counted_by<'a>(seen: &View<'a>, index: u16, agents: &[usize]) -> Option<PointTally> {
    let tallies = agents.iter().filter_map(|at| seen.counted.get(*at)?.meter.point(index));
    PointTally::together(tallies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_points_get_their_common_label() {
        assert_eq!(label(&["2 players", "2 players", "1 player"]), "5 players");
        assert_eq!(label(&["1 worker"]), "1 worker");
        assert_eq!(label(&["blocks 64 KiB", "blocks 64 KiB"]), "blocks 64 KiB");
        assert_eq!(label(&["2 x newsroom", "2 x newsroom"]), "2 x newsroom");
        assert_eq!(label(&["2 players", "1 recorder"]), "2 players + 1 recorder");
        assert_eq!(label(&[]), "");
    }

    #[test]
    fn times_on_the_wall_are_whole_seconds_that_are_past() {
        assert_eq!(wall_time(1_795_189_212_000_000_000, 1.9).as_deref(), Some("2026-11-20T15:40:13Z"));
    }
}
