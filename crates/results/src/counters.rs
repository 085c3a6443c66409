//! The counters in a run directory, read back for a page and for what a run says of its incidents.
//!
//! Not here: which of them are shown, and how few points are enough ([`reelgauge_analysis::counters`]).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use reelgauge_analysis::counters::gathering::Gathering;
use reelgauge_analysis::counters::{Counters, MAX_POINTS};
use reelgauge_record::counters::{CountersError, is_part, read_part};
use reelgauge_report::counters::counter_note_sentence;

/// The counters in a run directory; `None` where there are none.
///
/// Parts that are damaged are left out, and said in the notes.
///
/// # Errors
/// When a folder can't be listed.
pub fn read_counters(run_dir: &Path) -> Result<Option<Counters>, CountersError> {
    let mut agents = Vec::new();
    for dir in listed(&run_dir.join("counters"))? {
        let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some(agent) = name.strip_prefix("agent=") {
            agents.extend(gather(&dir)?.map(|gathering| (agent.to_owned(), gathering)));
        }
    }
    if agents.is_empty() {
        return Ok(None);
    }
    let series: usize = agents.iter().map(|(_, gathering)| gathering.series_count()).sum();
    let points_each = MAX_POINTS / series.max(1);
    let shown =
        |(agent, gathering): (String, Gathering)| gathering.shown(agent, points_each, counter_note_sentence);
    let agents = agents.into_iter().map(shown);
    Ok(Some(Counters { agents: agents.collect() }))
}

/// The mean of a counter over a run, all its devices together; `None` where it was not sampled, or can't be
/// read.
pub fn mean_of_counter(run_dir: &Path, layer: &str, name: &str) -> Option<f64> {
    let counters = read_counters(run_dir).ok()??;
    let series = counters.agents.iter().flat_map(|agent| &agent.series);
    let means = series.filter(|series| series.layer == layer && series.name == name).filter_map(|series| {
        let values: Vec<f64> = series.value.iter().flatten().copied().collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    });
    means.reduce(|one, two| one + two)
}

/// What is in a folder, sorted; nothing where there is no such folder.
pub(crate) fn listed(dir: &Path) -> Result<Vec<PathBuf>, CountersError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(CountersError::io("list", dir)(error)),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(CountersError::io("list", dir))?;
    paths.sort();
    Ok(paths)
}

/// Everything that an agent sampled and that is worth showing; `None` where it has no part.
fn gather(dir: &Path) -> Result<Option<Gathering>, CountersError> {
    let mut gathering = Gathering::default();
    let mut parts = 0;
    for path in listed(dir)? {
        if !path.file_name().is_some_and(|name| is_part(&name.to_string_lossy())) {
            continue;
        }
        parts += 1;
        match read_part(&path, &mut |row| gathering.take(row)) {
            Ok(unread) => gathering.not_sampled(unread),
            Err(error) => gathering.damaged(error.to_string()),
        }
    }
    Ok((parts > 0).then(|| gathering.choose()))
}
