//! Which mix of accesses is nearest to a trace, and how near it is (EBU Tech 3362, further work 12 to 14).
//!
//! A *visit* is what a mix calls a transfer: the reads, or the writes, of one worker in one file between its
//! open and its close, or until it turns to another file or direction. A mix draws every visit anew: its
//! direction, whether its blocks lie in a row or at random places, its file, its place, its length, its block
//! size, and a pause before it. So all that a mix can imitate are the distributions of these, one independent
//! of the other, and [`fit`] estimates them.
//!
//! How near that is, is said for each of five parts by a *distance* from 0 (the same) to 1 (nothing in
//! common), see [`Part`]. Each has a statistical *bound*: a trace that is such a mix stays within it in 99 of
//! 100 cases. A distance that is larger than [`THRESHOLD`] and its bound together says that no mix does
//! anything like it.
//!
//! Pure. Not here: reading a log, words, and the profiles by name (workload).

mod distance;
mod visits;

use std::collections::BTreeMap;

use reelgauge_record::OpRecord;
use serde::Serialize;

use visits::{Order, Visit, Visits};

/// A distance beyond this is none that a mix explains: one access in four would have to be another.
pub const THRESHOLD: f64 = 0.25;

/// Kolmogorov's bound for one in a hundred, times the root of the number of draws. Total variation of two
/// shares stays within it, too.
const KOLMOGOROV_99: f64 = 1.63;

/// Total variation of so many equal shares grows with the root of their number.
const OF_EACH_ROOT: f64 = 0.4;
const BEYOND_ROOTS: f64 = 1.3;

/// Fewer visits tell nothing of a distribution.
const VISITS_MIN: usize = 30;

/// So many visits are looked at to choose block sizes, and so many sizes are tried.
const FITTED_MAX: usize = 20_000;
const CANDIDATES_MAX: usize = 32;

/// Lengths of which there are no more than this are listed; more are a range.
const FIXED_LENGTHS_MAX: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Which operations there are, and whether a visit's direction is independent of the one before.
    Kind,
    /// Block sizes: those of a mix are equally likely, whatever the length of the visit.
    Size,
    /// Lengths of visits: equally likely up to the longest, or one of a few.
    Length,
    /// Places in a file and the choice of the file: equally likely.
    Position,
    /// Pauses: none within a visit, and before it one up to the longest, equally likely.
    Pause,
}

/// How far a part of a trace is from the nearest mix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distance {
    pub of: Part,
    /// 0 is the same, 1 has nothing in common. `None` where too little was seen of it.
    pub distance: Option<f64>,
    /// A mix's own log stays within this in 99 of 100 cases.
    pub bound: Option<f64>,
}

impl Distance {
    /// Of so many draws out of so many things.
    fn new(of: Part, distance: f64, draws: usize, choices: usize) -> Distance {
        let bound = (draws > 0).then(|| rounded(bound(draws, choices)));
        Distance { of, distance: (draws > 0).then(|| rounded(distance.clamp(0.0, 1.0))), bound }
    }

    /// Whether no mix does anything like it.
    pub fn is_far(&self) -> bool {
        self.distance.zip(self.bound).is_some_and(|(distance, bound)| distance > THRESHOLD + bound)
    }

    /// Whether it is what a mix's own log would have.
    pub fn is_within_bound(&self) -> bool {
        self.distance.zip(self.bound).is_some_and(|(distance, bound)| distance <= bound)
    }
}

/// A share, in percent, with what it may be off by in 99 of 100 cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    pub percent: f64,
    /// So much more or less.
    pub bound_percent: f64,
}

impl Share {
    /// `part` of `all`; `None` of nothing.
    fn of(part: usize, all: usize) -> Option<Share> {
        let share = (all > 0).then(|| part as f64 / all as f64)?;
        // Of a share that is all or nothing the rule of three: what one more draw could still have been.
        let spread = 2.58 * (share * (1.0 - share) / all as f64).sqrt();
        let bound = spread.max(4.6 / all as f64).min(1.0);
        Some(Share { percent: rounded(share * 100.0), bound_percent: rounded(bound * 100.0) })
    }

