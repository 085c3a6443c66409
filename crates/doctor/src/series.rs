//! The counters of a run, as a page shows them: series by layer, with words for people, and few enough
//! points.
//!
//! A point's value holds for the time since the point before it. Series have at most
//! [`crate::thin::POINTS_MAX`] points, a run at most [`MAX_POINTS`] and an agent at most [`SERIES_MAX`]
//! series: first those that say what a layer carries and how long it takes. Counters of faults that stayed at
//! 0 all the time are left out; what was left out is said in the agent's notes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use reelgauge_analysis::page::counters::MAX_POINTS;
use reelgauge_analysis::page::{CounterAgent, CounterSeries, Counters};

use crate::counter::Layer;
use crate::kinds::{KINDS, Kind, Weight};
use crate::store::{CountersError, Row, is_part, read_part};
use crate::thin::{Point, Thinner};

/// Series that are shown of an agent, at most.
pub const SERIES_MAX: usize = 60;

/// Series that are read of an agent, at most: more is no machine, but a file made to fill the memory.
const SERIES_READ_MAX: usize = 1024;

/// A name of a device longer than this is cut.
const DEVICE_CHARS_MAX: usize = 64;

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
    let series: usize = agents.iter().map(|(_, gathering)| gathering.series.len()).sum();
    let points_each = MAX_POINTS / series.max(1);
    let agents = agents.into_iter().map(|(agent, gathering)| gathering.shown(agent, points_each));
    Ok(Some(Counters { agents: agents.collect() }))
}

/// What is in a folder, sorted; nothing where there is no such folder.
fn listed(dir: &Path) -> Result<Vec<PathBuf>, CountersError> {
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
            Ok(unread) => gathering.unread.extend(unread),
            Err(error) => gathering.notes.push(format!("A part of the counters is left out: {error}.")),
        }
    }
    Ok((parts > 0).then(|| gathering.choose()))
}

/// What is read of one agent.
#[derive(Default)]
struct Gathering {
    series: BTreeMap<(usize, String), Thinner>,
    unread: BTreeSet<String>,
    notes: Vec<String>,
    /// Counters that this version does not know.
    unknown: BTreeSet<String>,
    full: bool,
}

impl Gathering {
    fn take(&mut self, row: Row<'_>) {
        let layer = Layer::from_name(row.layer);
        let known =
            |kind: &Kind| Some(kind.layer) == layer && kind.name == row.name && kind.unit.name() == row.unit;
        let Some(kind) = KINDS.iter().position(known) else {
            if self.unknown.len() < SERIES_MAX {
                self.unknown.insert(format!("{} {}", shortened(row.layer), shortened(row.name)));
            }
            return;
        };
        let key = (kind, shortened(row.device));
        if self.series.len() == SERIES_READ_MAX && !self.series.contains_key(&key) {
            self.full = true;
            return;
        }
        self.series.entry(key).or_default().push(Point { at_ns: row.at_ns, value: row.value });
    }

    /// Leaves out what need not be shown, and says so.
    fn choose(mut self) -> Gathering {
        self.series.retain(|_, series| !series.is_empty());
        let before = self.series.len();
        self.series.retain(|(kind, _), series| KINDS[*kind].weight != Weight::Fault || !series.is_silent());
        let silent = before - self.series.len();
        let left_out = self.leave_out();
        if silent > 0 {
            let what = "Counters of errors and waiting that stayed at 0 all the time are not shown";
            self.notes.push(format!("{what}: {silent}."));
        }
        if left_out > 0 || self.full {
            let count = if self.full { "many".to_owned() } else { left_out.to_string() };
            let what = "Counters that there is no room for here; they are in the run directory, in counters/";
            self.notes.push(format!("{what}: {count}."));
        }
        if !self.unknown.is_empty() {
            let names: Vec<&str> = self.unknown.iter().map(String::as_str).collect();
            self.notes.push(format!("This version does not know these counters: {}.", names.join(", ")));
        }
        let unread = std::mem::take(&mut self.unread);
        self.notes.extend(unread.iter().map(|what| format!("Not sampled: {}.", shortened(what))));
        self
    }

    /// As a page has it, each series with so many points at most.
    fn shown(self, agent: String, points_each: usize) -> CounterAgent {
        let series = self.series.into_iter().map(|((kind, device), mut series)| {
            series.limit(points_each);
            shown(&KINDS[kind], device, &series)
        });
        CounterAgent { agent, series: series.collect(), notes: self.notes }
    }

    /// Leaves out what there is no room for, and says how many.
    fn leave_out(&mut self) -> usize {
        let mut keys: Vec<_> = self.series.keys().cloned().collect();
        keys.sort_by_key(|(kind, device)| (KINDS[*kind].weight, *kind, device.clone()));
        let rest = keys.split_off(keys.len().min(SERIES_MAX));
        for key in &rest {
            self.series.remove(key);
        }
        rest.len()
    }
}

fn shown(kind: &Kind, device: String, series: &Thinner) -> CounterSeries {
    CounterSeries {
        layer: kind.layer.name().to_owned(),
        name: kind.name.to_owned(),
        label: kind.label(&device),
        device,
        unit: kind.unit.name().to_owned(),
        at_s: series.points().map(|point| (point.at_ns as f64 / 1e6).round() / 1e3).collect(),
        value: series.points().map(|point| point.value.map(six_digits)).collect(),
    }
}

/// A value without the digits that say nothing, of which a page has tens of thousands.
fn six_digits(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let places = 5 - value.abs().log10().floor() as i32;
    match places {
        0..=12 => (value * 10_f64.powi(places)).round() / 10_f64.powi(places),
        13.. => value,
        _ => value.round(),
    }
}

/// A text from a file, no longer than a screen has room for.
fn shortened(text: &str) -> String {
    text.chars().take(DEVICE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_that_say_nothing_are_left_out() {
        for (value, expected) in [
            (0.0, 0.0),
            (12.345_678_9, 12.3457),
            (-0.000_123_456_789, -0.000_123_457),
            (123_456_789.4, 123_456_789.0),
            (1e-300, 1e-300),
            (100.0, 100.0),
        ] {
            assert_eq!(six_digits(value), expected);
        }
    }
}
