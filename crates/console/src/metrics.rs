//! Metrics for Prometheus: the progress of the runs here, in its text format (0.0.4).
//!
//! Every run in progress has its own figures, and so has the one that ended last, so that a scrape every
//! quarter of an hour does not miss its end. `docs/grafana/reelgauge.json` draws them, and
//! `docs/prometheus/reelgauge.rules.yml` raises an alarm while storage does not respond.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use reelgauge_results::live::{LiveEvent, LiveTick, path_in};

use crate::entry::{RunEntry, RunState};
use crate::events::Tail;

/// The content type of the answer.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Longest value of a label, in characters.
const LABEL_CHARS: usize = 200;

/// A metric: its name, its type, and its help.
type Metric = (&'static str, &'static str, &'static str);

const RUNS: Metric = ("reelgauge_runs", "gauge", "Runs in the folder of this console, by state.");
const INFO: Metric = (
    "reelgauge_run_info",
    "gauge",
    "Identifies the current run, or the last one that ended; the value is always 1.",
);
const READ: Metric =
    ("reelgauge_read_bytes_per_second", "gauge", "Read rate of the last second; 0 after the end.");
const WRITTEN: Metric =
    ("reelgauge_written_bytes_per_second", "gauge", "Write rate of the last second; 0 after the end.");
const LATE: Metric = ("reelgauge_late_frames_total", "counter", "Late frames in all load points of a run.");
const INCIDENTS: Metric = (
    "reelgauge_incidents_total",
    "counter",
    "Incidents in all load points of a run; late frames less than one second apart belong to one incident.",
);
const FLYING: Metric = (
    "reelgauge_longest_operation_in_flight_seconds",
    "gauge",
    "Age of the oldest operation in flight; 0 if there is none, and after the end.",
);
const SILENT: Metric = (
    "reelgauge_no_answer_seconds",
    "gauge",
    "Time that operations have been in flight without a response, if at least 0.4 s; otherwise 0. Also 0 \
     after the end.",
);
const HOST_SILENT: Metric = (
    "reelgauge_host_no_answer_seconds",
    "gauge",
    "Time that operations of one host of a fleet run have been in flight without a response; 0 while \
     responses arrive. Present only during the run.",
);
const HOST_MISSING: Metric = (
    "reelgauge_host_missing",
    "gauge",
    "1 if this host of a fleet run is missing, else 0. Present only during the run.",
);
const MARGIN: Metric = (
    "reelgauge_worst_margin_seconds",
    "gauge",
    "Time until the worst stream needs its next missing frame; negative if that frame is overdue. Present \
     only during a run with frames.",
);
const NEWS: Metric = (
    "reelgauge_news_age_seconds",
    "gauge",
    "Time since the last report of a run in progress; about one second while it measures. Its other \
     values are equally old.",
);
const ELAPSED: Metric = ("reelgauge_elapsed_seconds", "gauge", "Time since the start of the measurement.");

/// Follows the events of runs between two scrapes.
#[derive(Debug, Default)]
pub struct Metrics {
    followed: Mutex<HashMap<String, Followed>>,
}

/// A run, as far as it has been followed.
#[derive(Debug)]
struct Followed {
    tail: Tail,
    so_far: SoFar,
}

/// The state of a run by its events so far.
#[derive(Clone, Debug, Default, PartialEq)]
struct SoFar {
    tick: Option<LiveTick>,
    /// `None` before the first event.
    at_s: Option<f64>,
    late: SumOfPoints,
    incidents: SumOfPoints,
    /// The age of the latest event; for runs in progress.
    news_age_s: Option<f64>,
}

impl Metrics {
    /// The metrics of these runs, newest first, in this folder.
    pub fn text(&self, runs: &[Arc<RunEntry>], dir: &Path) -> String {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let running = runs.iter().filter(|run| run.state == RunState::Running);
        let last = runs.iter().find(|run| run.state != RunState::Running);
        let shown: Vec<&RunEntry> = running.chain(last).map(Arc::as_ref).collect();
        followed.retain(|id, _| shown.iter().any(|run| run.id == *id));
        let told: Vec<(&RunEntry, SoFar)> = shown
            .into_iter()
            .map(|run| {
                let mut so_far = catch_up(&mut followed, &run.id, dir).unwrap_or_default();
                let is_running = run.state == RunState::Running;
                so_far.news_age_s = is_running.then(|| age_s(&dir.join(&run.id))).flatten();
                (run, so_far)
            })
            .collect();
        written(runs, &told)
    }
}

fn catch_up(followed: &mut HashMap<String, Followed>, id: &str, dir: &Path) -> Option<SoFar> {
    if !followed.contains_key(id) {
        let tail = Tail::open(&dir.join(id), 0).ok()?;
        followed.insert(id.to_owned(), Followed { tail, so_far: SoFar::default() });
    }
    let Followed { tail, so_far } = followed.get_mut(id)?;
    loop {
        let events = tail.read().ok()?;
        if events.is_empty() {
            return Some(so_far.clone());
        }
        events.into_iter().for_each(|(_, event)| so_far.take(event));
    }
}

/// The age of the latest event of the run in this directory; `None` if the clock was set back.
fn age_s(run_dir: &Path) -> Option<f64> {
    let told = path_in(run_dir).metadata().and_then(|metadata| metadata.modified()).ok()?;
    Some(told.elapsed().ok()?.as_secs_f64())
}

impl SoFar {
    fn take(&mut self, event: LiveEvent) {
        match event {
            LiveEvent::Live(tick) => {
                let before = self.tick.take();
                let is_next =
                    |before: &LiveTick| before.label != tick.label || before.elapsed_s > tick.elapsed_s;
                let before = before.filter(is_next);
                self.late.take(before.as_ref().and_then(|tick| tick.late_frames), tick.late_frames);
                self.incidents.take(before.as_ref().and_then(|tick| tick.incidents), tick.incidents);
                self.at_s = Some(tick.at_s);
                self.tick = Some(*tick);
            }
            LiveEvent::Begin { at_s, .. }
            | LiveEvent::Phase { at_s, .. }
            | LiveEvent::Prepared { at_s, .. }
            | LiveEvent::Verified { at_s, .. } => self.at_s = Some(at_s),
            LiveEvent::End { at_s, late_frames, incidents, .. } => {
                self.at_s = Some(at_s);
                self.late.in_all = late_frames;
                self.incidents.in_all = incidents;
            }
        }
    }
}

/// A number that restarts at 0 in every load point, and is a total in the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct SumOfPoints {
    before: u64,
    now: Option<u64>,
    /// The total in the summary, once the run has ended.
    in_all: Option<u64>,
}

