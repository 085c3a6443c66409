//! How wide the terminal is.

use console::Term;

/// How wide standard output is; `None` where nobody says so.
pub fn output_width() -> Option<usize> {
    width_of(&Term::stdout())
}

/// How wide standard error is; `None` where nobody says so.
pub fn error_width() -> Option<usize> {
    width_of(&Term::stderr())
}

/// The terminal's width, or else what `COLUMNS` says.
fn width_of(term: &Term) -> Option<usize> {
    let columns = || std::env::var("COLUMNS").ok()?.trim().parse().ok().filter(|columns| *columns > 0);
    let of_terminal = term.size_checked().filter(|_| term.is_term());
    of_terminal.map(|(_, columns)| usize::from(columns)).or_else(columns)
}
