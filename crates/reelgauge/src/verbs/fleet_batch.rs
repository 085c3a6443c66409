//! `reelgauge fleet run` with a plan that has steps: one run after another, each merged and shown, and
//! the result of all.

use std::io::Write;

use anyhow::Result;
use reelgauge_fleet::controller::batch::{Batch, BatchRun, StepMoved, result_of};
use reelgauge_fleet::controller::clock::now_ns;
use reelgauge_fleet::controller::conduct::{OnLoss, WhyStopped};
use reelgauge_fleet::controller::live_log::FleetLiveLog;
use reelgauge_fleet::controller::rest_time::Rest;
use reelgauge_fleet::controller::run_lifecycle::{Journey, date_and_time, time_of_day};
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_fleet::merged_run::observer_counters::make_observed;
use reelgauge_report::fleet_steps::{
    StepAhead, StepResult, fleet_rests, fleet_step_begins, fleet_steps_again,
};
use reelgauge_report::text::shell_word;
use reelgauge_report::{Detail, Tables};
use reelgauge_runner::interrupt::Interrupt;

use super::fleet_preflight;
use super::fleet_run_common::{self, begins, begun, carry_out, leave, put_together, say};
use crate::screen;

/// The forecast of every step.
pub fn ahead(batch: &Batch, there: &[String]) -> Result<Vec<StepAhead>> {
    let of = |(at, run): (usize, &BatchRun)| {
        Ok(StepAhead {
            number: run.round.number,
            title: run.round.title.clone(),
            not_before: run.round.not_before_s.map(|at_s| date_and_time(at_s.saturating_mul(1_000_000_000))),
            rest_s: run.round.rest_ms as f64 / 1e3,
            ..fleet_run_common::ahead(&batch.placed(at)?, there)
        })
    };
    batch.runs.iter().enumerate().map(of).collect()
}

/// Carries out the remaining runs of a batch, and reports the result of all. Returns the exit status.
pub fn go_on(site: &FleetSite, batch: Batch, json: bool) -> Result<u8> {
    let mut steps = Steps { site, batch, interrupt: Interrupt::listen()?, json, is_stopped: false };
    // Written before any measurement, in case there is no space for the results.
    steps.batch.keep()?;
    let again = format!("reelgauge fleet run --resume {}", steps.again());
    begun(steps.take(), &again)
}

/// The state that one run passes to the next.
#[derive(Clone, Copy, Debug, Default)]
struct Behind {
    rest_ms: u64,
    /// Whether a pause was requested, and no load point was left to pause before.
    wants_pause: bool,
    /// Whether an agent was missing, and the plan stops then.
    ends_all: bool,
}

struct Steps<'a> {
    site: &'a FleetSite,
    batch: Batch,
    interrupt: Interrupt,
    json: bool,
    is_stopped: bool,
}

