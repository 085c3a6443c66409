//! A fragment: a file, or the text for a dialog, line by line.

use serde::Serialize;

use super::site::{SiteFact, SiteName, Topology, TuneSite, Version};
use super::sums::Sum;

/// The settings for one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fragment {
    /// The name of the file that it is written to: `smb.conf`.
    pub name: &'static str,
    pub place: Destination,
    /// Its parts, in order.
    pub parts: Vec<FragmentPart>,
    /// The site's names that occur in it.
    pub names: Vec<SiteName>,
    /// Kernel settings that it changes and that only a restart would restore: they are saved before.
    pub keep: Option<Kept>,
    /// The commands that activate it; with the previous file restored, also the undo.
    pub activate: Vec<String>,
}

/// Where the previous kernel settings are saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kept {
    pub settings: Vec<String>,
    /// The file that they are written to.
    pub file: &'static str,
}

/// The destination of a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "place", content = "at")]
pub enum Destination {
    /// Lines of a file that has others, too.
    Into(String),
    /// A separate file.
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
    /// A line that only groups others: `[global]`.
    Frame(String),
    Line(SettingLine),
    /// A setting that gives up security or data safety for speed, which only the owner may decide. The
    /// value is the rule that explains it.
    Decide(&'static str),
    /// A setting that stays unchanged, with its rule.
    Left(&'static str, Left),
    /// The old protocol of Macs.
    AfpIsLegacy,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingLine {
    /// The text as written.
    pub text: String,
    /// The rule with its reason.
    pub rule: &'static str,
    /// Parts of the line that have a separate reason, each with its rule.
    pub parts: Vec<(String, &'static str)>,
    /// The fact about the site that decided it.
    pub because: Option<Because>,
    /// The computation of its number, and the result.
    pub sums: Vec<Sum>,
    /// The undo; without one, the line is removed.
    pub undo: Option<String>,
}

/// The fact about the site that decides a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    Topology(Topology),
    /// Macs are among the clients.
    HasMacs,
    /// The default, written so that an older line before it has no effect.
    IsDefault,
    /// A starting value; the best value has to be measured.
    ToProve,
}

/// Why a setting stays unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Left {
    /// It depends on facts that were not stated; the flags that state them.
    NotStated(Vec<&'static str>),
    /// It does not fit the topology.
    Topology(Topology),
    /// The version does not support it.
    TooOld(Version),
    /// Only a measurement can decide.
    Measure,
    /// It has no effect together with another line that is written.
    WithoutEffect(&'static str),
    /// It is right only for new shares or pools.
    NewOnly,
    /// A dialog has a field with this name for it.
    Dialog(&'static str),
}

impl FragmentPart {
    /// A setting that stays unchanged, because not all of these facts were stated.
    pub(super) fn not_stated(rule: &'static str, site: &TuneSite, wanted: &[SiteFact]) -> FragmentPart {
        FragmentPart::Left(rule, Left::NotStated(site.not_stated(wanted)))
    }

    /// The text that is not a comment.
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

/// A line that only groups others.
pub(super) fn frame(text: &str) -> FragmentPart {
    FragmentPart::Frame(text.to_owned())
}

/// The default, written explicitly.
pub(super) fn default(text: &str, rule: &'static str) -> FragmentPart {
    SettingLine::new(text, rule).because(Because::IsDefault).into()
}

/// The frame size: the advice depends on the topology. `set` makes the line for a size.
pub(super) fn frames(site: &TuneSite, set: &dyn Fn(u32) -> SettingLine) -> FragmentPart {
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
        Topology::NotKnown => FragmentPart::not_stated(
            SINGLE,
            site,
            &[SiteFact::ServerLink, SiteFact::ClientLink, SiteFact::Clients],
        ),
    }
}

/// Flow control between the server's fast link and slower ones.
pub(super) fn flow_control(site: &TuneSite, is_server: bool) -> Vec<FragmentPart> {
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
