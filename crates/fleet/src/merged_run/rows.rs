//! The figures of each load point by row: for each agent, group, target and network interface, for all,
//! and for all without the outliers.

use std::collections::BTreeMap;

use reelgauge_analysis::compare::siblings::{HostReading, standing_out};
use reelgauge_analysis::counters::means::CounterMeans;
use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::hosts::{
    HostClockStep, HostFigures, HostsSection, MovedOn, PartFigures, PointHosts, Presence, RunHost, StandsOut,
    shared_target, target_scale,
};
use reelgauge_analysis::late::LateCounted;
use reelgauge_analysis::{LoadPoint, Outcome, Summary};
use reelgauge_record::agents::AgentPlace;

use super::View;
use super::agent_part::{AgentPart, StepTimes};
use super::nics::{nics, own_limit, sampled};
use super::offsets::clock;
use super::points::{counted_by, exact_late, missing_from_s};
use super::recount::Counted;

/// Adds the section to the summary, which has its load points.
pub(super) fn put_into(summary: &mut Summary, seen: &View<'_>) {
    let hosts: Vec<RunHost> = seen
        .each()
        .map(|(part, place, _)| {
            let run = part.run.as_ref();
            let clock = clock(part);
            RunHost {
                agent: part.name.clone(),
                group: part.group.clone(),
                target: part.target.clone(),
                interface: part.interface(),
                first_worker: place.first_worker,
                workers: run.map_or(0, |run| run.workers),
                first_stream: place.first_stream,
                streams: run.map_or(0, |run| run.stream_numbers),
                clock_offset_us: part.wall_clock.or(clock).map(|clock| clock.offset_ns as f64 / 1e3),
                clock_uncertainty_us: clock.map(|clock| clock.uncertainty_ns as f64 / 1e3),
                clock_steps: clock_steps(part, seen.places.run_ns),
                missing_from_s: missing_from_s(part, seen.places.run_ns),
                why_missing: part.why_missing.clone(),
                is_complete: run.map(|run| run.summary.outcome == Outcome::Complete),
                log_complete: run.is_some_and(|run| run.log_complete),
            }
        })
        .collect();
    let sampled =
        sampled(seen.parts, &summary.load_points.iter().map(|point| point.index).collect::<Vec<_>>());
    let points: Vec<PointHosts> = summary
        .load_points
        .iter()
        .enumerate()
        .map(|(at, point)| {
            let means: Vec<Option<&CounterMeans>> = sampled.iter().map(|host| host.get(at)).collect();
            let mut rows = of_point(seen, at, point.index, &means);
            let each = seen.parts.iter().zip(&means);
            rows.nics = each.filter_map(|(part, means)| Some(nics(part, (*means)?))).flatten().collect();
            rows
        })
        .collect();
    let mut section = HostsSection {
        clock_uncertainty_us: two_largest(hosts.iter().map(|host| host.clock_uncertainty_us)),
        scale: None,
        hosts,
        points,
    };
    let of_points: Vec<_> = section.points.iter().map(|point| moved(&section, point, summary)).collect();
    section.scale = target_scale(&of_points);
    summary.hosts = Some(section);
}

/// The rate of a load point, if it is a property of its targets.
fn moved(section: &HostsSection, hosts: &PointHosts, summary: &Summary) -> MovedOn<String> {
    let point = summary.load_points.get(hosts.point);
    let is_theirs =
        point.is_some_and(|point| point.stream_count.is_none() && point.was_held_back().is_none());
    let is_whole = section.not_whole(hosts.point).is_empty();
    MovedOn {
        targets: section.targets_at(hosts),
        bytes_per_s: hosts.total.bytes_per_s.filter(|_| is_theirs && is_whole),
        workers: point.map(|point| point.workers),
    }
}

/// The largest error of a difference of two hosts' clocks: the sum of the two largest uncertainties.
/// `None` if any is unknown.
fn two_largest(each: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut each: Vec<f64> = each.collect::<Option<_>>()?;
    each.sort_by(|one, two| two.total_cmp(one));
    Some(each.iter().take(2).sum())
}

