//! `docs/figures.md` lists every figure of `summary.json`, every column of the tables and every figure
//! of a comparison; `console/src/data/meanings.ts` explains its figures to a page. Both are generated
//! from the definitions that the program itself uses, and these tests fail if the files are out of date.
//! `cargo xtask types` generates them.

#![allow(clippy::unwrap_used)]

#[path = "figures_book/shapes.rs"]
mod shapes;

use std::fmt::Write as _;
use std::path::Path;

use reelgauge_analysis::compare::{Better, KNOWN_FIGURES, Weight};
use reelgauge_report::CsvTable;
use shapes::{Shape, Shapes};

/// The content of a row of each table.
fn row_is(table: CsvTable) -> &'static str {
    match table {
        CsvTable::LoadPoints => "the total of a load point, or one of its workers",
        CsvTable::Paper => {
            "a cell of the paper's tables, for all workers together (`worker` empty), then for each; \
             `block_bytes` is empty for all sizes"
        }
        CsvTable::Streams => "a stream in a load point",
        CsvTable::Incidents => "an incident in a load point",
        CsvTable::Seconds => "a second of the run",
        CsvTable::Hosts => {
            "a host in a load point; then each group, target and network interface, if there are several; \
             all hosts; all but the outliers; and each interface of each host. A run of one host has none"
        }
    }
}

/// The meaning of the first word of a column's path, and the type in which its figure is looked up.
const SCOPES: &[(&str, &str, &str)] = &[
    ("point", "load_points[]", "LoadPoint"),
    ("whole", "load_points[]", "LoadPoint"),
    ("vda", "vda.points[]", "VdaPoint"),
    ("figures", "load_points[].total", "WorkerFigures"),
    ("worker", "load_points[].per_worker[]", "WorkerFigures"),
    ("cell", "load_points[].paper.cells[]", "PaperCell"),
    ("stream", "load_points[].streams.streams[]", "StreamFigures"),
    ("longest", "load_points[].streams.streams[].worst_late_runs[]", "LateRun"),
    ("incident", "load_points[].streams.incidents[]", "Incident"),
    ("series", "series", "Series"),
    ("second", "series.steps[]", "SeriesStep"),
    ("part", "hosts.points[].hosts[].figures", "PartFigures"),
    ("there", "hosts.points[].hosts[]", "HostFigures"),
    ("host", "hosts.hosts[]", "RunHost"),
    ("nic", "hosts.points[].nics[]", "NicFigures"),
    ("storage", "storage", "StorageDetails"),
];

/// Values of a row that are not in `summary.json`.
const OF_ROW: &[(&str, &str)] = &[
    ("scope", "`total` or `worker`"),
    (
        "criteria",
        "whether the criteria were met: `met`, `not_met`, `not_known` or `not_measured`; empty without \
         criteria",
    ),
    ("mode", "the kind of access, in the paper's abbreviation; `All` for all together"),
    ("incident", "its number in the load point, from 0"),
    ("hosts", "`load_points[].streams.incidents[].agents`, separated by semicolons"),
    (
        "of",
        "`host`, `group`, `target`, `interface`, `total`, `others` (all but the outliers) or `nic` (an \
         interface of a host)",
    ),
    ("storage_other", "`storage.other`, as `name=value`, separated by semicolons"),
    ("tags", "`tags`, separated by semicolons"),
];

/// Compared figures that are computed from several figures of `summary.json`.
const MADE: &[(&str, &str)] = &[
    ("suite.geometric_mean_bytes_per_s", "only suites in a proof: `table` of suite.json"),
    ("suite.median_bytes_per_s", "the same, of each workload; it can refuse a change"),
    ("streams.incidents", "events that made frames late, in any stream"),
    ("series.standstills.lasted_s", "of the standstills of the load point"),
    ("rates.achieved_ops_per_s", "the sum over `load_points[].rates[]`"),
    ("replay.span_s", "the mean over the passes that were complete"),
    ("replay.different_ops", "per complete pass"),
    ("check.formats.*.play.streams", "`*` is the format's id"),
    ("check.formats.*.record.streams", "`*` is the format's id"),
];

#[test]
fn book_describes_every_figure() {
    let shapes = Shapes::of(include_str!("../../../console/src/data/generated.ts"));
    let mut book = String::from(HEAD);
    summary(&shapes, &mut book);
    tables(&shapes, &mut book);
    compared(&shapes, &mut book);
    must_be_written("docs/figures.md", &book);
}

#[test]
fn page_describes_every_figure() {
    let shapes = Shapes::of(include_str!("../../../console/src/data/generated.ts"));
    let mut text = String::from(MEANINGS_HEAD);
    let mut waiting = vec!["Summary"];
    let mut met = waiting.clone();
    while let Some(name) = waiting.pop() {
        writeln!(text, "  {name}: {{").unwrap();
        for (field, of_type) in shapes.fields_of(name) {
            let meaning = serde_json::to_string(&field.doc.replace('`', "")).unwrap();
            let of_type = of_type.inspect(|other| {
                if !met.contains(other) {
                    met.push(other);
                    waiting.push(other);
                }
            });
            let of_type = of_type.map_or_else(String::new, |other| format!(", \"{other}\""));
            writeln!(text, "    {}: [{meaning}{of_type}],", field.name).unwrap();
        }
        text.push_str("  },\n");
    }
    text.push_str("};\n");
    must_be_written("console/src/data/meanings.ts", &text);
}

const MEANINGS_HEAD: &str = "\
// The meaning of every figure of summary.json: for each type, the doc comment of each field, and its type if
// that is another type of this list. Generated: change the Rust types, then run `cargo xtask types`.

