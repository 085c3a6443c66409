//! The differences between a procedure and its paper: computed from both, never written by hand.

use serde::{Deserialize, Serialize};

use super::{Procedure, StepPlan};
use crate::units::{Percent, Size, Span};

/// Sizes that differ by at most this share are equal, because papers round them.
const SIZE_TOLERANCE: f64 = 0.01;

/// A condition of the paper that the procedure does not meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deviation {
    /// The steps; empty for all of them.
    pub steps: Vec<String>,
    pub condition: Condition,
    /// The value in the paper.
    pub paper: String,
    /// The actual value; `None` if the program chooses it.
    pub here: Option<String>,
}

/// A condition that may differ from a paper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// A flag, by its name without the dashes.
    Setting(String),
    /// The number of the clients' computers.
    Computers,
}

impl Procedure {
    /// All conditions of its paper that it does not meet, on this many computers.
    pub fn deviations(&self, computers: u32) -> Vec<Deviation> {
        let mut found: Vec<Deviation> = Vec::new();
        let runs: Vec<&StepPlan> =
            self.step.iter().chain(&self.round).filter(|step| step.run.is_some()).collect();
        for step in &runs {
            let set = self.settings(step);
            let mut prescribed = self.paper_set.0.clone();
            prescribed.extend(step.paper_set.0.clone());
            for (key, paper) in prescribed {
                let here = set.get(&key);
                if here.is_some_and(|here| is_same(here, &paper)) {
                    continue;
                }
                let (condition, here) = (Condition::Setting(key), here.cloned());
                let known = found.iter_mut().find(|deviation| {
                    deviation.condition == condition && deviation.paper == paper && deviation.here == here
                });
                match known {
                    Some(deviation) => deviation.steps.push(step.name.clone()),
                    None => found.push(Deviation { steps: vec![step.name.clone()], condition, paper, here }),
                }
            }
        }
        for deviation in found.iter_mut().filter(|deviation| deviation.steps.len() == runs.len()) {
            deviation.steps.clear();
        }
        found.extend(self.paper_computers.filter(|&paper| paper != computers).map(|paper| Deviation {
            steps: Vec::new(),
            condition: Condition::Computers,
            paper: paper.to_string(),
            here: Some(computers.to_string()),
        }));
        found
    }
}

/// Whether two values of a setting have the same meaning.
fn is_same(here: &str, paper: &str) -> bool {
    if here == paper {
        return true;
    }
    if let (Ok(here), Ok(paper)) = (here.parse::<Span>(), paper.parse::<Span>()) {
        return here == paper;
    }
    if let (Ok(here), Ok(paper)) = (here.parse::<Percent>(), paper.parse::<Percent>()) {
        return here == paper;
    }
    match (here.parse::<Size>(), paper.parse::<Size>()) {
        (Ok(here), Ok(paper)) => {
            let (here, paper) = (here.bytes() as f64, paper.bytes() as f64);
            (here - paper).abs() <= SIZE_TOLERANCE * paper
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::procedure::text;

    fn study() -> Procedure {
        Procedure::from_toml(text("ebu-study").unwrap()).unwrap()
    }

    fn condition(key: &str) -> Condition {
        Condition::Setting(key.to_owned())
    }

    #[test]
    fn the_whole_study_on_ten_computers_keeps_every_condition() {
        assert_eq!(study().deviations(10), []);
        let alone = study().deviations(1);
        assert_eq!(alone.len(), 1);
        assert_eq!((&alone[0].condition, alone[0].here.as_deref()), (&Condition::Computers, Some("1")));
    }

    #[test]
    fn the_short_study_differs_in_time_and_file_size_in_every_run() {
        let found = study().shortened().unwrap().deviations(10);
        let of: Vec<_> =
            found.iter().map(|one| (&one.condition, one.paper.as_str(), one.here.as_deref())).collect();
        assert_eq!(
            of,
            [(&condition("file-size"), "100GB", Some("1GiB")), (&condition("step"), "1h", Some("20s")),]
        );
        assert!(found.iter().all(|deviation| deviation.steps.is_empty()));
    }

    #[test]
    fn fewer_clients_are_named_with_the_steps_that_have_them() {
        let mut study = study();
        study.change("ramp=1..2").unwrap();
        let found = study.deviations(10);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|one| one.condition == condition("ramp") && one.steps.len() == 3));
        assert_eq!((found[1].paper.as_str(), found[1].here.as_deref()), ("multi-file", Some("1..2")));
    }

    #[test]
    fn the_same_time_in_other_words_is_the_same() {
        assert!(is_same("60m", "1h") && is_same("93GiB", "100GB"));
        assert!(!is_same("20s", "1h") && !is_same("90GiB", "100GB") && !is_same("seq-read", "seq-write"));
    }
}
