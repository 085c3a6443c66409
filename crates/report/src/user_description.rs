//! The user's description of a run and its storage as text: author, storage details and tags.

use reelgauge_analysis::Summary;
use reelgauge_record::notes::StorageDetails;

use crate::deviations::deviation_sentences;
use crate::text::plain;

/// `Acme FS2, firmware 7.2, raid 6`; `None` if the user stated nothing.
pub fn storage_words(storage: &StorageDetails) -> Option<String> {
    let said = |text: &Option<String>| text.as_ref().filter(|text| !text.is_empty()).cloned();
    let name: Vec<String> = [&storage.make, &storage.model].into_iter().filter_map(said).collect();
    let name = (!name.is_empty()).then(|| name.join(" "));
    let firmware = said(&storage.firmware).map(|firmware| format!("firmware {firmware}"));
    let other = storage.other.iter().map(|(name, value)| format!("{name} {value}"));
    let words: Vec<String> = name.into_iter().chain(firmware).chain(other).collect();
    (!words.is_empty()).then(|| plain(&words.join(", ")))
}

/// The lines of a screen that describe a run, each with a name and a text.
pub(crate) fn about(summary: &Summary) -> Vec<(&'static str, String)> {
    let mut lines = about_words(&summary.storage, &summary.tags);
    if let Some(step) = &summary.procedure {
        let short = if step.is_short { " (short)" } else { "" };
        let round = step.round.map_or_else(String::new, |round| format!(", round {round}"));
        lines.push(("Procedure", format!("{}{short}: {}{round}", plain(&step.name), plain(&step.step))));
        lines.extend(deviation_sentences(&[Some(step)]).into_iter().map(|words| ("Differs", words)));
    }
    lines
}

/// The same lines from storage details and tags, without a summary.
pub(crate) fn about_words(storage: &StorageDetails, tags: &[String]) -> Vec<(&'static str, String)> {
    let storage = storage_words(storage).map(|words| ("Storage", words));
    let tags = (!tags.is_empty()).then(|| ("Tags", plain(&tags.join(", "))));
    storage.into_iter().chain(tags).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_given_descriptions_are_shown() {
        let mut printed = Vec::<String>::new();
        let words = |text: &str| storage_words(&text.parse().unwrap());
        assert_eq!(words(""), None);
        printed
            .extend(words("make=Acme,model=FS2,firmware=7.2,raid=6").as_deref().map(|text| text.to_string()));
        assert_eq!(words("protocol=smb").as_deref(), Some("protocol smb"));
        let empty = StorageDetails { make: Some(String::new()), ..StorageDetails::default() };
        assert_eq!(storage_words(&empty), None);
        assert_eq!(words("model=a\u{1b}[2J").as_deref(), Some("a\\u{1b}[2J"));
        insta::assert_snapshot!(printed.join("\n"));
    }
}
