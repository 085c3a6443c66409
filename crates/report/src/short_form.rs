//! Test helper: the properties that every short screen has.

/// The most lines of a short screen.
const LINES_MAX: usize = 24;
/// The most warnings of a short screen.
const WARNINGS_MAX: usize = 3;

/// Asserts that a short screen at 80 columns is one screenful, begins with the result, has at most three
/// warnings, ends with the next step, and has only figures that the long screen has, too.
pub(crate) fn assert_is_short(short: &str, long: &str) {
    assert!(short.lines().count() <= LINES_MAX, "{} lines\n{short}", short.lines().count());
    assert!(short.lines().count() <= long.lines().count(), "{short}\nlong:\n{long}");
    assert!(short.starts_with("Result:     "), "{short}");
    let warnings = short.lines().filter(|line| line.starts_with("Warning: ")).count();
    assert!(warnings <= WARNINGS_MAX, "{warnings} warnings\n{short}");
    let labels = ["Warning: ", "Details: ", "Files: ", "Report: ", "Next: "];
    let last = short.lines().rfind(|line| labels.iter().any(|label| line.starts_with(label)));
    assert!(last.is_some_and(|line| line.starts_with("Next: ")), "{short}");
    let figures = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
        let parts = parts.map(|part| part.trim_matches(['.', ',']).to_owned());
        parts.filter(|part| !part.is_empty()).collect()
    };
    let known = figures(long);
    // The line that counts the omitted parts has other figures.
    let shown = short.lines().filter(|line| !line.starts_with("Details: ")).collect::<Vec<_>>().join("\n");
    for figure in figures(&shown) {
        assert!(known.contains(&figure), "{figure} is not on the long screen\n{short}\nlong:\n{long}");
    }
}
