//! Facts about a target and the request for it, for all kinds of run: its name, its mount, the files of
//! the user's folder that were omitted.

use std::path::Path;

use reelgauge_analysis::{LinkFacts, Note, NoteFact};
use reelgauge_engine::area::Terms;
use reelgauge_engine::user_files::SkippedEntries;
use reelgauge_machine::link::{Link, LinkKind};
use reelgauge_machine::mount::Mount;
use reelgauge_record::host::MountFacts;
use reelgauge_report::units::counted;

/// The user's request for a target, apart from the plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// Fail rather than fall back to the client's cache.
    pub must_be_direct: bool,
    /// The terms for the target.
    pub terms: Terms,
}

/// The mount, in the form of the run directory.
pub fn mount_facts(mount: &Mount) -> MountFacts {
    MountFacts {
        fs_type: mount.fs_type.clone(),
        source: mount.source.clone(),
        options: mount.options.join(","),
    }
}

/// The network link to the storage, in the form of the summary; `None` if there is no network.
pub(crate) fn link_facts(link: &Link) -> Option<LinkFacts> {
    let LinkKind::Network { interface, speed_mbit_per_s, is_half_duplex, is_this_machine, .. } = &link.kind
    else {
        return None;
    };
    Some(LinkFacts {
        interface: interface.clone(),
        speed_mbit_per_s: *speed_mbit_per_s,
        line_bytes_per_s: link.realistic_mb_per_s().map(|rate| rate * 1e6),
        is_half_duplex: *is_half_duplex,
        is_this_machine: *is_this_machine,
        words: link.sentence.clone(),
    })
}

/// A short name for a target: its server, or the last part of its path.
pub fn target_label(target: &Path, mount: &Mount) -> String {
    let last = target.file_name().map(|name| name.to_string_lossy().into_owned());
    mount.server.clone().or(last).unwrap_or_else(|| "root".to_owned())
}

/// The part of a folder that was not read, as a note; `None` if all of it was.
pub(crate) fn left_out_note(folder: &Path, left_out: SkippedEntries) -> Option<Note> {
    let SkippedEntries { links, special, elsewhere, mounts, unreadable, too_many } = left_out;
    let counts = [
        (links, "symbolic link", ""),
        (special, "special file", ""),
        (elsewhere, "sparse, compressed or archived file", ""),
        (mounts, "entry", " on other file systems"),
        (unreadable, "entry", " that cannot be read"),
    ];
    let there = counts.iter().filter(|(count, ..)| *count > 0);
    let parts = there.map(|(count, what, which)| format!("{}{which}", counted(*count, what)));
    let parts: Vec<String> = parts.collect();
    let rest = "The folder has more entries than Reelgauge reads; the rest were skipped.";
    let folder = folder.display().to_string();
    let sentence = match (parts.is_empty(), too_many) {
        (true, false) => return None,
        (true, true) => format!("{folder}: {rest}"),
        (false, false) => format!("Skipped in {folder}: {}.", parts.join(", ")),
        (false, true) => format!("Skipped in {folder}: {}. {rest}", parts.join(", ")),
    };
    Some(Note::new(NoteFact::EntriesLeftOut { folder }, sentence, ""))
}
