//! Finding formats by words and by figures, and guessing what a mistyped id meant.

use std::cmp::Reverse;

use crate::catalogue::Catalogue;
use crate::format::{ClipLayout, Format};
use crate::id;
use crate::raster::Raster;
use crate::rate::FrameRate;

/// The formats to select. All parts that are set must match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Words that must all occur in one of the format's fields. Case is ignored.
    pub words: String,
    /// Exactly this frame rate.
    pub fps: Option<FrameRate>,
    /// Exactly this raster.
    pub raster: Option<Raster>,
    /// This kind of file.
    pub kind: Option<ClipLayout>,
    /// At least this many bytes per second on average.
    pub min_bytes_per_s: Option<f64>,
    /// At most this many bytes per second on average.
    pub max_bytes_per_s: Option<f64>,
}

/// The score of a word, by where it is found.
const WORTH_ID_WORD: u32 = 8;
const WORTH_ID_BEGIN: u32 = 5;
const WORTH_FIELD: u32 = 4;
const WORTH_NAME_PART: u32 = 3;
const WORTH_REMARK: u32 = 1;

/// Alternative names of a family's codec. The words of the family's name need not be repeated.
const CODECS: &[(&[&str], &[&str])] = &[
    (&["AVC-Intra", "AVCHD", "H.264", "XAVC", "XAVC S", "XAVC S-I"], &["avc", "h264", "x264"]),
    (&["XAVC HS"], &["hevc", "h265", "x265"]),
    (&["MPEG-2", "XDCAM"], &["mpeg2", "h262"]),
    (&["DNxHD", "DNxHR"], &["dnx", "vc3"]),
    (&["JPEG 2000"], &["j2k", "jp2", "jpeg2000"]),
    (&["JPEG XS"], &["jxs", "jpegxs"]),
    (&["ARRIRAW"], &["arri", "ari"]),
    (&["REDCODE"], &["red", "r3d"]),
    (&["Blackmagic RAW"], &["bmd", "braw"]),
    (&["Cinema RAW Light"], &["canon", "crm"]),
    (&["OpenEXR"], &["exr"]),
    (&["Broadcast WAV"], &["bwf", "audio"]),
];

impl Catalogue {
    /// The formats in which all words occur, best first; all formats when there are no words.
    pub fn search(&self, words: &str) -> Vec<&Format> {
        self.select(&Filter { words: words.into(), ..Filter::default() })
    }

    /// The formats that match the filter: best first if it has words, otherwise in catalogue order.
    pub fn select(&self, filter: &Filter) -> Vec<&Format> {
        let lower = filter.words.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let mut found: Vec<(u32, &Format)> = self
            .formats()
            .iter()
            .filter(|format| filter.figures_hold(format))
            .filter_map(|format| Some((worth(format, &words)?, format)))
            .collect();
        if !words.is_empty() {
            // With equal scores, the shorter id has less that was not requested. The sort is stable.
            found.sort_by_key(|(worth, format)| (Reverse(*worth), format.id.split('-').count()));
        }
        found.into_iter().map(|(_, format)| format).collect()
    }

    /// Those of the words that occur in no format at all.
    pub fn unknown_words<'w>(&self, words: &'w str) -> Vec<&'w str> {
        words.split_whitespace().filter(|word| self.search(word).is_empty()).collect()
    }

    /// Up to `max` ids that a mistyped id may mean, best first; empty if none is close.
    pub fn close_matches(&self, typed: &str, max: usize) -> Vec<String> {
        let typed = id::of_typed(typed);
        let formats = self.formats().iter().map(|format| format.id.as_str());
        let incomplete = self.incomplete().iter().map(|incomplete| incomplete.id.as_str());
        let mut near: Vec<(usize, &str)> =
            formats.chain(incomplete).filter_map(|id| Some((distance(&typed, id)?, id))).collect();
        near.sort_by_key(|(distance, _)| *distance);
        near.into_iter().take(max).map(|(_, id)| id.into()).collect()
    }
}

impl Filter {
    fn figures_hold(&self, format: &Format) -> bool {
        let rate = format.mean_bytes_per_s();
        self.fps.is_none_or(|fps| fps == format.frame_rate)
            && self.raster.is_none_or(|raster| Some(raster) == format.raster)
            && self.kind.is_none_or(|kind| kind == format.kind)
            && self.min_bytes_per_s.is_none_or(|least| rate >= least)
            && self.max_bytes_per_s.is_none_or(|most| rate <= most)
    }
}

