//! The gate for automation: finds the figures that became worse by more than the user allows.

use super::{Comparison, ComparisonRow, Judgement, Kinship, Weight, is_about_reelgauge, weight};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    /// How much worse a figure may become, in percent. Changes within the noise always pass.
    pub threshold_percent: f64,
    /// Also check figures of Reelgauge itself; otherwise only those of the storage.
    pub with_the_tool: bool,
}

impl Gate {
    /// Whether a figure of a run is worse than allowed: beyond the noise and beyond the threshold. If
    /// the first run has 0 (no late frame, no error), any increase is worse.
    pub fn falls(&self, row: &ComparisonRow, run: usize) -> bool {
        let change = row.change_percent.get(run).copied().flatten().map_or(f64::INFINITY, f64::abs);
        self.holds(row)
            && row.judgement.get(run) == Some(&Judgement::Worse)
            && change > self.threshold_percent
    }

    /// Whether the gate checks this figure.
    fn holds(&self, row: &ComparisonRow) -> bool {
        self.with_the_tool || !is_about_reelgauge(&row.figure)
    }

    /// The figures that are worse than allowed, each with its run. Each side is represented by its first
    /// run.
    pub fn fallen<'a>(&self, comparison: &'a Comparison) -> Vec<(&'a ComparisonRow, usize)> {
        let others = comparison.others();
        let pairs = comparison.rows.iter().flat_map(|row| others.iter().map(move |&run| (row, run)));
        pairs.filter(|(row, run)| self.falls(row, *run)).collect()
    }

    /// Whether any figure could be judged. A gate that checked nothing has not passed, and a run
    /// compared with itself proves nothing.
    pub fn could_judge(&self, comparison: &Comparison) -> bool {
        let is_other = |run: &usize| comparison.runs[*run].kinship != Kinship::Itself;
        let runs: Vec<usize> = (1..comparison.runs.len()).filter(is_other).collect();
        // Different operations have no better and worse, so no gate applies to them.
        let is_gated = |row: &ComparisonRow, run: usize| {
            row.is_judged(run)
                && (comparison.runs[run].kinship != Kinship::OtherPlan
                    || weight(&row.figure) < Weight::Headline)
        };
        comparison.rows.iter().any(|row| self.holds(row) && runs.iter().any(|run| is_gated(row, *run)))
    }
}
