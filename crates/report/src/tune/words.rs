//! The sentences of fragments.

use reelgauge_doctor::rule::catalogue::rules;
use reelgauge_doctor::rule::{Grounds, Rule};
use reelgauge_doctor::tune::Purpose;
use reelgauge_doctor::tune::fragment::{Because, Destination, Fragment, Kept, Left, SettingLine};
use reelgauge_doctor::tune::site::{Topology, TuneSite, TuneSiteError};

use super::sums::{ms, speed};
use crate::doctor::NO_CAVEAT;
use crate::units::{block_size, counted};

/// The text about the next step.
pub(super) const NEXT: &str = "Apply one fragment at a time, and test whether it helps: reelgauge prove \
    --change COMMAND --undo COMMAND -- streams PATH --find-max";

/// The note about AFP.
pub(super) const AFP: &str = "AFP is legacy: since version 11, macOS shares folders only over SMB, and Apple \
    has announced the end of its AFP client. This fragment does not tune AFP. Connect the Macs over SMB \
    instead (smb://, not afp://), with the lines below.";

/// The heading: the purpose of the fragments and the stated facts.
pub(super) fn head(purpose: Purpose, site: &TuneSite) -> String {
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
        Topology::Single => "a single client with a link as fast as the server's",
        Topology::FanIn => "a fast server port feeds slower clients (fan-in)",
        Topology::Several => "several clients, none slower than the server",
        Topology::FasterClient => "a single client with a faster link than the server's",
        Topology::NotKnown => "unknown whether a fast port feeds slower ones",
    }
}

/// The destination of a fragment.
pub(super) fn place(place: &Destination) -> String {
    match place {
        Destination::Into(file) => {
            format!("Add these lines to {file}. Replace only {}; keep all other lines.", older(file))
        }
        Destination::File(file) => format!("Save this file as {file}."),
        Destination::Run(by) => {
            format!("These are commands for {by}. Run them one by one, as an administrator.")
        }
        Destination::Dialog(dialog) => format!("These lines go into the dialog {dialog}."),
    }
}

/// The lines of an existing file that this fragment replaces.
fn older(file: &str) -> &'static str {
    match file.rsplit('/').next() {
        Some("fstab") => "an older line for this mount",
        Some("exports") => "an older line for this directory",
        Some("ganesha.conf") => "an older EXPORT block of this path, and other values in NFS_CORE_PARAM",
        Some("smb.conf") => "older lines for the same settings, in the same section",
        _ => "older lines for the same settings",
    }
}

/// The placeholder names in a fragment, because they were not stated.
pub(super) fn placeholders(fragment: &Fragment, site: &TuneSite) -> Option<String> {
    let names = fragment.names.iter().filter(|name| site.not_stated.contains(name));
    let told: Vec<String> = names.map(|name| format!("{} ({})", site.name(*name), name.flag())).collect();
    match told.as_slice() {
        [] => None,
        [one] => Some(format!("PLACEHOLDER: {one} was not stated. Insert yours.")),
        [all @ .., last] => {
            Some(format!("PLACEHOLDERS: {} and {last} were not stated. Insert yours.", all.join(", ")))
        }
    }
}

/// The error for an invalid site, with the allowed values.
pub fn refused(error: &TuneSiteError) -> String {
    match error {
        TuneSiteError::Memory { reserved_bytes, memory_bytes } => {
            let memory = block_size(*memory_bytes);
            format!(
                "--reserve {} leaves nothing of --memory {memory}. Use less than {memory}",
                block_size(*reserved_bytes)
            )
        }
        TuneSiteError::Topology { stated, server_mbit_per_s, client_mbit_per_s, clients } => {
            let mut others = Vec::new();
            others.extend(server_mbit_per_s.map(|link| format!("--server-link {}", flag_speed(link))));
            others.extend(client_mbit_per_s.map(|link| format!("--client-link {}", flag_speed(link))));
            others.extend(clients.map(|clients| format!("--clients {clients}")));
            let (flag, meant) = match stated {
                Topology::Single => ("single", "one client whose link is as fast as the server's"),
                Topology::FanIn => ("fan-in", "a server whose link is faster than its clients'"),
                _ => ("several", "several clients whose links are no slower than the server's"),
            };
            format!(
                "--topology {flag} means {meant}, which contradicts {}. Omit --topology, or correct the \
                 links",
                others.join(" and ")
            )
        }
        error => error.to_string(),
    }
}

/// `10Gbit`, in the form that the flag accepts.
fn flag_speed(mbit_per_s: f64) -> String {
    if mbit_per_s >= 1000.0 { format!("{}Gbit", mbit_per_s / 1e3) } else { format!("{mbit_per_s}Mbit") }
}

/// The text shown in place of the destination if a fragment sets nothing.
pub(super) const NOTHING_SET: &str = "This fragment sets nothing. The reasons are below.";

/// The commands that save the current state before a change.
pub(super) fn before(fragment: &Fragment) -> Option<String> {
    match &fragment.place {
        Destination::Into(file) => Some(format!("First: cp -p {file} {file}.before")),
        Destination::File(file) if !is_own(file) => {
            Some(format!("First, if the file exists: cp -p {file} {file}.before"))
        }
        Destination::File(_) if fragment.keep.is_some() => {
            Some("First save the current settings:".to_owned())
        }
        Destination::File(_) | Destination::Run(_) | Destination::Dialog(_) => None,
    }
}

