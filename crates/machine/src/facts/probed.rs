//! What probes of a path found, as lines of a text: `fact = value`, `fact -` where there is no such thing,
//! `fact ! why` where it is not known. Who carries out probes writes them so; rules judge them like any fact.

use super::{FactKind, Facts, Gap, Subject, Value};
use crate::texts::{NotKnown, Texts};

/// The name of the text.
pub const PROBED: &str = "reelgauge doctor PATH --probe";

/// The fact that the storage was given up: for how long nothing had come back.
pub const UNANSWERED_S: &str = "unanswered_s";

/// The fact that is not known where no probe could even begin: why.
pub const PROBES_MADE: &str = "probes_made";

/// The line that says which path it was.
const PATH: &str = "path";

/// What a line of the text says of a fact, or why nothing is known of it; without its end.
pub fn probed_line(fact: &str, said: Result<&Value, &str>) -> String {
    // A line is a line, whatever an error or a path has in it.
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
    let mut probed = Subject::new(FactKind::Probed, "the path");
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
    fn what_is_written_is_read_and_a_line_is_one_line() {
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
