//! Which layer limited a run, in words, with the figures that say so; and what the line to the storage
//! carries.
//!
//! Every figure here stands in the summary: in the load point's limit, or in its link. Not here: what stands
//! out ([`reelgauge_analysis::limit`]), and whose fault it was (`statement`).

mod words;

use reelgauge_analysis::limit::{Limit, LimitFinding, LimitVerdict};
use reelgauge_analysis::statement::of;
use reelgauge_analysis::{LoadPoint, Summary};

use crate::text::{capital, plain};
use crate::units::mb_per_s;

pub(crate) use words::finding_words;

/// So many things that stood beside the limit are told.
const BESIDE: usize = 2;

/// What limited a run, and what stood beside it, each as a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LimitWords {
    /// The layer, or that none is known. `None` where nothing is to be said.
    pub(crate) found: Option<String>,
    /// What was seen beside it and is no limit. `None` where nothing was.
    pub(crate) beside: Option<String>,
}

impl LimitWords {
    /// What limited the run, and behind it what stood beside that. Empty where nothing limited it.
    pub(crate) fn limited_by(&self) -> String {
        let Some(found) = &self.found else { return String::new() };
        self.beside.as_ref().map_or_else(|| found.clone(), |beside| format!("{found} Note: {beside}"))
    }

    /// What stood beside a run that nothing limited.
    pub(crate) fn only_beside(&self) -> Option<String> {
        self.beside.as_deref().filter(|_| self.found.is_none()).map(capital)
    }
}

/// What limited the run, and what stood beside it.
pub(crate) fn limit_words(summary: &Summary) -> LimitWords {
    let statement = of(summary);
    let Some(limit) = statement.limit(summary) else {
        return LimitWords::default();
    };
    // A quick check names its limit from all its trials. One of them is shown where its counters say the
    // same.
    if summary.check.is_some() && limit.found.is_none() {
        return LimitWords::default();
    }
    let way = Way::of(summary);
    // What a check advises is its next step, so its findings come without remedies.
    let words = |finding: &LimitFinding| match summary.check.is_some() {
        true => words::words_without_remedy(finding, way),
        false => finding_words(finding, way),
    };
    let found = found(&limit, words).map(|found| at_its_point(&found, summary, statement.limit_point));
    let beside: Vec<String> = limit.contributing.iter().take(BESIDE).map(words).collect();
    let beside = (!beside.is_empty()).then(|| format!("{}.", beside.join("; ")));
    LimitWords { found, beside }
}

/// What words have to know of the way to the storage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Way {
    /// Whether it is known what the line carries.
    pub(crate) is_line_known: bool,
    /// A program of this machine does the mount's work, as sshfs does, and counts nothing.
    pub(crate) has_own_program: bool,
}

impl Way {
    fn of(summary: &Summary) -> Way {
        let fs_type = summary.target.fs_type.as_deref().unwrap_or_default();
        Way {
            is_line_known: summary.link.as_ref().is_some_and(|link| link.line_bytes_per_s.is_some()),
            has_own_program: fs_type.starts_with("fuse"),
        }
    }
}

/// As a sentence, with the load point that it is about, where there are several: it need not be the one
/// that the answer is about.
fn at_its_point(found: &str, summary: &Summary, at: Option<usize>) -> String {
    let point = at.and_then(|at| summary.load_points.get(at)).filter(|_| summary.load_points.len() > 1);
    point.map_or_else(
        || capital(found),
        |point| format!("{} Load point: {}.", capital(found), plain(&point.label)),
    )
}

fn found(limit: &Limit, words: impl Fn(&LimitFinding) -> String) -> Option<String> {
    match (&limit.found, limit.verdict) {
        (Some(finding), _) => Some(format!("{}.", words(finding))),
        (None, LimitVerdict::NothingStoodOut) if limit.nearest.is_empty() => {
            Some("unknown. No counter on this client reached its threshold or came near.".to_owned())
        }
        (None, LimitVerdict::NothingStoodOut) => {
            let nearest: Vec<String> = limit.nearest.iter().map(words::margin_words).collect();
            Some(format!(
                "unknown. No counter on this client reached its threshold. Nearest: {}.",
                nearest.join("; ")
            ))
        }
        (None, _) => None,
    }
}

/// What the line to the storage carries, beside what was measured through it: `eth0 to 10.0.0.2, 1 Gbit/s,
/// MTU 1500: about 118 MB/s each way; read 97.0 MB/s`. `None` where no network leads there.
pub(crate) fn line_words(summary: &Summary) -> Option<String> {
    let link = summary.link.as_ref()?;
    let words = plain(&link.words);
    let Some(line) = link.line_bytes_per_s else {
        return Some(format!("{words}; speed unknown."));
    };
    let measured = told_point(summary).map_or_else(String::new, measured_words);
    Some(format!("{words}: about {} MB/s each way{measured}.", mb_per_s(line)))
}

/// The load point that the answer is about, else the one that moved most.
fn told_point(summary: &Summary) -> Option<&LoadPoint> {
    let points = &summary.load_points;
    let rate = |point: &&LoadPoint| point.total.bytes_per_s.unwrap_or(0.0);
    let of_most = || points.iter().max_by(|one, two| rate(one).total_cmp(&rate(two)));
    of(summary).limit_point.and_then(|at| points.get(at)).or_else(of_most)
}

fn measured_words(point: &LoadPoint) -> String {
    let moved = [("read", point.total.read_bytes_per_s), ("wrote", point.total.written_bytes_per_s)];
    let moved = moved.iter().filter_map(|(verb, rate)| Some((verb, rate.filter(|rate| *rate > 0.0)?)));
    let moved: Vec<String> = moved.map(|(verb, rate)| format!("{verb} {} MB/s", mb_per_s(rate))).collect();
    if moved.is_empty() { String::new() } else { format!("; {}", moved.join(", ")) }
}

/// The lines below the answer of a screen: a name and a text each.
pub(crate) fn limit_notes(summary: &Summary) -> Vec<(&'static str, String)> {
    let words = limit_words(summary);
    let beside = words.beside.filter(|_| words.found.is_none()).map(|beside| ("Note", beside));
    beside.into_iter().chain(line_words(summary).map(|words| ("Link", words))).collect()
}

#[cfg(test)]
mod tests;
