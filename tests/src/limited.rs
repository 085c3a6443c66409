//! The limit that a run reports, and the load for tests of it: the named layer, the other conspicuous
//! layers, and the sentence on the screen.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::binary;
use crate::link::Link;
use crate::mix::Mix;
use crate::run_dir::{self, at};
use crate::verb::Verb;

/// More than any of these runs takes.
const LIMIT: Duration = Duration::from_secs(90);

/// The limit of a load point, and the terminal output about it.
#[derive(Debug)]
pub struct Told {
    /// The limit of the first load point.
    pub limit: Value,
    /// The whole screen.
    pub screen: String,
}

impl Told {
    /// The layer; empty if none was found.
    pub fn step(&self) -> &str {
        self.limit["found"]["step"].as_str().unwrap_or_default()
    }

    /// All conspicuous layers.
    pub fn all_steps(&self) -> Vec<&str> {
        let contributing = at(&self.limit, "contributing").as_array().unwrap();
        let found = contributing.iter().filter_map(|finding| finding["step"].as_str());
        Some(self.step()).filter(|step| !step.is_empty()).into_iter().chain(found).collect()
    }

    /// A figure of the evidence.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn seen(&self, measure: &str) -> f64 {
        let seen = at(&self.limit, "found.seen").as_array().unwrap();
        let found = seen.iter().find(|seen| seen["measure"] == measure);
        found.and_then(|seen| seen["value"].as_f64()).unwrap_or_else(|| panic!("{measure}: {:#}", self.limit))
    }

    /// Whether a rule is named in the evidence.
    pub fn has_rule(&self, rule: &str) -> bool {
        let rules = self.limit["found"]["rules"].as_array();
        rules.is_some_and(|rules| rules.iter().any(|named| named == rule))
    }

    /// Checks that the rule is named.
    ///
    /// # Panics
    /// If it is not.
    #[track_caller]
    pub fn names_rule(&self, rule: &str) {
        assert!(self.has_rule(rule), "{rule}: {:#}", self.limit);
    }

    /// Checks that none of these layers is conspicuous.
    ///
    /// # Panics
    /// If one did.
    #[track_caller]
    pub fn accuses_none_of(&self, steps: &[&str]) {
        for step in steps {
            assert!(!self.all_steps().contains(step), "{step}: {:#}", self.limit);
        }
    }

    /// The sentence on the screen, in one line.
    pub fn sentence(&self) -> String {
        let from = self.screen.split_once("Limited by: ").map_or("", |(_, rest)| rest);
        let words: Vec<&str> = from.split_whitespace().collect();
        words.join(" ").split(" Line: ").next().unwrap_or_default().to_owned()
    }
}

/// Every network fault except saturation. A sound network must show none of them.
pub const FAULTS_OF_THE_WAY: &[&str] = &["path_broken", "network_loss", "tcp_window", "send_buffer"];

/// Runs the verb, on the client's side of a link if there is one. Returns the exit code: 0, or 1 if the
/// criteria were not met.
///
/// # Panics
/// If it exits with another status.
#[track_caller]
pub fn ended(verb: &Verb, link: Option<&Link>) -> (i32, Told) {
    let outcome = start(verb, link).wait(LIMIT);
    let (screen, code) = (outcome.stdout.clone(), outcome.code);
    if code != Some(1) {
        outcome.expect_code(0);
    }
    (code.unwrap_or_default(), told(verb, screen))
}

/// Runs the verb, which must succeed.
///
/// # Panics
/// If it fails.
#[track_caller]
pub fn measured(verb: &Verb, link: Option<&Link>) -> Told {
    let (code, told) = ended(verb, link);
    assert_eq!(code, 0, "{}", told.screen);
    told
}

/// Starts the verb, on the client's side of a link if there is one.
pub fn start(verb: &Verb, link: Option<&Link>) -> binary::Running {
    match link {
        Some(link) => {
            let program = binary::path();
            binary::start_by(link.on_client(&program.to_string_lossy()), verb.plain_words())
        }
        None => binary::start(verb.plain_words()),
    }
}

/// Reads the limit of the first load point from the run directory.
#[track_caller]
pub fn told(verb: &Verb, screen: String) -> Told {
    let limit = at(&run_dir::summary(&verb.run_dir()), "load_points.0.limit").clone();
    Told { limit, screen }
}

/// Two workers that read or write 1 MB at a time for four seconds. `writes` is `"0"` or `"100"`.
pub fn bulk(target: &Path, writes: &str) -> Verb {
    let mix = Mix::on(target).with(&["--direct", "--writes", writes, "--random", "0", "--blocks", "1MiB"]);
    let mix = mix.with(&["--length", "8MiB", "--file-size", "32MiB", "--keep-free", "1GiB"]);
    mix.with(&["--warmup", "1s", "--duration", "4s"]).into()
}
