//! Chooses the limit among the answers; the others are listed as contributing.
//!
//! Who caused a failed load point is decided elsewhere ([`crate::culprit`]), by removing the scheduling
//! delay of Reelgauge and counting the frames saved. The questions here only locate the limit on the
//! side that caused the failure.

use super::factors::factors;
use super::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use super::foreign_disk_load;
use super::input::LimitInput;
use super::similar_connections::stuck;
use super::step::test;
use super::{Limit, LimitVerdict};
use crate::culprit::{Culprit, LINK_FULL_SHARE};
use crate::rate_limit_delay::{self, HELD_BACK_PERCENT, percent};
use crate::summary::LoadPoint;

/// The most near misses that are reported if nothing stood out.
const NEAREST: usize = 3;

/// A counter further from its threshold than this share of it is not near.
const NEAR_SHARE: f64 = 0.25;

/// From this share of reads on, in percent, a cache answered most of them.
const MOST_PERCENT: f64 = 50.0;

/// Returns what limited a load point. `incidents` is the scene during the incidents only; `None` unless
/// incidents made the load point fail.
pub fn of_point(scene: &LimitInput<'_>, incidents: Option<&LimitInput<'_>>) -> Limit {
    let (mut limit, mut found) = asked(scene);
    let culprit = scene.point.culprit;
    limit.verdict = verdict(scene);
    let held_back = held_back(scene.point);
    if sets_the_figure(scene.point, limit.verdict) {
        limit.found.clone_from(&held_back);
    }
    if limit.found.is_none() && limit.verdict == LimitVerdict::NothingStoodOut {
        limit.found = incidents.and_then(|incidents| in_incidents(incidents, culprit));
        if let Some(finding) = &limit.found {
            // The whole load point shows the same step, but diluted by the time outside the incidents.
            found.retain(|other| other.step != finding.step);
        } else {
            limit.found = take_limit(&mut found, culprit, scene);
        }
        // If the local host is at fault, no counter has to confirm it.
        if limit.found.is_none() && culprit == Some(Culprit::Link) {
            limit.found = Some(full_for_a_while(scene.point));
        }
        if limit.found.is_none() && culprit == Some(Culprit::ThisMachine) {
            limit.found = Some(scheduling_delay(scene.point));
        }
    }
    if limit.verdict == LimitVerdict::NotKnown && culprit.is_none_or(|culprit| !culprit.is_own()) {
        limit.found = take_broken_path(&mut found);
    }
    if limit.found.is_some() {
        limit.verdict = LimitVerdict::Found;
    } else if limit.verdict == LimitVerdict::NothingStoodOut && scene.means.is_empty() {
        limit.verdict = LimitVerdict::NotKnown;
    }
    limit.nearest = nearest(limit.nearest, limit.verdict);
    let explains = |step: LimitStep| step.is_on_the_way() || step == LimitStep::ServerDisk;
    if limit.found.as_ref().is_some_and(|finding| explains(finding.step)) {
        // Operations are slow because of what was found; that is not a second finding.
        found.retain(|finding| !matches!(finding.step, LimitStep::Server | LimitStep::Latency));
    }
    limit.contributing = found;
    let told =
        |finding: &LimitFinding| limit.found.iter().chain(&limit.contributing).any(|one| one == finding);
    // A disk that is already reported is not reported twice.
    let is_said = limit.found.iter().chain(&limit.contributing).any(shows_other_program);
    let used = foreign_disk_load::others(scene).filter(|_| !is_said);
    let beside = held_back.into_iter().chain(stuck(scene)).chain(used).chain(factors(scene));
    let beside: Vec<_> = beside.filter(|finding| !told(finding)).collect();
    limit.contributing.extend(beside);
    limit
}

