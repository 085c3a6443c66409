//! Aligned tables: the first column to the left, numbers to the right, no wider than asked.

use crate::text::{display_width, pad};

/// Blanks between columns.
const GAP: usize = 2;

/// Rows of cells below two header lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    columns: Vec<Column>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// Name above unit; the upper one may be empty.
    pub(crate) header: [String; 2],
    pub(crate) cells: Vec<String>,
    /// Words stand to the left, numbers to the right.
    pub(crate) is_words: bool,
}

impl Column {
    /// The columns of a terminal that its widest cell takes.
    pub(crate) fn width(&self) -> usize {
        let texts = self.header.iter().chain(&self.cells);
        texts.map(|text| display_width(text)).max().unwrap_or(0)
    }

    fn line(&self, line: usize) -> &str {
        match line {
            0 | 1 => &self.header[line],
            _ => self.cells.get(line - 2).map_or("", String::as_str),
        }
    }
}

impl Table {
    /// Adds a column: its name, its unit, its cells from top to bottom.
    pub(crate) fn column(&mut self, name: &str, unit: &str, cells: Vec<String>) {
        self.columns.push(Column { header: [name.to_owned(), unit.to_owned()], cells, is_words: false });
    }

    /// Adds a column of words, which stand to the left.
    pub(crate) fn words(&mut self, name: &str, cells: Vec<String>) {
        self.columns.push(Column { header: [String::new(), name.to_owned()], cells, is_words: true });
    }

    /// The same, if there is room for it beside the others.
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

    /// How wide all columns are side by side.
    pub(crate) fn width(&self) -> usize {
        let all: usize = self.columns.iter().map(|column| column.width() + GAP).sum();
        all.saturating_sub(GAP)
    }

    /// The table as lines. Where it is wider than `width`, the columns that don't fit follow below, with
    /// the first one repeated.
    pub(crate) fn lines(&self, width: usize) -> Vec<String> {
        let Some((first, mut rest)) = self.columns.split_first() else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        while !rest.is_empty() {
            let mut used = first.width();
            let fitting = rest.iter().take_while(|column| {
                used += GAP + column.width();
                used <= width
            });
            let here = fitting.count().max(1);
            if !lines.is_empty() {
                lines.push(String::new());
            }
            self.block(first, &rest[..here], &mut lines);
            rest = &rest[here..];
        }
        lines
    }

    fn block(&self, first: &Column, columns: &[Column], lines: &mut Vec<String>) {
        let rows = 2 + columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        for row in 0..rows {
            let mut line = pad(first.line(row), first.width(), false);
            for column in columns {
                line.extend(std::iter::repeat_n(' ', GAP));
                line.push_str(&pad(column.line(row), column.width(), !column.is_words));
            }
            let line = line.trim_end();
            // A header line without any name is left out.
            if row > 1 || !line.is_empty() {
                lines.push(line.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn numbers_stand_to_the_right() {
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
}
