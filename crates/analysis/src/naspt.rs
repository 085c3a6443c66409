//! The table of a suite of replayed workloads: the median throughput of each over its passes, and one
//! number for all (paper, sections 3 and 6, Table 2).
//!
//! Every pass is kept in addition to the median, because passes differ by up to 15 % depending on where
//! the files are on the disks. The one number is the geometric mean: it is the same whether workloads
//! are averaged first and then compared, or the other way round. The paper prints arithmetic means of
//! ratios, by which each of two storages can be faster than the other. Both are kept, and must not be
//! compared with each other.
//!
//! A suite may contain other workloads in addition to the paper's twelve: traces of the user, and the
//! small and large accesses of the paper's IOMeter tests. Each [`WorkloadGroup`] has separate means, as
//! in Table 2.
//!
//! Not here: replaying, and the list of workloads.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::compare::evidence::t_98;
use crate::statement::{self, Doubt};
use crate::summary::Summary;

/// Passes of a complete result, as in the paper: each on newly prepared files.
pub const PASSES: usize = 5;

/// One replay of one workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NasptPass {
    /// Bytes read and written.
    pub moved_bytes: u64,
    /// From the start of the first operation to the end of the last one.
    pub duration_ns: u64,
    /// Operations whose result differs from the recorded one: an error, or fewer bytes.
    pub differing_ops: u64,
}

/// The source of a workload of a suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkloadGroup {
    /// One of the paper's twelve.
    #[default]
    Naspt,
    /// A trace of the user.
    Own,
    /// Accesses of the paper's IOMeter tests, one in flight.
    IometerOne,
    /// The same, 32 in flight.
    IometerMany,
}

impl WorkloadGroup {
    fn is_naspt(&self) -> bool {
        *self == WorkloadGroup::Naspt
    }
}

/// The workloads over which a mean is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeanOver {
    /// The workloads of one group.
    Group(WorkloadGroup),
    /// All accesses of the IOMeter tests.
    Iometer,
}

impl MeanOver {
    /// In the order of Table 2.
    pub const ALL: [MeanOver; 5] = [
        MeanOver::Group(WorkloadGroup::Naspt),
        MeanOver::Group(WorkloadGroup::Own),
        MeanOver::Group(WorkloadGroup::IometerOne),
        MeanOver::Group(WorkloadGroup::IometerMany),
        MeanOver::Iometer,
    ];

    /// Whether it includes workloads of this group.
    pub fn holds(self, group: WorkloadGroup) -> bool {
        match self {
            MeanOver::Group(of) => of == group,
            MeanOver::Iometer => matches!(group, WorkloadGroup::IometerOne | WorkloadGroup::IometerMany),
        }
    }

    /// The main mean of a suite: over the paper's workloads if it has some, otherwise over the user's.
    pub fn headline(groups: impl IntoIterator<Item = WorkloadGroup>) -> MeanOver {
        // Without any group it is the default one.
        match groups.into_iter().min().unwrap_or_default() {
            group @ (WorkloadGroup::Naspt | WorkloadGroup::Own) => MeanOver::Group(group),
            WorkloadGroup::IometerOne | WorkloadGroup::IometerMany => MeanOver::Iometer,
        }
    }
}

/// Both means of the same values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanPair {
    /// Their sum divided by their number, as the paper prints it.
    pub arithmetic: f64,
    /// The n-th root of their product.
    pub geometric: f64,
}

impl MeanPair {
    /// Both means; `None` for no values, and if a value is not above 0.
    pub fn of(values: &[f64]) -> Option<MeanPair> {
        let arithmetic = values.iter().sum::<f64>() / values.len() as f64;
        Some(MeanPair { geometric: geometric_mean(values)?, arithmetic })
    }
}