/// Steps of a host's wall clock, by the time of the run.
fn clock_steps(part: &AgentPart, run_ns: i64) -> Vec<HostClockStep> {
    let step = |step: &StepTimes| HostClockStep {
        at_s: step.unix_ns.map(|unix_ns| (i128::from(unix_ns) - i128::from(run_ns)) as f64 / 1e9),
        by_s: step.by_ns as f64 / 1e9,
    };
    part.clock_steps.iter().map(step).collect()
}

/// An agent's target, by the name that its siblings use, too.
fn shared(part: &AgentPart) -> Option<String> {
    Some(shared_target(&part.name, part.target.as_deref()?))
}

fn of_point(seen: &View<'_>, at: usize, index: u16, means: &[Option<&CounterMeans>]) -> PointHosts {
    let out = out_of_line(seen, index);
    let skews = skews(seen, index);
    let own = |host: usize, part: &AgentPart| {
        let point = part.point(index);
        HostFigures {
            presence: presence(seen, host, index),
            start_skew_us: skews[host].map(|skew| skew.us),
            start_uncertainty_us: skews[host].and_then(|skew| skew.uncertainty_us),
            figures: figures(seen, index, &part.name, &[host]),
            stands_out: out[host],
            culprit: point.and_then(|point| point.culprit),
            limit: point
                .and_then(|point| point.limit.as_ref()?.found.as_ref().map(|found| found.step))
                .and_then(|step| own_limit(step, out[host], means[host])),
        }
    };
    let hosts: Vec<HostFigures> = seen.parts.iter().enumerate().map(|(host, part)| own(host, part)).collect();
    let by = |name: fn(&AgentPart) -> Option<String>| -> Vec<PartFigures> {
        let mut named: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (host, part) in seen.parts.iter().enumerate() {
            if let Some(name) = name(part) {
                named.entry(name).or_default().push(host);
            }
        }
        // One row for each host would repeat the rows of the hosts.
        if named.len() < 2 || named.values().all(|hosts| hosts.len() == 1) {
            return Vec::new();
        }
        named.iter().map(|(name, agents)| figures(seen, index, name, agents)).collect()
    };
    let all: Vec<usize> = (0..seen.parts.len()).collect();
    let is_worse = |host: &usize| out[*host].is_some_and(|out| out.is_worse);
    let others: Vec<usize> = all.iter().copied().filter(|host| !is_worse(host)).collect();
    let known: Vec<Skew> = skews.iter().flatten().copied().collect();
    let range = |of: fn(f64, f64) -> f64| known.iter().map(|skew| skew.us).reduce(of);
    PointHosts {
        point: at,
        start_skew_us: range(f64::max)
            .zip(range(f64::min))
            .filter(|_| known.len() > 1)
            .map(|(most, least)| most - least),
        start_uncertainty_us: two_largest(known.iter().map(|skew| skew.uncertainty_us))
            .filter(|_| known.len() > 1),
        groups: by(|part| part.group.clone()),
        targets: by(shared),
        interfaces: by(AgentPart::interface),
        nics: Vec::new(),
        total: figures(seen, index, "", &all),
        without: (others.len() < all.len()).then(|| figures(seen, index, "", &others)),
        hosts,
    }
}

fn presence(seen: &View<'_>, host: usize, index: u16) -> Presence {
    let part = &seen.parts[host];
    let Some(point) = part.point(index) else { return Presence::Missing };
    if part.ended(index) && seen.counted[host].is_exact(part, index) {
        if is_idle(point) { Presence::Idle } else { Presence::Whole }
    } else {
        Presence::Part
    }
}

/// Whether an agent has no share of a load point.
fn is_idle(point: &LoadPoint) -> bool {
    point.workers == 0
}

