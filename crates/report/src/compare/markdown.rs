//! A comparison as Markdown, for merge requests, tickets and wikis: the sentences, one table, the cautions.

use std::fmt::Write;

use reelgauge_analysis::compare::Comparison;

use super::sentences::numbered;
use super::systems::properties;
use super::{ToldComparison, heading, is_noise_told, noise_words, of_run, shown, signed, whose, word};
use crate::text::plain;

/// The comparison as Markdown, ending with a line feed. `all`: also the figures that did not change.
pub fn markdown(told: &ToldComparison, all: bool) -> String {
    let comparison = &told.comparison;
    let mut text = String::new();
    if let Some(headline) = &told.headline {
        let _ = writeln!(text, "**{}**\n", escaped(headline));
    }
    for sentence in &told.sentences {
        let _ = writeln!(text, "{}\n", escaped(&sentence.text));
    }
    let others = comparison.others();
    let mut head = vec!["Load point".to_owned(), "Figure".to_owned()];
    head.extend((0..comparison.runs.len()).map(|run| escaped(&numbered(comparison, run))));
    for &run in &others {
        let whose = if others.len() > 1 { format!("{}: ", whose(comparison, run)) } else { String::new() };
        head.extend([format!("{whose}change"), "noise".to_owned(), "judgement".to_owned()]);
    }
    line(&mut text, &head);
    let aligned = |at: usize| if at < 2 { "---" } else { "---:" }.to_owned();
    line(&mut text, &(0..head.len()).map(aligned).collect::<Vec<_>>());
    for row in shown(comparison, all) {
        let mut cells = vec![escaped(&heading(&row.group)), escaped(&row.label.to_string())];
        cells.extend(row.texts.iter().map(|text| escaped(text)));
        for &run in &others {
            let percent =
                |value: Option<f64>, show: fn(f64) -> String| value.map_or_else(|| "-".to_owned(), show);
            cells.push(percent(row.change_percent[run].filter(|_| is_noise_told(row, run)), signed));
            cells.push(percent(row.noise_percent[run], noise_words));
            cells.push(word(row, run).to_owned());
        }
        line(&mut text, &cells);
    }
    text.push('\n');
    systems(&mut text, comparison, all);
    for caution in &told.cautions {
        let _ = writeln!(text, "- Caution: {}", escaped(caution));
    }
    for (at, run) in comparison.runs.iter().enumerate() {
        let _ = writeln!(text, "- Run {}: {}", at + 1, escaped(&of_run(run)));
    }
    text
}

/// A separate table of the systems, if they differ.
fn systems(text: &mut String, comparison: &Comparison, all: bool) {
    let properties = properties(comparison, all);
    if properties.is_empty() {
        return;
    }
    let runs = (0..comparison.runs.len()).map(|run| escaped(&numbered(comparison, run)));
    let head = std::iter::once("System".to_owned()).chain(runs);
    line(text, &head.collect::<Vec<_>>());
    line(text, &vec!["---".to_owned(); comparison.runs.len() + 1]);
    for property in properties {
        let value =
            |value: &Option<String>| value.as_ref().map_or_else(|| "-".to_owned(), |text| escaped(text));
        let cells = std::iter::once(property.name.to_owned()).chain(property.values.iter().map(value));
        line(text, &cells.collect::<Vec<_>>());
    }
    text.push('\n');
}

fn line(text: &mut String, cells: &[String]) {
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// Escapes untrusted text, so that it cannot become a table cell, link, tag, emphasis or separate line.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in plain(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '!' | '#' | '~' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_becomes_markup() {
        let hostile = "a|b\n# <script>&[x](y) `c` *d* __e__ ~f~ !g \\";
        let safe =
            "a\\|b\\\\n\\# &lt;script&gt;&amp;\\[x\\](y) \\`c\\` \\*d\\* \\_\\_e\\_\\_ \\~f\\~ \\!g \\\\";
        assert_eq!(escaped(hostile), safe);
    }
}
