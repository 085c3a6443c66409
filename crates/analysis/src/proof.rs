//! Decides whether a change helped, from runs with and without it alternately.
//!
//! A *state* is the configuration during a run: unchanged, with the change, or with another value. All
//! runs of a state do the same, so their spread is the noise ([`crate::compare`]). A state is accepted
//! only if one of the main figures of a storage system became better by more than the noise, and none of
//! them became worse by more than it, nor the failures, nor the number of retransmitted segments. For
//! suites the mean decides, and every workload can reject.
//!
//! Each figure is called changed by chance twice in a hundred times. A run has about five of them, so
//! about one in twenty changes without an effect is called a gain. More rounds make small gains visible,
//! but do not change that.
//!
//! Not here: running anything, and sentences.

pub mod cached;
pub mod disturbance;

use serde::{Deserialize, Serialize};

use cached::CachedReads;

use crate::figures::CARRY_P99;
use crate::summary::{LoadPoint, Summary};

use crate::compare::{
    Better, ComparisonRow, FigureUnit, Judgement, MeanScale, SUITE_WORKLOAD, Weight, weight,
};

/// The operations that failed.
const FAILED_OPS: &str = "total.failed_ops";
/// The segments that the local host retransmitted. No summary contains them.
pub const RETRANSMITTED: &str = "network.tcp_retransmitted_segments_per_s";

/// The conclusion from all runs that count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProofConclusion {
    /// The evaluated figures, the most important first.
    pub figures: Vec<ProofFigure>,
    /// The outcome of each state except the first, in their order.
    pub outcomes: Vec<ProofOutcome>,
    /// The accepted state with the largest gain in the most important figure; `None` if none was
    /// accepted. The first state has number 0.
    pub best_state: Option<usize>,
    /// Whether a cache answered reads; `None` for conclusions of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<CachedReads>,
    /// The smallest number of reads or writes of a pass, if it is too small for a 99th percentile: then
    /// no such percentile is judged. `None` if there were enough, and for conclusions of an earlier
    /// version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub too_few_ops: Option<u64>,
    /// The limit on bytes per second that set the figures of a pass, whatever the storage could do. `None`
    /// if none did, and for conclusions of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited_to_bytes_per_s: Option<u64>,
}

/// The smallest number of reads or writes of a pass's load points, if it is too small for a p99.
pub fn too_few_ops(pass: &Summary) -> Option<u64> {
    let times = |point: &LoadPoint| [point.total.response.read, point.total.response.write];
    let counts = pass.load_points.iter().flat_map(times).flatten().map(|times| times.count);
    counts.filter(|count| (1..CARRY_P99).contains(count)).min()
}

/// A figure in all states. The lists have one entry for each state; the first is the reference for the
/// others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProofFigure {
    /// The load point; empty if there is only one.
    pub group: String,
    /// Its name, as in `compare`.
    pub figure: String,
    /// The label on screens, with the unit in which it is shown.
    pub label: String,
    /// The unit of its values.
    pub unit: FigureUnit,
    /// Which direction is good.
    pub better: Better,
    /// Whether it can reject a change, but is no reason to accept one.
    pub only_guards: bool,
    /// Its values over the runs of a state; `None` if a run had none.
    pub values: Vec<Option<OverRuns>>,
    /// Change of a state's mean from the first state's mean.
    pub change_percent: Vec<Option<f64>>,
    /// Smaller differences are within the noise.
    pub noise_percent: Vec<Option<f64>>,
    /// The judgement for each state.
    pub judgement: Vec<Judgement>,
}

/// A figure over the runs of one state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverRuns {
    /// Its mean, to which changes and their noise refer. For figures that cannot be 0 and are no counts,
    /// it is the mean of the logarithms, so that half and twice are equally far away. `None` for
    /// conclusions of an earlier version.
    #[serde(default)]
    pub mean: Option<f64>,
    pub median: f64,
    /// The smallest.
    pub lowest: f64,
    /// The largest.
    pub highest: f64,
}

