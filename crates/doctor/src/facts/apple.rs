//! What macOS says: its NFS mounts, its connections to SMB servers, and what somebody set.

use super::mounts::{dialect, options_of};
use super::{FactKind, Facts, Subject, fact_name, pair};
use crate::texts::{NotKnown, Texts};

const NFS: &str = "nfsstat -m";
const SHARES: &str = "smbutil statshares -a";
const SMB_SETTINGS: &str = "/etc/nsmb.conf";
const TCP: &str = "sysctl net.inet.tcp";
const FINDER: &str = "defaults read com.apple.desktopservices DSDontWriteNetworkStores";

pub(super) fn apple(texts: &Texts, facts: &mut Facts) {
    match texts.get(NFS) {
        Ok(said) => facts.subjects.extend(nfs_mounts(said)),
        Err(why) => facts.cannot_see(&[FactKind::NfsMount], NFS, &why),
    }
    match texts.get(SHARES) {
        Ok(said) => facts.subjects.extend(connections(said)),
        Err(why) => facts.cannot_see(&[FactKind::SmbConnection], SHARES, &why),
    }
    let Some(machine) = facts.machine_mut() else { return };
    match texts.get(SMB_SETTINGS) {
        Ok(said) => settings(said, machine),
        // Without the file everything is as Apple ships it.
        Err(NotKnown::NotThere) => machine.yes_no("has_nsmb_conf", false),
        Err(why) => machine.gap("has_nsmb_conf", SMB_SETTINGS, why),
    }
    for (key, value) in texts.get(TCP).unwrap_or_default().lines().filter_map(|line| pair(line, ':')) {
        machine.told(fact_name(key), value, TCP);
    }
    match texts.get(FINDER) {
        Ok(said) => match said.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" => machine.yes_no("finder_spares_shares", true),
            "0" | "false" | "no" => machine.yes_no("finder_spares_shares", false),
            _ => machine.gap("finder_spares_shares", FINDER, NotKnown::NotTold),
        },
        // So says the command where nobody set it.
        Err(NotKnown::Failed(said)) if said.contains("does not exist") => {
            machine.yes_no("finder_spares_shares", false);
        }
        Err(why) => machine.gap("finder_spares_shares", FINDER, why),
    }
}

/// `/Volumes/media from nas:/export`, and below it the parameters: as asked first, as in force last.
fn nfs_mounts(said: &str) -> Vec<Subject> {
    let mut found: Vec<Subject> = Vec::new();
    for line in said.lines() {
        if let Some((point, _)) = line.split_once(" from ").filter(|_| line.starts_with('/')) {
            found.push(Subject::new(FactKind::NfsMount, point));
        } else if let (Some(("NFS parameters", list)), Some(mount)) = (pair(line, ':'), found.last_mut()) {
            for (key, value) in options_of(list) {
                let name = match key {
                    "rsize" | "wsize" | "dsize" => format!("{key}_bytes"),
                    other => fact_name(other),
                };
                mount.told(name, value, NFS);
            }
            mount.word("local_locks", local_locks(list));
            let sizes = mount.number_of("rsize_bytes").zip(mount.number_of("wsize_bytes"));
            mount.number("smallest_request_bytes", sizes.map(|(read, write)| read.min(write)), NFS);
        }
    }
    found
}

/// Which option keeps locks on this Mac: `none` is what macOS does by itself, it asks the server.
fn local_locks(list: &str) -> &'static str {
    let mut locks = "none";
    for (key, _) in options_of(list) {
        match key {
            "locallocks" => locks = "locallocks",
            "nolocks" | "nolock" => locks = "nolocks",
            "locks" => locks = "none",
            _ => {}
        }
    }
    locks
}

/// A share's name at the beginning of a line, and what is said of it further right.
fn connections(said: &str) -> Vec<Subject> {
    let mut found: Vec<Subject> = Vec::new();
    for line in said.lines().filter(|line| !line.starts_with(['=', '-']) && !line.starts_with("SHARE ")) {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        if !line.starts_with(char::is_whitespace) {
            found.push(Subject::new(FactKind::SmbConnection, line.trim()));
        } else if let Some(share) = found.last_mut() {
            let value = words.collect::<Vec<_>>().join(" ");
            match first {
                "SMB_VERSION" => share.number("dialect", dialect(value.trim_start_matches("SMB_")), SHARES),
                "SIGNING_ON" => share.yes_no("is_signed", value == "TRUE"),
                "ENCRYPTION_ON" => share.yes_no("is_encrypted", value == "TRUE"),
                _ => {}
            }
        }
    }
    found
}

fn settings(said: &str, machine: &mut Subject) {
    machine.yes_no("has_nsmb_conf", true);
    for (key, value) in
        said.lines().filter(|line| !line.trim_start().starts_with('#')).filter_map(|line| pair(line, '='))
    {
        machine.told(format!("nsmb_{}", fact_name(key)), &value.to_ascii_lowercase(), SMB_SETTINGS);
    }
}
