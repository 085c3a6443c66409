//! Whether a figure changed by more than its noise. See the head of [`crate::compare`].

use super::evidence::{Noise, mean, t_98, t_998};
use super::figures::Reading;
use super::incidents::Disturbances;
use super::sides::{DOF_MIN, Sides};
use super::{Better, FigureUnit, Judgement};

/// Below this share, even a proven difference does not matter.
const FLOOR_REPEATS: f64 = 0.01;

/// Smaller changes are shown in tenths of a percent.
const SHOWN_IN_TENTHS: f64 = 9.95;

/// Counts over times that differ by more than this share cannot be compared.
const TIME_TOLERANCE: f64 = 0.05;

/// A rate of 0 differs from one whose uncertainty is at most this share.
const KNOWN_WELL: f64 = 0.5;

/// The judgement on one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Judged {
    pub(super) change_percent: Option<f64>,
    pub(super) noise_percent: Option<f64>,
    pub(super) judgement: Judgement,
}

impl Judged {
    const BASE: Judged = Judged { change_percent: None, noise_percent: None, judgement: Judgement::Base };

    fn unknown(change_percent: Option<f64>) -> Judged {
        Judged { change_percent, noise_percent: None, judgement: Judgement::Unknown }
    }

    /// If this judgement is unknown and the one by rates is not, returns the one by rates.
    fn or_unless_told_apart(self, by_rates: Judged) -> Judged {
        let is_told = !matches!(by_rates.judgement, Judgement::Same | Judgement::Unknown);
        if self.judgement == Judgement::Unknown && is_told { by_rates } else { self }
    }

    /// A change that is displayed with the same digits as its noise is no change: -99 % with a noise of
    /// 99 % is no gain.
    fn held_to_its_noise(self) -> Judged {
        let is_claimed =
            matches!(self.judgement, Judgement::Better | Judgement::Worse | Judgement::Different);
        let (Some(change), Some(noise)) = (self.change_percent, self.noise_percent) else { return self };
        match is_claimed && as_shown(change) <= as_shown(noise) {
            true => Judged { judgement: Judgement::Same, ..self },
            false => self,
        }
    }
}

/// Judges a figure that is one of about a dozen, by repeats alone. The limit is so wide that chance makes
/// hardly any of the dozen figures look changed. Unknown if there are too few repeats.
pub(super) fn judge_one_of_many(readings: &[Option<&Reading>], sides: &Sides) -> Vec<Judged> {
    let unknown = || readings.iter().map(|_| Judged::unknown(None)).collect();
    let judged = of_means(readings, sides, t_998).unwrap_or_else(unknown);
    judged.into_iter().map(Judged::held_to_its_noise).collect()
}

/// Judges one figure of all runs.
pub(super) fn judge(readings: &[Option<&Reading>], sides: &Sides) -> Vec<Judged> {
    let judged = by_evidence(readings, sides);
    let one = |(run, judged): (usize, Judged)| match none_and_some(readings, sides, run) {
        Some(known) => known.or_unless_told_apart(judged),
        None => judged,
    };
    let judged = judged.into_iter().enumerate().map(one);
    judged.map(Judged::held_to_its_noise).collect()
}

/// Judges a count that is 0 on one side only. Both runs counted exactly, so the difference is real. If
/// the side with 0 measured less time, it is unknown whether more time would have shown something.
/// `None` if this does not apply, or the count has a separate rule.
fn none_and_some(readings: &[Option<&Reading>], sides: &Sides, run: usize) -> Option<Judged> {
    let model = readings[run].filter(|reading| reading.is_counted_exactly())?;
    let of_side = |side: usize| -> Vec<&Reading> {
        sides.runs(side).into_iter().filter_map(|run| readings[run]).collect()
    };
    let (base, here) = (of_side(0), of_side(sides.of_run[run]));
    let is_none = |side: &[&Reading]| side.iter().all(|reading| reading.value == 0.0);
    if sides.of_run[run] == 0 || base.is_empty() || is_none(&base) == is_none(&here) {
        return None;
    }
    let (calm, struck, change) = if is_none(&base) { (&base, &here, 1.0) } else { (&here, &base, -1.0) };
    let counted_s = |side: &[&Reading]| side.iter().filter_map(|reading| reading.counted_s).sum::<f64>();
    let judgement = match counted_s(calm) >= counted_s(struck) * (1.0 - TIME_TOLERANCE) {
        true => direction(model.better, change),
        false => Judgement::Unknown,
    };
    let change = change_percent(mean_of(&base), mean_of(&here));
    Some(Judged { judgement, ..Judged::unknown(change) })
}

