//! Forms from the command line's own definition, and command lines from filled forms.
//!
//! A form knows names, not meanings: the command line itself checks values and their combinations when
//! it is started.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use reelgauge_report::text::{shell_argument, shell_word};
use serde::{Deserialize, Serialize};

use crate::form_words::{title_of, words_of};

/// Flags that have no place in a form. The console itself decides where results go and how they are
/// printed. A browser must not start arbitrary commands on this host. Others are for a procedure that is
/// shown, resumed or run on a fleet, which the console does not start.
const UNFIT: &[&str] = &[
    "help",
    "version",
    "json",
    "quiet",
    "out",
    "event",
    "event-at",
    "event-limit",
    "show",
    "dry-run",
    "resume",
    "fleet",
    "agents",
];
/// Longest value: a path has at most that.
const VALUE_MAX_BYTES: usize = 4096;
/// The command line's name for values of time.
const TIME: &str = "TIME";
/// Fields that a form shows at once although the short help omits them.
const ALSO_COMMON: &[&str] = &["criteria"];

/// A verb's flags.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Form {
    /// The verb.
    pub verb: String,
    /// A description of the verb.
    pub about: String,
    /// Its flags, in the order of its help.
    pub fields: Vec<FormField>,
}

/// A flag, or a positional value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FormField {
    /// `path`, or a flag without its dashes: `file-size`.
    pub name: String,
    /// Its title: `Size of the test files`.
    pub title: String,
    /// Its purpose, without terms of a command line.
    pub help: String,
    /// The kind of its value.
    pub kind: FieldKind,
    /// The allowed choices.
    pub choices: Vec<String>,
    /// The value if nothing is filled in.
    pub default: String,
    /// The text to show if no value is the default: `random`.
    pub unset: String,
    /// `SIZE`, `TIME`, `N`.
    pub value_name: String,
    /// Whether it is required.
    pub required: bool,
    /// Whether it is shown at once, as in the short help (`-h`); the others are under "more".
    pub common: bool,
    /// Whether it names a file or directory of this host.
    #[serde(skip)]
    pub is_path: bool,
    /// Whether it is given without a flag.
    #[serde(skip)]
    pub is_positional: bool,
    /// Whether it may be repeated: one value per line.
    #[serde(skip)]
    pub is_repeated: bool,
}

/// The kind of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// On or off.
    Switch,
    /// One of a list.
    Choice,
    /// Any text.
    Text,
}

/// A filled form.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Filled {
    /// Its verb.
    pub verb: String,
    /// Every field that was changed; a switch has the value "true".
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// The name of the run; empty for none.
    #[serde(default)]
    pub name: String,
}

/// Why a form gives no command line.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormError {
    /// There is no form for this verb.
    #[error("'{0}' cannot be started here; use check, streams, run, mix, vda, replay or procedure")]
    Verb(String),
    /// There is no such field.
    #[error("'{verb}' has no field '{name}'. Reload the page; it may belong to another version")]
    Field {
        verb: String,
        /// The name of the field.
        name: String,
    },
    /// A value that no command line can contain.
    #[error("invalid value of '{0}'; use at most {VALUE_MAX_BYTES} bytes, without null characters")]
    Value(String),
    /// A value that is refused, and why: for example a path that may not be used.
    #[error("{why}")]
    Refused {
        field: String,
        /// The reason as text.
        why: String,
    },
}

impl FormError {
    /// The field that the error concerns.
    pub fn field(&self) -> Option<&str> {
        match self {
            FormError::Verb(_) => None,
            FormError::Field { name: field, .. }
            | FormError::Value(field)
            | FormError::Refused { field, .. } => Some(field),
        }
    }
}

impl Form {
    /// The form of a verb.
    pub fn of(command: &Command) -> Form {
        let verb = command.get_name().to_owned();
        let fields = command.get_arguments().filter_map(|arg| FormField::of(&verb, arg)).collect();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        Form { verb, about, fields }
    }

