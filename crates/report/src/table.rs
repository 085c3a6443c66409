//! Aligned tables: the first column on the left, numbers aligned to the right, no wider than requested.

use serde::Serialize;

use crate::text::{display_width, pad};

/// Blanks between two columns.
const GAP: usize = 2;
/// A column of text is wrapped down to this width, so that all columns fit side by side.
const WORDS_MIN: usize = 16;
/// If nothing else fits, text is wrapped down to this width, like names of rows.
const NAME_MIN: usize = 8;

/// Rows of cells below two header lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Table {
    /// Its caption, above the table on a page.
    pub caption: String,
    columns: Vec<Column>,
    /// The number of columns after the first one that also name the rows.
    more_names: usize,
    /// The path of the figures of each row in `summary.json`: `vda.points.0`. Empty if they are not in
    /// that file.
    pub rows: Vec<String>,
    /// Rows with bad news.
    pub bad_rows: Vec<usize>,
}

/// A column of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Column {
    /// The name above the unit; the name may be empty.
    pub(crate) header: [String; 2],
    pub(crate) cells: Vec<String>,
    /// Text is aligned to the left, numbers to the right.
    pub(crate) is_words: bool,
    /// The field of its figures, below [`Table::rows`]; empty if they are not in `summary.json`.
    path: String,
    /// An explanation of a short name.
    help: String,
    /// Whether a short screen may omit it if it does not fit.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    is_detail: bool,
}

impl Column {
    /// Sets the field of its figures: relative to the path of the row or, with `*` in place of the row,
    /// as a whole path.
    pub(crate) fn at(&mut self, path: impl Into<String>) -> &mut Column {
        self.path = path.into();
        self
    }

    /// Explains its name.
    pub(crate) fn help(&mut self, help: &str) -> &mut Column {
        help.clone_into(&mut self.help);
        self
    }

    /// Lets a short screen omit it if it does not fit next to the others.
    pub(crate) fn detail(&mut self) -> &mut Column {
        self.is_detail = true;
        self
    }

    /// The display width of its widest cell.
    pub(crate) fn width(&self) -> usize {
        widest(self.header.iter().chain(&self.cells))
    }

    /// Its smallest width with wrapped cells. Headers are not wrapped.
    fn least_width(&self, words_min: usize) -> usize {
        self.width().min(words_min.max(widest(&self.header)))
    }

    fn line(&self, line: usize) -> &str {
        match line {
            0 | 1 => &self.header[line],
            _ => self.cells.get(line - 2).map_or("", String::as_str),
        }
    }
}

fn widest<'a>(texts: impl IntoIterator<Item = &'a String>) -> usize {
    texts.into_iter().map(|text| display_width(text)).max().unwrap_or(0)
}

impl Table {
    /// A table, initially without columns.
    pub(crate) fn new(caption: impl Into<String>) -> Table {
        Table { caption: caption.into(), ..Table::default() }
    }

    /// Adds a column: its name, its unit, its cells from top to bottom.
    pub(crate) fn column(&mut self, name: &str, unit: &str, cells: Vec<String>) -> &mut Column {
        self.add(Column { header: [name.to_owned(), unit.to_owned()], cells, ..Column::default() })
    }

    /// Adds a column that names the rows together with those before it.
    pub(crate) fn name(&mut self, name: &str, cells: Vec<String>) -> &mut Column {
        self.more_names = self.columns.len();
        self.words(name, cells)
    }

    /// Adds a column of text, which is aligned to the left.
    pub(crate) fn words(&mut self, name: &str, cells: Vec<String>) -> &mut Column {
        let header = [String::new(), name.to_owned()];
        self.add(Column { header, cells, is_words: true, ..Column::default() })
    }

    fn add(&mut self, column: Column) -> &mut Column {
        self.columns.push(column);
        let last = self.columns.len() - 1;
        &mut self.columns[last]
    }

