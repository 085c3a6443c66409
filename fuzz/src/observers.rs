//! Observers: counters of an array or a switch, as a table or as Prometheus' text, are added to a real
//! run (`template-run/`), or refused with a reason. The first byte selects the format and the offset of
//! the clock.

use std::fs;
use std::path::{Path, PathBuf};

use reelgauge_record::run_dir::RunDir;
use reelgauge_report::observers::observer_words;
use reelgauge_results::counters::with_observers;
use reelgauge_results::observers::{add, observers};
use tempfile::TempDir;

/// The file that contains the time of the run.
const COUNTERS: &str = "counters/agent=local/part-000001.parquet";

/// The file extensions that select the format.
const ENDINGS: [&str; 2] = ["csv", "prom"];

/// Clock offsets: none, unknown, behind, and as far ahead as possible.
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

/// Adds the counters to the run, and puts the stored observers into words.
///
/// # Panics
/// If a function under test panics, if a refused input is stored, if a value is not a number, or if
/// words contain terminal control characters.
pub fn check(bytes: &[u8]) {
    thread_local! {
        /// Created once, because it takes longer than anything else.
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
