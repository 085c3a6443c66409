//! `reelgauge watch`: counters of the local host without load.

use std::io::Write;

use anyhow::{Context, Result, ensure};
use reelgauge_record::run_dir::label;
use reelgauge_report::{Detail, Tables};
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::watch::{WatchRequest, watch as carry_out};
use reelgauge_workload::watch::{WatchPlan, WatchSettings};

use crate::cli::WatchArgs;
use crate::progress::Progress;
use crate::screen;

/// Watches. Returns the exit status.
pub fn watch(args: &WatchArgs) -> Result<u8> {
    ensure!(args.duration.is_none_or(|span| span.ns() > 0), "--duration must not be 0");
    let agent = args.name.as_deref().map(label).unwrap_or_default();
    let noted = &args.output.noted;
    let plan = WatchPlan {
        written_by: format!("reelgauge {}", env!("CARGO_PKG_VERSION")),
        tags: noted.tags(&[])?,
        storage: noted.storage(Default::default()),
        watch: WatchSettings { agent, path: args.path.clone(), duration: args.duration },
    };
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let mut progress = Progress::new(args.output.quiet || args.output.json);
    progress.say(&match args.duration {
        Some(span) => format!("Sampling for {span}; Ctrl-C ends it sooner and keeps the samples."),
        None => "Sampling; Ctrl-C ends it.".to_owned(),
    });
    let request = WatchRequest { plan, out: args.output.out.clone() };
    let finished = match carry_out(request, &mut progress, &interrupt) {
        Ok(finished) => finished,
        Err(error) => {
            let code = error.exit_code();
            screen::complain(&error.into());
            return Ok(code);
        }
    };
    let text = match args.output.json {
        true => finished.summary.to_json()?,
        false => screen::of(&finished.summary, Tables::Last, Detail::Normal),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(finished.exit_code())
}
