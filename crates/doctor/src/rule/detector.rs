//! How a rule is detected: conditions on the facts of one subject, or else of the host.
//!
//! Unknown facts stay unknown: a condition is met, not met, or unknown, and a rule fires only on known
//! facts.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Os;
use reelgauge_machine::facts::{FactKind, FactSubject, Gap, Value};
use reelgauge_machine::texts::NotKnown;

/// Conditions on one kind of subject.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detector {
    pub of: FactKind,
    /// Only on these systems; on all if empty.
    #[serde(default)]
    pub os: Vec<Os>,
    /// Which subjects are judged: all of these must be met, or the detector does not apply. A subject
    /// that is skipped does not count as passed, either.
    #[serde(default)]
    pub only: Vec<Condition>,
    /// All of them must be met.
    #[serde(default)]
    pub all: Vec<Condition>,
    /// One of them must be met, if there are any.
    #[serde(default)]
    pub any: Vec<Condition>,
    /// The finding, with `{name}` and facts in braces.
    pub found: String,
    /// Its possible cost, if it differs from that of the rule's other findings.
    pub cost: Option<String>,
    /// Its fix, by system, if the rule's fix is about something else.
    #[serde(default)]
    pub fix: BTreeMap<String, String>,
    pub undo: Option<String>,
}

/// A condition on a fact.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Row")]
pub struct Condition {
    pub fact: String,
    pub test: Test,
}

/// A test of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    Is(Value),
    /// It is a different value.
    IsNot(Value),
    /// It is one of these words.
    OneOf(Vec<String>),
    /// It is a smaller number.
    Below(f64),
    /// It is a larger number.
    Above(f64),
    /// It is this number or a larger one.
    AtLeast(f64),
    /// It is smaller than this many times another fact.
    BelowFact(String, f64),
    /// It is larger than another fact.
    AboveFact(String),
    /// It contains this text, ignoring case.
    Contains(String),
    Lacks(String),
    /// It is not stated at all.
    Missing,
}

/// A condition as written: a fact and one test.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    fact: String,
    is: Option<toml::Value>,
    is_not: Option<toml::Value>,
    one_of: Option<Vec<String>>,
    below: Option<f64>,
    above: Option<f64>,
    at_least: Option<f64>,
    below_fact: Option<String>,
    times: Option<f64>,
    above_fact: Option<String>,
    contains: Option<String>,
    lacks: Option<String>,
    missing: Option<bool>,
}

impl TryFrom<Row> for Condition {
    type Error = String;

    fn try_from(row: Row) -> Result<Condition, String> {
        let times = row.times.unwrap_or(1.0);
        if row.times.is_some() && row.below_fact.is_none() {
            return Err(format!("{}: 'times' needs 'below_fact'", row.fact));
        }
        let tests = [
            row.is.map(value).transpose()?.map(Test::Is),
            row.is_not.map(value).transpose()?.map(Test::IsNot),
            row.one_of.map(Test::OneOf),
            row.below.map(Test::Below),
            row.above.map(Test::Above),
            row.at_least.map(Test::AtLeast),
            row.below_fact.map(|fact| Test::BelowFact(fact, times)),
            row.above_fact.map(Test::AboveFact),
            row.contains.map(Test::Contains),
            row.lacks.map(Test::Lacks),
            row.missing.filter(|missing| *missing).map(|_| Test::Missing),
        ];
        let mut tests = tests.into_iter().flatten();
        match (tests.next(), tests.next()) {
            (Some(test), None) => Ok(Condition { fact: row.fact, test }),
            _ => Err(format!("{}: a condition must have exactly one test", row.fact)),
        }
    }
}

fn value(written: toml::Value) -> Result<Value, String> {
    match written {
        toml::Value::Integer(number) => Ok(Value::Number(number as f64)),
        toml::Value::Float(number) => Ok(Value::Number(number)),
        toml::Value::String(word) => Ok(Value::Word(word)),
        other => Err(format!("{other} must be a number or a word")),
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ConditionResult {
    Yes,
    No,
    /// It is known that there is nothing to judge: no clock to set, no slot.
    Absent,
    NotKnown(Vec<Gap>),
}

/// A subject and its host: facts that the subject lacks are taken from the host.
#[derive(Clone, Copy)]
pub struct SubjectFacts<'a> {
    pub subject: &'a FactSubject,
    pub machine: Option<&'a FactSubject>,
}

impl SubjectFacts<'_> {
    fn fact(&self, name: &str) -> Option<&Result<Value, Gap>> {
        self.subject.fact(name).or_else(|| self.machine?.fact(name))
    }

    fn known(&self, name: &str) -> Result<&Value, Gap> {
        match self.fact(name) {
            Some(fact) => fact.as_ref().map_err(Gap::clone),
            None => Err(Gap { text: self.subject.name.clone(), why: NotKnown::NotTold }),
        }
    }
}

