//! Adds the counters of observers to a run of several hosts: to each host's own run, so that its limit
//! is known, and to the whole, which shows them.
//!
//! Not here: importing and judging ([`reelgauge_results`] does it as for a run on one host).

use std::path::{Path, PathBuf};

use reelgauge_analysis::{Note, NoteFact};
use reelgauge_record::run_dir::RunDir;
use reelgauge_results::observers::add;
use reelgauge_results::reopen::ReopenError;
use reelgauge_results::run_judgement::judge_again;

use super::agent_part::{AgentShare, ClockOffset, WholeRequest};
use super::{Whole, WholeError, leave_page, make};

/// The facts about one observer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObserverShare {
    pub name: String,
    /// Its samples, as far as they were fetched; `None` if none were.
    pub run_dir: Option<PathBuf>,
    /// The offset of its clock from the controller's.
    pub clock: Option<ClockOffset>,
    /// Why it was missing, if it was.
    pub why_missing: Option<String>,
}

/// Merges the runs of all agents, with the counters of observers. If an observer has no usable counters,
/// a note reports it, and nothing else changes.
///
/// # Errors
/// The errors of [`make`].
pub fn make_observed(request: WholeRequest, observers: &[ObserverShare]) -> Result<Whole, WholeError> {
    for agent in &request.agents {
        // If this fails, the host's run stays unchanged; the whole reports the observer.
        let _ = judged(agent, observers);
    }
    let whole = make(request)?;
    if observers.is_empty() {
        return Ok(whole);
    }
    let run_dir = RunDir::open(&whole.run_dir)?;
    let note = |observer: &ObserverShare| {
        let fact = NoteFact::Observer { name: observer.name.clone() };
        add_to_whole(&run_dir, observer).err().map(|why| Note::new(fact, why, ""))
    };
    let notes: Vec<Note> = observers.iter().filter_map(note).collect();
    let mut summary = judge_again(&run_dir).unwrap_or(whole.summary);
    summary.notes.extend(notes);
    run_dir.write_summary(&summary)?;
    leave_page(&run_dir, &mut summary);
    Ok(Whole { summary, ..whole })
}

/// Adds observers to one host's run, and judges it again.
fn judged(agent: &AgentShare, observers: &[ObserverShare]) -> Result<(), ReopenError> {
    let Some(dir) = agent.run_dir.as_deref().filter(|_| !observers.is_empty()) else { return Ok(()) };
    let run_dir = RunDir::open(dir)?;
    let own = agent.clock_ahead();
    let is_beside = |observer: &&ObserverShare| {
        let source = observer.run_dir.as_deref().and_then(only_run);
        source.is_some_and(|source| add(&run_dir, &source, ahead_ns(observer.clock, own), &[]).is_ok())
    };
    if observers.iter().filter(is_beside).count() > 0 {
        judge_again(&run_dir)?;
    }
    Ok(())
}

/// Adds one observer to the whole, on the controller's clock. An error is the reason why it could not be
/// added.
fn add_to_whole(run_dir: &RunDir, observer: &ObserverShare) -> Result<(), String> {
    let name = reelgauge_report::text::plain(&observer.name);
    let missing = observer.why_missing.as_deref().map_or(String::new(), |why| format!(" ({why})"));
    let Some(source) = observer.run_dir.as_deref().and_then(only_run) else {
        return Err(format!("Observer {name} has no data{missing}: nothing was fetched from it."));
    };
    let zero = Some(ClockOffset::default());
    match add(run_dir, &source, ahead_ns(observer.clock, zero), &[]) {
        Err(error) => Err(format!("Observer {name} could not be added to the run{missing}: {error}.")),
        Ok(_) if observer.why_missing.is_some() => {
            Err(format!("Observer {name} stopped early{missing}; its earlier samples are included."))
        }
        Ok(_) => Ok(()),
    }
}

/// How far one clock is ahead of another; `None` if one of them is unknown.
fn ahead_ns(one: Option<ClockOffset>, other: Option<ClockOffset>) -> Option<i64> {
    Some(one?.offset_ns.saturating_sub(other?.offset_ns))
}

