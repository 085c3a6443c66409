//! The results of a quick check, and the summary that they become.

use reelgauge_analysis::Culprit;
use reelgauge_analysis::facts::{CheckBasis, CheckCount, CheckFacts, CheckFormat};
use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::limit::{CountLimit, TrialEvidence};
use reelgauge_analysis::sustained::SustainedRate;
use reelgauge_machine::link::{Link, LinkKind};
use reelgauge_machine::mount::Mount;
use reelgauge_report::check::{count_limit_words, limit_sentence, not_finished_sentence, unsteady_sentence};

use super::agreement::{Counted, implied, settle};
use super::common_formats::{EVERYDAY, common_formats};
use super::hint::Hint;
use super::load::Rate;

/// The work of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// They are played.
    Play,
    /// They are recorded.
    Record,
}

impl Work {
    /// For a sentence: `12 streams of … play`.
    pub fn word(self) -> &'static str {
        match self {
            Work::Play => "play",
            Work::Record => "record",
        }
    }

    /// The rate that its counts rely on.
    pub fn rate(self) -> Rate {
        match self {
            Work::Play => Rate::SequentialRead,
            Work::Record => Rate::SequentialWrite,
        }
    }
}

/// The work whose counts rely on this rate; `None` for random reads.
pub fn work_of(rate: Rate) -> Option<Work> {
    match rate {
        Rate::SequentialRead => Some(Work::Play),
        Rate::SequentialWrite => Some(Work::Record),
        Rate::RandomRead => None,
    }
}

/// The count if the set limit is less than one stream needs.
pub(super) fn none_is_allowed(needed_mb_per_s: f64) -> Counted {
    Counted {
        streams: 0,
        error: 0,
        at_least: true,
        needed_mb_per_s,
        limit: CountLimit::Culprit(Culprit::MaxRate),
        basis: CheckBasis::ShortTrial,
        held_s: None,
        failed_from: None,
        is_confirmed: false,
        own_limit: false,
    }
}

fn facts_of(counted: &Counted, link: &Link, evidence: &TrialEvidence) -> CheckCount {
    CheckCount {
        streams: counted.streams,
        at_least: counted.at_least,
        error_streams: (!counted.at_least).then_some(counted.error),
        mb_per_s: f64::from(counted.streams) * counted.needed_mb_per_s,
        limited_by: count_limit_words(counted.limit, link, evidence).to_owned(),
        limit: Some(counted.limit),
        basis: Some(counted.basis),
        held_s: counted.held_s,
        // A count that was held too briefly is never marked as confirmed.
        own_limit: counted.own_limit && counted.basis != CheckBasis::ShortTrial,
    }
}

/// The results so far.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Format by format, playing and recording.
    counted: [[Option<Counted>; EVERYDAY.len()]; 2],
    /// The sequential rates over time, reading and writing.
    levels: [Option<SustainedRate>; 2],
    random_read_mb_per_s: Option<f64>,
    random_read_ms_p99: Option<f64>,
    /// The highest rate that this client can judge.
    judged_mb_per_s: Option<f64>,
}

impl Findings {
    /// No results yet, on a client that can judge this rate.
    pub(super) fn on_client(judged_mb_per_s: Option<f64>) -> Findings {
        Findings { judged_mb_per_s, ..Findings::default() }
    }

    /// The rate that streams of another format should receive: that of the streams counted so far, or
    /// the sequential rate.
    pub fn expected_bytes_per_s(&self, work: Work) -> f64 {
        let counted = self.counted[work as usize].iter().flatten();
        let carried = counted.map(|counted| f64::from(counted.streams) * counted.needed_mb_per_s * 1e6);
        let most = carried.fold(0.0, f64::max);
        if most > 0.0 { most } else { self.level(work).map_or(0.0, |level| level.mb_per_s * 1e6) }
    }

    /// Takes the count of the format at this index.
    pub fn found(&mut self, number: usize, work: Work, counted: Option<Counted>) {
        if let Some(place) = self.counted[work as usize].get_mut(number) {
            *place = counted;
        }
    }

    /// The count that others imply for each format whose limit they contradict.
    pub fn implied(&self, work: Work) -> Vec<Option<u32>> {
        implied(&self.counted[work as usize], self.sustained_mb_per_s(work))
    }

    /// The sequential rate, if it was held long enough to rely on it.
    fn sustained_mb_per_s(&self, work: Work) -> Option<f64> {
        let level = self.levels[work as usize].filter(|level| level.trend.is_sustained())?;
        Some(level.least_bytes_per_s() / 1e6)
    }

    /// Makes all counts agree with each other.
    fn settle(&mut self) {
        for work in [Work::Play, Work::Record] {
            let level = self.sustained_mb_per_s(work);
            settle(&mut self.counted[work as usize], level);
        }
    }

