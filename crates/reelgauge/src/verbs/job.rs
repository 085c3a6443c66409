//! What every measuring verb does with its plan: it is carried out, and its summary shown.

use std::io::Write;

use anyhow::{Context, Result};
use reelgauge_report::{Detail, Tables};
use reelgauge_runner::error::RunError;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::mix::MixRequest;
use reelgauge_runner::observer::Observer;
use reelgauge_runner::replay::{ReplayRequest, run_replay};
use reelgauge_runner::session::finished::Finished;
use reelgauge_runner::streams::{StreamsRequest, run_streams};
use reelgauge_runner::supervise::{HANG_AFTER, Patience, supervised};

use crate::cli::OutputArgs;
use crate::progress::Progress;
use crate::screen;

/// What is to be carried out.
#[derive(Debug)]
pub enum Job {
    /// A mix.
    Mix(Box<MixRequest>),
    /// Streams.
    Streams(Box<StreamsRequest>),
    /// A trace.
    Replay(Box<ReplayRequest>),
    /// A first look.
    Check(Box<reelgauge_runner::check::CheckRequest>),
}

/// Runs a plan and shows its summary. The exit code.
pub fn carry_out(job: Job, output: &OutputArgs) -> Result<u8> {
    let patience = patience(&job);
    let code = supervised(&patience, || match measure(job, output) {
        Ok(code) => code,
        Err(error) => screen::complain(&error),
    })?;
    Ok(code)
}

/// Where the storage of a job is, and how long it is waited for.
fn patience(job: &Job) -> Patience {
    let (path, hang_after) = match job {
        Job::Mix(request) => (&request.plan.target, request.plan.hang_after.duration()),
        Job::Streams(request) => (&request.plan.target, request.plan.hang_after.duration()),
        Job::Replay(request) => (&request.plan.target, request.plan.hang_after.duration()),
        Job::Check(request) => (&request.target, HANG_AFTER),
    };
    Patience { path: path.clone(), hang_after }
}

fn measure(job: Job, output: &OutputArgs) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let mut progress = Progress::new(output.quiet || output.json);
    let finished = match perform(job, &mut progress, &interrupt) {
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
        // It was measured, and is kept; only telling it failed.
        let run_dir = finished.run_dir.display();
        screen::complain(
            &error.context(format!("what was measured lies in {run_dir}, but can't be printed")),
        );
        return Ok(screen::EXIT_BROKE_OFF);
    }
    Ok(finished.exit_code())
}

fn perform(job: Job, observer: &mut dyn Observer, interrupt: &Interrupt) -> Result<Finished, RunError> {
    match job {
        Job::Mix(request) => reelgauge_runner::mix::run_mix(*request, observer, interrupt),
        Job::Streams(request) => run_streams(*request, observer, interrupt),
        Job::Replay(request) => run_replay(*request, observer, interrupt),
        Job::Check(request) => reelgauge_runner::check::check(*request, observer, interrupt),
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
