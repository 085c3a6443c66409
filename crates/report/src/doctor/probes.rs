//! The results of probes, one line each: with numbers if known, else with the reason.

use reelgauge_doctor::Diagnosis;
use reelgauge_machine::facts::{FactSubject, Gap, PROBES_MADE, UNANSWERED_S, Value};

use super::INDENT;
use super::reason::reason;
use crate::page::ScreenText;
use crate::text::{capital, plain_short};
use crate::units::{block_size, count, span};

/// Longer words from a file system are cut.
const WORD_CHARS: usize = 80;

/// A part of a line: a fact and its text. An empty text is omitted.
type Part = (&'static str, fn(&FactSubject, &Value) -> String);

const LINES: [(&str, &[Part]); 7] = [
    ("Clock", &[("clock", clock)]),
    (
        "Locks",
        &[
            ("flock", |_, value| format!("of a whole file (flock): {}", lock(value))),
            ("byte_locks", |_, value| format!("of a range of bytes (fcntl): {}", lock(value))),
            ("locks_reach", |_, value| match word(value).as_str() {
                "" => String::new(),
                "server" => "the server enforces them".to_owned(),
                _ => "they are local: only this client sees them".to_owned(),
            }),
        ],
    ),
    (
        "Saving",
        &[
            ("rename_over", |_, value| format!("renaming over another file: {}", word(value))),
            ("rename_over_open", |_, value| of("over an open file", value)),
        ],
    ),
    (
        "Extended attributes",
        &[
            ("xattrs", |_, value| word(value)),
            ("xattr_largest_bytes", xattr_sizes),
            // Shown next to the largest size; listed here only for when it is unknown.
            ("xattr_refused_bytes", |_, _| String::new()),
        ],
    ),
    (
        "Names",
        &[
            ("case", |_, value| format!("case is {}", word(value))),
            ("case_kept", |_, value| match word(value).as_str() {
                "yes" => String::new(),
                _ => "and not kept".to_owned(),
            }),
            ("unicode_names", |_, value| match word(value).as_str() {
                "kept" => "accents stay as written".to_owned(),
                fate => format!("accents are {fate}"),
            }),
            ("unicode_forms", |_, value| match word(value).as_str() {
                "" => String::new(),
                forms => format!("composed and decomposed accents are {forms}"),
            }),
            ("longest_name_bytes", |_, value| format!("up to {} bytes", word(value))),
            ("names_refused", |_, value| of("refused with", value)),
            ("names_changed", |_, value| of("changed with", value)),
        ],
    ),
    (
        "Files",
        &[
            ("preallocation", |_, value| format!("preallocation: {}", word(value))),
            ("time_step_s", |_, value| match value {
                Value::Number(step_s) => format!("timestamps in steps of {}", step(*step_s)),
                _ => String::new(),
            }),
            ("hard_links", |_, value| of("hard links", value)),
            ("symbolic_links", |_, value| of("symbolic links", value)),
        ],
    ),
    (
        "Listing",
        &[
            ("listing_entries", |_, value| format!("a folder of {} files", word(value))),
            ("listing_names_us", |_, value| each("a name", value)),
            ("listing_looks_us", |_, value| each("with its attributes", value)),
            ("listing_xattrs_us", |_, value| each("with its extended attributes", value)),
        ],
    ),
];

/// The lines, each with its name.
pub(super) fn lines(probed: &FactSubject) -> Vec<(&'static str, String)> {
    LINES.iter().filter_map(|(name, parts)| Some((*name, line(probed, parts)?))).collect()
}

/// How long the storage had not responded when the probe gave up; `None` if it responded.
fn unanswered_s(probed: &FactSubject) -> Option<f64> {
    match probed.fact(UNANSWERED_S) {
        Some(Ok(Value::Number(seconds))) => Some(*seconds),
        _ => None,
    }
}

/// The place that was probed, and any files that remain there.
fn heading(probed: &FactSubject, is_anything_known: bool) -> String {
    const LEFT: &str = "the next probe or run, or 'reelgauge clean', removes what is left";
    match unanswered_s(probed).map(|seconds| span(seconds * 1e6)) {
        None => "Tested in a separate directory, which is now removed.".to_owned(),
        Some(long) if is_anything_known => {
            format!("Tested in a separate directory, until the storage did not respond for {long}; {LEFT}.")
        }
        Some(long) => format!("No probe could run: the storage did not respond for {long}; {LEFT}."),
    }
}

/// Writes them below a heading.
pub(super) fn probes(diagnosis: &Diagnosis, page: &mut ScreenText) {
    let Some(probed) = &diagnosis.probed else { return };
    if let Some(Err(gap)) = probed.fact(PROBES_MADE) {
        page.gap();
        return page.item("Probes", &format!("No probe could run: {}.", reason(gap)));
    }
    let lines = lines(probed);
    if lines.is_empty() {
        return;
    }
    page.gap();
    let mut facts = LINES.iter().flat_map(|(_, parts)| *parts);
    let is_anything_known = facts.any(|(fact, _)| matches!(probed.fact(fact), Some(Ok(_))));
    page.item("Probes", &heading(probed, is_anything_known));
    if !is_anything_known && unanswered_s(probed).is_some() {
        return;
    }
    for (name, line) in lines {
        page.below(INDENT, name, &line);
    }
}

/// The probes with missing results, each with every reason once.
pub(super) fn not_measured(probed: &FactSubject) -> Vec<(&'static str, &Gap)> {
    let mut all: Vec<(&'static str, &Gap)> = Vec::new();
    for (name, parts) in LINES {
        for (fact, _) in parts {
            if let Some(Err(gap)) = probed.fact(fact)
                && !all.contains(&(name, gap))
            {
                all.push((name, gap));
            }
        }
    }
    all
}

/// `None` if none of its facts has a text.
fn line(probed: &FactSubject, parts: &[Part]) -> Option<String> {
    let (mut said, mut gaps): (Vec<String>, Vec<&Gap>) = (Vec::new(), Vec::new());
    for (fact, words) in parts {
        match probed.fact(fact) {
            Some(Ok(value)) => said.push(words(probed, value)),
            Some(Err(gap)) if !gaps.contains(&gap) => gaps.push(gap),
            Some(Err(_)) | None => {}
        }
    }
    said.retain(|part| !part.is_empty());
    said.extend(gaps.into_iter().map(reason));
    (!said.is_empty()).then(|| capital(&said.join("; ")) + ".")
}

fn clock(probed: &FactSubject, value: &Value) -> String {
    let seconds = |fact: &str| match probed.fact(fact) {
        Some(Ok(Value::Number(seconds))) => span(seconds * 1e6),
        _ => "an unknown time".to_owned(),
    };
    match word(value).as_str() {
        "shared" => "this client's own clock: the file system is local".to_owned(),
        "no difference seen" => {
            format!("no difference from this client's clock seen, within {}", seconds("clock_unsure_s"))
        }
        side => {
            let (apart, unsure) = (seconds("clock_apart_s"), seconds("clock_unsure_s"));
            format!("the storage's clock differs from this client's by {apart} ({side}), ± {unsure}")
        }
    }
}

/// The largest size of attributes that the storage keeps, and the refused size.
fn xattr_sizes(probed: &FactSubject, value: &Value) -> String {
    let (largest, refused) = (value, probed.fact("xattr_refused_bytes"));
    match (largest, refused) {
        (Value::Number(largest), Some(Ok(Value::Number(refused)))) => format!(
            "up to {}; {} was refused (sizes in between were not tried)",
            block_size(*largest as u64),
            block_size(*refused as u64)
        ),
        (Value::Number(largest), _) => {
            format!("up to {}, the largest tried", block_size(*largest as u64))
        }
        _ => String::new(),
    }
}

fn lock(value: &Value) -> String {
    match word(value).as_str() {
        "refused" => "a second lock is refused".to_owned(),
        other => other.to_owned(),
    }
}

/// A name with a text, if the value is meaningful.
fn of(name: &str, value: &Value) -> String {
    match word(value).as_str() {
        "" | "none" => String::new(),
        word => format!("{name}: {word}"),
    }
}

fn each(what: &str, value: &Value) -> String {
    match value {
        Value::Number(us) => format!("{what} {}", span(*us)),
        _ => String::new(),
    }
}

fn step(step_s: f64) -> String {
    if step_s < 1e-6 { format!("{:.0} ns", step_s * 1e9) } else { span(step_s * 1e6) }
}

fn word(value: &Value) -> String {
    match value {
        Value::Number(number) if *number >= 0.0 => count(*number as u64),
        Value::Number(number) => number.to_string(),
        Value::Word(word) => plain_short(word, WORD_CHARS),
        Value::Nothing => String::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_doctor::{Scope, diagnose};
    use reelgauge_machine::facts::PROBED;
    use reelgauge_machine::texts::Texts;

    use super::*;
    use crate::screen_options::Style;

    fn told(text: &str) -> Vec<(&'static str, String)> {
        let mut texts = Texts::default();
        texts.put(PROBED, Ok(text.to_owned()));
        let scope = Scope { is_probed: true, ..Scope::default() };
        let diagnosis = diagnose(&texts, scope, &[]);
        for width in [60, 100, 140] {
            let mut page = ScreenText::new(Style { width, ..Style::default() });
            probes(&diagnosis, &mut page);
            assert!(page.text.lines().all(|line| line.chars().count() <= width), "{}", page.text);
        }
        lines(&diagnosis.probed.unwrap())
    }

    fn screen(text: &str) -> String {
        let mut texts = Texts::default();
        texts.put(PROBED, Ok(text.to_owned()));
        let diagnosis = diagnose(&texts, Scope { is_probed: true, ..Scope::default() }, &[]);
        let mut page = ScreenText::new(Style { width: 100, ..Style::default() });
        probes(&diagnosis, &mut page);
        page.text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn unresponsive_storage_has_no_probe_result_and_no_removal() {
        let mut printed = Vec::<String>::new();
        let nothing = screen("path = /mnt/a\nunanswered_s = 3\nclock ! not tried\nflock ! not tried\n");
        printed.push(nothing.to_string());
        let part = screen("path = /mnt/a\nclock = shared\nunanswered_s = 3\nflock ! not tried\n");
        printed.push(part.to_string());
        printed.push(screen("path = /mnt/a\nclock = shared\n").to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn clock_within_uncertainty_is_not_shown_as_different() {
        let text =
            "clock = no difference seen\nclock_apart_s = 0\nclock_unsure_s = 1\nclock_apart_at_least_s = 0\n";
        insta::assert_snapshot!(told(text)[0].1);
    }

    #[test]
    fn failed_probes_are_not_shown_as_done() {
        let why = "no space is left on the storage";
        let text = screen(&format!("path = /mnt/a\nprobes_made ! {why}\nclock ! {why}\nflock ! {why}\n"));
        assert_eq!(text.matches(why).count(), 1, "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn each_probe_has_its_line_with_its_numbers() {
        let text = "path = /mnt/nas\nclock = behind\nclock_apart_s = 92.4\nclock_unsure_s = 0.012\n\
                    flock = refused\nbyte_locks = granted twice\nlocks_reach = this machine\nxattrs = not supported\n\
                    xattr_largest_bytes -\ntime_step_s = 0.000000001\nlisting_entries = 500\nlisting_names_us = 4.2\n\
                    listing_looks_us = 2310\nlisting_xattrs_us -\n";
        let expected = [
            ("Clock", "The storage's clock differs from this client's by 92.4 s (behind), ± 12 ms."),
            (
                "Locks",
                "Of a whole file (flock): a second lock is refused; of a range of bytes (fcntl): granted \
                 twice; they are local: only this client sees them.",
            ),
            ("Extended attributes", "Not supported."),
            ("Files", "Timestamps in steps of 1 ns."),
            ("Listing", "A folder of 500 files; a name 4.2 µs; with its attributes 2.31 ms."),
        ];
        let told = told(text);
        let told: Vec<(&str, &str)> = told.iter().map(|(name, line)| (*name, line.as_str())).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn largest_xattr_size_is_shown_with_the_refused_one() {
        let mut printed = Vec::<String>::new();
        let line = |text: &str| told(&format!("xattrs = kept\n{text}"))[0].1.clone();
        printed.push(line("xattr_largest_bytes = 256\nxattr_refused_bytes = 1024\n").to_string());
        printed.push(line("xattr_largest_bytes = 65536\nxattr_refused_bytes -\n").to_string());
        let full = "no room is left to set a larger extended attribute";
        printed.push(line(&format!("xattr_largest_bytes ! {full}\nxattr_refused_bytes ! {full}\n")));
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn unknown_probe_result_shows_one_escaped_reason() {
        let text = "flock ! the probe could not lock a file: \u{1b}[2J\nbyte_locks ! the probe could not lock a file: \u{1b}[2J\n\
                    locks_reach -\n";
        let told = told(text);
        assert_eq!(told.len(), 1, "{told:?}");
        insta::assert_snapshot!(told[0].1);
    }
}
