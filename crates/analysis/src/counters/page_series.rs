//! Builds the counters of one agent for a page from samples: series by layer, with labels and few enough
//! points.
//!
//! A point's value covers the time since the point before it. Series have at most
//! [`super::downsampling::POINTS_MAX`] points, a run at most [`super::MAX_POINTS`] and an agent at most
//! [`SERIES_MAX`] series. Series that show a disturbance come first, then the throughput and response
//! times of a layer. Counters of faults that stayed at 0 are omitted; the agent's notes list what was
//! omitted.
//!
//! Pure. Not here: reading files (results), and the text of the notes (report).

use std::collections::{BTreeMap, BTreeSet};

use reelgauge_record::counters::{CounterKind, CounterRow, KINDS, Layer, Weight};

use super::downsampling::{Point, Thinner};
use super::note::CounterNote;
use super::{CounterAgent, CounterSeries, MARKING};

/// Series of an agent that are shown, at most.
pub const SERIES_MAX: usize = 60;

/// Series of an agent that are read, at most. A file with more is not from a real host, but made to
/// exhaust the memory.
const SERIES_READ_MAX: usize = 1024;

/// A name of a device longer than this is cut.
const DEVICE_CHARS_MAX: usize = 64;

/// The counters of one agent, read row by row in order of time.
#[derive(Debug, Default)]
pub struct Gathering {
    series: BTreeMap<(usize, String), Thinner>,
    unread: BTreeSet<String>,
    notes: Vec<CounterNote>,
    /// Counters that this version does not know.
    unknown: BTreeSet<String>,
    full: bool,
}

