//! Combines incidents of several hosts: those that happened at the same time, within the uncertainty of
//! the clocks, have one cause and are one incident.
//!
//! Incidents that a host or Reelgauge caused, and saturated links, concern that host alone, whatever
//! happened on others at that time. They stay separate.

use super::{Incident, STREAMS_NAMED};
use crate::culprit::Culprit;
use crate::point_culprit::booked_most;

/// An incident of one host, with the clock and the numbers of the run.
#[derive(Clone, Debug)]
pub struct HostIncident {
    pub agent: String,
    /// The uncertainty of its times. `None` if its clock was not compared: then no other incident counts
    /// as simultaneous.
    pub uncertainty_s: Option<f64>,
    pub incident: Incident,
}

/// The incidents of the run, in order of time.
pub fn merge_hosts(mut of_hosts: Vec<HostIncident>) -> Vec<Incident> {
    of_hosts.sort_by(|one, two| one.incident.began_s.total_cmp(&two.incident.began_s));
    let mut groups: Vec<Vec<HostIncident>> = Vec::new();
    for found in of_hosts {
        let near = groups.iter_mut().find(|group| group.iter().any(|known| have_one_cause(known, &found)));
        match near {
            Some(group) => group.push(found),
            None => groups.push(vec![found]),
        }
    }
    groups.into_iter().filter_map(joined).collect()
}

/// Whether both can have the same cause.
fn have_one_cause(one: &HostIncident, two: &HostIncident) -> bool {
    let may_be_shared =
        |found: &HostIncident| matches!(found.incident.culprit, Culprit::Storage | Culprit::NotKnown);
    if one.agent == two.agent || !may_be_shared(one) || !may_be_shared(two) {
        return false;
    }
    let Some(off_s) = one.uncertainty_s.zip(two.uncertainty_s).map(|(one, two)| one + two) else {
        return false;
    };
    one.incident.began_s <= two.incident.ended_s + off_s
        && two.incident.began_s <= one.incident.ended_s + off_s
}

/// Combines several incidents. The state of the storage is taken from the host with the most late
/// frames.
fn joined(group: Vec<HostIncident>) -> Option<Incident> {
    let worst = group.iter().max_by_key(|found| found.incident.late_frames)?.incident.clone();
    let mut agents: Vec<String> = group.iter().map(|found| found.agent.clone()).collect();
    agents.sort();
    agents.dedup();
    if let [_] = group.as_slice() {
        return Some(Incident { agents, ..worst });
    }
    let incidents: Vec<Incident> = group.into_iter().map(|found| found.incident).collect();
    let sum = |of: fn(&Incident) -> u64| incidents.iter().map(of).sum::<u64>();
    let first = incidents.iter().min_by(|one, two| one.began_s.total_cmp(&two.began_s))?;
    let mut streams: Vec<u32> = incidents.iter().flat_map(|incident| incident.streams.clone()).collect();
    streams.sort_unstable();
    streams.truncate(STREAMS_NAMED);
    Some(Incident {
        began_s: first.began_s,
        began_in_point_s: first.began_in_point_s,
        began_at: first.began_at.clone(),
        ended_s: incidents.iter().map(|incident| incident.ended_s).fold(first.ended_s, f64::max),
        agents,
        stream_count: sum(|incident| incident.stream_count),
        streams,
        late_frames: sum(|incident| incident.late_frames),
        dropped_frames: sum(|incident| incident.dropped_frames),
        failed_frames: sum(|incident| incident.failed_frames),
        late_frames_with_own_delay: sum(|incident| incident.late_frames_with_own_delay),
        late_frames_rate_limited: sum(|incident| incident.late_frames_rate_limited),
        worst_late_us: incidents.iter().filter_map(|incident| incident.worst_late_us).reduce(f64::max),
        storage: worst.storage,
        // Each host was in another state.
        machine: None,
        // Unknown if no incident has a culprit.
        culprit: booked_most(&incidents).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(agent: &str, began_s: f64, culprit: Culprit) -> HostIncident {
        let incident = Incident {
            began_s,
            ended_s: began_s + 1.0,
            stream_count: 2,
            streams: vec![1, 2],
            late_frames: 20,
            worst_late_us: Some(began_s),
            culprit,
            ..Incident::default()
        };
        HostIncident { agent: agent.to_owned(), uncertainty_s: Some(0.001), incident }
    }

    fn agents(incidents: &[Incident]) -> Vec<Vec<&str>> {
        incidents.iter().map(|one| one.agents.iter().map(String::as_str).collect()).collect()
    }

    #[test]
    fn simultaneous_incidents_of_hosts_are_merged() {
        let all = merge_hosts(vec![
            found("a2", 7.2, Culprit::Storage),
            found("a1", 7.0, Culprit::Storage),
            found("a3", 20.0, Culprit::Storage),
        ]);
        assert_eq!(agents(&all), [vec!["a1", "a2"], vec!["a3"]]);
        let one = &all[0];
        assert_eq!((one.began_s, one.ended_s, one.late_frames, one.stream_count), (7.0, 8.2, 40, 4));
        assert_eq!((one.culprit, one.worst_late_us), (Culprit::Storage, Some(7.2)));
    }

    #[test]
    fn incident_caused_by_its_host_is_not_merged() {
        for own in [Culprit::Tool, Culprit::ThisMachine, Culprit::Link] {
            let all = merge_hosts(vec![found("a1", 7.0, Culprit::Storage), found("a2", 7.0, own)]);
            assert_eq!(all.len(), 2, "{own:?}");
        }
    }

    #[test]
    fn incidents_with_uncompared_clocks_are_not_merged() {
        let unknown = HostIncident { uncertainty_s: None, ..found("a2", 7.0, Culprit::Storage) };
        assert_eq!(merge_hosts(vec![found("a1", 7.0, Culprit::Storage), unknown]).len(), 2);
        // With the uncertainty of the clocks, the end of one and the start of the other coincide.
        let late = |uncertainty_s| HostIncident {
            uncertainty_s: Some(uncertainty_s),
            ..found("a2", 8.01, Culprit::Storage)
        };
        assert_eq!(merge_hosts(vec![found("a1", 7.0, Culprit::Storage), late(0.02)]).len(), 1);
        assert_eq!(merge_hosts(vec![found("a1", 7.0, Culprit::Storage), late(0.001)]).len(), 2);
    }
}
