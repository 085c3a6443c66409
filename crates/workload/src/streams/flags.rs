//! Settings of actors as flags of a command line. Each is declared once, in the file of its actor
//! ([`super::setting::settings!`]): its key names the flag, its comment is the help, and the help ends
//! with the default.
//!
//! Not here: flags of a verb that are not settings of an actor, and settings without a flag.

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use serde::Serialize;

use super::ActorKind;

/// The value of a given flag; `None` if it is not given.
type Given = fn(&ArgMatches, &str) -> Option<Result<toml::Value, toml::ser::Error>>;

/// A flag that sets a setting.
pub(crate) struct Flag {
    /// The key of the setting, and the id of the argument.
    pub key: &'static str,
    arg: Arg,
    given: Given,
}

impl Flag {
    /// A flag with a value.
    pub fn option<T: Clone + Serialize + Send + Sync + 'static>(
        key: &'static str,
        about: &[&str],
        value_name: &'static str,
        parser: impl Into<ValueParser>,
        usual: &impl Serialize,
    ) -> Flag {
        let usual = match toml::Value::try_from(usual) {
            Ok(toml::Value::String(usual)) => format!(" [default: {usual}]"),
            Ok(usual) => format!(" [default: {usual}]"),
            // There is no default.
            Err(_) => String::new(),
        };
        let arg = argument(key, about, &usual).value_name(value_name).value_parser(parser.into());
        Flag { key, arg, given: |matches, key| matches.get_one::<T>(key).map(toml::Value::try_from) }
    }

    /// A flag without a value, which turns a setting on.
    pub fn switch(key: &'static str, about: &[&str]) -> Flag {
        let arg = argument(key, about, "").action(ArgAction::SetTrue);
        Flag { key, arg, given: |matches, key| matches.get_flag(key).then(|| Ok(true.into())) }
    }
}

fn argument(key: &'static str, about: &[&str], usual: &str) -> Arg {
    let about = about.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    Arg::new(key).long(key.replace('_', "-")).help(format!("{about}{usual}")).hide_short_help(true)
}

/// The flags of all actors, without duplicates.
fn all() -> Vec<Flag> {
    let mut all: Vec<Flag> = Vec::new();
    for flag in ActorKind::ALL.iter().flat_map(|kind| kind.flags()) {
        if all.iter().all(|known| known.key != flag.key) {
            all.push(flag);
        }
    }
    all
}

/// The settings given as flags, by their keys in a plan. The short help omits them.
#[derive(Clone, Debug)]
pub struct SettingFlags(pub toml::Table);

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        command.args(all().into_iter().map(|flag| flag.arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        SettingFlags::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SettingFlags, Error> {
        let mut table = toml::Table::new();
        for flag in all() {
            if let Some(value) = (flag.given)(matches, flag.key) {
                // A path that is not Unicode, which no plan can contain.
                let value = value.map_err(|error| Error::raw(ErrorKind::InvalidUtf8, error))?;
                table.insert(flag.key.to_owned(), value);
            }
        }
        Ok(SettingFlags(table))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = SettingFlags::from_arg_matches(matches)?;
        Ok(())
    }
}
