//! Procedures: series of runs and actions with one report, as prescribed by a paper or by practice.
//!
//! They are data (`catalogue/procedures/*.toml`). A step is a run (a verb and its flags) or an action:
//! ballast up to a fill level or its removal, ageing, making a server cold, a rest. A step may require
//! other steps, or the user's events ([`requirement`]). Rounds are repeated steps. `paper_set` contains
//! the settings that a paper prescribes, by the names of the flags; [`deviation`] compares them with the
//! actual settings.
//!
//! Not here: the execution (the runner), and the meaning of flags (the binary).

pub mod deviation;
pub mod requirement;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::requirement::Requirement;
use crate::units::{Size, Span};

/// The maximum number of rounds.
const ROUNDS_MAX: u32 = 1000;

/// The flag with a count of streams, and the flags of a search that it replaces.
const COUNT: &str = "count";
const SEARCH: [&str; 2] = ["find-max", "time-max"];

/// The flag with the measured time; for a search, that of each trial.
const DURATION: &str = "duration";

/// Maximum length of a step's name.
const NAME_CHARS: usize = 80;

/// Flags that the procedure itself passes to its runs, or that its runs cannot have.
const OWN_KEYS: [&str; 6] = ["out", "json", "quiet", "resume", "target", "dry-run"];

/// A built-in procedure: its name and its text.
const CATALOGUE: [(&str, &str); 9] = [
    ("ebu-study", include_str!("../../../catalogue/procedures/ebu-study.toml")),
    ("iometer", include_str!("../../../catalogue/procedures/iometer.toml")),
    ("cold-server", include_str!("../../../catalogue/procedures/cold-server.toml")),
    ("fill", include_str!("../../../catalogue/procedures/fill.toml")),
    ("age", include_str!("../../../catalogue/procedures/age.toml")),
    ("steady", include_str!("../../../catalogue/procedures/steady.toml")),
    ("create-vs-overwrite", include_str!("../../../catalogue/procedures/create-vs-overwrite.toml")),
    ("worst-night", include_str!("../../../catalogue/procedures/worst-night.toml")),
    ("whole-file-vs-edit", include_str!("../../../catalogue/procedures/whole-file-vs-edit.toml")),
];

/// A procedure as in its file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Procedure {
    /// A one-line description of its result.
    pub about: String,
    /// The document and section that it follows.
    #[serde(default)]
    pub paper: Option<String>,
    /// Number of computers of the paper's clients.
    #[serde(default)]
    pub paper_computers: Option<u32>,
    /// The paper's settings for every run.
    #[serde(default)]
    pub paper_set: Settings,
    /// The conclusion from all runs together.
    #[serde(default)]
    pub finding: Option<FindingKind>,
    /// The number of rounds; for `steady` the maximum.
    #[serde(default)]
    pub rounds: Option<u32>,
    /// Flags of every run.
    #[serde(default)]
    pub set: Settings,
    /// The settings that the short variant changes.
    #[serde(default)]
    pub short: Settings,
    /// The steps, in order.
    #[serde(default)]
    pub step: Vec<StepPlan>,
    /// The steps of each round, after all other steps.
    #[serde(default)]
    pub round: Vec<StepPlan>,
}

/// The conclusion from all runs of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Each level compared with the first.
    Levels,
    /// Whether the rounds are steady, and after how many bytes the storage became slow.
    Steady,
    /// The first of two runs compared with the second.
    Pair,
    /// The first pass compared with the later ones, and the time until the server is warm.
    Warm,
    /// The change of the figures from round to round.
    Trend,
    /// The number of streams in each state of the storage.
    States,
}

/// Flags by their names, without the dashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(pub BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Settings, D::Error> {
        use serde::de::Error as _;

        let table = BTreeMap::<String, toml::Value>::deserialize(deserializer)?;
        let text = |(key, value): (String, toml::Value)| match value {
            toml::Value::String(text) => Ok((key, text)),
            toml::Value::Integer(_) | toml::Value::Boolean(_) => Ok((key, value.to_string())),
            _ => Err(D::Error::custom(format!("'{key}' must be a string, a whole number, true or false"))),
        };
        table.into_iter().map(text).collect::<Result<_, _>>().map(Settings)
    }
}

