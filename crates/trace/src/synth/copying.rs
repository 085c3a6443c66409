//! The four copy workloads: one large file and a directory tree, to the storage and from it.
//!
//! The tree is the same in both directions. Its 247 MB in writes of 41.4 kB on average are 5,965 writes.
//! The copying program also reads one file of 70 bytes (paper, Table 1: "70B Rd"), which makes 5,966
//! accesses. The first access of each of 2,833 files and that read are not sequential. All others are,
//! so the sequential share is 52.5 %.

use reelgauge_record::{OpKind, OpenBits};
use reelgauge_workload::random::Dice;

use crate::error::TraceError;
use crate::synth::draw::{around_one, between, log_normal, shuffle};
use crate::synth::tape::SyntheticWriter;

/// Size of an access of the copy.
const CHUNK: u64 = 64 << 10;
/// Accesses of the file copy: 1.4 GB.
const FILE_CHUNKS: u64 = 21_362;
/// The stream of random draws for the tree.
const TREE: u32 = 3;

const FILES: usize = 2833;
const TREE_BYTES: u64 = 247_000_000;
/// Accesses that copy the tree, without the settings file.
const TREE_CHUNKS: u64 = 5965;
/// The small file that is read in addition to the copy.
const SETTINGS_BYTES: u64 = 70;
/// Number of directories in the tree.
const DIRECTORIES: usize = 190;
/// The time to open and close a file, as the bytes that could have been copied in that time.
const FILE_COST_BYTES: u64 = 24 << 10;

pub(super) fn file_to(tape: &mut SyntheticWriter<'_>, _: u64, _: f64) -> Result<(), TraceError> {
    let file = tape.absent("copy/film.mpg".to_owned())?;
    let handle = tape.create(file)?;
    for chunk in 0..FILE_CHUNKS {
        tape.wait_until(file_time_ns(chunk, 55.0));
        tape.write(handle, chunk * CHUNK, CHUNK as u32)?;
    }
    tape.close(handle)
}

pub(super) fn file_from(tape: &mut SyntheticWriter<'_>, _: u64, _: f64) -> Result<(), TraceError> {
    let file = tape.found("copy/film.mpg".to_owned(), FILE_CHUNKS * CHUNK)?;
    let handle = tape.open(file, OpenBits::READ)?;
    for chunk in 0..FILE_CHUNKS {
        tape.wait_until(file_time_ns(chunk, 51.0));
        tape.read(handle, chunk * CHUNK, CHUNK as u32)?;
    }
    tape.close(handle)
}

fn file_time_ns(chunk: u64, mb_per_s: f64) -> u64 {
    ((chunk * CHUNK) as f64 * 1e3 / mb_per_s) as u64
}

/// A file of the tree.
#[derive(Clone, Debug)]
struct Leaf {
    path: String,
    bytes: u64,
}

pub(super) fn tree_to(tape: &mut SyntheticWriter<'_>, seed: u64, _: f64) -> Result<(), TraceError> {
    let tree = Tree::new(seed);
    let mut clock = Clock::new(15.0, seed);
    let mut made = 0;
    for (at, leaf) in tree.leaves.iter().enumerate() {
        while made < tree.directories.len() && leaf.path.starts_with(tree.directories[made].as_str()) {
            let directory = tape.directory(tree.directories[made].clone(), false)?;
            tape.by_path(OpKind::MakeDir, directory)?;
            made += 1;
        }
        let file = tape.absent(leaf.path.clone())?;
        clock.next_file(tape);
        let handle = tape.create(file)?;
        for (offset, len) in chunks(leaf.bytes) {
            clock.next_bytes(tape, len);
            tape.write(handle, offset, len)?;
        }
        tape.close(handle)?;
        if at == 0 {
            read_settings(tape, file)?;
        }
    }
    Ok(())
}