fn by_evidence(readings: &[Option<&Reading>], sides: &Sides) -> Vec<Judged> {
    if readings.iter().flatten().any(|reading| reading.is_demand) {
        return of_demand(readings);
    }
    if readings.iter().flatten().any(|reading| reading.unit == FigureUnit::Verdict) {
        return of_sides(readings, sides, of_verdicts);
    }
    if readings.iter().flatten().any(|reading| hangs_on_disturbances(reading)) {
        return of_sides(readings, sides, of_disturbances);
    }
    let by_means = if sides.have_repeats() { of_means(readings, sides, t_98) } else { None };
    if let Some(judged) = by_means {
        return judged;
    }
    if sides.have_repeats() {
        return of_sides(readings, sides, of_pairs);
    }
    let spread = spread_of_alike(readings, sides);
    let one = |(at, reading): (usize, &Option<&Reading>)| match (at, readings[0], reading) {
        (0, _, _) => Judged::BASE,
        (_, Some(base), Some(other)) => of_two(base, other, spread),
        _ => Judged::unknown(None),
    };
    readings.iter().enumerate().map(one).collect()
}

/// A requested rate changes with the request.
fn of_demand(readings: &[Option<&Reading>]) -> Vec<Judged> {
    let one = |(at, reading): (usize, &Option<&Reading>)| match (at, readings[0].zip(*reading)) {
        (0, _) => Judged::BASE,
        (_, Some((base, other))) => Judged {
            judgement: Judgement::Demand,
            ..Judged::unknown(change_percent(base.value, other.value))
        },
        _ => Judged::unknown(None),
    };
    readings.iter().enumerate().map(one).collect()
}

/// Judges all readings of the first side against those of another side.
fn of_sides(
    readings: &[Option<&Reading>],
    sides: &Sides,
    judge: fn(&[&Reading], &[&Reading]) -> Judged,
) -> Vec<Judged> {
    let of_side = |side: usize| -> Vec<&Reading> {
        sides.runs(side).into_iter().filter_map(|run| readings[run]).collect()
    };
    let base = of_side(0);
    let one = |run: usize| match sides.of_run[run] {
        0 => Judged::BASE,
        _ if readings[run].is_none() || base.is_empty() => Judged::unknown(None),
        side => judge(&base, &of_side(side)),
    };
    (0..readings.len()).map(one).collect()
}

/// Judges pair by pair if the means of the sides cannot be used: a value is only a lower bound, or runs
/// took different times. A change needs all pairs to agree, so that no single one decides; its size is
/// that of the means.
fn of_pairs(base: &[&Reading], other: &[&Reading]) -> Judged {
    let pairs: Vec<Judged> = base.iter().zip(other).map(|(one, two)| of_two(one, two, 0.0)).collect();
    let judgement = match pairs.split_first() {
        Some((first, rest)) if rest.iter().all(|pair| pair.judgement == first.judgement) => first.judgement,
        _ if pairs.iter().any(|pair| pair.judgement == Judgement::Unknown) => Judgement::Unknown,
        _ => Judgement::Same,
    };
    let has_bound = base.iter().chain(other).any(|reading| is_lower_bound(reading));
    let is_known = !has_bound || judgement != Judgement::Unknown;
    let change = change_percent(mean_of(base), mean_of(other)).filter(|_| is_known);
    let noise = pairs.iter().filter_map(|pair| pair.noise_percent).reduce(f64::max);
    Judged { change_percent: change, noise_percent: noise, judgement }
}