/// The total score of all words in a format; `None` if one does not occur.
fn worth(format: &Format, words: &[&str]) -> Option<u32> {
    if words.is_empty() {
        return Some(0);
    }
    let fields = fields(format);
    let name = format.name.to_lowercase();
    let remarks = format!("{} {}", format.note, format.source_url).to_lowercase();
    words.iter().map(|word| word_worth(word, format, &fields, &name, &remarks)).sum()
}

/// The short fields: a word must be equal to one of them.
fn fields(format: &Format) -> Vec<String> {
    let mut fields: Vec<String> = format.family.to_lowercase().split_whitespace().map(String::from).collect();
    fields.push(letters_of(&format.family));
    let codecs = CODECS.iter().filter(|(families, _)| families.contains(&format.family.as_str()));
    fields.extend(codecs.flat_map(|(_, words)| words.iter().copied().map(String::from)));
    fields.extend(format.key.split('_').map(String::from));
    fields.extend([format.frame_rate.to_string(), format!("{}p", format.frame_rate)]);
    fields.push(format.kind.name().into());
    fields.push(format.rate_control.name().into());
    fields.push(format.chroma.to_lowercase());
    if let Some(raster) = format.raster {
        fields.push(raster.to_string());
        fields.extend(raster.names().iter().flat_map(|name| name.split('-')).map(String::from));
    }
    if let Some(bits) = format.bits {
        fields.extend([format!("{bits}-bit"), format!("{bits}bit")]);
    }
    fields
}

/// Letters and digits alone: `H.264` and `h264`, `MPEG-2` and `mpeg2` are the same.
fn letters_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

fn word_worth(word: &str, format: &Format, fields: &[String], name: &str, remarks: &str) -> Option<u32> {
    let mut id_words = format.id.split('-');
    if id_words.clone().any(|id_word| id_word == word) || format.id == word {
        return Some(WORTH_ID_WORD);
    }
    let letters = letters_of(word);
    if fields.iter().any(|field| field == word || *field == letters) {
        return Some(WORTH_FIELD);
    }
    // A number is a figure, not a part of one: 25 is not found in 1250304.
    if word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    if id_words.any(|id_word| id_word.starts_with(word)) {
        return Some(WORTH_ID_BEGIN);
    }
    let is_in_name = !letters.is_empty() && letters_of(name).contains(&letters);
    if name.contains(word) || format.id.contains(word) || is_in_name {
        return Some(WORTH_NAME_PART);
    }
    remarks.contains(word).then_some(WORTH_REMARK)
}

