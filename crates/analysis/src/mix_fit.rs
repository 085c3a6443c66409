//! Finds the mix of accesses that is closest to a trace, and how close it is (EBU Tech 3362, further
//! work 12 to 14).
//!
//! A *visit* is what a mix calls a transfer: the reads, or the writes, of one worker in one file between
//! its open and its close, or until it changes to another file or direction. A mix draws every visit
//! independently: its direction, sequential or random blocks, its file, its position, its length, its
//! block size, and a pause before it. So a mix can only imitate the distributions of these, independent
//! of one another, and [`fit`] estimates them.
//!
//! The result is a *distance* from 0 (the same) to 1 (nothing in common) for each of five parts, see
//! [`Part`]. Each has a statistical *bound*: a trace of such a mix stays within it in 99 of 100 cases.
//! If a distance is larger than both [`THRESHOLD`] and its bound, no mix behaves like the trace.
//!
//! Pure. Not here: reading a log, words, and the profiles by name (workload).

mod distance;
mod visits;

use std::collections::BTreeMap;

use reelgauge_record::OpRecord;
use serde::Serialize;

use visits::{Order, Visit, Visits};

/// No mix explains a distance beyond this: one access in four would have to be different.
pub const THRESHOLD: f64 = 0.25;

/// Kolmogorov's bound for one in a hundred, times the square root of the number of draws. The total
/// variation of two shares stays within it, too.
const KOLMOGOROV_99: f64 = 1.63;

/// The bound of the total variation between n choices, times the square root of the number of draws, is
/// `OF_EACH_ROOT` × √n + `BEYOND_ROOTS`.
const OF_EACH_ROOT: f64 = 0.4;
const BEYOND_ROOTS: f64 = 1.3;

/// Fewer visits show no distribution.
const VISITS_MIN: usize = 30;

/// Block sizes are chosen from this many visits and this many sizes, at most.
const FITTED_MAX: usize = 20_000;
const CANDIDATES_MAX: usize = 32;

/// Up to this many different lengths are listed; more are a range.
const FIXED_LENGTHS_MAX: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The kinds of operations, and whether a visit's direction is independent of the previous one.
    Kind,
    /// Block sizes: those of a mix are equally likely, whatever the length of the visit.
    Size,
    /// Lengths of visits: equally likely up to the longest, or one of a few.
    Length,
    /// Positions in a file and the choice of the file: equally likely.
    Position,
    /// Pauses: none within a visit, and one before it, equally likely up to the longest.
    Pause,
}

/// The distance of a part of a trace from the closest mix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distance {
    pub of: Part,
    /// 0 is the same, 1 has nothing in common. `None` with too little evidence.
    pub distance: Option<f64>,
    /// The log of a mix stays within this in 99 of 100 cases.
    pub bound: Option<f64>,
}

impl Distance {
    /// From this many draws out of this many choices.
    fn new(of: Part, distance: f64, draws: usize, choices: usize) -> Distance {
        let bound = (draws > 0).then(|| rounded(bound(draws, choices)));
        Distance { of, distance: (draws > 0).then(|| rounded(distance.clamp(0.0, 1.0))), bound }
    }

    /// Whether no mix behaves like it.
    pub fn is_far(&self) -> bool {
        self.distance.zip(self.bound).is_some_and(|(distance, bound)| distance > THRESHOLD + bound)
    }

    /// Whether the log of a mix could have this distance.
    pub fn is_within_bound(&self) -> bool {
        self.distance.zip(self.bound).is_some_and(|(distance, bound)| distance <= bound)
    }
}

/// A share in percent, with its uncertainty in 99 of 100 cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    pub percent: f64,
    /// The uncertainty, up or down.
    pub bound_percent: f64,
}

impl Share {
    /// `part` of `all`; `None` if `all` is 0.
    fn of(part: usize, all: usize) -> Option<Share> {
        let share = (all > 0).then(|| part as f64 / all as f64)?;
        // For a share of 0 or 100 %, the rule of three: what one more draw could still have shown.
        let spread = 2.58 * (share * (1.0 - share) / all as f64).sqrt();
        let bound = spread.max(4.6 / all as f64).min(1.0);
        Some(Share { percent: rounded(share * 100.0), bound_percent: rounded(bound * 100.0) })
    }