impl SumOfPoints {
    /// Takes the latest counts. `before`: the final count of the previous load point, if a new one has
    /// begun.
    fn take(&mut self, before: Option<u64>, now: Option<u64>) {
        self.before += before.unwrap_or(0);
        self.now = now;
    }

    fn so_far(&self) -> Option<u64> {
        let now = self.now.map(|now| self.before + now);
        self.in_all.or(now).or((self.before > 0).then_some(self.before))
    }
}

fn written(runs: &[Arc<RunEntry>], told: &[(&RunEntry, SoFar)]) -> String {
    let mut text = String::new();
    let states = RunState::ALL.map(|state| {
        let count = runs.iter().filter(|run| run.state == state).count();
        (vec![("state", state.name())], count as f64)
    });
    metric(&mut text, RUNS, states);
    let info = told.iter().map(|(run, _)| {
        let labels = vec![
            ("run", run.id.as_str()),
            ("verb", &run.verb),
            ("label", &run.label),
            ("target", &run.target),
            ("state", run.state.name()),
        ];
        (labels, 1.0)
    });
    metric(&mut text, INFO, info);
    let mut each = |what: Metric, value: &dyn Fn(&SoFar, bool) -> Option<f64>| {
        let values = told.iter().filter_map(|(run, so_far)| {
            let value = value(so_far, run.state == RunState::Running)?;
            Some((vec![("run", run.id.as_str())], value))
        });
        metric(&mut text, what, values);
    };
    let now = |is_running: bool, value: f64| if is_running { value } else { 0.0 };
    each(READ, &|so_far, is_running| Some(now(is_running, so_far.tick.as_ref()?.read_bytes_per_s)));
    each(WRITTEN, &|so_far, is_running| Some(now(is_running, so_far.tick.as_ref()?.write_bytes_per_s)));
    each(LATE, &|so_far, _| so_far.late.so_far().map(|frames| frames as f64));
    each(INCIDENTS, &|so_far, _| so_far.incidents.so_far().map(|incidents| incidents as f64));
    let waited = |seconds: Option<f64>| seconds.unwrap_or(0.0);
    each(FLYING, &|so_far, is_running| {
        Some(now(is_running, waited(so_far.tick.as_ref()?.longest_in_flight_s)))
    });
    each(SILENT, &|so_far, is_running| Some(now(is_running, waited(so_far.tick.as_ref()?.no_answer_s))));
    each(MARGIN, &|so_far, is_running| {
        let margin_ms = so_far.tick.as_ref().filter(|_| is_running)?.margin_ms?;
        Some(margin_ms as f64 / 1e3)
    });
    each(NEWS, &|so_far, _| so_far.news_age_s);
    each(ELAPSED, &|so_far, _| so_far.at_s);
    of_hosts(&mut text, told);
    text
}

