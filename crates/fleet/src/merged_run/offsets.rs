//! The offset of each agent's worker, stream and file numbers, and the mapping of all clocks to one.
//!
//! Time 0 of the whole is the earliest of the agents', by the controller's clock. An agent's clock was
//! compared with that before and after its run. If both offsets are known, their middle is used, and
//! half of their difference is added to the uncertainty. The agent's clock is monotonic: it drifts and
//! is never set, so steps of a wall clock have no effect. Only runs that were merged by hand have
//! nothing but wall clocks. If an agent's clock was never compared, the agreed start of a load point
//! replaces the offset, with an unknown error.

use reelgauge_record::agents::{AgentPlace, AgentPlaces};

use super::WholeError;
use super::agent_part::{AgentPart, ClockOffset, PointTimes};

/// The offset of an agent's clock from the controller's.
pub(super) fn clock(part: &AgentPart) -> Option<ClockOffset> {
    match part.clocks {
        [Some(before), Some(after)] => {
            let drift = i128::from(after.offset_ns) - i128::from(before.offset_ns);
            let half = u64::try_from(drift.unsigned_abs() / 2).unwrap_or(u64::MAX);
            let middle = i128::from(before.offset_ns) + drift / 2;
            Some(ClockOffset {
                offset_ns: i64::try_from(middle).unwrap_or(before.offset_ns),
                uncertainty_ns: before.uncertainty_ns.max(after.uncertainty_ns).saturating_add(half),
            })
        }
        [before, after] => before.or(after),
    }
}

/// The places of all agents.
pub(super) fn of(parts: &[AgentPart], points: &[PointTimes]) -> Result<AgentPlaces, WholeError> {
    let zeros: Vec<Option<i64>> = parts.iter().map(|part| zero_ns(part, points)).collect();
    let run_ns = zeros.iter().flatten().copied().min().unwrap_or_default();
    // Compared clocks or agreed starts prove a common controller.
    if points.is_empty() && parts.iter().all(|part| clock(part).is_none()) {
        check_together(parts, &zeros)?;
    }
    let mut places = AgentPlaces { run_ns, agents: Vec::with_capacity(parts.len()) };
    let (mut workers, mut streams, mut files) = (0_u32, 0_u32, 0_u32);
    for (part, zero_ns) in parts.iter().zip(zeros) {
        let later_ns = zero_ns.map_or(0, |zero_ns| i128::from(zero_ns) - i128::from(run_ns));
        places.agents.push(AgentPlace {
            agent: part.name.clone(),
            folder: part.folder.clone(),
            shift_ns: u64::try_from(later_ns).unwrap_or_default(),
            first_worker: workers,
            first_stream: streams,
            first_file: files,
        });
        let Some(run) = &part.run else { continue };
        let next = |from: u32, count: u32| from.checked_add(count).ok_or(WholeError::TooMany);
        workers = next(workers, run.workers)?;
        streams = next(streams, run.stream_numbers)?;
        files = next(files, run.files)?;
    }
    Ok(places)
}

/// An agent's time 0 by the controller's clock.
fn zero_ns(part: &AgentPart, points: &[PointTimes]) -> Option<i64> {
    let run = part.run.as_ref()?;
    if let Some(clock) = clock(part) {
        return Some(part.zero_ns.unwrap_or(run.run_ns).saturating_sub(clock.offset_ns));
    }
    let agreed = points.iter().find_map(|agreed| {
        let started_ns = i64::try_from(part.measured(agreed.index)?.started_ns).ok()?;
        Some(agreed.start_unix_ns.saturating_sub(started_ns))
    });
    Some(agreed.unwrap_or(run.run_ns))
}

/// Checks that the agents ran at the same time at all, which runs that are merged by hand may not have.
fn check_together(parts: &[AgentPart], zeros: &[Option<i64>]) -> Result<(), WholeError> {
    let spans = parts.iter().zip(zeros).filter_map(|(part, zero_ns)| {
        let zero_ns = i128::from((*zero_ns)?);
        let points = &part.run.as_ref()?.summary.load_points;
        let measured = points.iter().filter_map(|point| part.measured(point.index));
        let times =
            measured.map(|at| (zero_ns + i128::from(at.started_ns), zero_ns + i128::from(at.until_ns)));
        let (from, until) = times.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)))?;
        Some((part.name.as_str(), from, until))
    });
    let spans: Vec<_> = spans.collect();
    let Some(first) = spans.iter().min_by_key(|span| span.2) else { return Ok(()) };
    match spans.iter().find(|span| span.1 > first.2) {
        Some(apart) => Err(WholeError::Apart { one: first.0.to_owned(), two: apart.0.to_owned() }),
        None => Ok(()),
    }
}
