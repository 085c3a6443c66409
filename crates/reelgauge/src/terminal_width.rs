//! How wide the terminal is.

use console::Term;

/// The width of standard output; `None` if unknown.
pub fn output_width() -> Option<usize> {
    width_of(&Term::stdout())
}

/// The width of standard output for a long list; `None` if it is not a terminal: a program that reads it
/// needs one line per entry.
pub fn list_width() -> Option<usize> {
    terminal_width(&Term::stdout())
}

/// The width of standard error; `None` if it is not a terminal: programs that read errors expect whole
/// lines.
pub fn error_width() -> Option<usize> {
    terminal_width(&Term::stderr())
}

/// The terminal's width; otherwise the value of `COLUMNS`.
fn width_of(term: &Term) -> Option<usize> {
    let columns = || std::env::var("COLUMNS").ok()?.trim().parse().ok().filter(|columns| *columns > 0);
    terminal_width(term).or_else(columns)
}

fn terminal_width(term: &Term) -> Option<usize> {
    let size = term.size_checked().filter(|_| term.is_term());
    size.map(|(_, columns)| usize::from(columns))
}