fn mean_of(side: &[&Reading]) -> f64 {
    mean(&side.iter().map(|reading| reading.value).collect::<Vec<_>>())
}

/// If all runs of one side met the criteria and not all runs of the other, that is a change.
fn of_verdicts(base: &[&Reading], other: &[&Reading]) -> Judged {
    let are_met = |side: &[&Reading]| side.iter().all(|reading| reading.value > 0.0);
    let judgement = match (are_met(base), are_met(other)) {
        (true, false) => Judgement::Worse,
        (false, true) => Judgement::Better,
        _ => Judgement::Same,
    };
    Judged { change_percent: None, noise_percent: None, judgement }
}

/// Whether a figure depends on disturbances: counts of late frames always do, the worst margin only if a
/// frame was late.
fn hangs_on_disturbances(reading: &Reading) -> bool {
    let is_count = reading.unit == FigureUnit::Count;
    reading.disturbances.is_some_and(|seen| seen.count > 0 || seen.all_caused_locally || is_count)
}

fn of_disturbances(base: &[&Reading], other: &[&Reading]) -> Judged {
    let change = change_percent(mean_of(base), mean_of(other));
    let seen = |side: &[&Reading]| -> Option<Disturbances> {
        let runs: Option<Vec<Disturbances>> = side.iter().map(|reading| reading.disturbances).collect();
        runs.map(|runs| Disturbances::sum_of(&runs))
    };
    match (seen(base), seen(other)) {
        (Some(one), Some(two)) => {
            Judged { change_percent: change, noise_percent: None, judgement: one.judge(two) }
        }
        _ => Judged::unknown(change),
    }
}

/// The largest difference among runs that did the same, on a logarithmic scale: at least that much is
/// noise.
fn spread_of_alike(readings: &[Option<&Reading>], sides: &Sides) -> f64 {
    let mut spread = 0.0_f64;
    for (at, side) in sides.alike.iter().enumerate() {
        for before in (0..at).filter(|&before| sides.alike[before] == *side) {
            if let (Some(one), Some(two)) = (readings[before], readings[at])
                && one.value > 0.0
                && two.value > 0.0
            {
                spread = spread.max((two.value / one.value).ln().abs());
            }
        }
    }
    spread
}

/// The comparison of two single runs.
fn of_two(base: &Reading, other: &Reading, spread: f64) -> Judged {
    let change = change_percent(base.value, other.value);
    let has_bound = is_lower_bound(base) || is_lower_bound(other);
    if base.value == 0.0 && other.value == 0.0 && !has_bound {
        return Judged { change_percent: None, noise_percent: None, judgement: Judgement::Same };
    }
    let in_same_time = in_time_of(base, other);
    let other = in_same_time.as_ref().unwrap_or(other);
    match (base.noise, other.noise) {
        (Noise::Share(one, one_dof), Noise::Share(two, two_dof)) if base.value > 0.0 && other.value > 0.0 => {
            let (error, dof) = welch([one, two], [one_dof, two_dof]);
            let limit = (t_98(dof) * error).max(base.floor.ln_1p()).max(spread);
            of_logarithms(base, (other.value / base.value).ln(), limit)
        }
        (Noise::Absolute(one, one_dof), Noise::Absolute(two, two_dof)) => {
            let (error, dof) = welch([one, two], [one_dof, two_dof]);
            let floor = base.floor_absolute.max(base.floor * base.value.abs());
            // A difference at the floor is within it, except for counts: one stream more is one stream
            // more.
            let limit = (t_98(dof) * error).max(floor);
            of_differences(base, base.value, other.value - base.value, limit)
        }
        (Noise::Range { .. }, Noise::Range { .. }) => of_ranges(base, other),
        (Noise::Share(share, dof), _) if other.value == 0.0 && t_98(dof) * share < KNOWN_WELL => {
            Judged { change_percent: change, noise_percent: None, judgement: direction(base.better, -1.0) }
        }
        (_, Noise::Share(share, dof)) if base.value == 0.0 && t_98(dof) * share < KNOWN_WELL => {
            Judged { change_percent: change, noise_percent: None, judgement: direction(base.better, 1.0) }
        }
        _ => Judged::unknown(change),
    }
}

