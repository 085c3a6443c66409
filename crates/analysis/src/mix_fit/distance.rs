//! Distances between the visits of a trace and those of the closest mix.
//!
//! Two kinds are used. The total variation between shares is half the sum of their differences: the
//! share that would have to be different. Kolmogorov's distance between the distribution of a value and
//! a uniform one is the largest difference of their cumulative shares.

use std::collections::{BTreeMap, BTreeSet};

use super::visits::{Order, Visit, Visits};
use super::{Distance, FittedLengths, FittedMix, FittedSync, Part};

/// A shorter pause is the time that a worker itself takes between two transfers.
const PAUSE_NS: u64 = 1_000_000;

/// The fractional part of the golden ratio: its multiples are evenly spaced between 0 and 1.
const GOLDEN: f64 = 0.618_033_988_749_895;

pub(super) fn distances(all: &Visits, mix: &FittedMix) -> Vec<Distance> {
    let visits = &all.done;
    let lengths = match &mix.lengths {
        FittedLengths::UpToBytes(_) => 1,
        FittedLengths::FixedBytes(lengths) => lengths.len(),
    };
    vec![
        Distance::new(Part::Kind, kind(all, mix), visits.len(), 2),
        Distance::new(Part::Size, size(visits, mix), visits.len(), mix.blocks_bytes.len()),
        Distance::new(Part::Length, length(visits, mix), visits.len(), lengths),
        position(all, mix),
        pause(visits),
    ]
}

/// Operations that no mix has, or a direction that depends on the previous one.
fn kind(all: &Visits, mix: &FittedMix) -> f64 {
    let visits = &all.done;
    let of_mix: u64 = visits.iter().map(|visit| u64::from(visit.accesses) + u64::from(visit.syncs) + 2).sum();
    let syncs = unexpected_syncs(visits, mix);
    let foreign = all.others + syncs;
    let others = foreign as f64 / (of_mix + all.others).max(1) as f64;
    others.max(dependence(visits))
}

/// Missing or additional syncs.
fn unexpected_syncs(visits: &[Visit], mix: &FittedMix) -> u64 {
    let wrong = |visit: &Visit| {
        let expected = match mix.sync {
            FittedSync::None => 0,
            FittedSync::Transfer => 1,
            FittedSync::Block => visit.accesses,
        };
        u64::from(visit.syncs.abs_diff(expected))
    };
    visits.iter().filter(|visit| visit.is_writing).map(wrong).sum()
}