    /// The command line, without the program's name. Values are never taken for flags. `admit` decides
    /// on every path.
    ///
    /// # Errors
    /// If the fields and values give no command line.
    pub fn command_line(
        &self,
        filled: &Filled,
        mut admit: impl FnMut(&FormField, &str) -> Result<PathBuf, String>,
    ) -> Result<Vec<OsString>, FormError> {
        let unknown = filled.values.keys().find(|name| self.fields.iter().all(|field| field.name != **name));
        if let Some(name) = unknown {
            let name = name.chars().take(80).collect();
            return Err(FormError::Field { verb: self.verb.clone(), name });
        }
        let mut words = vec![OsString::from(&self.verb)];
        let mut positional = Vec::new();
        for field in &self.fields {
            let Some(value) = filled.values.get(&field.name).filter(|value| !value.is_empty()) else {
                continue;
            };
            if value.len() > VALUE_MAX_BYTES || value.contains('\0') {
                return Err(FormError::Value(field.name.clone()));
            }
            let value = match field.is_path {
                true => admit(field, value)
                    .map_err(|why| FormError::Refused { field: field.name.clone(), why })?
                    .into_os_string(),
                false => OsString::from(field.with_unit(value)),
            };
            match (field.kind, field.is_positional) {
                (_, true) => positional.push(value),
                (FieldKind::Switch, _) if value == "true" => words.push(format!("--{}", field.name).into()),
                (FieldKind::Switch, _) => {}
                _ if field.is_repeated => {
                    let value = value.to_string_lossy();
                    let said = value.lines().map(str::trim).filter(|line| !line.is_empty());
                    words.extend(said.map(|line| format!("--{}={line}", field.name).into()));
                }
                _ => {
                    let mut word = OsString::from(format!("--{}=", field.name));
                    word.push(value);
                    words.push(word);
                }
            }
        }
        // After this, nothing is a flag.
        words.push("--".into());
        words.extend(positional);
        Ok(words)
    }
}

