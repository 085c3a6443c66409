//! Rows of a table: splitting them into fields, and finding columns by name.
//!
//! CSV is parsed here and not by csv-core. After an unclosed quote, or text after a closing quote,
//! csv-core continues with wrong fields; this code reports an error.

use std::borrow::Cow;

/// Splits a row of CSV. A field may be in quotes; a doubled quote inside is a quote.
pub(crate) fn csv<'a>(row: &'a [u8], separator: u8, fields: &mut Vec<Cow<'a, [u8]>>) -> Option<()> {
    fields.clear();
    let mut rest = row;
    loop {
        let after = match rest.strip_prefix(b"\"") {
            Some(inside) => {
                let (field, after) = quoted(inside)?;
                fields.push(field);
                after
            }
            None => {
                let end = memchr::memchr(separator, rest).unwrap_or(rest.len());
                fields.push(Cow::Borrowed(&rest[..end]));
                &rest[end..]
            }
        };
        match after.split_first() {
            None => return Some(()),
            Some((&byte, next)) if byte == separator => rest = next,
            Some(_) => return None,
        }
    }
}

/// The text up to the closing quote, and the rest after it.
fn quoted(inside: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let mut end = memchr::memchr(b'"', inside)?;
    if inside.get(end + 1) != Some(&b'"') {
        return Some((Cow::Borrowed(&inside[..end]), &inside[end + 1..]));
    }
    let mut field = Vec::new();
    let mut start = 0;
    while inside.get(end + 1) == Some(&b'"') {
        field.extend_from_slice(&inside[start..=end]);
        start = end + 2;
        end = start + memchr::memchr(b'"', inside.get(start..)?)?;
    }
    field.extend_from_slice(&inside[start..end]);
    Some((Cow::Owned(field), &inside[end + 1..]))
}

/// Positions of an importer's columns in a row, in the order in which the importer lists them.
#[derive(Clone, Debug)]
pub(crate) struct Columns(Vec<Option<usize>>);

impl Columns {
    /// Finds columns by their names. If columns of `needed` are missing, the error lists them. A column
    /// may have several names, separated by `|`, the preferred one first.
    pub fn find<'a>(
        header: impl Iterator<Item = &'a [u8]> + Clone,
        needed: &[&str],
        useful: &[&str],
    ) -> Result<Columns, String> {
        let of_name = |name: &str| header.clone().position(|column| column.trim_ascii() == name.as_bytes());
        let place = |names: &&str| names.split('|').find_map(of_name);
        let first = |names: &&str| names.split('|').next().unwrap_or_default().to_owned();
        let missing: Vec<String> = needed.iter().filter(|name| place(name).is_none()).map(first).collect();
        if !missing.is_empty() {
            return Err(format!("it has no column {}", missing.join(", ")));
        }
        Ok(Columns(needed.iter().chain(useful).map(place).collect()))
    }

    /// Whether the source has a column.
    pub fn has(&self, column: usize) -> bool {
        self.0.get(column).is_some_and(Option::is_some)
    }

    /// The position of a column in a row, if the source has it.
    pub fn place(&self, column: usize) -> Option<usize> {
        self.0.get(column).copied().flatten()
    }

    /// A field of a row; empty if the source does not have the column.
    pub fn of<'r>(&self, row: &'r [impl AsRef<[u8]>], column: usize) -> &'r [u8] {
        self.place(column).and_then(|place| row.get(place)).map(AsRef::as_ref).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parts(row: &str) -> Option<Vec<String>> {
        let mut fields = Vec::new();
        csv(row.as_bytes(), b',', &mut fields)?;
        Some(fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect())
    }

    #[test]
    fn rows_are_split_into_cells() {
        assert_eq!(parts(r#""a,b",c,"d ""e"" f","""#).unwrap(), ["a,b", "c", "d \"e\" f", ""]);
        assert_eq!(parts(r#""a,b",c,"d ""e"" f","""""#).unwrap(), ["a,b", "c", "d \"e\" f", "\""]);
        assert_eq!(parts("").unwrap(), [""]);
        assert_eq!(parts("a,").unwrap(), ["a", ""]);
        assert_eq!(parts("\"a\"b"), None);
        assert_eq!(parts("\"a"), None);
    }

    #[test]
    fn columns_are_found_by_name_in_any_order() {
        let header = [&b"b"[..], b"a", b"x"];
        let columns = Columns::find(header.iter().copied(), &["a"], &["b", "c"]).unwrap();
        let row = [b"1", b"2", b"3"];
        assert_eq!([0, 1, 2, 9].map(|column| columns.of(&row, column)), [&b"2"[..], b"1", b"", b""]);
        assert!(columns.has(1) && !columns.has(2));
        let error = Columns::find(header.iter().copied(), &["a", "q"], &[]).unwrap_err();
        assert_eq!(error, "it has no column q");
        let columns = Columns::find(header.iter().copied(), &["q|x|b"], &[]).unwrap();
        assert_eq!(columns.of(&row, 0), b"3");
        let error = Columns::find(header.iter().copied(), &["q|r"], &[]).unwrap_err();
        assert_eq!(error, "it has no column q");
    }
}
