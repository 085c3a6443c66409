//! Run directories: one file of a real run is replaced by the input. The run is then refused or
//! reported: on a screen, as a page, operation by operation.
//!
//! For most inputs, the directory holds only the files that are read together with the replaced one.
//! Only reports that read the file are made, and only if its own reader accepts it: the rest would be
//! the same every time. One input in [`WHOLE`] gets every report, in a complete directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use reelgauge_analysis::Summary;
use reelgauge_analysis::summary::Target;
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::html::page::PageKind;
use reelgauge_report::{Screen, html, screen};
use reelgauge_results::live::liveness::life;
use reelgauge_results::load_points;
use reelgauge_results::page::{page, run_page};
use reelgauge_results::reopen::reopen;
use reelgauge_results::stream_table;
use reelgauge_results::trace_report::ops;
use reelgauge_trace::Trace;
use tempfile::TempDir;

use crate::is_one_in;
use crate::run_files::FILES;

const SUMMARY: usize = 0;
const STREAMS: usize = 1;
const LOAD_POINTS: usize = 2;
const LIVE: usize = 3;
const HOSTS: usize = 4;
const PLAN: usize = 5;
const LOG: usize = 6;
const COUNTERS: usize = 7;

/// One of so many inputs gets every report.
const WHOLE: u64 = 64;
/// One of so many runs without a summary also becomes a page.
const PAGE: u64 = 8;
/// One of so many logs and stream tables belongs to a run without a summary.
const COUNTED_AGAIN: u64 = 16;
/// For one of so many inputs, the directory is checked for changes after the reports.
const COMPARED: u64 = 1024;

/// The other files in the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The files that are read together with the input. The summary, unless it is the input, has no
    /// operations.
    Ended,
    /// The files of a run without a summary.
    Killed,
    /// All files.
    Whole,
}

/// Reports a run in which one file is this input.
///
/// # Panics
/// If a report panics or changes the run.
pub fn check(bytes: &[u8]) {
    /// Created once, because that takes longer than the reports.
    static RUNS: LazyLock<Vec<[Run; 8]>> = LazyLock::new(|| {
        [Kind::Ended, Kind::Killed, Kind::Whole]
            .map(|kind| std::array::from_fn(|at| Run::new(kind, at)))
            .into()
    });
    let Some((&first, content)) = bytes.split_first() else { return };
    let which = usize::from(first) % FILES.len();
    let killed = match which {
        SUMMARY | COUNTERS => false,
        // No other report reads this file.
        LOAD_POINTS => true,
        // Its figures are recalculated, which takes long.
        STREAMS | LOG => first & 8 != 0 && is_one_in(COUNTED_AGAIN, bytes),
        _ => first & 8 != 0,
    };
    let kind = match killed {
        _ if is_one_in(WHOLE, bytes) => Kind::Whole,
        true => Kind::Killed,
        false => Kind::Ended,
    };
    let run = &RUNS[kind as usize][which];
    let dir = run.folder.path();
    fs::write(dir.join(FILES[which]), content).expect("room for an input");
    if kind == Kind::Whole || is_understood(dir, which) {
        let ways = Ways {
            life: kind == Kind::Whole || which == LIVE,
            screen: kind != Kind::Ended || which == SUMMARY,
            page: kind == Kind::Whole || (kind == Kind::Ended && which != LIVE) || is_one_in(PAGE, bytes),
            ops: kind == Kind::Whole || which == LOG,
        };
        look(dir, &ways);
    }
    if is_one_in(COMPARED, bytes) {
        run.compare(which, content);
    }
}

/// Whether the file's own reader accepts any of it.
fn is_understood(dir: &Path, which: usize) -> bool {
    match which {
        STREAMS => RunDir::open(dir).is_ok_and(|run| !stream_table::read(&run).points.is_empty()),
        LOAD_POINTS => RunDir::open(dir).is_ok_and(|run| !load_points::read(&run).is_empty()),
        LOG => Trace::open(dir).is_ok(),
        _ => true,
    }
}

/// The reports to make.
struct Ways {
    life: bool,
    screen: bool,
    page: bool,
    ops: bool,
}

fn look(dir: &Path, ways: &Ways) {
    if ways.life {
        let _ = life(dir);
    }
    if ways.screen
        && let Ok(summary) = reopen(dir)
    {
        let text = screen(&summary, &Screen::default());
        assert!(!text.contains('\u{1b}'), "an escape sequence got through");
    }
    if ways.page
        && let Ok(run) = run_page(dir, &|| false)
    {
        let page = page(PageKind::Run, vec![run], None);
        html::write(&page, &mut std::io::sink()).expect("nothing refuses it");
    }
    if ways.ops
        && let Ok(trace) = Trace::open(dir)
    {
        for op in ops(&trace) {
            let Ok(_) = op else { break };
        }
    }
}

/// A run's directory, and the content of its files.
struct Run {
    folder: TempDir,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Run {
    /// A run in which this file will be replaced.
    fn new(kind: Kind, which: usize) -> Run {
        let template = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("template-run");
        let folder = tempfile::tempdir().expect("a folder for the run");
        let put = |name: &str, content: Vec<u8>| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a folder");
            fs::write(&path, &content).expect("room for a file");
            (path, content)
        };
        let copy = |at: &usize| put(FILES[*at], fs::read(template.join(FILES[*at])).expect("a template"));
        if kind == Kind::Killed {
            // A log without segments is valid.
            fs::create_dir_all(folder.path().join("ops/agent=local")).expect("a folder");
        }
        let mut files: Vec<(PathBuf, Vec<u8>)> = files_of(kind, which).iter().map(copy).collect();
        if kind == Kind::Ended && which != SUMMARY {
            let summary = Summary::new("0.1.0", "", "streams", Target::default());
            files
                .push(put(FILES[SUMMARY], summary.to_json().expect("a summary can be written").into_bytes()));
        }
        Run { folder, files }
    }

    /// Checks that the reports did not change the run.
    fn compare(&self, which: usize, input: &[u8]) {
        let mut left = 0;
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
                match entry.path().is_dir() {
                    true => folders.push(entry.path()),
                    false => left += 1,
                }
            }
        }
        assert_eq!(left, self.files.len(), "files in {}", self.folder.path().display());
        for (path, content) in &self.files {
            let wanted = if path.ends_with(FILES[which]) { input } else { content };
            assert!(fs::read(path).is_ok_and(|now| now == wanted), "{}", path.display());
        }
    }
}

/// The template's files in the directory. None is a run without its plan.
fn files_of(kind: Kind, which: usize) -> Vec<usize> {
    let mut files = match (kind, which) {
        (Kind::Whole, _) => (0..FILES.len()).collect(),
        (Kind::Killed, LIVE | HOSTS | PLAN) => vec![LIVE, HOSTS, PLAN],
        (Kind::Killed, _) => (STREAMS..COUNTERS).collect(),
        (Kind::Ended, STREAMS | LOG) => vec![PLAN, STREAMS, LOG],
        (Kind::Ended, _) => vec![PLAN, which],
    };
    files.push(which);
    files.sort_unstable();
    files.dedup();
    files
}
