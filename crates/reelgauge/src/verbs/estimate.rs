//! The forecast of a command line, without carrying it out: for the console's form, which shows it
//! before the start.

use std::error::Error;
use std::ffi::OsString;

use anyhow::{Result, anyhow, bail};
use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use reelgauge_analysis::forecast::Forecast;
use reelgauge_console::form_words::title_of;
use reelgauge_console::run_start::{Planned, Refusal};
use reelgauge_report::forecast_before_start;
use reelgauge_runner::error::RunError;
use reelgauge_runner::estimate;
use reelgauge_runner::suite::NASPT;
use reelgauge_workload::streams::AnyPlan;

use super::{mix, replay, run, streams, suite, vda};
use crate::cli::command_line::command;
use crate::cli::{ActorArgs, Cli, RunArgs, Verb};
use crate::screen::said_once;

/// The forecast of these arguments, in a sentence.
///
/// # Errors
/// The error of a start that would be refused, as text, as far as it is known without reading the
/// target.
pub fn ahead(words: &[OsString]) -> Result<Planned, Refusal> {
    let verb = verb_of(words)?;
    let said = |error: anyhow::Error| Refusal { field: None, why: said_once(&error) };
    let takes =
        forecast(&verb).map_err(said)?.map_or_else(String::new, |ahead| forecast_before_start(&ahead));
    let refused = expect_room(&verb).map_err(said)?.map(|error| error.to_string());
    Ok(Planned { takes, plan: None, refused })
}

/// The forecast for a command line that no form made; `None` if nothing is known.
///
/// # Errors
/// If it would be refused.
pub fn forecast_of(words: &[OsString]) -> Result<Option<Forecast>> {
    forecast(&verb_in(words)?)
}

/// The plan of such a command line; `None` if it has no plan of a single run.
///
/// # Errors
/// If it would be refused.
pub fn planned_by(words: &[OsString]) -> Result<Option<AnyPlan>> {
    plan_of(&verb_in(words)?)
}

/// Why the test files of a run cannot fit; `None` if they may.
fn expect_room(verb: &Verb) -> Result<Option<RunError>> {
    let terms = match verb {
        Verb::Streams(args) => &args.terms,
        Verb::Vda(args) => &args.terms,
        Verb::Mix(args) => &args.terms,
        Verb::Replay(args) => &args.terms,
        Verb::Run(args) => &args.terms,
        _ => return Ok(None),
    };
    let plan = plan_of(verb)?;
    Ok(plan.and_then(|plan| estimate::expect_room(plan, terms.said().keep_free).err()))
}

/// The verb and its flags, parsed as at a start.
///
/// # Errors
/// If they would be refused.
pub fn verb_of(words: &[OsString]) -> Result<Verb, Refusal> {
    let verb = words.first().map(|verb| verb.to_string_lossy().into_owned()).unwrap_or_default();
    let read = read(words).map_err(|error| refusal(&verb, &error))?;
    if let Verb::Streams(args) = &read
        && lacks_format(&args.stream)
    {
        return Err(Refusal { field: Some("format".to_owned()), why: "choose one".to_owned() });
    }
    Ok(read)
}

/// The verb of a command line; errors name its flags, not the fields of a form.
fn verb_in(words: &[OsString]) -> Result<Verb> {
    read(words).map_err(|error| anyhow!(typed_words(&error)))
}

/// Parses the arguments as at a start.
fn read(words: &[OsString]) -> Result<Verb, clap::Error> {
    let program = OsString::from("reelgauge");
    let matches = command().try_get_matches_from(std::iter::once(&program).chain(words))?;
    Ok(Cli::from_arg_matches(&matches)?.verb)
}

fn forecast(verb: &Verb) -> Result<Option<Forecast>> {
    match verb {
        Verb::Check(args) => return Ok(Some(estimate::of_check(&args.path))),
        Verb::Run(args) if is_suite(args) => return Ok(estimate::of_suite(&suite::request_of(args)?)?),
        _ => {}
    }
    match plan_of(verb)? {
        Some(plan) => Ok(Some(estimate::of_plan(plan)?)),
        None => {
            bail!("this verb makes no measurement to estimate; use check, mix, streams, vda, replay or run")
        }
    }
}

