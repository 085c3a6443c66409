//! Configuration fragments as text: each line with its reason, its rule, its calculation and its undo,
//! as comments of the file that it belongs to.
//!
//! Not here: choosing the settings ([`reelgauge_doctor::tune`]).

mod sums;
mod words;

pub use words::refused;

use reelgauge_doctor::tune::Purpose;
use reelgauge_doctor::tune::fragment::{Destination, Fragment, FragmentPart, SettingLine};
use reelgauge_doctor::tune::site::{Topology, TuneSite};
use serde::Serialize;

use crate::text::{display_width, wrap};

/// The largest width of comments.
const COLUMNS: usize = 78;

/// A fragment as text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WrittenFragment<'a> {
    /// The name of its file.
    pub name: &'static str,
    /// Its text, ending with a line feed.
    pub text: String,
    /// The settings that it consists of.
    pub fragment: &'a Fragment,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Told<'a> {
    purpose: Purpose,
    site: &'a TuneSite,
    topology: Topology,
    fragments: &'a [WrittenFragment<'a>],
    next_step: String,
}

/// Fragments as the texts of files.
pub fn written<'a>(purpose: Purpose, site: &TuneSite, fragments: &'a [Fragment]) -> Vec<WrittenFragment<'a>> {
    let text = |fragment: &Fragment| {
        let mut text = comments(&[words::head(purpose, site)]);
        if !fragment.parts.iter().any(|part| matches!(part, FragmentPart::Line(_))) {
            return text + &comments(&[words::NOTHING_SET.to_owned()]) + "\n" + &parts(fragment);
        }
        text.push_str(&comments(&[words::place(&fragment.place)]));
        text.push_str(&comments(words::placeholders(fragment, site).as_slice()));
        text.push_str(&comments(words::before(fragment).as_slice()));
        text.push_str(&fragment.keep.as_ref().map(|kept| command(&words::keeping(kept))).unwrap_or_default());
        text.push_str(&comments(words::activate(fragment).as_slice()));
        text.push_str(&comments(&[words::undo(fragment)]));
        text + "\n" + &parts(fragment)
    };
    fragments
        .iter()
        .map(|fragment| WrittenFragment { name: fragment.name, text: text(fragment), fragment })
        .collect()
}

/// All fragments, one after another, with the next step.
pub fn one_after_another(all: &[WrittenFragment<'_>]) -> String {
    let mut text = String::new();
    for one in all {
        text.push_str(&format!("# ---- {} ----\n{}\n", one.name, one.text));
    }
    text + &comments(&[format!("Next: {}", words::NEXT)])
}

/// The text after the fragments were written to files.
pub fn files_written(all: &[WrittenFragment<'_>], dir: &str) -> String {
    let names: Vec<&str> = all.iter().map(|one| one.name).collect();
    let files = format!("Written to {dir}: {}. Nothing on this host was changed.", names.join(", "));
    format!("{}\n{}\n", wrap(&files, COLUMNS, 0), wrap(&format!("Next: {}", words::NEXT), COLUMNS, 6))
}

/// The fragments as JSON.
///
/// # Errors
/// None in practice: these types can always be serialised.
pub fn tune_json(
    purpose: Purpose,
    site: &TuneSite,
    fragments: &[WrittenFragment<'_>],
) -> serde_json::Result<String> {
    let topology = site.topology();
    let next_step = words::NEXT.to_owned();
    serde_json::to_string_pretty(&Told { purpose, site, topology, fragments, next_step })
}

fn parts(fragment: &Fragment) -> String {
    let mut text = String::new();
    let mut before: Option<&SettingLine> = None;
    for part in &fragment.parts {
        match part {
            FragmentPart::Frame(frame) => text.push_str(&format!("{frame}\n")),
            FragmentPart::Line(line) => {
                text.push_str(&comments(&reasons(line, before, &fragment.place)));
                text.push_str(&format!("{}\n", line.text));
            }
            FragmentPart::Decide(rule) => text.push_str(&comments(&[words::decide(rule)])),
            FragmentPart::Left(rule, left) => text.push_str(&comments(&[words::left(rule, left)])),
            FragmentPart::AfpIsLegacy => text.push_str(&comments(&[words::AFP.to_owned()])),
        }
        before = if let FragmentPart::Line(line) = part { Some(line) } else { None };
    }
    text
}

/// Why a line is there. The rule's reason appears only once for consecutive lines of one rule.
fn reasons(line: &SettingLine, before: Option<&SettingLine>, place: &Destination) -> Vec<String> {
    let is_same = before.is_some_and(|before| before.rule == line.rule && before.because == line.because);
    let mut all = match is_same {
        true => vec![format!("Likewise. [{}]", line.rule)],
        false => words::reasons(line),
    };
    all.extend(line.sums.iter().map(sums::sum));
    match (&line.undo, place) {
        (Some(undo), _) => all.push(format!("Undo: {undo}")),
        (None, Destination::Run(_)) => {
            all.push("Undo: set the previous value again (note it before the change).".to_owned())
        }
        (None, _) => {}
    }
    all
}

/// A command in a comment, over several lines in shell syntax.
fn command(words: &[String]) -> String {
    let (mut text, mut line) = (String::new(), "#  ".to_owned());
    for word in words {
        if display_width(&line) + display_width(word) + 3 > COLUMNS {
            text.push_str(&format!("{line} \\\n"));
            line = "#     ".to_owned();
        }
        line.push_str(&format!(" {word}"));
    }
    text + &line + "\n"
}

fn comments(sentences: &[String]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        for line in wrap(sentence, COLUMNS - 2, 2).lines() {
            text.push_str(format!("# {line}").trim_end());
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests;