/// The directory, if it is a run directory.
fn only_run(dir: &Path) -> Option<PathBuf> {
    RunDir::open(dir).is_ok().then(|| dir.to_path_buf())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::limit::LimitStep;
    use reelgauge_record::counters::{Key, Layer, Sample, StoreMeta, StoreWriter};
    use reelgauge_results::load_points::{self, LoadPointPlan};
    use reelgauge_results::reopen::reopen;
    use reelgauge_workload::watch::{WatchPlan, WatchSettings};

    use super::super::tests::{ZERO_NS, mix, request};
    use super::*;

    const S: u64 = 1_000_000_000;

    fn sample(run: &RunDir, agent: &str, run_ns: i64, busy_percent: Option<f64>) {
        let meta = StoreMeta { run_ns, agent: agent.to_owned() };
        let mut store = StoreWriter::create(&run.agent_counters_path(agent), meta).unwrap();
        for second in 0..6 {
            let disk = busy_percent.map(|percent| (Layer::Disk, "util_percent", "sda", percent));
            let own = (Layer::Host, "cpu_busy_percent", "", 3.0);
            let samples = [disk.unwrap_or(own)].map(|(layer, name, device, value)| Sample {
                at_ns: second * S,
                key: Key { layer, name, device: device.to_owned() },
                value: Some(value),
            });
            store.append(samples);
        }
        store.seal(&[]).unwrap();
    }

    /// A host's run on a share, measured from its first second on.
    fn client(dir: &Path, name: &str, seed: u64) -> PathBuf {
        let path = mix(seed).write(dir, name);
        let run = RunDir::open(&path).unwrap();
        let mut summary = reopen(&path).unwrap();
        summary.target.fs_type = Some("nfs4".to_owned());
        run.write_summary(&summary).unwrap();
        sample(&run, "local", ZERO_NS, None);
        let planned = LoadPointPlan {
            index: 0,
            label: String::new(),
            workers: 2,
            sweep_value: None,
            max_bytes_per_s: None,
            tried: None,
            started_ns: 0,
            warmup_until_ns: 0,
            end_ns: 2 * S,
        };
        load_points::write(&run, &[planned]).unwrap();
        path
    }

    /// An observer whose clock is hours ahead, with this disk utilisation.
    fn observer(dir: &Path, busy_percent: f64) -> ObserverShare {
        let ahead_ns: i64 = 3 * 3_600 * 1_000_000_000;
        let path = dir.join("watch");
        std::fs::create_dir_all(&path).unwrap();
        let run = RunDir::begin_at(&path).unwrap();
        let watch = WatchSettings { agent: "nas1".to_owned(), ..WatchSettings::default() };
        run.write_plan(&WatchPlan { watch, ..WatchPlan::default() }.to_toml().unwrap()).unwrap();
        sample(&run, "nas1", ZERO_NS + ahead_ns - 1_000_000_000, Some(busy_percent));
        ObserverShare {
            name: "nas1".to_owned(),
            run_dir: Some(path),
            clock: Some(ClockOffset { offset_ns: ahead_ns, uncertainty_ns: 1 }),
            why_missing: None,
        }
    }

    /// The limit of each host, by the counters of an observer.
    fn limits(busy_percent: f64) -> (Vec<Option<LimitStep>>, Whole, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let runs = [client(dir.path(), "one", 1), client(dir.path(), "two", 5)];
        let mut request = request(dir.path(), &runs);
        for agent in &mut request.agents {
            agent.clock_after = Some(ClockOffset::default());
        }
        let whole = make_observed(request, &[observer(dir.path(), busy_percent)]).unwrap();
        let hosts = &whole.summary.hosts.as_ref().unwrap().points[0].hosts;
        (hosts.iter().map(|host| host.limit).collect(), whole, dir)
    }

    #[test]
    fn busy_disk_seen_by_an_observer_limits_every_host() {
        let (found, whole, _dir) = limits(97.0);
        assert_eq!(found, [Some(LimitStep::ServerDisk); 2], "{:?}", whole.summary.notes);
        let observers = &whole.summary.observers;
        assert_eq!((observers.len(), observers[0].name.as_str()), (1, "nas1"));
        assert!(observers[0].is_offset_stated);
        // A sample one second before the run is omitted, although the clock is hours ahead.
        assert!(observers[0].from_s < 1.0 && observers[0].samples > 1, "{observers:?}");
        assert!(whole.run_dir.join("observers/agent=nas1").is_dir());
        assert_eq!(reopen(&whole.run_dir).unwrap().observers, *observers);
    }

    #[test]
    fn idle_disk_seen_by_an_observer_is_no_limit() {
        let (found, _, _dir) = limits(4.0);
        assert!(found.iter().all(|found| *found != Some(LimitStep::ServerDisk)), "{found:?}");
    }

    #[test]
    fn an_observer_that_was_lost_is_named_and_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let runs = [client(dir.path(), "one", 1), client(dir.path(), "two", 5)];
        let why_missing = Some("it was not heard any more".to_owned());
        let lost = ObserverShare { name: "nas1".to_owned(), why_missing, ..ObserverShare::default() };
        let whole = make_observed(request(dir.path(), &runs), &[lost]).unwrap();
        assert!(whole.missing.is_empty() && whole.summary.observers.is_empty());
        let notes: String = whole.summary.notes.iter().map(Note::text).collect();
        assert!(notes.contains("Observer nas1") && notes.contains("(it was not heard any more)"), "{notes}");
        assert_eq!(reopen(&whole.run_dir).unwrap().notes, whole.summary.notes);
    }
}
