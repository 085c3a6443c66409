//! Texts of macOS: its NFS mounts, its connections to SMB servers, and settings of the user.
//!
//! The attributes of shares are those of `smbutil/statshares.c` in Apple's SMBClient, which prints one
//! only if its flag is set, and then as TRUE. The parameters of NFS mounts are those of `nfsstat -m`
//! (Apple's NFS).

use super::mounts::{dialect, options_of};
use super::{FactKind, FactSubject, Facts, fact_name, pair};
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
        // Without the file, Apple's defaults apply.
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
        // The output of the command if the value was never set.
        Err(NotKnown::Failed(said)) if said.contains("does not exist") => {
            machine.yes_no("finder_spares_shares", false);
        }
        Err(why) => machine.gap("finder_spares_shares", FINDER, why),
    }
}

/// `/Volumes/media from nas:/export`, and below it the parameters: the requested ones first, the active
/// ones last.
fn nfs_mounts(said: &str) -> Vec<FactSubject> {
    let mut found: Vec<FactSubject> = Vec::new();
    for line in said.lines() {
        if let Some((point, _)) = line.split_once(" from ").filter(|_| line.starts_with('/')) {
            found.push(FactSubject::new(FactKind::NfsMount, point));
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

/// The option that keeps locks on this Mac: `none` is the default of macOS, which asks the server.
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

/// A share's name at the start of a line, and its attributes further right.
fn connections(said: &str) -> Vec<FactSubject> {
    let is_head = |line: &str| line.starts_with("SHARE ") && line.contains("ATTRIBUTE TYPE");
    let mut found: Vec<(FactSubject, Shared)> = Vec::new();
    for line in said.lines().filter(|line| !line.starts_with(['=', '-']) && !is_head(line)) {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        if !line.starts_with(char::is_whitespace) {
            found.push((FactSubject::new(FactKind::SmbConnection, line.trim()), Shared::default()));
        } else if let Some((_, shared)) = found.last_mut() {
            shared.attribute(first, words.collect::<Vec<_>>().join(" "));
        }
    }
    found.into_iter().map(|(share, shared)| shared.into_facts(share)).collect()
}

/// The attributes of a share.
#[derive(Default)]
struct Shared {
    version: Option<String>,
    cipher: Option<String>,
    /// Attributes that are TRUE.
    flags: Vec<String>,
}

impl Shared {
    fn attribute(&mut self, name: &str, value: String) {
        match name {
            "SMB_VERSION" => self.version = Some(value),
            "SMB_CURR_ENCRYPT_ALGORITHM" => self.cipher = Some(value),
            name if value == "TRUE" => self.flags.push(name.to_owned()),
            _ => {}
        }
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|own| own == flag)
    }

    /// An attribute is printed only if it is set: if a share has others, a missing one is not set.
    fn into_facts(self, mut share: FactSubject) -> FactSubject {
        let version = self.version.as_deref();
        share.number("dialect", version.and_then(|it| dialect(it.trim_start_matches("SMB_"))), SHARES);
        if version.is_none() && self.flags.is_empty() {
            ["is_signed", "is_encrypted"].iter().for_each(|fact| share.gap(fact, SHARES, NotKnown::NotTold));
            return share;
        }
        share.yes_no("is_signed", self.has("SIGNING_ON"));
        // Since macOS 11 it is the name of the active cipher, or OFF.
        let is_encrypted = match self.cipher.as_deref() {
            Some(cipher) => cipher != "OFF",
            None => self.has("ENCRYPTION_REQUIRED"),
        };
        share.yes_no("is_encrypted", is_encrypted);
        share
    }
}

fn settings(said: &str, machine: &mut FactSubject) {
    machine.yes_no("has_nsmb_conf", true);
    for (key, value) in
        said.lines().filter(|line| !line.trim_start().starts_with('#')).filter_map(|line| pair(line, '='))
    {
        machine.told(format!("nsmb_{}", fact_name(key)), &value.to_ascii_lowercase(), SMB_SETTINGS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each share on one line: name, whether signed, whether encrypted.
    fn told(said: &str) -> Vec<String> {
        let line = |one: &FactSubject| {
            let facts = ["is_signed", "is_encrypted"].map(|fact| one.word_of(fact).unwrap_or("unknown"));
            format!("{}: {}", one.name, facts.join(" "))
        };
        connections(said).iter().map(line).collect()
    }

    #[test]
    fn an_attribute_of_a_share_is_printed_only_where_it_is_set() {
        let head = "====\nSHARE                         ATTRIBUTE TYPE                VALUE\n====\n";
        for (attributes, expected) in [
            ("SMB_VERSION SMB_3.1.1\n SMB_CURR_ENCRYPT_ALGORITHM OFF", "media: no no"),
            ("SMB_VERSION SMB_3.1.1\n SMB_CURR_ENCRYPT_ALGORITHM AES_128_CCM", "media: no yes"),
            ("SMB_VERSION SMB_3.1.1\n SIGNING_ON TRUE\n ENCRYPTION_SUPPORTED TRUE", "media: yes no"),
            ("SMB_VERSION SMB_3.02\n ENCRYPTION_REQUIRED TRUE", "media: no yes"),
            ("SERVER_NAME nas1", "media: unknown unknown"),
        ] {
            assert_eq!(told(&format!("{head}media\n {attributes}\n")), [expected], "{attributes}");
        }
    }
}
