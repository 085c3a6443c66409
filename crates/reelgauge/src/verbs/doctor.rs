//! `reelgauge doctor`: what is set badly for media on this machine, or on one that a script asked.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use reelgauge_doctor::place::Place;
use reelgauge_doctor::rule::Role;
use reelgauge_doctor::rule::catalogue::rules;
use reelgauge_doctor::texts::{Texts, folder, live, script};
use reelgauge_doctor::{Scope, diagnose};
use reelgauge_report::doctor::{diagnosis_json, doctor_screen, is_grave};

use crate::cli::{DoctorArgs, ScriptKind};
use crate::screen;

/// Something that costs much was found.
const EXIT_GRAVE: u8 = 1;

/// Judges a machine. The exit code.
pub fn doctor(args: &DoctorArgs) -> Result<u8> {
    let mut out = std::io::stdout().lock();
    match args.collect_script {
        Some(ScriptKind::Sh) => out.write_all(script::shell().as_bytes())?,
        Some(ScriptKind::Powershell) => out.write_all(script::powershell().as_bytes())?,
        None => return judge(args, &mut out),
    }
    Ok(0)
}

fn judge(args: &DoctorArgs, out: &mut impl Write) -> Result<u8> {
    let texts = match &args.from {
        Some(folder) => folder::read(folder)?,
        None if cfg!(windows) => bail!(
            "on Windows a script asks the machine: reelgauge doctor --collect-script powershell > collect.ps1; \
             then: reelgauge doctor --from DIR"
        ),
        None => live::collect(),
    };
    let place = args.path.as_deref().map(|path| place(&texts, path, args.from.is_some())).transpose()?;
    let mut roles = BTreeSet::from([Role::Client]);
    if args.server {
        roles.insert(Role::Server);
    }
    let diagnosis = diagnose(&texts, Scope { roles, place, is_elsewhere: args.from.is_some() }, rules());
    let text = match args.json {
        true => diagnosis_json(&diagnosis)? + "\n",
        false => doctor_screen(&diagnosis, args.all, screen::style()),
    };
    out.write_all(text.as_bytes())?;
    Ok(if is_grave(&diagnosis) { EXIT_GRAVE } else { 0 })
}

/// Where a path lies; on another machine nothing but its table of mounts can tell.
fn place(texts: &Texts, path: &Path, is_elsewhere: bool) -> Result<Place> {
    let Ok(mounts) = texts.get("/proc/self/mountinfo") else {
        bail!(
            "no text tells which mount {} is on; leave the path away to judge the machine as a whole",
            path.display()
        );
    };
    if is_elsewhere {
        if !path.is_absolute() {
            bail!(
                "{} is a path of the machine that the texts are from; write it from the root",
                path.display()
            );
        }
        return Place::told(mounts, path).context("the collected table of mounts");
    }
    Ok(Place::here(mounts, path)?)
}
