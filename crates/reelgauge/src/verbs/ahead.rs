//! What a command line would take, without carrying it out: for the console's form, which says so before the
//! start.

use std::ffi::OsString;

use anyhow::{Result, anyhow, bail};
use clap::FromArgMatches;
use reelgauge_analysis::forecast::Forecast;
use reelgauge_report::forecast_line;
use reelgauge_runner::ahead;
use reelgauge_runner::suite::NASPT;
use reelgauge_workload::streams::AnyPlan;

use super::{mix, replay, run, streams, suite, vda};
use crate::cli::command::command;
use crate::cli::{Cli, RunArgs, Verb};
use crate::screen::said_once;

/// What the words behind the program's name would take, in a sentence.
///
/// # Errors
/// What would be said if they were started and refused, in words, as far as that is known without looking at
/// the target.
pub fn ahead(words: &[OsString]) -> Result<String, String> {
    let forecast = forecast(words).map_err(|error| said_once(&error))?;
    Ok(forecast.map_or_else(String::new, |ahead| forecast_line(&ahead)))
}

fn forecast(words: &[OsString]) -> Result<Option<Forecast>> {
    let program = OsString::from("reelgauge");
    // As the words would be read if they were started.
    let read = command().try_get_matches_from(std::iter::once(&program).chain(words));
    let cli = read.and_then(|matches| Cli::from_arg_matches(&matches)).map_err(|error| usage(&error))?;
    let plan = match cli.verb {
        Verb::Check(args) => return Ok(Some(ahead::of_check(&args.path))),
        Verb::Streams(args) => AnyPlan::Streams(streams::plan_of(&args)?),
        Verb::Vda(args) => AnyPlan::Streams(vda::plan_of(&args)?),
        Verb::Mix(args) => AnyPlan::Mix(mix::plan_of(&args)?),
        Verb::Replay(args) => AnyPlan::Replay(replay::plan_of(&args)?),
        Verb::Run(args) if is_suite(&args) => return Ok(ahead::of_suite(&suite::request_of(&args)?)?),
        Verb::Run(args) => run::planned(&args)?,
        _ => bail!("only what measures takes anything"),
    };
    Ok(Some(ahead::of_plan(plan)?))
}

fn is_suite(args: &RunArgs) -> bool {
    args.plan.as_os_str() == NASPT && !args.plan.exists()
}

/// What is wrong, without the usage of the terminal below it.
fn usage(error: &clap::Error) -> anyhow::Error {
    let text = error.render().to_string();
    let text = text.split("\n\nUsage").next().unwrap_or_default();
    let text = text.split("\n\nFor more information").next().unwrap_or_default();
    anyhow!("{}", text.trim_start_matches("error: ").trim())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(words: &[&str]) -> Result<String, String> {
        ahead(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn time_and_bytes_are_said_of_every_verb_of_a_form() {
        let target = tempfile::tempdir().unwrap();
        let path = target.path().to_str().unwrap();
        let on = format!("--target={path}");
        for (words, said) in [
            (&["check", path][..], "Takes 50 s, plus the time to write at most"),
            (&["streams", path, "--format=prores-422-hq-uhd-25", "--duration=20s"], "Takes "),
            (&["streams", path, "--format=prores-422-hq-uhd-25", "--find-max"], "Takes at least"),
            (&["mix", path, "--file-size=16MiB"], "Takes "),
            (&["vda", path, "--streams=10"], "Takes "),
            (&["replay", "cp-project", path], "Takes "),
            (&["run", "newsroom", &on], "Takes "),
            (&["run", "naspt", &on], "Takes as long as the storage needs"),
        ] {
            let ahead = of(words).unwrap();
            assert!(ahead.starts_with(said), "{words:?}: {ahead}");
        }
        assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_would_be_refused_is_refused_in_the_same_words() {
        let refused = of(&["streams", "/t", "--format=prores-uhd", "--duration=soon"]).unwrap_err();
        assert!(refused.contains("--duration") && !refused.contains("Usage"), "{refused}");
        assert!(of(&["streams", "/t"]).unwrap_err().contains("--format"));
        assert!(of(&["clean", "/t"]).is_err());
        let twice =
            ["mix", "/t", "--file-size=1GiB", "--file-size=16MiB", "--duration=30s", "--duration=40s"];
        assert!(of(&twice).is_ok_and(|ahead| ahead.contains("45 s")), "{:?}", of(&twice));
    }
}
