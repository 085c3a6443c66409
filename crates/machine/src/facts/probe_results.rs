//! Results of probes of a path, as lines of a text: `fact = value`, `fact -` if it does not exist, `fact
//! ! why` if it is unknown. The prober writes them in this form; rules judge them like any fact.

use super::{FactKind, FactSubject, Facts, Gap, Value};
use crate::texts::{NotKnown, Texts};

/// The name of the text.
pub const PROBED: &str = "reelgauge doctor PATH --probe";

/// The fact for how long no operation had completed when the storage was given up.
pub const UNANSWERED_S: &str = "unanswered_s";

/// A fact that is only used as unknown, with the reason why no probe could begin.
pub const PROBES_MADE: &str = "probes_made";

/// The line with the path.
const PATH: &str = "path";

/// The line of the text for a fact, or for the reason why it is unknown; without the line feed.
pub fn probed_line(fact: &str, said: Result<&Value, &str>) -> String {
    // An error or a path must not contain line breaks.
    let flat = |text: &str| text.replace(['\n', '\r'], " ");
    match said {
        Ok(Value::Number(number)) => format!("{fact} = {number}"),
        Ok(Value::Word(word)) => format!("{fact} = {}", flat(word)),
        Ok(Value::Nothing) => format!("{fact} -"),
        Err(why) => format!("{fact} ! {}", flat(why)),
    }
}

pub(super) fn probed(texts: &Texts, facts: &mut Facts) {
    let said = match texts.get(PROBED) {
        Ok(said) => said,
        Err(why) => return facts.cannot_see(&[FactKind::Probed], PROBED, &why),
    };
    let mut probed = FactSubject::new(FactKind::Probed, "the path");
    for line in said.lines() {
        if let Some((fact, value)) = line.split_once(" = ") {
            match fact {
                PATH => value.clone_into(&mut probed.name),
                fact => probed.told(fact, value, PROBED),
            }
        } else if let Some((fact, why)) = line.split_once(" ! ") {
            let gap = Gap::new(PROBED, NotKnown::Probe(why.trim().to_owned()));
            probed.facts.insert(fact.to_owned(), Err(gap));
        } else if let Some(fact) = line.strip_suffix(" -") {
            probed.nothing(fact);
        }
    }
    facts.subjects.push(probed);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn probe_results_round_trip_one_per_line() {
        let lines = [
            probed_line("path", Ok(&Value::Word("/mnt/a\nflock = refused".to_owned()))),
            probed_line("clock_apart_s", Ok(&Value::Number(92.25))),
            probed_line("flock", Ok(&Value::Word("granted twice".to_owned()))),
            probed_line("locks_reach", Ok(&Value::Nothing)),
            probed_line("xattrs", Err("could not\nread")),
        ];
        let mut texts = Texts::default();
        texts.put(PROBED, Ok(lines.join("\n")));
        let facts = Facts::of(&texts);
        let probed = facts.of_kind(FactKind::Probed).next().unwrap();
        assert_eq!(probed.name, "/mnt/a flock = refused");
        assert_eq!(probed.fact("clock_apart_s"), Some(&Ok(Value::Number(92.25))));
        assert_eq!(probed.fact("flock"), Some(&Ok(Value::Word("granted twice".to_owned()))));
        assert_eq!(probed.fact("locks_reach"), Some(&Ok(Value::Nothing)));
        let gap = probed.fact("xattrs").unwrap().as_ref().unwrap_err();
        assert_eq!(gap.why, NotKnown::Probe("could not read".to_owned()));
    }

    #[test]
    fn without_probes_nothing_is_known() {
        let facts = Facts::of(&Texts::default());
        assert!(facts.of_kind(FactKind::Probed).next().is_none());
        assert_eq!(facts.unseen(FactKind::Probed).unwrap().why, NotKnown::NotCollected);
    }
}
