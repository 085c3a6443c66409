//! A comparison as JUnit XML: one suite for every run that is compared with the first, one test case for
//! every figure that both have. A figure that is worse than the gate allows has failed; one that can't be
//! judged was skipped.

use std::fmt::Write;

use reelgauge_analysis::compare::{ComparisonRow, Gate, Judgement};

use super::{ToldComparison, heading, signed, unsigned, word};

/// The comparison as JUnit XML, ending with a line feed. The figures are those of the comparison; keep
/// those that are wanted with [`super::keep`].
pub fn junit(told: &ToldComparison, gate: &Gate) -> String {
    let mut xml =
        String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"reelgauge compare\">\n");
    for run in told.comparison.others() {
        suite(told, run, gate, &mut xml);
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn suite(told: &ToldComparison, run: usize, gate: &Gate, xml: &mut String) {
    let comparison = &told.comparison;
    let in_both = |row: &&ComparisonRow| row.values[0].is_some() && row.values[run].is_some();
    let rows: Vec<&ComparisonRow> = comparison.rows.iter().filter(in_both).collect();
    let failures = rows.iter().filter(|row| gate.falls(row, run)).count();
    let skipped = rows.iter().filter(|row| row.judgement[run] == Judgement::Unknown).count();
    let (one, base) = (&comparison.runs[run], &comparison.runs[0]);
    let _ = writeln!(
        xml,
        "  <testsuite name=\"{} against {}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" \
         skipped=\"{skipped}\" timestamp=\"{}\">",
        escaped(&one.id),
        escaped(&base.id),
        rows.len(),
        escaped(&one.started_at)
    );
    xml.push_str("    <properties>\n");
    let mut property = |name: &str, value: &str| {
        let _ = writeln!(xml, "      <property name=\"{name}\" value=\"{}\"/>", escaped(value));
    };
    property("target", &one.target);
    property("threshold_percent", &gate.threshold_percent.to_string());
    told.cautions.iter().for_each(|caution| property("caution", caution));
    xml.push_str("    </properties>\n");
    for row in rows {
        case(row, run, gate, xml);
    }
    xml.push_str("  </testsuite>\n");
}

fn case(row: &ComparisonRow, run: usize, gate: &Gate, xml: &mut String) {
    let _ = write!(
        xml,
        "    <testcase classname=\"{}\" name=\"{}\"",
        escaped(&heading(&row.group)),
        escaped(&row.figure)
    );
    let said = said(row, run);
    let said = escaped(&said);
    let _ = match row.judgement[run] {
        _ if gate.falls(row, run) => {
            writeln!(xml, ">\n      <failure type=\"worse\" message=\"{said}\"/>\n    </testcase>")
        }
        Judgement::Unknown => writeln!(xml, ">\n      <skipped message=\"{said}\"/>\n    </testcase>"),
        _ => writeln!(xml, ">\n      <system-out>{said}</system-out>\n    </testcase>"),
    };
}

/// `read, MB/s: 180, then 142: -21 % (noise 3.0 %), WORSE`.
fn said(row: &ComparisonRow, run: usize) -> String {
    let change = row.change_percent[run].map_or_else(String::new, |change| format!(": {}", signed(change)));
    let noise =
        row.noise_percent[run].map_or_else(String::new, |noise| format!(" (noise {})", unsigned(noise)));
    let judged = word(row, run);
    format!("{}: {}, then {}{change}{noise}, {judged}", row.label, row.texts[0], row.texts[run])
}

/// Text for XML 1.0, in attributes and between tags. What XML has no way to hold is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_holds_whatever_is_in_a_name() {
        let hostile = "a\u{0}\u{1b}[1m<b attr=\"1\">&amp;</b>'\n\u{fffe}\u{1f600}]]>";
        let safe = "a[1m&lt;b attr=&quot;1&quot;&gt;&amp;amp;&lt;/b&gt;&apos;&#10;\u{1f600}]]&gt;";
        assert_eq!(escaped(hostile), safe);
    }
}
