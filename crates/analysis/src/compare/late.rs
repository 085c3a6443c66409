//! Late frames over the stretches of a load point, from the incidents that the summary keeps of every
//! stream.
//!
//! Frames that are late behind one another have one cause, so their number alone says nothing about chance;
//! when they were late does.

use super::evidence::{Noise, of_count};
use crate::late::LateFigures;

/// So many stretches. Late frames are rare, so there is nothing to gain from more.
const STRETCHES: usize = 10;

/// Less than this was measured: nothing can be said.
const MEASURED_MIN_S: f64 = 5.0;

/// How well the number of late frames is known. `from_s` is where the measured part begins in the load
/// point.
pub(super) fn noise(late: &LateFigures, from_s: f64, measured_s: f64) -> Noise {
    if measured_s < MEASURED_MIN_S {
        return Noise::Unknown;
    }
    let mut counts = [0.0; STRETCHES];
    let length_s = measured_s / STRETCHES as f64;
    for stream in &late.streams {
        let mut listed = 0;
        let mut listed_until_s = from_s;
        for incident in &stream.first_incidents {
            listed += incident.frames;
            let (began_s, ended_s) =
                (incident.began_in_point_s, incident.began_in_point_s + incident.length_s);
            listed_until_s = listed_until_s.max(ended_s);
            spread(&mut counts, incident.frames as f64, [began_s - from_s, ended_s - from_s], length_s);
        }
        // The list ends after a hundred incidents; what came later is somewhere behind it.
        let rest = stream.late_frames.saturating_sub(listed);
        spread(&mut counts, rest as f64, [listed_until_s - from_s, measured_s], length_s);
    }
    of_count(&counts)
}

/// Spreads frames evenly over the stretches that a time covers.
fn spread(counts: &mut [f64; STRETCHES], frames: f64, [began_s, ended_s]: [f64; 2], length_s: f64) {
    if frames <= 0.0 {
        return;
    }
    let place = |at_s: f64| (at_s / length_s).clamp(0.0, STRETCHES as f64 - 1e-9);
    let (began, ended) = (place(began_s), place(ended_s));
    if ended - began < 1e-6 {
        counts[began as usize] += frames;
        return;
    }
    for (at, count) in counts.iter_mut().enumerate() {
        let covered = (ended.min(at as f64 + 1.0) - began.max(at as f64)).max(0.0);
        *count += frames * covered / (ended - began);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::late::{Incident, StreamFigures};

    fn stream(incidents: &[(f64, f64, u64)]) -> StreamFigures {
        let incident = |&(began_in_point_s, length_s, frames): &(f64, f64, u64)| Incident {
            first_frame: 0,
            frames,
            dropped_frames: 0,
            began_s: began_in_point_s,
            began_in_point_s,
            length_s,
            worst_late_us: None,
        };
        let first_incidents: Vec<Incident> = incidents.iter().map(incident).collect();
        let late_frames = first_incidents.iter().map(|incident| incident.frames).sum();
        StreamFigures { late_frames, first_incidents, ..StreamFigures::default() }
    }

    fn error(streams: Vec<StreamFigures>) -> f64 {
        match noise(&LateFigures { streams, ..LateFigures::default() }, 2.0, 100.0) {
            Noise::Absolute(error, _) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_stall_is_no_more_than_chance_and_one_in_every_stretch_is() {
        let once = error(vec![stream(&[(40.0, 4.0, 100)]), stream(&[(40.0, 4.0, 100)])]);
        assert!(once >= 200.0, "{once}");
        let always: Vec<(f64, f64, u64)> = (0..10).map(|at| (3.0 + 10.0 * f64::from(at), 1.0, 100)).collect();
        let always = error(vec![stream(&always)]);
        assert!(always < 0.05 * 1000.0, "{always}");
        assert_eq!(error(Vec::new()), 1.0);
    }

    #[test]
    fn what_the_list_leaves_out_lies_behind_it() {
        let mut cut = stream(&[(2.0, 50.0, 500)]);
        cut.late_frames = 1000;
        assert!(error(vec![cut]) < 50.0);
        assert_eq!(noise(&LateFigures::default(), 0.0, 2.0), Noise::Unknown);
    }
}
