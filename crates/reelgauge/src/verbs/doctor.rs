//! `reelgauge doctor`: settings that are bad for media on the local host, or on one with collected
//! texts.

#[cfg(target_os = "linux")]
mod probe;
#[cfg(not(target_os = "linux"))]
#[path = "doctor/probe_other.rs"]
mod probe;

mod measured_rate;

use std::collections::BTreeSet;
use std::io::Write;
use std::net::IpAddr;
use std::path::Path;

use anyhow::{Context, Result, bail};
use reelgauge_analysis::path::ceiling::tcp_payload_bytes_per_s;
use reelgauge_analysis::path::{ClientLink, MeasuredPath, PathFacts, path};
use reelgauge_doctor::rule::Role;
use reelgauge_doctor::rule::catalogue::rules;
use reelgauge_doctor::{Scope, diagnose};
use reelgauge_machine::facts::{ENDS, LinkTo, MEASURED, PROBED, ends_text, link_named, link_to};
#[cfg(windows)]
use reelgauge_machine::mount::Mount;
use reelgauge_machine::mountinfo;
use reelgauge_machine::path_mount::Place;
#[cfg(not(windows))]
use reelgauge_machine::texts::local;
use reelgauge_machine::texts::{Texts, collect_script, folder};
use reelgauge_report::doctor::{diagnosis_json, doctor_screen, is_grave};
use reelgauge_report::path::link_words;
use reelgauge_results::site::read_site;

use super::site_dialogue::ask;

use crate::cli::{DoctorArgs, ScriptKind};
use crate::screen;

/// The status of a costly finding.
const EXIT_GRAVE: u8 = 1;
/// No rule could be evaluated.
const EXIT_NOTHING_TO_JUDGE: u8 = 2;

/// Judges a host. Returns the exit status.
pub fn doctor(args: &DoctorArgs) -> Result<u8> {
    if args.ask {
        return ask(&args.site);
    }
    if args.probe {
        return probe::with_probes(args);
    }
    let mut out = std::io::stdout().lock();
    match args.collect_script {
        Some(ScriptKind::Sh) => out.write_all(collect_script::shell().as_bytes())?,
        Some(ScriptKind::Powershell) => out.write_all(collect_script::powershell().as_bytes())?,
        None => return judge(args, None, &mut out),
    }
    Ok(0)
}

/// Judges a host, with the results of probes.
fn judge(args: &DoctorArgs, probed: Option<&str>, out: &mut impl Write) -> Result<u8> {
    let mut texts = match &args.from {
        Some(folder) => folder::read(folder)?,
        #[cfg(windows)]
        None => collected_by_powershell()?,
        #[cfg(not(windows))]
        None => local::collect(),
    };
    if let Some(probed) = probed {
        texts.put(PROBED, Ok(probed.to_owned()));
    }
    // For another host, only a named run counts.
    let runs = args.site.parent().filter(|_| args.from.is_none());
    if let Some(measured) = measured_rate::measured(args.run.as_deref(), args.path.as_deref(), runs) {
        texts.put(MEASURED, Ok(measured));
    }
    let place = args.path.as_deref().map(|path| place(&texts, path, args.from.is_some())).transpose()?;
    if let Some(both) = place.as_ref().map(|place| both_ends(args, &texts, place)).transpose()?.flatten() {
        texts.put(ENDS, Ok(both));
    }
    let mut roles = BTreeSet::from([Role::Client]);
    if args.server {
        roles.insert(Role::Server);
    }
    let way = place.as_ref().map(|place| way(args, &texts, place)).transpose()?.flatten();
    let scope = Scope { roles, place, is_elsewhere: args.from.is_some(), is_probed: probed.is_some() };
    let diagnosis = diagnose(&texts, scope, rules());
    let text = match args.json {
        true => diagnosis_json(&diagnosis, way.as_ref())? + "\n",
        false => doctor_screen(&diagnosis, way.as_ref(), args.all, screen::style()),
    };
    out.write_all(text.as_bytes())?;
    Ok(match is_grave(&diagnosis) {
        true => EXIT_GRAVE,
        false if diagnosis.knows_nothing() => EXIT_NOTHING_TO_JUDGE,
        false => 0,
    })
}

/// The texts of the local Windows host.
#[cfg(windows)]
fn collected_by_powershell() -> Result<Texts> {
    use reelgauge_machine::facts::Gap;
    use reelgauge_machine::texts::windows_host::{CollectError, POWERSHELL, collect};
    match collect() {
        Err(CollectError::Failed(why)) => bail!(
            "the settings of Windows were not collected: {}. Create the script: reelgauge doctor --collect-script \
             powershell > collect.ps1. Run it, then: reelgauge doctor --from DIR",
            reelgauge_report::doctor::reason(&Gap { text: POWERSHELL.to_owned(), why })
        ),
        texts => Ok(texts.context("the settings of Windows")?),
    }
}

/// The local host's link to the server of a place, and its address.
fn link_of(texts: &Texts, place: &Place) -> Option<(LinkTo, IpAddr)> {
    let server = place.server?;
    let link = match &place.link {
        Some(link) => link_named(texts, &link.interface),
        None => link_to(texts, server)?,
    };
    Some((link, server))
}

/// The MTUs of both ends, if the local one is known and the server's was stated.
fn both_ends(args: &DoctorArgs, texts: &Texts, place: &Place) -> Result<Option<String>> {
    let stated = read_site(&args.site)?.and_then(|site| site.server.mtu_bytes);
    let own = link_of(texts, place).and_then(|(link, _)| link.mtu_bytes);
    Ok(own.zip(stated).filter(|_| !place.is_local).map(|(own, stated)| ends_text(own, stated)))
}

/// The network path to a server's disks, with the known facts about its parts. `None` if there is no
/// network and the site was not described.
fn way(args: &DoctorArgs, texts: &Texts, place: &Place) -> Result<Option<PathFacts>> {
    let site = read_site(&args.site)?;
    let link = link_of(texts, place);
    if place.is_local || link.is_none() && site.is_none() {
        return Ok(None);
    }
    let client = link.map(|(link, server)| ClientLink {
        words: link_words(&link.interface, server, link.mbit_per_s, link.mtu_bytes),
        mbit_per_s: link.mbit_per_s,
        line_bytes_per_s: link
            .mbit_per_s
            .map(|mbit| tcp_payload_bytes_per_s(mbit, link.mtu_bytes.unwrap_or(1_500))),
    });
    Ok(Some(path(&site.unwrap_or_default(), client.as_ref(), MeasuredPath::default())))
}

/// The storage of a path; for another host only its mount table shows it.
fn place(texts: &Texts, path: &Path, is_elsewhere: bool) -> Result<Place> {
    #[cfg(windows)]
    if !is_elsewhere {
        let mut place = Place::on_mount(Mount::at(path)?, path);
        place.find_link();
        return Ok(place);
    }
    if texts.get(mountinfo::FILE).is_err() {
        bail!(
            "the collected data does not show the mount of {}; omit the path to check the whole machine",
            path.display()
        );
    }
    if is_elsewhere {
        if !path.is_absolute() {
            bail!("{} must be an absolute path on the host where the data was collected", path.display());
        }
        return Place::collected(texts, path).context("the collected mount table");
    }
    let mut place = Place::here(&texts.mounts(), path)?;
    place.find_link();
    Ok(place)
}
