//! A comparison as JUnit XML: one suite for each run that is compared with the first, and one test case
//! for each figure that both have. A figure that is worse than the gate allows is a failure; one that
//! cannot be judged is skipped.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use reelgauge_analysis::compare::{ComparedRun, Comparison, ComparisonRow, Gate, Judgement, Kinship};

use super::systems::{Property, properties};
use super::{ToldComparison, heading, is_noise_told, name_of, noise_words, said_values, signed, word};
use crate::statement::inconclusive_words;

/// The comparison as JUnit XML, ending with a line feed. It has all figures of the comparison; select
/// some beforehand with [`super::keep`].
pub fn junit(told: &ToldComparison, gate: &Gate) -> String {
    let mut report = Report::new("reelgauge compare");
    report.add_test_suites(told.comparison.others().into_iter().map(|run| suite(told, run, gate)));
    report.to_string().expect("writing into memory does not fail")
}

fn suite(told: &ToldComparison, run: usize, gate: &Gate) -> TestSuite {
    let comparison = &told.comparison;
    let (one, base) = (&comparison.runs[run], &comparison.runs[0]);
    let named = |run: &ComparedRun| match name_of(run) {
        Some(tags) => format!("{} ({tags})", run.id),
        None => run.id.clone(),
    };
    let mut suite = TestSuite::new(held(&format!("{} against {}", named(one), named(base))));
    suite.extra.insert("timestamp".into(), held(&one.started_at).into());
    suite.add_property(("target".to_owned(), held(&one.target)));
    let known = |property: Property| Some((property.name, property.values.get(run)?.clone()?));
    let system = properties(comparison, true).into_iter().filter_map(known);
    suite.add_properties(system.map(|(name, value)| (held(&name), held(&value))));
    suite.add_property(("threshold_percent".to_owned(), gate.threshold_percent.to_string()));
    suite.add_properties(told.cautions.iter().map(|caution| ("caution".to_owned(), held(caution))));
    let in_both = |row: &&ComparisonRow| row.values[0].is_some() && row.values[run].is_some();
    suite.add_test_cases(inconclusive(one));
    suite.add_test_cases(comparison.rows.iter().filter(in_both).map(|row| case(comparison, row, run, gate)));
    suite
}

/// The skipped test case of a run that neither met its criteria nor failed them.
fn inconclusive(run: &ComparedRun) -> Option<TestCase> {
    let reasons: Vec<String> = run.inconclusive.iter().map(|reason| inconclusive_words(*reason)).collect();
    (!reasons.is_empty()).then(|| {
        let mut case = TestCase::new("verdict", TestCaseStatus::skipped());
        case.set_classname("run");
        case.status.set_type("inconclusive").set_message(held(&reasons.join("; ")));
        case
    })
}

fn case(comparison: &Comparison, row: &ComparisonRow, run: usize, gate: &Gate) -> TestCase {
    let said = held(&said(comparison, row, run));
    let mut case = TestCase::new(held(&row.figure), TestCaseStatus::success());
    case.set_classname(held(&heading(&row.group)));
    if gate.falls(row, run) {
        case.status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        case.status.set_type("worse").set_message(said);
    } else if is_skipped(row, run) || comparison.runs[run].kinship == Kinship::Itself {
        case.status = TestCaseStatus::skipped();
        case.status.set_message(said);
    } else {
        case.set_system_out(said);
    }
    case
}

fn is_skipped(row: &ComparisonRow, run: usize) -> bool {
    matches!(row.judgement[run], Judgement::Unknown | Judgement::OtherPlan)
}

/// `read, MB/s: 180, then 142: -21 % (noise 3.0 %), WORSE`.
fn said(comparison: &Comparison, row: &ComparisonRow, run: usize) -> String {
    let change = row.change_percent[run].filter(|_| is_noise_told(row, run));
    let change = change.map_or_else(String::new, |change| format!(": {}", signed(change)));
    let noise =
        row.noise_percent[run].map_or_else(String::new, |noise| format!(" (noise {})", noise_words(noise)));
    let judged = word(row, run);
    format!("{}: {}{change}{noise}, {judged}", row.label, said_values(comparison, row, run).then())
}

/// Removes characters that XML 1.0 forbids or discourages and that the writer would not reject.
fn held(text: &str) -> String {
    text.replace(|c| matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}'), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_escapes_any_name() {
        let hostile = "a\u{0}\u{1b}[1m<b attr=\"1\">&amp;</b>'\u{9b}\u{fffe}\u{1f600}]]>";
        let safe = "a&lt;b attr=&quot;1&quot;&gt;&amp;amp;&lt;/b&gt;&apos;\u{1f600}]]&gt;";
        let xml = Report::new(held(hostile)).to_string().unwrap_or_default();
        assert!(xml.contains(&format!("<testsuites name=\"{safe}\" ")), "{xml}");
    }
}