/// A workload of the suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NasptRow {
    /// Name of the workload.
    pub workload: String,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "WorkloadGroup::is_naspt")]
    pub group: WorkloadGroup,
    /// Every pass, in the order in which they ran.
    pub passes: Vec<NasptPass>,
    /// The median of the passes that count; `None` if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_bytes_per_s: Option<f64>,
    /// Whether operations used this client's cache; `None` if that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_cache: Option<bool>,
    /// The doubts about its run, as for a single run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NasptTable {
    /// Its workloads, in the order in which they ran.
    pub rows: Vec<NasptRow>,
    /// The geometric mean of the medians of its [headline](MeanOver::headline); `None` unless each of
    /// these workloads has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geometric_mean_bytes_per_s: Option<f64>,
    /// The arithmetic mean of the same. Also `None` in suites of versions that did not compute it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arithmetic_mean_bytes_per_s: Option<f64>,
}

/// A suite divided by another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NasptRatios {
    /// Every workload of the suite, and how many times as fast it was; `None` if one of the two has no
    /// median.
    pub rows: Vec<(String, Option<f64>)>,
    /// The geometric mean over the workloads of its [headline](MeanOver::headline) that have a ratio;
    /// `None` if there are none.
    pub geometric_mean: Option<f64>,
    /// The arithmetic mean of the same.
    #[serde(default)]
    pub arithmetic_mean: Option<f64>,
    /// The bounds of the geometric mean from the spread of the passes, which chance exceeds in 2 of 100
    /// cases; `None` if too few passes show a spread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geometric_between: Option<(f64, f64)>,
    /// The number of workloads with a ratio. A mean over fewer than all is weaker, and must be shown
    /// with this number.
    pub compared: usize,
    /// Workloads of the other suite that this one lacks.
    pub missing: Vec<String>,
}

impl NasptPass {
    /// Bytes per second; `None` if nothing was transferred or no time passed. Also `None` if the result
    /// of an operation differs from the recorded one, because such a pass did not do the workload.
    pub fn bytes_per_s(&self) -> Option<f64> {
        let counts = self.moved_bytes > 0 && self.duration_ns > 0 && self.differing_ops == 0;
        counts.then(|| self.moved_bytes as f64 * 1e9 / self.duration_ns as f64)
    }
}

impl NasptRow {
    /// A workload with its passes.
    pub fn new(workload: impl Into<String>, passes: Vec<NasptPass>) -> NasptRow {
        let median_bytes_per_s = median(passes.iter().filter_map(NasptPass::bytes_per_s).collect());
        NasptRow { workload: workload.into(), passes, median_bytes_per_s, ..NasptRow::default() }
    }

    /// The same with what its run shows about caches and its confidence.
    #[must_use]
    pub fn of_run(self, summary: &Summary) -> NasptRow {
        let past_cache = summary.memory.as_ref().and_then(|memory| memory.past_client_cache);
        let doubts = statement::of(summary).confidence.doubts;
        NasptRow { client_cache: past_cache.map(|past| !past), doubts, ..self }
    }

    /// The slowest and the fastest pass that counts, in bytes per second.
    pub fn range_bytes_per_s(&self) -> Option<(f64, f64)> {
        let counting = || self.passes.iter().filter_map(NasptPass::bytes_per_s);
        Some((counting().reduce(f64::min)?, counting().reduce(f64::max)?))
    }

    /// The spread of the passes, as a share of the median.
    pub fn spread(&self) -> Option<f64> {
        let (slowest, fastest) = self.range_bytes_per_s()?;
        Some((fastest - slowest) / self.median_bytes_per_s?)
    }

    /// The number of passes that do not count.
    pub fn discarded(&self) -> usize {
        self.passes.iter().filter(|pass| pass.bytes_per_s().is_none()).count()
    }
}

impl NasptTable {
    /// The table of these workloads.
    pub fn new(rows: Vec<NasptRow>) -> NasptTable {
        let table = NasptTable { rows, ..NasptTable::default() };
        let means = table.means(table.headline());
        NasptTable {
            geometric_mean_bytes_per_s: means.map(|means| means.geometric),
            arithmetic_mean_bytes_per_s: means.map(|means| means.arithmetic),
            ..table
        }
    }

    /// The mean that is its main number.
    pub fn headline(&self) -> MeanOver {
        MeanOver::headline(self.rows.iter().map(|row| row.group))
    }

