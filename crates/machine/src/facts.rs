//! Facts: what collected texts say, each as a value with a name, of a subject: an interface, a mount, a
//! Samba share. Rules know facts alone.
//!
//! Pure, and forgiving: what a text does not say is not known, with the text that would have told. So is
//! what is no number, or none that can be ([`number`]). A value has its unit in its name, as figures do
//! (`rsize_bytes`, `speed_mbit_per_s`).

mod apple;
mod arrays;
mod bonds;
mod controllers;
mod disks;
mod ends;
mod fstab;
mod interfaces;
mod machine;
mod measured;
mod mounts;
mod nfs_server;
mod number;
mod probed;
mod samba;
mod server_link;
mod stack;
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
pub use server_link::{LinkTo, link_named, link_to};
pub use stack::Stack;
pub(crate) use stornext::config_file as stornext_config_file;

pub use ends::{ENDS, text as ends_text};
pub use measured::{MEASURED, RATE as MEASURED_RATE, ROUND_TRIP as MEASURED_ROUND_TRIP};
pub use probed::{PROBED, PROBES_MADE, UNANSWERED_S, probed_line};

use crate::mountinfo;
use crate::system::{Os, System};
use crate::texts::{NotKnown, Texts};

/// What a fact is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactKind {
    /// The machine as a whole.
    Machine,
    /// A network interface that is up and has hardware behind it.
    Interface,
    /// Several interfaces together.
    Bond,
    /// An NFS mount.
    NfsMount,
    /// A mount of a server's share by SMB.
    SmbMount,
    /// A mount of StorNext.
    StornextMount,
    /// A file system on a disk of this machine.
    LocalMount,
    /// A disk, an array, or whatever else blocks lie on.
    Disk,
    /// A software array.
    Array,
    /// A volume over several disks: btrfs, LVM, or what a RAID controller makes.
    Volume,
    /// The SMB server.
    Samba,
    /// A share of the SMB server.
    SmbShare,
    /// A client that is connected to the SMB server.
    SmbSession,
    /// A connection of this machine to an SMB server.
    SmbConnection,
    /// A directory that the NFS server gives to somebody.
    NfsExport,
    /// The NFS server.
    NfsServer,
    /// A pool of ZFS.
    ZfsPool,
    /// A dataset of ZFS.
    ZfsDataset,
    /// A path in whose area probes were carried out.
    Probed,
}

impl FactKind {
    /// Whether it says something of a server alone.
    pub fn is_of_a_server(self) -> bool {
        use FactKind::{NfsExport, NfsServer, Samba, SmbSession, SmbShare};
        matches!(self, NfsExport | NfsServer | Samba | SmbSession | SmbShare)
    }
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number, whose unit stands in the fact's name.
    Number(f64),
    /// A word, or a list of them.
    Word(String),
    /// It is known that there is no such thing here: processors without clocks to set, a card without a slot.
    Nothing,
}

/// A text that would have told, and why it does not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Gap {
    /// The text's name.
    pub text: String,
    /// Why it tells nothing.
    #[serde(flatten)]
    pub why: NotKnown,
}

impl Gap {
    fn new(text: &str, why: NotKnown) -> Gap {
        Gap { text: text.to_owned(), why }
    }
}

/// What facts are of: one interface, one mount.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What it is.
    pub kind: FactKind,
    /// Its name: `eth0`, `/mnt/nas`.
    pub name: String,
    facts: BTreeMap<String, Result<Value, Gap>>,
}

impl Subject {
    fn new(kind: FactKind, name: impl Into<String>) -> Subject {
        Subject { kind, name: name.into(), facts: BTreeMap::new() }
    }

    fn word(&mut self, name: impl Into<String>, word: impl Into<String>) {
        self.facts.insert(name.into(), Ok(Value::Word(word.into())));
    }

    fn yes_no(&mut self, name: &str, is: bool) {
        self.word(name, if is { "yes" } else { "no" });
    }

    /// A number that a text gave. One that is not there is not told, and one that can't be not understood.
    fn number(&mut self, name: &str, number: Option<f64>, text: &str) {
        let value = number.ok_or(NotKnown::NotTold).and_then(|number| number::can_be(name, number));
        self.facts.insert(name.to_owned(), value.map(Value::Number).map_err(|why| Gap::new(text, why)));
    }

    /// A word that a text gave, or a number where it is one.
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