/// The arguments as a user would type them in a shell.
pub fn typed(words: &[OsString]) -> String {
    let flags = words.iter().take_while(|word| *word != "--");
    let places = words.iter().skip_while(|word| *word != "--").skip(1);
    let (verb, flags): (Vec<_>, Vec<_>) = flags.partition(|word| !word.to_string_lossy().starts_with("--"));
    let words = verb.into_iter().chain(places).chain(flags).map(|word| match word.to_str() {
        Some(flag) if flag.starts_with("--") => flag.split_once('=').map_or_else(
            || flag.to_owned(),
            |(name, value)| match value.starts_with('-') || value.is_empty() {
                true => format!("{name}={}", shell_argument(OsStr::new(value))),
                false => format!("{name} {}", shell_argument(OsStr::new(value))),
            },
        ),
        _ => shell_word(Path::new(word)),
    });
    std::iter::once("reelgauge".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

impl FormField {
    fn of(verb: &str, arg: &Arg) -> Option<FormField> {
        let is_positional = arg.is_positional();
        let name = arg.get_long().map_or_else(|| arg.get_id().to_string(), str::to_owned);
        if arg.is_hide_set() || UNFIT.contains(&name.as_str()) {
            return None;
        }
        let choices: Vec<String> = arg
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| value.get_name().to_owned())
            .collect();
        let is_switch = !arg.get_action().takes_values();
        let kind = match (is_switch, choices.is_empty()) {
            (true, _) => FieldKind::Switch,
            (false, false) => FieldKind::Choice,
            (false, true) => FieldKind::Text,
        };
        let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        let value_names = arg.get_value_names().unwrap_or_default();
        let words = words_of(verb, &name);
        let own_help = words.and_then(|words| words.help).map(str::to_owned);
        Some(FormField {
            title: title_of(verb, &name),
            help: own_help.or_else(|| arg.get_help().map(ToString::to_string)).unwrap_or_default(),
            unset: words.map_or_else(String::new, |words| words.unset.to_owned()),
            kind,
            choices: if is_switch { Vec::new() } else { choices },
            default: if is_switch { String::new() } else { defaults.join(",") },
            value_name: if is_switch { String::new() } else { value_names.join(" ") },
            required: arg.is_required_set(),
            common: arg.is_required_set()
                || !arg.is_hide_short_help_set()
                || ALSO_COMMON.contains(&name.as_str()),
            is_path: matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
                && arg.get_value_parser().type_id() == TypeId::of::<PathBuf>(),
            is_positional,
            is_repeated: matches!(arg.get_action(), ArgAction::Append),
            name,
        })
    }

    /// A plain number is in seconds if the field takes only times.
    fn with_unit(&self, value: &str) -> String {
        let value = value.trim();
        let is_plain = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        match self.value_name == TIME && is_plain && value.parse::<f64>().is_ok() {
            true => format!("{value}s"),
            false => value.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use clap::builder::PossibleValuesParser;
    use clap::value_parser;

    use super::*;

    pub(super) fn form() -> Form {
        let command = Command::new("mix")
            .about("Measure")
            .arg(Arg::new("path").required(true).value_parser(value_parser!(PathBuf)).help("Where"))
            .arg(Arg::new("file_size").long("file-size").value_name("SIZE").default_value("1GiB"))
            .arg(
                Arg::new("sync")
                    .long("sync")
                    .hide_short_help(true)
                    .value_parser(PossibleValuesParser::new(["none", "block"])),
            )
            .arg(Arg::new("verify").long("verify").action(ArgAction::SetTrue))
            .arg(Arg::new("like").long("like").hide_short_help(true).value_parser(value_parser!(PathBuf)))
            .arg(Arg::new("step").long("step").value_name("TIME"))
            .arg(Arg::new("secret").long("secret").hide(true))
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue))
            .arg(Arg::new("out").long("out").value_parser(value_parser!(PathBuf)));
        Form::of(&command)
    }

    fn words(values: &[(&str, &str)]) -> Result<Vec<String>, FormError> {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let filled = Filled { verb: "mix".to_owned(), values, name: String::new() };
        let admit = |_: &FormField, path: &str| match path {
            "/bad" => Err("not there".to_owned()),
            _ => Ok(PathBuf::from(format!("/real{path}"))),
        };
        let words = form().command_line(&filled, admit)?;
        Ok(words.into_iter().map(|word| word.into_string().unwrap()).collect())
    }

    #[test]
    fn a_form_has_the_flags_of_the_command_line() {
        let form = form();
        let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["path", "file-size", "sync", "verify", "like", "step"]);
        let [path, size, sync, verify, like, step] = &form.fields[..] else { panic!() };
        assert!(path.required && path.common && path.is_path && path.is_positional);
        assert_eq!((path.title.as_str(), like.title.as_str()), ("Storage", "Like"));
        assert_eq!((step.unset.as_str(), step.default.as_str()), ("60s", ""));
        assert!(size.common && size.default == "1GiB" && size.value_name == "SIZE" && !size.is_path);
        assert_eq!(
            (sync.kind, &sync.choices[..]),
            (FieldKind::Choice, &["none".to_owned(), "block".to_owned()][..])
        );
        assert_eq!((verify.kind, verify.choices.len(), verify.default.as_str()), (FieldKind::Switch, 0, ""));
        assert!(like.is_path && !like.is_positional && !like.common);
        let json = serde_json::to_value(&form).unwrap();
        assert_eq!(json["fields"][2]["kind"], "choice");
        assert_eq!(json["fields"][0].as_object().unwrap().len(), 10);
    }

    #[test]
    fn values_stay_values() {
        let filled = [("path", "-rf"), ("file-size", "--help"), ("verify", "true"), ("sync", "block")];
        assert_eq!(
            words(&filled).unwrap(),
            ["mix", "--file-size=--help", "--sync=block", "--verify", "--", "/real-rf"]
        );
        let shell = [("path", "/a"), ("file-size", "$(reboot); `x` \n' \" | &")];
        assert_eq!(words(&shell).unwrap()[1], "--file-size=$(reboot); `x` \n' \" | &");
        // An empty field counts as not filled in.
        assert_eq!(words(&[("verify", ""), ("file-size", ""), ("sync", "")]).unwrap(), ["mix", "--"]);
        assert_eq!(words(&[("verify", "false")]).unwrap(), ["mix", "--"]);
    }

    #[test]
    fn a_plain_number_of_a_time_is_in_seconds() {
        for (given, is) in [("30", "30s"), (" 1.5 ", "1.5s"), ("30s", "30s"), ("soon", "soon"), (".", ".")] {
            assert_eq!(words(&[("step", given)]).unwrap()[1], format!("--step={is}"));
        }
        // Sizes have no default unit.
        assert_eq!(words(&[("file-size", "30")]).unwrap()[1], "--file-size=30");
    }

    #[test]
    fn a_command_line_is_shown_as_one_would_type_it() {
        let line = |words: &[&str]| typed(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(
            line(&["streams", "--format=prores-422-hq-uhd-25", "--find-max", "--", "/mnt/my nas"]),
            "reelgauge streams '/mnt/my nas' --format prores-422-hq-uhd-25 --find-max"
        );
        assert_eq!(line(&["mix", "--seed=-1", "--tag=", "--", "/t"]), "reelgauge mix /t --seed=-1 --tag=''");
    }

    #[test]
    fn repeated_flags_have_one_line_per_value() {
        let command = Command::new("mix").arg(Arg::new("tag").long("tag").action(ArgAction::Append));
        let values = BTreeMap::from([("tag".to_owned(), "before\n\n 10GbE ".to_owned())]);
        let filled = Filled { verb: "mix".to_owned(), values, name: String::new() };
        let words = Form::of(&command).command_line(&filled, |_, path| Ok(path.into())).unwrap();
        assert_eq!(words, ["mix", "--tag=before", "--tag=10GbE", "--"]);
    }

    #[test]
    fn invalid_fields_and_values_are_refused() {
        for name in ["json", "out", "secret", "--verify", "file_size", "help", ""] {
            assert!(matches!(words(&[(name, "1")]), Err(FormError::Field { .. })), "{name}");
        }
        for value in ["a\0b", &"x".repeat(VALUE_MAX_BYTES + 1)] {
            assert_eq!(words(&[("file-size", value)]), Err(FormError::Value("file-size".to_owned())));
        }
        let refused = FormError::Refused { field: "like".to_owned(), why: "not there".to_owned() };
        assert_eq!(words(&[("like", "/bad")]), Err(refused));
    }
}
