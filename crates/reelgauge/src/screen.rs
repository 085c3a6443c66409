//! Output: the summary on standard output, errors on standard error.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use reelgauge_analysis::Summary;
use reelgauge_report::text::{display_width, plain, wrap};
use reelgauge_report::{Detail, Screen, Style, Tables};
use reelgauge_results::page::REPORT_FILE;
use reelgauge_runner::exit_code::USAGE;
use reelgauge_runner::supervise::parent_pipe::QUOTED;

use crate::cli::command_line::{GROUPS, command};
use crate::cli::fio_flags::hint;
pub use crate::terminal_width::{error_width, list_width, output_width};

/// Whether screens are printed in full. Set once, from the command line.
static DETAILS: AtomicBool = AtomicBool::new(false);

/// Sets whether screens are printed in full.
pub fn set_details(is_on: bool) {
    DETAILS.store(is_on, Ordering::Relaxed);
}

/// In colour on a terminal, and as wide as the terminal.
pub fn style() -> Style {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let width = output_width().unwrap_or(Style::default().width);
    Style { colour, width, is_short: !DETAILS.load(Ordering::Relaxed) }
}

/// The screen of a summary.
pub fn of(summary: &Summary, tables: Tables, detail: Detail) -> String {
    let run_dir = summary.run_dir.as_deref();
    let report = run_dir.map(|dir| Path::new(dir).join(REPORT_FILE)).filter(|path| path.is_file());
    let report = report.map(|path| path.display().to_string());
    let show =
        Screen { style: style(), tables, detail, run_dir, report: report.as_deref(), ..Screen::default() };
    reelgauge_report::screen(summary, &show)
}

/// Prints an error with its causes. Returns the exit status for errors that have no specific one.
pub fn complain(error: &anyhow::Error) -> u8 {
    let is_quoted = std::env::var_os(QUOTED).is_some();
    let name = if is_quoted { "" } else { "reelgauge: " };
    // If standard error is closed, the message is lost.
    let _ = writeln!(std::io::stderr(), "{}", fitted(&format!("{name}{}", said_once(error))));
    USAGE
}

/// Fits text to standard output, like [`fitted`].
pub fn output_fitted(text: &str) -> String {
    fitted_to(text, output_width()) + "\n"
}

/// Lines that are too wide for standard error, broken between words, with a hanging indent. Names of
/// other users' files must not control the terminal.
pub fn fitted(text: &str) -> String {
    fitted_to(text, error_width())
}

fn fitted_to(text: &str, width: Option<usize>) -> String {
    let text = harmless(text);
    let Some(width) = width else { return text };
    let fit = |line: &str| {
        let indent = line.chars().take_while(|c| *c == ' ').count();
        match display_width(line) > width {
            true => {
                format!("{:indent$}{}", "", wrap(line.trim_start(), width.saturating_sub(indent), indent))
            }
            false => line.to_owned(),
        }
    };
    text.lines().map(fit).collect::<Vec<_>>().join("\n")
}

/// Prints help, or the error of a command line, which quotes it and must not control the terminal.
/// Returns the exit status.
pub fn say_usage(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // As clap does it; a closed pipe is not an error.
        let _ = error.print();
        return 0;
    }
    let text = match better_said(error) {
        Some(said) => fitted(&format!("error: {said}\n\nFor all flags: reelgauge {} --help", verb())),
        None => fitted(&error.render().to_string()),
    };
    // If standard error is closed, the message is lost.
    let _ = writeln!(std::io::stderr(), "{}", harmless(&text));
    USAGE
}

/// A better message than clap's, if there is one: for flags of other tools or verbs, for negative values,
/// and for two flags that both set the duration.
fn better_said(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return None };
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let words: Vec<String> = typed().collect();
            below_0(flag, &words)
                .or_else(|| hint(flag, typed_value(flag, &words), &verb()))
                .or_else(|| of_another_verb(flag))
        }
        ErrorKind::ArgumentConflict => match error.get(ContextKind::PriorArg) {
            Some(ContextValue::String(prior)) => of_two_lengths(flag, prior),
            _ => None,
        },
        _ => None,
    }
}

