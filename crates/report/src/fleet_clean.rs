//! The screen of files and runs that earlier runs left on the agents of a fleet and on its controller:
//! the kind, the size, and whether each was removed.
//!
//! Texts from agents are untrusted, so they are shown as plain text.

use serde::{Deserialize, Serialize};

use crate::Style;
use crate::fleet_doctor::{NoAnswer, why_no_answer};
use crate::text::{plain_short, wrap};
use crate::units::{amount, counted};

/// Longer texts from an agent are cut.
const TEXT_CHARS: usize = 400;
const NAME_CHARS: usize = 40;
/// An agent reports at most this many leftovers.
pub const LEFTOVERS_MAX: usize = 512;

/// The kind of a leftover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftoverKind {
    /// A run that was not fetched or not merged.
    Run,
    /// Test files on a target.
    TestFiles,
}

/// A run or test files that remained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftover {
    pub kind: LeftoverKind,
    /// The name of the run, or the directory that was measured.
    pub name: String,
    /// `None` if unknown.
    pub bytes: Option<u64>,
    /// Whether it was removed.
    pub is_removed: bool,
    /// Why it was not removed, or could not be inspected.
    pub why_not: Option<String>,
}

/// The leftovers in one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftoversOf {
    /// The agent; `None` for the controller.
    pub agent: Option<String>,
    pub leftovers: Vec<Leftover>,
}

/// The screen of all leftovers. `removes`: whether the user requested removal; `version` is this
/// program's.
pub fn fleet_clean_screen(
    all: &[LeftoversOf],
    silent: &[NoAnswer],
    removes: bool,
    (version, style): (&str, Style),
) -> String {
    let each = || all.iter().flat_map(|of| &of.leftovers);
    let mut lines = vec![answer(each(), removes)];
    for of in all {
        let whose = of.agent.as_deref().map_or("controller".to_owned(), |name| plain_short(name, NAME_CHARS));
        lines.extend(of.leftovers.iter().map(|leftover| format!("{whose}: {}", sentence(leftover))));
    }
    for NoAnswer { agent, why } in silent {
        let why = why_no_answer(why, version, "reelgauge clean DIR");
        lines.push(format!("{}: {why}", plain_short(agent, NAME_CHARS)));
    }
    let is_left = |kind: LeftoverKind| each().any(|left| left.kind == kind && !left.is_removed);
    if is_left(LeftoverKind::TestFiles) && !removes {
        lines.push("Remove the test files: reelgauge fleet clean --yes".to_owned());
    }
    if is_left(LeftoverKind::Run) {
        lines.push(
            "Fetch a run: reelgauge fleet logs RUN. Remove it instead: reelgauge fleet clean RUN --yes"
                .to_owned(),
        );
    }
    lines.iter().map(|line| wrap(line, style.width, 2) + "\n").collect()
}

fn answer<'a>(each: impl Iterator<Item = &'a Leftover> + Clone, removes: bool) -> String {
    let sum = |is_removed: bool| {
        let some: Vec<&Leftover> = each.clone().filter(|left| left.is_removed == is_removed).collect();
        let bytes = some.iter().filter_map(|left| left.bytes).fold(0, u64::saturating_add);
        (some.len() as u64, amount(bytes))
    };
    let ((gone, gone_size), (left, left_size)) = (sum(true), sum(false));
    let removed = format!("Removed {}, {gone_size}.", counted(gone, "leftover"));
    match (removes, gone, left) {
        (_, 0, 0) => "Earlier runs left nothing behind.".to_owned(),
        (false, ..) => {
            format!("{} of earlier runs, {left_size}. Nothing was removed.", counted(left, "leftover"))
        }
        (true, _, 0) => removed,
        (true, ..) => format!("{removed} Not removed: {}, {left_size}.", counted(left, "leftover")),
    }
}

fn sentence(leftover: &Leftover) -> String {
    let name = plain_short(&leftover.name, TEXT_CHARS);
    let what = match leftover.kind {
        LeftoverKind::Run => format!("run {name}"),
        LeftoverKind::TestFiles => format!("test files in {name}"),
    };
    let size = leftover.bytes.map_or("size unknown".to_owned(), amount);
    let became = match (&leftover.why_not, leftover.is_removed, leftover.kind) {
        (Some(why), ..) => format!("not removed: {}", plain_short(why, TEXT_CHARS).trim_end_matches('.')),
        (None, true, _) => "removed".to_owned(),
        (None, false, LeftoverKind::Run) => "not fetched".to_owned(),
        (None, false, LeftoverKind::TestFiles) => return format!("{what}, {size}."),
    };
    format!("{what}, {size}, {became}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet_doctor::WhyNoAnswer;

    fn leftover(kind: LeftoverKind, name: &str, bytes: u64) -> Leftover {
        Leftover { kind, name: name.to_owned(), bytes: Some(bytes), is_removed: false, why_not: None }
    }

    fn screen(all: &[LeftoversOf], silent: &[NoAnswer], removes: bool) -> String {
        fleet_clean_screen(all, silent, removes, ("0.1.0", Style { width: 100, ..Style::default() }))
    }

    #[test]
    fn leftovers_are_listed_with_the_removal_command() {
        let mut printed = Vec::<String>::new();
        let of = |agent: Option<&str>, leftovers| LeftoversOf { agent: agent.map(str::to_owned), leftovers };
        printed.push(screen(&[of(None, Vec::new())], &[], false).to_string());
        let files = leftover(LeftoverKind::TestFiles, "/mnt/nas\u{1b}[2J", 300_000_000);
        let run = leftover(LeftoverKind::Run, "20261128T000000Z-1", 18_000_000);
        let older =
            NoAnswer { agent: "b".to_owned(), why: WhyNoAnswer::Older { version: "0.0.9".to_owned() } };
        let all = [of(Some("a"), vec![files.clone(), run.clone()]), of(None, vec![run.clone()])];
        let said = screen(&all, std::slice::from_ref(&older), false);
        printed.push(said.to_string());
        assert!(said.contains("a: run 20261128T000000Z-1, 18") && said.contains("not fetched."), "{said}");
        assert!(said.contains("controller: run ") && said.contains("fleet clean --yes"), "{said}");
        assert!(said.contains("b: its version 0.0.9 "), "{said}");
        assert!(!said.contains('\u{1b}'), "{said}");
        let gone = Leftover { is_removed: true, ..files };
        let stays = Leftover { why_not: Some("a run uses it.".to_owned()), ..run };
        let said = screen(&[of(Some("a"), vec![gone, stays])], &[], true);
        printed.push(said.to_string());

        insta::assert_snapshot!(printed.join("\n"));
    }
}
