//! The `reelgauge` binary: one file per verb, no logic. The libraries do the work.
//!
//! The exit statuses are a contract: 0 measured, 1 criteria not met (or, for `doctor`, a costly
//! finding), 2 wrong usage or input (before any I/O on the target), 3 the run ended early and its
//! measurements are kept, 130 interrupted, likewise.

mod cli;
mod progress;
mod screen;
mod terminal_width;
mod verbs;

use std::process::ExitCode;

use clap::FromArgMatches;

use crate::cli::command_line::{command, has_details};
use crate::cli::{Cli, Verb};

fn main() -> ExitCode {
    reelgauge_runner::supervise::own_session::begin_if_asked();
    reelgauge_runner::supervise::parent_pipe::begin_if_asked();
    let parsed = command().try_get_matches().and_then(|matches| {
        screen::set_details(has_details(&matches));
        Cli::from_arg_matches(&matches)
    });
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(screen::say_usage(&error)),
    };
    if !matches!(cli.verb, Verb::Prove(_)) {
        verbs::prove::remind();
    }
    let result = match cli.verb {
        Verb::Check(args) => verbs::check::check(&args),
        Verb::Streams(args) => verbs::streams::streams(*args),
        Verb::Mix(args) => verbs::mix::mix(args),
        Verb::Vda(args) => verbs::vda::vda(&args),
        Verb::Replay(args) => verbs::replay::replay(&args),
        Verb::Run(args) => verbs::run::run(&args),
        Verb::Procedure(args) => verbs::procedure::procedure(&args),
        Verb::Fleet(args) => verbs::fleet::fleet(&args),
        Verb::Selftest(args) => verbs::selftest::selftest(&args),
        Verb::Agent(args) => verbs::agent::agent(&args),
        Verb::Record(args) => verbs::record::record(&args),
        Verb::Import(args) => verbs::import::import(&args),
        Verb::Export(args) => verbs::export::export(&args),
        Verb::List(args) => verbs::list::list(&args),
        Verb::Report(args) => verbs::report::report(&args),
        Verb::Compare(args) => verbs::compare::compare(&args),
        Verb::Ops(args) => verbs::ops::ops(&args),
        Verb::Profile(args) => verbs::profile::profile(&args),
        Verb::Extents(args) => verbs::extents::extents(&args),
        Verb::Console(args) => verbs::console::console(&args),
        Verb::Doctor(args) => verbs::doctor::doctor(&args),
        Verb::Prove(args) => verbs::prove::prove(&args),
        Verb::Mark(args) => verbs::mark::mark(&args),
        Verb::Watch(args) => verbs::watch::watch(&args),
        Verb::Tune(args) => verbs::tune::tune(&args),
        Verb::Clean(args) => verbs::clean::clean(&args),
        Verb::Formats(args) => verbs::formats::formats(args),
        Verb::Scenarios(args) => verbs::scenarios::scenarios(&args),
        Verb::Traces(args) => verbs::traces::traces(&args),
        Verb::Completions(args) => verbs::completions::completions(&args),
        Verb::Man(args) => verbs::man::man(&args),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // A closed pipe is no failure: `reelgauge report RUN | head` ends quietly.
            if screen::is_broken_pipe(&error) {
                return ExitCode::SUCCESS;
            }
            ExitCode::from(screen::complain(&error))
        }
    }
}