/// The outcome of a state compared with the first one. Numbers are indices in
/// [`ProofConclusion::figures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofOutcome {
    /// This figure became better by more than its noise, and none worse.
    Gain(usize),
    /// The first figure became better, the second worse.
    Traded(usize, usize),
    /// This figure became worse, and none better.
    Loss(usize),
    /// Nothing changed by more than its noise.
    NoChange,
    /// Nothing could be judged.
    Unknown,
}

impl OverRuns {
    /// Over these values; `None` if one is missing, or there are none.
    fn of(values: &[Option<f64>], scale: MeanScale) -> Option<OverRuns> {
        let mut values: Vec<f64> = values.iter().copied().collect::<Option<_>>()?;
        values.sort_by(f64::total_cmp);
        let (&lowest, &highest) = (values.first()?, values.last()?);
        let median = f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2]);
        Some(OverRuns { mean: Some(scale.mean_of(&values)), median, lowest, highest })
    }
}

impl ProofConclusion {
    /// From the rows of a comparison of all runs that count: `rounds` of the first state, then as many
    /// of each other. `retransmitted` holds the value of [`RETRANSMITTED`] of each run, in the same
    /// order.
    pub fn new(
        rows: &[ComparisonRow],
        rounds: usize,
        retransmitted: &[Option<f64>],
        cached: CachedReads,
    ) -> ProofConclusion {
        let matters = |row: &&ComparisonRow| weight(&row.figure) != Weight::Other || only_guards(&row.figure);
        let mut figures: Vec<ProofFigure> =
            rows.iter().filter(matters).map(|row| of_row(row, rounds)).collect();
        figures.sort_by_key(|figure| (figure.only_guards, weight(&figure.figure)));
        figures.extend(of_retransmitted(retransmitted, rounds));
        let states = retransmitted.len() / rounds.max(1);
        let outcomes: Vec<ProofOutcome> = (1..states).map(|state| outcome(&figures, state)).collect();
        let best_state = best(&figures, &outcomes);
        ProofConclusion { figures, outcomes, best_state, cached: Some(cached), ..ProofConclusion::default() }
    }
}

/// Whether a figure can reject a change, but is no reason to accept one.
fn only_guards(figure: &str) -> bool {
    matches!(figure, FAILED_OPS | SUITE_WORKLOAD)
}

fn of_row(row: &ComparisonRow, rounds: usize) -> ProofFigure {
    let scale = MeanScale::of(row.unit, row.values.iter().flatten().copied());
    let firsts = || (0..row.values.len()).step_by(rounds.max(1));
    // A state is judged only if all of its passes have the figure.
    let has_all = |run: usize| row.values.iter().skip(run).take(rounds.max(1)).all(Option::is_some);
    let are_known = |run: usize| has_all(0) && has_all(run);
    let judged = |run: usize| match row.judgement[run] {
        Judgement::Better | Judgement::Worse | Judgement::Same | Judgement::Different if !are_known(run) => {
            Judgement::Unknown
        }
        judgement => judgement,
    };
    ProofFigure {
        group: row.group.clone(),
        figure: row.figure.clone(),
        label: row.label.to_string(),
        unit: row.unit,
        better: row.better,
        only_guards: only_guards(&row.figure),
        values: row.values.chunks(rounds.max(1)).map(|runs| OverRuns::of(runs, scale)).collect(),
        change_percent: firsts().map(|run| row.change_percent[run].filter(|_| are_known(run))).collect(),
        noise_percent: firsts().map(|run| row.noise_percent[run].filter(|_| are_known(run))).collect(),
        judgement: firsts().map(judged).collect(),
    }
}

/// Retransmissions come in bursts, so only values without any overlap count: with five runs of each
/// state, that is chance once in 252 times.
fn of_retransmitted(values: &[Option<f64>], rounds: usize) -> Option<ProofFigure> {
    let values: Vec<Option<OverRuns>> =
        values.chunks(rounds.max(1)).map(|runs| OverRuns::of(runs, MeanScale::Linear)).collect();
    let base = values.first().copied().flatten()?;
    let judged = |state: &Option<OverRuns>| match state {
        None => Judgement::Unknown,
        Some(state) if state.lowest > base.highest => Judgement::Worse,
        Some(state) if state.highest < base.lowest => Judgement::Better,
        Some(_) => Judgement::Same,
    };
    let mut judgement: Vec<Judgement> = values.iter().map(judged).collect();
    judgement[0] = Judgement::Base;
    Some(ProofFigure {
        group: String::new(),
        figure: RETRANSMITTED.to_owned(),
        label: "TCP segments retransmitted per s".to_owned(),
        unit: FigureUnit::PerS,
        better: Better::Lower,
        only_guards: true,
        change_percent: vec![None; values.len()],
        noise_percent: vec![None; values.len()],
        judgement,
        values,
    })
}

