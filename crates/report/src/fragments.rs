//! Signs of fragmented files, as sentences with their evidence.
//!
//! [`copy_comparison`]: whether a copy is faster.
//!
//! Not here: which facts are signs ([`reelgauge_analysis::fragments`]).

pub mod copy_comparison;

use reelgauge_analysis::fragments::{ColdReads, FarWrites, FragmentSigns, Hints};

use crate::units::{block_size, count, duration};

/// One sentence for each sign, without the full stop; empty if there are none.
pub fn fragment_sentences(signs: &FragmentSigns) -> Vec<String> {
    let hints = signs.hints.iter().filter(|hints| hints.is_pattern()).map(single_bytes_ahead);
    let far = signs.far_writes.iter().map(far_writes);
    let cold = signs.cold_reads.iter().filter_map(uneven_reads);
    hints.chain(far).chain(cold).collect()
}

fn single_bytes_ahead(hints: &Hints) -> String {
    let spacing =
        hints.spacing_bytes.map_or(String::new(), |spacing| format!(", one every {}", block_size(spacing)));
    format!(
        "1-byte-ahead pattern in {}: {} single bytes were written up to {} ahead of the data{spacing}. \
         Later data overwrote {} of them. An SMB server with its share on XFS, or on btrfs with Samba's \
         'strict allocate', allocates a separate extent for each. 'reelgauge extents' on the server counts \
         them",
        hints.path,
        hints.hints,
        block_size(hints.ahead_bytes),
        hints.overwritten
    )
}

fn far_writes(far: &FarWrites) -> String {
    let gap = block_size(far.gap_bytes);
    let how = match far.writes {
        1 => format!("data was written {gap} beyond the end of the file"),
        many => format!("data was written {many} times up to {gap} beyond the end of the file"),
    };
    // Captures without durations have no service times.
    let took = match far.max_service_us {
        0.0 => String::new(),
        longest_us => format!(", which took up to {}", duration(longest_us)),
    };
    format!(
        "Write far beyond the end of {}: {how}{took}. A server that fills such gaps with zeros stalls for \
         seconds",
        far.path
    )
}

/// How unevenly a file was read, without the full stop; `None` if the reads were even.
pub fn uneven_reads(reads: &ColdReads) -> Option<String> {
    let (fast_us, slow_us) = reads.peaks_us?;
    let share = reads.slower_percent?;
    let rhythm = reads
        .period_bytes
        .map_or(String::new(), |period| format!("; slow ones repeat every {}", block_size(period)));
    Some(format!(
        "Uneven reads of {}: of {} sequential reads at queue depth 1, {share} % took about {} and the others \
         about {}{rhythm}. If no cache held the file, there are three possible causes: the file is \
         fragmented, its disk was busy, or this client was busy",
        reads.path,
        count(reads.reads),
        duration(slow_us),
        duration(fast_us)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_bytes_ahead_are_shown_with_their_distance() {
        let hints = Hints {
            path: "f1".to_owned(),
            hints: 31,
            overwritten: 31,
            spacing_bytes: Some(128 << 10),
            ahead_bytes: 1 << 20,
            first_at_s: 0.0,
        };
        let signs = FragmentSigns { hints: vec![hints.clone()], ..FragmentSigns::default() };
        let said = fragment_sentences(&signs).concat();
        insta::assert_snapshot!(said);

        let sparse = FragmentSigns { hints: vec![Hints { overwritten: 0, ..hints }], ..signs };
        assert_eq!(fragment_sentences(&sparse), [""; 0]);
    }

    #[test]
    fn write_far_beyond_the_end_is_shown_with_its_time_if_known() {
        let mut printed = Vec::<String>::new();
        let far =
            FarWrites { path: "f1".to_owned(), writes: 1, gap_bytes: 1 << 30, max_service_us: 1_500_000.0 };
        let said = far_writes(&far);
        printed.push(said.to_string());

        let untimed = far_writes(&FarWrites { max_service_us: 0.0, writes: 3, ..far });
        printed.push(untimed.to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn only_uneven_reads_are_shown_with_their_period() {
        let even = ColdReads { path: "a.mov".to_owned(), reads: 1000, ..ColdReads::default() };
        assert_eq!(uneven_reads(&even), None);
        let uneven = ColdReads {
            peaks_us: Some((800.0, 9_800.0)),
            slower_percent: Some(12.5),
            period_bytes: Some(1 << 20),
            ..even
        };
        let said = uneven_reads(&uneven).unwrap_or_default();
        insta::assert_snapshot!(said);
    }
}
