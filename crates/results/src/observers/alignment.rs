//! Converts the samples of a source to the run's clock, and omits those outside the run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reelgauge_analysis::facts::{ObserverFacts, ObserverKind};
use reelgauge_machine::texts::decoded;
use reelgauge_record::agents::AgentPlaces;
use reelgauge_record::counters::{
    CountersError, Key, Layer, Sample, StoreMeta, StoreWriter, is_part, kind, part_meta, read_part,
};
use reelgauge_record::log::LogReader;
use reelgauge_record::run_dir::{RunDir, label};

use super::named::Points;
use super::series::SeriesTable;
use super::{ObserverError, csv_table, named, prometheus};
use crate::folders::listed;
use crate::load_points;
use crate::watch_summary::watch_plan;

/// Bytes of a text that are read, at most.
const TEXT_MAX_BYTES: u64 = 256 << 20;

/// Samples that are written at a time.
const AT_ONCE: usize = 1 << 13;

/// Hosts of a text that are used if the user did not choose, at most.
const UNCHOSEN_MAX: usize = 16;

/// Hosts that were not used and are named, at most.
const NAMED_MAX: usize = 8;

/// Samples on the run's clock, with remarks about them.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) facts: ObserverFacts,
    run_ns: i64,
    samples: Vec<Sample>,
}

/// The time of a run: its time 0 by the wall clock, and its duration.
#[derive(Clone, Copy, Debug)]
struct RunTime {
    run_ns: i64,
    end_ns: i64,
}

/// The samples of a source, by the wall clock.
struct Told {
    name: String,
    kind: ObserverKind,
    counters: BTreeMap<Key, Points>,
    not_read: Vec<String>,
}

/// The samples of a source from the time of a run: for each host in it, or for those that were chosen by
/// name.
pub(super) fn gather(
    run_dir: &RunDir,
    source: &Path,
    clock_offset_ns: Option<i64>,
    chosen: &[String],
) -> Result<Vec<Gathered>, ObserverError> {
    let time = run_time(run_dir)?.ok_or(ObserverError::NoClock)?;
    let all = if source.is_dir() { vec![of_watch(source)?] } else { of_text(source)? };
    let (used, unused) = choose(all, chosen, source)?;
    let mut not_used: Vec<String> = unused.iter().map(|told| told.name.clone()).collect();
    let of = |told: &Told| on_the_clock(told, source, time, clock_offset_ns);
    let mut gathered: Vec<Gathered> = used.iter().filter_map(of).collect();
    if gathered.is_empty() {
        return Err(another_time(source, &used, time, clock_offset_ns.unwrap_or(0)));
    }
    let is_used = |told: &&Told| gathered.iter().any(|one| one.facts.name == told.name);
    let of_another_time = used.iter().filter(|told| !is_used(told));
    not_used.extend(of_another_time.map(|told| format!("{} (another time)", told.name)));
    if let (Some(first), false) = (gathered.first_mut(), not_used.is_empty()) {
        first.facts.not_read.push(format!("other hosts in the file: {}", listed_names(&not_used)));
    }
    Ok(gathered)
}

/// `a, b and 7 more`.
fn listed_names(names: &[String]) -> String {
    let named = names.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED_MAX) {
        0 => named,
        more => format!("{named} and {more} others"),
    }
}

/// The hosts that were chosen by name, and the others. A name without its port is enough if it is
/// unique.
fn choose(all: Vec<Told>, chosen: &[String], source: &Path) -> Result<(Vec<Told>, Vec<Told>), ObserverError> {
    let not_understood = |why: String| ObserverError::NotUnderstood { path: source.to_path_buf(), why };
    let names = || listed_names(&all.iter().map(|told| told.name.clone()).collect::<Vec<_>>());
    if chosen.is_empty() {
        return match all.len() > UNCHOSEN_MAX {
            true => Err(not_understood(format!(
                "it has counters of {} hosts; choose one or more with --observer-machine. The hosts are: {}",
                all.len(),
                names()
            ))),
            false => Ok((all, Vec::new())),
        };
    }
    let is_named = |told: &Told, wanted: &String| {
        let without_port = told.name.rsplit_once(':').map(|(host, _)| host);
        told.name == *wanted || without_port == Some(wanted)
    };
    if let Some(missing) = chosen.iter().find(|wanted| !all.iter().any(|told| is_named(told, wanted))) {
        return Err(not_understood(format!("it has no host '{missing}'; it has: {}", names())));
    }
    Ok(all.into_iter().partition(|told| chosen.iter().any(|wanted| is_named(told, wanted))))
}

