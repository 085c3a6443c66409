//! Properties of every short screen.

mod layout;

use reelgauge_analysis::Summary;
use reelgauge_report::{Screen, Style, screen};
use serde_json::Value;

/// The numbers of a text: `36 of 1,125 frames` has 36 and 1125.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    parts.filter_map(|part| part.trim_matches(['.', ',']).replace(',', "").parse().ok()).collect()
}

/// Every number in a summary, and the lengths of its lists.
fn figures(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Number(number) => found.extend(number.as_f64()),
        Value::Array(values) => {
            found.push(values.len() as f64);
            values.iter().for_each(|value| figures(value, found));
        }
        Value::Object(fields) => fields.values().for_each(|value| figures(value, found)),
        _ => {}
    }
}

/// Whether a number is a figure in one of the units of the screens, to three digits.
fn is_figure(number: f64, figures: &[f64]) -> bool {
    let units = [1.0, 1e3, 1e6, 1e-2, 1e-3, 60.0];
    let is = |figure: &f64| units.iter().any(|unit| (figure / unit - number).abs() <= number.abs() * 0.006);
    number == 0.0 || figures.iter().any(is)
}

/// Asserts that the short screen of this run at 80 columns is one screenful, with a result from the
/// summary, at most three warnings, and the next step at its end.
pub fn holds(summary: &Summary) {
    let style = Style { width: 80, is_short: true, ..Style::default() };
    let run_dir = summary.run_dir.as_deref();
    let text = screen(summary, &Screen { style, run_dir, ..Screen::default() });
    layout::assert_layout(&text);
    let mut all = Vec::new();
    figures(&serde_json::to_value(summary).unwrap(), &mut all);
    let answer = text.split("\nReason: ").next().unwrap_or_default();
    let answer = answer.split("\n\n").next().unwrap_or_default();
    // The names of formats, protocols and hosts contain numbers.
    let names = [
        summary.target.description.as_deref(),
        Some("XAVC Intra Class 100 1080"),
        Some("prores-422-hq-uhd-25"),
    ];
    let flat = answer.split_whitespace().collect::<Vec<_>>().join(" ");
    let flat = names.into_iter().flatten().fold(flat, |text, name| text.replace(name, ""));
    for number in numbers(&flat) {
        assert!(is_figure(number, &all), "{number} is not in the summary\n{text}");
    }
}
