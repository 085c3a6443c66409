//! A rule: what is set badly for media, how it is recognised, and what to do about it. Data, in
//! `catalogue/rules/`, one file each; here is their form.
//!
//! A rule brings two texts of a machine, one on which it fires and one on which it is silent; or it says why
//! nothing here recognises it.

pub mod catalogue;
pub mod detector;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use detector::{Condition, Detector, Test};

use reelgauge_machine::file_system::{Protocol, protocol_of};
pub use reelgauge_machine::system::Os;

/// How grave it is, in the order of the effect. What a rule costs stands in its own words ([`Rule::cost`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A stall, data at risk, or two thirds of the throughput.
    Critical,
    /// A third of the throughput, or dropped frames.
    High,
    /// 10 to 50 %.
    Medium,
    /// Less than 10 %, or seldom.
    Low,
    Info,
}

/// What a rule rests on. In the order of its strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Grounds {
    /// A number measured in a paper that Reelgauge follows, or measured again for it.
    A,
    /// A number that a vendor or maintainer published.
    B,
    /// Authoritative documentation without a number.
    C,
    /// Reports of people who work with it.
    D,
}

/// Where in the data's path it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    Network,
    Cpu,
    /// Memory and the machine as a whole.
    Host,
    Nfs,
    Smb,
    /// What is set on a workstation.
    Client,
    Block,
    Fs,
}

/// What a machine is to the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It uses the storage.
    Client,
    /// It is the storage.
    Server,
}

/// Whether its fix may be carried out without thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// It changes what people would notice: only when they want it.
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
    /// What it is about, in a line.
    pub title: String,
    /// Where in the data's path.
    pub layer: Layer,
    pub os: Vec<Os>,
    pub role: Vec<Role>,
    /// Of which protocols; `any` of all.
    pub protocol: Vec<String>,
    /// File systems on which it says nothing, where the data lies on one: they have no part of it. `fuse` are
    /// all of that kind.
    #[serde(default)]
    pub not_on: Vec<String>,
    /// How grave it is.
    pub severity: Severity,
    /// What it rests on.
    pub evidence: Grounds,
    /// Whether its fix may be carried out.
    pub policy: Policy,
    /// What it can cost, in words that follow "can cost", as far as its own evidence tells: "media that gets
    /// damaged unnoticed".
    pub cost: Option<String>,
    /// Why it matters for media.
    pub why: String,
    /// Why a line that does as it recommends is written, for fragments: what it is good for, not what is
    /// wrong without it.
    pub reason: Option<String>,
    /// How it should be.
    pub recommended: String,
    /// What to undo it with, with facts in braces: it gives back what was found, or says to note it first.
    pub rollback: String,
    /// The same on systems that need another.
    #[serde(default)]
    pub undo: BTreeMap<String, String>,
    /// When it does not apply, or what it costs. `None` where no such case is known.
    pub not_when: Option<String>,
    /// How one sees that it helped.
    pub verify: String,
    /// Where it comes from.
    pub sources: Vec<String>,
    /// Why nothing here recognises it.
    pub documented_only: Option<String>,
    /// What to do, by system, with facts in braces; `any` for all others.
    pub fix: BTreeMap<String, String>,
    /// What to do where the path is on such a file system, with its kind: `nfs`, `smb`, or as in `not_on`.
    #[serde(default)]
    pub fix_on: BTreeMap<String, String>,
    /// Numbers behind it, and who says them.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// How it is recognised; any of them.
    #[serde(default)]
    pub detect: Vec<Detector>,
    /// Texts of machines on which it fires, each of its detectors on one; `NAME.why` as scripts have it.
    #[serde(default)]
    pub fires: Vec<BTreeMap<String, String>>,
    /// Texts of a machine on which it is silent.
    #[serde(default)]
    pub silent: BTreeMap<String, String>,
}

/// What somebody says, or measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub says: String,
    pub source: String,
}

impl Rule {
    /// What to do and to undo, in which facts of what was found stand in braces.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.fix
            .values()
            .chain(self.fix_on.values())
            .chain(self.undo.values())
            .map(String::as_str)
            .chain([self.rollback.as_str()])
    }

    /// What to do on this system.
    pub fn fix(&self, os: Os) -> Option<&str> {
        of_system(&self.fix, os)
    }

    /// What to do on a file system of this type, where that is something of its own.
    pub fn fix_on(&self, fs_type: &str) -> Option<&str> {
        let kind = match protocol_of(fs_type) {
            Some(Protocol::Nfs) => "nfs",
            Some(Protocol::Smb) => "smb",
            _ => fs_type.split('.').next().unwrap_or(fs_type),
        };
        [fs_type, kind].into_iter().find_map(|name| self.fix_on.get(name)).map(String::as_str)
    }

    /// What undoes it there.
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