/// The samples of one host, on the clock of the run; `None` if there are none from the time of the run.
fn on_the_clock(told: &Told, source: &Path, time: RunTime, clock_offset_ns: Option<i64>) -> Option<Gathered> {
    let offset_ns = clock_offset_ns.unwrap_or(0);
    let zero_ns = time.run_ns.saturating_add(offset_ns);
    let (mut samples, mut outside, mut inside) = (Vec::new(), 0, 0);
    for (key, points) in &told.counters {
        let kept = within(points, zero_ns, time.end_ns);
        inside += kept.iter().filter(|(at_ns, _)| *at_ns > 0 && *at_ns <= time.end_ns).count();
        outside += (points.len() as u64).saturating_sub(kept.len() as u64);
        samples.extend(kept.into_iter().map(|(at_ns, value)| Sample {
            at_ns: at_ns.unsigned_abs(),
            key: key.clone(),
            value,
        }));
    }
    if inside == 0 {
        return None;
    }
    samples.sort_by(|one, two| (one.at_ns, &one.key).cmp(&(two.at_ns, &two.key)));
    let seconds = |sample: Option<&Sample>| sample.map_or(0.0, |sample| sample.at_ns as f64 / 1e9);
    let facts = ObserverFacts {
        name: told.name.clone(),
        kind: told.kind,
        source: source.display().to_string(),
        clock_offset_ms: offset_ns as f64 / 1e6,
        is_offset_stated: clock_offset_ns.is_some(),
        from_s: seconds(samples.first()),
        until_s: seconds(samples.last()),
        samples: samples.len() as u64,
        outside,
        not_read: told.not_read.clone(),
    };
    Some(Gathered { facts, run_ns: time.run_ns, samples })
}

impl Gathered {
    /// Writes the samples into a directory, which is created.
    pub(super) fn write(self, dir: &Path) -> Result<(), CountersError> {
        let meta = StoreMeta { run_ns: self.run_ns, agent: label(&self.facts.name) };
        let mut store = StoreWriter::create(dir, meta)?;
        for samples in self.samples.chunks(AT_ONCE) {
            store.append(samples.iter().cloned());
            store.seal(&self.facts.not_read)?;
        }
        Ok(())
    }
}

/// The points of a run, on its clock. A value covers the time since the previous point, so one point
/// after the end is kept. If there is a point before the start, the result begins with a point at 0
/// without a value.
fn within(points: &[(i64, Option<f64>)], zero_ns: i64, end_ns: i64) -> Points {
    let on_the_clock: Vec<(i64, Option<f64>)> =
        points.iter().map(|(at_ns, value)| (at_ns.saturating_sub(zero_ns), *value)).collect();
    let began_before = on_the_clock.iter().any(|(at_ns, _)| *at_ns <= 0);
    let first = began_before.then_some((0, None));
    let mut is_over = false;
    let rest = on_the_clock.into_iter().filter(|(at_ns, _)| *at_ns > 0).take_while(|(at_ns, _)| {
        let was_over = is_over;
        is_over = *at_ns > end_ns;
        !was_over
    });
    first.into_iter().chain(rest).collect()
}

/// When a run, or a watch, began by the wall clock; `None` if it has neither counters nor a log.
pub(super) fn began_ns(run_dir: &RunDir) -> Option<i64> {
    Some(run_time(run_dir).ok().flatten()?.run_ns)
}

/// The time of the run, from its counters, otherwise from its log.
fn run_time(run_dir: &RunDir) -> Result<Option<RunTime>, CountersError> {
    // Each of several hosts has its own times; their common time follows from the run's places.
    let places = AgentPlaces::read(&run_dir.path().join("ops")).ok().flatten();
    let mut found: Option<RunTime> =
        places.as_ref().map(|places| RunTime { run_ns: places.run_ns, end_ns: 0 });
    for agent in listed(&run_dir.path().join("counters"))? {
        let folder = agent.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let place = places.as_ref().and_then(|places| places.of_folder(&folder)).cloned().unwrap_or_default();
        for part in parts(&agent)? {
            let Ok(meta) = part_meta(&part) else { continue };
            let mut last_ns = 0;
            // The readable part of a damaged file is enough.
            let _ = read_part(&part, &mut |row| last_ns = last_ns.max(place.time_ns(row.at_ns)));
            let known = found.get_or_insert(RunTime { run_ns: meta.run_ns, end_ns: 0 });
            known.end_ns = known.end_ns.max(last_ns.cast_signed());
        }
    }
    if found.is_none() {
        let log = LogReader::open(&run_dir.ops_path()).ok();
        let run_ns = log.and_then(|log| Some(log.agents().first()?.meta.run_ns));
        found = run_ns.map(|run_ns| RunTime { run_ns, end_ns: 0 });
    }
    let planned = load_points::read(run_dir);
    let planned_ns = planned.iter().map(|point| point.end_ns.cast_signed()).max().unwrap_or(0);
    // For a run that ended early, its counters show the time; without them, only the plan does.
    Ok(found.map(|time| RunTime { end_ns: if time.end_ns > 0 { time.end_ns } else { planned_ns }, ..time }))
}