    /// Whether it is compatible with this percentage.
    pub fn may_be(&self, percent: f64) -> bool {
        (self.percent - percent).abs() <= self.bound_percent
    }
}

/// The lengths of visits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FittedLengths {
    /// Every length up to this, equally likely.
    UpToBytes(u64),
    FixedBytes(Vec<u64>),
}

/// When written data is synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FittedSync {
    None,
    /// Once at the end of a visit.
    Transfer,
    Block,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FittedMix {
    /// The number of workers at the same time.
    pub workers: usize,
    /// The number of files they use.
    pub files: usize,
    /// Whether every worker uses a separate file.
    pub has_own_files: bool,
    /// The size of the largest file, as far as it was used.
    pub file_bytes: u64,
    pub writes: Share,
    /// Share of visits with random blocks. `None` if no visit has two blocks.
    pub random: Option<Share>,
    /// Block sizes, equally likely.
    pub blocks_bytes: Vec<u32>,
    /// The lengths of visits.
    pub lengths: FittedLengths,
    /// The longest pause before a visit; 0 for none.
    pub max_delay_us: u64,
    /// When written data is synced.
    pub sync: FittedSync,
}

/// Whether a mix behaves like a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Likeness {
    /// Every distance is within its bound: the trace may be the log of this mix.
    Same,
    /// No distance is beyond the threshold.
    Near,
    NothingLikeIt,
    /// Too few visits for a result.
    TooFew,
}

/// The result of the fit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MixFit {
    /// Visits that were evaluated.
    pub visits: usize,
    /// Reads and writes in them.
    pub accesses: u64,
    /// Additional visits that were not evaluated.
    pub left_out: u64,
    /// How close the mix is.
    pub likeness: Likeness,
    /// The distance beyond which no mix is close.
    pub threshold: f64,
    pub distances: Vec<Distance>,
    /// The closest mix, even if it is not close. `None` if there is no visit at all.
    pub mix: Option<FittedMix>,
}

impl MixFit {
    pub fn largest(&self) -> Option<&Distance> {
        let known = self.distances.iter().filter(|distance| distance.distance.is_some());
        known.max_by(|one, two| one.distance.unwrap_or(0.0).total_cmp(&two.distance.unwrap_or(0.0)))
    }
}

/// Takes the operations of a trace; those of each worker in order.
#[derive(Clone, Debug, Default)]
pub struct MixFitter {
    visits: Visits,
}

impl MixFitter {
    /// For a trace with these files, by their sizes (0 if unknown).
    pub fn new(file_sizes: impl IntoIterator<Item = u64>) -> MixFitter {
        MixFitter { visits: Visits::new(file_sizes.into_iter().collect()) }
    }

    pub fn add(&mut self, op: &OpRecord) {
        self.visits.add(op);
    }

    /// The closest mix, and how close it is.
    pub fn fit(self) -> MixFit {
        fit(self.visits)
    }
}

fn fit(mut all: Visits) -> MixFit {
    all.finish();
    let visits = &all.done;
    let mix = (!visits.is_empty()).then(|| fitted(&all));
    let distances = match &mix {
        Some(mix) => distance::distances(&all, mix),
        // All operations are of kinds that no mix has.
        None if all.others > 0 => vec![Distance::new(Part::Kind, 1.0, all.others as usize, 2)],
        None => Vec::new(),
    };
    let likeness = match () {
        () if distances.iter().any(Distance::is_far) => Likeness::NothingLikeIt,
        () if visits.len() < VISITS_MIN => Likeness::TooFew,
        () if distances.iter().all(|one| one.distance.is_none() || one.is_within_bound()) => Likeness::Same,
        () => Likeness::Near,
    };
    MixFit {
        visits: visits.len(),
        accesses: visits.iter().map(|visit| u64::from(visit.accesses)).sum(),
        left_out: all.left_out,
        likeness,
        threshold: THRESHOLD,
        distances,
        mix,
    }
}

