//! Reads the counters in a run directory, for a page and for the incidents of a run.
//!
//! Not here: which of them are shown, and how many points are enough ([`reelgauge_analysis::counters`]).

use std::path::Path;

use reelgauge_analysis::counters::page_series::Gathering;
use reelgauge_analysis::counters::{CounterAgent, Counters, MAX_POINTS};
use reelgauge_record::agents::{AgentPlace, AgentPlaces};
use reelgauge_record::counters::{CounterRow, CountersError, is_part, read_part};
use reelgauge_report::counters::counter_note_sentence;

use crate::folders::{listed, of_observers};

/// The counters in a run directory; `None` if there are none.
///
/// Damaged parts are omitted, and listed in the notes.
///
/// # Errors
/// If a directory cannot be listed.
pub fn read_counters(run_dir: &Path) -> Result<Option<Counters>, CountersError> {
    let mut agents = Vec::new();
    // If it cannot be read, times are each host's own.
    let places = AgentPlaces::read(&run_dir.join("ops")).ok().flatten().unwrap_or_default();
    for dir in listed(&run_dir.join("counters"))? {
        let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some(agent) = name.strip_prefix("agent=") {
            let place = places.of_folder(&name).cloned().unwrap_or_default();
            let shown = if place.agent.is_empty() { agent.to_owned() } else { place.agent.clone() };
            agents.extend(gather(&dir, &place)?.map(|gathering| (shown, gathering)));
        }
    }
    if agents.is_empty() {
        return Ok(None);
    }
    Ok(Some(Counters { agents: shown(agents) }))
}

/// Limits the points of each host, so that all series of all hosts share the available room.
fn shown(gathered: Vec<(String, Gathering)>) -> Vec<CounterAgent> {
    let series: usize = gathered.iter().map(|(_, gathering)| gathering.series_count()).sum();
    let points_each = MAX_POINTS / series.max(1);
    let shown =
        |(agent, gathering): (String, Gathering)| gathering.shown(agent, points_each, counter_note_sentence);
    gathered.into_iter().map(shown).collect()
}

/// The counters in a run directory, followed by those of the run's observers.
///
/// # Errors
/// If a directory cannot be listed.
pub fn with_observers(run_dir: &Path) -> Result<Option<Counters>, CountersError> {
    let own = read_counters(run_dir)?;
    // They were converted to the run's clock when they were added.
    let place = AgentPlace::default();
    let mut observers = Vec::new();
    for (name, dir) in of_observers(run_dir) {
        observers.extend(gather(&dir, &place)?.map(|gathering| (name, gathering)));
    }
    if observers.is_empty() {
        return Ok(own);
    }
    let observers = shown(observers).into_iter().map(|agent| CounterAgent { is_observer: true, ..agent });
    let own = own.map(|counters| counters.agents).unwrap_or_default();
    Ok(Some(Counters { agents: own.into_iter().chain(observers).collect() }))
}

/// The mean of a counter over a run, over all its devices; `None` if it was not sampled, or cannot be
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

/// All counters of an agent that are worth showing; `None` if it has no part.
fn gather(dir: &Path, place: &AgentPlace) -> Result<Option<Gathering>, CountersError> {
    let mut gathering = Gathering::default();
    let mut parts = 0;
    for path in listed(dir)? {
        if !path.file_name().is_some_and(|name| is_part(&name.to_string_lossy())) {
            continue;
        }
        parts += 1;
        match read_part(&path, &mut |row| {
            gathering.take(CounterRow { at_ns: place.time_ns(row.at_ns), ..row })
        }) {
            Ok(unread) => gathering.not_sampled(unread),
            Err(error) => gathering.damaged(error.to_string()),
        }
    }
    Ok((parts > 0).then(|| gathering.choose()))
}
