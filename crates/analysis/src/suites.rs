//! Any number of suites side by side: the throughput of each of their workloads, also divided by that of
//! the first suite, and both means of each group (NASPT paper, Table 2 and Figures 6, 7 and 14).
//!
//! Not here: one suite ([`crate::naspt`]), and sentences.

use crate::naspt::{MeanOver, MeanPair, NasptRow, NasptTable, WorkloadGroup};

/// Several suites. Lists have an entry for each of them, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct SuitesTable {
    /// The workloads of all suites, in the order in which they first occur.
    pub rows: Vec<SuitesRow>,
    /// The means of every group that occurs in one of them.
    pub means: Vec<SuitesMean>,
}

/// A workload in each suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuitesRow {
    pub workload: String,
    pub group: WorkloadGroup,
    /// The median of its passes; `None` if it has none that counts.
    pub bytes_per_s: Vec<Option<f64>>,
    /// The same divided by that of the first suite; `None` if one of the two is missing.
    pub times_first: Vec<Option<f64>>,
}

/// A mean in each suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuitesMean {
    /// The workloads of the mean.
    pub over: MeanOver,
    /// Number of workloads of the group, in all suites together.
    pub workloads: usize,
    /// The means of the medians; `None` unless the suite has one for every workload of the group.
    pub bytes_per_s: Vec<Option<MeanPair>>,
    /// The means of the quotients, over the workloads that have one.
    pub times_first: Vec<Option<MeanPair>>,
    /// The number of these workloads.
    pub compared: Vec<usize>,
}

impl SuitesTable {
    /// Compares these suites; the first one is the reference.
    pub fn of(suites: &[&NasptTable]) -> SuitesTable {
        let mut rows: Vec<SuitesRow> = Vec::new();
        for row in suites.iter().flat_map(|suite| &suite.rows) {
            if !rows.iter().any(|known| known.workload == row.workload) {
                rows.push(SuitesRow::of(row, suites));
            }
        }
        let has = |over: &MeanOver| rows.iter().any(|row| over.holds(row.group));
        let means =
            MeanOver::ALL.into_iter().filter(has).map(|over| SuitesMean::of(over, &rows, suites.len()));
        SuitesTable { means: means.collect(), rows }
    }
}

impl SuitesRow {
    fn of(row: &NasptRow, suites: &[&NasptTable]) -> SuitesRow {
        let median = |suite: &&NasptTable| {
            suite.rows.iter().find(|one| one.workload == row.workload)?.median_bytes_per_s
        };
        let bytes_per_s: Vec<Option<f64>> = suites.iter().map(median).collect();
        let first = bytes_per_s.first().copied().flatten();
        let times = |own: &Option<f64>| own.zip(first).map(|(own, first)| own / first);
        SuitesRow {
            workload: row.workload.clone(),
            group: row.group,
            times_first: bytes_per_s.iter().map(times).collect(),
            bytes_per_s,
        }
    }
}

impl SuitesMean {
    fn of(over: MeanOver, rows: &[SuitesRow], suites: usize) -> SuitesMean {
        let rows: Vec<&SuitesRow> = rows.iter().filter(|row| over.holds(row.group)).collect();
        let rates =
            |suite: usize| -> Option<Vec<f64>> { rows.iter().map(|row| row.bytes_per_s[suite]).collect() };
        let times =
            |suite: usize| -> Vec<f64> { rows.iter().filter_map(|row| row.times_first[suite]).collect() };
        SuitesMean {
            over,
            workloads: rows.len(),
            bytes_per_s: (0..suites).map(|suite| MeanPair::of(&rates(suite)?)).collect(),
            times_first: (0..suites).map(|suite| MeanPair::of(&times(suite))).collect(),
            compared: (0..suites).map(|suite| times(suite).len()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::naspt::NasptPass;

    fn suite(rows: &[(&str, WorkloadGroup, u64)]) -> NasptTable {
        let row = |(name, group, speed): &(&str, WorkloadGroup, u64)| {
            let pass = NasptPass { moved_bytes: *speed, duration_ns: 1_000_000_000, differing_ops: 0 };
            NasptRow { group: *group, ..NasptRow::new(*name, vec![pass]) }
        };
        NasptTable::new(rows.iter().map(row).collect())
    }

    use WorkloadGroup::{IometerMany, IometerOne, Naspt};

    /// The paper's Table 2, the IOMeter part: NAS 1, NAS 2 and NAS 3 in tenths of NAS 1.
    const IOMETER: [(&str, WorkloadGroup, [u64; 3]); 8] = [
        ("4k random rd", IometerOne, [10, 11, 11]),
        ("128k sequential rd", IometerOne, [10, 22, 33]),
        ("4k random wr", IometerOne, [10, 10, 7]),
        ("128k sequential wr", IometerOne, [10, 14, 20]),
        ("4k random rd, 32", IometerMany, [10, 15, 1]),
        ("128k sequential rd, 32", IometerMany, [10, 2, 8]),
        ("4k random wr, 32", IometerMany, [10, 1, 2]),
        ("128k sequential wr, 32", IometerMany, [10, 7, 18]),
    ];

    #[test]
    fn three_suites_have_the_ratios_and_means_that_a_calculator_gives() {
        let nas = |at: usize| {
            let rows: Vec<_> =
                IOMETER.iter().map(|(name, group, speeds)| (*name, *group, speeds[at])).collect();
            suite(&rows)
        };
        let (one, two, three) = (nas(0), nas(1), nas(2));
        let table = SuitesTable::of(&[&one, &two, &three]);
        assert_eq!(table.rows[1].times_first, [Some(1.0), Some(2.2), Some(3.3)]);
        let overs: Vec<_> = table.means.iter().map(|mean| mean.over).collect();
        assert_eq!(overs, [MeanOver::Group(IometerOne), MeanOver::Group(IometerMany), MeanOver::Iometer]);
        let means = |at: usize, suite: usize| table.means[at].times_first[suite].unwrap();
        // (1.1 + 2.2 + 1.0 + 1.4) / 4, (1.1 · 2.2 · 1.0 · 1.4)^(1/4); likewise the others.
        for (at, suite, arithmetic, geometric) in [
            (0, 1, 1.425, 1.356706),
            (0, 2, 1.775, 1.501442),
            (1, 1, 0.625, 0.380675),
            (2, 2, 1.25, 0.786463),
        ] {
            let found = means(at, suite);
            assert!((found.arithmetic - arithmetic).abs() < 1e-9, "{at} {suite}: {found:?}");
            assert!((found.geometric - geometric).abs() < 1e-5, "{at} {suite}: {found:?}");
        }
        assert_eq!((means(2, 0).arithmetic, means(2, 0).geometric), (1.0, 1.0));
    }

    #[test]
    fn missing_workload_is_counted_not_zero() {
        let first = suite(&[("a", Naspt, 10), ("b", Naspt, 20)]);
        let second = suite(&[("c", Naspt, 5), ("a", Naspt, 30)]);
        let table = SuitesTable::of(&[&first, &second]);
        let names: Vec<_> = table.rows.iter().map(|row| row.workload.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(table.rows[1].bytes_per_s, [Some(20.0), None]);
        assert_eq!(table.rows[2].times_first, [None, None]);
        let mean = &table.means[0];
        assert_eq!((mean.workloads, mean.compared.as_slice()), (3, &[2, 1][..]));
        assert_eq!(mean.bytes_per_s, [None, None], "a mean over fewer workloads is another figure");
        assert_eq!(mean.times_first[1], Some(MeanPair { arithmetic: 3.0, geometric: 3.0_f64.ln().exp() }));
    }
}
