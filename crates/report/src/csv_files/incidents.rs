//! Incidents for spreadsheets: one row each.

use std::io::Write;

use reelgauge_analysis::incident::{Incident, MachineThen};
use reelgauge_analysis::{LoadPoint, Summary};

use super::optional;

const COLUMNS: [&str; 31] = [
    "point",
    "label",
    "stream_count",
    "incident",
    "began_at",
    "began_s",
    "began_in_point_s",
    "ended_s",
    "streams_hit",
    "late_frames",
    "dropped_frames",
    "failed_frames",
    "late_frames_with_own_delay",
    "worst_late_us",
    "culprit",
    "storage_behaviour",
    "no_answer_s",
    "no_answer_began_s",
    "answered_share",
    "longest_op_us",
    "own_delay_max_us",
    "paused_s",
    "longest_pause_s",
    "processors_busy_percent",
    "own_processors_percent",
    "others_processors_percent",
    "steal_percent",
    "throttled_percent",
    "memory_waiting_percent",
    "link_share",
    "disk_busy_percent",
];

/// Incidents: one row for each in each load point.
///
/// # Errors
/// When it can't be written.
pub fn incidents_csv(summary: &Summary, out: impl Write) -> Result<(), csv::Error> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(COLUMNS)?;
    for point in &summary.load_points {
        let incidents = point.streams.iter().flat_map(|late| &late.incidents);
        for (at, incident) in incidents.enumerate() {
            csv.write_record(row(point, at, incident))?;
        }
    }
    Ok(csv.flush()?)
}

fn row(point: &LoadPoint, at: usize, incident: &Incident) -> [String; COLUMNS.len()] {
    let storage = &incident.storage;
    let machine = |of: fn(&MachineThen) -> Option<f64>| optional(incident.machine.as_ref().and_then(of));
    [
        point.index.to_string(),
        point.label.clone(),
        optional(point.stream_count),
        at.to_string(),
        incident.began_at.clone().unwrap_or_default(),
        incident.began_s.to_string(),
        incident.began_in_point_s.to_string(),
        incident.ended_s.to_string(),
        incident.stream_count.to_string(),
        incident.late_frames.to_string(),
        incident.dropped_frames.to_string(),
        incident.failed_frames.to_string(),
        incident.late_frames_with_own_delay.to_string(),
        optional(incident.worst_late_us),
        incident.culprit.name().to_owned(),
        storage.behaviour.name().to_owned(),
        optional(storage.no_answer_s),
        optional(storage.no_answer_began_s),
        optional(storage.answered_share),
        optional(storage.longest_op_us),
        machine(|then| then.own_delay_max_us),
        machine(|then| then.paused_s),
        machine(|then| then.longest_pause_s),
        machine(|then| then.processors_busy_percent),
        machine(|then| then.own_processors_percent),
        machine(|then| then.others_processors_percent),
        machine(|then| then.steal_percent),
        machine(|then| then.throttled_percent),
        machine(|then| then.memory_waiting_percent),
        machine(|then| then.link_share),
        machine(|then| then.disk_busy_percent),
    ]
}