/// Whether there may be more. Then at most the direction of a change is known, and its least size.
fn is_lower_bound(reading: &Reading) -> bool {
    matches!(reading.noise, Noise::Range { high: None, .. })
}

fn of_same_time(base: &Reading, other: &Reading) -> bool {
    match (base.counted_s, other.counted_s) {
        (Some(one), Some(two)) => (one - two).abs() <= TIME_TOLERANCE * one.max(two),
        _ => true,
    }
}

/// A count scaled to the duration of the first run.
fn in_time_of(base: &Reading, other: &Reading) -> Option<Reading> {
    let scale = base.counted_s? / other.counted_s.filter(|seconds| *seconds > 0.0)?;
    let noise = match other.noise {
        Noise::Absolute(error, dof) => Noise::Absolute(error * scale, dof),
        noise => noise,
    };
    let scaled = || Reading { value: other.value * scale, noise, ..other.clone() };
    (!of_same_time(base, other)).then(scaled)
}

/// The standard error of a difference and its degrees of freedom (Welch and Satterthwaite).
fn welch(errors: [f64; 2], dofs: [f64; 2]) -> (f64, f64) {
    let [one, two] = errors.map(|error| error * error);
    let error = (one + two).sqrt();
    if error <= 0.0 {
        return (0.0, dofs[0].min(dofs[1]));
    }
    (error, (one + two).powi(2) / (one * one / dofs[0] + two * two / dofs[1]))
}

fn of_logarithms(base: &Reading, difference: f64, limit: f64) -> Judged {
    // A factor has different percentages up and down: twice is +100 %, half is -50 %.
    let (change, noise) =
        (difference.exp_m1(), if difference < 0.0 { -(-limit).exp_m1() } else { limit.exp_m1() });
    let judgement =
        if difference.abs() > limit { direction(base.better, difference) } else { Judgement::Same };
    Judged { change_percent: finite(change * 100.0), noise_percent: finite(noise * 100.0), judgement }
}

fn of_differences(base: &Reading, from: f64, difference: f64, limit: f64) -> Judged {
    let percent = |value: f64| (from != 0.0).then(|| value / from.abs() * 100.0).and_then(finite);
    let judgement =
        if difference.abs() > limit { direction(base.better, difference) } else { Judgement::Same };
    Judged { change_percent: percent(difference), noise_percent: percent(limit), judgement }
}

fn of_ranges(base: &Reading, other: &Reading) -> Judged {
    let (
        Noise::Range { low: base_low, high: base_high, slack },
        Noise::Range { low: other_low, high: other_high, .. },
    ) = (base.noise, other.noise)
    else {
        return Judged::unknown(None);
    };
    // A count that may be off by one does not make 0 and 1 equal.
    let is_none_and_some = (base.value == 0.0) != (other.value == 0.0);
    let slack = (slack * base.value.abs()).max(if is_none_and_some { 0.0 } else { base.floor_absolute });
    let judgement = if base_high.is_some_and(|high| other_low > high + slack) {
        direction(base.better, 1.0)
    } else if other_high.is_some_and(|high| high < base_low - slack) {
        direction(base.better, -1.0)
    } else if base_high.is_none() || other_high.is_none() {
        Judgement::Unknown
    } else {
        Judgement::Same
    };
    if judgement == Judgement::Unknown {
        return Judged::unknown(None);
    }
    // With a lower bound on one side, the change is at least this large.
    let value = |reading: &Reading, low: f64| if is_lower_bound(reading) { low } else { reading.value };
    let change = change_percent(value(base, base_low), value(other, other_low));
    Judged { judgement, ..Judged::unknown(change) }.with_slack(base, other, slack)
}

