//! The command line as clap has it, with what holds for all of it: a flag that is repeated means its last
//! value, and the first screen, which says where to start.
//!
//! Not here: the verbs and flags themselves ([`super`]).

use clap::{ArgAction, Command, CommandFactory};

use super::Cli;

/// The verbs by what they are for, in the order of the help.
pub const GROUPS: [(&str, &[&str]); 4] = [
    ("Measure", &["check", "streams", "mix", "vda", "replay", "run"]),
    ("Look", &["list", "report", "compare", "ops", "extents", "console"]),
    ("Traces", &["record", "import", "export", "traces"]),
    ("Keep house", &["clean", "formats", "scenarios", "completions", "man"]),
];

/// The command line.
pub fn command() -> Command {
    let command = Cli::command().mut_subcommands(last_value_wins);
    let start = start(&command);
    command.override_help(start)
}

/// Of a flag that is repeated the last value is meant. Lists are not: each of theirs counts.
fn last_value_wins(verb: Command) -> Command {
    verb.mut_args(|arg| {
        let is_single = matches!(arg.get_action(), ArgAction::Set | ArgAction::SetTrue);
        let id = arg.get_id().clone();
        if is_single && !arg.is_positional() { arg.overrides_with(id) } else { arg }
    })
}

/// The first screen: where to start, and every verb in a line.
fn start(command: &Command) -> String {
    let mut text =
        "Reelgauge measures shared storage for video. Start here: reelgauge check PATH\n\n".to_owned();
    for (group, verbs) in GROUPS {
        for (at, name) in verbs.iter().enumerate() {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let heading = if at == 0 { group } else { "" };
            text.push_str(&format!("{heading:<12}{name:<13}{about}\n"));
        }
    }
    text.push_str("'reelgauge VERB -h' shows what is used every day, --help everything; -V: version");
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use clap::FromArgMatches;

    use super::*;
    use crate::cli::Verb;

    #[test]
    fn the_first_screen_fits_and_has_every_verb() {
        let command = command();
        let start = start(&command);
        assert!(start.lines().count() <= 24, "{start}");
        assert!(start.lines().all(|line| line.chars().count() <= 80), "{start}");
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