    /// The rows that a mean is taken over.
    pub fn rows_over(&self, over: MeanOver) -> impl Iterator<Item = &NasptRow> {
        self.rows.iter().filter(move |row| over.holds(row.group))
    }

    /// Both means of the medians; `None` unless every workload has one.
    pub fn means(&self, over: MeanOver) -> Option<MeanPair> {
        let medians: Option<Vec<f64>> = self.rows_over(over).map(|row| row.median_bytes_per_s).collect();
        MeanPair::of(&medians?)
    }

    /// This suite divided by another. Workloads are matched by name.
    pub fn ratios_to(&self, base: &NasptTable) -> NasptRatios {
        let mut others: BTreeMap<&str, &NasptRow> =
            base.rows.iter().map(|row| (row.workload.as_str(), row)).collect();
        let over = self.headline();
        let (mut rows, mut ratios, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        for row in &self.rows {
            let other = others.remove(row.workload.as_str());
            let ratio = other.and_then(|other| Some(row.median_bytes_per_s? / other.median_bytes_per_s?));
            rows.push((row.workload.clone(), ratio));
            if let Some((other, ratio)) = other.zip(ratio).filter(|_| over.holds(row.group)) {
                ratios.push(ratio);
                pairs.push([row, other]);
            }
        }
        let means = MeanPair::of(&ratios);
        let noise = log_noise(&pairs);
        // In the other suite's order, not by name.
        let lacking = base.rows.iter().filter(|row| others.contains_key(row.workload.as_str()));
        NasptRatios {
            geometric_mean: means.map(|means| means.geometric),
            arithmetic_mean: means.map(|means| means.arithmetic),
            geometric_between: means
                .zip(noise)
                .map(|(means, noise)| (means.geometric / noise.exp(), means.geometric * noise.exp())),
            compared: ratios.len(),
            missing: lacking.map(|row| row.workload.clone()).collect(),
            rows,
        }
    }
}

/// The standard error of the logarithm of a geometric mean of ratios, from the spread of the passes,
/// pooled over all workloads and both sides. `None` with fewer than two degrees of freedom.
fn log_noise(pairs: &[[&NasptRow; 2]]) -> Option<f64> {
    let (mut squares, mut dof, mut of_means) = (0.0, 0.0, 0.0);
    for row in pairs.iter().flatten() {
        let logs: Vec<f64> = row.passes.iter().filter_map(NasptPass::bytes_per_s).map(f64::ln).collect();
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        squares += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        dof += count - 1.0;
        of_means += 1.0 / count;
    }
    let variance = squares / dof * of_means / (pairs.len() as f64).powi(2);
    (dof >= 2.0).then(|| t_98(dof) * variance.sqrt())
}

/// The median; the mean of the two middle values if their number is even.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some((lower + upper) / 2.0)
}

