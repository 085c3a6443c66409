//! When nothing at all was answered, in a sentence: a mean over a run hides it, and so does a percentile.
//!
//! Not here: when that was ([`reelgauge_analysis::series`]). Late frames have incidents, which tell it of
//! streams.

use reelgauge_analysis::series::Standstill;
use reelgauge_analysis::{LoadPoint, Summary};

use crate::units::moment;

/// Where an operation usually takes so long that this many of them are as long as the standstill, it is none.
const USUAL_TIMES: f64 = 3.0;

/// Of a standstill, the share from which on a pause of the tool itself explains it.
const PAUSED_SHARE: f64 = 0.5;

/// The longest standstill, and how many more there were; `None` without any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told<'a> {
    pub(crate) longest: Standstill,
    /// The load point in which it began.
    pub(crate) point: Option<&'a LoadPoint>,
    more: usize,
}

/// What there is to tell of; `None` where something was answered in every second that anything was asked.
pub(crate) fn standstill(summary: &Summary) -> Option<Told<'_>> {
    let told: Vec<Standstill> =
        summary.series.standstills.iter().copied().filter(|still| is_told(still, summary)).collect();
    let longest = *told.iter().max_by(|one, two| one.lasted_s.total_cmp(&two.lasted_s))?;
    Some(Told { longest, point: point_of(&longest, summary), more: told.len() - 1 })
}

impl Told<'_> {
    /// `Nothing was answered for 6.1 s, from 3.0 s on.`; `doing` is what was asked meanwhile.
    pub(crate) fn sentence(&self, doing: &str) -> String {
        let Standstill { began_s, lasted_s } = self.longest;
        let more = match self.more {
            0 => String::new(),
            1 => ", and once more for a shorter time".to_owned(),
            more => format!(", and {more} more times for a shorter time"),
        };
        format!("Nothing was answered for {}{doing}, from {} on{more}.", moment(lasted_s), moment(began_s))
    }
}

fn point_of<'a>(still: &Standstill, summary: &'a Summary) -> Option<&'a LoadPoint> {
    let begun = summary.load_points.iter().filter(|point| point.started_s <= still.began_s);
    begun.max_by(|one, two| one.started_s.total_cmp(&two.started_s))
}

/// Whether it was more than operations that always take as long, and not the tool that did not run.
fn is_told(still: &Standstill, summary: &Summary) -> bool {
    let usual = point_of(still, summary).and_then(|point| point.total.response.data.as_ref());
    let is_usual = usual.is_some_and(|times| still.lasted_s < USUAL_TIMES * times.p50_us / 1e6);
    let cost = &summary.self_cost;
    let paused_s = cost.longest_pause_began_s.zip(cost.longest_pause_s).map_or(0.0, |(began_s, pause_s)| {
        let until_s = still.began_s + still.lasted_s;
        (began_s + pause_s).min(until_s) - began_s.max(still.began_s)
    });
    !is_usual && paused_s < PAUSED_SHARE * still.lasted_s
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::summary::Target;
    use reelgauge_analysis::test_figures::{times, vda_point};

    use super::*;

    fn summary(standstills: &[(f64, f64)]) -> Summary {
        let mut summary = Summary::new("0.1.0", "2026-11-24T10:00:00Z", "mix", Target::default());
        let still = |&(began_s, lasted_s): &(f64, f64)| Standstill { began_s, lasted_s };
        summary.series.standstills = standstills.iter().map(still).collect();
        summary
    }

    fn told(summary: &Summary) -> Option<String> {
        standstill(summary).map(|told| told.sentence(""))
    }

    #[test]
    fn the_longest_is_told_with_its_time() {
        assert_eq!(told(&summary(&[])), None);
        assert_eq!(
            told(&summary(&[(3.0, 6.08)])).as_deref(),
            Some("Nothing was answered for 6.1 s, from 3.0 s on.")
        );
        assert_eq!(
            told(&summary(&[(1.0, 1.2), (3.0, 6.08), (12.0, 1.5)])).as_deref(),
            Some("Nothing was answered for 6.1 s, from 3.0 s on, and 2 more times for a shorter time.")
        );
    }

    #[test]
    fn what_is_usual_there_and_what_the_tool_slept_through_is_none() {
        let mut slow = summary(&[(3.0, 1.4)]);
        slow.load_points = vec![vda_point(1, 1.0, None)];
        assert!(told(&slow).is_some());
        let mut usual = times(1_500_000.0);
        usual.p50_us = 1_300_000.0;
        slow.load_points[0].total.response.data = Some(usual);
        assert_eq!(told(&slow), None);
        let mut stopped = summary(&[(3.0, 6.08)]);
        stopped.self_cost.longest_pause_began_s = Some(3.1);
        stopped.self_cost.longest_pause_s = Some(5.9);
        assert_eq!(told(&stopped), None);
        stopped.self_cost.longest_pause_s = Some(0.4);
        assert!(told(&stopped).is_some());
    }
}
