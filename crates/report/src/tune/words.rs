//! The sentences of fragments.

use reelgauge_doctor::rule::catalogue::rules;
use reelgauge_doctor::rule::{Evidence, Rule};
use reelgauge_doctor::tune::Purpose;
use reelgauge_doctor::tune::fragment::{Because, Destination, Fragment, Left, Line};
use reelgauge_doctor::tune::site::{Site, SiteError, Topology};

use super::sums::{ms, speed};
use crate::units::{block_size, counted};

/// What to do next.
pub(super) const NEXT: &str = "Apply one fragment at a time, and prove that it helps here: reelgauge prove --change \
                               COMMAND --undo COMMAND -- streams PATH --find-max";

/// What there is to say of Apple's former protocol.
pub(super) const AFP: &str = "AFP is legacy: macOS has shared folders by SMB alone since version 11, and Apple has \
                              announced that its client for AFP goes, too. Nothing is tuned for it here: connect the \
                              Macs by SMB instead (smb://, not afp://), with the lines below.";

/// What a rule says that always applies.
const NO_CAVEAT: &str = "No case is known.";

/// What it is for, and what was stated.
pub(super) fn head(purpose: Purpose, site: &Site) -> String {
    let what = match purpose {
        Purpose::Smb => "A Samba server",
        Purpose::Nfs => "An NFS server",
        Purpose::Zfs => "ZFS on a server",
        Purpose::ClientLinux => "A workstation with Linux",
        Purpose::ClientMacos => "A Mac",
        Purpose::ClientWindows => "A workstation with Windows",
        Purpose::Truenas => "TrueNAS",
    };
    let mut stated = Vec::new();
    stated.extend(site.server_link_mbit_per_s.map(|link| format!("a server at {}", speed(link))));
    stated.extend(site.clients.map(|clients| counted(u64::from(clients), "client")));
    stated.extend(site.client_link_mbit_per_s.map(|link| format!("clients at {}", speed(link))));
    stated.extend(site.server_memory_bytes.map(|bytes| format!("{} of memory", block_size(bytes))));
    stated.push(format!("a round trip of {}", ms(site.round_trip_ms)));
    format!("{what}, for {}: {}.", stated.join(", "), topology(site.topology()))
}

fn topology(topology: Topology) -> &'static str {
    match topology {
        Topology::Single => "a single client at equal speed",
        Topology::FanIn => "a fast server port feeds slower clients (fan-in)",
        Topology::Several => "several clients, none slower than the server",
        Topology::NotKnown => "whether a fast port feeds slower ones is not known",
    }
}

/// Where a fragment belongs.
pub(super) fn place(place: &Destination) -> String {
    match place {
        Destination::Into(file) => {
            format!("These lines belong into {file}, in place of those that are there.")
        }
        Destination::File(file) => format!("This file belongs into {file}."),
        Destination::Run(by) => {
            format!("These are commands for {by}; run them one by one, as an administrator.")
        }
        Destination::Dialog(dialog) => format!("These lines go into the dialog {dialog}."),
    }
}

/// Which names stand in it that nobody stated.
pub(super) fn placeholders(fragment: &Fragment, site: &Site) -> Option<String> {
    let names = fragment.names.iter().filter(|name| site.not_stated.contains(name));
    let told: Vec<String> = names.map(|name| format!("{} ({})", site.name(*name), name.flag())).collect();
    match told.as_slice() {
        [] => None,
        [one] => Some(format!("PLACEHOLDER: nobody stated {one}; put yours in its place.")),
        [all @ .., last] => Some(format!(
            "PLACEHOLDERS: nobody stated {} and {last}; put yours in their place.",
            all.join(", ")
        )),
    }
}

/// Why nothing can be said of a site, and what can be stated instead.
pub fn refused(error: &SiteError) -> String {
    match error {
        SiteError::Memory { reserved_bytes, memory_bytes } => {
            let memory = block_size(*memory_bytes);
            format!(
                "--reserve is {}, and --memory {memory}: nothing of the server's memory would be left; give less than \
                 {memory}",
                block_size(*reserved_bytes)
            )
        }
        error => error.to_string(),
    }
}

/// What makes a fragment take effect, and what undoes all of it.
pub(super) fn activate_and_undo(fragment: &Fragment) -> Vec<String> {
    let then = match fragment.activate.as_slice() {
        [] => String::new(),
        commands => format!(", then: {}", commands.join("; ")),
    };
    let undo = match &fragment.place {
        Destination::Into(_) => {
            format!("Undo: put back the line that stood there, or take the new one out{then}")
        }
        Destination::File(_) => format!(
            "Undo: remove the line, or the file{then}. What the kernel was told stays until a restart, or until the \
             former value is set again: note it first"
        ),
        Destination::Run(_) => "Undo: the command below each reason".to_owned(),
        Destination::Dialog(_) => format!("Undo: take the line out again{then}"),
    };
    let mut all = Vec::new();
    if !fragment.activate.is_empty() {
        all.push(format!("To take effect: {}", fragment.activate.join("; ")));
    }
    all.push(undo);
    all
}

/// Why a line is there.
pub(super) fn reasons(line: &Line) -> Vec<String> {
    let Some(rule) = rule(line.rule) else { return vec![format!("[{}]", line.rule)] };
    let is_default = line.because == Some(Because::IsDefault);
    let mut all = vec![format!("Why: {} [{}, evidence {}]", rule.why, rule.id, evidence(rule))];
    all.extend(line.because.map(because));
    if !is_default && rule.not_when != NO_CAVEAT {
        all.push(format!("But: {}", rule.not_when));
    }
    all
}

fn because(because: Because) -> String {
    match because {
        Because::Topology(kind) => format!("For this site: {}.", topology(kind)),
        Because::HasMacs => "For the Macs of this site.".to_owned(),
        Because::WindowsOnExtents => {
            "For Windows clients on a file system of extents (XFS, ext4, btrfs); not on ZFS.".to_owned()
        }
        Because::IsDefault => "The default, written out: an older line may say something else.".to_owned(),
        Because::ToProve => "A value to begin with; 'reelgauge prove --sweep' finds the best one.".to_owned(),
    }
}

/// What nobody but the owner decides.
pub(super) fn decide(id: &str) -> String {
    match rule(id) {
        Some(rule) => format!(
            "Yours to decide, and left as it is: {}. {} {} {} [{}]",
            rule.title.trim_end_matches('.'),
            rule.why,
            rule.recommended,
            rule.not_when,
            rule.id
        ),
        None => format!("Yours to decide, and left as it is. [{id}]"),
    }
}

/// What is left as it is.
pub(super) fn left(id: &str, left: Left) -> String {
    let title = rule(id).map(|rule| rule.title.trim_end_matches('.')).unwrap_or_default();
    let why = match left {
        Left::NotStated(flags) => format!("not stated: {flags}"),
        Left::Topology(kind) => format!("{}: measure both", topology(kind)),
        Left::TooOld(version) => format!("version {}.{} does not have it", version.0, version.1),
        Left::Measure => "only a measurement tells whether it is needed".to_owned(),
        Left::NewOnly => "for what is made anew; it can't be changed without harm later".to_owned(),
        Left::Dialog(field) => format!("the dialog has a field for it: {field}"),
    };
    format!("Left as it is ({why}): {title} [{id}]")
}

fn evidence(rule: &Rule) -> &'static str {
    match rule.evidence {
        Evidence::A => "A",
        Evidence::B => "B",
        Evidence::C => "C",
        Evidence::D => "D",
    }
}

fn rule(id: &str) -> Option<&'static Rule> {
    rules().iter().find(|rule| rule.id == id)
}
