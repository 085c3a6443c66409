//! The list of traces, and the published figures of one that was made after them.

use crate::table::Table;
use crate::text::{plain, wrap};
use crate::units::{amount, count, moment};

/// A trace in the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceLine {
    /// What it is called.
    pub name: String,
    /// Where it comes from, in a word.
    pub kind: String,
    /// Operations in it.
    pub ops: u64,
    /// Files and directories that they are about.
    pub files: u64,
    /// Bytes that they move; `None` where that is not known.
    pub bytes: Option<u64>,
    /// From its first operation to its last; `None` where that is not known.
    pub seconds: Option<f64>,
    /// Why it can't be read, if it can't.
    pub damaged: Option<String>,
}

/// A figure of a trace that was made after published ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FigureLine {
    /// What it is.
    pub figure: String,
    /// What was published.
    pub target: String,
    /// What the trace has.
    pub achieved: String,
    /// How far off it may be.
    pub tolerance: String,
    /// Whether it is further off.
    pub is_missed: bool,
}

/// The traces as aligned columns, ending with a line feed; those that can't be read below, with the reason.
pub fn trace_list(traces: &[TraceLine], width: usize) -> String {
    let whole: Vec<&TraceLine> = traces.iter().filter(|trace| trace.damaged.is_none()).collect();
    let cells = |of: &dyn Fn(&TraceLine) -> String| whole.iter().map(|trace| of(trace)).collect::<Vec<_>>();
    let mut table = Table::default();
    table.column("", "name", cells(&|trace| plain(&trace.name)));
    table.column("", "operations", cells(&|trace| count(trace.ops)));
    table.column("", "time", cells(&|trace| trace.seconds.map_or("-".to_owned(), moment)));
    table.column("", "data", cells(&|trace| trace.bytes.map_or("-".to_owned(), amount)));
    table.words_if_they_fit("files", cells(&|trace| count(trace.files)), width);
    table.words_if_they_fit("kind", cells(&|trace| trace.kind.clone()), width);
    let mut lines = table.lines(width);
    for trace in traces {
        if let Some(why) = &trace.damaged {
            lines.push(wrap(&format!("{} is damaged: {}", plain(&trace.name), plain(why)), width, 2));
        }
    }
    lines.join("\n") + "\n"
}

/// Figures as aligned columns, or, where there is no room for them, as sentences. Ends with a line feed.
pub fn figure_list(figures: &[FigureLine], width: usize) -> String {
    let cells = |of: fn(&FigureLine) -> &String| figures.iter().map(of).cloned().collect::<Vec<_>>();
    let mut table = Table::default();
    table.column("", "figure", figures.iter().map(|line| plain(&line.figure)).collect());
    table.column("", "published", cells(|line| &line.target));
    table.column("", "here", cells(|line| &line.achieved));
    table.column("", "may be off by", cells(|line| &line.tolerance));
    let missed = |line: &FigureLine| if line.is_missed { "missed" } else { "" }.to_owned();
    if figures.iter().any(|line| line.is_missed) {
        table.words("", figures.iter().map(missed).collect());
    }
    if table.width() <= width {
        return table.lines(width).join("\n") + "\n";
    }
    let sentence = |line: &FigureLine| {
        let missed = if line.is_missed { ": missed" } else { "" };
        let FigureLine { figure, target, achieved, tolerance, .. } = line;
        let text = format!(
            "{}: {achieved} for a published {target} (may be off by {tolerance}){missed}",
            plain(figure)
        );
        wrap(&text, width, 2) + "\n"
    };
    figures.iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_fits_and_says_what_is_damaged() {
        let trace = TraceLine {
            name: "edit".to_owned(),
            kind: "recorded".to_owned(),
            ops: 1234,
            files: 2,
            bytes: Some(155_000_000),
            seconds: Some(61.0),
            damaged: None,
        };
        let broken =
            TraceLine { name: "old".to_owned(), damaged: Some("no log".to_owned()), ..TraceLine::default() };
        let said = trace_list(&[trace, broken], 80);
        assert_eq!(
            said,
            "name  operations  time    data  files  kind\n\
             edit       1,234  61 s  155 MB  2      recorded\n\
             old is damaged: no log\n"
        );
    }

    #[test]
    fn figures_without_room_for_columns_are_sentences() {
        let line = FigureLine {
            figure: "share of reads".to_owned(),
            target: "10".to_owned(),
            achieved: "12".to_owned(),
            tolerance: "1".to_owned(),
            is_missed: true,
        };
        let said = figure_list(&[line], 40);
        assert_eq!(said, "share of reads: 12 for a published 10\n  (may be off by 1): missed\n");
    }
}