/// One step as in its file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepPlan {
    /// The name in the report.
    pub name: String,
    /// A verb that measures.
    #[serde(default)]
    pub run: Option<String>,
    /// Fill the volume with ballast up to this percentage of the usable space.
    #[serde(default)]
    pub fill: Option<u8>,
    /// Create, edit and delete files for this long.
    #[serde(default)]
    pub age: Option<Span>,
    /// Make the server cold.
    #[serde(default)]
    pub cool: bool,
    /// Wait for this long.
    #[serde(default)]
    pub rest: Option<Span>,
    /// Remove the ballast.
    #[serde(default)]
    pub empty: bool,
    /// The server need not be made cold: if there is no way to do it, the step is skipped.
    #[serde(default)]
    pub optional: bool,
    /// The conditions for running it.
    #[serde(default)]
    pub requires: Requirement,
    /// Flags of the run, or settings of the action.
    #[serde(default)]
    pub set: Settings,
    /// The paper's settings for this run.
    #[serde(default)]
    pub paper_set: Settings,
}

/// The work of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Action {
    /// A run of this program.
    Run {
        verb: String,
        /// Its flags, without the target.
        flags: Vec<String>,
    },
    /// Filling with ballast.
    Fill {
        /// The level to reach, in percent of the usable space.
        percent: u8,
    },
    Age {
        time: Span,
    },
    /// Emptying the server's memory.
    Cool {
        /// The user's command for it.
        command: Option<String>,
        /// The memory of the server. More than this is written to displace all other data.
        server_memory: Option<Size>,
    },
    /// Waiting.
    Rest {
        time: Span,
    },
    /// Removing the ballast.
    Empty,
}

/// A step to be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name in the report.
    pub name: String,
    /// Its round, from 1; `None` outside rounds.
    pub round: Option<u32>,
    pub action: Action,
    /// The conditions for running it.
    pub requires: Requirement,
}

/// The problem of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProcedureError {
    /// The procedure does not exist.
    #[error("there is no procedure '{0}'. 'reelgauge procedure' lists all procedures")]
    Unknown(String),
    /// The text is not a procedure.
    #[error("not a procedure: {0}")]
    Toml(String),
    /// A step has no action, or several.
    #[error("step '{0}' must have exactly one of the keys run, fill, empty, age, cool and rest")]
    Action(String),
    /// A name cannot be shown in a table.
    #[error("the step name '{}' is empty or too long. Use 1 to {NAME_CHARS} characters", beginning(.0))]
    Name(String),
    /// A flag is reserved for the procedure itself.
    #[error("'{0}' cannot be set: the procedure sets it itself. Remove it")]
    OwnKey(String),
    /// A fill level is out of range.
    #[error("step '{0}' fills to {1} %. Use 1 to 100")]
    Level(String, u8),
    /// A required step does not exist.
    #[error("step '{step}' requires '{required}', but no other step has this name. Correct the name")]
    NoStep {
        step: String,
        /// The name of the required step.
        required: String,
    },
    /// There is no run.
    #[error("the procedure has no run. Add a [[step]] with run = \"mix\"")]
    NoRun,
    /// There are rounds without a number, or a number without rounds.
    #[error(
        "a procedure with [[round]] steps needs rounds = N, from 1 to {ROUNDS_MAX}; a procedure without \
         [[round]] steps must not set rounds"
    )]
    Rounds,
    /// A setting has no value.
    #[error("'{0}' is not KEY=VALUE. Write, for example, --set duration=10s")]
    NoValue(String),
    /// A value is invalid.
    #[error("'{key}={value}' is invalid: {why}")]
    Value { key: String, value: String, why: String },
    /// There is no short variant.
    #[error("this procedure has no short variant. Shorten its steps with --set")]
    NoShort,
    /// There is no way to make the server cold.
    #[error(
        "no step empties the server's cache. Set a command that does (--set command='ssh nas ...'), or the \
         size of its memory, so that Reelgauge writes more than that (--set server-memory=64GiB)"
    )]
    NotCold,
}

