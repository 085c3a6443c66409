//! The common part of every measuring verb: its plan is carried out, and its summary shown.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use reelgauge_report::{Detail, Tables};
use reelgauge_runner::error::RunError;
use reelgauge_runner::event::{EventRequest, WithEvent};
use reelgauge_runner::exit_code::BROKE_OFF;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::mix::MixRequest;
use reelgauge_runner::observer::Observer;
use reelgauge_runner::remote_control::{self, Pilot};
use reelgauge_runner::replay::{ReplayRequest, run_replay};
use reelgauge_runner::session::finished_run::Finished;
use reelgauge_runner::streams::{StreamsRequest, run_streams};
use reelgauge_runner::supervise::{HANG_AFTER, Patience, steering_input, supervised};

use reelgauge_runner::watch::{WatchRequest, watch};

use crate::cli::OutputArgs;
use crate::progress::Progress;
use crate::screen;

#[derive(Debug)]
pub enum Measurement {
    Mix(Box<MixRequest>),
    Streams(Box<StreamsRequest>),
    /// A trace.
    Replay(Box<ReplayRequest>),
    /// Counters without load.
    Watch(Box<WatchRequest>),
    /// A quick check.
    Check(Box<reelgauge_runner::check::CheckRequest>),
}

/// Runs a plan and shows its summary. Returns the exit status.
pub fn carry_out(job: Measurement, output: &OutputArgs) -> Result<u8> {
    carry_out_with(job, None, output)
}

/// Carries out a job with a user's event.
pub fn carry_out_with(job: Measurement, event: Option<EventRequest>, output: &OutputArgs) -> Result<u8> {
    let patience = patience(&job);
    let code = supervised(&patience, || match measure(job, event, output) {
        Ok(code) => code,
        Err(error) => screen::complain(&error),
    })?;
    Ok(code)
}

/// Carries out a plan under remote control, through standard input and output. Returns the exit status.
pub fn carry_out_steered(job: Measurement, plan: &Path) -> Result<u8> {
    let patience = patience(&job);
    let plan_sha256 = remote_control::sha256_of(plan)?;
    let code = supervised(&patience, || match measure_steered(job, plan_sha256) {
        Ok(code) => code,
        Err(error) => screen::complain(&error),
    })?;
    Ok(code)
}

fn measure_steered(job: Measurement, plan_sha256: String) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let input = steering_input().context("cannot listen to the agent")?;
    let mut pilot =
        Pilot::start(input, plan_sha256, &interrupt).context("cannot set up remote control by the agent")?;
    let result = perform(job, &mut pilot, &interrupt);
    let code = pilot.done(&result);
    if let Err(error) = result {
        screen::complain(&error.into());
    }
    Ok(code)
}

/// The storage of a job, and the time limit for its answers.
fn patience(job: &Measurement) -> Patience {
    let (path, hang_after) = match job {
        Measurement::Mix(request) => (&request.plan.target, request.plan.hang_after.duration()),
        Measurement::Streams(request) => (&request.plan.target, request.plan.hang_after.duration()),
        Measurement::Replay(request) => (&request.plan.target, request.plan.hang_after.duration()),
        Measurement::Check(request) => (&request.target, HANG_AFTER),
        // It opens nothing on any storage.
        Measurement::Watch(request) => (&request.out, HANG_AFTER),
    };
    Patience { path: path.clone(), hang_after }
}

fn measure(job: Measurement, event: Option<EventRequest>, output: &OutputArgs) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let mut progress = Progress::new(output.quiet || output.json);
    let came = match event {
        Some(event) => perform(job, &mut WithEvent::new(&mut progress, event), &interrupt),
        None => perform(job, &mut progress, &interrupt),
    };
    let finished = match came {
        Ok(finished) => finished,
        Err(error) => {
            progress.finished();
            let code = error.exit_code();
            screen::complain(&error.into());
            return Ok(code);
        }
    };
    if let Err(error) = show(&finished, output)
        && !screen::is_broken_pipe(&error)
    {
        // The measurement is kept; only showing it failed.
        let run_dir = finished.run_dir.display();
        screen::complain(&error.context(format!("the results are in {run_dir}, but cannot be printed")));
        return Ok(BROKE_OFF);
    }
    Ok(finished.exit_code())
}

fn perform(
    job: Measurement,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    match job {
        Measurement::Mix(request) => reelgauge_runner::mix::run_mix(*request, observer, interrupt),
        Measurement::Streams(request) => run_streams(*request, observer, interrupt),
        Measurement::Replay(request) => run_replay(*request, observer, interrupt),
        Measurement::Watch(request) => watch(*request, observer, interrupt),
        Measurement::Check(request) => reelgauge_runner::check::check(*request, observer, interrupt),
    }
}

fn show(finished: &Finished, output: &OutputArgs) -> Result<()> {
    let text = if output.json {
        finished.summary.to_json()?
    } else {
        screen::of(&finished.summary, Tables::Last, Detail::Normal)
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