/// The metrics of each host of a fleet. If a single host is silent, the metrics of the run do not show
/// it.
fn of_hosts(text: &mut String, told: &[(&RunEntry, SoFar)]) {
    let running = || told.iter().filter(|(run, _)| run.state == RunState::Running);
    let hosts = || {
        let of_run =
            running().filter_map(|(run, so_far)| Some((run.id.as_str(), &so_far.tick.as_ref()?.hosts)));
        of_run.flat_map(|(run, hosts)| {
            let labels = hosts.name.iter().map(move |name| vec![("run", run), ("host", name.as_str())]);
            labels.zip(hosts.no_answer_s.iter().zip(&hosts.missing))
        })
    };
    metric(text, HOST_SILENT, hosts().map(|(labels, (silent_s, _))| (labels, silent_s.unwrap_or(0.0))));
    metric(
        text,
        HOST_MISSING,
        hosts().map(|(labels, (_, missing))| (labels, f64::from(u8::from(missing.is_some())))),
    );
}

/// A metric with all its values. One without values is omitted.
fn metric<'a>(
    text: &mut String,
    (name, kind, help): Metric,
    values: impl IntoIterator<Item = (Vec<(&'static str, &'a str)>, f64)>,
) {
    for (at, (labels, value)) in values.into_iter().enumerate() {
        // Writing to a string can't fail.
        if at == 0 {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        }
        let labels: Vec<String> =
            labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
        let _ = writeln!(text, "{name}{{{}}} {value}", labels.join(","));
    }
}