/// The beginning of a name, for messages.
fn beginning(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}

/// The names of the built-in procedures.
pub fn names() -> impl Iterator<Item = &'static str> {
    CATALOGUE.iter().map(|(name, _)| *name)
}

/// The text of a built-in procedure.
///
/// # Errors
/// If there is none with this name.
pub fn text(name: &str) -> Result<&'static str, ProcedureError> {
    let found = CATALOGUE.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text).ok_or_else(|| ProcedureError::Unknown(name.to_owned()))
}

impl Procedure {
    /// Reads a procedure, and makes all checks that do not need its flags.
    ///
    /// # Errors
    /// If the text is not a valid procedure.
    pub fn from_toml(text: &str) -> Result<Procedure, ProcedureError> {
        let procedure: Procedure =
            toml::from_str(text).map_err(|error| ProcedureError::Toml(error.to_string()))?;
        let steps = procedure.step.iter().chain(&procedure.round);
        if !steps.clone().any(|step| step.run.is_some()) {
            return Err(ProcedureError::NoRun);
        }
        let has_rounds = procedure.rounds.is_some_and(|rounds| (1..=ROUNDS_MAX).contains(&rounds));
        if has_rounds == procedure.round.is_empty() || procedure.rounds.is_some() != has_rounds {
            return Err(ProcedureError::Rounds);
        }
        let settings = [&procedure.set, &procedure.short].into_iter();
        let settings = settings.chain(steps.clone().map(|step| &step.set));
        settings.flat_map(|settings| settings.0.keys()).try_for_each(|key| expect_free(key))?;
        steps.clone().try_for_each(StepPlan::check)?;
        let names: Vec<&str> = steps.clone().map(|step| step.name.as_str()).collect();
        for step in steps {
            if let Some(required) = step.requires.missing(&names, &step.name) {
                let (step, required) = (step.name.clone(), required.to_owned());
                return Err(ProcedureError::NoStep { step, required });
            }
        }
        Ok(procedure)
    }

    /// The procedure with the settings of its short variant.
    ///
    /// # Errors
    /// If there is no short variant, or a value is invalid.
    pub fn shortened(mut self) -> Result<Procedure, ProcedureError> {
        let short = std::mem::take(&mut self.short);
        if short.0.is_empty() {
            return Err(ProcedureError::NoShort);
        }
        short.0.iter().try_for_each(|(key, value)| self.assign(key, value))?;
        Ok(self)
    }

    /// Changes a setting, `duration=10s`: everywhere in the procedure, or for every run if the procedure
    /// does not have it.
    ///
    /// # Errors
    /// If it is not a setting, or its value is invalid.
    pub fn change(&mut self, words: &str) -> Result<(), ProcedureError> {
        let (key, value) = words.split_once('=').ok_or_else(|| ProcedureError::NoValue(words.to_owned()))?;
        self.assign(key.trim(), value)?;
        if key.trim() == DURATION {
            // The short variant does not change the duration of a search's trials, but the user's setting
            // does.
            let searches = self.step.iter_mut().chain(&mut self.round);
            for step in searches.filter(|step| step.set.0.contains_key(SEARCH[0])) {
                step.set.0.insert(DURATION.to_owned(), value.to_owned());
            }
        }
        Ok(())
    }

