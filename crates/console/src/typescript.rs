//! The types that cross to the application in `console/`, in TypeScript: `console/src/data/generated.ts`
//! is generated here from the Rust types and their comments, and a test compares the committed file with
//! them. `cargo xtask types` writes it again.
//!
//! Not here: the fields and their names. The types and their serde attributes define them.
#![allow(clippy::unwrap_used)]

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use reelgauge_analysis::detail::data::MapLevel;
use reelgauge_record::notes::RunNotes;
use reelgauge_report::html::page::Page;
use reelgauge_results::live::LiveEvent;
use serde_json::json;
use ts_rs::{Config, TS, TypeVisitor};

use crate::catalogue::{Choices, FormatsFound};
use crate::entry::RunEntry;
use crate::forms::{Filled, Form};
use crate::log_view::OpsFound;
use crate::procedures::ProcedurePage;
use crate::proofs::ProofPage;
use crate::routes::Info;
use crate::start::{AheadAnswer, StartAnswer};
use crate::suites::SuitePage;
use crate::traces::TraceEntry;
use crate::watching::EventsTold;

/// The committed file.
const FILE: &str = "console/src/data/generated.ts";
/// Set to write the file again.
const WRITE: &str = "REELGAUGE_WRITE_TYPES";
/// Longer unions of strings have one line for each string.
const COLUMNS_MAX: usize = 110;

const HEAD: &str = "\
// Made from the Rust types by crates/console/src/typescript.rs: change those, and write this file anew with
// `cargo xtask types`. What was not measured is null. A field with `?` is left out where its comment says so,
// or says null.
";

/// Types by their names in TypeScript.
struct Types {
    config: Config,
    seen: HashSet<TypeId>,
    declared: BTreeMap<String, String>,
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // A type without a declaration is a list, a number, …
        if T::output_path().is_some() {
            let name = T::ident(&self.config);
            let text = laid_out(&T::docs().unwrap_or_default(), &T::decl(&self.config));
            let other = self.declared.insert(name.clone(), text);
            assert!(other.is_none(), "two types are called {name}; give one ts(rename = \"…\")");
        }
        T::visit_generics(self);
        T::visit_dependencies(self);
    }
}

impl Types {
    fn none() -> Types {
        let config = Config::new().with_large_int("number");
        Types { config, seen: HashSet::new(), declared: BTreeMap::new() }
    }

    /// Every type that the application reads or sends, and their parts.
    fn of_the_application() -> Types {
        let mut types = Types::none();
        types.visit::<Page>();
        types.visit::<MapLevel>();
        types.visit::<OpsFound>();
        types.visit::<LiveEvent>();
        types.visit::<Info>();
        types.visit::<RunEntry>();
        types.visit::<RunNotes>();
        types.visit::<Form>();
        types.visit::<Filled>();
        types.visit::<StartAnswer>();
        types.visit::<TraceEntry>();
        types.visit::<AheadAnswer>();
        types.visit::<Choices>();
        types.visit::<FormatsFound>();
        types.visit::<EventsTold>();
        types.visit::<SuitePage>();
        types.visit::<ProofPage>();
        types.visit::<ProcedurePage>();
        types
    }

    fn file(&self) -> String {
        let declared = self.declared.values().map(|text| format!("\n{text}\n"));
        format!("{HEAD}{}", declared.collect::<String>())
    }
}

/// A declaration in a readable form: one field per line, and comments without Rust terms.
fn laid_out(docs: &str, declaration: &str) -> String {
    let fields = declaration.replace(", } | {", ",\n} | {");
    let fields = fields.strip_suffix(", };").map_or(fields.clone(), |fields| format!("{fields},\n}};"));
    let mut lines = fields.lines().map(str::trim_end);
    let first = words_below_each_other(lines.next().unwrap_or_default());
    let lines = lines.map(|line| if line.starts_with('}') { line.to_owned() } else { format!("  {line}") });
    let lines = lines.map(|line| never_null(&line));
    let text = lines.fold(format!("{docs}export {first}"), |text, line| text + "\n" + &line);
    in_the_words_of_json(&short_comments(&text))
}

/// Splits a union of strings that is too long for a line into one line for each string.
fn words_below_each_other(declaration: &str) -> String {
    if declaration.len() + "export ".len() <= COLUMNS_MAX || declaration.contains('{') {
        return declaration.to_owned();
    }
    declaration.replacen(" = ", " = | ", 1).replace(" | ", "\n  | ")
}

/// A field that serde may omit is never null.
fn never_null(line: &str) -> String {
    let optional = line.strip_suffix(" | null,").filter(|line| line.contains("?: "));
    optional.map_or(line.to_owned(), |line| format!("{line},"))
}

/// Puts a comment of one line on a single line.
fn short_comments(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some((before, from_comment)) = rest.split_once("/**\n") {
        let (comment, behind) = from_comment.split_once("*/").unwrap_or((from_comment, ""));
        let lines: Vec<&str> = comment.trim_end().lines().collect();
        short += before;
        short += &match lines[..] {
            [line] => format!("/** {} */", line.trim_start().trim_start_matches("* ")),
            _ => format!("/**\n{comment}*/"),
        };
        rest = behind;
    }
    short + rest
}