    /// Adds a column of text if it fits next to the others.
    pub(crate) fn words_if_they_fit(&mut self, name: &str, cells: Vec<String>, width: usize) {
        self.words(name, cells);
        if self.width() > width {
            self.columns.pop();
        }
    }

    /// The columns, from left to right.
    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The width of all columns side by side.
    pub(crate) fn width(&self) -> usize {
        side_by_side(self.columns.iter().map(Column::width))
    }

    /// The table as lines of a short screen: without the detail columns that do not fit, the last ones
    /// first.
    pub(crate) fn short_lines(&self, width: usize) -> Vec<String> {
        let mut table = self.clone();
        while table.width() > width {
            let Some(last) = table.columns.iter().rposition(|column| column.is_detail) else { break };
            table.columns.remove(last);
        }
        table.lines(width)
    }

    /// The table as lines, none wider than `width` unless a number is. If it is too wide, text is
    /// wrapped. If that is not enough, the columns that do not fit follow below, with the names of the
    /// rows repeated.
    pub(crate) fn lines(&self, width: usize) -> Vec<String> {
        let names = (1 + self.more_names).min(self.columns.len());
        let (names, mut rest) = self.columns.split_at(names);
        let mut lines = Vec::new();
        while !rest.is_empty() {
            let here = fitting(names, rest, width);
            if !lines.is_empty() {
                lines.push(String::new());
            }
            block(names, &rest[..here], width, &mut lines);
            rest = &rest[here..];
        }
        lines
    }
}

fn side_by_side(widths: impl Iterator<Item = usize>) -> usize {
    widths.map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
}

/// The number of columns that fit next to the names: all of them if wrapping their text suffices, else
/// those that fit unwrapped; at least one.
fn fitting(names: &[Column], rest: &[Column], width: usize) -> usize {
    let natural = names.iter().map(Column::width);
    let broken = rest.iter().map(|column| match column.is_words {
        true => column.least_width(WORDS_MIN),
        false => column.width(),
    });
    if side_by_side(natural.clone().chain(broken)) <= width {
        return rest.len();
    }
    let fits =
        |here: &usize| side_by_side(natural.clone().chain(rest[..*here].iter().map(Column::width))) <= width;
    (1..=rest.len()).take_while(fits).last().unwrap_or(1)
}

/// The width of each column: text columns get the remaining width, and the names of rows are narrowed
/// last.
fn widths(names: &[Column], columns: &[Column], width: usize) -> Vec<usize> {
    let all: Vec<&Column> = names.iter().chain(columns).collect();
    let mut widths: Vec<usize> = all.iter().map(|column| column.width()).collect();
    for (from, words_min) in [(names.len(), WORDS_MIN), (0, NAME_MIN)] {
        while side_by_side(widths.iter().copied()) > width {
            let is_words = |at: usize| at < names.len() || all[at].is_words;
            let narrows = |at: &usize| is_words(*at) && widths[*at] > all[*at].least_width(words_min);
            let Some(widest) = (from..all.len()).filter(narrows).max_by_key(|at| widths[*at]) else { break };
            widths[widest] -= 1;
        }
    }
    widths
}