    /// Whether it may be this.
    pub fn may_be(&self, percent: f64) -> bool {
        (self.percent - percent).abs() <= self.bound_percent
    }
}

/// How long visits are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FittedLengths {
    /// Every length up to this, equally likely.
    UpToBytes(u64),
    FixedBytes(Vec<u64>),
}

/// When written data is made durable.
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
    /// How many do it at once.
    pub workers: usize,
    /// How many files they use.
    pub files: usize,
    /// Whether every worker keeps to a file of its own.
    pub has_own_files: bool,
    /// The largest file, as far as it was used.
    pub file_bytes: u64,
    pub writes: Share,
    /// Visits whose blocks lie at random places. `None` where no visit has two blocks.
    pub random: Option<Share>,
    /// Block sizes, equally likely.
    pub blocks_bytes: Vec<u32>,
    /// How long visits are.
    pub lengths: FittedLengths,
    /// The longest pause before a visit; 0 for none.
    pub max_delay_us: u64,
    /// When written data is made durable.
    pub sync: FittedSync,
}

/// Whether a mix does what a trace does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Likeness {
    /// Every distance is within its bound: it may be this mix's own log.
    Same,
    /// No distance is beyond the threshold.
    Near,
    NothingLikeIt,
    /// Too few visits to say.
    TooFew,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MixFit {
    /// Visits that were looked at.
    pub visits: usize,
    /// Reads and writes in them.
    pub accesses: u64,
    /// Visits beyond those; they are not looked at.
    pub left_out: u64,
    /// How near it is.
    pub likeness: Likeness,
    /// Beyond which nothing is like it.
    pub threshold: f64,
    pub distances: Vec<Distance>,
    /// The nearest mix, also where nothing is like it. `None` where there is no visit at all.
    pub mix: Option<FittedMix>,
}

impl MixFit {
    pub fn largest(&self) -> Option<&Distance> {
        let known = self.distances.iter().filter(|distance| distance.distance.is_some());
        known.max_by(|one, two| one.distance.unwrap_or(0.0).total_cmp(&two.distance.unwrap_or(0.0)))
    }
}

/// Takes the operations of a trace, each worker's in the order in which it did them.
#[derive(Clone, Debug, Default)]
pub struct MixFitter {
    visits: Visits,
}

impl MixFitter {
    /// For a trace with these files, by their sizes (0 where that is not known).
    pub fn new(file_sizes: impl IntoIterator<Item = u64>) -> MixFitter {
        MixFitter { visits: Visits::new(file_sizes.into_iter().collect()) }
    }

    pub fn add(&mut self, op: &OpRecord) {
        self.visits.add(op);
    }

    /// The nearest mix, and how near it is.
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
        // Nothing but operations that no mix does.
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

/// The block sizes that are drawn. A size that comes twice at the beginning of a visit was drawn for it:
/// remainders only become smaller. Where visits have one block each, that is it.
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
    // A size of which there are few is one of a slip, not of a draw: one in a hundred of the commonest.
    let least = counts.values().max().copied().unwrap_or(0) / 100;
    let sure = counts.into_iter().filter(|(_, count)| *count > least).map(|(size, _)| size).collect();
    with_long_blocks(sure, visits)
}

/// With those larger sizes that never come twice because visits are too short for it, as long as each brings
/// the sizes nearer to those that were seen.
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
        // Nearer to one for each block than to one for each visit.
        _ if syncs * 2 > writes + writing().count() as u64 => FittedSync::Block,
        _ => FittedSync::Transfer,
    }
}

/// What a mix's own distance stays within, of so many draws out of so many things.
fn bound(draws: usize, choices: usize) -> f64 {
    let times = (OF_EACH_ROOT * (choices as f64).sqrt() + BEYOND_ROOTS).max(KOLMOGOROV_99);
    (times / (draws as f64).sqrt()).min(1.0)
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests;