pub(super) fn tree_from(tape: &mut SyntheticWriter<'_>, seed: u64, _: f64) -> Result<(), TraceError> {
    let tree = Tree::new(seed);
    let mut clock = Clock::new(13.0, seed);
    let mut listed = 0;
    for (at, leaf) in tree.leaves.iter().enumerate() {
        while listed < tree.directories.len() && leaf.path.starts_with(tree.directories[listed].as_str()) {
            let directory = tape.directory(tree.directories[listed].clone(), true)?;
            tape.by_path(OpKind::ReadDir, directory)?;
            listed += 1;
        }
        let file = tape.found(leaf.path.clone(), leaf.bytes)?;
        if at == 0 {
            read_settings(tape, file)?;
        }
        clock.next_file(tape);
        let handle = tape.open(file, OpenBits::READ)?;
        for (offset, len) in chunks(leaf.bytes) {
            clock.next_bytes(tape, len);
            tape.read(handle, offset, len)?;
        }
        tape.close(handle)?;
    }
    Ok(())
}

/// The copying program reads the small file with the display settings of the directory.
fn read_settings(tape: &mut SyntheticWriter<'_>, file: u32) -> Result<(), TraceError> {
    let handle = tape.open(file, OpenBits::READ)?;
    tape.read(handle, 0, SETTINGS_BYTES as u32)?;
    tape.close(handle)
}

/// The pieces in which a file is copied.
fn chunks(bytes: u64) -> impl Iterator<Item = (u64, u32)> {
    (0..bytes).step_by(CHUNK as usize).map(move |offset| (offset, (bytes - offset).min(CHUNK) as u32))
}

/// Spreads the published duration over the copied bytes.
struct Clock {
    ns_per_byte: f64,
    cost_bytes: u64,
    dice: Dice,
}

impl Clock {
    fn new(mb_per_s: f64, seed: u64) -> Clock {
        let whole = TREE_BYTES + FILES as u64 * FILE_COST_BYTES;
        let duration_ns = TREE_BYTES as f64 * 1e3 / mb_per_s;
        Clock { ns_per_byte: duration_ns / whole as f64, cost_bytes: 0, dice: Dice::new(seed, TREE + 1) }
    }

    fn next_file(&mut self, tape: &mut SyntheticWriter<'_>) {
        self.wait(tape);
        self.cost_bytes += FILE_COST_BYTES;
    }

    fn next_bytes(&mut self, tape: &mut SyntheticWriter<'_>, len: u32) {
        self.wait(tape);
        self.cost_bytes += u64::from(len);
    }

    /// Waits until the previous part of the copy is done, with some jitter; never before the previous
    /// access.
    fn wait(&mut self, tape: &mut SyntheticWriter<'_>) {
        let mean_ns = self.cost_bytes as f64 * self.ns_per_byte;
        tape.wait_until((mean_ns * around_one(&mut self.dice, 1e-4)) as u64);
    }
}

/// A directory tree like that of an office suite: most files small, few large.
struct Tree {
    /// Ending in `/`, in the order in which the files are in them.
    directories: Vec<String>,
    leaves: Vec<Leaf>,
}

impl Tree {
    fn new(seed: u64) -> Tree {
        let mut dice = Dice::new(seed, TREE);
        let sizes = sizes(&mut dice);
        let mut directories = vec!["suite/".to_owned()];
        let mut leaves = Vec::with_capacity(FILES);
        for (at, bytes) in sizes.into_iter().enumerate() {
            // The first directory has the settings file; then the directories are filled one after the
            // other.
            let wanted = 1 + at * (DIRECTORIES - 1) / FILES;
            while at > 0 && directories.len() <= wanted {
                directories.push(subdirectory(&mut dice, &directories));
            }
            let path = match at {
                0 => "suite/desktop.ini".to_owned(),
                _ => format!("{}file-{at:04}.dat", directories[directories.len() - 1]),
            };
            leaves.push(Leaf { path, bytes });
        }
        Tree { directories, leaves }
    }
}

