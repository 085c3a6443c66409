//! Run directories: one file of a real run is replaced by whatever the bytes are. The run is then refused, or
//! reported: on a screen, as a page, operation by operation.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use reelgauge_analysis::page::PageKind;
use reelgauge_report::{Screen, html, screen};
use reelgauge_runner::live::life::life;
use reelgauge_runner::page::{page, run_page};
use reelgauge_runner::reopen::reopen;
use reelgauge_runner::trace_report::ops;

/// The files of a run, in the order of their numbers: the first byte of an input says which is replaced.
const FILES: [&str; 8] = [
    "summary.json",
    "streams.json",
    "load-points.json",
    "live.jsonl",
    "hosts.json",
    "run.toml",
    "ops/agent=local/part-000001.parquet",
    "counters/agent=local/part-000001.parquet",
];

/// Looks at a run one of whose files is this.
///
/// # Panics
/// If looking at it does.
pub fn check(bytes: &[u8]) {
    let Some((&which, content)) = bytes.split_first() else { return };
    let which = usize::from(which) % FILES.len();
    let template = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("template-run");
    let folder = tempfile::tempdir().expect("a folder for the run");
    for (number, name) in FILES.iter().enumerate() {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a folder");
        match number == which {
            true => fs::write(path, content).expect("room for an input"),
            false => symlink(template.join(name), path).expect("a link"),
        }
    }
    look(folder.path());
}

fn look(dir: &Path) {
    let _ = life(dir);
    if let Ok(summary) = reopen(dir) {
        let text = screen(&summary, &Screen::default());
        assert!(!text.contains('\u{1b}'), "an escape sequence got through");
    }
    if let Ok(run) = run_page(dir, &|| false) {
        let page = page(PageKind::Run, vec![run], None);
        html::write(&page, &mut std::io::sink()).expect("nothing refuses it");
    }
    if let Ok(trace) = reelgauge_trace::Trace::open(dir) {
        for op in ops(&trace) {
            let Ok(_) = op else { break };
        }
    }
}