impl Detector {
    /// Whether it fires on a subject.
    pub fn judge(&self, seen: SubjectFacts) -> ConditionResult {
        let (mut gaps, mut is_absent) = (Vec::new(), false);
        for truth in self.only.iter().map(|condition| condition.holds(seen)) {
            match truth {
                ConditionResult::Yes => {}
                ConditionResult::No | ConditionResult::Absent => return ConditionResult::Absent,
                ConditionResult::NotKnown(more) => gaps.extend(more),
            }
        }
        let all = self.all.iter().map(|condition| condition.holds(seen));
        let any = either(self.any.iter().map(|condition| condition.holds(seen)));
        for truth in all.chain(any) {
            match truth {
                ConditionResult::Yes => {}
                ConditionResult::No => return ConditionResult::No,
                ConditionResult::Absent => is_absent = true,
                ConditionResult::NotKnown(more) => gaps.extend(more),
            }
        }
        match (is_absent, gaps.is_empty()) {
            (true, _) => ConditionResult::Absent,
            (false, true) => ConditionResult::Yes,
            (false, false) => ConditionResult::NotKnown(gaps),
        }
    }

    /// The detector's fix on this system, if it has one.
    pub fn fix(&self, os: Os) -> Option<&str> {
        super::of_system(&self.fix, os)
    }

    /// The known facts among those that were judged, and those that appear in braces in its texts or in
    /// `others`.
    pub fn values<'a>(
        &'a self,
        others: impl Iterator<Item = &'a str>,
        seen: SubjectFacts,
    ) -> BTreeMap<String, Value> {
        let judged =
            self.only.iter().chain(&self.all).chain(&self.any).map(|condition| condition.fact.as_str());
        let own = self.fix.values().chain(&self.undo).chain([&self.found]).map(String::as_str);
        let named = others.chain(own).flat_map(|text| text.split('{').skip(1));
        let named = named.filter_map(|rest| Some(rest.split('}').next()?.trim_start_matches('~')));
        let wanted = judged.chain(named);
        wanted.filter_map(|name| Some((name.to_owned(), seen.known(name).ok()?.clone()))).collect()
    }
}

/// For conditions of which one is enough; `None` if there are none.
fn either(conditions: impl Iterator<Item = ConditionResult>) -> Option<ConditionResult> {
    let mut told = None;
    let mut gaps = Vec::new();
    for truth in conditions {
        match truth {
            ConditionResult::Yes => return Some(ConditionResult::Yes),
            ConditionResult::NotKnown(more) => gaps.extend(more),
            ConditionResult::No => told = Some(ConditionResult::No),
            ConditionResult::Absent => told = told.or(Some(ConditionResult::Absent)),
        }
    }
    if gaps.is_empty() { told } else { Some(ConditionResult::NotKnown(gaps)) }
}

impl Condition {
    fn holds(&self, seen: SubjectFacts) -> ConditionResult {
        if matches!(seen.known(&self.fact), Ok(Value::Nothing)) && self.test != Test::Missing {
            return ConditionResult::Absent;
        }
        match self.is_met(seen) {
            Ok(true) => ConditionResult::Yes,
            Ok(false) => ConditionResult::No,
            Err(gap) => ConditionResult::NotKnown(vec![gap]),
        }
    }

