//! The limits of the counts of a quick check, as text. Not here: which limit applies
//! ([`reelgauge_analysis::limit::CountLimit`]).

use reelgauge_analysis::limit::{CountLimit, TrialEvidence};
use reelgauge_analysis::{CheckBasis, CheckCount, CheckFacts, Culprit};
use reelgauge_machine::link::{Link, LinkKind};

use crate::text::capital;
use crate::units::{counted, number};

/// The limit of a count, for a table cell. The network behind this client's own link cannot be
/// distinguished from the storage. Without a counter at its threshold, the storage is not named as the
/// limit.
pub fn count_limit_words(limit: CountLimit, link: &Link, evidence: &TrialEvidence) -> &'static str {
    let is_remote = matches!(link.kind, LinkKind::Network { is_this_machine: false, .. });
    match limit {
        CountLimit::Stopped => "the interruption",
        CountLimit::Culprit(Culprit::MaxRate) => "--max-rate",
        CountLimit::Culprit(Culprit::Tool | Culprit::ThisMachine) => "this client",
        CountLimit::Culprit(Culprit::Link) => "the link",
        CountLimit::Culprit(Culprit::Storage) if is_remote => "the storage or network",
        CountLimit::Culprit(Culprit::Storage) if !evidence.counters_show_storage => "probably the storage",
        CountLimit::Culprit(Culprit::Storage) => "the storage",
        CountLimit::Culprit(Culprit::NotKnown) | CountLimit::StorageOrOthers | CountLimit::Contradicted => {
            "unknown"
        }
        CountLimit::Time => "the check's time limit",
    }
}

/// The limit of the whole check: the decisive one among the limits of the counts. If the next step is
/// about the network (`may_be_network`), the sentence does not rule the network out.
pub fn limit_sentence(
    facts: &CheckFacts,
    link: &Link,
    evidence: &TrialEvidence,
    may_be_network: bool,
) -> String {
    if link.kind == LinkKind::Memory {
        return "This client. The target is its memory, not storage; the counts show how fast its processors \
                copy."
            .to_owned();
    }
    let limits = facts.limits();
    let Some(limit) = CountLimit::decisive(&limits) else {
        return "Unknown: no stream was played or recorded.".to_owned();
    };
    let found = limits.iter().filter(|limit| limit.is_found()).count();
    let open = match limits.len() - found {
        0 => String::new(),
        _ if found == 0 => String::new(),
        _ => format!(" {found} of {} counts reached a limit; the others may be higher.", limits.len()),
    };
    of_limit(limit, link, &sustained(facts), (evidence, may_be_network)) + &open
}

/// Why an interrupted check has no limit.
pub fn not_finished_sentence(why: &str) -> String {
    format!("The check did not finish: {why}.")
}

/// `Unsteady: for 5 of 10 counts (1 play, 4 record) a trial failed at a rate that other loads sustained.` The
/// other loads are streams and sequential reads or writes. The next step names what to do. `None` where no
/// count contradicts another.
pub fn unsteady_sentence(facts: &CheckFacts) -> Option<String> {
    let (play, record) = by_work(facts, |count| count.limit == Some(CountLimit::Contradicted));
    (play + record > 0).then(|| {
        format!(
            "Unsteady: {} of {} ({}) had a failed trial at a rate that other loads sustained.",
            play + record,
            counted(facts.counts().count() as u64, "count"),
            works_words((play, record))
        )
    })
}

/// The number of counts that match `is_such`, for playing and for recording.
pub(super) fn by_work(facts: &CheckFacts, is_such: impl Fn(&CheckCount) -> bool) -> (usize, usize) {
    let of = |count: &Option<CheckCount>| usize::from(count.as_ref().is_some_and(&is_such));
    let sum = |(play, record), (more_play, more_record)| (play + more_play, record + more_record);
    facts.formats.iter().map(|format| (of(&format.play), of(&format.record))).fold((0, 0), sum)
}

/// `1 play, 4 record`.
pub(super) fn works_words((play, record): (usize, usize)) -> String {
    let parts = [(play, "play"), (record, "record")].into_iter().filter(|(found, _)| *found > 0);
    parts.map(|(found, work)| format!("{found} {work}")).collect::<Vec<_>>().join(", ")
}