fn fitted(all: &Visits) -> FittedMix {
    let visits = &all.done;
    let writing = visits.iter().filter(|visit| visit.is_writing).count();
    let several = visits.iter().filter(|visit| visit.accesses > 1);
    let random = several.clone().filter(|visit| all.order(visit) == Order::Random).count();
    let mut workers: Vec<u32> = visits.iter().map(|visit| visit.worker).collect();
    workers.sort_unstable();
    workers.dedup();
    let mut files: Vec<u32> = visits.iter().map(|visit| visit.file).collect();
    files.sort_unstable();
    files.dedup();
    let file_bytes = files.iter().map(|file| all.file_bytes(*file)).max().unwrap_or(0);
    FittedMix {
        workers: workers.len(),
        files: files.len(),
        has_own_files: distance::has_own_files(visits),
        file_bytes,
        writes: Share::of(writing, visits.len()).unwrap_or(Share { percent: 0.0, bound_percent: 100.0 }),
        random: Share::of(random, several.count()),
        blocks_bytes: blocks(visits),
        lengths: lengths(visits),
        max_delay_us: distance::max_delay_ns(visits).div_ceil(1_000),
        sync: sync(all),
    }
}

/// The block sizes that are drawn. A size that occurs twice at the start of a visit was drawn for it,
/// because a remainder is followed only by smaller ones. If visits have one block each, its size counts.
fn blocks(visits: &[Visit]) -> Vec<u32> {
    let mut repeated: BTreeMap<u32, usize> = BTreeMap::new();
    let mut first: BTreeMap<u32, usize> = BTreeMap::new();
    for visit in visits {
        *first.entry(visit.first_len).or_default() += 1;
        if visit.second_len == Some(visit.first_len) {
            *repeated.entry(visit.first_len).or_default() += 1;
        }
    }
    let counts = if repeated.is_empty() { first } else { repeated };
    // A rare size comes from an irregularity, not from a draw: less than one in a hundred of the most
    // frequent.
    let least = counts.values().max().copied().unwrap_or(0) / 100;
    let sure = counts.into_iter().filter(|(_, count)| *count > least).map(|(size, _)| size).collect();
    with_long_blocks(sure, visits)
}

/// Adds those larger sizes that never occur twice because visits are too short, as long as each makes
/// the expected sizes closer to the observed ones.
fn with_long_blocks(mut blocks: Vec<u32>, visits: &[Visit]) -> Vec<u32> {
    let looked_at = &visits[..visits.len().min(FITTED_MAX)];
    let mut apart = distance::first_blocks(looked_at, &blocks);
    let largest = blocks.last().copied().unwrap_or(0);
    let mut candidates: Vec<u32> = looked_at.iter().map(|visit| visit.first_len).collect();
    candidates.sort_unstable();
    candidates.dedup();
    for size in candidates.into_iter().filter(|size| *size > largest).take(CANDIDATES_MAX) {
        let with = [&blocks[..], &[size]].concat();
        let nearer = distance::first_blocks(looked_at, &with);
        if nearer < apart {
            (blocks, apart) = (with, nearer);
        }
    }
    blocks
}

fn lengths(visits: &[Visit]) -> FittedLengths {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    visits.iter().for_each(|visit| *counts.entry(visit.bytes).or_default() += 1);
    let few = counts.len() <= FIXED_LENGTHS_MAX.min(visits.len().div_ceil(4));
    match few {
        true => FittedLengths::FixedBytes(counts.into_keys().collect()),
        false => FittedLengths::UpToBytes(counts.into_keys().next_back().unwrap_or(0)),
    }
}

fn sync(all: &Visits) -> FittedSync {
    let writing = || all.done.iter().filter(|visit| visit.is_writing);
    let writes: u64 = writing().map(|visit| u64::from(visit.accesses)).sum();
    let syncs: u64 = writing().map(|visit| u64::from(visit.syncs)).sum();
    match syncs {
        0 => FittedSync::None,
        // Closer to one per block than to one per visit.
        _ if syncs * 2 > writes + writing().count() as u64 => FittedSync::Block,
        _ => FittedSync::Transfer,
    }
}

/// The bound of a mix's own distance, for this many draws out of this many choices.
fn bound(draws: usize, choices: usize) -> f64 {
    let times = (OF_EACH_ROOT * (choices as f64).sqrt() + BEYOND_ROOTS).max(KOLMOGOROV_99);
    (times / (draws as f64).sqrt()).min(1.0)
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests;