/// How far the directions of two consecutive visits are from independent ones.
fn dependence(visits: &[Visit]) -> f64 {
    let mut before: BTreeMap<u32, bool> = BTreeMap::new();
    let mut pairs = [[0_u64; 2]; 2];
    for visit in visits {
        if let Some(last) = before.insert(visit.worker, visit.is_writing) {
            pairs[usize::from(last)][usize::from(visit.is_writing)] += 1;
        }
    }
    let all: u64 = pairs.iter().flatten().sum();
    if all == 0 {
        return 0.0;
    }
    let share = |count: u64| count as f64 / all as f64;
    let first = [share(pairs[0].iter().sum()), share(pairs[1].iter().sum())];
    let second = [share(pairs[0][0] + pairs[1][0]), share(pairs[0][1] + pairs[1][1])];
    let difference = |(one, two): (usize, usize)| (share(pairs[one][two]) - first[one] * second[two]).abs();
    [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().map(difference).sum::<f64>() / 2.0
}

/// First blocks compared with those of equally likely block sizes for the same lengths; and visits that
/// do not consist of one block size and its remainder.
fn size(visits: &[Visit], mix: &FittedMix) -> f64 {
    let odd = visits.iter().filter(|visit| !visit.is_of_blocks).count() as f64;
    first_blocks(visits, &mix.blocks_bytes).max(odd / visits.len().max(1) as f64)
}

/// How far first blocks are from those that equally likely sizes give.
pub(super) fn first_blocks(visits: &[Visit], blocks: &[u32]) -> f64 {
    let mut found: BTreeMap<u32, f64> = BTreeMap::new();
    let each = 1.0 / visits.len().max(1) as f64;
    for visit in visits {
        *found.entry(visit.first_len).or_default() += each;
        for block in blocks {
            let expected = first_block(*block, visit);
            *found.entry(expected).or_default() -= each / blocks.len() as f64;
        }
    }
    found.values().map(|difference| difference.abs()).sum::<f64>() / 2.0
}

/// The first block of this visit if this size was drawn for it: the size itself, or the largest power of
/// two that fits.
fn first_block(block: u32, visit: &Visit) -> u32 {
    match u32::try_from(visit.bytes) {
        Ok(bytes) if bytes < block && bytes > 0 => match visit.accesses {
            // A length below the smallest block is transferred as a whole.
            1 => visit.first_len,
            _ => 1 << bytes.ilog2(),
        },
        _ => block,
    }
}

fn length(visits: &[Visit], mix: &FittedMix) -> f64 {
    match &mix.lengths {
        FittedLengths::UpToBytes(longest) => {
            let step = visits.iter().map(|visit| visit.bytes).fold(0, gcd) as f64;
            let lengths = visits.iter().enumerate();
            let share = |(at, visit): (usize, &Visit)| {
                (visit.bytes as f64 - step * within_step(at)) / *longest as f64
            };
            unevenness(lengths.map(share).collect())
        }
        FittedLengths::FixedBytes(lengths) => {
            let mut shares: BTreeMap<u64, f64> = BTreeMap::new();
            let each = 1.0 / visits.len().max(1) as f64;
            visits.iter().for_each(|visit| *shares.entry(visit.bytes).or_default() += each);
            let even = 1.0 / lengths.len().max(1) as f64;
            lengths
                .iter()
                .map(|length| (shares.get(length).copied().unwrap_or(0.0) - even).abs())
                .sum::<f64>()
                / 2.0
        }
    }
}

fn gcd(one: u64, two: u64) -> u64 {
    if two == 0 { one } else { gcd(two, one % two) }
}

fn position(all: &Visits, mix: &FittedMix) -> Distance {
    let visits = &all.done;
    let step = visits.iter().map(|visit| visit.start).fold(0, gcd) as f64;
    // A visit that fills its file has only one possible position.
    let place = |(at, visit): (usize, &Visit)| {
        // A visit that read parts of its file twice is larger than the file.
        let room = all.file_bytes(visit.file).saturating_sub(visit.bytes);
        let place = (visit.start as f64 + step * within_step(at)) / (room as f64 + step);
        (all.order(visit) == Order::InARow && room > 0).then_some(place)
    };
    let places: Vec<f64> = visits.iter().enumerate().filter_map(place).collect();
    let draws = places.len();
    let starts = if draws > 0 { unevenness(places) } else { 0.0 };
    let share = |is: &dyn Fn(&Visit) -> bool| {
        visits.iter().filter(|visit| is(visit)).count() as f64 / visits.len().max(1) as f64
    };
    let going_on = share(&|visit| visit.is_continuation);
    // Neither sequential nor random.
    let between = share(&|visit| all.order(visit) == Order::Between);
    let choice = choice_of_files(all, mix);
    let starts = if draws >= super::VISITS_MIN { starts } else { 0.0 };
    let largest = [starts, going_on, between, choice].into_iter().fold(0.0, f64::max);
    // The bound of the part with the fewest draws; if only whole files are used, that of the visits.
    let draws = if draws >= super::VISITS_MIN { draws } else { visits.len() };
    Distance::new(Part::Position, largest, draws, 1)
}

/// Whether every worker uses one file, and no two the same if there are several.
pub(super) fn has_own_files(visits: &[Visit]) -> bool {
    let mut files: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for visit in visits {
        files.entry(visit.worker).or_default().insert(visit.file);
    }
    files.values().all(|files| files.len() == 1)
}

/// How far the choice of files is from equally likely: by how many are used, and by how often the next
/// file is the next in order.
fn choice_of_files(all: &Visits, mix: &FittedMix) -> f64 {
    if mix.has_own_files {
        return 0.0;
    }
    let visits = &all.done;
    let files = all.files().max(1) as f64;
    let draws = visits.len() as f64;
    let expected = files * (1.0 - (1.0 - 1.0 / files).powf(draws));
    let used = (mix.files as f64 - expected).abs() / draws.max(1.0);
    let mut before: BTreeMap<u32, u32> = BTreeMap::new();
    let (mut pairs, mut same, mut next) = (0_u64, 0_u64, 0_u64);
    for visit in visits {
        if let Some(last) = before.insert(visit.worker, visit.file) {
            pairs += 1;
            same += u64::from(last == visit.file);
            next += u64::from(last.checked_add(1) == Some(visit.file));
        }
    }
    let more = |count: u64| (count as f64 / pairs.max(1) as f64 - 1.0 / files).max(0.0);
    used.max(more(same)).max(more(next))
}

/// The longest pause before a visit; 0 if there are practically none.
pub(super) fn max_delay_ns(visits: &[Visit]) -> u64 {
    let pauses = pauses(visits);
    let long = pauses.iter().filter(|pause| **pause > PAUSE_NS).count();
    // In a mix with pauses, hardly any pause is too short to count.
    if long * 10 < pauses.len() { 0 } else { pauses.into_iter().max().unwrap_or(0) }
}

fn pauses(visits: &[Visit]) -> Vec<u64> {
    visits.iter().filter_map(|visit| visit.pause_ns).collect()
}

/// Pauses compared with none, or with a uniform distribution up to the longest; and waits within visits.
fn pause(visits: &[Visit]) -> Distance {
    let pauses = pauses(visits);
    let accesses: u64 = visits.iter().map(|visit| u64::from(visit.accesses) - 1).sum();
    let waits: u64 = visits.iter().map(|visit| u64::from(visit.waits)).sum();
    let within = waits as f64 / accesses.max(1) as f64;
    let longest = max_delay_ns(visits);
    let before = match longest {
        0 => pauses.iter().filter(|pause| **pause > PAUSE_NS).count() as f64 / pauses.len().max(1) as f64,
        longest => unevenness(pauses.iter().map(|pause| *pause as f64 / longest as f64).collect()),
    };
    // Waits are counted per access, and there are more accesses than visits.
    let draws = if within > before { accesses as usize } else { pauses.len() };
    Distance::new(Part::Pause, within.max(before), draws, 1)
}

/// Positions and lengths come in steps. Values of one step are spread over it, so that an equal choice
/// of steps gives a uniform distribution.
fn within_step(at: usize) -> f64 {
    (at as f64 * GOLDEN).fract()
}

/// Kolmogorov's distance of values from a uniform distribution between 0 and 1.
fn unevenness(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let count = values.len().max(1) as f64;
    let apart = |(at, value): (usize, &f64)| {
        let value = value.clamp(0.0, 1.0);
        (value - at as f64 / count).abs().max((value - (at + 1) as f64 / count).abs())
    };
    values.iter().enumerate().map(apart).fold(0.0, f64::max)
}
