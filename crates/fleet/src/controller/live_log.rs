//! `live.jsonl` of a run of a fleet, in the directory of its future results: viewers such as the console
//! see it like any other run, with its hosts.
//!
//! Not here: its content ([`super::live_tick`]).

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reelgauge_analysis::Summary;
use reelgauge_results::live::process::own_mark;
use reelgauge_results::live::writer::LiveWriter;
use reelgauge_results::live::{LiveEvent, LiveOutcome};
use reelgauge_workload::streams::AnyPlan;

use super::clock::now_ns;
use super::conduct::Conduct;
use super::fleet_run::FleetRun;
use super::live_tick::{at_s, phase, tick};
use super::run_lifecycle::Journey;
use crate::merged_run::{self, WholeError};

/// After this time without news, viewers assume that a run hangs.
const AGAIN: Duration = Duration::from_secs(2);

/// Writes the file; the module describes it.
#[derive(Debug)]
pub struct FleetLiveLog {
    run_dir: PathBuf,
    /// `None` if nothing can be written: then viewers see nothing, and the run is unchanged.
    writer: Option<LiveWriter>,
    phase: Option<(String, Instant)>,
    at_s: f64,
}

impl FleetLiveLog {
    /// Begins a run's directory, in which its results will be merged, and the file in it.
    ///
    /// # Errors
    /// If the directory can't be made, or belongs to something else.
    pub fn begin(run_dir: &Path, journey: &Journey) -> Result<FleetLiveLog, WholeError> {
        let plan_toml = journey.placed.first().map_or("", |placed| placed.part.plan_toml.as_str());
        merged_run::begin(run_dir, plan_toml)?;
        let mut writer = LiveWriter::create(run_dir);
        if let Some(writer) = &mut writer {
            writer.write(&begin_event(journey, plan_toml));
        }
        Ok(FleetLiveLog { run_dir: run_dir.to_path_buf(), writer, phase: None, at_s: 0.0 })
    }

    /// Writes the current state. Call it once a second.
    pub fn tell(&mut self, run: &FleetRun) {
        self.tell_at(&run.conduct, now_ns());
    }

    fn tell_at(&mut self, conduct: &Conduct, now_ns: i64) {
        self.at_s = at_s(conduct, now_ns);
        let name = phase(conduct, now_ns).unwrap_or_else(|| "measuring".to_owned());
        let tick = tick(conduct, now_ns);
        let told = self.phase.as_ref().filter(|(told, _)| *told == name);
        // Figures prove that the run continues, so the phase is repeated only without them.
        if told.is_none_or(|(_, at)| tick.is_none() && at.elapsed() >= AGAIN) {
            self.phase = Some((name.clone(), Instant::now()));
            self.write(&LiveEvent::Phase { at_s: self.at_s, name });
        }
        if let Some(tick) = tick {
            self.write(&LiveEvent::Live(Box::new(tick)));
        }
    }

    /// Closes the file: the results are complete.
    pub fn end(self, summary: &Summary) {
        let end = LiveEvent::end_of(summary, self.at_s);
        self.finish(&end);
    }

    /// Closes the file: the run could not be completed.
    pub fn broke_off(self, why: &str) {
        let end = LiveEvent::End {
            at_s: self.at_s,
            outcome: LiveOutcome::BrokeOff,
            reason: Some(why.to_owned()),
            late_frames: None,
            incidents: None,
        };
        self.finish(&end);
    }

    /// Removes the directory if nothing else is in it, because nothing was measured.
    pub fn forget(self) {
        // Close the file first, so that nothing is written to it later.
        let run_dir = self.run_dir.clone();
        self.broke_off("nothing was measured");
        merged_run::take_back(&run_dir);
    }

    fn write(&mut self, event: &LiveEvent) {
        if let Some(writer) = &mut self.writer {
            writer.write(event);
        }
    }

    fn finish(self, end: &LiveEvent) {
        if let Some(writer) = self.writer {
            writer.finish(end);
        }
    }
}

fn begin_event(journey: &Journey, plan_toml: &str) -> LiveEvent {
    let mut targets: Vec<String> =
        journey.placed.iter().map(|placed| placed.target.display().to_string()).collect();
    targets.sort();
    targets.dedup();
    let (verb, label) = match AnyPlan::from_toml(plan_toml) {
        Ok(AnyPlan::Streams(plan)) => ("streams", plan.name),
        Ok(AnyPlan::Mix(plan)) => ("mix", plan.mix.profile),
        Ok(AnyPlan::Replay(_)) => ("replay", String::new()),
        Err(_) => ("run", String::new()),
    };
    LiveEvent::Begin {
        at_s: 0.0,
        pid: std::process::id(),
        process: own_mark(),
        verb: verb.to_owned(),
        label,
        target: targets.join(" + "),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::conduct::{OnLoss, Stage};
    use super::*;

    #[test]
    fn a_pause_is_reported_repeatedly_so_that_silence_is_meaningful() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = FleetLiveLog {
            run_dir: dir.path().to_path_buf(),
            writer: LiveWriter::create(dir.path()),
            phase: None,
            at_s: 0.0,
        };
        let mut conduct = Conduct::new("run", OnLoss::GoOn, Vec::new(), 1);
        conduct.stage = Stage::Paused { point: 1 };
        log.tell_at(&conduct, 0);
        log.tell_at(&conduct, 0);
        log.phase.as_mut().unwrap().1 -= AGAIN;
        log.tell_at(&conduct, 0);
        log.broke_off("the test is over");
        let text = std::fs::read_to_string(dir.path().join("live.jsonl")).unwrap();
        let phases = text.matches("\"name\":\"paused\"").count();
        assert_eq!((phases, text.matches("the test is over").count()), (2, 1), "{text}");
    }

    #[test]
    fn unmeasured_run_removes_its_directory_unless_it_has_other_files() {
        let parent = tempfile::tempdir().unwrap();
        for keeps in [false, true] {
            let run_dir = parent.path().join("run");
            merged_run::begin(&run_dir, "").unwrap();
            if keeps {
                std::fs::write(run_dir.join("notes.txt"), "mine").unwrap();
            }
            let writer = LiveWriter::create(&run_dir);
            FleetLiveLog { run_dir: run_dir.clone(), writer, phase: None, at_s: 0.0 }.forget();
            assert_eq!(run_dir.exists(), keeps);
        }
    }
}
