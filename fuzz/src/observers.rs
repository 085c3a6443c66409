//! Observers: what an array or a switch is said to have counted, as a table or as Prometheus' text, is put
//! beside a real run (`template-run/`), or refused with a reason. The first byte says which of both it is,
//! and how far its clock is off.

use std::fs;
use std::path::{Path, PathBuf};

use reelgauge_record::run_dir::RunDir;
use reelgauge_report::observers::observer_words;
use reelgauge_results::counters::with_observers;
use reelgauge_results::observers::{add, observers};
use tempfile::TempDir;

/// What tells when the run was.
const COUNTERS: &str = "counters/agent=local/part-000001.parquet";

/// The endings by which the two are told apart.
const ENDINGS: [&str; 2] = ["csv", "prom"];

/// Clocks that are said to be right, nobody's business, behind, and as far ahead as can be.
const OFFSETS_NS: [Option<i64>; 4] = [Some(0), None, Some(-1_500_000_000), Some(i64::MAX)];

struct Place {
    folder: TempDir,
    run: RunDir,
}

impl Place {
    fn new() -> Place {
        let template = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("template-run");
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join("run");
        fs::create_dir_all(dir.join("counters/agent=local")).expect("a folder");
        for name in [COUNTERS, "run.toml", "summary.json"] {
            fs::copy(template.join(name), dir.join(name)).expect("a template");
        }
        Place { run: RunDir::open(&dir).expect("a run"), folder }
    }
}

/// Puts it beside the run, and tells what stands there then.
///
/// # Panics
/// If anything in it does, if what is refused is kept, or if a value is no number or words steer the
/// terminal.
pub fn check(bytes: &[u8]) {
    thread_local! {
        /// Made once: making one takes longer than anything else.
        static PLACE: Place = Place::new();
    }
    let Some((&first, text)) = bytes.split_first() else { return };
    let first = usize::from(first);
    PLACE.with(|place| {
        let source = place.folder.path().join("observer").with_extension(ENDINGS[first % 2]);
        fs::write(&source, text).expect("room for an input");
        let told = add(&place.run, &source, OFFSETS_NS[first / 2 % 4], &[]);
        match told {
            Ok(all) => {
                for facts in &all {
                    let words = observer_words(facts);
                    assert!(!words.chars().any(char::is_control), "{words:?}");
                }
                let kept = observers(place.run.path());
                assert!(kept.len() == all.len() && all.iter().all(|facts| kept.contains(facts)), "{kept:?}");
                are_numbers(place.run.path());
            }
            Err(_) => assert!(observers(place.run.path()).is_empty(), "what was refused is there"),
        }
        let _ = fs::remove_dir_all(place.run.path().join("observers"));
    });
}

fn are_numbers(run: &Path) {
    let counters = with_observers(run).expect("what was written can be read").expect("there are counters");
    let series = counters.agents.iter().flat_map(|agent| &agent.series);
    for series in series {
        let are_finite = series.value.iter().flatten().chain(&series.at_s).all(|value| value.is_finite());
        assert!(are_finite && series.at_s.is_sorted(), "{series:?}");
    }
}
