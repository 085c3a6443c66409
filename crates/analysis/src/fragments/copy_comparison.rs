//! Finds out whether a file is slow because of its location on disk. A file and a newly written copy
//! with the same content are read alternately several times, and their times are compared.
//!
//! A difference must exceed the noise: every read of the one must have taken longer than every read of
//! the other. With five reads each, chance produces that in fewer than 1 of 100 cases.
//!
//! Not here: copying and reading (the engine), and the sentence (report).

use serde::{Deserialize, Serialize};

use crate::rounding::round_to;

/// Fewer passes than this are too few for a result.
pub const MIN_PASSES: u32 = 4;
/// A file is slower than its copy from this ratio on; a smaller difference does not matter in practice.
const MIN_RATIO: f64 = 1.1;
/// A file with this many times the extents of its copy is fragmented in comparison.
const MORE_PIECES: u64 = 4;

/// A file, or its copy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredFile {
    /// Its number of extents; `None` if its file system does not report them.
    pub extents: Option<u64>,
    /// The time of each pass over the whole file.
    pub pass_ns: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// It is slower than its copy, and has more extents.
    Pieces,
    /// It is slower than its copy; the number of extents is unknown, or does not explain it.
    Place,
    /// No difference beyond the noise.
    Same,
    /// Its copy is slower.
    CopySlower,
    /// The copy is fragmented as well, so the comparison shows nothing.
    CopyInPieces,
}

/// The times of one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Every pass, in order.
    pub pass_s: Vec<f64>,
    /// The median of the passes.
    pub median_s: f64,
    /// The throughput of that pass.
    pub median_bytes_per_s: f64,
    /// From the fastest to the slowest pass, in percent of the median.
    pub spread_percent: f64,
}

/// A file compared with its copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgainstCopy {
    pub file: Times,
    pub copy: Times,
    /// The file's time divided by the copy's time, by the medians.
    pub ratio: f64,
    pub finding: Finding,
    /// The result as text, with its evidence.
    pub sentence: String,
}

/// A file compared with its copy, as data.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyComparison {
    pub file: Times,
    /// Extents of the file; `None` if its file system does not report them.
    pub file_extents: Option<u64>,
    pub copy: Times,
    /// Extents of the copy.
    pub copy_extents: Option<u64>,
    /// The file's time divided by the copy's time, by the medians.
    pub ratio: f64,
    pub finding: Finding,
}

impl CopyComparison {
    /// Compares; `None` if a side has fewer than [`MIN_PASSES`] passes or nothing was read.
    pub fn of(file: &MeasuredFile, copy: &MeasuredFile, bytes: u64) -> Option<CopyComparison> {
        let least = MIN_PASSES as usize;
        let enough =
            |side: &MeasuredFile| side.pass_ns.len() >= least && side.pass_ns.iter().all(|&ns| ns > 0);
        if bytes == 0 || !enough(file) || !enough(copy) {
            return None;
        }
        let ratio = median(&file.pass_ns) as f64 / median(&copy.pass_ns) as f64;
        let all_slower =
            |one: &MeasuredFile, other: &MeasuredFile| one.pass_ns.iter().min() > other.pass_ns.iter().max();
        let more_pieces = |one: &MeasuredFile, other: &MeasuredFile| match (one.extents, other.extents) {
            // A product beyond the largest number is never reached.
            (Some(one), Some(other)) => one >= other.saturating_mul(MORE_PIECES),
            _ => false,
        };
        let (times, copied) = (times(&file.pass_ns, bytes), times(&copy.pass_ns, bytes));
        // On a busy host, all reads of one side may be slow by chance; then they also differ among
        // themselves.
        let noise_percent = times.spread_percent.max(copied.spread_percent);
        let stands_out = |ratio: f64| ratio >= MIN_RATIO && (ratio - 1.0) * 100.0 > noise_percent;
        let finding = if all_slower(file, copy) && stands_out(ratio) {
            if more_pieces(file, copy) { Finding::Pieces } else { Finding::Place }
        } else if all_slower(copy, file) && stands_out(1.0 / ratio) {
            Finding::CopySlower
        } else if more_pieces(file, copy) || !is_in_pieces(file, copy) {
            Finding::Same
        } else {
            Finding::CopyInPieces
        };
        Some(CopyComparison {
            file: times,
            file_extents: file.extents,
            copy: copied,
            copy_extents: copy.extents,
            ratio,
            finding,
        })
    }

    pub fn in_words(self, sentence: impl Fn(&CopyComparison) -> String) -> AgainstCopy {
        let sentence = sentence(&self);
        let CopyComparison { file, copy, ratio, finding, .. } = self;
        AgainstCopy { file, copy, ratio: round_to(ratio, 3), finding, sentence }
    }
}

