//! `reelgauge doctor PATH --probe`: first the probes, in a process that can always end, then the
//! judgement.

use std::io::Write;

use anyhow::{Context, Result, bail};
use reelgauge_runner::exit_code::{BROKE_OFF, INTERRUPTED};
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::probe::{ProbeError, ProbeRequest, Probed, probe};
use reelgauge_runner::supervise::{Patience, supervised};

use crate::cli::{DoctorArgs, terms};
use crate::screen::{complain, fitted};

/// Probes and judges. Returns the exit status.
pub(super) fn with_probes(args: &DoctorArgs) -> Result<u8> {
    if args.from.is_some() {
        bail!(
            "--probe tests the storage of this client, --from checks the data of another machine; omit one \
             of them"
        );
    }
    let target = args.path.clone().context("--probe needs a PATH")?;
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
    let judged = judged(args, &probed, &interrupt)?;
    // Until the very end: reading a host takes a moment, too.
    if interrupt.asked() {
        let stopped = ProbeError::Stopped;
        let code = stopped.exit_code();
        complain(&stopped.into());
        return Ok(code);
    }
    std::io::stdout().lock().write_all(&judged.text)?;
    Ok(if interrupt.asked() { INTERRUPTED } else { judged.code })
}

/// The final output, and the exit status.
struct Judged {
    text: Vec<u8>,
    code: u8,
}

fn judged(args: &DoctorArgs, probed: &Probed, interrupt: &Interrupt) -> Result<Judged> {
    let mut text = Vec::new();
    if interrupt.asked() {
        return Ok(Judged { text, code: INTERRUPTED });
    }
    for note in &probed.notes {
        // If standard error is closed, the message is lost.
        let _ = writeln!(std::io::stderr(), "{}", fitted(&format!("reelgauge: {note}")));
    }
    let code = super::judge(args, Some(&probed.text), &mut text)?;
    Ok(Judged { text, code: if probed.is_whole { code } else { BROKE_OFF } })
}