/// Asks all questions; the answers below their threshold go to `nearest`.
fn asked(scene: &LimitInput<'_>) -> (Limit, Vec<LimitFinding>) {
    let (mut limit, mut found) = (Limit::default(), Vec::new());
    for step in LimitStep::ALL {
        match test(step, scene) {
            Tested::Found(finding) => found.push(finding),
            Tested::Below(finding) => limit.nearest.push(finding),
            Tested::No => {}
            Tested::NotMeasured => limit.not_measured.push(step),
        }
    }
    (limit, found)
}

/// The limit during the incidents.
fn in_incidents(scene: &LimitInput<'_>, culprit: Option<Culprit>) -> Option<LimitFinding> {
    let mut finding = take_limit(&mut asked(scene).1, culprit, scene)?;
    finding.seen.extend(scene.incidents_s.map(|seconds| Seen::beside(Measure::IncidentsS, seconds)));
    Some(finding)
}

/// Whether a limit is to be looked for: [`LimitVerdict::NothingStoodOut`] until one is found.
fn verdict(scene: &LimitInput<'_>) -> LimitVerdict {
    let point = scene.point;
    match (point.culprit, &point.verdict) {
        _ if point.is_unmeasured() || point.total.ops == 0 => LimitVerdict::NotKnown,
        (Some(Culprit::Tool), _) => LimitVerdict::OwnFault,
        (Some(Culprit::NotKnown), _) => LimitVerdict::NotKnown,
        (Some(_), _) => LimitVerdict::NothingStoodOut,
        (None, Some(_)) if scene.is_paced => LimitVerdict::NothingLimited,
        // Unpaced work runs as fast as it can, so something limited it, whether or not the criteria were met.
        (None, Some(_)) => LimitVerdict::NothingStoodOut,
        (None, None) if scene.is_paced && point.was_cut_off() => LimitVerdict::NotKnown,
        (None, None) if scene.is_paced && !rate_limit_delay::sets_the_figure(point) => {
            LimitVerdict::NothingLimited
        }
        (None, None) => LimitVerdict::NothingStoodOut,
    }
}

/// The configured limit on bytes per second, if operations had to wait for it.
fn held_back(point: &LoadPoint) -> Option<LimitFinding> {
    let (percent, limit) = (percent(point)?, point.was_held_back()?.max_bytes_per_s as f64);
    let seen = vec![
        Seen::against(Measure::HeldBackPercent, percent, HELD_BACK_PERCENT),
        Seen::beside(Measure::MaxBytesPerS, limit),
    ];
    Some(LimitFinding::new(LimitStep::MaxRate, seen, &[]))
}

/// Whether that limit set the figure. It did if a load point failed because of it.
fn sets_the_figure(point: &LoadPoint, verdict: LimitVerdict) -> bool {
    match (verdict, point.culprit) {
        (LimitVerdict::NothingLimited, _) => false,
        (_, Some(culprit)) => culprit == Culprit::MaxRate,
        (_, None) => rate_limit_delay::sets_the_figure(point),
    }
}

/// The first finding that may be the limit. A cache hit is only chosen if there is nothing else: it
/// shows where the figure comes from, not what bounds it. A full link is a limit whether a cache or a
/// disk fills it.
fn take_limit(
    found: &mut Vec<LimitFinding>,
    culprit: Option<Culprit>,
    scene: &LimitInput<'_>,
) -> Option<LimitFinding> {
    let may = |finding: &&LimitFinding| agrees(finding, culprit);
    let first = found.iter().filter(|finding| finding.step != LimitStep::Cache).find(may);
    let is_cached = found.iter().any(answered_most);
    // If a cache answered most reads, a busy disk has not set the figure.
    let first = first.filter(|finding| !(is_cached && scene.mostly_reads() && is_disk_side(finding.step)));
    let step = first.or_else(|| found.iter().find(may))?.step;
    let at = found.iter().position(|finding| finding.step == step)?;
    Some(found.remove(at))
}

