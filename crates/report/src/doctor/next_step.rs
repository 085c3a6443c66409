//! The last line of a diagnosis: the next step.

use reelgauge_doctor::Diagnosis;
use reelgauge_doctor::rule::Severity;
use reelgauge_machine::facts::Gap;
use reelgauge_machine::texts::NotKnown;

use crate::text::shell_word;

/// The next step as a sentence.
pub(super) fn next_step(diagnosis: &Diagnosis) -> String {
    let path =
        diagnosis.scope.place.as_ref().map_or_else(|| "PATH".to_owned(), |place| shell_word(&place.path));
    // Measured from the host that the findings are about.
    let there = if diagnosis.scope.is_elsewhere { " on that host" } else { "" };
    if diagnosis.findings.iter().any(|finding| finding.rule.severity < Severity::Info) {
        return format!(
            "Change one thing at a time. Measure{there} before and after each change: reelgauge check {path}"
        );
    }
    match first_remedy(diagnosis) {
        Some(remedy) => remedy,
        None => format!("Measure the storage{there}: reelgauge check {path}"),
    }
}

/// The remedy that would allow more facts to be collected.
fn first_remedy(diagnosis: &Diagnosis) -> Option<String> {
    let gaps: Vec<&Gap> = diagnosis.not_looked.iter().flat_map(|rule| &rule.missing).collect();
    if gaps.iter().any(|gap| gap.why == NotKnown::NotThere && gap.text.starts_with("ethtool ")) {
        let ask = if diagnosis.scope.is_elsewhere {
            "Install ethtool on that host and collect the data"
        } else {
            "Install ethtool, then run doctor"
        };
        return Some(format!("{ask} again: it shows the network card's settings"));
    }
    let ask = if diagnosis.scope.is_elsewhere {
        "Collect the data again on that host, as root"
    } else {
        "Run doctor again as \
        root"
    };
    gaps.iter().any(|gap| gap.why == NotKnown::NotAllowed).then(|| ask.to_owned())
}