export const MEANINGS: Record<string, Record<string, [meaning: string, type?: string]>> = {
";

/// Fails if a committed generated file is out of date.
fn must_be_written(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    if std::env::var_os("REELGAUGE_WRITE_TYPES").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = written.lines().zip(text.lines()).position(|(one, two)| one != two);
    assert!(written == text, "{name} is out of date (line {differs:?}). Write it again: cargo xtask types");
}

const HEAD: &str = "\
# Every figure

<!-- Made by `cargo xtask types` from the Rust types; don't change it by hand. -->

All figures of `summary.json`, of the tables of `report --csv`, and of comparisons. Their names end in their
units: `_us` microseconds, `_ms` milliseconds, `_s` seconds, `_bytes`, `_bytes_per_s`, `_mb_per_s`
(10⁶ bytes), `_percent`, `_share` (0 to 1). A figure that was not measured is `null` or omitted, and empty \
in a
table; it is never 0.

## summary.json
";

/// Every type once, at its first occurrence.
fn summary(shapes: &Shapes, book: &mut String) {
    for (path, shape) in shapes.met_from("Summary") {
        let heading = if path.is_empty() { "The whole file".to_owned() } else { format!("`{path}`") };
        writeln!(book, "\n### {heading}\n\n{}\n", shape.doc).unwrap();
        if let Some(other) = &shape.with {
            writeln!(book, "All of `{}`, and:\n", shapes.first_path(other)).unwrap();
        }
        book.push_str("| figure | type | meaning |\n|---|---|---|\n");
        for field in &shape.fields {
            writeln!(book, "| `{}` | {} | {} |", field.name, shapes.kind_of(field), field.doc).unwrap();
        }
    }
}

fn tables(shapes: &Shapes, book: &mut String) {
    book.push_str("\n## Tables\n\nWritten by `reelgauge report RUN --csv FOLDER`.\n");
    book.push_str(
        "\nText that a spreadsheet would read as a formula begins with a `'`. Figures of a whole load point \
         (streams, frames, criteria, culprit) are empty in the rows of its workers.\n",
    );
    for table in CsvTable::ALL {
        writeln!(book, "\n### {}\n\nA row is {}.\n", table.file_name(), row_is(table)).unwrap();
        book.push_str("| column | in `summary.json` |\n|---|---|\n");
        let columns = table.columns();
        for column in &columns {
            let stands = stands(shapes, &column.path).unwrap_or_else(|| {
                panic!("{}: {} leads nowhere ({})", table.file_name(), column.name, column.path)
            });
            // The eight figures of each of forty distributions are alike.
            let is_like_another = column.name.starts_with("service_")
                || column.name.starts_with("response_")
                    && !column.path.starts_with("figures.response.read.")
                    && column.path.starts_with("figures.");
            if !is_like_another {
                writeln!(book, "| `{}` | {stands} |", column.name).unwrap();
            }
        }
        if table == CsvTable::LoadPoints {
            book.push_str(
                "\nThe columns of times exist for `response` and `service`, each for `data` (reads and \
                 writes together) and for every kind of operation: `service_open_max_us`.\n",
            );
        }
    }
}

/// The path of a column's figure; `None` if there is no such figure.
fn stands(shapes: &Shapes, path: &str) -> Option<String> {
    let (scope, rest) = path.split_once('.')?;
    if scope == "row" || scope == "said" {
        return OF_ROW.iter().find(|(name, _)| *name == rest).map(|(_, what)| (*what).to_owned());
    }
    let (_, place, shape) = SCOPES.iter().find(|(name, _, _)| *name == scope)?;
    shapes.has(shape, rest).then(|| format!("`{place}.{rest}`"))
}

fn compared(shapes: &Shapes, book: &mut String) {
    book.push_str(
        "\n## Compared\n\n`reelgauge compare` compares these figures, in this order. Paths are relative to a \
         load point or to the whole file.\n\n| figure | name | better | note |\n|---|---|---|---|\n",
    );
    let mut figures: Vec<_> = KNOWN_FIGURES.iter().collect();
    figures.sort_by_key(|figure| figure.weight);
    for figure in figures {
        let made = MADE.iter().find(|(name, _)| *name == figure.name);
        let stands = ["LoadPoint", "Summary"].iter().any(|shape| shapes.has(shape, figure.name));
        assert!(made.is_some() || stands, "{} stands nowhere in summary.json", figure.name);
        let better = match figure.better {
            Better::Higher => "more",
            Better::Lower => "less",
            Better::Neither => "neither",
        };
        let remark = made.map_or("", |(_, remark)| remark);
        let weight = if figure.weight == Weight::Other { "" } else { "always shown" };
        let remark =
            [weight, remark].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        writeln!(
            book,
            "| `{}` | {} | {better} | {remark} |",
            figure.name,
            figure.label("*").to_string().replace("* ", "… ")
        )
        .unwrap();
    }
}

/// A type that the book cannot show must not be omitted silently.
#[test]
fn shapes_are_read_with_their_fields() {
    let shapes = Shapes::of(
        "/** One. */\nexport type One = {\n  /** What. */\n  a_us: number,\n  /**\n   * Two\n   * lines.\n   */\n  \
         two?: Array<Two>,\n};\n\n/** Two. */\nexport type Two = {\n  b: string | null,\n};\n",
    );
    let one: &Shape = shapes.get("One").unwrap();
    assert_eq!((one.doc.as_str(), one.fields.len()), ("One.", 2));
    assert_eq!((one.fields[1].name.as_str(), one.fields[1].doc.as_str()), ("two", "Two lines."));
    assert!(shapes.has("One", "two.b") && shapes.has("One", "*.b") && !shapes.has("One", "two.c"));
}
