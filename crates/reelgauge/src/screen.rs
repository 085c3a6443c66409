//! What is printed, and how: the summary on standard output, complaints on standard error.

use std::io::{IsTerminal, Write};
use std::path::Path;

use console::Term;
use reelgauge_analysis::Summary;
use reelgauge_report::text::plain;
use reelgauge_report::{Detail, Screen, Style, Tables};
use reelgauge_results::page::REPORT_FILE;

/// Wrong usage or input.
pub const EXIT_USAGE: u8 = 2;
/// What was begun and did not come to its end, or could not be told.
pub const EXIT_BROKE_OFF: u8 = 3;

/// In colour, and no wider than the terminal, if somebody looks at it.
pub fn style() -> Style {
    let is_terminal = std::io::stdout().is_terminal();
    let colour = is_terminal && std::env::var_os("NO_COLOR").is_none();
    let columns = Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    let width = columns.filter(|_| is_terminal).unwrap_or(Style::default().width);
    Style { colour, width }
}

/// The screen of a summary.
pub fn of(summary: &Summary, tables: Tables, detail: Detail) -> String {
    let run_dir = summary.run_dir.as_deref();
    let report = run_dir.map(|dir| Path::new(dir).join(REPORT_FILE)).filter(|path| path.is_file());
    let report = report.map(|path| path.display().to_string());
    let show = Screen { style: style(), tables, detail, run_dir, report: report.as_deref() };
    reelgauge_report::screen(summary, &show)
}

/// Prints an error with its causes. The exit code of an error that has no other.
pub fn complain(error: &anyhow::Error) -> u8 {
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(std::io::stderr(), "reelgauge: {}", said_once(error));
    EXIT_USAGE
}

/// Prints help, or what is wrong with a command line, which is shown in it and must not steer the terminal.
/// The exit code.
pub fn say_usage(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // As clap does it; a closed pipe is no failure.
        let _ = error.print();
        return 0;
    }
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(std::io::stderr(), "{}", harmless(&error.render().to_string()));
    EXIT_USAGE
}

/// Whether nobody reads standard output any more, which is no failure of ours: `reelgauge report RUN | head`.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

/// The error and its causes, but no cause that the message in front of it has already told. Names of files
/// are told in it, and what others called them must not steer the terminal.
pub fn said_once(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if said.contains(&cause) {
            continue;
        }
        if !said.is_empty() {
            said.push_str(": ");
        }
        said.push_str(&cause);
    }
    harmless(&said)
}

/// Lines as they may be shown on a terminal.
fn harmless(text: &str) -> String {
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let told = anyhow::anyhow!("disk full").context("cannot write x: disk full").context("no plan");
        assert_eq!(said_once(&told), "no plan: cannot write x: disk full");
    }

    #[test]
    fn names_in_it_do_not_steer_the_terminal() {
        let told = anyhow::anyhow!("first\nsecond: \u{1b}[2J\u{7}");
        let said = said_once(&told);
        assert!(said.starts_with("first\nsecond: ") && said.ends_with(r"\u{1b}[2J\u{7}"), "{said:?}");
        assert!(!said.contains(['\u{1b}', '\u{7}']), "{said:?}");
    }
}
