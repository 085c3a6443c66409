//! Facts: the content of collected texts, each as a value with a name, of a subject: an interface, a
//! mount, a Samba share. Rules use facts alone.
//!
//! Pure, and tolerant: a value that a text does not contain is unknown, and the missing text is
//! recorded. The same applies to values that are no number, or an impossible one ([`number`]). A value
//! has its unit in its name, like figures (`rsize_bytes`, `speed_mbit_per_s`).

mod apple;
mod arrays;
mod bonds;
mod controllers;
mod disks;
mod fstab;
mod interface_stack;
mod interfaces;
mod machine;
mod mounts;
mod nfs_server;
mod number;
mod path_mtu;
mod probe_results;
mod run_measurements;
mod samba;
mod server_link;
mod stornext;
mod unraid;
mod volume;
mod volumes;
mod windows;
mod zfs;
mod zpool;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub(crate) use controllers::PROGRAMS as CONTROLLER_PROGRAMS;
pub use interface_stack::Stack;
pub use server_link::{LinkTo, link_named, link_to};
pub(crate) use stornext::config_file as stornext_config_file;

pub use path_mtu::{ENDS, text as ends_text};
pub use probe_results::{PROBED, PROBES_MADE, UNANSWERED_S, probed_line};
pub use run_measurements::{MEASURED, RATE as MEASURED_RATE, ROUND_TRIP as MEASURED_ROUND_TRIP};

use crate::mountinfo;
use crate::system::{Os, System};
use crate::texts::{NotKnown, Texts};

/// The kind of subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactKind {
    /// The host as a whole.
    Machine,
    /// A network interface that is up and has hardware.
    Interface,
    /// Several interfaces combined.
    Bond,
    NfsMount,
    SmbMount,
    /// A StorNext mount.
    StornextMount,
    /// A file system on a disk of the host.
    LocalMount,
    /// A disk, an array, or another block device.
    Disk,
    /// A software array.
    Array,
    /// A volume over several disks: btrfs, LVM, or of a RAID controller.
    Volume,
    /// The SMB server.
    Samba,
    /// A share of the SMB server.
    SmbShare,
    /// A client that is connected to the SMB server.
    SmbSession,
    /// A connection of the host to an SMB server.
    SmbConnection,
    /// A directory that the NFS server exports.
    NfsExport,
    NfsServer,
    ZfsPool,
    ZfsDataset,
    /// A path in whose area probes were run.
    Probed,
}

impl FactKind {
    /// Whether it concerns only servers.
    pub fn is_of_a_server(self) -> bool {
        use FactKind::{NfsExport, NfsServer, Samba, SmbSession, SmbShare};
        matches!(self, NfsExport | NfsServer | Samba | SmbSession | SmbShare)
    }
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number; the unit is in the fact's name.
    Number(f64),
    /// A word, or a list of them.
    Word(String),
    /// It is known that this does not exist here: processors without adjustable clocks, a card without a
    /// slot.
    Nothing,
}

/// A missing or unusable text, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Gap {
    pub text: String,
    #[serde(flatten)]
    pub why: NotKnown,
}

impl Gap {
    fn new(text: &str, why: NotKnown) -> Gap {
        Gap { text: text.to_owned(), why }
    }
}

/// The subject of facts: one interface, one mount.
#[derive(Clone, Debug)]
pub struct FactSubject {
    /// The kind of subject.
    pub kind: FactKind,
    /// Its name: `eth0`, `/mnt/nas`.
    pub name: String,
    facts: BTreeMap<String, Result<Value, Gap>>,
}

impl FactSubject {
    fn new(kind: FactKind, name: impl Into<String>) -> FactSubject {
        FactSubject { kind, name: name.into(), facts: BTreeMap::new() }
    }

    fn word(&mut self, name: impl Into<String>, word: impl Into<String>) {
        self.facts.insert(name.into(), Ok(Value::Word(word.into())));
    }

    fn yes_no(&mut self, name: &str, is: bool) {
        self.word(name, if is { "yes" } else { "no" });
    }

    /// Adds a number from a text. A missing one is "not stated", an impossible one "not understood".
    fn number(&mut self, name: &str, number: Option<f64>, text: &str) {
        let value = number.ok_or(NotKnown::NotTold).and_then(|number| number::can_be(name, number));
        self.facts.insert(name.to_owned(), value.map(Value::Number).map_err(|why| Gap::new(text, why)));
    }

    /// Adds a word from a text, or a number if it is one.
    fn told(&mut self, name: impl Into<String>, word: &str, text: &str) {
        let name = name.into();
        let value = number::read(&name, word.trim()).map_err(|why| Gap::new(text, why));
        self.facts.insert(name, value);
    }