/// The figures of these agents together. Agents without work were not measured.
fn figures(seen: &View<'_>, index: u16, name: &str, agents: &[usize]) -> PartFigures {
    let works = |host: &usize| seen.parts[*host].point(index).is_some_and(|point| !is_idle(point));
    let agents: Vec<usize> = agents.iter().copied().filter(works).collect();
    let Some(measured) = seen.measured(index, |host| agents.contains(&host)) else {
        return PartFigures::missing(name);
    };
    let timing = measured.timing();
    let total =
        counted_by(seen, index, &agents).map_or_else(Figures::default, |tally| tally.figures(timing).total);
    let there = agents.iter().filter_map(|host| seen.parts[*host].point(index));
    let workers = there.clone().fold(0, |sum: u32, point| sum.saturating_add(point.workers));
    let late = agents.iter().filter_map(|host| exact_late(&seen.parts[*host], &seen.counted[*host], index));
    let late = late.fold(None, |merged: Option<LateCounted>, late| match merged {
        Some(mut merged) => {
            merged.merge(late.clone());
            Some(merged)
        }
        None => Some(late.clone()),
    });
    let late = late.map(|late| late.figures().total);
    PartFigures::new(name, (there.count() as u32, workers), &total, timing.measured_ns as f64 / 1e9)
        .with_streams(late.as_ref())
}

/// How each agent differs from those with the same work on the same target.
fn out_of_line(seen: &View<'_>, index: u16) -> Vec<Option<StandsOut>> {
    let mut kinds = Vec::new();
    let mut readings = Vec::new();
    let mut of_reading = Vec::new();
    for (host, (part, _, counted)) in seen.each().enumerate() {
        let Some(point) = part.point(index).filter(|_| presence(seen, host, index) == Presence::Whole) else {
            continue;
        };
        let kind = (&part.group, shared(part), point.workers, point.stream_count, &point.label);
        let alike = kinds.iter().position(|known| *known == kind).unwrap_or(kinds.len());
        if alike == kinds.len() {
            kinds.push(kind);
        }
        readings.push(HostReading { alike, series: &counted.series, point });
        of_reading.push(host);
    }
    let mut out = vec![None; seen.parts.len()];
    for (host, found) in of_reading.into_iter().zip(standing_out(&readings)) {
        out[host] = found;
    }
    out
}

/// How much later than agreed an agent began.
#[derive(Clone, Copy, Debug)]
struct Skew {
    us: f64,
    uncertainty_us: Option<f64>,
}

/// How much later than agreed each agent began; later than the first of all, if nothing was agreed.
fn skews(seen: &View<'_>, index: u16) -> Vec<Option<Skew>> {
    let agreed = seen.agreed.iter().find(|agreed| agreed.index == index);
    let started = |part: &AgentPart, place: &AgentPlace| {
        clock(part)?;
        part.point(index).filter(|point| !is_idle(point))?;
        Some(part.measured(index)?.placed(place).started_ns)
    };
    let first_ns = seen.each().filter_map(|(part, place, _)| started(part, place)).min();
    let skew = |(part, place, _): (&AgentPart, &AgentPlace, &Counted)| {
        if part.point(index).is_some_and(is_idle) {
            return None;
        }
        if let Some(starts) = &part.starts {
            let told = starts.iter().find(|start| start.index == index)?;
            let uncertainty_us = Some(told.uncertainty_ns as f64 / 1e3);
            return Some(Skew { us: told.skew_ns as f64 / 1e3, uncertainty_us });
        }
        let started_ns = i128::from(started(part, place)?);
        let wanted_ns = match agreed {
            Some(agreed) => i128::from(agreed.start_unix_ns) - i128::from(seen.places.run_ns),
            None => i128::from(first_ns?),
        };
        let uncertainty_us = clock(part).map(|clock| clock.uncertainty_ns as f64 / 1e3);
        Some(Skew { us: (started_ns - wanted_ns) as f64 / 1e3, uncertainty_us })
    };
    seen.each().map(skew).collect()
}
