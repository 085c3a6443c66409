//! The screen of files and their extents.

use crate::page::ScreenText;
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::table::Table;
use crate::tables::numbers;
use crate::text::{path_short, plain};
use crate::units::{amount, count};

/// Longer names are cut at the front, because the end identifies a file better.
const NAME_CHARS: usize = 40;

/// The facts about a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtentsRow {
    pub path: String,
    pub size_bytes: u64,
    /// The number of extents; `None` if they cannot be counted.
    pub extents: Option<u64>,
    /// The smallest number of extents possible on its file system.
    pub ideal_extents: u64,
    pub bytes_per_extent: Option<f64>,
    /// Share of steps from one extent to the next that go backward.
    pub backward_percent: Option<f64>,
    /// The sum of the distances between the extents.
    pub seek_bytes: u64,
    /// A remark on the extents, or why they cannot be counted.
    pub note: Option<ExtentsNote>,
}

/// A remark on a file's extents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtentsNote {
    /// A remark that does not name the file.
    OfFile(String),
    /// An error that names the file itself.
    Error(String),
}

/// The screen as text, ending with a line feed.
pub fn extents_screen(rows: &[ExtentsRow], style: Style) -> String {
    let mut page = ScreenText::new(style);
    let told: Vec<&ExtentsRow> = rows.iter().filter(|row| row.extents.is_some()).collect();
    if !told.is_empty() {
        let column = |of: &dyn Fn(&ExtentsRow) -> String| told.iter().map(|row| of(row)).collect::<Vec<_>>();
        let values = |of: &dyn Fn(&ExtentsRow) -> Option<f64>| {
            numbers(&told.iter().map(|row| of(row)).collect::<Vec<_>>())
        };
        let mut table = Table::default();
        table.column("", "file", column(&|row| path_short(&row.path, NAME_CHARS)));
        table.column("", "size", column(&|row| amount(row.size_bytes)));
        table.column("", "extents", column(&|row| count(row.extents.unwrap_or(0))));
        table.column("", "ideal", column(&|row| count(row.ideal_extents)));
        table.column("KB per", "extent", values(&|row| row.bytes_per_extent.map(|bytes| bytes / 1e3)));
        table.column("backward", "%", values(&|row| row.backward_percent));
        table.column("seeks", "GB", values(&|row| Some(row.seek_bytes as f64 / 1e9)));
        page.table(table);
    }
    for row in rows {
        let text = row.note.as_ref().map(|note| match note {
            ExtentsNote::OfFile(note) => format!("{}: {}", plain(&row.path), plain(note)),
            ExtentsNote::Error(error) => plain(error),
        });
        text.iter().for_each(|text| page.sentence(Tone::Bad, text));
    }
    page.text
}

/// The screen of a file and a copy of it: a table of both, the result, and remarks.
pub fn against_copy_screen(
    rows: &[ExtentsRow],
    found: &str,
    is_slow: bool,
    notes: &[String],
    style: Style,
) -> String {
    let mut text = extents_screen(rows, style);
    let mut page = ScreenText::new(style);
    page.sentence(if is_slow { Tone::Bad } else { Tone::Answer }, &plain(found));
    for note in notes {
        page.sentence(Tone::Plain, &plain(note));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text + &page.text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_tabulated_and_unavailable_files_listed_below() {
        let counted = ExtentsRow {
            path: format!("/srv/{}/a.mov", "x".repeat(40)),
            size_bytes: 64 << 20,
            extents: Some(1019),
            ideal_extents: 1,
            bytes_per_extent: Some(65_857.0),
            backward_percent: Some(49.9),
            seek_bytes: 130_000_000,
            note: None,
        };
        let nfs = ExtentsRow {
            path: "/mnt/b.mov".to_owned(),
            note: Some(ExtentsNote::Error(
                "not available for /mnt/b.mov: NFS does not report extents".to_owned(),
            )),
            ..ExtentsRow::default()
        };
        let text = extents_screen(&[counted, nfs], Style::default());
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[2].starts_with('…') && lines[2].contains("x/a.mov"), "{text}");
        assert!(lines[2].contains("67.1 MB    1,019      1"), "{text}");
        insta::assert_snapshot!(lines[3]);
        assert!(lines.iter().all(|line| line.chars().count() <= 100), "{text}");
    }
}
