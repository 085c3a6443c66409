//! A rule: a bad setting for media, how it is detected, and how to fix it. Rules are data in
//! `catalogue/rules/`, one file each; this is their format.
//!
//! A rule contains two texts of a host, one on which it fires and one on which it is silent. Otherwise
//! it states why it has no detector.

pub mod catalogue;
pub mod detector;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use detector::{Condition, Detector, Test};

use reelgauge_machine::file_system::{Protocol, protocol_of};
pub use reelgauge_machine::system::Os;

/// The severity, in order of the effect. The cost of a rule is a text ([`Rule::cost`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A stall, data at risk, or a loss of two thirds of the throughput.
    Critical,
    /// A loss of a third of the throughput, or dropped frames.
    High,
    /// A loss of 10 % up to a third of the throughput.
    Medium,
    /// Less than 10 %, or seldom.
    Low,
    Info,
}

/// The evidence for a rule, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Grounds {
    /// A number measured in a paper that Reelgauge follows, or measured again for it.
    A,
    /// A number that a vendor or maintainer published.
    B,
    /// Authoritative documentation without a number.
    C,
    /// Reports from practice.
    D,
}

/// The layer in the data path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    Network,
    Cpu,
    /// Memory and the host as a whole.
    Host,
    Nfs,
    Smb,
    /// Settings of a workstation.
    Client,
    Block,
    Fs,
}

/// The role of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It uses the storage.
    Client,
    /// It is the storage.
    Server,
}

/// Whether the fix may be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// It has visible side effects: only with the user's consent.
    WithExplicitConsent,
    /// It trades security or safety of data.
    Never,
    /// There is nothing to change.
    NotAChange,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub id: String,
    /// Its subject, in one line.
    pub title: String,
    /// The layer in the data path.
    pub layer: Layer,
    pub os: Vec<Os>,
    pub role: Vec<Role>,
    /// Its protocols; `any` for all.
    pub protocol: Vec<String>,
    /// File systems to which it does not apply, if the data is on one. `fuse` means all of that kind.
    #[serde(default)]
    pub not_on: Vec<String>,
    pub severity: Severity,
    pub evidence: Grounds,
    /// Whether its fix may be applied.
    pub policy: Policy,
    /// The possible cost, as words after "can cost", supported by its evidence: "media that gets damaged
    /// unnoticed".
    pub cost: Option<String>,
    /// Why it matters for media.
    pub why: String,
    /// The comment for a line in a fragment that follows the recommendation: its benefit, not the harm
    /// without it.
    pub reason: Option<String>,
    /// The recommended setting.
    pub recommended: String,
    /// The undo, with facts in braces: it restores the found value, or advises to note it first.
    pub rollback: String,
    /// The undo on systems that need another.
    #[serde(default)]
    pub undo: BTreeMap<String, String>,
    /// When it does not apply, or its side effects. `None` if no such case is known.
    pub not_when: Option<String>,
    /// How to verify that it helped.
    pub verify: String,
    pub sources: Vec<String>,
    /// Why it has no detector.
    pub documented_only: Option<String>,
    /// The fix, by system, with facts in braces; `any` for all others.
    pub fix: BTreeMap<String, String>,
    /// The fix if the path is on such a file system, by its kind: `nfs`, `smb`, or as in `not_on`.
    #[serde(default)]
    pub fix_on: BTreeMap<String, String>,
    /// Numbers, with their sources.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// The detectors; any of them is enough.
    #[serde(default)]
    pub detect: Vec<Detector>,
    /// Collected texts for tests: each detector fires on at least one of them. A key `NAME.why` gives the
    /// reason why the text NAME is missing, as the collecting scripts write it.
    #[serde(default)]
    pub fires: Vec<BTreeMap<String, String>>,
    /// Texts of a host on which it is silent.
    #[serde(default)]
    pub silent: BTreeMap<String, String>,
}

/// A number that was published or measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub says: String,
    pub source: String,
}

impl Rule {
    /// All fixes and undos, which contain facts of the finding in braces.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.fix
            .values()
            .chain(self.fix_on.values())
            .chain(self.undo.values())
            .map(String::as_str)
            .chain([self.rollback.as_str()])
    }

    /// The fix on this system.
    pub fn fix(&self, os: Os) -> Option<&str> {
        of_system(&self.fix, os)
    }

    /// The fix on a file system of this type, if it has a special one.
    pub fn fix_on(&self, fs_type: &str) -> Option<&str> {
        let kind = match protocol_of(fs_type) {
            Some(Protocol::Nfs) => "nfs",
            Some(Protocol::Smb) => "smb",
            _ => fs_type.split('.').next().unwrap_or(fs_type),
        };
        [fs_type, kind].into_iter().find_map(|name| self.fix_on.get(name)).map(String::as_str)
    }

    /// The undo on this system.
    pub fn undo(&self, os: Os) -> &str {
        of_system(&self.undo, os).unwrap_or(&self.rollback)
    }
}

fn of_system(texts: &BTreeMap<String, String>, os: Os) -> Option<&str> {
    let names: &[&str] = match os {
        Os::Linux => &["linux", "any"],
        Os::Macos => &["macos", "any"],
        Os::Windows => &["windows", "any"],
        Os::Truenas => &["truenas", "linux", "any"],
    };
    names.iter().find_map(|name| texts.get(*name)).map(String::as_str)
}