    /// Takes the figures of a plain rate. If nothing completed, nothing was measured, which is not 0
    /// MB/s.
    pub fn rate(&mut self, rate: Rate, total: &Figures, level: Option<SustainedRate>) {
        if total.response.data.is_none() {
            return;
        }
        if rate == Rate::RandomRead {
            self.random_read_mb_per_s = total.read_bytes_per_s.map(|bytes_per_s| bytes_per_s / 1e6);
            self.random_read_ms_p99 = p99_ms(total);
        }
        if let Some(level) = level.filter(|level| level.mb_per_s > 0.0)
            && let Some(work) = work_of(rate)
        {
            self.levels[work as usize] = Some(level);
        }
    }

    /// Takes the sequential rate as corrected by held streams.
    pub fn corrected(&mut self, work: Work, level: Option<SustainedRate>) {
        self.levels[work as usize] = level;
    }

    /// The sequential rate.
    pub fn level(&self, work: Work) -> Option<SustainedRate> {
        self.levels[work as usize]
    }

    /// Takes the counters of all trials: the storage is not named if no trial is attributed to it any
    /// more, or if other programs may have been the limit as well. Memory is no storage: its limits are
    /// this client's.
    fn revise(&mut self, evidence: &TrialEvidence, link: &Link) {
        let instead = match evidence.instead_of_storage {
            _ if link.kind == LinkKind::Memory => CountLimit::Culprit(Culprit::ThisMachine),
            Some(culprit) => CountLimit::Culprit(culprit),
            None if evidence.may_be_others() => CountLimit::StorageOrOthers,
            None => return,
        };
        for counted in self.counted.iter_mut().flatten().flatten() {
            if counted.limit == CountLimit::Culprit(Culprit::Storage) {
                counted.open(instead);
            }
        }
    }

    /// Attributes to the interruption what no trial limited.
    fn mark_stopped(&mut self) {
        for counted in self.counted.iter_mut().flatten().flatten() {
            if counted.limit == CountLimit::Time {
                counted.limit = CountLimit::Stopped;
            }
        }
    }

    /// Every format, lightest first.
    fn formats(&self, link: &Link, evidence: &TrialEvidence) -> Vec<CheckFormat> {
        let [play, record] = &self.counted;
        let formats = common_formats().into_iter().zip(play.iter().zip(record));
        let formats = formats.filter_map(|(format, (play, record))| {
            let needed_mb_per_s_each = play.as_ref().or(record.as_ref())?.needed_mb_per_s;
            Some(CheckFormat {
                id: format.id.clone(),
                name: format.title(),
                needed_mb_per_s_each,
                play: play.as_ref().map(|counted| facts_of(counted, link, evidence)),
                record: record.as_ref().map(|counted| facts_of(counted, link, evidence)),
            })
        });
        formats.collect()
    }

    /// All results, once no trial follows. `hint` returns a rule that agrees with the limit.
    pub(super) fn into_facts(
        mut self,
        place: &Place<'_>,
        evidence: &TrialEvidence,
        hint: impl FnOnce(Option<Culprit>) -> Option<Hint>,
    ) -> CheckFacts {
        self.revise(evidence, place.link);
        self.settle();
        if place.stopped.is_some() {
            self.mark_stopped();
        }
        let mut facts = CheckFacts {
            mount: place.mount.description(),
            link: place.link_words(),
            line_rate_mb_per_s: place.link.realistic_mb_per_s(),
            sequential_read_mb_per_s: self.levels[Work::Play as usize].map(|level| level.mb_per_s),
            sequential_write_mb_per_s: self.levels[Work::Record as usize].map(|level| level.mb_per_s),
            sequential_reads: self.levels[Work::Play as usize],
            sequential_writes: self.levels[Work::Record as usize],
            random_read_mb_per_s: self.random_read_mb_per_s,
            random_read_ms_p99: self.random_read_ms_p99,
            judged_mb_per_s: self.judged_mb_per_s,
            formats: self.formats(place.link, evidence),
            free_bytes: place.free_bytes,
            free_share: place.free_share,
            looked_s: place.looked_s,
            ..CheckFacts::default()
        };
        facts.unsteady = unsteady_sentence(&facts);
        if let Some(why) = place.stopped {
            facts.limit = not_finished_sentence(why);
            return facts;
        }
        let limits = facts.limits();
        facts.limit_culprit = match place.link.kind {
            LinkKind::Memory if !limits.is_empty() => Some(Culprit::ThisMachine),
            _ => CountLimit::decisive(&limits).and_then(CountLimit::culprit),
        };
        let hint = hint(facts.limit_culprit);
        let may_be_network = hint.as_ref().is_some_and(|hint| hint.is_about_network);
        facts.limit = limit_sentence(&facts, place.link, evidence, may_be_network);
        facts.hint = hint.map(|hint| hint.named);
        facts
    }
}

/// The place of a check, and how it ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) mount: &'a Mount,
    /// The link between this client and the storage.
    pub(super) link: &'a Link,
    /// Free space; `None` where the file system does not report it.
    pub(super) free_bytes: Option<u64>,
    /// The free memory as a share of the total, 0 to 1.
    pub(super) free_share: Option<f64>,
    /// Why it ended early, if it did.
    pub(super) stopped: Option<&'a str>,
    /// Its duration.
    pub(super) looked_s: f64,
}

