//! The layer that limited a run, as text with the figures that show it; and the capacity of the link to
//! the storage.
//!
//! Every figure here is in the summary: in the load point's limit, or in its link. Not here: which
//! counters reach their thresholds ([`reelgauge_analysis::limit`]), and which component was at fault
//! (`statement`).

mod words;

use reelgauge_analysis::limit::{Limit, LimitFinding, LimitVerdict};
use reelgauge_analysis::statement::of;
use reelgauge_analysis::{LoadPoint, Summary};

use crate::text::{capital, plain};
use crate::units::mb_per_s;

pub(crate) use words::finding_words;

/// At most this many other findings are shown next to the limit.
const BESIDE: usize = 2;

/// The limit of a run and the other findings, each as a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LimitWords {
    /// The layer, or that none is known. `None` if there is nothing to report.
    pub(crate) found: Option<String>,
    /// Other findings that are no limit. `None` if there were none.
    pub(crate) beside: Option<String>,
}

impl LimitWords {
    /// The limit of the run, followed by the other findings. Empty if nothing limited it.
    pub(crate) fn limited_by(&self) -> String {
        let Some(found) = &self.found else { return String::new() };
        self.beside.as_ref().map_or_else(|| found.clone(), |beside| format!("{found} Note: {beside}"))
    }

    /// The other findings of a run without a limit.
    pub(crate) fn only_beside(&self) -> Option<String> {
        self.beside.as_deref().filter(|_| self.found.is_none()).map(capital)
    }
}

/// The limit of the run and the other findings.
pub(crate) fn limit_words(summary: &Summary) -> LimitWords {
    let statement = of(summary);
    let Some(limit) = statement.limit(summary) else {
        return LimitWords::default();
    };
    // A quick check names its limit from all its trials. One of them is shown if its counters agree.
    if summary.check.is_some() && limit.found.is_none() {
        return LimitWords::default();
    }
    let way = Way::of(summary);
    // The advice of a check is its next step, so its findings are shown without remedies.
    let words = |finding: &LimitFinding| match summary.check.is_some() {
        true => words::words_without_remedy(finding, way),
        false => finding_words(finding, way),
    };
    let found = found(&limit, words).map(|found| at_its_point(&found, summary, statement.limit_point));
    let beside: Vec<String> = limit.contributing.iter().take(BESIDE).map(words).collect();
    let beside = (!beside.is_empty()).then(|| format!("{}.", beside.join("; ")));
    LimitWords { found, beside }
}

/// Facts about the path to the storage that affect the texts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Way {
    /// Whether the capacity of the link is known.
    pub(crate) is_line_known: bool,
    /// A local program does the mount's work, as sshfs does, and has no counters.
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

/// The finding as a sentence. If there are several load points, it names its load point, which may
/// differ from that of the result.
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

/// The capacity of the link to the storage, compared with the measured rates: `eth0 to 10.0.0.2, 1
/// Gbit/s, MTU 1500: about 118 MB/s each way; read 97.0 MB/s`. `None` if there is no network path to the
/// storage.
pub(crate) fn line_words(summary: &Summary) -> Option<String> {
    let link = summary.link.as_ref()?;
    let words = plain(&link.words);
    let Some(line) = link.line_bytes_per_s else {
        return Some(format!("{words}; speed unknown."));
    };
    let measured = told_point(summary).map_or_else(String::new, measured_words);
    Some(format!("{words}: about {} MB/s each way{measured}.", mb_per_s(line)))
}

/// The load point that the result is about, else the one with the highest rate.
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

/// The lines below the result of a screen: a name and a text each.
pub(crate) fn limit_notes(summary: &Summary) -> Vec<(&'static str, String)> {
    let words = limit_words(summary);
    let beside = words.beside.filter(|_| words.found.is_none()).map(|beside| ("Note", beside));
    beside.into_iter().chain(line_words(summary).map(|words| ("Link", words))).collect()
}

#[cfg(test)]
mod tests;