/// Comments are about Rust: `None` is null here, and links have no target.
fn in_the_words_of_json(text: &str) -> String {
    text.replace("`None`", "`null`").replace("[`", "`").replace("`]", "`").replace("::", ".")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_committed_types_are_those_of_this_program() {
    let path = root().join(FILE);
    let fresh = Types::of_the_application().file();
    if std::env::var_os(WRITE).is_some() {
        fs::write(&path, &fresh).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    let differs = fresh.lines().zip(committed.lines()).find(|(fresh, committed)| fresh != committed);
    assert!(
        fresh == committed,
        "{FILE} is not what the Rust types say; write it anew with 'cargo xtask types' and commit it. \
         The first difference: {differs:?}"
    );
}

/// Made up.
#[derive(TS, serde::Serialize)]
struct Inner {
    /// `None` where nobody knows, see [`Inner::count`].
    known: Option<bool>,
    /// How
    /// many.
    count: u64,
}

/// Made up.
#[derive(TS, serde::Serialize)]
struct Outer {
    #[serde(flatten)]
    inner: Inner,
    /// Left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maybe: Option<String>,
    /// Which.
    #[serde(rename = "type")]
    kind: Choice,
    #[serde(skip)]
    _hidden: u8,
}

/// Made up.
#[derive(TS, serde::Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
enum Choice {
    NotKnown,
    Known {
        /// What.
        inner: Inner,
    },
}

#[test]
fn declarations_are_what_serde_writes() {
    let mut types = Types::none();
    types.visit::<Outer>();
    assert_eq!(
        types.declared["Outer"],
        "/** Made up. */\nexport type Outer = {\n  /** Left out. */\n  maybe?: string,\n  \
         /** Which. */\n  type: Choice,\n  \
         /** `null` where nobody knows, see `Inner.count`. */\n  known: boolean | null,\n  \
         /**\n   * How\n   * many.\n   */\n  count: number,\n};"
    );
    assert_eq!(
        types.declared["Choice"],
        "/** Made up. */\nexport type Choice = { \"is\": \"not_known\" } | { \"is\": \"known\",\n  \
         /** What. */\n  inner: Inner,\n};"
    );
    let inner = || Inner { known: None, count: 1 };
    let written = |maybe: Option<&str>, kind| {
        let outer = Outer { inner: inner(), maybe: maybe.map(str::to_owned), kind, _hidden: 0 };
        serde_json::to_value(outer).unwrap()
    };
    assert_eq!(
        written(None, Choice::NotKnown),
        json!({"known": null, "count": 1, "type": {"is": "not_known"}})
    );
    let known = json!({"is": "known", "inner": {"known": null, "count": 1}});
    assert_eq!(
        written(Some("so"), Choice::Known { inner: inner() }),
        json!({"known": null, "count": 1, "maybe": "so", "type": known})
    );
}

#[test]
fn long_lists_of_words_stand_below_each_other() {
    assert_eq!(words_below_each_other("type A = \"b\" | \"c\";"), "type A = \"b\" | \"c\";");
    let long = "x".repeat(COLUMNS_MAX);
    let list = words_below_each_other(&format!("type A = \"b\" | \"{long}\";"));
    assert_eq!(list, format!("type A =\n  | \"b\"\n  | \"{long}\";"));
}

/// Fields that serde sometimes omits, in types that cross. The derived type takes them for always
/// present, unless they have a default, too.
fn left_out_at_times(source: &str) -> Vec<&str> {
    // An item ends with a brace at the margin.
    let items = source.split("\n}\n").filter(|item| item.contains("derive(ts_rs::TS)"));
    let lines = items.flat_map(|item| item.lines().skip_while(|line| !line.contains("derive(ts_rs::TS)")));
    lines.filter(|line| line.contains("skip_serializing_if")).collect()
}

/// All source files of the product except this one.
fn sources() -> Vec<String> {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let mut folders: Vec<PathBuf> = crates.map(|entry| entry.unwrap().path().join("src")).collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let (inner, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
        folders.extend(inner);
        let files = files.into_iter().filter(|path| !path.ends_with("console/src/typescript.rs"));
        sources.extend(files.map(|path| fs::read_to_string(path).unwrap()));
    }
    sources
}

#[test]
fn fields_that_serde_sometimes_omits_have_a_default() {
    let sources = sources();
    let fields: Vec<&str> = sources.iter().flat_map(|source| left_out_at_times(source)).collect();
    let wrong: Vec<&&str> = fields.iter().filter(|field| !field.contains("default")).collect();
    assert_eq!(wrong, [] as [&&str; 0], "write #[serde(default, skip_serializing_if = …)]");
    assert!(fields.len() > 20, "only {} were found", fields.len());
    let other = "struct A {\n    #[serde(skip_serializing_if = \"f\")]\n    a: u8,\n}\n";
    let crosses = format!("{other}\n#[derive(ts_rs::TS)]\n{other}");
    assert_eq!((left_out_at_times(other).len(), left_out_at_times(&crosses).len()), (0, 1));
}