    /// A word, or a number where it is one, as a text has it whole.
    fn whole(&mut self, name: &str, texts: &Texts, text: &str) {
        match texts.get(text) {
            Ok(said) if !is_one_word(said) => self.gap(name, text, no_such_word(said)),
            Ok(said) => self.told(name, said, text),
            Err(why) => self.gap(name, text, why),
        }
    }

    /// The same of a file that the kernel has only where there is such a thing.
    fn whole_where_there(&mut self, name: &str, texts: &Texts, text: &str) {
        match texts.get(text) {
            Err(NotKnown::NotThere) => self.nothing(name),
            _ => self.whole(name, texts, text),
        }
    }

    /// The fact of this name; `None` where nothing was said of it at all.
    pub fn fact(&self, name: &str) -> Option<&Result<Value, Gap>> {
        self.facts.get(name)
    }

    /// Everything that is known of it, or why not, by name.
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

/// Whether a file with one value may be one: a line of printable characters.
fn is_one_word(said: &str) -> bool {
    let said = said.trim();
    said.len() <= WORD_BYTES && said.chars().all(|c| c == ' ' || c == '\t' || c.is_ascii_graphic())
}

/// Why what a file with one value says is none.
fn no_such_word(said: &str) -> NotKnown {
    let lines = said.trim().lines().count();
    let what = if lines > 1 {
        format!("the text has {lines} lines instead of one")
    } else {
        "it is not a word".to_owned()
    };
    NotKnown::NotUnderstood(what)
}

/// The longest value of a file that has one.
const WORD_BYTES: usize = 256;

/// Everything that texts say.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// In the order in which they were found; the machine first.
    pub subjects: Vec<Subject>,
    /// Kinds of which it is not known whether there are any.
    unseen: BTreeMap<FactKind, Gap>,
    /// Texts that are there and damaged.
    damaged: BTreeSet<Gap>,
    /// What its network interfaces are made of.
    pub stack: Stack,
}

impl Facts {
    /// What the texts say.
    pub fn of(texts: &Texts) -> Facts {
        let mut facts = Facts::default();
        match System::of(texts).os {
            Os::Linux | Os::Truenas => facts.of_linux(texts),
            Os::Macos => {
                facts.subjects.push(Subject::new(FactKind::Machine, "this machine"));
                apple::apple(texts, &mut facts);
            }
            Os::Windows => {
                facts.subjects.push(Subject::new(FactKind::Machine, "this machine"));
                windows::windows(texts, &mut facts);
            }
        }
        facts.note_damage(texts);
        facts
    }

    /// Of what a damaged text lists there may be more than is seen.
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

    /// Texts that are there, and what of them is not understood.
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
        probed::probed(texts, self);
    }

    /// Those of a kind.
    pub fn of_kind(&self, kind: FactKind) -> impl Iterator<Item = &Subject> {
        self.subjects.iter().filter(move |subject| subject.kind == kind)
    }

    /// Why it is not known whether there are any of a kind.
    pub fn unseen(&self, kind: FactKind) -> Option<&Gap> {
        self.unseen.get(&kind)
    }

    /// The machine's own facts.
    pub fn machine(&self) -> Option<&Subject> {
        self.of_kind(FactKind::Machine).next()
    }

    fn machine_mut(&mut self) -> Option<&mut Subject> {
        self.subjects.iter_mut().find(|subject| subject.kind == FactKind::Machine)
    }

    /// A text that would have told of subjects of these kinds is not known. Where there is no such file or
    /// program, there are none.
    fn cannot_see(&mut self, kinds: &[FactKind], text: &str, why: &NotKnown) {
        if *why != NotKnown::NotThere {
            kinds.iter().for_each(|kind| {
                self.unseen.entry(*kind).or_insert_with(|| Gap::new(text, why.clone()));
            });
        }
    }
}

/// What a text lists: of these there may be more where it is damaged.
fn listed_in(text: &str) -> &'static [FactKind] {
    match text {
        mountinfo::FILE => {
            // Of the disks those that a mount makes one of: loop devices.
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

/// A name of somebody else's as a fact's: `Server Multi Channel` is `server_multi_channel`, `EnableLargeMtu`
/// is `enable_large_mtu`.
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
    fn no_number_is_not_told() {
        let mut subject = Subject::new(FactKind::Machine, "");
        subject.number("speed_mbit_per_s", "-".parse().ok(), "/sys/class/net/eth0/speed");
        assert!(matches!(subject.fact("speed_mbit_per_s"), Some(Err(gap)) if gap.why == NotKnown::NotTold));
        subject.told("link", "inf", "");
        assert_eq!(subject.fact("link"), Some(&Ok(Value::Word("inf".to_owned()))));
    }
}
