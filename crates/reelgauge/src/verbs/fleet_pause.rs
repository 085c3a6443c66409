//! `reelgauge fleet pause`, `resume` and `stop`: commands to the run in progress, wherever its
//! controller is.

use std::io::Write;

use anyhow::Result;
use reelgauge_fleet::controller::command_channel::{Want, ask};
use reelgauge_fleet::controller::halt::halt;
use reelgauge_fleet::controller::user_command::RunStatus;
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_report::fleet_run::{PauseSaid, fleet_halted, fleet_pause_said};

use crate::cli::FleetStopArgs;
use crate::screen;

/// Pauses the run in progress. Returns the exit status.
pub fn pause(args: &FleetStopArgs) -> Result<u8> {
    let Some(obtained) = ask(&FleetSite::open(&args.fleet)?, Want::Pause)? else {
        return tell(&PauseSaid::NoRun);
    };
    let run = obtained.before.run;
    tell(&match obtained.now {
        Some(RunStatus { is_ending: true, .. }) => PauseSaid::Ending { run },
        Some(RunStatus { wants_pause: false, .. }) | None => PauseSaid::NotDone { run },
        Some(RunStatus { is_paused: true, point, .. }) => PauseSaid::Paused { run, point },
        Some(now) => PauseSaid::Pauses { run, after: now.point.filter(|_| now.measures) },
    })
}

/// Resumes a paused run. Returns the exit status.
pub fn resume(args: &FleetStopArgs) -> Result<u8> {
    let Some(obtained) = ask(&FleetSite::open(&args.fleet)?, Want::Resume)? else {
        return tell(&PauseSaid::NoRun);
    };
    let (was_paused, run) = (obtained.before.wants_pause, obtained.before.run);
    tell(&match obtained.now {
        _ if !was_paused => PauseSaid::NotPaused { run },
        Some(RunStatus { wants_pause: false, .. }) => PauseSaid::GoesOn { run },
        _ => PauseSaid::NotDone { run },
    })
}

/// Stops all runs on a fleet. Returns the exit status.
pub fn stop(args: &FleetStopArgs) -> Result<u8> {
    let halted = halt(&FleetSite::open(&args.fleet)?)?;
    let text = fleet_halted(halted.run.as_deref(), &halted.stopped, &halted.going_on);
    std::io::stdout().write_all(screen::output_fitted(&text).as_bytes())?;
    Ok(u8::from(!halted.going_on.is_empty()))
}

fn tell(said: &PauseSaid) -> Result<u8> {
    std::io::stdout().write_all(screen::output_fitted(&fleet_pause_said(said)).as_bytes())?;
    let is_so = matches!(
        said,
        PauseSaid::Paused { .. }
            | PauseSaid::Pauses { .. }
            | PauseSaid::GoesOn { .. }
            | PauseSaid::NotPaused { .. }
    );
    Ok(u8::from(!is_so))
}