fn plan_of(verb: &Verb) -> Result<Option<AnyPlan>> {
    Ok(Some(match verb {
        Verb::Streams(args) => AnyPlan::Streams(streams::plan_of(args)?),
        Verb::Vda(args) => AnyPlan::Streams(vda::plan_of(args)?),
        Verb::Mix(args) => AnyPlan::Mix(mix::plan_of(args)?),
        Verb::Replay(args) => AnyPlan::Replay(replay::plan_of(args)?),
        Verb::Run(args) if !is_suite(args) => run::planned(args)?,
        _ => return Ok(None),
    }))
}

fn is_suite(args: &RunArgs) -> bool {
    args.plan.as_os_str() == NASPT && !args.plan.exists()
}

/// Whether frames have no size: there is neither a format of the catalogue, nor one of the user's own,
/// nor footage.
fn lacks_format(args: &ActorArgs) -> bool {
    let has_own =
        args.settings.0.contains_key("like") || args.frame_size.is_some() || args.mbit_per_s.is_some();
    args.actor.has_media() && !args.settings.0.contains_key("format") && !has_own && args.read_from.is_none()
}

/// The error and its field in a verb's form, in words for a user who does not see a command line.
fn refusal(verb: &str, error: &clap::Error) -> Refusal {
    let title = |name: &str| title_of(verb, name);
    let field = field_of(error);
    let why = match error.kind() {
        ErrorKind::ArgumentConflict => match named(error, ContextKind::PriorArg) {
            Some(other) => format!("cannot be combined with '{}'; clear one of them", title(&other)),
            None => without_usage(error),
        },
        ErrorKind::MissingRequiredArgument => match &field {
            Some(missing) => format!("'{}' is missing; fill it in", title(missing)),
            None => without_usage(error),
        },
        _ => value_words(error),
    };
    Refusal { field, why }
}

/// The error of a command line, in one line, without clap's tip to use `--`.
fn typed_words(error: &clap::Error) -> String {
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(name)) => Some(name.clone()),
        Some(ContextValue::Strings(names)) => Some(names.join(", ")),
        _ => None,
    };
    let arg = named(ContextKind::InvalidArg);
    match (error.kind(), arg, named(ContextKind::PriorArg), named(ContextKind::SuggestedArg)) {
        (ErrorKind::ArgumentConflict, Some(arg), Some(prior), _) => {
            format!("'{arg}' cannot be combined with '{prior}'; omit one of them")
        }
        (ErrorKind::MissingRequiredArgument, Some(arg), ..) => format!("{arg} is missing"),
        (ErrorKind::UnknownArgument, Some(arg), _, Some(near)) => {
            format!("there is no flag '{arg}'; did you mean '{near}'?")
        }
        (ErrorKind::UnknownArgument, Some(arg), ..) => format!("there is no flag '{arg}'"),
        (ErrorKind::ValueValidation, Some(arg), ..) => format!("{arg}: {}", value_words(error)),
        _ => value_words(error),
    }
}

/// The error of a value.
fn value_words(error: &clap::Error) -> String {
    let value = error.get(ContextKind::InvalidValue);
    match (error.source(), value, error.get(ContextKind::ValidValue)) {
        (Some(source), _, _) => source.to_string(),
        (None, Some(value), Some(ContextValue::Strings(valid))) if !valid.is_empty() => {
            format!("'{value}' is not one of {}", valid.join(", "))
        }
        _ => without_usage(error),
    }
}

/// The field's name: `count` for `--count <N>`, `path` for `<PATH>`.
fn field_of(error: &clap::Error) -> Option<String> {
    named(error, ContextKind::InvalidArg)
}