impl Judged {
    /// Adds the noise of ranges: their width, and the slack.
    fn with_slack(self, base: &Reading, other: &Reading, slack: f64) -> Judged {
        let width = |reading: &Reading| match reading.noise {
            Noise::Range { low, high: Some(high), .. } => high - low,
            _ => 0.0,
        };
        let noise = (slack + width(base) + width(other)) / base.value.abs() * 100.0;
        Judged { noise_percent: finite(noise), ..self }
    }
}

/// The bounds of the ratio to the first run, from its change and noise in percent. Only for figures that
/// are never below 0, so no bound is below 0. A count has the same uncertainty in both directions. For
/// all other figures, half and twice are equally far away.
pub fn ratio_bounds(unit: FigureUnit, change_percent: f64, noise_percent: f64) -> (f64, f64) {
    let (ratio, noise) = (1.0 + change_percent / 100.0, noise_percent / 100.0);
    if is_counted(unit) {
        return ((ratio - noise).max(0.0), ratio + noise);
    }
    // The inverse of how it was computed: a factor below 1 for a decrease, above 1 for an increase.
    let factor = if change_percent < 0.0 { 1.0 / (1.0 - noise.min(1.0)) } else { 1.0 + noise };
    (ratio / factor, ratio * factor)
}

fn is_counted(unit: FigureUnit) -> bool {
    matches!(unit, FigureUnit::Count | FigureUnit::Streams)
}

/// The scale on which the means of a figure are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeanScale {
    /// The values themselves: for counts, and for values that can be 0 or less.
    Linear,
    /// The logarithms, so that twice and half are equally far away.
    Logarithmic,
}

impl MeanScale {
    /// The scale for a figure with these values over all sides.
    pub fn of(unit: FigureUnit, mut values: impl Iterator<Item = f64>) -> MeanScale {
        match !is_counted(unit) && values.all(|value| value > 0.0) {
            true => MeanScale::Logarithmic,
            false => MeanScale::Linear,
        }
    }

    /// The mean of values on this scale; 0 for no values.
    pub fn mean_of(self, values: &[f64]) -> f64 {
        match self {
            MeanScale::Logarithmic if !values.is_empty() => {
                mean(&values.iter().map(|value| value.ln()).collect::<Vec<_>>()).exp()
            }
            _ => mean(values),
        }
    }
}

/// Compares the means of sides whose runs repeat one another. `None` if too few of them have the figure,
/// or if a value is only a lower bound.
fn of_means(readings: &[Option<&Reading>], sides: &Sides, limit_of: fn(f64) -> f64) -> Option<Vec<Judged>> {
    let base = readings[0]?;
    let present: Vec<&Reading> = readings.iter().flatten().copied().collect();
    if present.iter().any(|reading| is_lower_bound(reading))
        || !present.iter().all(|reading| of_same_time(base, reading))
    {
        return None;
    }
    let scale = MeanScale::of(base.unit, present.iter().map(|reading| reading.value));
    let logarithmic = scale == MeanScale::Logarithmic;
    let scaled = |reading: &Reading| if logarithmic { reading.value.ln() } else { reading.value };
    let of_side = |side: usize| -> Vec<f64> {
        sides.runs(side).into_iter().filter_map(|run| readings[run]).map(scaled).collect()
    };
    let values: Vec<Vec<f64>> = (0..sides.count()).map(of_side).collect();
    let filled = values.iter().filter(|values| !values.is_empty()).count();
    let dof = present.len() - filled;
    if dof < DOF_MIN || filled < 2 {
        return None;
    }
    let squares: f64 =
        values.iter().flat_map(|side| side.iter().map(|value| (value - mean(side)).powi(2))).sum();
    let mut variance = squares / dof as f64;
    if is_counted(base.unit) {
        // Whole numbers are uncertain by a half, counts by at least Poisson's spread.
        let poisson = if base.unit == FigureUnit::Count { mean(&values.concat()) } else { 0.0 };
        variance = variance.max(poisson).max(1.0 / 12.0);
    }
    let judge_side = |side: usize| -> Judged {
        let (first, here) = (&values[0], &values[side]);
        if here.is_empty() {
            return Judged::unknown(None);
        }
        let difference = mean(here) - mean(first);
        let error = (variance * (1.0 / first.len() as f64 + 1.0 / here.len() as f64)).sqrt();
        let limit = limit_of(dof as f64) * error;
        if logarithmic {
            of_logarithms(base, difference, limit.max(FLOOR_REPEATS))
        } else {
            of_differences(base, mean(first), difference, limit.max(FLOOR_REPEATS * mean(first).abs()))
        }
    };
    let one = |run: usize| match sides.of_run[run] {
        0 => Judged::BASE,
        _ if readings[run].is_none() => Judged::unknown(None),
        side => judge_side(side),
    };
    Some((0..readings.len()).map(one).collect())
}

