//! What a command line would take, without carrying it out: for the console's form, which says so before the
//! start.

use std::error::Error;
use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue};
use reelgauge_analysis::forecast::Forecast;
use reelgauge_console::start::Refusal;
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
pub fn ahead(words: &[OsString]) -> Result<String, Refusal> {
    let program = OsString::from("reelgauge");
    // As the words would be read if they were started.
    let read = command().try_get_matches_from(std::iter::once(&program).chain(words));
    let cli = read.and_then(|matches| Cli::from_arg_matches(&matches)).map_err(|error| refusal(&error))?;
    let forecast = forecast(cli.verb).map_err(|error| Refusal { field: None, why: said_once(&error) })?;
    Ok(forecast.map_or_else(String::new, |ahead| forecast_line(&ahead)))
}

fn forecast(verb: Verb) -> Result<Option<Forecast>> {
    let plan = match verb {
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

/// What is wrong with which field, in words for somebody who sees a form and no command line.
fn refusal(error: &clap::Error) -> Refusal {
    let value = error.get(ContextKind::InvalidValue);
    let why = match (error.source(), value, error.get(ContextKind::ValidValue)) {
        (Some(source), _, _) => source.to_string(),
        (None, Some(value), Some(ContextValue::Strings(valid))) if !valid.is_empty() => {
            format!("'{value}' is none of {}", valid.join(", "))
        }
        _ => without_usage(error),
    };
    Refusal { field: field_of(error), why }
}

/// The field's name: `count` for `--count <N>`, `path` for `<PATH>`.
fn field_of(error: &clap::Error) -> Option<String> {
    let arg = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(arg) => arg.clone(),
        ContextValue::Strings(args) => args.first()?.clone(),
        _ => return None,
    };
    let word = arg.split_whitespace().next()?;
    let name = word.trim_start_matches('-').trim_matches(['<', '>', '[', ']', '.']);
    Some(name.to_lowercase())
}

/// Without the usage of the terminal below it.
fn without_usage(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.split("\n\nUsage").next().unwrap_or_default();
    let text = text.split("\n\nFor more information").next().unwrap_or_default();
    text.trim_start_matches("error: ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(words: &[&str]) -> Result<String, Refusal> {
        ahead(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn time_and_bytes_are_said_of_every_verb_of_a_form() {
        let target = tempfile::tempdir().unwrap();
        let path = target.path().to_str().unwrap();
        let on = format!("--target={path}");
        for (words, said) in [
            (&["check", path][..], "Takes 85 s, plus the time to write at most"),
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
    fn what_would_be_refused_names_its_field() {
        let refused = of(&["streams", "/t", "--format=prores-uhd", "--duration=soon"]).unwrap_err();
        assert_eq!(refused.field.as_deref(), Some("duration"));
        // The field has its own name; no flag, and no usage.
        assert!(!refused.why.contains("--") && !refused.why.contains("Usage"), "{refused:?}");
        let choice = of(&["streams", "/t", "--format=prores-uhd", "--actor=nobody"]).unwrap_err();
        assert_eq!(choice.field.as_deref(), Some("actor"));
        assert!(of(&["streams", "/t"]).unwrap_err().why.contains("--format"));
        assert!(of(&["clean", "/t"]).is_err());
        let twice =
            ["mix", "/t", "--file-size=1GiB", "--file-size=16MiB", "--duration=30s", "--duration=40s"];
        assert!(of(&twice).is_ok_and(|ahead| ahead.contains("45 s")), "{:?}", of(&twice));
    }
}