fn parts(dir: &Path) -> Result<Vec<PathBuf>, CountersError> {
    let mut parts = listed(dir)?;
    parts.retain(|path| path.file_name().is_some_and(|name| is_part(&name.to_string_lossy())));
    Ok(parts)
}

/// A watch of Reelgauge.
fn of_watch(dir: &Path) -> Result<Told, ObserverError> {
    let not_understood =
        |why: &str| ObserverError::NotUnderstood { path: dir.to_path_buf(), why: why.to_owned() };
    let run_dir = RunDir::open(dir)?;
    let plan = watch_plan(&run_dir).ok_or_else(|| {
        not_understood("it is a run, not a watch. Run 'reelgauge watch' on the server during the measurement")
    })?;
    let mut told = Told {
        name: label(&plan.watch.agent),
        kind: ObserverKind::Watch,
        counters: BTreeMap::new(),
        not_read: Vec::new(),
    };
    for part in parts(&run_dir.agent_counters_path(&plan.watch.agent))? {
        let run_ns = part_meta(&part)?.run_ns;
        let read = read_part(&part, &mut |row| {
            let known = Layer::from_name(row.layer).and_then(|layer| kind(layer, row.name));
            // The cost of the watch itself is no fact about the host.
            let Some(known) = known.filter(|kind| kind.layer != Layer::Tool) else { return };
            let key = Key { layer: known.layer, name: known.name, device: row.device.to_owned() };
            let at_ns = run_ns.saturating_add(row.at_ns.cast_signed());
            told.counters.entry(key).or_default().push((at_ns, row.value));
        });
        match read {
            Ok(unread) => told.not_read = unread,
            Err(error) => told.not_read.push(error.to_string()),
        }
    }
    if told.counters.is_empty() {
        return Err(not_understood("it contains no samples"));
    }
    Ok(told)
}

/// A table or a Prometheus text, host by host.
fn of_text(path: &Path) -> Result<Vec<Told>, ObserverError> {
    let failed = |source| ObserverError::Io { path: path.to_path_buf(), source };
    let mut text = Vec::new();
    File::open(path).map_err(failed)?.take(TEXT_MAX_BYTES + 1).read_to_end(&mut text).map_err(failed)?;
    let not_understood = |why| ObserverError::NotUnderstood { path: path.to_path_buf(), why };
    if text.len() as u64 > TEXT_MAX_BYTES {
        return Err(not_understood("it is larger than 256 MiB; reduce it to the time of the run".to_owned()));
    }
    let text = decoded(&text);
    let kind = kind_of(path, text.as_bytes());
    let tables = match kind {
        ObserverKind::Prometheus => prometheus::read(&text),
        ObserverKind::Csv | ObserverKind::Watch => csv_table::read(text.as_bytes()),
    };
    let of_file = label(&path.file_stem().unwrap_or_default().to_string_lossy());
    let of_file = if of_file.is_empty() { "observer".to_owned() } else { of_file };
    let told = |table: SeriesTable| Told {
        name: if table.machine.is_empty() { of_file.clone() } else { table.machine.clone() },
        kind,
        counters: named::counters(&table),
        not_read: table.not_read,
    };
    Ok(tables.map_err(not_understood)?.into_iter().map(told).collect())
}

/// By the name of the file, otherwise by its first line.
fn kind_of(path: &Path, text: &[u8]) -> ObserverKind {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_table =
        first.iter().any(|byte| b",;\t".contains(byte)) && !first.contains(&b'{') && !first.starts_with(b"#");
    match extension.to_str() {
        Some("csv" | "tsv") => ObserverKind::Csv,
        Some("prom" | "om" | "json") => ObserverKind::Prometheus,
        _ if is_table => ObserverKind::Csv,
        _ => ObserverKind::Prometheus,
    }
}

fn another_time(source: &Path, told: &[Told], time: RunTime, offset_ns: i64) -> ObserverError {
    let counters = || told.iter().flat_map(|told| told.counters.values());
    let all = || counters().flatten().map(|(at_ns, _)| at_ns.saturating_sub(offset_ns));
    let period = |from_ns: Option<i64>, until_ns: Option<i64>| {
        format!("{} to {}", wall(from_ns.unwrap_or(0)), wall(until_ns.unwrap_or(0)))
    };
    ObserverError::AnotherTime {
        path: source.to_path_buf(),
        theirs: period(all().min(), all().max()),
        run: period(Some(time.run_ns), Some(time.run_ns.saturating_add(time.end_ns))),
    }
}

/// A time by the wall clock, to the second.
fn wall(at_ns: i64) -> String {
    Timestamp::from_nanosecond(at_ns.into())
        .map_or_else(|_| "?".to_owned(), |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}
