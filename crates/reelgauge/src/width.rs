//! How wide the terminal is.

use console::Term;

/// How wide standard output is; `None` where nobody says so.
pub fn output_width() -> Option<usize> {
    width_of(&Term::stdout())
}

/// How wide standard output is for a long list; `None` where it is no terminal: a program that reads it wants
/// a line for each.
pub fn list_width() -> Option<usize> {
    terminal_width(&Term::stdout())
}

/// How wide standard error is; `None` where it is no terminal: programs that read errors read whole lines.
pub fn error_width() -> Option<usize> {
    terminal_width(&Term::stderr())
}

/// The terminal's width, or else what `COLUMNS` says.
fn width_of(term: &Term) -> Option<usize> {
    let columns = || std::env::var("COLUMNS").ok()?.trim().parse().ok().filter(|columns| *columns > 0);
    terminal_width(term).or_else(columns)
}

fn terminal_width(term: &Term) -> Option<usize> {
    let size = term.size_checked().filter(|_| term.is_term());
    size.map(|(_, columns)| usize::from(columns))
}
