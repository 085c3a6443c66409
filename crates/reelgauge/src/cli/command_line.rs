//! The command line in the form of clap, with rules that hold for all of it: the last value of a
//! repeated flag counts, and the first screen shows where to start.
//!
//! Not here: the verbs and flags themselves ([`super`]).

use clap::builder::FalseyValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory};
use reelgauge_report::text::wrap;

use super::Cli;
use crate::terminal_width;

/// The verbs by what they are for, in the order of the help.
pub const GROUPS: [(&str, &[&str]); 5] = [
    ("Measure", &["check", "streams", "mix", "vda", "replay", "run", "procedure", "fleet"]),
    ("Results", &["list", "report", "compare", "ops", "extents", "console"]),
    ("Improve", &["doctor", "prove", "tune", "watch"]),
    ("Traces", &["record", "import", "export", "traces", "profile"]),
    ("Manage", &["clean", "mark", "formats", "scenarios", "selftest", "agent", "completions", "man"]),
];

/// Verbs that the first screen only names, on the last line of their group.
const NAMED_ONLY: [&str; 11] = [
    "mark",
    "import",
    "export",
    "traces",
    "profile",
    "formats",
    "scenarios",
    "selftest",
    "agent",
    "completions",
    "man",
];

/// The name of the flag for the whole screen.
const DETAILS: &str = "details";
/// Verbs that print a screen, short unless `--details` asks for all of it.
const WITH_DETAILS: [&str; 12] = [
    "check", "streams", "mix", "vda", "replay", "run", "fleet", "report", "compare", "doctor", "prove",
    "watch",
];

/// The width that the first screen is designed for; on a narrower terminal it has other columns.
const USUAL_WIDTH: usize = 80;
/// The width of the column with the names of groups and verbs.
const GROUP_CHARS: usize = 12;
const VERB_CHARS: usize = 13;

/// The command line.
pub fn command() -> Command {
    let command = Cli::command().mut_subcommands(|verb| match WITH_DETAILS.contains(&verb.get_name()) {
        true => verb.arg(details()),
        false => verb,
    });
    let command = command.mut_subcommands(last_value_wins);
    let width = terminal_width::output_width().or_else(terminal_width::error_width).unwrap_or(USUAL_WIDTH);
    let start = start(&command, width);
    command.override_help(start)
}

/// The flag that shows the whole screen.
fn details() -> Arg {
    Arg::new(DETAILS)
        .long(DETAILS)
        .env("REELGAUGE_DETAILS")
        .value_parser(FalseyValueParser::new())
        .action(ArgAction::SetTrue)
        .global(true)
        .hide_short_help(true)
        .help("Print the full output: every section, and every warning in full")
}

/// Whether `--details` was given, or its variable is set.
pub fn has_details(matches: &ArgMatches) -> bool {
    let verb = matches.subcommand().map(|(_, verb)| verb);
    verb.and_then(|verb| verb.try_get_one::<bool>(DETAILS).ok().flatten()).is_some_and(|is_set| *is_set)
}

/// If a flag is repeated, its last value counts. Lists are the exception: all their values count.
fn last_value_wins(verb: Command) -> Command {
    let verb = verb.mut_subcommands(last_value_wins);
    verb.mut_args(|arg| {
        let is_single = matches!(arg.get_action(), ArgAction::Set | ArgAction::SetTrue);
        let id = arg.get_id().clone();
        if is_single && !arg.is_positional() { arg.overrides_with(id) } else { arg }
    })
}

/// The first screen: where to start, and every verb in a line, or in two where the terminal is narrow.
fn start(command: &Command, width: usize) -> String {
    let groups_chars = if width < USUAL_WIDTH { 2 } else { GROUP_CHARS };
    let indent = groups_chars + VERB_CHARS;
    let head = "Reelgauge measures shared storage for video. Start here: reelgauge check PATH";
    let mut text = wrap(head, width, 0) + "\n";
    for (group, verbs) in GROUPS {
        if groups_chars < GROUP_CHARS {
            text.push_str(&format!("{group}\n"));
        }
        let (named, told): (Vec<&str>, Vec<&str>) = verbs.iter().partition(|verb| NAMED_ONLY.contains(verb));
        for (at, name) in told.iter().enumerate() {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let heading = if at == 0 && groups_chars == GROUP_CHARS { group } else { "" };
            let about =
                wrap(&about, width.saturating_sub(indent), 0).replace('\n', &format!("\n{:indent$}", ""));
            text.push_str(&format!("{heading:<groups_chars$}{name:<VERB_CHARS$}{about}\n"));
        }
        if !named.is_empty() {
            let line = wrap(&format!("and {}", named.join(", ")), width.saturating_sub(groups_chars), 0);
            let line = line.replace('\n', &format!("\n{:groups_chars$}", ""));
            text.push_str(&format!("{:groups_chars$}{line}\n", ""));
        }
    }
    let foot = "'reelgauge VERB -h' shows the common flags, --help all flags; -V: version";
    text + &wrap(foot, width, 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use clap::FromArgMatches;

    use super::*;
    use crate::cli::Verb;

    #[test]
    fn first_help_screen_fits_and_lists_every_verb() {
        let command = command();
        assert!(start(&command, 80).lines().count() <= 24);
        for width in [60, 80, 140] {
            let start = start(&command, width);
            assert!(start.lines().all(|line| line.chars().count() <= width), "{start}");
        }
        let grouped: BTreeSet<&str> = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied()).collect();
        let verbs: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        assert_eq!(grouped, verbs);
    }

    fn parsed(words: &[&str]) -> Verb {
        let matches = command().try_get_matches_from([&["reelgauge"], words].concat()).unwrap();
        Cli::from_arg_matches(&matches).unwrap().verb
    }

    #[test]
    fn a_repeated_flag_means_its_last_value_and_a_list_all() {
        let words = ["mix", "/mnt/nas", "--workers", "2", "--verify", "--workers", "8", "--verify"];
        let Verb::Mix(args) = parsed(&words) else { panic!("no mix") };
        assert_eq!((args.workers, args.verify), (Some(8), true));
        let Verb::Mix(args) = parsed(&["mix", "/mnt/nas", "--tag", "a", "--tag", "b"]) else {
            panic!("no mix")
        };
        assert_eq!(args.output.noted.tags(&[]).unwrap(), ["a", "b"]);
    }
}