    fn assign(&mut self, key: &str, value: &str) -> Result<(), ProcedureError> {
        expect_free(key)?;
        let wrong = |why: String| ProcedureError::Value { key: key.to_owned(), value: value.to_owned(), why };
        match key {
            "rounds" if self.rounds.is_some() => {
                let rounds = value.parse().map_err(|_| wrong("use a whole number".to_owned()))?;
                self.rounds = Some(rounds);
                return if (1..=ROUNDS_MAX).contains(&rounds) { Ok(()) } else { Err(ProcedureError::Rounds) };
            }
            "age" | "rest" => {
                let span: Span =
                    value.parse().map_err(|error: crate::units::UnitError| wrong(error.to_string()))?;
                let steps = self.step.iter_mut().chain(&mut self.round);
                let times = steps
                    .filter_map(|step| if key == "age" { step.age.as_mut() } else { step.rest.as_mut() });
                let changed = times.map(|time| *time = span).count();
                return if changed > 0 {
                    Ok(())
                } else {
                    Err(wrong("this procedure has no such step".to_owned()))
                };
            }
            _ => {}
        }
        let steps = self.step.iter_mut().chain(&mut self.round).map(|step| &mut step.set);
        let mut has_it = false;
        for Settings(set) in steps.chain(std::iter::once(&mut self.set)) {
            if let Some(there) = set.get_mut(key) {
                value.clone_into(there);
                has_it = true;
            }
        }
        if !has_it {
            self.set.0.insert(key.to_owned(), value.to_owned());
        }
        Ok(())
    }

    /// Every step with its flags. Each round is included separately.
    ///
    /// # Errors
    /// If a value of an action is invalid, or there is no way to make the server cold.
    pub fn steps(&self) -> Result<Vec<Step>, ProcedureError> {
        let rounds = (1..=self.rounds.unwrap_or(0))
            .flat_map(|round| self.round.iter().map(move |step| (Some(round), step)));
        let all = self.step.iter().map(|step| (None, step)).chain(rounds);
        let planned = |(round, step): (Option<u32>, &StepPlan)| {
            let mut requires = step.requires.clone();
            // A given count replaces the search for it.
            requires.count_of = requires.count_of.filter(|_| !self.settings(step).contains_key(COUNT));
            Ok(Step { name: step.name.clone(), round, action: self.action(step)?, requires })
        };
        all.map(planned).collect()
    }

    /// The flags of a run: those of all runs, overridden by its own.
    fn settings(&self, step: &StepPlan) -> BTreeMap<String, String> {
        let mut all = self.set.0.clone();
        all.extend(step.set.0.clone());
        if all.contains_key(COUNT) {
            SEARCH.iter().for_each(|flag| drop(all.remove(*flag)));
        }
        all
    }

    fn action(&self, step: &StepPlan) -> Result<Action, ProcedureError> {
        if let Some(verb) = &step.run {
            let flags =
                self.settings(step).into_iter().filter_map(|(key, value)| flag(&key, &value)).collect();
            return Ok(Action::Run { verb: verb.clone(), flags });
        }
        if let Some(percent) = step.fill {
            return Ok(Action::Fill { percent });
        }
        if let Some(time) = step.age {
            return Ok(Action::Age { time });
        }
        if let Some(time) = step.rest {
            return Ok(Action::Rest { time });
        }
        if step.empty {
            return Ok(Action::Empty);
        }
        let said = |key: &str| step.set.0.get(key).filter(|value| !value.trim().is_empty());
        let server_memory = said("server-memory").map(|value| {
            value.parse::<Size>().map_err(|error| ProcedureError::Value {
                key: "server-memory".to_owned(),
                value: value.clone(),
                why: error.to_string(),
            })
        });
        match (said("command").cloned(), server_memory.transpose()?) {
            (None, None) if !step.optional => Err(ProcedureError::NotCold),
            (command, server_memory) => Ok(Action::Cool { command, server_memory }),
        }
    }
}

impl StepPlan {
    fn check(&self) -> Result<(), ProcedureError> {
        let timed = [self.age.is_some(), self.rest.is_some()];
        let actions =
            [self.run.is_some(), self.fill.is_some(), self.empty, self.cool].into_iter().chain(timed);
        if actions.filter(|&is_it| is_it).count() != 1 {
            return Err(ProcedureError::Action(self.name.clone()));
        }
        if self.name.trim().is_empty() || self.name.chars().count() > NAME_CHARS {
            return Err(ProcedureError::Name(self.name.clone()));
        }
        match self.fill.filter(|percent| !(1..=100).contains(percent)) {
            Some(percent) => Err(ProcedureError::Level(self.name.clone(), percent)),
            None => Ok(()),
        }
    }
}

