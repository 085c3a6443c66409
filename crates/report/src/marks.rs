//! Marks as text: events during a run that are known to disturb storage. They are shown, but not named
//! as a cause.
//!
//! Not here: which counters are a mark ([`reelgauge_analysis::marks`]).

use reelgauge_analysis::Summary;
use reelgauge_analysis::marks::{Mark, MarkKind};
use serde::{Deserialize, Serialize};

use crate::document::{Block, Section};
use crate::event::end_words;
use crate::observers::observer_words;
use crate::path::hop_words;
use crate::sentence::Tone;
use crate::text::plain_short;
use crate::units::moment;

/// Longer device names are cut.
const NAME_CHARS: usize = 48;

/// Longer texts from a user are cut.
const TEXT_CHARS: usize = 200;

/// A screen shows at most this many marks.
const SHOWN: usize = 6;

/// A mark as a page shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MarkWords {
    /// Its start, in seconds since the run began.
    pub from_s: f64,
    /// Its end, in seconds since the run began.
    pub to_s: f64,
    /// The event, its place and its time.
    pub text: String,
}

/// All marks of a run, the earliest first.
pub fn mark_words(summary: &Summary) -> Vec<MarkWords> {
    let words =
        |mark: &Mark| MarkWords { from_s: mark.began_s, to_s: mark.ended_s, text: line(mark, summary) };
    summary.marks.iter().map(words).collect()
}

/// The lines of a screen about the marks.
pub(crate) fn mark_lines(summary: &Summary) -> Vec<String> {
    let mut lines: Vec<String> = summary.marks.iter().take(SHOWN).map(|mark| line(mark, summary)).collect();
    if summary.marks.len() > SHOWN {
        lines.push(format!("{} more in summary.json", summary.marks.len() - SHOWN));
    }
    lines
}

/// The section of the page about facts next to a run: the path to the disks, marks, and observers.
/// `None` if there are none.
pub(crate) fn section(summary: &Summary) -> Option<Section> {
    let mut section = Section::of_page("beside", "Path, marks and observers", "");
    let hops = summary.path.as_ref().map(hop_words).filter(|hops| !hops.is_empty());
    if let Some(hops) = hops {
        section.blocks.push(Block::Heading("The path to the disks".to_owned()));
        section.say(Tone::Plain, "The limit of each part, where known, and the measured rate.");
        section.blocks.push(Block::Diagram(hops));
    }
    if !summary.marks.is_empty() {
        section.blocks.push(Block::Heading("Marks".to_owned()));
        section.say(
            Tone::Plain,
            "Events during the run that can disturb storage. A coincidence in time is not proof.",
        );
        section.blocks.push(Block::PageChart("marks".to_owned()));
    }
    for observer in &summary.observers {
        section.say(Tone::Plain, format!("Observer: {}.", observer_words(observer)));
    }
    (!section.blocks.is_empty()).then_some(section)
}

fn line(mark: &Mark, summary: &Summary) -> String {
    let text = words_of(mark, summary);
    let (from, until) = (moment(mark.began_s), moment(mark.ended_s));
    match mark.is_open {
        true => format!("{text}, from {from} to the end or longer"),
        false if mark.began_s == mark.ended_s => format!("{text}, at {from}"),
        false => format!("{text}, between {from} and {until}"),
    }
}

/// Marks that overlap a part of the run: `md0 resync`.
pub(crate) fn beside_words(summary: &Summary, from_s: f64, until_s: f64) -> Vec<String> {
    let beside = summary.marks.iter().filter(|mark| mark.is_beside(from_s, until_s));
    let mut words: Vec<String> = beside.map(|mark| words_of(mark, summary)).collect();
    words.dedup();
    words
}

fn words_of(mark: &Mark, summary: &Summary) -> String {
    let event = summary.event.as_ref().filter(|event| event.began_s == Some(mark.began_s));
    if let Some(event) = event.filter(|event| mark.kind == MarkKind::Entered && event.name == mark.device) {
        return format!("{}: {}", plain_short(&mark.device, TEXT_CHARS), end_words(event));
    }
    if mark.kind == MarkKind::Entered {
        return plain_short(&mark.device, TEXT_CHARS);
    }
    let device = plain_short(&mark.device, NAME_CHARS);
    // A mark of the run's own host does not need the host's name.
    let is_observer = summary.observers.iter().any(|observer| observer.name == mark.agent);
    let at =
        if is_observer { format!(" on {}", plain_short(&mark.agent, NAME_CHARS)) } else { String::new() };
    match mark.kind {
        MarkKind::BackgroundWork => format!("{device}{at}"),
        MarkKind::LinkFlap => format!("the link of {device} went down or up{at}"),
        MarkKind::Remount => format!("the mount changed{at}"),
        MarkKind::SwapStorm => format!("memory was swapped in{at}"),
        MarkKind::Snapshot if device.is_empty() => format!("a snapshot was created{at}"),
        MarkKind::Snapshot => format!("a snapshot was created ({device}){at}"),
        MarkKind::Entered => device,
        MarkKind::Paused => format!("the run was paused, and nothing was measured{at}"),
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::facts::ObserverFacts;
    use reelgauge_analysis::summary::Target;

    use super::*;

    fn mark(kind: MarkKind, device: &str, agent: &str, began_s: f64) -> Mark {
        let (device, agent) = (device.to_owned(), agent.to_owned());
        Mark { kind, device, agent, began_s, ended_s: began_s + 2.0, is_open: false }
    }

    #[test]
    fn marks_are_shown_with_time_and_host() {
        let mut printed = Vec::<String>::new();
        let mut summary = Summary::new("0.1.0", "2026-11-24T10:00:00Z", "mix", Target::default());
        summary.observers = vec![ObserverFacts { name: "nas1".to_owned(), ..ObserverFacts::default() }];
        let open = Mark { is_open: true, ..mark(MarkKind::BackgroundWork, "md0 resync", "nas1", 3.0) };
        summary.marks = vec![open, mark(MarkKind::LinkFlap, "eth0", "local", 9.0)];
        printed.extend(mark_lines(&summary).iter().map(|text| text.to_string()));
        summary.marks.push(Mark { ended_s: 12.0, ..mark(MarkKind::Entered, "failover \u{202e}", "", 12.0) });
        assert_eq!(mark_lines(&summary)[2], "failover \\u{202e}, at 12 s");
        summary.marks.pop();
        printed.extend(beside_words(&summary, 10.0, 20.0).iter().map(|text| text.to_string()));
        assert!(beside_words(&summary, 20.0, 30.0).is_empty());
        assert_eq!(mark_words(&summary).len(), 2);
        insta::assert_snapshot!(printed.join("\n"));
    }
}