/// A new directory in the last one, in its parent, or in the first.
fn subdirectory(dice: &mut Dice, directories: &[String]) -> String {
    let last = directories.last().map_or("suite/", String::as_str);
    let parent = match dice.below(4) {
        0 if last.matches('/').count() < 6 => last,
        1 => "suite/",
        _ => last.trim_end_matches('/').rfind('/').map_or("suite/", |end| &last[..=end]),
    };
    format!("{parent}part-{:03}/", directories.len())
}

/// Sizes of all files, the settings first. The totals of bytes and chunks are the published ones.
fn sizes(dice: &mut Dice) -> Vec<u64> {
    // A file is a number of full chunks and a rest of 1 to 65,536 bytes.
    let drawn: Vec<u64> = (1..FILES).map(|_| log_normal(dice, 12_000.0, 2.8).max(1)).collect();
    let mut full: Vec<u64> = drawn.iter().map(|bytes| (bytes - 1) / CHUNK).collect();
    let mut rests: Vec<u64> = drawn.iter().map(|bytes| (bytes - 1) % CHUNK + 1).collect();
    let wanted_full = TREE_CHUNKS - FILES as u64;
    let wanted_rests = TREE_BYTES - wanted_full * CHUNK - SETTINGS_BYTES;
    scale(dice, &mut full, 0, u64::MAX, wanted_full);
    scale(dice, &mut rests, 1, CHUNK, wanted_rests);
    let others = full.iter().zip(&rests).map(|(full, rest)| full * CHUNK + rest);
    std::iter::once(SETTINGS_BYTES).chain(others).collect()
}

/// Scales values to the sum `wanted`, each within its bounds: first in proportion, then by single steps
/// at random places. The caller must ensure that this is possible.
fn scale(dice: &mut Dice, values: &mut [u64], least: u64, most: u64, wanted: u64) {
    for _ in 0..8 {
        let sum: u64 = values.iter().sum();
        let factor = wanted as f64 / sum.max(1) as f64;
        values.iter_mut().for_each(|value| *value = ((*value as f64 * factor) as u64).clamp(least, most));
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    shuffle(dice, &mut order);
    let mut sum: u64 = values.iter().sum();
    let mut stuck = false;
    while sum != wanted {
        let sum_before = sum;
        for &at in &order {
            // Steps are as large as the average difference, so that the loop ends quickly.
            let step = (wanted.abs_diff(sum) / values.len() as u64).max(1);
            let step = between(dice, 1, step);
            let value = &mut values[at];
            let before = *value;
            // Values of zero (no full chunk) stay zero if possible: small files remain small.
            let grows = stuck || before > least;
            *value = match sum.cmp(&wanted) {
                std::cmp::Ordering::Less if grows => before + step.min(most - before).min(wanted - sum),
                std::cmp::Ordering::Greater => before - step.min(before - least).min(sum - wanted),
                _ => before,
            };
            sum = sum - before + *value;
        }
        stuck = sum == sum_before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_has_a_tree_of_the_published_size() {
        for seed in 0..40 {
            let tree = Tree::new(seed);
            assert_eq!(tree.leaves.len(), FILES);
            assert_eq!(tree.leaves.iter().map(|leaf| leaf.bytes).sum::<u64>(), TREE_BYTES);
            let count: usize = tree.leaves.iter().map(|leaf| chunks(leaf.bytes).count()).sum();
            assert_eq!(count as u64, TREE_CHUNKS);
            assert_eq!(tree.directories.len(), DIRECTORIES);
            let small = tree.leaves.iter().filter(|leaf| leaf.bytes < 16_000).count();
            assert!(small * 5 > FILES * 2 && small * 10 < FILES * 8, "{small} files under 16 kB");
            assert!(tree.leaves.iter().all(|leaf| crate::name::check(&leaf.path).is_ok()));
        }
    }

    #[test]
    fn a_file_is_copied_whole_and_in_order() {
        assert_eq!(chunks(CHUNK + 5).collect::<Vec<_>>(), [(0, CHUNK as u32), (CHUNK, 5)]);
        assert_eq!(chunks(1).collect::<Vec<_>>(), [(0, 1)]);
    }
}
