//! `live.jsonl` of a run of a fleet, in the directory that its results will have: whoever watches it (the
//! console) sees it as any other run, with its machines.
//!
//! Not here: how it stands ([`super::live_tick`]).

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
use super::journey::Journey;
use super::live_tick::{at_s, phase, tick};
use crate::whole::{self, WholeError};

/// Who watches takes a run that says nothing for longer for one that can't.
const AGAIN: Duration = Duration::from_secs(2);

/// See the module.
#[derive(Debug)]
pub struct FleetLiveLog {
    run_dir: PathBuf,
    /// `None` where nothing can be written: whoever watches sees nothing, and nothing else changes.
    writer: Option<LiveWriter>,
    phase: Option<(String, Instant)>,
    at_s: f64,
}

impl FleetLiveLog {
    /// Begins a run's directory, in which its results will be put together, and the file in it.
    ///
    /// # Errors
    /// The directory can't be made, or is that of something else.
    pub fn begin(run_dir: &Path, journey: &Journey) -> Result<FleetLiveLog, WholeError> {
        let plan_toml = journey.placed.first().map_or("", |placed| placed.part.plan_toml.as_str());
        whole::begin(run_dir, plan_toml)?;
        let mut writer = LiveWriter::create(run_dir);
        if let Some(writer) = &mut writer {
            writer.write(&begin_event(journey, plan_toml));
        }
        Ok(FleetLiveLog { run_dir: run_dir.to_path_buf(), writer, phase: None, at_s: 0.0 })
    }

    /// How it stands; to be told once a second.
    pub fn tell(&mut self, run: &FleetRun) {
        self.tell_at(&run.conduct, now_ns());
    }

    fn tell_at(&mut self, conduct: &Conduct, now_ns: i64) {
        self.at_s = at_s(conduct, now_ns);
        let name = phase(conduct, now_ns).unwrap_or_else(|| "measuring".to_owned());
        let tick = tick(conduct, now_ns);
        let told = self.phase.as_ref().filter(|(told, _)| *told == name);
        // While there are figures they say that it goes on.
        if told.is_none_or(|(_, at)| tick.is_none() && at.elapsed() >= AGAIN) {
            self.phase = Some((name.clone(), Instant::now()));
            self.write(&LiveEvent::Phase { at_s: self.at_s, name });
        }
        if let Some(tick) = tick {
            self.write(&LiveEvent::Live(Box::new(tick)));
        }
    }

    /// Its results are there.
    pub fn end(self, summary: &Summary) {
        let end = LiveEvent::end_of(summary, self.at_s);
        self.finish(&end);
    }

    /// It could not be brought to its end.
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

    /// Nothing was measured: its directory goes, if nothing else is in it.
    pub fn forget(self) {
        // Its end first, so that nothing is written any more.
        let run_dir = self.run_dir.clone();
        self.broke_off("nothing was measured");
        whole::take_back(&run_dir);
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
    fn a_pause_is_told_again_and_again_so_that_silence_means_something() {
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
    fn a_run_in_which_nothing_was_measured_leaves_no_directory_and_one_with_more_in_it_stays() {
        let parent = tempfile::tempdir().unwrap();
        for keeps in [false, true] {
            let run_dir = parent.path().join("run");
            whole::begin(&run_dir, "").unwrap();
            if keeps {
                std::fs::write(run_dir.join("notes.txt"), "mine").unwrap();
            }
            let writer = LiveWriter::create(&run_dir);
            FleetLiveLog { run_dir: run_dir.clone(), writer, phase: None, at_s: 0.0 }.forget();
            assert_eq!(run_dir.exists(), keeps);
        }
    }
}
