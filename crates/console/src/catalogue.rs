//! The choices that a form offers, so that the user needs to know no names: formats by words, actors,
//! scenarios, suites and procedures, each with a description.
//!
//! Not here: traces ([`crate::traces`]), and the effect of a choice.

use reelgauge_formats::{Format, catalogue};
use reelgauge_runner::suite::{NASPT, NASPT_ABOUT};
use reelgauge_workload::procedure::{self, Procedure};
use reelgauge_workload::scenario::scenarios;
use reelgauge_workload::streams::ActorKind;
use serde::Serialize;

use crate::runs::shown;

/// The largest number of formats in an answer; more words find fewer.
const FORMATS_MAX: usize = 40;

/// The choices of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Choices {
    /// Kinds of streams.
    pub actors: Vec<ChoiceEntry>,
    /// Plans of several actors.
    pub scenarios: Vec<ChoiceEntry>,
    /// Many workloads, one after the other.
    pub suites: Vec<ChoiceEntry>,
    /// Series of runs with one report.
    pub procedures: Vec<ChoiceEntry>,
}

/// A choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ChoiceEntry {
    /// Its name on the command line.
    pub name: String,
    /// A one-line description.
    pub about: String,
}

/// A media format.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FormatEntry {
    /// Its name on the command line.
    pub id: String,
    /// The name for users: `Apple ProRes 422 HQ UHD`.
    pub name: String,
    /// Frames per second: `25`, `29.97`.
    pub fps: String,
    /// The average rate of one stream.
    pub bytes_per_s: f64,
    /// Whether the rate follows the content.
    pub varies: bool,
}

/// Formats that match some words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FormatsFound {
    /// The best match first.
    pub formats: Vec<FormatEntry>,
    /// The number of all matches.
    pub count: usize,
    /// A remedy if there are none, in a sentence.
    pub advice: String,
}

impl Choices {
    /// All choices of this program.
    pub fn all() -> Choices {
        let entry = |name: &str, about: &str| ChoiceEntry { name: name.to_owned(), about: about.to_owned() };
        let offered = ActorKind::ALL.iter().filter(|kind| kind.is_offered);
        Choices {
            actors: offered.map(|kind| entry(kind.word, kind.about)).collect(),
            scenarios: scenarios().iter().map(|scenario| entry(scenario.name, scenario.what)).collect(),
            suites: vec![entry(NASPT, NASPT_ABOUT)],
            procedures: procedure::names()
                .filter_map(|name| {
                    let known = Procedure::from_toml(procedure::text(name).ok()?).ok()?;
                    Some(entry(name, &known.about))
                })
                .collect(),
        }
    }

    /// Whether a plan with this name ships with the program.
    pub fn has_plan(&self, name: &str) -> bool {
        self.scenarios.iter().chain(&self.suites).any(|entry| entry.name == name)
    }
}

impl FormatsFound {
    /// The formats for these words, as in `reelgauge formats`.
    pub fn by_words(words: &str) -> FormatsFound {
        let found = catalogue().search(words);
        let formats = found.iter().take(FORMATS_MAX).map(|format| FormatEntry::of(format)).collect();
        let advice = if found.is_empty() { advice(words) } else { String::new() };
        FormatsFound { count: found.len(), formats, advice }
    }
}

/// A remedy for words without a match.
fn advice(words: &str) -> String {
    let unknown = catalogue().unknown_words(words);
    let listed =
        unknown.iter().take(3).map(|word| format!("'{}'", shown(word))).collect::<Vec<_>>().join(", ");
    match unknown.len() {
        0 => "No format matches all of these words; remove one.".to_owned(),
        1 => format!("No format matches {listed}; remove it, or use another name."),
        _ => format!("No format matches {listed}; remove them, or use other names."),
    }
}

impl FormatEntry {
    fn of(format: &Format) -> FormatEntry {
        FormatEntry {
            id: format.id.clone(),
            name: format.name.clone(),
            fps: format.frame_rate.to_string(),
            bytes_per_s: format.mean_bytes_per_s(),
            varies: format.varies(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_found_by_words() {
        let found = FormatsFound::by_words("prores hq uhd 25");
        assert_eq!(found.count, 1);
        let format = &found.formats[0];
        assert_eq!((format.name.as_str(), format.fps.as_str()), ("Apple ProRes 422 HQ UHD", "25"));
        assert!((format.bytes_per_s / 1e6 - 92.1).abs() < 0.1, "{}", format.bytes_per_s);
        let none = FormatsFound::by_words("prores 8k h264");
        assert!(none.count == 0 && !none.advice.is_empty());
        let none = FormatsFound::by_words("prores xyzzy");
        assert!(none.count == 0 && none.advice.contains("'xyzzy'"), "{}", none.advice);
        assert_eq!(FormatsFound::by_words("h264 uhd").advice, "");
        let all = FormatsFound::by_words("");
        assert!(all.count > all.formats.len() && all.formats.len() == FORMATS_MAX);
    }

    #[test]
    fn everything_has_a_line_and_plans_are_known_by_name() {
        let all = Choices::all();
        let entries = all.actors.iter().chain(&all.scenarios).chain(&all.suites).chain(&all.procedures);
        assert!(entries.clone().count() > 10 && entries.clone().all(|entry| entry.about.len() > 10));
        assert!(all.procedures.iter().any(|entry| entry.name == "ebu-study"));
        assert!(all.has_plan("newsroom") && all.has_plan("naspt"));
        assert!(!all.has_plan("player") && !all.has_plan("../newsroom"));
    }
}