/// ` The highest sustained rate without a late frame: 1,183 MB/s playing, 55.0 MB/s recording.`
fn sustained(facts: &CheckFacts) -> String {
    let most = |counts: Vec<Option<&CheckCount>>, doing| {
        let known = counts.into_iter().flatten().filter(|count| count.basis != Some(CheckBasis::ShortTrial));
        let most = known.map(|count| count.mb_per_s).reduce(f64::max).filter(|rate| *rate > 0.0)?;
        Some(format!("{} MB/s {doing}", number(most)))
    };
    let play = facts.formats.iter().map(|format| format.play.as_ref()).collect();
    let record = facts.formats.iter().map(|format| format.record.as_ref()).collect();
    let parts: Vec<String> =
        [most(play, "playing"), most(record, "recording")].into_iter().flatten().collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(" Highest sustained rate without a late frame: {}.", parts.join(", ")),
    }
}

/// The sentence for this limit.
fn of_limit(
    limit: CountLimit,
    link: &Link,
    sustained: &str,
    (evidence, may_be_network): (&TrialEvidence, bool),
) -> String {
    let others = evidence.others_percent.map(others_words);
    let beside = others.as_ref().map_or_else(String::new, |others| format!(" During the check, {others}."));
    let sentence = match limit {
        CountLimit::Culprit(Culprit::Storage) | CountLimit::StorageOrOthers => {
            return of_storage((link, may_be_network), sustained, others, evidence.counters_show_storage);
        }
        CountLimit::Culprit(Culprit::Link) => format!("The link is saturated: {}.", link.sentence),
        CountLimit::Culprit(Culprit::Tool | Culprit::ThisMachine) => {
            "This client, not the storage: without the scheduling delay of Reelgauge no frame would have been late."
                .to_owned()
        }
        CountLimit::Culprit(Culprit::MaxRate) => {
            format!("--max-rate, not the storage.{sustained} More streams need a higher rate than it allows.")
        }
        CountLimit::Culprit(Culprit::NotKnown) => {
            "Unknown: the scheduling delay of Reelgauge explains only some of the late frames.".to_owned()
        }
        CountLimit::Contradicted => format!(
            "Unknown: streams failed at a rate that other loads sustained.{sustained} The storage may sustain more."
        ),
        CountLimit::Time | CountLimit::Stopped => {
            format!("Not reached during this check.{sustained} The storage may sustain more.")
        }
    };
    sentence + &beside
}

/// The storage is the limit by elimination: neither Reelgauge nor the link was at fault. Only a counter
/// at its threshold rules out other programs.
fn of_storage(
    (link, may_be_network): (&Link, bool),
    sustained: &str,
    others: Option<String>,
    stood_out: bool,
) -> String {
    let what = match link.kind {
        LinkKind::Network { is_this_machine: false, speed_mbit_per_s, .. }
            if may_be_network || speed_mbit_per_s.is_none() =>
        {
            "the storage or the network to it"
        }
        LinkKind::Network { .. } => "the storage, not the link",
        _ => "the storage",
    };
    match (stood_out, others) {
        (true, None) => format!("{}.{sustained}", capital(what)),
        (true, Some(others)) => format!("{}.{sustained} During the check, {others}.", capital(what)),
        (false, None) => format!("Probably {what}.{sustained} No counter shows the limit."),
        (false, Some(others)) => format!(
            "Unknown: either {what}, or this client ({others} during the check). No counter shows \
             which.{sustained}"
        ),
    }
}

