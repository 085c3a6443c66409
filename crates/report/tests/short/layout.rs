//! The layout of every short screen. The unit tests of the crate use it, too.

/// Asserts that a short screen at 80 columns is one screenful, begins with the result, has at most three
/// warnings, and ends with the next step.
pub fn assert_layout(short: &str) {
    assert!(short.lines().count() <= 24, "{} lines\n{short}", short.lines().count());
    assert!(short.starts_with("Result:     "), "{short}");
    assert!(short.lines().filter(|line| line.starts_with("Warning: ")).count() <= 3, "{short}");
    let labels = ["Warning: ", "Details: ", "Files: ", "Report: ", "Next: "];
    let last = short.lines().rfind(|line| labels.iter().any(|label| line.starts_with(label)));
    assert!(last.is_some_and(|line| line.starts_with("Next: ")), "{short}");
}