/// A negative value that was taken for a flag: `--file-size -1G`.
fn below_0(flag: &str, words: &[String]) -> Option<String> {
    let is_number = |word: &str| {
        word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let at = words.iter().position(|word| is_number(word) && word.starts_with(flag))?;
    let before = words[..at].last().filter(|word| word.starts_with("--"))?;
    Some(format!("{before} does not accept negative values such as '{}'", words[at]))
}

/// The value after a flag: `-t 4`, `-t4`, `--numjobs=4`.
fn typed_value<'a>(flag: &str, words: &'a [String]) -> Option<&'a str> {
    let name = flag.split('=').next().unwrap_or(flag);
    let is_short = !name.starts_with("--");
    let at = words.iter().position(|word| {
        word == name || word.starts_with(&format!("{name}=")) || is_short && word.starts_with(name)
    })?;
    match words[at].strip_prefix(name)?.trim_start_matches('=') {
        "" => words.get(at + 1).map(String::as_str).filter(|next| !next.starts_with('-')),
        value => Some(value),
    }
}

/// A flag of Reelgauge, after a verb that does not have it.
fn of_another_verb(flag: &str) -> Option<String> {
    let name = flag.strip_prefix("--")?;
    let own = verb();
    let command = command();
    let mut verbs = command.get_subcommands().filter(|verb| verb.get_name() != own);
    let has = |verb: &&clap::Command| verb.get_arguments().any(|arg| arg.get_long() == Some(name));
    let names: Vec<&str> = verbs.by_ref().filter(has).map(clap::Command::get_name).take(3).collect();
    let (last, others) = names.split_last()?;
    let of = if others.is_empty() { (*last).to_owned() } else { format!("{} and {last}", others.join(", ")) };
    Some(format!("'reelgauge {own}' has no flag {flag}; it belongs to {of}"))
}

/// `--duration` together with a ramp.
fn of_two_lengths(one: &str, two: &str) -> Option<String> {
    let is = |name: &str| one.starts_with(name) || two.starts_with(name);
    let many = ["--ramp", "--sweep"].into_iter().find(|many| is(many)).filter(|_| is("--duration"))?;
    Some(format!("--duration has no effect with {many}; set the time of each load point with --step 60s"))
}

/// The verb of this command line.
fn verb() -> String {
    let known = |word: &String| GROUPS.iter().any(|(_, verbs)| verbs.contains(&word.as_str()));
    typed().find(known).unwrap_or_default()
}

/// The command line as text. A path in it may have no valid encoding.
fn typed() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())
}

/// Whether standard output was closed by its reader, which is no failure: `reelgauge report RUN | head`.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

/// The error and its causes, but no cause that the message before it already contains. It contains names
/// of files, and names of other users' files must not control the terminal.
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

/// Lines in a form that is safe on a terminal.
pub fn harmless(text: &str) -> String {
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_flags_that_are_unknown_are_found() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let of = |flag, text: &str| typed_value(flag, &words(text)).map(str::to_owned);
        for text in ["streams /mnt -t 4", "streams /mnt -t4", "streams /mnt -t=4 --json"] {
            assert_eq!(of("-t", text).as_deref(), Some("4"), "{text}");
        }
        assert_eq!(of("--numjobs", "mix /mnt --numjobs=16").as_deref(), Some("16"));
        assert_eq!(of("--numjobs", "mix /mnt --numjobs --json"), None);
        let told = below_0("-1", &words("mix /mnt --file-size -1G"));
        assert!(told.is_some_and(|told| told.starts_with("--file-size does") && told.ends_with("'-1G'")));
        assert_eq!(below_0("-t", &words("mix /mnt -t 4")), None);
    }

    #[test]
    fn a_cause_is_shown_once() {
        let told = anyhow::anyhow!("disk full").context("cannot write x: disk full").context("no plan");
        assert_eq!(said_once(&told), "no plan: cannot write x: disk full");
    }

    #[test]
    fn names_are_escaped_for_the_terminal() {
        let told = anyhow::anyhow!("first\nsecond: \u{1b}[2J\u{7}");
        let said = said_once(&told);
        assert!(said.starts_with("first\nsecond: ") && said.ends_with(r"\u{1b}[2J\u{7}"), "{said:?}");
        assert!(!said.contains(['\u{1b}', '\u{7}']), "{said:?}");
    }
}