impl Steps<'_> {
    /// All remaining runs; returns the exit status.
    fn take(&mut self) -> Result<u8> {
        let mut behind = Behind::default();
        while let Some(at) = self.batch.next() {
            self.rest(at, behind)?;
            if self.is_stopped {
                break;
            }
            behind = self.run(at)?;
            if self.is_stopped || behind.ends_all {
                break;
            }
        }
        let text = match self.json {
            true => self.batch.to_json()?,
            false => screen::output_fitted(self.batch.told().trim_end()),
        };
        std::io::stdout().write_all(text.as_bytes())?;
        if self.batch.next().is_some() {
            say(&fleet_steps_again(&self.again()));
        }
        Ok(self.batch.exit_code(self.is_stopped))
    }

    /// The command that resumes it.
    fn again(&self) -> String {
        format!("{} --fleet {}", shell_word(self.batch.dir()), shell_word(self.site.dir()))
    }

    /// Waits until a run may begin.
    fn rest(&mut self, at: usize, behind: Behind) -> Result<()> {
        let (of, round) = (self.batch.runs.len(), self.batch.runs[at].round.clone());
        let rest_ns = i64::try_from(behind.rest_ms.saturating_mul(1_000_000)).unwrap_or(i64::MAX);
        let mut rest = Rest {
            name: self.batch.dir().file_name().unwrap_or_default().to_string_lossy().into_owned(),
            until_ns: now_ns().saturating_add(rest_ns),
            not_before_ns: round.not_before_s.map(|at_s| at_s.saturating_mul(1_000_000_000)),
            ..Rest::default()
        };
        if behind.wants_pause {
            rest.pause(now_ns());
        }
        let mut shown = String::new();
        rest.take(self.site, self.interrupt.flag(), |rest| {
            let until = time_of_day(rest.begins_ns());
            let line = fleet_rests(round.number, of, (!rest.pauses.wants()).then_some(until.as_str()));
            if line != shown {
                say(&line);
                shown = line;
            }
        })?;
        self.is_stopped |= rest.stop_asked || self.interrupt.asked();
        Ok(())
    }

    /// Carries out one run; returns the state for the next. A run that continued without its controller
    /// is resumed; if its load has ended since, it starts again.
    fn run(&mut self, at: usize) -> Result<Behind> {
        let round = self.batch.runs[at].round.clone();
        say(&fleet_step_begins(round.number, self.batch.runs.len(), &round.title));
        let taken_up = match &self.batch.runs[at].result {
            StepResult::GoesOn { run } => Journey::resume(self.site, run, true).ok(),
            _ => None,
        };
        let is_taken_up = taken_up.is_some();
        let on_loss = self.batch.fleet_plan().fleet.on_loss;
        let mut journey = match taken_up {
            Some(journey) => journey,
            None => {
                let observers = self.batch.fleet_plan().observer_parts()?;
                Journey::begin(self.site, on_loss, self.batch.placed(at)?)?.observed_by(observers)?
            }
        };
        self.batch.has(at, StepResult::GoesOn { run: journey.name.clone() })?;
        let run_dir = self.batch.run_dir(at);
        let live = carry_out(self.site, &mut journey, begins, &run_dir, &self.interrupt)?;
        let conduct = journey.conduct();
        let is_broken_off = match &conduct.stopped {
            Some(WhyStopped::User) => true,
            Some(WhyStopped::Missing { .. }) => is_taken_up,
            Some(WhyStopped::Prepared) | None => false,
        };
        let behind = Behind {
            rest_ms: round.rest_ms,
            wants_pause: conduct.pauses.wants(),
            ends_all: on_loss == OnLoss::Stop && conduct.stopped.is_some() && !is_broken_off,
        };
        self.is_stopped |= conduct.stop_asked || self.interrupt.asked();
        let result = self.put_together(at, &journey, live, is_broken_off)?;
        self.batch.has(at, result)?;
        leave(self.site, journey)?;
        if is_broken_off && !self.is_stopped { self.run(at) } else { Ok(behind) }
    }

    /// Merges a run and shows it. Returns its result.
    fn put_together(
        &mut self,
        at: usize,
        journey: &Journey,
        live: FleetLiveLog,
        is_broken_off: bool,
    ) -> Result<StepResult> {
        let made = match is_broken_off {
            // A run that broke off is repeated: keep its run directory free for the repeated run.
            true => {
                live.forget();
                make_observed(journey.whole(self.batch.broken_off_dir(at)), &journey.observers())
            }
            false => put_together(journey, self.batch.run_dir(at), live),
        };
        let whole = match made {
            Ok(whole) => whole,
            Err(error) => {
                say(&error.to_string());
                let why = error.to_string();
                return Ok(match is_broken_off {
                    true => StepResult::BrokenOff { why },
                    false => StepResult::NotMeasured { why },
                });
            }
        };
        fleet_preflight::pass_on(self.batch.dir(), &whole.run_dir)?;
        self.batch.moved(at, StepMoved::of(&whole.summary).filter(|_| !is_broken_off));
        if !self.json {
            let text = screen::of(&whole.summary, Tables::Last, Detail::Normal);
            std::io::stdout().write_all(text.as_bytes())?;
        }
        let why = match journey.conduct().stopped {
            Some(WhyStopped::User) => "the run was stopped",
            _ => "the agents lost contact with the controller",
        };
        Ok(match is_broken_off {
            true => StepResult::BrokenOff { why: why.to_owned() },
            false => result_of(journey.conduct(), &whole.summary),
        })
    }
}
