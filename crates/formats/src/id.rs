//! Ids of formats, made from their catalogue row.
//!
//! `Apple ProRes 422 HQ UHD` at 25 becomes `prores-422-hq-uhd-25`. The rules are fixed: plans and
//! scripts contain ids, so they must not change when rows are added.

use crate::rate::FrameRate;

/// The id of a row.
pub(crate) fn of_row(family: &str, name: &str, rate: Option<FrameRate>) -> String {
    let name = without_brackets(name).to_lowercase();
    let name = without_maker(&name, &family.to_lowercase());
    let words: Vec<String> = name.split_whitespace().map(|word| slug(&plain(word))).collect();
    let mut id = words.join("-");
    id = slug(&id);
    if let Some(rate) = rate {
        id.push('-');
        id.push_str(&rate.id_label());
    }
    id
}

/// Converts a user's text into the form of an id: `ProRes 422_HQ UHD 29.97` finds the same format.
pub(crate) fn of_typed(text: &str) -> String {
    let lower = text.trim().to_lowercase();
    let (head, last) = match lower.rfind(['-', '_', ' ']) {
        Some(at) => lower.split_at(at + 1),
        None => ("", lower.as_str()),
    };
    let last = last.parse::<FrameRate>().map_or_else(|_| last.into(), FrameRate::id_label);
    slug(&format!("{head}{last}"))
}

/// Lower-case letters and digits, with single hyphens between them.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_alphanumeric() {
            slug.extend(letter.to_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// Remarks in brackets do not belong to the id.
fn without_brackets(name: &str) -> String {
    let mut depth = 0_u32;
    let mut kept = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept
}

/// `apple prores …` of the family `prores` needs no `apple`.
fn without_maker<'a>(name: &'a str, family: &str) -> &'a str {
    match name.trim().split_once(' ') {
        Some((_, rest)) if rest.starts_with(family) => rest,
        _ => name,
    }
}

/// One word without separators that would split it: `4:2:2` is 422, `3:1` is 3to1, `16:9` is 16x9. The
/// rate of `1080i29.97` is removed, because it is appended anyway.
fn plain(word: &str) -> String {
    if let Some((lines, rate)) = word.split_once(['i', 'p'])
        && !lines.is_empty()
        && lines.bytes().all(|byte| byte.is_ascii_digit())
        && rate.parse::<FrameRate>().is_ok()
    {
        return word[..=lines.len()].into();
    }
    let parts: Vec<&str> = word.split(':').collect();
    match parts.as_slice() {
        [ratio, "1"] => format!("{ratio}to1"),
        [width, height] => format!("{width}x{height}"),
        chroma => chroma.concat(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn ids_are_made_by_the_rules() {
        for (family, name, rate, id) in [
            ("ProRes", "Apple ProRes 422 HQ UHD", "25", "prores-422-hq-uhd-25"),
            ("ProRes", "iPhone 13 Pro ProRes 1080p", "30", "iphone-13-pro-prores-1080p-30"),
            ("Uncompressed", "v210 10-bit 4:2:2 HD", "29.97", "v210-10-bit-422-hd-2997"),
            ("Blackmagic RAW", "Blackmagic RAW 3:1 4.6K", "24", "blackmagic-raw-3to1-4-6k-24"),
            ("ARRIRAW", "ARRIRAW ALEXA XT 16:9 2.8K", "24", "arriraw-alexa-xt-16x9-2-8k-24"),
            ("XDCAM", "Sony XDCAM HD422 50 1080i29.97", "29.97", "xdcam-hd422-50-1080i-2997"),
            ("XAVC HS", "Sony XAVC HS 4K 45M (HEVC long GOP)", "59.94", "xavc-hs-4k-45m-5994"),
            ("DPX", "a / b", "1/3", "a-b-1over3"),
        ] {
            assert_eq!(of_row(family, name, Some(rate.parse().unwrap())), id);
        }
        assert_eq!(of_row("Broadcast WAV", "BWF 48 kHz 24-bit 5.1", None), "bwf-48-khz-24-bit-5-1");
    }

    #[test]
    fn spelling_variants_are_accepted() {
        for typed in ["prores-422-hq-uhd-2997", "ProRes 422 HQ UHD 29.97", "PRORES_422_HQ_UHD_29.97 "] {
            assert_eq!(of_typed(typed), "prores-422-hq-uhd-2997");
        }
        assert_eq!(of_typed("blackmagic-raw-3to1-4-6k-24"), "blackmagic-raw-3to1-4-6k-24");
        assert_eq!(of_typed(""), "");
    }
}