/// The words of the command that saves the kernel's current settings. Of two alternative limits, the
/// inactive one reads 0 and cannot be restored, so it is not saved.
pub(super) fn keeping(kept: &Kept) -> Vec<String> {
    let settings = kept.settings.iter().cloned();
    let end = ["| grep -v '^vm.* = 0$'".to_owned(), format!("> {}", kept.file)];
    ["sysctl".to_owned()].into_iter().chain(settings).chain(end).collect()
}

/// The commands that activate a fragment.
pub(super) fn activate(fragment: &Fragment) -> Option<String> {
    let commands = &fragment.activate;
    (!commands.is_empty()).then(|| format!("To take effect: {}", commands.join("; ")))
}

/// The commands that undo a fragment.
pub(super) fn undo(fragment: &Fragment) -> String {
    let then = match (&fragment.keep, fragment.activate.as_slice()) {
        (Some(kept), _) => format!("; sysctl -p {}", kept.file),
        (None, []) => String::new(),
        (None, commands) => format!("; then: {}", commands.join("; ")),
    };
    match &fragment.place {
        Destination::Into(file) => format!("Undo: cp -p {file}.before {file}{then}"),
        Destination::File(file) if is_own(file) => format!("Undo: rm {file}{then}"),
        Destination::File(file) => {
            format!("Undo: mv {file}.before {file}, or rm {file} if there was none before{then}")
        }
        Destination::Run(_) => "Undo: run the command below each reason".to_owned(),
        Destination::Dialog(_) => {
            format!("Undo: restore the previous value of each field (note it before the change){then}")
        }
    }
}

/// Whether the file is Reelgauge's own, by its name.
fn is_own(file: &str) -> bool {
    file.contains("reelgauge")
}

/// The reasons for a line.
pub(super) fn reasons(line: &SettingLine) -> Vec<String> {
    let Some(rule) = rule(line.rule) else { return vec![format!("[{}]", line.rule)] };
    let is_default = line.because == Some(Because::IsDefault);
    let reason = |rule: &Rule| rule.reason.clone().unwrap_or_else(|| rule.recommended.clone());
    let mut all = vec![format!("Why: {} [{}, evidence {}]", reason(rule), rule.id, evidence(rule))];
    all.extend(line.because.map(because));
    let but = |caveat: &String| format!("But: {caveat}");
    all.extend(rule.not_when.as_ref().filter(|_| !is_default).map(but));
    for (part, id) in &line.parts {
        let Some(rule) = self::rule(id) else { continue };
        all.push(format!("Why {part}: {} [{}, evidence {}]", reason(rule), rule.id, evidence(rule)));
        all.extend(rule.not_when.as_ref().map(but));
    }
    all
}

fn because(because: Because) -> String {
    match because {
        Because::Topology(kind) => format!("For this site: {}.", topology(kind)),
        Because::HasMacs => "For the Macs of this site.".to_owned(),
        Because::IsDefault => "The default, written explicitly, because an older line may differ.".to_owned(),
        Because::ToProve => "A first value. 'reelgauge prove --sweep' finds the best one.".to_owned(),
    }
}

/// The text for a setting that only the owner can decide.
pub(super) fn decide(id: &str) -> String {
    match rule(id) {
        Some(rule) => format!(
            "Unchanged; this is your decision: {}. {} {} {} [{}]",
            rule.title.trim_end_matches('.'),
            rule.why,
            rule.recommended,
            rule.not_when.as_deref().unwrap_or(NO_CAVEAT),
            rule.id
        ),
        None => format!("Unchanged; this is your decision. [{id}]"),
    }
}

/// The text for a setting that stays unchanged.
pub(super) fn left(id: &str, left: &Left) -> String {
    let title = rule(id).map(|rule| rule.title.trim_end_matches('.')).unwrap_or_default();
    let why = match left {
        Left::NotStated(flags) => format!("not stated: {}", listed(flags)),
        Left::Topology(kind) => format!("{}: measure both", topology(*kind)),
        Left::TooOld(version) => format!("version {}.{} does not have it", version.0, version.1),
        Left::Measure => "only a measurement shows whether it is needed".to_owned(),
        Left::WithoutEffect(other) => {
            let instead = rule(id).map(|rule| rule.recommended.as_str()).unwrap_or_default();
            format!("no effect with '{other}'. {}", instead.trim_end_matches('.'))
        }
        Left::NewOnly => "for new shares and pools only; do not change it on existing ones".to_owned(),
        Left::Dialog(field) => format!("the dialog has a field for it: {field}"),
    };
    format!("Unchanged ({why}): {title} [{id}]")
}

/// `a, b and c`.
fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

fn evidence(rule: &Rule) -> &'static str {
    match rule.evidence {
        Grounds::A => "A",
        Grounds::B => "B",
        Grounds::C => "C",
        Grounds::D => "D",
    }
}

fn rule(id: &str) -> Option<&'static Rule> {
    rules().iter().find(|rule| rule.id == id)
}
