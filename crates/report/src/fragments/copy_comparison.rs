//! A file compared with its copy, as a sentence with its evidence.
//!
//! Not here: interpreting the times ([`reelgauge_analysis::fragments::copy_comparison`]).

use reelgauge_analysis::fragments::CopyComparison;
use reelgauge_analysis::fragments::copy_comparison::Finding;

/// The result of comparing a file with its copy, without the full stop.
pub fn against_copy_sentence(compared: &CopyComparison) -> String {
    let CopyComparison { file, file_extents, copy, copy_extents, ratio, finding } = compared;
    let lies = format!("The file is in {}, its copy in {}", pieces(*file_extents), pieces(*copy_extents));
    let passes = file.pass_s.len();
    let rates = format!(
        "{:.0} MB/s against {:.0} MB/s",
        file.median_bytes_per_s / 1e6,
        copy.median_bytes_per_s / 1e6
    );
    let noise = file.spread_percent.max(copy.spread_percent);
    match finding {
        Finding::Pieces => format!(
            "Fragmentation makes this file slow: reading it takes {ratio:.2} times as long as reading a \
             copy with the same content ({rates}, medians of {passes} reads each). Every read of the file \
             took longer than every read of the copy. {lies}"
        ),
        Finding::Place => format!(
            "The location of this file makes it slow: reading it takes {ratio:.2} times as long as reading \
             a copy with the same content ({rates}, medians of {passes} reads each). Every read of the file \
             took longer than every read of the copy. {lies}"
        ),
        Finding::Same => format!(
            "No sign that its location makes this file slow. The file and a copy with the same content are \
             equally fast within the noise: {rates}, medians of {passes} reads each. The reads of each differ \
             by up to {noise} %. {lies}. On SSDs, and from a server's cache, fragmentation costs little"
        ),
        Finding::CopySlower => format!(
            "The copy is slower than the file ({rates}, medians of {passes} reads each). Every read of the \
             copy took longer than every read of the file, so the copy's location is worse than the file's. \
             Rewriting the file here would not make it faster. {lies}"
        ),
        Finding::CopyInPieces => format!(
            "The copy shows nothing, because it is fragmented, too: {lies}. This file system has \
             too little contiguous free space for this test. Free some space there and repeat it"
        ),
    }
}

fn pieces(extents: Option<u64>) -> String {
    match extents {
        Some(1) => "1 piece".to_owned(),
        Some(extents) => format!("{extents} pieces"),
        None => "an unknown number of pieces".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::fragments::copy_comparison::MeasuredFile;

    use super::*;

    const MB_100: u64 = 100_000_000;

    /// The sentence for a file and its copy with these extent counts and read times.
    fn said(file: (Option<u64>, &[u64]), copy: (Option<u64>, &[u64])) -> String {
        let side = |(extents, pass_ms): (Option<u64>, &[u64])| MeasuredFile {
            extents,
            pass_ns: pass_ms.iter().map(|ms| ms * 1_000_000).collect(),
        };
        let compared = CopyComparison::of(&side(file), &side(copy), MB_100).unwrap();
        let shown = compared.in_words(against_copy_sentence);
        shown.sentence
    }

    #[test]
    fn a_file_in_pieces_that_is_always_slower_is_slow_because_of_them() {
        let file = [2100, 2000, 2050, 1990, 2300];
        let said = said((Some(1024), &file), (Some(1), &[1000, 1010, 990, 1000, 1300]));
        insta::assert_snapshot!(said);
    }

    #[test]
    fn unknown_or_opposite_result_is_stated() {
        let mut printed = Vec::<String>::new();
        let (slow, quick) = ([2100, 2000, 2050, 1990], [1000, 1010, 990, 1000]);
        let place = said((None, &slow), (None, &quick));
        printed.push(place.to_string());

        let slower = said((Some(1000), &quick), (Some(1), &slow));
        printed.push(slower.to_string());
        let in_pieces = said((Some(1000), &quick), (Some(900), &quick));
        printed.push(in_pieces.to_string());
        let same = said((Some(1), &quick), (Some(1), &quick));
        printed.push(same.to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }
}