/// The geometric mean; `None` for no values, and if a value is not above 0.
fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| *value <= 0.0) {
        return None;
    }
    Some((values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    /// A pass at `mb_per_s`.
    fn pass(mb_per_s: u64) -> NasptPass {
        NasptPass { moved_bytes: mb_per_s * 1_000_000, duration_ns: 1_000_000_000, differing_ops: 0 }
    }

    fn table(workloads: &[(&str, &[u64])]) -> NasptTable {
        let row = |(name, speeds): &(&str, &[u64])| {
            NasptRow::new(*name, speeds.iter().map(|speed| pass(*speed)).collect())
        };
        NasptTable::new(workloads.iter().map(row).collect())
    }

    /// The paper's Table 2: NAS 3 and NAS 2 in multiples of NAS 1.
    const TABLE_2: [(&str, f64, f64); 12] = [
        ("ContentCreation", 0.8, 0.7),
        ("DirectoryCopyFromNAS", 2.5, 1.6),
        ("DirectoryCopyToNAS", 3.3, 0.9),
        ("FileCopyFromNAS", 3.3, 1.9),
        ("FileCopyToNAS", 5.5, 1.1),
        ("HDVideo_1Play", 2.8, 2.1),
        ("HDVideo_1Play_1Record", 3.0, 1.3),
        ("HDVideo_1Record", 4.0, 0.8),
        ("HDVideo_2Play", 2.1, 1.8),
        ("HDVideo_4Play", 1.5, 2.0),
        ("OfficeProductivity", 0.7, 0.2),
        ("PhotoAlbum", 2.0, 1.0),
    ];

    // (0.8 · 2.5 · 3.3 · …)^(1/12) with 30 digits, rounded; likewise the other column.
    const THREE: f64 = 2.25995540;
    const TWO: f64 = 1.10496705;

    #[test]
    fn the_spread_of_the_passes_bounds_a_mean() {
        let table = |passes: &[u64]| {
            NasptTable::new(vec![NasptRow::new("A", passes.iter().map(|bytes| pass(*bytes)).collect())])
        };
        // The sum of the squares is (ln 2)², with two degrees of freedom; the variance of the mean ratio
        // is half of that, and t is 6.965.
        let noisy = table(&[200, 100]).ratios_to(&table(&[100, 50]));
        let (least, most) = noisy.geometric_between.unwrap();
        let noise = (2.0_f64.ln().powi(2) / 2.0).sqrt() * 6.965;
        assert!((noisy.geometric_mean.unwrap() - 2.0).abs() < 1e-9);
        assert!((least - 2.0 / noise.exp()).abs() < 1e-9 && (most - 2.0 * noise.exp()).abs() < 1e-6);
        let (least, most) = table(&[200, 200]).ratios_to(&table(&[100, 100])).geometric_between.unwrap();
        assert_eq!((least, most), (2.0, 2.0));
        assert_eq!(table(&[200]).ratios_to(&table(&[100])).geometric_between, None);
    }

    #[test]
    fn the_papers_table_has_the_geometric_means_that_a_calculator_gives() {
        let nas = |column: fn(&(&str, f64, f64)) -> f64| {
            let row =
                |row: &(&str, f64, f64)| NasptRow::new(row.0, vec![pass((column(row) * 1000.0) as u64)]);
            NasptTable::new(TABLE_2.iter().map(row).collect())
        };
        let (one, two, three) = (nas(|_| 1.0), nas(|row| row.2), nas(|row| row.1));
        let (two, three) = (two.ratios_to(&one), three.ratios_to(&one));
        assert_eq!((two.compared, two.missing.len()), (12, 0));
        // Arithmetic: 2.625 and 1.283, as printed (2.6 and 1.3).
        let mean = |ratios: &NasptRatios| ratios.arithmetic_mean.unwrap();
        assert!((mean(&three) - 2.625).abs() < 1e-9 && (mean(&two) - 1.2833).abs() < 1e-4);
        assert!((three.geometric_mean.unwrap() - THREE).abs() < 1e-6, "{three:?}");
        assert!((two.geometric_mean.unwrap() - TWO).abs() < 1e-6, "{two:?}");
    }

    #[test]
    fn the_median_is_of_the_passes_and_all_are_kept() {
        let table = table(&[("a", &[30, 10, 50, 20, 40]), ("b", &[10, 40])]);
        assert_eq!(table.rows[0].median_bytes_per_s, Some(30e6));
        assert_eq!(table.rows[1].median_bytes_per_s, Some(25e6));
        assert_eq!(table.rows[0].passes.len(), PASSES);
        assert_eq!(table.rows[0].range_bytes_per_s(), Some((10e6, 50e6)));
        assert!((table.rows[0].spread().unwrap() - 4.0 / 3.0).abs() < 1e-12);
        let mean = table.geometric_mean_bytes_per_s.unwrap();
        assert!((mean - (30e6_f64 * 25e6).sqrt()).abs() < 1.0, "{mean}");
    }

    #[test]
    fn a_pass_that_did_something_else_does_not_count_and_stays_visible() {
        let failed = NasptPass { differing_ops: 1, ..pass(900) };
        let row = NasptRow::new("a", vec![pass(10), failed, pass(12)]);
        assert_eq!((row.median_bytes_per_s, row.discarded(), row.passes.len()), (Some(11e6), 1, 3));
        let nothing = NasptRow::new("b", vec![failed, NasptPass { duration_ns: 0, ..pass(1) }]);
        assert_eq!((nothing.median_bytes_per_s, nothing.range_bytes_per_s()), (None, None));
        let table = NasptTable::new(vec![row, nothing]);
        assert_eq!(table.geometric_mean_bytes_per_s, None, "a mean over fewer workloads is another figure");
    }

    #[test]
    fn other_workloads_are_in_no_mean_of_the_twelve() {
        let of_group = |group, speed| NasptRow { group, ..NasptRow::new("x", vec![pass(speed)]) };
        let own = of_group(WorkloadGroup::Own, 1000);
        let [one, many] = [WorkloadGroup::IometerOne, WorkloadGroup::IometerMany].map(|of| of_group(of, 7));
        let mut rows = table(&[("a", &[40]), ("b", &[10])]).rows;
        rows.extend([own.clone(), one.clone(), many.clone()]);
        let all = NasptTable::new(rows);
        let is_about = |value: Option<f64>, wanted: f64| (value.unwrap() - wanted).abs() < 1.0;
        assert!(
            is_about(all.geometric_mean_bytes_per_s, 20e6) && is_about(all.arithmetic_mean_bytes_per_s, 25e6)
        );
        assert!(is_about(all.means(MeanOver::Iometer).map(|means| means.arithmetic), 7e6));
        assert_eq!(
            NasptTable::new(vec![one.clone(), own.clone()]).headline(),
            MeanOver::Group(WorkloadGroup::Own)
        );
        assert_eq!(NasptTable::new(vec![many, one]).headline(), MeanOver::Iometer);
        assert_eq!(NasptTable::new(vec![own]).means(MeanOver::Iometer), None);
    }

    #[test]
    fn suites_are_compared_by_their_common_workloads() {
        let (new, old) = (
            table(&[("a", &[40]), ("b", &[10]), ("c", &[7])]),
            table(&[("z", &[1]), ("b", &[20]), ("a", &[10])]),
        );
        let ratios = new.ratios_to(&old);
        let rows: Vec<_> = ratios.rows.iter().map(|(name, ratio)| (name.as_str(), *ratio)).collect();
        assert_eq!(rows, [("a", Some(4.0)), ("b", Some(0.5)), ("c", None)]);
        assert!((ratios.geometric_mean.unwrap() - 2.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!((ratios.compared, ratios.missing), (2, vec!["z".to_owned()]));
        assert_eq!(new.ratios_to(&NasptTable::default()).geometric_mean, None);
    }

    #[test]
    fn value_round_trips_through_json() {
        let table = table(&[("a", &[30, 10]), ("b", &[])]);
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(serde_json::from_str::<NasptTable>(&text).unwrap(), table);
    }

    proptest! {
        #[test]
        fn there_and_back_is_one(speeds in prop::collection::vec((1_u64..10_000, 1_u64..10_000), 1..12)) {
            let names: Vec<String> = (0..speeds.len()).map(|at| at.to_string()).collect();
            let of = |column: fn(&(u64, u64)) -> u64| {
                let rows = names.iter().zip(&speeds);
                let passes = rows.map(|(name, both)| (name, vec![pass(column(both))]));
                NasptTable::new(passes.map(|(name, passes)| NasptRow::new(name.as_str(), passes)).collect())
            };
            let (one, two) = (of(|both| both.0), of(|both| both.1));
            let (there, back) = (one.ratios_to(&two), two.ratios_to(&one));
            let product = there.geometric_mean.unwrap() * back.geometric_mean.unwrap();
            prop_assert!((product - 1.0).abs() < 1e-9);
            let means = one.geometric_mean_bytes_per_s.unwrap() / two.geometric_mean_bytes_per_s.unwrap();
            prop_assert!((means / there.geometric_mean.unwrap() - 1.0).abs() < 1e-9);
        }
    }
}