/// `other programs used 61 to 99 % of this client's processors`.
fn others_words((least, most): (f64, f64)) -> String {
    let range = match (format!("{least:.0}"), format!("{most:.0}")) {
        (least, most) if least == most => most,
        (least, most) => format!("{least} to {most}"),
    };
    format!("other programs used {range} % of this client's processors")
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use reelgauge_analysis::CheckFormat;

    use super::*;

    const SEEN: TrialEvidence =
        TrialEvidence { counters_show_storage: true, others_percent: None, instead_of_storage: None };
    const STORAGE: CountLimit = CountLimit::Culprit(Culprit::Storage);
    const CLIENT: CountLimit = CountLimit::Culprit(Culprit::ThisMachine);

    /// Counts with these limits. The first one was played at this rate.
    fn facts(limits: &[CountLimit], mb_per_s: f64) -> CheckFacts {
        let format = |(at, limit): (usize, &CountLimit)| {
            let mb_per_s = if at == 0 { mb_per_s } else { 0.0 };
            let (limit, basis) = (Some(*limit), Some(CheckBasis::Held));
            let play = CheckCount { mb_per_s, limit, basis, ..CheckCount::default() };
            CheckFormat { play: Some(play), ..CheckFormat::default() }
        };
        CheckFacts { formats: limits.iter().enumerate().map(format).collect(), ..CheckFacts::default() }
    }

    fn link(speed_mbit_per_s: Option<u32>) -> Link {
        let kind = LinkKind::Network {
            interface: "eth0".to_owned(),
            speed_mbit_per_s,
            mtu_bytes: Some(1500),
            is_half_duplex: false,
            server_address: IpAddr::from([10, 0, 0, 2]),
            is_this_machine: false,
        };
        Link { kind, sentence: "eth0 to 10.0.0.2, 1 Gbit/s, MTU 1500".to_owned() }
    }

    fn disk() -> Link {
        Link { kind: LinkKind::Unknown, sentence: String::new() }
    }

    #[test]
    fn a_limit_that_was_set_is_no_limit_of_the_storage() {
        let mut printed = Vec::<String>::new();
        let max_rate = CountLimit::Culprit(Culprit::MaxRate);
        let set = |mb_per_s| limit_sentence(&facts(&[max_rate], mb_per_s), &link(None), &SEEN, false);
        printed.push(set(61.0).to_string());
        // Nothing was sustained, so the sentence must not read "up to 0 MB/s".
        printed.push(set(0.0).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn limit_of_most_formats_is_named() {
        let mut printed = Vec::<String>::new();
        let gigabit = link(Some(1_000));
        let full = CountLimit::Culprit(Culprit::Link);
        let said =
            |limits: &[CountLimit], link: &Link| limit_sentence(&facts(limits, 61.0), link, &SEEN, false);
        printed.push(said(&[full, full, STORAGE], &gigabit).to_string());
        printed.push(said(&[STORAGE], &gigabit).to_string());
        printed.push(said(&[STORAGE], &link(None)).to_string());
        printed.push(count_limit_words(STORAGE, &link(None), &SEEN).to_string());
        assert_eq!(count_limit_words(CLIENT, &link(None), &SEEN), "this client");
        // If a next step is about the network, the limit must not rule the network out.
        let either = limit_sentence(&facts(&[STORAGE], 61.0), &gigabit, &SEEN, true);
        printed.push(either.to_string());
        let memory = Link { kind: LinkKind::Memory, sentence: String::new() };
        assert!(said(&[CLIENT], &memory).contains("memory"));
        assert!(said(&[], &gigabit).contains("no stream"));
        let own = said(&[CLIENT], &gigabit);
        printed.push(own.to_string());
        printed.push(said(&[CountLimit::Time], &gigabit).to_string());
        // A limit that was found is named, no matter how many counts ended because time ran out.
        printed.push(said(&[CountLimit::Time, CountLimit::Time, STORAGE], &gigabit).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn storage_without_counter_evidence_is_named_with_a_doubt() {
        let mut printed = Vec::<String>::new();
        let unseen = TrialEvidence::default();
        let said = |limit, evidence| limit_sentence(&facts(&[limit], 61.0), &disk(), evidence, false);
        printed.push(said(STORAGE, &unseen).to_string());
        printed.push(count_limit_words(STORAGE, &disk(), &unseen).to_string());
        let busy = TrialEvidence { others_percent: Some((61.4, 98.9)), ..unseen.clone() };
        printed.push(said(CountLimit::StorageOrOthers, &busy).to_string());
        assert_eq!(count_limit_words(CountLimit::StorageOrOthers, &disk(), &busy), "unknown");
        let seen = TrialEvidence { counters_show_storage: true, ..busy.clone() };
        printed.push(said(STORAGE, &seen).to_string());
        let own = said(CLIENT, &busy);
        printed.push(own.to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn seven_contradicted_counts_are_one_line() {
        let mut printed = Vec::<String>::new();
        let count = |limit| Some(CheckCount { limit: Some(limit), ..CheckCount::default() });
        let format = |(play, record)| CheckFormat {
            play: count(play),
            record: count(record),
            ..CheckFormat::default()
        };
        let of = |limits: &[(CountLimit, CountLimit)]| {
            let formats = limits.iter().map(|limits| format(*limits)).collect();
            unsteady_sentence(&CheckFacts { formats, ..CheckFacts::default() })
        };
        let unknown = CountLimit::Contradicted;
        assert_eq!(of(&[(STORAGE, CountLimit::Time)]), None);
        let most = [
            (unknown, unknown),
            (unknown, unknown),
            (unknown, unknown),
            (STORAGE, unknown),
            (STORAGE, STORAGE),
        ];
        printed.extend(of(&most).as_deref().map(|text| text.to_string()));
        let one = CheckFormat { play: count(unknown), ..CheckFormat::default() };
        let one = CheckFacts { formats: vec![one], ..CheckFacts::default() };
        printed.extend(unsteady_sentence(&one).as_deref().map(|text| text.to_string()));
        insta::assert_snapshot!(printed.join("\n"));
    }
}