/// Fails for a flag that is reserved for the procedure itself.
fn expect_free(key: &str) -> Result<(), ProcedureError> {
    if OWN_KEYS.contains(&key) { Err(ProcedureError::OwnKey(key.to_owned())) } else { Ok(()) }
}

/// A flag with its value; `None` for a switch that is off.
fn flag(key: &str, value: &str) -> Option<String> {
    match value {
        "true" => Some(format!("--{key}")),
        "false" => None,
        value => Some(format!("--{key}={value}")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn procedure(name: &str) -> Procedure {
        Procedure::from_toml(text(name).unwrap()).unwrap()
    }

    fn flags(step: &Step) -> &[String] {
        let Action::Run { flags, .. } = &step.action else { panic!("{} is no run", step.name) };
        flags
    }

    #[test]
    fn shipped_procedures_are_valid_and_name_their_source() {
        for (name, text) in CATALOGUE {
            assert!(text.starts_with("# "), "{name}");
            let mut procedure = procedure(name);
            procedure.change("command=true").unwrap();
            assert!(procedure.paper.is_some(), "{name}");
            let steps = procedure.steps().unwrap();
            let short = procedure.clone().shortened().unwrap().steps().unwrap();
            assert_eq!(steps.len(), short.len());
            assert_ne!(steps, short, "{name}");
        }
    }

    #[test]
    fn the_study_is_three_profiles_times_two_ramps() {
        let steps = procedure("ebu-study").steps().unwrap();
        assert_eq!(steps.len(), 6);
        assert_eq!(
            flags(&steps[1]),
            [
                "--file-size=93GiB",
                "--profile=production-edit",
                "--ramp=multi-file",
                "--step=1h",
                "--warmup=5s"
            ]
        );
    }

    #[test]
    fn a_setting_is_changed_where_it_is_and_else_for_every_run() {
        let mut iometer = procedure("iometer").shortened().unwrap();
        iometer.change("in-flight=8").unwrap();
        iometer.change("driver=uring").unwrap();
        for step in iometer.steps().unwrap() {
            assert!(flags(&step).contains(&"--in-flight=8".to_owned()));
            assert!(flags(&step).contains(&"--driver=uring".to_owned()));
            assert!(flags(&step).contains(&"--duration=5s".to_owned()));
        }
        assert!(matches!(iometer.change("in-flight"), Err(ProcedureError::NoValue(_))));
        assert!(matches!(iometer.change("age=1h"), Err(ProcedureError::Value { .. })));
    }

    #[test]
    fn rounds_are_repeated_one_by_one() {
        let mut age = procedure("age");
        age.change("rounds=2").unwrap();
        age.change("age=90s").unwrap();
        let steps = age.steps().unwrap();
        let rounds: Vec<Option<u32>> = steps.iter().map(|step| step.round).collect();
        assert_eq!(rounds, [Some(1), Some(1), Some(1), Some(2), Some(2), Some(2)]);
        assert_eq!(steps[3].action, Action::Age { time: Span::secs(90) });
        assert!(flags(&steps[1]).contains(&"--create".to_owned()));
        assert_eq!(age.change("rounds=0"), Err(ProcedureError::Rounds));
    }

    #[test]
    fn a_server_is_made_cold_by_a_command_or_by_its_memory_and_else_not() {
        assert_eq!(procedure("cold-server").steps(), Err(ProcedureError::NotCold));
        let mut cold = procedure("cold-server");
        cold.change("server-memory=64GiB").unwrap();
        let server_memory = Some(Size(64 << 30));
        assert_eq!(cold.steps().unwrap()[1].action, Action::Cool { command: None, server_memory });
        cold.change("server-memory=much").unwrap();
        assert!(matches!(cold.steps(), Err(ProcedureError::Value { .. })));
    }

    #[test]
    fn a_duration_reaches_the_trials_of_a_search_and_the_short_variant_does_not() {
        let of = |night: &Procedure| flags(&night.steps().unwrap()[0]).join(" ");
        let mut night = procedure("worst-night").shortened().unwrap();
        assert!(!of(&night).contains("--duration"), "{}", of(&night));
        night.change("duration=6s").unwrap();
        let runs = night.steps().unwrap();
        let runs = runs.iter().filter(|step| matches!(step.action, Action::Run { .. }));
        assert!(runs.clone().all(|step| flags(step).contains(&"--duration=6s".to_owned())));
        night.change("count=2").unwrap();
        assert!(of(&night).contains("--duration=6s"), "{}", of(&night));
    }

    #[test]
    fn the_short_variant_ages_for_minutes() {
        let steps = procedure("age").shortened().unwrap().steps().unwrap();
        assert_eq!(steps[0].action, Action::Age { time: Span::secs(60) });
    }

    #[test]
    fn a_count_that_is_given_takes_the_place_of_a_search() {
        let mut night = procedure("worst-night");
        let of = |night: &Procedure| {
            let steps = night.steps().unwrap();
            let healthy = flags(&steps[0]).contains(&"--find-max".to_owned());
            let counts = steps.iter().filter(|step| step.requires.count_of.is_some()).count();
            (healthy, counts)
        };
        assert_eq!(of(&night), (true, 6));
        night.change("count=4").unwrap();
        assert_eq!(of(&night), (false, 0));
        let steps = night.steps().unwrap();
        let runs = steps.iter().filter(|step| matches!(step.action, Action::Run { .. }));
        assert!(runs.clone().all(|step| flags(step).contains(&"--count=4".to_owned())));
    }

    #[test]
    fn contradictory_input_is_refused() {
        let of = |steps: &str| Procedure::from_toml(&format!("about = \"x\"\n{steps}")).unwrap_err();
        assert_eq!(of(""), ProcedureError::NoRun);
        assert_eq!(of("[[step]]\nname = \"a\"\nrest = \"1s\""), ProcedureError::NoRun);
        let run = "[[step]]\nname = \"a\"\nrun = \"mix\"\n";
        assert_eq!(of(&format!("{run}fill = 5")), ProcedureError::Action("a".to_owned()));
        assert_eq!(
            of(&format!("{run}[[step]]\nname = \"b\"\nfill = 0")),
            ProcedureError::Level("b".to_owned(), 0)
        );
        assert_eq!(of(&format!("rounds = 3\n{run}")), ProcedureError::Rounds);
        for name in ["", "  ", &"x".repeat(81)] {
            let refused = of(&format!("[[step]]\nname = \"{name}\"\nrun = \"mix\"\n"));
            assert_eq!(refused, ProcedureError::Name(name.to_owned()));
            assert!(refused.to_string().len() < 150, "{refused}");
        }
        for key in OWN_KEYS {
            let own = ProcedureError::OwnKey(key.to_owned());
            assert_eq!(of(&format!("{run}set = {{ {key} = \"x\" }}")), own);
            assert_eq!(of(&format!("[set]\n{key} = \"x\"\n{run}")), own);
            assert_eq!(procedure("iometer").change(&format!("{key}=x")), Err(own));
        }
        let count_of = "[[step]]\nname = \"b\"\nrun = \"mix\"\nrequires = { count_of = \"c\" }";
        assert!(matches!(of(&format!("{run}{count_of}")), ProcedureError::NoStep { .. }));
        assert!(matches!(of(&format!("{run}warp = 9")), ProcedureError::Toml(_)));
        assert!(matches!(of(&format!("{run}set = {{ a = [1] }}")), ProcedureError::Toml(_)));
        assert_eq!(text("opera"), Err(ProcedureError::Unknown("opera".to_owned())));
    }
}
