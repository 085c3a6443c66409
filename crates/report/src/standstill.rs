//! Periods without any response, as a sentence: neither a mean nor a percentile over a run shows them.
//!
//! Not here: finding them ([`reelgauge_analysis::silence`]). For streams, the incidents of late frames
//! cover them.

use reelgauge_analysis::series::Standstill;
use reelgauge_analysis::silence::Told;

use crate::units::moment;

/// `The storage did not respond for 6.1 s, starting at 3.0 s.`; `doing` is the activity at that time.
pub(crate) fn sentence(told: &Told<'_>, doing: &str) -> String {
    let Standstill { began_s, lasted_s } = told.longest;
    let more = match told.more {
        0 => String::new(),
        1 => ", and once for a shorter time".to_owned(),
        more => format!(", and {more} more times for a shorter time"),
    };
    format!(
        "The storage did not respond for {}{doing}, starting at {}{more}.",
        moment(lasted_s),
        moment(began_s)
    )
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::summary::Target;
    use reelgauge_analysis::test_figures::{times, vda_point};

    use reelgauge_analysis::Summary;

    use super::*;

    fn summary(standstills: &[(f64, f64)]) -> Summary {
        let mut summary = Summary::new("0.1.0", "2026-11-24T10:00:00Z", "mix", Target::default());
        let still = |&(began_s, lasted_s): &(f64, f64)| Standstill { began_s, lasted_s };
        summary.series.standstills = standstills.iter().map(still).collect();
        summary
    }

    fn told(summary: &Summary) -> Option<String> {
        reelgauge_analysis::silence::told(summary).map(|told| sentence(&told, ""))
    }

    #[test]
    fn longest_standstill_is_shown_with_its_time() {
        let mut printed = Vec::<String>::new();
        assert_eq!(told(&summary(&[])), None);
        printed.extend(told(&summary(&[(3.0, 6.08)])).as_deref().map(|text| text.to_string()));
        printed.extend(
            told(&summary(&[(1.0, 1.2), (3.0, 6.08), (12.0, 1.5)])).as_deref().map(|text| text.to_string()),
        );
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn usual_gaps_and_pauses_of_reelgauge_are_no_standstill() {
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
