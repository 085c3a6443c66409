//! The figures in the sections of a page, compared with the file that their paths refer to.

use serde_json::Value;

/// The text of a cell without a measurement.
const NOT_MEASURED: &str = "-";

/// All values below this one that have the field.
fn with_field<'a>(value: &'a Value, field: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(fields) => {
            if fields.contains_key(field) {
                found.push(value);
            }
            fields.values().for_each(|value| with_field(value, field, found));
        }
        Value::Array(values) => values.iter().for_each(|value| with_field(value, field, found)),
        _ => {}
    }
}

/// The value at `load_points.0.total.ops`. An omitted field is null.
fn at<'a>(summary: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(summary, |value, step| match step.parse::<usize>() {
        Ok(index) => value.get(index).unwrap_or_else(|| panic!("{path} leads nowhere")),
        Err(_) => value.get(step).unwrap_or(&Value::Null),
    })
}

/// Compares a figure with the summary: a missing figure must not be shown, and a figure must be a
/// number.
fn judge(summary: &Value, path: &str, text: &str) -> bool {
    let value = at(summary, path);
    assert!(value.is_null() || value.is_number(), "{path}: {value}");
    assert!(
        !value.is_null() || !text.contains(|c: char| c.is_ascii_digit()),
        "{path} is null, and {text} is shown"
    );
    assert!(!text.trim().is_empty(), "{path}");
    value.is_number() && text != NOT_MEASURED
}

/// Compares all figures of sections with the file. Returns their number.
pub fn figures_shown(summary: &Value, sections: &Value) -> usize {
    let mut shown = 0;
    let (mut tables, mut tiles) = (Vec::new(), Vec::new());
    with_field(sections, "columns", &mut tables);
    with_field(sections, "is_good", &mut tiles);
    for tile in tiles.iter().filter(|tile| tile["path"] != "") {
        shown += usize::from(judge(summary, tile["path"].as_str().unwrap(), tile["text"].as_str().unwrap()));
    }
    for table in tables {
        for column in table["columns"].as_array().unwrap().iter().filter(|column| column["path"] != "") {
            let (cells, rows) = (column["cells"].as_array().unwrap(), table["rows"].as_array().unwrap());
            assert_eq!(cells.len(), rows.len(), "{}: {}", table["caption"], column["header"]);
            for (cell, row) in cells.iter().zip(rows) {
                let (row, column) = (row.as_str().unwrap(), column["path"].as_str().unwrap());
                let path = match column.split_once('*') {
                    Some((above, below)) => format!("{above}{row}{below}"),
                    None => format!("{row}.{column}"),
                };
                shown += usize::from(judge(summary, &path, cell.as_str().unwrap()));
            }
        }
    }
    shown
}
