//! The table of commands in `docs/platforms.md`: every verb has a row, and every test that it names exists.

use std::path::Path;

use reelgauge_tests::binary;

/// The cell of a verb without a test.
const UNTESTED: &str = "untested";

/// The rows of the table: the verb, and the cell of each system.
fn rows() -> Vec<(String, Vec<String>)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/platforms.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("\n| command |").unwrap();
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let row = |mut cells: Vec<String>| (cells.remove(0).trim_matches('`').to_owned(), cells);
    lines.map(|line| row(cells(line))).collect()
}

/// The error of a cell: it must name a file of tests in which the verb occurs, or be [`UNTESTED`].
fn error(verb: &str, cell: &str) -> Option<String> {
    if cell == UNTESTED {
        return None;
    }
    let named = cell.split('`').nth(1).and_then(|name| name.split_once("::"));
    let Some((program, module)) = named else {
        return Some(format!("{verb}: '{cell}' names no test, and is not '{UNTESTED}'"));
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(program).join(format!("{module}.rs"));
    match std::fs::read_to_string(&file) {
        Ok(text) if text.contains(verb) => None,
        Ok(_) => Some(format!("{verb}: {program}::{module} does not name it")),
        Err(why) => Some(format!("{verb}: {}: {why}", file.display())),
    }
}

#[test]
fn every_verb_has_a_row_and_every_named_test_exists() {
    let rows = rows();
    let (mut listed, mut verbs): (Vec<&String>, _) =
        (rows.iter().map(|(verb, _)| verb).collect(), binary::verbs());
    listed.sort();
    verbs.sort();
    assert_eq!(listed, verbs.iter().collect::<Vec<_>>());
    assert!(rows.iter().all(|(_, cells)| cells.len() == 3), "{rows:?}");
    let errors = rows.iter().flat_map(|(verb, cells)| cells.iter().filter_map(|cell| error(verb, cell)));
    let errors: Vec<String> = errors.collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    // Linux runs everything.
    assert_eq!(rows.iter().find(|(_, cells)| cells[0] == UNTESTED), None);
}

#[test]
fn a_cell_without_an_existing_test_is_an_error() {
    for wrong in ["yes", "`untimed::no_such_module`", "`untimed::doctor`"] {
        assert!(error("streams --no-such-flag", wrong).is_some(), "{wrong}");
    }
    assert_eq!(error("doctor", "`untimed::doctor`"), None);
}