    fn nothing(&mut self, name: &str) {
        self.facts.insert(name.to_owned(), Ok(Value::Nothing));
    }

    fn gap(&mut self, name: &str, text: &str, why: NotKnown) {
        self.facts.insert(name.to_owned(), Err(Gap::new(text, why)));
    }

    /// Adds the whole text as a word, or as a number if it is one.
    fn whole(&mut self, name: &str, texts: &Texts, text: &str) {
        match texts.get(text) {
            Ok(said) if !is_one_word(said) => self.gap(name, text, no_such_word(said)),
            Ok(said) => self.told(name, said, text),
            Err(why) => self.gap(name, text, why),
        }
    }

    /// Adds the whole text of a file that the kernel provides only if the feature exists.
    fn whole_where_there(&mut self, name: &str, texts: &Texts, text: &str) {
        match texts.get(text) {
            Err(NotKnown::NotThere) => self.nothing(name),
            _ => self.whole(name, texts, text),
        }
    }

    /// The fact with this name; `None` if it is not stated at all.
    pub fn fact(&self, name: &str) -> Option<&Result<Value, Gap>> {
        self.facts.get(name)
    }

    /// All facts, or why they are unknown, by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Result<Value, Gap>)> {
        self.facts.iter().map(|(name, fact)| (name.as_str(), fact))
    }

    fn number_of(&self, name: &str) -> Option<f64> {
        match self.facts.get(name) {
            Some(Ok(Value::Number(number))) => Some(*number),
            _ => None,
        }
    }

    fn word_of(&self, name: &str) -> Option<&str> {
        match self.facts.get(name) {
            Some(Ok(Value::Word(word))) => Some(word),
            _ => None,
        }
    }
}

/// Whether the content of a single-value file is plausible: one line of printable characters.
fn is_one_word(said: &str) -> bool {
    let said = said.trim();
    said.len() <= WORD_BYTES && said.chars().all(|c| c == ' ' || c == '\t' || c.is_ascii_graphic())
}

/// Why the content of a single-value file is not plausible.
fn no_such_word(said: &str) -> NotKnown {
    let lines = said.trim().lines().count();
    let what = if lines > 1 {
        format!("the text has {lines} lines instead of one")
    } else {
        "it is not a word".to_owned()
    };
    NotKnown::NotUnderstood(what)
}

/// The longest value of a single-value file.
const WORD_BYTES: usize = 256;

/// All facts from texts.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// In the order in which they were found; the host first.
    pub subjects: Vec<FactSubject>,
    /// Kinds of which it is unknown whether there are any.
    unseen: BTreeMap<FactKind, Gap>,
    /// Texts that exist but are damaged.
    damaged: BTreeSet<Gap>,
    /// The layers of its network interfaces.
    pub stack: Stack,
}

impl Facts {
    /// The facts from these texts.
    pub fn of(texts: &Texts) -> Facts {
        let mut facts = Facts::default();
        match System::of(texts).os {
            Os::Linux | Os::Truenas => facts.of_linux(texts),
            Os::Macos => {
                facts.subjects.push(FactSubject::new(FactKind::Machine, "this machine"));
                apple::apple(texts, &mut facts);
            }
            Os::Windows => {
                facts.subjects.push(FactSubject::new(FactKind::Machine, "this machine"));
                windows::windows(texts, &mut facts);
            }
        }
        facts.note_damage(texts);
        facts
    }

    /// A damaged text may be missing some of its subjects; notes the affected kinds.
    fn note_damage(&mut self, texts: &Texts) {
        for name in texts.known() {
            if let Some(why) = texts.damaged(name) {
                self.cannot_see(listed_in(name), name, &why);
                self.damaged.insert(Gap::new(name, why));
            }
        }
        let facts = self.subjects.iter().flat_map(|subject| subject.facts.values());
        let gaps = facts.filter_map(|fact| fact.as_ref().err()).chain(self.unseen.values());
        let damaged = gaps.filter(|gap| matches!(gap.why, NotKnown::NotUnderstood(_))).cloned();
        self.damaged.extend(damaged.collect::<Vec<_>>());
    }

    /// Texts that exist, with the parts that are not understood.
    pub fn damaged(&self) -> impl Iterator<Item = &Gap> {
        self.damaged.iter()
    }

