//! Silences of the storage in a replay: times in which operations were in flight and none completed.
//!
//! A silence is an incident if it did harm. At the recorded pace it has to delay an operation, so an
//! `fsync` that took as long in the recording is no incident. Pauses of Reelgauge are not silences of
//! the storage.

use serde::{Deserialize, Serialize};

use crate::figures::{in_point_s, seconds, us};
use crate::incident::Silence;

/// The shortest silence that is an incident at the recorded pace …
const PACED_MIN_NS: u64 = 300_000_000;
/// … and at a pace that does not define when an answer is needed.
const FREE_MIN_NS: u64 = 1_000_000_000;
/// A silence is at least this many times as long as the median answer: constantly slow storage is not
/// silent.
const MEDIAN_ANSWERS: f64 = 5.0;
/// An operation that waited for less during a silence was not harmed by it.
const HARMED_FROM_NS: u64 = 100_000_000;
/// Silences of a pass that are listed, at most: the first ones.
const KEPT: usize = 200;

/// A silence of the storage that delayed a replay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReplaySilence {
    /// The time of the last answer before it, since the start of the run.
    pub began_s: f64,
    /// The same, since the start of the load point.
    pub began_in_point_s: f64,
    /// The same by the clock on the wall, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_at: Option<String>,
    /// The time of the next answer, or when the operations in flight were given up.
    pub ended_s: f64,
    /// Its duration, without pauses of Reelgauge.
    pub length_s: f64,
    /// Operations that were due before its end and completed after it; `None` if operations of a
    /// simulated user never completed.
    pub delayed_ops: Option<u64>,
    /// The longest response time of these.
    pub longest_response_us: Option<f64>,
}

/// The evidence that decides which silences of a pass did harm.
#[derive(Clone, Copy, Debug)]
pub struct SilenceScene<'a> {
    /// When the load point began.
    pub point_started_ns: u64,
    /// When operations with a long response time were due and completed; `None` if operations of a
    /// simulated user never completed.
    pub long_answers: Option<&'a [(u64, u64)]>,
    /// The median time from issue to completion.
    pub median_answer_us: Option<f64>,
    /// The end of the pass at the recorded pace; `None` if the pace is free.
    pub expected_end_ns: Option<u64>,
}

impl SilenceScene<'_> {
    /// The silences that are incidents, in the order of time.
    pub fn incidents(&self, silences: &[Silence]) -> Vec<ReplaySilence> {
        let least_ns = if self.expected_end_ns.is_some() { PACED_MIN_NS } else { FREE_MIN_NS };
        let usual_ns = self.median_answer_us.map_or(0.0, |median_us| median_us * 1e3 * MEDIAN_ANSWERS) as u64;
        let is_long = |silence: &&Silence| silence.length_ns >= least_ns.max(usual_ns);
        let told = |silence: &Silence| {
            let delayed = self.long_answers.map(|answers| delayed_by(silence, answers));
            // A time at the end of the clock's range cannot be exceeded.
            let outlasts = |end_ns: u64| silence.until_ns > end_ns.saturating_add(HARMED_FROM_NS);
            // Operations of simulated users that never completed are unknown.
            let is_harm = delayed.is_none_or(|(_, begun_late, _)| begun_late > 0)
                || self.expected_end_ns.is_none_or(outlasts);
            is_harm.then(|| ReplaySilence {
                began_s: seconds(silence.from_ns),
                began_in_point_s: in_point_s(silence.from_ns, self.point_started_ns),
                began_at: None,
                ended_s: seconds(silence.until_ns),
                length_s: seconds(silence.length_ns),
                delayed_ops: delayed.map(|(ops, ..)| ops),
                longest_response_us: delayed.and_then(|(_, _, longest_ns)| longest_ns).map(us),
            })
        };
        silences.iter().filter(is_long).filter_map(told).take(KEPT).collect()
    }
}

/// Operations that waited in a silence, how many of them were due in it, and the longest response.
fn delayed_by(silence: &Silence, long_answers: &[(u64, u64)]) -> (u64, u64, Option<u64>) {
    let waited = long_answers.iter().filter(|(due_ns, done_ns)| {
        // A damaged record may contain the largest possible time.
        *done_ns >= silence.until_ns && due_ns.saturating_add(HARMED_FROM_NS) <= silence.until_ns
    });
    let (mut ops, mut due_within, mut longest_ns) = (0, 0, None);
    for (due_ns, done_ns) in waited {
        ops += 1;
        // An operation that was in flight at its start may take as long as in the recording.
        due_within += u64::from(*due_ns > silence.from_ns);
        longest_ns = longest_ns.max(Some(done_ns - due_ns));
    }
    (ops, due_within, longest_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn silence(from_ms: u64, until_ms: u64) -> Silence {
        let (from_ns, until_ns) = (from_ms * MS, until_ms * MS);
        Silence { from_ns, until_ns, length_ns: until_ns - from_ns }
    }

    fn scene(long_answers: &[(u64, u64)]) -> SilenceScene<'_> {
        SilenceScene {
            point_started_ns: 500 * MS,
            long_answers: Some(long_answers),
            median_answer_us: Some(400.0),
            expected_end_ns: Some(9_000 * MS),
        }
    }

    #[test]
    fn a_freeze_is_an_incident_with_the_operations_that_waited() {
        // One operation was in flight, two became due during the silence, one just before its end.
        let answers =
            [(1_990, 5_000), (2_500, 5_004), (4_000, 5_008), (4_950, 5_060)].map(|(a, b)| (a * MS, b * MS));
        let found = scene(&answers).incidents(&[silence(2_000, 5_000)]);
        assert_eq!(found.len(), 1);
        let one = &found[0];
        assert_eq!((one.began_s, one.began_in_point_s, one.ended_s, one.length_s), (2.0, 1.5, 5.0, 3.0));
        assert_eq!((one.delayed_ops, one.longest_response_us), (Some(3), Some(3_010_000.0)));
    }

    #[test]
    fn wait_also_in_the_recording_is_no_incident() {
        // An fsync of 2 s; the next operation was due after its completion.
        let answers = [(1_000 * MS, 3_000 * MS)];
        assert_eq!(scene(&answers).incidents(&[silence(1_000, 3_000)]), []);
        // The same if it lasts beyond the recording, and if the pace is free.
        let last = SilenceScene { expected_end_ns: Some(2_500 * MS), ..scene(&answers) };
        assert_eq!(last.incidents(&[silence(1_000, 3_000)]).len(), 1);
        let free = SilenceScene { expected_end_ns: None, ..scene(&answers) };
        assert_eq!(free.incidents(&[silence(1_000, 3_000), silence(4_000, 4_900)]).len(), 1);
    }

    #[test]
    fn a_storage_that_is_always_slow_is_not_silent() {
        let answers = [(1_000 * MS, 2_000 * MS), (1_400 * MS, 2_400 * MS)];
        let slow = SilenceScene { median_answer_us: Some(400_000.0), ..scene(&answers) };
        assert_eq!(slow.incidents(&[silence(1_000, 1_400), silence(1_400, 1_800)]), []);
        assert_eq!(slow.incidents(&[silence(1_000, 3_100)]).len(), 0, "nobody waited for its end");
    }

    #[test]
    fn silence_after_abandoned_operations_has_unknown_delayed_ops() {
        let hung = SilenceScene { long_answers: None, ..scene(&[]) };
        let found = hung.incidents(&[silence(2_000, 32_000)]);
        assert_eq!((found.len(), found[0].delayed_ops, found[0].length_s), (1, None, 30.0));
    }
}
