//! Splits a screen into sentences and rows of tables. Cells of a row are two blanks apart; sentences are
//! wrapped.

/// Labels of lines that hold paths instead of sentences.
const PATHS: [&str; 3] = ["Files:", "Report:", "Next:"];

/// The sentences of a screen, unwrapped. Announcements before a run are skipped, because they contain no
/// measurement.
pub(super) fn sentences(screen: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut in_paths = false;
    for line in screen.lines() {
        let is_continued = line.starts_with(' ');
        if line.trim().is_empty() || is_row(line) || !is_continued && is_labelled(line) {
            paragraphs.push(String::new());
        }
        in_paths = PATHS.iter().any(|mark| line.starts_with(mark)) || (in_paths && is_continued);
        if in_paths || is_row(line) || line.contains(": Takes ") {
            continue;
        }
        let paragraph = paragraphs.last_mut().unwrap();
        paragraph.push(' ');
        paragraph.push_str(line.trim());
    }
    paragraphs.iter().flat_map(|paragraph| split(paragraph.trim())).collect()
}

/// `Warning: …`: text that begins on a separate line.
fn is_labelled(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(label, _)| label.len() < 24 && !label.contains(['.', ',']))
}

/// Labels of the answer, whose texts begin in one column.
const ANSWER: [&str; 6] = ["Result:", "Reason:", "Cause:", "Limited by:", "Limit:", "Confidence:"];

/// Whether a line is a row of a table.
pub(super) fn is_row(line: &str) -> bool {
    line.trim_start().contains("  ") && !ANSWER.iter().any(|label| line.starts_with(label))
}

/// The cells of a row.
pub(super) fn cells(row: &str) -> Vec<&str> {
    row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// The sentences of a paragraph. A full stop and a blank end one.
fn split(paragraph: &str) -> Vec<String> {
    let parts = paragraph.split(". ").map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.trim_end_matches('.').to_owned()).collect()
}
