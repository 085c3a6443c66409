//! Names of files, short enough for a page. A path may have 4,000 characters, and a page 20,000 files.

use std::collections::{BTreeMap, BTreeSet};

/// The size of all names together in a page, in bytes as they are embedded.
const MAX_BYTES: usize = 600_000;
/// Names are never shortened below the lower bound, and are never longer than the upper bound.
const NAME_BYTES: std::ops::RangeInclusive<usize> = 26..=1024;

/// The names of these files, shortened if they are too long.
pub(super) fn names(files: &BTreeSet<u32>, name: impl Fn(u32) -> Option<String>) -> BTreeMap<u32, String> {
    let most = (MAX_BYTES / files.len().max(1)).clamp(*NAME_BYTES.start(), *NAME_BYTES.end());
    files.iter().filter_map(|&file| Some((file, cut(name(file)?, most)))).collect()
}

/// Shortens a name to this embedded size. It keeps the end, which distinguishes files, after an
/// ellipsis.
pub(super) fn cut(name: String, most: usize) -> String {
    if name.chars().map(embedded_bytes).sum::<usize>() <= most {
        return name;
    }
    let mut left = most - embedded_bytes('…');
    let fits = name.char_indices().rev().take_while(|(_, c)| {
        let needed = embedded_bytes(*c);
        let fits = needed <= left;
        // Counted from the end: the name is cut before the first character that does not fit.
        left = left.saturating_sub(needed);
        fits
    });
    let from = fits.last().map_or(name.len(), |(at, _)| at);
    format!("…{}", &name[from..])
}

/// Bytes of a character in a page. JSON escapes some characters, and embedding in HTML escapes others.
fn embedded_bytes(c: char) -> usize {
    match c {
        '"' | '\\' => 2,
        '\u{0}'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => 6,
        c => c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_stay_and_long_ones_keep_their_ends() {
        assert_eq!(cut("reel-07/A001.mov".to_owned(), 44), "reel-07/A001.mov");
        let long = format!("{}/A001.mov", "x".repeat(4_000));
        let cut_long = cut(long, 44);
        assert_eq!(cut_long, format!("…{}/A001.mov", "x".repeat(32)));
        assert_eq!(cut("<".repeat(20), 44), format!("…{}", "<".repeat(6)));
        assert_eq!(cut("日".repeat(20), 44), format!("…{}", "日".repeat(13)));
    }

    #[test]
    fn hostile_names_stay_within_the_size_limit() {
        let files: BTreeSet<u32> = (0..22_000).collect();
        let named = names(&files, |file| (file != 7).then(|| "\u{202e}<\u{1}".repeat(1_333)));
        assert_eq!(named.len(), 21_999);
        let bytes: usize = named.values().flat_map(|name| name.chars().map(embedded_bytes)).sum();
        assert!(bytes <= MAX_BYTES, "{bytes}");
    }
}