/// Whether a cache answered at least half of the reads, or an unknown share of them.
fn answered_most(finding: &LimitFinding) -> bool {
    let percent = finding.value(Measure::CachedPercent);
    finding.step == LimitStep::Cache && percent.is_none_or(|percent| percent >= MOST_PERCENT)
}

/// Whether the finding shows that another program used a disk.
fn shows_other_program(finding: &LimitFinding) -> bool {
    finding.value(Measure::DiskBytesPerS).is_some()
}

fn is_disk_side(step: LimitStep) -> bool {
    matches!(step, LimitStep::ServerDisk | LimitStep::Server | LimitStep::ServerThreads | LimitStep::Disk)
}

/// A path that drops large packets, or a link that went down, may keep every operation from completing.
/// Then there is no figure, but the limit is still known.
fn take_broken_path(found: &mut Vec<LimitFinding>) -> Option<LimitFinding> {
    let of = [Measure::LongPingsLostPercent, Measure::LinkChanges];
    let is_it = |finding: &LimitFinding| of.iter().any(|measure| finding.value(*measure).is_some());
    found.iter().position(is_it).map(|at| found.remove(at))
}

/// Whether a layer is on the side that caused the failure. If no cause was determined, every layer is.
/// The storage side includes the network path behind the local link. A link of unknown speed cannot have
/// been judged full, so a queue on it does not contradict this.
fn agrees(finding: &LimitFinding, culprit: Option<Culprit>) -> bool {
    let step = finding.step;
    match culprit {
        Some(Culprit::Storage) if step == LimitStep::LinkFull => {
            finding.seen.first().is_some_and(|seen| seen.measure != Measure::LinkPercent)
        }
        None => true,
        Some(Culprit::Link) => step == LimitStep::LinkFull,
        Some(Culprit::ThisMachine) => step == LimitStep::Client,
        Some(Culprit::Storage) => !matches!(step, LimitStep::Cache | LimitStep::LinkFull | LimitStep::Client),
        Some(Culprit::Tool | Culprit::MaxRate | Culprit::NotKnown) => false,
    }
}

/// The link was full in the incidents, if not all the time.
fn full_for_a_while(point: &LoadPoint) -> LimitFinding {
    let incidents = point.streams.iter().flat_map(|late| &late.incidents);
    let shares = incidents.filter_map(|incident| incident.machine?.link_share);
    let share = shares.reduce(f64::max);
    let seen = share.map(|share| Seen::against(Measure::LinkPercent, share * 100.0, LINK_FULL_SHARE * 100.0));
    LimitFinding::new(LimitStep::LinkFull, seen.into_iter().collect(), &["net.link.ceiling"])
}

/// Reelgauge did not get a processor or memory in time, and was late because of it.
fn scheduling_delay(point: &LoadPoint) -> LimitFinding {
    let incidents = point.streams.iter().flat_map(|late| &late.incidents);
    let delays = incidents.filter_map(|incident| incident.machine?.own_delay_max_us);
    let seen = delays.reduce(f64::max).map(|us| Seen::beside(Measure::OwnDelayUs, us));
    LimitFinding::new(LimitStep::Client, seen.into_iter().collect(), &["cpu.single_core_bound"])
}

/// The nearest misses, nearest first, if nothing stood out. A margin next to a limit that was found is
/// not useful.
fn nearest(below: Vec<LimitFinding>, verdict: LimitVerdict) -> Vec<LimitFinding> {
    if verdict != LimitVerdict::NothingStoodOut {
        return Vec::new();
    }
    let nearness = |finding: &LimitFinding| finding.seen.first().and_then(Seen::nearness).unwrap_or(0.0);
    let mut near: Vec<_> = below.into_iter().filter(|finding| nearness(finding) >= NEAR_SHARE).collect();
    near.sort_by(|one, two| nearness(two).total_cmp(&nearness(one)));
    near.truncate(NEAREST);
    near
}

#[cfg(test)]
mod tests;
