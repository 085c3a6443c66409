//! The differences between runs and the paper that their procedure follows, as text.

use reelgauge_analysis::procedure::step::{PaperDeviation, ProcedureStep};

use crate::text::plain;

/// A condition of a paper that a run does not meet.
#[derive(Clone, Copy, Debug)]
pub struct DeviationWords<'a> {
    /// The flag without the dashes. `None`: the number of computers.
    pub setting: Option<&'a str>,
    /// The value that the paper prescribes.
    pub paper: &'a str,
    /// The value of the run; `None` if the program chose it.
    pub here: Option<&'a str>,
    /// The steps with this deviation; empty for all.
    pub steps: &'a [String],
}

/// The differences between these runs and the papers of their procedures. Each condition appears once,
/// with its steps unless it applies to all runs.
pub fn deviation_sentences(runs: &[Option<&ProcedureStep>]) -> Vec<String> {
    let mut found: Vec<(&PaperDeviation, Vec<String>)> = Vec::new();
    for step in runs.iter().copied().flatten() {
        for deviation in &step.deviations {
            match found.iter_mut().find(|(known, _)| *known == deviation) {
                Some((_, steps)) => steps.push(step.step.clone()),
                None => found.push((deviation, vec![step.step.clone()])),
            }
        }
    }
    let words = |(deviation, mut steps): (&PaperDeviation, Vec<String>)| {
        if steps.len() == runs.len() {
            steps.clear();
        }
        // Rounds repeat a step.
        steps.dedup();
        deviation_words(&DeviationWords {
            setting: deviation.setting.as_deref(),
            paper: &deviation.paper,
            here: deviation.here.as_deref(),
            steps: &steps,
        })
    };
    found.into_iter().map(words).collect()
}

/// `--step 20s (paper: 1h)`, and the steps that it applies to.
pub fn deviation_words(deviation: &DeviationWords<'_>) -> String {
    let here = deviation.here.map_or_else(|| "chosen by Reelgauge".to_owned(), plain);
    let what = match deviation.setting {
        Some(setting) => format!("--{} {here}", plain(setting)),
        None => format!("{here} {}", if here == "1" { "computer" } else { "computers" }),
    };
    let steps: Vec<String> = deviation.steps.iter().map(|step| plain(step)).collect();
    let of = if steps.is_empty() { String::new() } else { format!(", in: {}", steps.join("; ")) };
    format!("{what} (paper: {}){of}", plain(deviation.paper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_of_some_runs_names_their_steps_and_one_of_all_does_not() {
        let mut printed = Vec::<String>::new();
        let deviation = |setting: &str, here: &str| PaperDeviation {
            setting: Some(setting.to_owned()),
            paper: "1h".to_owned(),
            here: Some(here.to_owned()),
        };
        let run = |step: &str, deviations: Vec<PaperDeviation>| ProcedureStep {
            name: "study".to_owned(),
            step: step.to_owned(),
            round: None,
            paper: None,
            is_short: true,
            deviations,
        };
        let read = run("read", vec![deviation("step", "1s"), deviation("ramp", "1..2")]);
        let write = run("write", vec![deviation("step", "1s")]);
        let of = deviation_sentences;
        printed.extend(of(&[Some(&read), Some(&write)]).iter().map(|text| text.to_string()));
        // A run without a procedure has no conditions to meet.
        printed.extend(of(&[Some(&write), None]).iter().map(|text| text.to_string()));
        assert!(of(&[None]).is_empty());
        insta::assert_snapshot!(printed.join("\n"));
    }
}