impl Place<'_> {
    /// The link as text. A disk that the mount names already is only described.
    fn link_words(&self) -> Option<String> {
        match &self.link.kind {
            LinkKind::Memory => None,
            LinkKind::Block { device, what, .. }
                if self.mount.source.strip_prefix("/dev/") == Some(device.as_str()) =>
            {
                Some(what.clone())
            }
            _ => Some(self.link.sentence.clone()),
        }
    }
}

/// The time that 99 of 100 reads did not exceed; `None` if there were fewer.
fn p99_ms(total: &Figures) -> Option<f64> {
    Some(total.response.read?.carried_p99_us()? / 1e3)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::test_figures::operations;

    use super::*;

    const STORAGE: CountLimit = CountLimit::Culprit(Culprit::Storage);
    const CLIENT: CountLimit = CountLimit::Culprit(Culprit::ThisMachine);

    /// The limit of each count.
    fn limits(findings: &Findings) -> Vec<CountLimit> {
        findings.counted.iter().flatten().flatten().map(|counted| counted.limit).collect()
    }

    /// A count whose limit was confirmed, and attributed to the storage.
    fn limited(streams: u32, error: u32) -> Counted {
        Counted {
            streams,
            error,
            at_least: false,
            needed_mb_per_s: 92.2,
            limit: CountLimit::Culprit(Culprit::Storage),
            basis: CheckBasis::Held,
            held_s: Some(5.45),
            failed_from: Some(streams + error + 1),
            is_confirmed: true,
            own_limit: false,
        }
    }

    #[test]
    fn a_count_that_counters_do_not_book_to_the_storage_is_open() {
        let mut findings = Findings::default();
        findings.found(0, Work::Play, Some(limited(3, 0)));
        let link = |kind| Link { kind, sentence: String::new() };
        let mut memory = findings.clone();
        memory.revise(&TrialEvidence::default(), &link(LinkKind::Memory));
        assert_eq!(limits(&memory), [CLIENT], "memory is no storage");
        let disk = link(LinkKind::Unknown);
        findings.revise(&TrialEvidence::default(), &disk);
        assert_eq!(limits(&findings), [STORAGE]);
        let instead_of_storage = Some(Culprit::ThisMachine);
        findings.revise(&TrialEvidence { instead_of_storage, ..TrialEvidence::default() }, &disk);
        assert_eq!(limits(&findings), [CLIENT]);
        assert!(findings.counted[Work::Play as usize][0].as_ref().is_some_and(|counted| counted.at_least));
    }

    #[test]
    fn a_limit_that_may_be_other_programs_has_no_error() {
        let mut findings = Findings::default();
        findings.found(0, Work::Play, Some(limited(31, 2)));
        let disk = Link { kind: LinkKind::Unknown, sentence: String::new() };
        let busy = TrialEvidence { others_percent: Some((61.0, 97.0)), ..TrialEvidence::default() };
        let mut seen = findings.clone();
        seen.revise(&TrialEvidence { counters_show_storage: true, ..busy.clone() }, &disk);
        assert_eq!(limits(&seen), [STORAGE], "a counter stood out on the storage's side");
        findings.revise(&busy, &disk);
        assert_eq!(limits(&findings), [CountLimit::StorageOrOthers]);
        let revised = findings.counted[Work::Play as usize][0].as_ref().unwrap();
        assert_eq!((revised.at_least, revised.error), (true, 0));
    }

    #[test]
    fn a_limit_below_the_sequential_rate_is_reported_as_unknown() {
        let mut findings = Findings::default();
        findings.corrected(Work::Play, SustainedRate::of(&[118e6; 7]));
        let none = Counted {
            at_least: false,
            limit: CountLimit::Culprit(Culprit::Storage),
            failed_from: Some(1),
            ..none_is_allowed(92.2)
        };
        findings.found(4, Work::Play, Some(none));
        assert_eq!(findings.implied(Work::Play), [None, None, None, None, Some(1)]);
        findings.settle();
        assert_eq!(limits(&findings), [CountLimit::Contradicted]);
        // Two failed trials of a single stream, and a rate that does not sustain one.
        let mut findings = Findings::default();
        findings.corrected(Work::Play, SustainedRate::of(&[60e6; 7]));
        findings.found(4, Work::Play, Some(none));
        findings.settle();
        assert_eq!(limits(&findings), [STORAGE]);
    }

    #[test]
    fn a_rate_without_completed_operations_is_unknown() {
        let mut findings = Findings::default();
        let idle = Figures { written_bytes_per_s: Some(0.0), ..Figures::default() };
        let level = |bytes_per_s: f64| SustainedRate::of(&[bytes_per_s; 7]);
        findings.rate(Rate::SequentialWrite, &idle, level(0.0));
        assert_eq!(findings.level(Work::Record), None);
        let moved = Figures { written_bytes_per_s: Some(50e6), ..operations() };
        findings.rate(Rate::SequentialWrite, &moved, level(50e6));
        assert_eq!(findings.level(Work::Record).map(|level| level.mb_per_s), Some(50.0));
        assert_eq!(findings.level(Work::Play), None);
    }
}