    fn of_linux(&mut self, texts: &Texts) {
        let interfaces = interfaces::interfaces(texts, self);
        self.subjects.insert(0, machine::machine(texts, &interfaces));
        let links = server_link::Links::new(texts, &interfaces);
        mounts::mounts(texts, &links, self);
        self.subjects.extend(interfaces);
        disks::disks(texts, self);
        samba::samba(texts, self);
        nfs_server::nfs_server(texts, self);
        zfs::zfs(texts, self);
        volumes::volumes(texts, self);
        probe_results::probed(texts, self);
    }

    /// The subjects of a kind.
    pub fn of_kind(&self, kind: FactKind) -> impl Iterator<Item = &FactSubject> {
        self.subjects.iter().filter(move |subject| subject.kind == kind)
    }

    /// Why it is unknown whether there are any of a kind.
    pub fn unseen(&self, kind: FactKind) -> Option<&Gap> {
        self.unseen.get(&kind)
    }

    /// The facts of the host as a whole.
    pub fn machine(&self) -> Option<&FactSubject> {
        self.of_kind(FactKind::Machine).next()
    }

    fn machine_mut(&mut self) -> Option<&mut FactSubject> {
        self.subjects.iter_mut().find(|subject| subject.kind == FactKind::Machine)
    }

    /// Notes that a text about subjects of these kinds is unknown. If there is no such file or program,
    /// there are no such subjects.
    fn cannot_see(&mut self, kinds: &[FactKind], text: &str, why: &NotKnown) {
        if *why != NotKnown::NotThere {
            kinds.iter().for_each(|kind| {
                self.unseen.entry(*kind).or_insert_with(|| Gap::new(text, why.clone()));
            });
        }
    }
}

/// The kinds that a text lists: if it is damaged, there may be more of them.
fn listed_in(text: &str) -> &'static [FactKind] {
    match text {
        mountinfo::FILE => {
            // Only those disks that are made by a mount: loop devices.
            &[
                FactKind::NfsMount,
                FactKind::SmbMount,
                FactKind::StornextMount,
                FactKind::LocalMount,
                FactKind::Disk,
            ]
        }
        "/proc/mdstat" => &[FactKind::Array, FactKind::Volume],
        "testparm -s -v" => &[FactKind::Samba, FactKind::SmbShare],
        "smbstatus --json" => &[FactKind::SmbSession],
        "/var/lib/nfs/etab" => &[FactKind::NfsExport],
        "zpool status" => &[FactKind::ZfsPool],
        "nfsstat -m" => &[FactKind::NfsMount],
        "Get-NetAdapter" => &[FactKind::Interface],
        "smbutil statshares -a" | "Get-SmbConnection" => &[FactKind::SmbConnection],
        "/sys/class/net" => &[FactKind::Interface, FactKind::Bond],
        "/sys/block" => &[FactKind::Disk],
        _ if text.starts_with("/proc/net/bonding/") => &[FactKind::Bond],
        _ if text.starts_with("zfs get ") => &[FactKind::ZfsDataset],
        _ if text.starts_with("btrfs ") || text.starts_with("lvs") => &[FactKind::Volume],
        _ => &[],
    }
}

/// `key: value` or `key = value` on a line.
fn pair(line: &str, between: char) -> Option<(&str, &str)> {
    line.split_once(between).map(|(key, value)| (key.trim(), value.trim()))
}

/// Converts another program's name to a fact's: `Server Multi Channel` becomes `server_multi_channel`,
/// `EnableLargeMtu` becomes `enable_large_mtu`.
fn fact_name(name: &str) -> String {
    let mut made = String::new();
    let mut before_is_lower = false;
    for c in name.trim().chars() {
        if c.is_ascii_uppercase() && before_is_lower {
            made.push('_');
        }
        made.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
        before_is_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_names_of_facts() {
        for (name, fact) in [
            ("server multi channel support", "server_multi_channel_support"),
            ("fruit:zero_file_id", "fruit_zero_file_id"),
            ("EnableLargeMtu", "enable_large_mtu"),
            ("net.inet.tcp.delayed_ack", "net_inet_tcp_delayed_ack"),
        ] {
            assert_eq!(fact_name(name), fact);
        }
    }

    #[test]
    fn missing_number_is_unknown() {
        let mut subject = FactSubject::new(FactKind::Machine, "");
        subject.number("speed_mbit_per_s", "-".parse().ok(), "/sys/class/net/eth0/speed");
        assert!(matches!(subject.fact("speed_mbit_per_s"), Some(Err(gap)) if gap.why == NotKnown::NotTold));
        subject.told("link", "inf", "");
        assert_eq!(subject.fact("link"), Some(&Ok(Value::Word("inf".to_owned()))));
    }
}
