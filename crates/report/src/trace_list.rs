//! The list of traces, and the published figures that a synthetic trace was modelled on.

use serde::Serialize;

use crate::table::Table;
use crate::text::{plain, wrap};
use crate::units::{amount, block_size, count, fixed, mb_per_s, moment};

/// A trace in the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceLine {
    /// The name of the trace.
    pub name: String,
    /// The kind of its source, in one word.
    pub kind: String,
    /// Operations in it.
    pub ops: u64,
    /// The number of files and directories in its operations.
    pub files: u64,
    /// Bytes that they transfer; `None` if unknown.
    pub bytes: Option<u64>,
    /// From its first operation to its last; `None` if unknown.
    pub seconds: Option<f64>,
    /// Why it cannot be read; `None` if it can.
    pub damaged: Option<String>,
}

/// A workload of the NASPT paper, with the figures of its trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkloadLine {
    /// The name of the workload.
    pub name: String,
    /// Files that were read or written.
    pub files: u64,
    /// Share of accesses that begin at the end of the previous access to the same file, over the whole
    /// trace.
    pub sequential_percent: Option<f64>,
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Reads and writes, per second of the recording.
    pub bytes_per_s: Option<f64>,
    /// The median length of reads; `None` without any.
    pub median_read_bytes: Option<u64>,
    /// The median length of writes; `None` without any.
    pub median_write_bytes: Option<u64>,
    /// A description in a few words.
    pub about: String,
}

/// The paper's Table 1, ending with a line feed.
pub fn workload_table(workloads: &[WorkloadLine], width: usize) -> String {
    let cells = |of: &dyn Fn(&WorkloadLine) -> String| workloads.iter().map(of).collect::<Vec<_>>();
    let bytes = |bytes: u64| if bytes == 0 { "-".to_owned() } else { amount(bytes) };
    let size = |size: Option<u64>| size.map_or_else(|| "-".to_owned(), block_size);
    let mut table = Table::default();
    table.column("", "workload", cells(&|line| plain(&line.name)));
    table.column("", "files", cells(&|line| count(line.files)));
    let percent =
        |line: &WorkloadLine| line.sequential_percent.map_or_else(|| "-".to_owned(), |share| fixed(share, 1));
    table.column("sequential", "%", cells(&percent));
    table.column("", "read", cells(&|line| bytes(line.read_bytes)));
    table.column("", "written", cells(&|line| bytes(line.written_bytes)));
    let rate = |line: &WorkloadLine| line.bytes_per_s.map_or_else(|| "-".to_owned(), mb_per_s);
    table.column("recorded", "MB/s", cells(&rate));
    table.column("median", "read", cells(&|line| size(line.median_read_bytes)));
    table.column("median", "write", cells(&|line| size(line.median_write_bytes)));
    table.words_if_they_fit("what", cells(&|line| plain(&line.about)), width);
    table.lines(width).join("\n") + "\n"
}

/// A figure of a trace that was modelled on published ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FigureLine {
    pub figure: String,
    pub target: String,
    /// The value in the trace.
    pub achieved: String,
    /// The deviation that is allowed.
    pub tolerance: String,
    /// Whether the deviation is larger.
    pub is_missed: bool,
}

/// The traces as aligned columns, ending with a line feed; below them those that cannot be read, with
/// the reason.
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

/// Figures as aligned columns, or as sentences if the columns do not fit. Ends with a line feed.
pub fn figure_list(figures: &[FigureLine], width: usize) -> String {
    let cells = |of: fn(&FigureLine) -> &String| figures.iter().map(of).cloned().collect::<Vec<_>>();
    let mut table = Table::default();
    table.column("", "figure", figures.iter().map(|line| plain(&line.figure)).collect());
    table.column("", "published", cells(|line| &line.target));
    table.column("", "here", cells(|line| &line.achieved));
    table.column("", "tolerance", cells(|line| &line.tolerance));
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
        let text =
            format!("{}: {achieved}, published {target} (tolerance {tolerance}){missed}", plain(figure));
        wrap(&text, width, 2) + "\n"
    };
    figures.iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_list_fits_and_marks_damaged_traces() {
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
        insta::assert_snapshot!(said);
    }

    #[test]
    fn workloads_share_a_table_and_missing_values_are_dashes() {
        let line = WorkloadLine {
            name: "HDVideo_1Play".to_owned(),
            files: 1,
            sequential_percent: Some(99.52),
            read_bytes: 1_300_000_000,
            bytes_per_s: Some(2_000_000.0),
            median_read_bytes: Some(262_144),
            about: "one player".to_owned(),
            ..WorkloadLine::default()
        };
        let said = workload_table(&[line], 120);
        let row: Vec<&str> = said.lines().last().unwrap_or_default().split_whitespace().collect();
        let expected = "HDVideo_1Play 1 99.5 1.30 GB - 2.00 256 KiB - one player";
        assert_eq!(row.join(" "), expected, "{said}");
    }

    #[test]
    fn figures_without_space_for_columns_are_sentences() {
        let line = FigureLine {
            figure: "share of reads".to_owned(),
            target: "10".to_owned(),
            achieved: "12".to_owned(),
            tolerance: "1".to_owned(),
            is_missed: true,
        };
        let said = figure_list(&[line], 40);
        insta::assert_snapshot!(said);
    }
}
