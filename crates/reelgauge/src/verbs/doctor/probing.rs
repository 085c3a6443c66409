//! `reelgauge doctor PATH --probe`: probes first, in a process that can always be left, then the judgement.

use std::io::Write;

use anyhow::{Context, Result};
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::probe::{ProbeRequest, probe};
use reelgauge_runner::supervise::{Patience, supervised};

use crate::cli::{DoctorArgs, terms};
use crate::screen::{EXIT_BROKE_OFF, complain, fitted};

/// Probes and judges. The exit code.
pub(super) fn with_probes(args: &DoctorArgs) -> Result<u8> {
    let target = args.path.clone().context("--probe needs a PATH to probe")?;
    let hang_after = args.hang_after.duration();
    let request = ProbeRequest { target: target.clone(), terms: terms(args.shared_target, None), hang_after };
    let work = || carry_out(args, &request).unwrap_or_else(|error| complain(&error));
    Ok(supervised(&Patience { path: target, hang_after }, work)?)
}

fn carry_out(args: &DoctorArgs, request: &ProbeRequest) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let probed = match probe(request, &interrupt) {
        Ok(probed) => probed,
        Err(error) => {
            let code = error.exit_code();
            complain(&error.into());
            return Ok(code);
        }
    };
    for note in &probed.notes {
        // Nobody is left to tell when standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}", fitted(&format!("reelgauge: {note}")));
    }
    let code = super::judge(args, Some(&probed.text), &mut std::io::stdout().lock())?;
    Ok(if probed.is_whole { code } else { EXIT_BROKE_OFF })
}
