//! The counters that are not shown, as sentences.
//!
//! Not here: which counters are omitted ([`reelgauge_analysis::counters::page_series`]).

use reelgauge_analysis::counters::note::CounterNote;

/// A note on the counters of one agent.
pub fn counter_note_sentence(note: &CounterNote) -> String {
    match note {
        CounterNote::Damaged(error) => format!("Some counters are omitted: {error}."),
        CounterNote::Silent { series } => {
            format!("Error and wait counters that stayed at 0 are not shown: {series}.")
        }
        CounterNote::NoRoom { series } => {
            let count = series.map_or_else(|| "many".to_owned(), |series| series.to_string());
            format!(
                "Counters omitted here for lack of space (all are in counters/ of the run directory): \
                 {count}."
            )
        }
        CounterNote::Unknown(names) => {
            format!("This version does not know these counters: {}.", names.join(", "))
        }
        CounterNote::NotSampled(what) => format!("Not sampled: {what}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omitted_counters_are_counted() {
        let mut printed = Vec::<String>::new();
        let said = |note| counter_note_sentence(&note);
        assert!(said(CounterNote::NoRoom { series: Some(30) }).ends_with(": 30."));
        assert!(said(CounterNote::NoRoom { series: None }).ends_with(": many."));
        printed.push(said(CounterNote::Silent { series: 4 }).to_string());
        printed.push(
            said(CounterNote::Unknown(vec!["disk spin_up_count".to_owned(), "host x".to_owned()]))
                .to_string(),
        );
        printed.push(said(CounterNote::NotSampled("/proc/x: none".to_owned())).to_string());
        printed.push(said(CounterNote::Damaged("part 2 is cut".to_owned())).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }
}