/// The first argument of the error's context, as the name of its field.
fn named(error: &clap::Error, context: ContextKind) -> Option<String> {
    let arg = match error.get(context)? {
        ContextValue::String(arg) => arg.clone(),
        ContextValue::Strings(args) => args.first()?.clone(),
        _ => return None,
    };
    let word = arg.split_whitespace().next()?;
    let name = word.trim_start_matches('-').trim_matches(['<', '>', '[', ']', '.']);
    Some(name.to_lowercase())
}

/// The error without the usage that clap prints below it.
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
        ahead(&words.iter().map(OsString::from).collect::<Vec<_>>()).map(|planned| planned.takes)
    }

    #[test]
    fn every_verb_of_a_form_has_a_forecast_of_time_and_bytes() {
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
            (&["run", "naspt", &on], "Takes "),
        ] {
            let ahead = of(words).unwrap();
            assert!(ahead.starts_with(said), "{words:?}: {ahead}");
        }
        assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_pass_over_every_block_is_bounded_and_files_that_cannot_fit_are_named() {
        let target = tempfile::tempdir().unwrap();
        let path = target.path().to_str().unwrap();
        let once = ["mix", path, "--no-repeat", "--random=100", "--blocks=1MiB", "--duration=6h"];
        let said = of(&[&once[..], &["--profile=seq-read", "--file-size=16MiB", "--warmup=0s"]].concat());
        assert!(said.as_ref().is_ok_and(|said| said.starts_with("Takes at most 6 h 00 min")), "{said:?}");
        let large = ["mix", path, "--file-size=1000000GiB"].map(OsString::from);
        let refused = ahead(&large).unwrap().refused.unwrap();
        assert!(refused.starts_with("the test files need") && refused.contains("--keep-free"), "{refused}");
        assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_command_line_is_refused_in_its_own_words() {
        let of = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            forecast_of(&words).unwrap_err().to_string()
        };
        let both = of(&["mix", "/t", "--step=1s", "--duration=2s"]);
        assert!(both.contains("cannot be combined with '--duration") && both.contains("--step"), "{both}");
        assert!(of(&["run", "--target=/t"]).contains("is missing"));
        let near = of(&["mix", "/t", "--lenght=1MiB"]);
        assert!(near.contains("'--length'"), "{near}");
        assert_eq!(of(&["mix", "/t", "--nosuch=1"]), "there is no flag '--nosuch'");
        assert!(of(&["clean", "/t"]).contains("use check, mix, streams"));
        assert!(of(&["mix", "/t", "--in-flight=900"]).contains("1 to 256"));
    }

    #[test]
    fn a_refusal_names_its_field() {
        let refused = of(&["streams", "/t", "--format=prores-uhd", "--duration=soon"]).unwrap_err();
        assert_eq!(refused.field.as_deref(), Some("duration"));
        // The field has its own name; no flag, and no usage.
        assert!(!refused.why.contains("--") && !refused.why.contains("Usage"), "{refused:?}");
        let choice = of(&["streams", "/t", "--format=prores-uhd", "--actor=nobody"]).unwrap_err();
        assert_eq!(choice.field.as_deref(), Some("actor"));
        let unset = of(&["streams", "/t"]).unwrap_err();
        assert_eq!((unset.field.as_deref(), unset.why.as_str()), (Some("format"), "choose one"));
        let both = of(&["streams", "/t", "--count=2", "--find-max"]).unwrap_err();
        assert!(both.why.contains("Search for the largest number") || both.why.contains("How many streams"));
        let missing = of(&["streams"]).unwrap_err();
        assert_eq!(missing.field.as_deref(), Some("path"));
        let profile = of(&["mix", "/t", "--profile=no such"]).unwrap_err();
        assert_eq!(profile.field.as_deref(), Some("profile"));
        for refused in [both, missing, profile] {
            assert!(!refused.why.contains("--") && !refused.why.contains('<'), "{refused:?}");
        }
        assert!(of(&["clean", "/t"]).is_err());
        let twice =
            ["mix", "/t", "--file-size=1GiB", "--file-size=16MiB", "--duration=30s", "--duration=40s"];
        assert!(of(&twice).is_ok_and(|ahead| ahead.contains("45 s")), "{:?}", of(&twice));
    }
}