impl Gathering {
    pub fn take(&mut self, row: CounterRow<'_>) {
        let layer = Layer::from_name(row.layer);
        let known = |kind: &CounterKind| {
            Some(kind.layer) == layer && kind.name == row.name && kind.unit.name() == row.unit
        };
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

    /// Adds what could not be sampled, in words.
    pub fn not_sampled(&mut self, what: impl IntoIterator<Item = String>) {
        self.unread.extend(what);
    }

    /// A part that could not be read, and why.
    pub fn damaged(&mut self, error: String) {
        self.notes.push(CounterNote::Damaged(error));
    }

    /// How many series there are.
    pub fn series_count(&self) -> usize {
        self.series.len()
    }

    /// Omits series that need not be shown, and notes it.
    pub fn choose(mut self) -> Gathering {
        self.series.retain(|_, series| !series.is_empty());
        let before = self.series.len();
        self.series.retain(|(kind, _), series| KINDS[*kind].weight != Weight::Fault || !series.is_silent());
        let silent = before - self.series.len();
        let left_out = self.leave_out();
        if silent > 0 {
            self.notes.push(CounterNote::Silent { series: silent });
        }
        if left_out > 0 || self.full {
            self.notes.push(CounterNote::NoRoom { series: (!self.full).then_some(left_out) });
        }
        if !self.unknown.is_empty() {
            self.notes.push(CounterNote::Unknown(self.unknown.iter().cloned().collect()));
        }
        let unread = std::mem::take(&mut self.unread);
        self.notes.extend(unread.iter().map(|what| CounterNote::NotSampled(shortened(what))));
        self
    }

    /// The counters for a page: each series with at most this many points, and the text of each note.
    pub fn shown(
        self,
        agent: String,
        points_each: usize,
        in_words: impl Fn(&CounterNote) -> String,
    ) -> CounterAgent {
        let series = self.series.into_iter().map(|((kind, device), mut series)| {
            series.limit(points_each);
            shown(&KINDS[kind], device, &series)
        });
        let is_observer = false;
        CounterAgent {
            agent,
            is_observer,
            series: series.collect(),
            notes: self.notes.iter().map(in_words).collect(),
        }
    }

    /// Omits series that have no room, and returns how many.
    fn leave_out(&mut self) -> usize {
        let mut keys: Vec<_> = self.series.keys().cloned().collect();
        let order = |(kind, device): &(usize, String)| {
            (!is_marking(&KINDS[*kind]), KINDS[*kind].weight, *kind, device.clone())
        };
        keys.sort_by_key(order);
        let rest = keys.split_off(keys.len().min(SERIES_MAX));
        for key in &rest {
            self.series.remove(key);
        }
        rest.len()
    }
}

fn is_marking(kind: &CounterKind) -> bool {
    MARKING.contains(&(kind.layer, kind.name))
}

fn shown(kind: &CounterKind, device: String, series: &Thinner) -> CounterSeries {
    CounterSeries {
        layer: kind.layer.name().to_owned(),
        name: kind.name.to_owned(),
        words: kind.words(&device),
        label: kind.label(&device),
        device,
        unit: kind.unit.name().to_owned(),
        at_s: series.points().map(|point| (point.at_ns as f64 / 1e6).round() / 1e3).collect(),
        value: series.points().map(|point| point.value.map(six_digits)).collect(),
    }
}

/// Rounds a value to the digits that matter. A page has tens of thousands of values.
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

/// A text from a file, cut to the width of a screen.
fn shortened(text: &str) -> String {
    text.chars().take(DEVICE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use reelgauge_record::counters::CounterUnit;

    use super::*;

    /// The notes on rows at one moment: layer, name, device, unit and value.
    fn notes(rows: &[(&str, &str, String, &str, f64)]) -> Vec<CounterNote> {
        let mut gathering = Gathering::default();
        for (layer, name, device, unit, value) in rows {
            gathering.take(CounterRow { layer, name, device, unit, at_ns: 1, value: Some(*value) });
        }
        gathering.choose().notes
    }

    #[test]
    fn omitted_series_are_noted() {
        let errors =
            |value| ("network", "rx_errors_per_s", "eth0".to_owned(), CounterUnit::PerS.name(), value);
        assert_eq!(notes(&[errors(0.0)]), [CounterNote::Silent { series: 1 }]);
        assert_eq!(notes(&[errors(2.0)]), []);
        let disk =
            |number| ("disk", "util_percent", format!("disk{number}"), CounterUnit::Percent.name(), 5.0);
        let disks = |count: usize| (0..count).map(disk).collect::<Vec<_>>();
        assert_eq!(notes(&disks(SERIES_MAX)), []);
        assert_eq!(notes(&disks(SERIES_MAX + 3)), [CounterNote::NoRoom { series: Some(3) }]);
        assert_eq!(notes(&disks(SERIES_READ_MAX + 1)), [CounterNote::NoRoom { series: None }]);
        let strange = ("disk", "spin_up_count", "sda".to_owned(), "count", 1.0);
        assert_eq!(notes(&[strange]), [CounterNote::Unknown(vec!["disk spin_up_count".to_owned()])]);
    }

    #[test]
    fn disturbance_series_are_kept_among_many_programs() {
        let mut gathering = Gathering::default();
        let mut take = |layer, name, device: &str, unit: CounterUnit, value| {
            gathering.take(CounterRow {
                layer,
                name,
                device,
                unit: unit.name(),
                at_ns: 1,
                value: Some(value),
            });
        };
        for number in 0..SERIES_MAX {
            take("host", "program_percent", &format!("cc1 {number}"), CounterUnit::Percent, 20.0);
            take("disk", "util_percent", &format!("sd{number}"), CounterUnit::Percent, 20.0);
        }
        take("network", "link_changes_per_s", "eth0", CounterUnit::PerS, 1.0);
        take("network", "link_changes_per_s", "eth1", CounterUnit::PerS, 0.0);
        let shown = gathering.choose().shown("local".to_owned(), 100, |_| String::new()).series;
        assert_eq!(shown.len(), SERIES_MAX);
        let links = shown.iter().filter(|series| series.name == "link_changes_per_s");
        assert_eq!(links.map(|series| series.device.as_str()).collect::<Vec<_>>(), ["eth0"]);
    }

    #[test]
    fn insignificant_digits_are_dropped() {
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
