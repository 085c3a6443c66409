//! Test helper: the properties that every short screen has.

#[path = "../tests/short/layout.rs"]
mod layout;

/// Asserts that a short screen has the [layout](layout::assert_layout) of all, and only figures that the long
/// screen has, too.
pub(crate) fn assert_is_short(short: &str, long: &str) {
    layout::assert_layout(short);
    assert!(short.lines().count() <= long.lines().count(), "{short}\nlong:\n{long}");
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