fn outcome(figures: &[ProofFigure], state: usize) -> ProofOutcome {
    let is = |figure: &ProofFigure, wanted: Judgement| figure.judgement.get(state) == Some(&wanted);
    let gained = figures.iter().position(|figure| !figure.only_guards && is(figure, Judgement::Better));
    let lost = figures.iter().position(|figure| is(figure, Judgement::Worse));
    let is_same = |figure: &ProofFigure| !figure.only_guards && is(figure, Judgement::Same);
    match (gained, lost) {
        (Some(gained), Some(lost)) => ProofOutcome::Traded(gained, lost),
        (Some(gained), None) => ProofOutcome::Gain(gained),
        (None, Some(lost)) => ProofOutcome::Loss(lost),
        (None, None) if figures.iter().any(is_same) => ProofOutcome::NoChange,
        (None, None) => ProofOutcome::Unknown,
    }
}

/// The accepted state that is best in the most important figure with a gain.
fn best(figures: &[ProofFigure], outcomes: &[ProofOutcome]) -> Option<usize> {
    let gained = |outcome: &ProofOutcome| match outcome {
        ProofOutcome::Gain(figure) => Some(*figure),
        _ => None,
    };
    let deciding = outcomes.iter().filter_map(gained).min()?;
    let accepted = (1..).zip(outcomes).filter(|(_, outcome)| gained(outcome) == Some(deciding));
    let figure = &figures[deciding];
    let goodness = |state: usize| {
        let mean = figure.values[state].and_then(|values| values.mean).unwrap_or(f64::NEG_INFINITY);
        if figure.better == Better::Lower { -mean } else { mean }
    };
    accepted.map(|(state, _)| state).max_by(|one, two| goodness(*one).total_cmp(&goodness(*two)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::figures::TimeFigures;
    use crate::summary::Target;
    use crate::test_figures::{times, vda_point};

    /// A figure with these values in each state, and this judgement.
    fn row(figure: &str, better: Better, values: &[[f64; 2]], judgement: &[Judgement]) -> ComparisonRow {
        let runs = values.len() * 2;
        let both = |each: &[Judgement]| each.iter().flat_map(|one| [*one; 2]).collect();
        ComparisonRow {
            group: String::new(),
            figure: figure.to_owned(),
            label: figure.to_owned().into(),
            unit: FigureUnit::BytesPerS,
            better,
            values: values.iter().flatten().map(|value| Some(*value)).collect(),
            texts: vec![String::new(); runs],
            change_percent: vec![Some(1.0); runs],
            noise_percent: vec![Some(1.0); runs],
            judgement: both(judgement),
        }
    }

    const READ: &str = "total.read_bytes_per_s";
    const P99: &str = "total.response.read.p99_us";

    fn conclusion(rows: &[ComparisonRow], retransmitted: &[f64]) -> ProofConclusion {
        let retransmitted: Vec<Option<f64>> = retransmitted.iter().map(|value| Some(*value)).collect();
        ProofConclusion::new(rows, 2, &retransmitted, CachedReads::default())
    }

    #[test]
    fn a_gain_counts_unless_something_else_became_worse() {
        use Judgement::{Base, Better as Up, Same, Worse};
        let read = |judgement| row(READ, Better::Higher, &[[10.0, 12.0], [20.0, 22.0]], &[Base, judgement]);
        let p99 = |judgement| row(P99, Better::Lower, &[[5.0, 5.0], [5.0, 6.0]], &[Base, judgement]);
        let of = |rows: &[ComparisonRow], sent_again: &[f64]| conclusion(rows, sent_again).outcomes[0];
        let quiet = [0.0; 4];
        assert_eq!(of(&[read(Up), p99(Same)], &quiet), ProofOutcome::Gain(0));
        assert_eq!(of(&[read(Up), p99(Worse)], &quiet), ProofOutcome::Traded(0, 1));
        assert_eq!(of(&[read(Same), p99(Worse)], &quiet), ProofOutcome::Loss(1));
        assert_eq!(of(&[read(Same), p99(Same)], &quiet), ProofOutcome::NoChange);
        assert_eq!(of(&[read(Judgement::Unknown)], &quiet), ProofOutcome::Unknown);
        // Retransmitted segments reject a change, but are no reason for one.
        assert_eq!(of(&[read(Up), p99(Same)], &[0.0, 3.0, 4.0, 9.0]), ProofOutcome::Traded(0, 2));
        assert_eq!(of(&[read(Up), p99(Same)], &[0.0, 5.0, 4.0, 9.0]), ProofOutcome::Gain(0));
        assert_eq!(of(&[read(Same)], &[4.0, 9.0, 0.0, 3.0]), ProofOutcome::NoChange);
    }

    #[test]
    fn figures_have_a_spread_and_missing_ones_stay_missing() {
        use Judgement::{Base, Same};
        let mut read = row(READ, Better::Higher, &[[10.0, 12.0], [20.0, 23.0]], &[Base, Same]);
        let other = row("total.data_ops_per_s", Better::Higher, &[[1.0, 1.0], [1.0, 1.0]], &[Base, Same]);
        let all = conclusion(&[other.clone(), read.clone()], &[0.0; 4]);
        assert_eq!(all.figures.len(), 2, "what nobody judges a storage by is left out");
        let spread = all.figures[0].values[1].unwrap();
        assert_eq!((spread.median, spread.lowest, spread.highest), (21.5, 20.0, 23.0));
        assert!((spread.mean.unwrap() - 460_f64.sqrt()).abs() < 1e-9, "{spread:?}");
        read.values[3] = None;
        read.judgement[2..].fill(Judgement::Better);
        let sent_again = [Some(0.0), None, Some(0.0), Some(0.0)];
        let without = ProofConclusion::new(&[read], 2, &sent_again, CachedReads::default());
        assert_eq!(without.figures.len(), 1, "segments were not counted in every run");
        assert_eq!(without.figures[0].values[1], None);
        assert_eq!(without.figures[0].judgement, [Base, Judgement::Unknown], "one of its passes has none");
        assert_eq!(without.outcomes, [ProofOutcome::Unknown]);
    }

    #[test]
    fn passes_of_fewer_than_100_operations_carry_no_percentile() {
        let of = |counts: &[[u64; 2]]| {
            let mut pass = Summary::new("1", "", "mix", Target::default());
            pass.load_points = counts.iter().map(|_| vda_point(1, 1.0, None)).collect();
            for (point, [reads, writes]) in pass.load_points.iter_mut().zip(counts) {
                let of = |count: u64| (count > 0).then(|| TimeFigures { count, ..times(5.0) });
                (point.total.response.read, point.total.response.write) = (of(*reads), of(*writes));
            }
            too_few_ops(&pass)
        };
        assert_eq!((of(&[[100, 0]]), of(&[[5_000, 100]]), of(&[])), (None, None, None));
        assert_eq!((of(&[[99, 0]]), of(&[[5_000, 85], [90, 400]])), (Some(99), Some(85)));
    }

    #[test]
    fn best_of_many_values_is_named() {
        use Judgement::{Base, Better as Up, Same, Worse};
        let values = [[10.0, 10.0], [20.0, 20.0], [30.0, 30.0], [25.0, 25.0], [40.0, 40.0]];
        let read = row(READ, Better::Higher, &values, &[Base, Up, Up, Up, Up]);
        let p99 = row(P99, Better::Lower, &[[1.0, 1.0]; 5], &[Base, Same, Same, Same, Worse]);
        let best = conclusion(&[read, p99], &[0.0; 10]);
        assert_eq!(best.best_state, Some(2));
        assert_eq!(best.outcomes[3], ProofOutcome::Traded(0, 1));
        let none = row(READ, Better::Higher, &values[..2], &[Base, Same]);
        assert_eq!(conclusion(&[none], &[0.0; 4]).best_state, None);
    }
}