/// Whether both files are fragmented.
fn is_in_pieces(file: &MeasuredFile, copy: &MeasuredFile) -> bool {
    let many = |side: &MeasuredFile| side.extents.is_some_and(|extents| extents >= 16);
    many(file) && many(copy)
}

fn median(pass_ns: &[u64]) -> u64 {
    let mut sorted = pass_ns.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    match (sorted.get(middle), sorted.len() % 2) {
        (Some(&value), 1) => value,
        (Some(&value), _) => sorted[middle - 1].midpoint(value),
        (None, _) => 0,
    }
}

fn times(pass_ns: &[u64], bytes: u64) -> Times {
    let middle_ns = median(pass_ns);
    let (least, most) = (pass_ns.iter().min().copied(), pass_ns.iter().max().copied());
    let spread_ns = most.unwrap_or(0) - least.unwrap_or(0);
    Times {
        pass_s: pass_ns.iter().map(|&ns| ns as f64 / 1e9).collect(),
        median_s: middle_ns as f64 / 1e9,
        median_bytes_per_s: (bytes as f64 * 1e9 / middle_ns as f64).round(),
        spread_percent: round_to(spread_ns as f64 * 100.0 / middle_ns as f64, 1),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const MB_100: u64 = 100_000_000;

    fn side(extents: Option<u64>, pass_ms: &[u64]) -> MeasuredFile {
        MeasuredFile { extents, pass_ns: pass_ms.iter().map(|ms| ms * 1_000_000).collect() }
    }

    fn finding(file: &MeasuredFile, copy: &MeasuredFile) -> Finding {
        CopyComparison::of(file, copy, MB_100).unwrap().finding
    }

    #[test]
    fn a_file_in_pieces_that_is_always_slower_is_slow_because_of_them() {
        let file = side(Some(1024), &[2100, 2000, 2050, 1990, 2300]);
        let copy = side(Some(1), &[1000, 1010, 990, 1000, 1300]);
        let compared = CopyComparison::of(&file, &copy, MB_100).unwrap();
        assert_eq!((compared.file_extents, compared.copy_extents), (Some(1024), Some(1)));
        let found = compared.in_words(|compared| format!("{:?}", compared.finding));
        assert_eq!((found.finding, found.ratio), (Finding::Pieces, 2.05));
        assert_eq!((found.file.median_s, found.copy.median_bytes_per_s), (2.05, 1e8));
        assert_eq!(found.copy.spread_percent, 31.0);
        assert_eq!(found.sentence, "Pieces");
    }

    #[test]
    fn one_quick_read_among_slow_ones_is_noise() {
        let file = side(Some(1024), &[2100, 2000, 2050, 1250, 2300]);
        let copy = side(Some(1), &[1000, 1010, 990, 1000, 1300]);
        assert_eq!(finding(&file, &copy), Finding::Same);
        // Always slower, but by no more than the spread of one side.
        let file = side(Some(1), &[1500, 1450, 1900, 1400]);
        let copy = side(Some(1), &[1000, 1390, 900, 1100]);
        assert_eq!(finding(&file, &copy), Finding::Same);
        // Always slower, but by too little to matter.
        let file = side(Some(1024), &[1050, 1051, 1052, 1053]);
        let copy = side(Some(1), &[1000, 1001, 1002, 1003]);
        assert_eq!(finding(&file, &copy), Finding::Same);
    }

    #[test]
    fn unknown_or_opposite_result_is_stated() {
        let slow = [2100, 2000, 2050, 1990];
        let quick = [1000, 1010, 990, 1000];
        assert_eq!(finding(&side(None, &slow), &side(None, &quick)), Finding::Place);
        assert_eq!(finding(&side(Some(3), &slow), &side(Some(1), &quick)), Finding::Place);
        assert_eq!(finding(&side(Some(1000), &quick), &side(Some(1), &slow)), Finding::CopySlower);
        assert_eq!(finding(&side(Some(1000), &quick), &side(Some(900), &quick)), Finding::CopyInPieces);
        assert_eq!(finding(&side(Some(1), &quick), &side(Some(1), &quick)), Finding::Same);
    }

    #[test]
    fn too_few_reads_have_no_result() {
        let few = side(Some(1), &[1, 2, 3]);
        let enough = side(Some(1), &[1, 2, 3, 4]);
        assert_eq!(CopyComparison::of(&few, &enough, MB_100), None);
        assert_eq!(CopyComparison::of(&enough, &enough, 0), None);
        assert_eq!(CopyComparison::of(&enough, &side(Some(1), &[0, 0, 0, 0]), MB_100), None);
    }
}
