//! `event.json` in a run directory: the event that the user scheduled during the run, written when it
//! begins and when it ends. It is read in addition to `summary.json`, so that it is known even if the
//! run was killed.

use std::path::Path;

use reelgauge_analysis::Summary;
use reelgauge_analysis::marks::{Mark, MarkKind};
use reelgauge_analysis::run_event::{EventEnd, EventFacts, effect};
use reelgauge_record::run_dir::{RunDirError, write_atomically};

use crate::load_points::LoadPointPlan;
use crate::small_file::read_json;

/// Name of the file in a run directory.
pub const EVENT_FILE: &str = "event.json";
/// Bytes that are read, at most.
const FILE_MAX_BYTES: u64 = 256 << 10;

/// Writes the facts about the event.
///
/// # Errors
/// If the directory cannot be written.
pub fn write(run_dir: &Path, event: &EventFacts) -> Result<(), RunDirError> {
    let path = run_dir.join(EVENT_FILE);
    let mut text = serde_json::to_vec_pretty(event)
        .map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    text.push(b'\n');
    write_atomically(&path, &text)
}

/// Adds the event to the summary of its run, with a mark and its effect on the streams. To be called
/// after the entered marks were added.
pub fn event_into(summary: &mut Summary, run_dir: &Path, planned: &[LoadPointPlan]) {
    let read: Option<EventFacts> = read_json(&run_dir.join(EVENT_FILE), FILE_MAX_BYTES);
    let Some(mut event) = read.filter(is_sound) else { return };
    event.effect = event.began_s.and_then(|began_s| {
        let measured = planned.iter().rfind(|point| seconds(point.warmup_until_ns) <= began_s)?;
        let point = summary.load_points.iter().find(|point| point.index == measured.index)?;
        let until_s = seconds(measured.warmup_until_ns) + point.measured_s;
        effect(&event, point, &summary.series, until_s)
    });
    summary.marks.extend(event.began_s.map(|began_s| Mark {
        kind: MarkKind::Entered,
        device: event.name.clone(),
        agent: String::new(),
        began_s,
        ended_s: event.ended_s.unwrap_or(began_s),
        is_open: event.end == EventEnd::Running,
    }));
    summary.marks.sort_by(|one, two| one.began_s.total_cmp(&two.began_s));
    summary.event = Some(event);
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Checks the file, because another program may have written it.
fn is_sound(event: &EventFacts) -> bool {
    let times = [event.began_s, event.ended_s, Some(event.time_limit_s)];
    times.into_iter().flatten().all(|time_s| (0.0..=crate::entered_marks::LATEST_S).contains(&time_s))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::summary::Target;

    use super::*;

    fn facts() -> EventFacts {
        EventFacts {
            name: "rebuild".to_owned(),
            command: "exit 3".to_owned(),
            time_limit_s: 600.0,
            began_s: Some(4.0),
            ended_s: Some(6.0),
            end: EventEnd::Exit { code: 3 },
            output: Some("event-rebuild.log".to_owned()),
            output_is_cut: false,
            effect: None,
        }
    }

    fn shown(dir: &Path) -> Summary {
        let mut summary = Summary::new("0.1.0", "", "mix", Target::default());
        crate::entered_marks::entered_into(&mut summary, dir);
        event_into(&mut summary, dir, &[]);
        crate::entered_marks::entered_into(&mut summary, dir);
        event_into(&mut summary, dir, &[]);
        summary
    }

    #[test]
    fn an_event_is_in_the_summary_with_one_mark() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!((shown(dir.path()).event, shown(dir.path()).marks), (None, Vec::new()));
        write(dir.path(), &facts()).unwrap();
        let summary = shown(dir.path());
        assert_eq!(summary.event, Some(facts()));
        let marks: Vec<_> =
            summary.marks.iter().map(|mark| (&*mark.device, mark.began_s, mark.ended_s)).collect();
        assert_eq!(marks, [("rebuild", 4.0, 6.0)]);
    }

    #[test]
    fn invalid_event_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let nested = "[".repeat(20_000);
        let huge = serde_json::to_string(&EventFacts { began_s: Some(1e300), ..facts() }).unwrap();
        for text in ["{", "[]", &nested, &huge] {
            std::fs::write(dir.path().join(EVENT_FILE), text).unwrap();
            assert_eq!(shown(dir.path()).event, None, "{text:.40}");
        }
    }
}