fn block(names: &[Column], columns: &[Column], width: usize, lines: &mut Vec<String>) {
    let widths = widths(names, columns, width);
    let all = || names.iter().chain(columns).zip(&widths);
    let rows = 2 + all().map(|(column, _)| column.cells.len()).max().unwrap_or(0);
    for row in 0..rows {
        let cells: Vec<Vec<String>> = all().map(|(column, width)| broken(column.line(row), *width)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..height {
            let mut line = String::new();
            for (index, (column, width)) in all().enumerate() {
                if index > 0 {
                    line.extend(std::iter::repeat_n(' ', GAP));
                }
                let text = cells[index].get(at).map_or("", String::as_str);
                line.push_str(&pad(text, *width, index >= names.len() && !column.is_words));
            }
            let line = line.trim_end();
            // A header line without any name is omitted.
            if row > 1 || !line.is_empty() {
                lines.push(line.to_owned());
            }
        }
    }
}

/// A cell as lines: wrapped at blanks, and inside a word only if it is wider than the column.
fn broken(text: &str, width: usize) -> Vec<String> {
    if display_width(text) <= width {
        return vec![text.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        for part in parts(word, width) {
            match lines.last_mut().filter(|line| display_width(line) + 1 + display_width(part) <= width) {
                Some(line) => {
                    line.push(' ');
                    line.push_str(part);
                }
                None => lines.push(part.to_owned()),
            }
        }
    }
    lines
}

/// A word in parts of at most this width, each with at least one character.
fn parts(word: &str, width: usize) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, c) in word.char_indices() {
        if at > from && display_width(&word[from..at + c.len_utf8()]) > width {
            parts.push(&word[from..at]);
            from = at;
        }
    }
    parts.push(&word[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn numbers_are_right_aligned() {
        let mut table = Table::default();
        table.column("", "load", column(&["1 worker", "10 workers"]));
        table.column("read", "MB/s", column(&["9.5", "158.0"]));
        table.column("", "", column(&["", "µs"]));
        let expected =
            ["             read", "load         MB/s", "1 worker      9.5", "10 workers  158.0  µs"];
        assert_eq!(table.lines(100), expected);
    }

    #[test]
    fn wide_and_combining_characters_keep_columns_aligned() {
        let mut table = Table::default();
        table.column("", "target", column(&["映像", "ne\u{301}e", "🎬 B", "plain"]));
        table.column("読む", "MB/s", column(&["9.5", "10.0", "1.0", "2.0"]));
        let columns = table.lines(80).iter().map(|line| display_width(line)).collect::<Vec<_>>();
        assert_eq!(columns, [12; 6]);
        assert_eq!(broken("映像素材 ne\u{301}", 5), ["映像", "素材", "ne\u{301}"]);
    }

    #[test]
    fn columns_that_do_not_fit_follow_below() {
        let mut table = Table::default();
        table.column("", "k", column(&["r"]));
        for name in ["aaaa", "bbbb", "cccc"] {
            table.column("", name, column(&["1"]));
        }
        let expected = ["k  aaaa  bbbb", "r     1     1", "", "k  cccc", "r     1"];
        assert_eq!(table.lines(14), expected);
        assert!(Table::default().lines(80).is_empty());
        let mut unnamed = Table::default();
        unnamed.column("", "", column(&["r"]));
        unnamed.column("", "", column(&["1"]));
        assert_eq!(unnamed.lines(80), ["r  1"]);
    }

    #[test]
    fn both_names_of_a_row_are_repeated_below() {
        let mut table = Table::default();
        table.column("", "run", column(&["read", "read"]));
        table.name("load", column(&["1", "10"]));
        for name in ["aaaa", "bbbb"] {
            table.column("", name, column(&["7", "8"]));
        }
        let expected = [
            "run   load  aaaa",
            "read  1        7",
            "read  10       8",
            "",
            "run   load  bbbb",
            "read  1        7",
            "read  10       8",
        ];
        assert_eq!(table.lines(16), expected);
    }

    #[test]
    fn words_are_broken_before_columns_are_cut_off_and_names_last() {
        let mut table = Table::default();
        table.column("", "state", column(&["healthy"]));
        table.words("streams", column(&["not tried: give an event"]));
        table.column("", "late", column(&["12"]));
        let expected =
            ["state    streams           late", "healthy  not tried: give     12", "         an event"];
        assert_eq!(table.lines(31), expected);
        let mut long = Table::default();
        long.column("", "run", column(&[&"x".repeat(30)]));
        long.column("", "late", column(&["12"]));
        assert_eq!(long.lines(20), ["run             late", "xxxxxxxxxxxxxx    12", "xxxxxxxxxxxxxx", "xx"]);
    }
}