fn change_percent(base: f64, other: f64) -> Option<f64> {
    // A positive and a negative margin have no ratio.
    (base != 0.0 && base * other >= 0.0).then(|| (other - base) / base.abs() * 100.0).and_then(finite)
}

/// Its size as screens show it: tenths of a percent below ten, otherwise whole percent.
fn as_shown(percent: f64) -> f64 {
    let size = percent.abs();
    if size < SHOWN_IN_TENTHS { (size * 10.0).round() / 10.0 } else { size.round() }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn direction(better: Better, difference: f64) -> Judgement {
    match (better, difference > 0.0) {
        (Better::Neither, _) => Judgement::Different,
        (Better::Higher, true) | (Better::Lower, false) => Judgement::Better,
        _ => Judgement::Worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bound_of_a_ratio_is_below_0() {
        let close = |(low, high): (f64, f64), wanted: (f64, f64)| {
            assert!((low - wanted.0).abs() < 1e-9 && (high - wanted.1).abs() < 1e-9, "{low} {high}");
        };
        close(ratio_bounds(FigureUnit::BytesPerS, 100.0, 25.0), (1.6, 2.5));
        // A half, known to a factor of 4, is an eighth to twice; not -0.25 to 1.25.
        close(ratio_bounds(FigureUnit::BytesPerS, -50.0, 75.0), (0.125, 2.0));
        close(ratio_bounds(FigureUnit::Streams, 29.0, 4.0), (1.25, 1.33));
        close(ratio_bounds(FigureUnit::Streams, -60.0, 50.0), (0.0, 0.9));
        for unit in [FigureUnit::BytesPerS, FigureUnit::Us, FigureUnit::Streams, FigureUnit::Count] {
            for (change, noise) in [(-99.0, 98.9), (-60.0, 300.0), (0.0, 250.0), (900.0, 1e4)] {
                let (low, high) = ratio_bounds(unit, change, noise);
                let ratio = 1.0 + change / 100.0;
                assert!(
                    (0.0..=ratio).contains(&low) && high >= ratio,
                    "{unit:?} {change} {noise}: {low} {high}"
                );
            }
        }
    }

    #[test]
    fn change_within_the_rounded_noise_is_no_change() {
        let better = |change: f64, noise: f64| {
            let (change_percent, noise_percent) = (Some(change), Some(noise));
            let judged = Judged { change_percent, noise_percent, judgement: Judgement::Better };
            judged.held_to_its_noise().judgement
        };
        assert_eq!(better(-99.4, 98.9), Judgement::Same);
        assert_eq!(better(3.04, 2.96), Judgement::Same);
        assert_eq!(better(12.0, 12.0), Judgement::Same);
        assert_eq!((better(-99.6, 98.9), better(3.1, 3.0)), (Judgement::Better, Judgement::Better));
        let unknown = Judged::unknown(Some(1.0));
        assert_eq!(unknown.held_to_its_noise(), unknown);
    }
}