    fn is_met(&self, seen: SubjectFacts) -> Result<bool, Gap> {
        if self.test == Test::Missing {
            return Ok(seen.fact(&self.fact).is_none());
        }
        let value = seen.known(&self.fact)?;
        let number = || match value {
            Value::Number(number) => Ok(*number),
            _ => Err(Gap { text: seen.subject.name.clone(), why: NotKnown::NotTold }),
        };
        let of = |fact: &str| match seen.known(fact)? {
            Value::Number(number) => Ok(*number),
            _ => Err(Gap { text: seen.subject.name.clone(), why: NotKnown::NotTold }),
        };
        let has = |part: &str| word(value).to_ascii_lowercase().contains(&part.to_ascii_lowercase());
        Ok(match &self.test {
            Test::Is(wanted) => value == wanted,
            Test::IsNot(wanted) => value != wanted,
            Test::OneOf(words) => words.contains(&word(value)),
            Test::Below(limit) => number()? < *limit,
            Test::Above(limit) => number()? > *limit,
            Test::AtLeast(limit) => number()? >= *limit,
            Test::BelowFact(fact, times) => number()? < of(fact)? * times,
            Test::AboveFact(fact) => number()? > of(fact)?,
            Test::Contains(part) => has(part),
            Test::Lacks(part) => !has(part),
            Test::Missing => false,
        })
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Word(word) => word.clone(),
        Value::Nothing => String::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use reelgauge_machine::facts::Facts;
    use reelgauge_machine::texts::Texts;

    /// A detector on the machine.
    fn judged(conditions: &str, texts: &[(&str, &str)]) -> ConditionResult {
        let detector: Detector =
            toml::from_str(&format!("of = 'machine'\nfound = ''\n{conditions}")).unwrap();
        let mut collected = Texts::default();
        texts.iter().for_each(|(name, text)| collected.put(*name, Ok((*text).to_owned())));
        let facts = Facts::of(&collected);
        let machine = facts.machine().unwrap();
        detector.judge(SubjectFacts { subject: machine, machine: Some(machine) })
    }

    const SACK: (&str, &str) = ("/proc/sys/net/ipv4/tcp_sack", "0\n");

    #[test]
    fn unknown_fact_makes_the_condition_unknown() {
        assert_eq!(judged("all = [{ fact = 'tcp_sack', is = 0 }]", &[SACK]), ConditionResult::Yes);
        assert_eq!(judged("all = [{ fact = 'tcp_sack', is = 1 }]", &[SACK]), ConditionResult::No);
        let unknown = judged("all = [{ fact = 'tcp_sack', is = 0 }]", &[]);
        assert!(
            matches!(&unknown, ConditionResult::NotKnown(gaps) if gaps[0].why == NotKnown::NotCollected),
            "{unknown:?}"
        );
        let both = "any = [{ fact = 'tcp_sack', is = 0 }, { fact = 'tcp_timestamps', is = 0 }]";
        assert_eq!(judged(both, &[SACK]), ConditionResult::Yes, "one is enough");
        assert!(matches!(
            judged(both, &[("/proc/sys/net/ipv4/tcp_sack", "1")]),
            ConditionResult::NotKnown(_)
        ));
        let all = both.replace("any", "all");
        assert_eq!(
            judged(&all, &[("/proc/sys/net/ipv4/tcp_sack", "1")]),
            ConditionResult::No,
            "the other is no matter"
        );
    }

    /// A subject that a detector does not judge is neither met nor in order.
    #[test]
    fn subject_outside_the_detector_is_absent() {
        let only = |sack: u32| {
            format!(
                "only = [{{ fact = 'tcp_sack', is = {sack} }}]\nall = [{{ fact = 'tcp_timestamps', is = 0 }}]"
            )
        };
        let stamps = |text| ("/proc/sys/net/ipv4/tcp_timestamps", text);
        assert_eq!(judged(&only(1), &[SACK, stamps("0")]), ConditionResult::Absent);
        assert_eq!(judged(&only(1), &[SACK]), ConditionResult::Absent, "the rest is no matter");
        assert_eq!(judged(&only(0), &[SACK, stamps("0")]), ConditionResult::Yes);
        assert_eq!(judged(&only(0), &[SACK, stamps("1")]), ConditionResult::No);
        assert!(matches!(judged(&only(0), &[stamps("0")]), ConditionResult::NotKnown(_)));
    }

    #[test]
    fn invalid_number_is_unknown() {
        let hostile = ("/proc/sys/net/ipv4/tcp_sack", "\u{1b}[2J");
        assert!(matches!(
            judged("all = [{ fact = 'tcp_sack', below = 1 }]", &[hostile]),
            ConditionResult::NotKnown(_)
        ));
        let contains = judged("all = [{ fact = 'tcp_sack', contains = '[2j' }]", &[hostile]);
        assert!(
            matches!(
                &contains,
                ConditionResult::NotKnown(gaps) if matches!(gaps[0].why, NotKnown::NotUnderstood(_))
            ),
            "{contains:?}"
        );
    }

    #[test]
    fn a_condition_has_one_test() {
        let row = |text: &str| toml::from_str::<Condition>(text).map_err(|error| error.to_string());
        assert!(row("fact = 'a'\nis = 0\nbelow = 1").is_err());
        assert!(row("fact = 'a'").is_err());
        assert!(row("fact = 'a'\nabove = 1\ntimes = 2").is_err());
        assert_eq!(row("fact = 'a'\nbelow_fact = 'b'").unwrap().test, Test::BelowFact("b".to_owned(), 1.0));
    }
}