/// The distance of a typed id from an id, word by word: letters to change in each typed word, and a
/// little for every omitted word. `None` if most of a word would have to be changed.
fn distance(typed: &str, id: &str) -> Option<usize> {
    const LETTER: usize = 4;
    let mut free: Vec<&str> = id.split('-').collect();
    let mut total = 0;
    for word in typed.split('-').filter(|word| !word.is_empty()) {
        let (place, letters) = free
            .iter()
            .enumerate()
            .map(|(place, id_word)| (place, strsim::damerau_levenshtein(word, id_word)))
            .min_by_key(|(_, letters)| *letters)?;
        if letters * 2 > word.chars().count().max(2) {
            return None;
        }
        total += letters * LETTER;
        free.remove(place);
    }
    Some(total + free.len())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::catalogue::catalogue;

    fn ids(words: &str) -> Vec<&'static str> {
        catalogue().search(words).into_iter().map(|format| format.id.as_str()).collect()
    }

    #[test]
    fn all_words_must_occur_in_any_field() {
        let found = ids("prores uhd");
        assert_eq!(found.len(), 31, "six flavours at five rates, and an iPhone's by its raster");
        assert!(found.iter().all(|id| id.contains("prores")));
        assert_eq!(ids("ProRes UHD"), found);
        assert_eq!(ids("prores hq uhd 25"), ["prores-422-hq-uhd-25"]);
        assert_eq!(ids("prores hq uhd 29.97"), ["prores-422-hq-uhd-2997"]);
        assert!(ids("prores avid").is_empty());
        assert_eq!(ids("").len(), 600);
    }

    #[test]
    fn codecs_are_found_by_every_usual_name() {
        let families = |words: &str| {
            let found = catalogue().search(words).into_iter().map(|format| format.family.as_str());
            found.collect::<std::collections::BTreeSet<_>>()
        };
        for name in ["h264", "H.264", "h-264", "avc", "x264"] {
            let found = families(name);
            for family in ["AVC-Intra", "AVCHD", "H.264", "XAVC", "XAVC S", "XAVC S-I"] {
                assert!(found.contains(family), "{name}: {found:?}");
            }
            // A part of a name is found, too: "avc" in XAVC HS.
            let is_codec = name.to_lowercase().starts_with('h');
            assert!(
                !is_codec || !found.contains("XAVC HS") && !found.contains("ProRes"),
                "{name}: {found:?}"
            );
        }
        for name in ["h265", "h.265", "HEVC"] {
            assert!(families(name).contains("XAVC HS") && !families(name).contains("XAVC S"), "{name}");
        }
        for (name, family) in [
            ("mpeg2", "XDCAM"),
            ("mpeg-2", "XDCAM"),
            ("avcintra", "AVC-Intra"),
            ("avc-intra", "AVC-Intra"),
            ("jpeg2000", "JPEG 2000"),
            ("j2k", "JPEG 2000"),
            ("vc-3", "DNxHR"),
            ("exr", "OpenEXR"),
        ] {
            assert!(families(name).contains(family), "{name}: {:?}", families(name));
        }
        assert!(!ids("h264 uhd 25p").is_empty());
        assert_eq!(catalogue().unknown_words("h264 xyzzy uhd"), ["xyzzy"]);
    }

    #[test]
    fn rasters_are_found_by_their_other_names() {
        let found = ids("xavc intra uhd 50");
        assert!(found.contains(&"xavc-intra-class-300-qfhd-50"), "{found:?}");
        assert!(found.contains(&"xavc-intra-class-480-2160p-50"), "{found:?}");
    }

    #[test]
    fn formats_are_found_by_the_short_names_of_their_rows() {
        let found = ids("braw 12k");
        assert!(found[..4].iter().all(|id| id.starts_with("blackmagic-raw") && id.contains("12k")));
        // The remarks on 8K mention 12K, which puts them behind.
        assert!(found[4..].iter().all(|id| id.contains("8k")), "{found:?}");
    }

    #[test]
    fn best_match_is_first() {
        assert_eq!(ids("prores 422 uhd 25")[0], "prores-422-uhd-25");
        assert_eq!(ids("dpx 10-bit uhd 24")[0], "dpx-10-bit-rgb-uhd-24");
        // Found only in the remarks, but found.
        assert!(ids("openimageio b44").iter().all(|id| id.contains("b44")));
        assert!(!ids("openimageio").is_empty());
    }

    #[test]
    fn numbers_are_not_found_inside_numbers() {
        assert!(ids("1250304").is_empty());
        assert!(ids("xavc 5").is_empty());
    }

    #[test]
    fn figures_filter() {
        let all = Filter::default();
        assert_eq!(catalogue().select(&all).len(), 600);
        let filter = Filter {
            fps: Some("59.94".parse().unwrap()),
            raster: Some("uhd".parse().unwrap()),
            kind: Some(ClipLayout::MovieFile),
            min_bytes_per_s: Some(50e6),
            max_bytes_per_s: Some(150e6),
            ..Filter::default()
        };
        let found = catalogue().select(&filter);
        assert!(found.len() > 3);
        for format in found {
            assert_eq!(format.frame_rate.to_string(), "59.94");
            assert_eq!(format.raster, Some(Raster::new(3840, 2160)));
            assert!((50.0..=150.0).contains(&format.mb_per_s()), "{}", format.id);
        }
    }

    #[test]
    fn a_guess_costs_letters_before_words() {
        assert_eq!(distance("prores-hq", "prores-422-hq"), Some(1));
        assert_eq!(distance("prors-hq", "prores-422-hq"), Some(5));
        assert_eq!(distance("xyzzy", "prores-422-hq"), None);
        assert_eq!(distance("prores-a-b-c", "prores"), None);
    }
}
