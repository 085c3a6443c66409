//! A fragment: a file, or what is typed into a dialog, line by line.

use serde::Serialize;

use super::site::{Site, SiteName, Stated, Topology, Version};
use super::sums::Sum;

/// What belongs into one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fragment {
    /// The name of the file that it is written to: `smb.conf`.
    pub name: &'static str,
    pub place: Destination,
    /// What it consists of, in its order.
    pub parts: Vec<FragmentPart>,
    /// The site's names that stand in it.
    pub names: Vec<SiteName>,
    /// Settings of the kernel that it changes, and that a later restart alone would give back: they are
    /// kept before.
    pub keep: Option<Kept>,
    /// What makes it take effect; with the former file in its place again, what undoes it too.
    pub activate: Vec<String>,
}

/// Where the former settings of the kernel are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kept {
    pub settings: Vec<String>,
    /// The file that they are written to.
    pub file: &'static str,
}

/// Where a fragment belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "place", content = "at")]
pub enum Destination {
    /// Lines of a file that has others, too.
    Into(String),
    /// A file of its own.
    File(String),
    /// Commands, run as root or administrator, one by one.
    Run(&'static str),
    /// A dialog of an appliance.
    Dialog(&'static str),
}

/// A part of a fragment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "part", content = "is")]
pub enum FragmentPart {
    /// A line that only holds others together: `[global]`.
    Frame(String),
    Line(SettingLine),
    /// Something that trades security or the safety of data: nobody but the owner decides it. The rule that
    /// explains it.
    Decide(&'static str),
    /// Something that is left as it is, with the rule that it is about.
    Left(&'static str, Left),
    /// The former protocol of Macs.
    AfpIsLegacy,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingLine {
    /// As it is written.
    pub text: String,
    /// The rule that gives its reason.
    pub rule: &'static str,
    /// Parts of the line that have a reason of their own, each with its rule.
    pub parts: Vec<(String, &'static str)>,
    /// What of the site decided it.
    pub because: Option<Because>,
    /// What its number was worked out from, and what it comes to.
    pub sums: Vec<Sum>,
    /// What undoes it; where there is none, the line is removed.
    pub undo: Option<String>,
}

/// What of the site decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    Topology(Topology),
    /// Macs are among the clients.
    HasMacs,
    /// Kept as it is by default, so that no old line above it stays in force.
    IsDefault,
    /// Where to start; the best value is one to prove.
    ToProve,
}

/// Why something is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Left {
    /// It hangs on something that was not stated; by which flags it is.
    NotStated(Vec<&'static str>),
    /// The topology speaks against it.
    Topology(Topology),
    /// The version does not have it.
    TooOld(Version),
    /// Only a measurement tells.
    Measure,
    /// It does nothing together with another line that is written.
    WithoutEffect(&'static str),
    /// It would be right for new shares or pools alone.
    NewOnly,
    /// A dialog has a field of this name for it.
    Dialog(&'static str),
}

impl FragmentPart {
    /// What is left as it is, since of these somebody did not state all.
    pub(super) fn not_stated(rule: &'static str, site: &Site, wanted: &[Stated]) -> FragmentPart {
        FragmentPart::Left(rule, Left::NotStated(site.not_stated(wanted)))
    }

    /// What it writes besides comments.
    pub fn text(&self) -> Option<&str> {
        match self {
            FragmentPart::Frame(text) | FragmentPart::Line(SettingLine { text, .. }) => Some(text),
            FragmentPart::Decide(_) | FragmentPart::Left(..) | FragmentPart::AfpIsLegacy => None,
        }
    }
}

impl SettingLine {
    pub(super) fn new(text: impl Into<String>, rule: &'static str) -> SettingLine {
        SettingLine {
            text: text.into(),
            rule,
            parts: Vec::new(),
            because: None,
            sums: Vec::new(),
            undo: None,
        }
    }

    pub(super) fn part(mut self, text: impl Into<String>, rule: &'static str) -> SettingLine {
        self.parts.push((text.into(), rule));
        self
    }

    pub(super) fn because(self, because: Because) -> SettingLine {
        SettingLine { because: Some(because), ..self }
    }

    pub(super) fn sum(mut self, sum: Option<Sum>) -> SettingLine {
        self.sums.extend(sum);
        self
    }

    pub(super) fn undo(self, undo: impl Into<String>) -> SettingLine {
        SettingLine { undo: Some(undo.into()), ..self }
    }
}

impl From<SettingLine> for FragmentPart {
    fn from(line: SettingLine) -> FragmentPart {
        FragmentPart::Line(line)
    }
}

/// A line that only holds others together.
pub(super) fn frame(text: &str) -> FragmentPart {
    FragmentPart::Frame(text.to_owned())
}

/// The default, written out.
pub(super) fn default(text: &str, rule: &'static str) -> FragmentPart {
    SettingLine::new(text, rule).because(Because::IsDefault).into()
}

/// How large frames are to be: opposite advice, by the topology. `set` makes the line for a size.
pub(super) fn frames(site: &Site, set: &dyn Fn(u32) -> SettingLine) -> FragmentPart {
    const SINGLE: &str = "net.mtu.jumbo_single_client";
    match site.topology() {
        topology @ Topology::Single => {
            SettingLine { rule: SINGLE, ..set(9000) }.because(Because::Topology(topology)).into()
        }
        topology @ Topology::FanIn => SettingLine { rule: "net.mtu.jumbo_fanin", ..set(1500) }
            .because(Because::Topology(topology))
            .into(),
        topology @ (Topology::Several | Topology::FasterClient) => {
            FragmentPart::Left(SINGLE, Left::Topology(topology))
        }
        Topology::NotKnown => {
            FragmentPart::not_stated(SINGLE, site, &[Stated::ServerLink, Stated::ClientLink, Stated::Clients])
        }
    }
}

/// Flow control at the step from the server's fast link to slower ones.
pub(super) fn flow_control(site: &Site, is_server: bool) -> Vec<FragmentPart> {
    match site.topology() {
        Topology::FanIn if is_server => vec![
            SettingLine::new(format!("ethtool -A {} rx on", site.interface), "net.pause.fast_to_slow_off")
                .because(Because::Topology(Topology::FanIn))
                .undo(format!(
                    "note the output of 'ethtool -a {0}' first; if it showed rx off, run: ethtool -A {0} rx \
                     off",
                    site.interface
                ))
                .into(),
        ],
        _ => Vec::new(),
    }
}