/// A label's value. Prometheus requires three escapes; other control characters are useless and are
/// replaced.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for c in value.chars().take(LABEL_CHARS) {
        match c {
            '\\' => text.push_str(r"\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str(r"\n"),
            c if c.is_control() => text.push('\u{fffd}'),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;
    use std::fs;

    use serde_json::Value;

    use super::*;
    use crate::events::tests::end;

    fn tick(label: &str, elapsed_s: f64, late_frames: Option<u64>) -> LiveEvent {
        LiveEvent::Live(Box::new(LiveTick {
            at_s: elapsed_s + 10.0,
            label: label.to_owned(),
            elapsed_s,
            read_bytes_per_s: 52_428_800.0,
            late_frames,
            margin_ms: late_frames.map(|_| -1_500),
            longest_in_flight_s: Some(6.25),
            no_answer_s: Some(6.0),
            ..LiveTick::default()
        }))
    }

    #[test]
    fn one_host_without_answers_is_reported_while_others_have_answers() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("now")).unwrap();
        let hosts = reelgauge_results::live::LiveHosts {
            name: vec!["a".to_owned(), "b".to_owned()],
            no_answer_s: vec![None, Some(3.5)],
            missing: vec![Some("it was not heard any more".to_owned()), None],
            ..Default::default()
        };
        let tick = LiveEvent::Live(Box::new(LiveTick { hosts, ..LiveTick::default() }));
        fs::write(path_in(&dir.path().join("now")), lines(&[tick])).unwrap();
        let text = Metrics::default().text(&[entry("now", RunState::Running)], dir.path());
        for line in [
            "reelgauge_no_answer_seconds{run=\"now\"} 0",
            "reelgauge_host_no_answer_seconds{run=\"now\",host=\"a\"} 0",
            "reelgauge_host_no_answer_seconds{run=\"now\",host=\"b\"} 3.5",
            "reelgauge_host_missing{run=\"now\",host=\"a\"} 1",
            "reelgauge_host_missing{run=\"now\",host=\"b\"} 0",
        ] {
            assert!(text.lines().any(|there| there == line), "{line}\n{text}");
        }
    }

    fn entry(id: &str, state: RunState) -> Arc<RunEntry> {
        let mut entry = RunEntry::of(Path::new("/nonexistent"), id, &crate::events::Life::Unknown);
        (entry.state, entry.verb, entry.target) =
            (state, "streams".to_owned(), "/mnt/\"a\\b\"\nc\u{1}".to_owned());
        Arc::new(entry)
    }

    fn lines(events: &[LiveEvent]) -> String {
        events.iter().map(|event| event.to_line() + "\n").collect()
    }

    #[test]
    fn metrics_cover_every_run_in_progress_and_the_last_that_ended() {
        let dir = tempfile::tempdir().unwrap();
        for id in ["now", "then", "before"] {
            fs::create_dir(dir.path().join(id)).unwrap();
        }
        let file = |id: &str| path_in(&dir.path().join(id));
        let first = lines(&[tick("8 streams", 5.0, Some(2)), tick("9 streams", 1.0, Some(1))]);
        fs::write(file("now"), &first).unwrap();
        fs::write(file("then"), lines(&[tick("p", 3.0, None), end(77.5, None)])).unwrap();
        let runs = [
            entry("now", RunState::Running),
            entry("then", RunState::Complete),
            entry("before", RunState::Killed),
        ];
        let metrics = Metrics::default();
        let text = metrics.text(&runs, dir.path());
        for line in [
            "reelgauge_runs{state=\"running\"} 1",
            "reelgauge_runs{state=\"broke_off\"} 0",
            "reelgauge_read_bytes_per_second{run=\"now\"} 52428800",
            "reelgauge_read_bytes_per_second{run=\"then\"} 0",
            "reelgauge_late_frames_total{run=\"now\"} 3",
            "reelgauge_elapsed_seconds{run=\"now\"} 11",
            "reelgauge_longest_operation_in_flight_seconds{run=\"now\"} 6.25",
            "reelgauge_longest_operation_in_flight_seconds{run=\"then\"} 0",
            "reelgauge_no_answer_seconds{run=\"now\"} 6",
            "reelgauge_worst_margin_seconds{run=\"now\"} -1.5",
            "reelgauge_elapsed_seconds{run=\"then\"} 77.5",
            "reelgauge_run_info{run=\"now\",verb=\"streams\",label=\"\",\
             target=\"/mnt/\\\"a\\\\b\\\"\\nc\u{fffd}\",state=\"running\"} 1",
        ] {
            assert!(text.lines().any(|there| there == line), "{line}\n{text}");
        }
        assert!(!text.contains("before") && !text.contains("late_frames_total{run=\"then\"}"), "{text}");
        assert!(!text.contains("margin_seconds{run=\"then\"}"), "{text}");
        assert!(
            text.contains("news_age_seconds{run=\"now\"} ") && !text.contains("age_seconds{run=\"then\"}")
        );
        // Later events are added.
        let more = lines(&[tick("9 streams", 2.0, Some(4)), tick("9 streams", 0.5, Some(0))]);
        fs::write(file("now"), first + &more).unwrap();
        let text = metrics.text(&runs, dir.path());
        assert!(text.contains("reelgauge_late_frames_total{run=\"now\"} 6\n"), "{text}");
        // At the end the summary's value counts.
        let ended = fs::read_to_string(file("now")).unwrap() + &lines(&[end(30.0, Some(681))]);
        fs::write(file("now"), ended).unwrap();
        let text = metrics.text(&[entry("now", RunState::Complete)], dir.path());
        assert!(text.contains("reelgauge_late_frames_total{run=\"now\"} 681\n"), "{text}");
        // A run without events has no figures, which is not the same as zeros.
        let text = metrics.text(&[entry("before", RunState::Killed)], dir.path());
        assert!(text.contains("run_info{run=\"before\"") && !text.contains("seconds{"), "{text}");
    }

    /// Every metric of hosts.
    const OF_HOSTS: [Metric; 2] = [HOST_SILENT, HOST_MISSING];
    const TOLD: [Metric; 10] = [RUNS, INFO, READ, WRITTEN, LATE, FLYING, SILENT, MARGIN, NEWS, ELAPSED];

    fn asked_in(expression: &str) -> impl Iterator<Item = String> {
        let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.filter(|word| word.starts_with("reelgauge_")).map(str::to_owned)
    }

    #[test]
    fn alarms_use_only_exported_metrics() {
        let text = include_str!("../../../docs/prometheus/reelgauge.rules.yml");
        let asked: BTreeSet<String> =
            text.lines().filter(|line| line.contains("expr:")).flat_map(asked_in).collect();
        assert!(asked.len() >= 4, "{asked:?}");
        let known = |name: &String| TOLD.iter().chain(&OF_HOSTS).any(|(told, ..)| told == name);
        assert!(asked.iter().all(known), "{asked:?}");
    }

    #[test]
    fn the_dashboard_uses_only_exported_metrics() {
        let told: BTreeSet<&str> = TOLD.map(|(name, ..)| name).into();
        let text = include_str!("../../../docs/grafana/reelgauge.json");
        let dashboard: Value = serde_json::from_str(text).unwrap();
        let variables = dashboard["templating"]["list"].as_array().unwrap();
        assert!(variables.iter().any(|one| one["type"] == "datasource" && one["query"] == "prometheus"));
        let mut asked = BTreeSet::new();
        let panels = dashboard["panels"].as_array().unwrap();
        let queries = variables.iter().filter_map(|one| one["query"]["query"].as_str());
        let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().into_iter().flatten());
        for expression in targets.map(|target| target["expr"].as_str().unwrap()).chain(queries) {
            asked.extend(asked_in(expression));
        }
        assert!(asked.iter().all(|name| told.contains(name.as_str())), "{asked:?}");
        assert_eq!(asked.len(), told.len(), "{asked:?}");
        let without_source = panels.iter().filter(|panel| panel["datasource"]["uid"] != "${datasource}");
        assert_eq!(
            without_source.map(|panel| panel["title"].to_string()).collect::<Vec<_>>(),
            Vec::<String>::new()
        );
    }
}
