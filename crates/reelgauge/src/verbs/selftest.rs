//! `reelgauge selftest`: whether this client can be trusted to measure, and what it can judge.

use std::io::Write;

use anyhow::{Context, Result, anyhow};
use reelgauge_report::selftest::selftest_screen;
use reelgauge_runner::error::RunError;
use reelgauge_runner::exit_code::NOT_MET;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::selftest::{SelfTestRequest, selftest as test};
use reelgauge_runner::supervise::{HANG_AFTER, Patience, supervised};

use crate::cli::{SelfTestArgs, VERSION, terms};
use crate::progress::Progress;
use crate::screen::{complain, style};

/// Tests this client, and the storage of a path. Returns the exit status.
pub fn selftest(args: &SelfTestArgs) -> Result<u8> {
    match args.path.clone() {
        None => carry_out(args),
        Some(path) => {
            let work = || carry_out(args).unwrap_or_else(|error| complain(&error));
            Ok(supervised(&Patience { path, hang_after: HANG_AFTER }, work)?)
        }
    }
}

fn carry_out(args: &SelfTestArgs) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let terms = terms(args.shared_target, args.keep_free);
    let request = SelfTestRequest { target: args.path.clone(), terms, version: VERSION.to_owned() };
    let found = match test(&request, &mut Progress::new(args.json), &interrupt) {
        Ok(found) => found,
        Err(error) => {
            let code = error.exit_code();
            complain(&match error {
                RunError::StoppedWaiting(by) => anyhow!("the self-test was {by}, so it has no result"),
                error => error.into(),
            });
            return Ok(code);
        }
    };
    let text = match args.json {
        true => format!("{}\n", serde_json::to_string_pretty(&found)?),
        false => selftest_screen(&found, style()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(if found.unfit.is_empty() { 0 } else { NOT_MET })
}
