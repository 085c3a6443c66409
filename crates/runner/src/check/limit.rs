//! What stopped a count of streams from being larger, in the words of a first look. Whose fault a trial was
//! is decided in [`reelgauge_analysis::culprit`].

use reelgauge_analysis::Culprit;
use reelgauge_analysis::statement::Component;
use reelgauge_machine::link::{Link, LinkKind};
use reelgauge_report::text::capital;
use reelgauge_report::units::number;

use super::evidence::TrialEvidence;

/// The trial that fell, as far as it tells what was the limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fall {
    /// What all streams together got, in MB/s.
    pub mb_per_s: f64,
    /// Whose fault it was.
    pub culprit: Culprit,
}

/// What the limit was.
#[derive(Clone, Debug, PartialEq)]
pub enum Limiter {
    /// The link carried all that it can.
    Link {
        /// Share of the realistic line rate, 0 to 1 and a little above.
        share: f64,
    },
    /// This machine, or the tool on it.
    ThisMachine,
    /// The limit on bytes a second that was set.
    MaxRate,
    /// What lies behind the link, or this machine's own disk.
    Storage,
    /// The storage or other programs on this machine: no counter tells which.
    StorageOrOthers,
    /// Something that is not known.
    NotKnown,
    /// A limit that other counts contradict, and that was not confirmed.
    Contradicted,
    /// Nothing: the time for the look was over, or no more streams could be played.
    Time,
    /// Nothing: the look was stopped.
    Stopped,
}

/// The most that streams that passed need together, in MB/s. What they got in so short a time may be a little
/// more or less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Carried {
    /// Playing; `None` where nothing was played.
    pub play: Option<f64>,
    /// Recording; `None` where nothing was recorded.
    pub record: Option<f64>,
}

impl Carried {
    /// ` The highest sustained rate without a late frame: 1,183 MB/s playing, 55.0 MB/s recording.`
    fn words(&self) -> String {
        let carried = |rate: Option<f64>, doing| {
            let rate = number(rate.filter(|rate| *rate > 0.0)?);
            Some(format!("{rate} MB/s {doing}"))
        };
        let parts = [carried(self.play, "playing"), carried(self.record, "recording")];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!(" The highest sustained rate without a late frame: {}.", parts.join(", ")),
        }
    }
}

/// What limited the streams of one format, whose last trial fell like this; `None` when none fell.
pub fn limiter(fall: Option<&Fall>, line_rate_mb_per_s: Option<f64>) -> Limiter {
    let Some(fall) = fall else {
        return Limiter::Time;
    };
    let share = line_rate_mb_per_s.map(|rate| fall.mb_per_s / rate.max(f64::MIN_POSITIVE));
    match (fall.culprit, share) {
        (Culprit::Link, Some(share)) => Limiter::Link { share },
        (Culprit::Tool | Culprit::ThisMachine, _) => Limiter::ThisMachine,
        (Culprit::MaxRate, _) => Limiter::MaxRate,
        (Culprit::Storage, _) => Limiter::Storage,
        (Culprit::Link | Culprit::NotKnown, _) => Limiter::NotKnown,
    }
}

/// Whether a trial that failed through this culprit says nothing of the storage.
pub fn acquits_storage(culprit: Culprit) -> bool {
    culprit.is_own() || culprit == Culprit::NotKnown
}

impl Limiter {
    /// Whether the storage may carry more than the count that it limited: it was not known to be at fault.
    pub fn is_open(&self) -> bool {
        matches!(
            self,
            Limiter::ThisMachine
                | Limiter::MaxRate
                | Limiter::StorageOrOthers
                | Limiter::NotKnown
                | Limiter::Contradicted
                | Limiter::Time
        )
    }

    /// Whose limit it is, as its sentence names it; `None` where nothing limited, or it is not known.
    pub fn culprit(&self) -> Option<Culprit> {
        match self {
            Limiter::Link { .. } => Some(Culprit::Link),
            Limiter::ThisMachine => Some(Culprit::ThisMachine),
            Limiter::MaxRate => Some(Culprit::MaxRate),
            Limiter::Storage => Some(Culprit::Storage),
            Limiter::StorageOrOthers
            | Limiter::NotKnown
            | Limiter::Contradicted
            | Limiter::Time
            | Limiter::Stopped => None,
        }
    }

    /// Whether anything limited the count: it did not end with the time for it.
    fn is_found(&self) -> bool {
        !matches!(self, Limiter::Contradicted | Limiter::Time | Limiter::Stopped)
    }

    /// For a cell of a table. A network between this machine's own link and the storage is not told from it,
    /// and what no counter stood out of is not known to be it.
    pub fn word_over(&self, link: &Link, evidence: &TrialEvidence) -> &'static str {
        match (self, &link.kind) {
            (Limiter::MaxRate | Limiter::Stopped, _) => self.word(),
            (_, LinkKind::Memory) => Limiter::ThisMachine.word(),
            (Limiter::Storage, LinkKind::Network { is_this_machine: false, .. }) => "the storage or network",
            (Limiter::Storage, _) if !evidence.storage_stood_out => "probably the storage",
            _ => self.word(),
        }
    }

    /// What it is, wherever the storage lies.
    pub fn word(&self) -> &'static str {
        match self {
            Limiter::Link { .. } => "the link",
            Limiter::ThisMachine => "this machine",
            Limiter::MaxRate => "--max-rate",
            Limiter::Storage => "the storage",
            Limiter::StorageOrOthers | Limiter::NotKnown | Limiter::Contradicted => "not known",
            Limiter::Time => "the time for this look",
            Limiter::Stopped => "the end of this look",
        }
    }
}

/// Whose the limit is that the sentence names.
pub fn limit_culprit(limiters: &[Limiter], link: &Link) -> Option<Culprit> {
    match link.kind {
        LinkKind::Memory if !limiters.is_empty() => Some(Culprit::ThisMachine),
        _ => decisive(limiters).and_then(Limiter::culprit),
    }
}

/// What limits, in a sentence, from what limited each count: the [`decisive`] one. Where the next step is
/// about the network, the sentence does not acquit it.
pub fn limit_sentence(
    limiters: &[Limiter],
    link: &Link,
    carried: &Carried,
    (evidence, next): (&TrialEvidence, &[Component]),
) -> String {
    if link.kind == LinkKind::Memory {
        return "This client. The target is its memory, not storage: these are counts of what its processors \
                can move."
            .to_owned();
    }
    let Some(limiter) = decisive(limiters) else {
        return "Unknown: no stream was played or recorded.".to_owned();
    };
    let found = limiters.iter().filter(|limiter| limiter.is_found()).count();
    let beside = match limiters.len() - found {
        0 => String::new(),
        _ if found == 0 => String::new(),
        open => format!(" No limit was found for {open} of {} counts.", limiters.len()),
    };
    limit_of(limiter, link, carried, (evidence, next.contains(&Component::Network))) + &beside
}

/// What limits, where it is this.
fn limit_of(
    limiter: &Limiter,
    link: &Link,
    carried: &Carried,
    (evidence, may_be_network): (&TrialEvidence, bool),
) -> String {
    let delivered = carried.words();
    let others = evidence.others_percent.map(others_words);
    let beside = others.as_ref().map_or_else(String::new, |others| format!(" Meanwhile {others}."));
    let sentence = match limiter {
        Limiter::Link { share } => format!(
            "The link is full: {}, at {:.0} % of its capacity.",
            link.sentence,
            (share * 100.0).min(100.0)
        ),
        Limiter::ThisMachine => {
            "This client, not the storage: without the scheduling delay of Reelgauge no frame would have been late."
                .to_owned()
        }
        Limiter::MaxRate => {
            format!("--max-rate, not the storage.{delivered} More streams need more than it allows.")
        }
        Limiter::NotKnown => {
            "Unknown: the scheduling delay of Reelgauge explains only some of the late frames.".to_owned()
        }
        Limiter::Storage | Limiter::StorageOrOthers => {
            return of_storage((link, may_be_network), &delivered, others, evidence.storage_stood_out);
        }
        Limiter::Contradicted => format!(
            "Unknown: streams failed at a rate that other loads sustained.{delivered} The storage may sustain more."
        ),
        Limiter::Time | Limiter::Stopped => {
            format!("Not reached in the time of this check.{delivered} The storage may sustain more.")
        }
    };
    sentence + &beside
}

/// The storage is what is left where neither the tool nor the link was at fault. Nothing but a counter that
/// stood out says that it was no other program.
fn of_storage(
    (link, may_be_network): (&Link, bool),
    delivered: &str,
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
        (true, None) => format!("{}.{delivered}", capital(what)),
        (true, Some(others)) => format!("{}.{delivered} Meanwhile {others}.", capital(what)),
        (false, None) => format!("Probably {what}.{delivered} No counter shows what limited it."),
        (false, Some(others)) => format!(
            "Unknown. It may be {what}, but {others} during the check, and no counter shows which.{delivered}"
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

/// The limiter that a card names, in its limit as in its next step: what limited most of the counts that met
/// a limit; where none did, why.
pub fn decisive(limiters: &[Limiter]) -> Option<&Limiter> {
    let found = |limiter: &&Limiter| limiter.is_found();
    let count = |one: &Limiter| limiters.iter().filter(|other| other.word() == one.word()).count();
    let most = limiters.iter().filter(found).map(count).max();
    most.and_then(|most| limiters.iter().filter(found).find(|one| count(one) == most)).or(limiters.first())
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    const FED: Carried = Carried { play: Some(61.0), record: None };
    const SEEN: TrialEvidence =
        TrialEvidence { storage_stood_out: true, others_percent: None, instead_of_storage: None };

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

    #[test]
    fn a_limit_is_who_the_trial_was_booked_to() {
        let limit = |culprit| limiter(Some(&Fall { mb_per_s: 112.0, culprit }), Some(117.7));
        assert!(matches!(limit(Culprit::Link), Limiter::Link { share } if share > 0.95));
        assert_eq!([limit(Culprit::Tool), limit(Culprit::ThisMachine)], [const { Limiter::ThisMachine }; 2]);
        assert_eq!(limit(Culprit::MaxRate), Limiter::MaxRate);
        assert_eq!(limit(Culprit::Storage), Limiter::Storage);
        assert_eq!(limit(Culprit::NotKnown), Limiter::NotKnown);
        // Nobody who is not known to be at fault sets a limit.
        for culprit in
            [Culprit::Tool, Culprit::ThisMachine, Culprit::NotKnown, Culprit::Storage, Culprit::Link]
        {
            assert_eq!(limit(culprit).is_open(), acquits_storage(culprit), "{culprit:?}");
        }
        assert_eq!(limiter(None, Some(117.7)), Limiter::Time);
    }

    #[test]
    fn a_limit_that_was_set_is_no_limit_of_the_storage() {
        let set = |carried| limit_sentence(&[Limiter::MaxRate], &link(None), &carried, (&SEEN, &[]));
        assert_eq!(
            set(FED),
            "--max-rate, not the storage. The highest sustained rate without a late frame: 61.0 MB/s playing. More \
             streams need more than it allows."
        );
        // Nothing was carried: not up to 0 MB/s.
        assert_eq!(
            set(Carried { play: Some(0.0), record: Some(0.0) }),
            "--max-rate, not the storage. More streams need more than it allows."
        );
    }

    #[test]
    fn what_most_found_limits_are_is_decisive_however_many_ended_with_their_time() {
        let full = Limiter::Link { share: 0.95 };
        let few = [Limiter::Time, Limiter::Time, Limiter::Time, full.clone(), Limiter::Storage, full.clone()];
        assert_eq!(decisive(&few), Some(&full));
        assert_eq!(decisive(&[Limiter::Time, Limiter::Stopped]), Some(&Limiter::Time));
        assert_eq!(decisive(&[]), None);
    }

    #[test]
    fn sentences_name_what_limits_most_formats() {
        let gigabit = link(Some(1_000));
        let full = Limiter::Link { share: 0.953 };
        let mixed = [full.clone(), full, Limiter::Storage];
        assert_eq!(
            limit_sentence(&mixed, &gigabit, &FED, (&SEEN, &[])),
            "The link is full: eth0 to 10.0.0.2, 1 Gbit/s, MTU 1500, at 95 % of its capacity."
        );
        let storage = [Limiter::Storage];
        assert_eq!(
            limit_sentence(&storage, &gigabit, &FED, (&SEEN, &[])),
            "The storage, not the link. The highest sustained rate without a late frame: 61.0 MB/s playing."
        );
        assert_eq!(
            limit_sentence(&storage, &link(None), &FED, (&SEEN, &[])),
            "The storage or the network to it. The highest sustained rate without a late frame: 61.0 MB/s playing."
        );
        assert_eq!(Limiter::Storage.word_over(&link(None), &SEEN), "the storage or network");
        assert_eq!(Limiter::ThisMachine.word_over(&link(None), &SEEN), "this machine");
        // A next step about the network does not stand next to its acquittal.
        let either = limit_sentence(&storage, &gigabit, &FED, (&SEEN, &[Component::Network]));
        assert!(either.starts_with("The storage or the network to it."), "{either}");
        let memory = Link { kind: LinkKind::Memory, sentence: String::new() };
        assert_eq!(limit_culprit(&[Limiter::Time], &memory), Some(Culprit::ThisMachine));
        assert_eq!(limit_culprit(&[], &memory), None);
        assert_eq!(Limiter::Storage.word_over(&memory, &SEEN), "this machine");
        assert!(limit_sentence(&storage, &memory, &FED, (&SEEN, &[])).contains("memory"));
        assert!(limit_sentence(&[], &gigabit, &Carried::default(), (&SEEN, &[])).contains("no stream"));
        let own = limit_sentence(&[Limiter::ThisMachine], &gigabit, &Carried::default(), (&SEEN, &[]));
        assert!(own.starts_with("This client, not the storage"), "{own}");
        assert!(limit_sentence(&[Limiter::Time], &gigabit, &FED, (&SEEN, &[])).contains("may sustain more"));
        // What was found is said, however many counts ended with their time.
        let few = [Limiter::Time, Limiter::Time, Limiter::Storage];
        assert_eq!(
            limit_sentence(&few, &gigabit, &FED, (&SEEN, &[])),
            "The storage, not the link. The highest sustained rate without a late frame: 61.0 MB/s playing. No limit \
             was found for 2 of 3 counts."
        );
    }

    #[test]
    fn storage_of_which_no_counter_stood_out_is_named_with_a_doubt() {
        let (storage, disk) = ([Limiter::Storage], Link { kind: LinkKind::Unknown, sentence: String::new() });
        let unseen = TrialEvidence::default();
        assert_eq!(
            limit_sentence(&storage, &disk, &FED, (&unseen, &[])),
            "Probably the storage. The highest sustained rate without a late frame: 61.0 MB/s playing. No counter \
             shows what limited it."
        );
        assert_eq!(Limiter::Storage.word_over(&disk, &unseen), "probably the storage");
        let busy = TrialEvidence { others_percent: Some((61.4, 98.9)), ..unseen.clone() };
        let either = [Limiter::StorageOrOthers];
        assert_eq!(
            limit_sentence(&either, &disk, &FED, (&busy, &[])),
            "Unknown. It may be the storage, but other programs used 61 to 99 % of this client's processors during the \
             check, and no counter shows which. The highest sustained rate without a late frame: 61.0 MB/s playing."
        );
        assert_eq!(either[0].word_over(&disk, &busy), "not known");
        assert!(either[0].is_open() && either[0].culprit().is_none());
        let seen = TrialEvidence { storage_stood_out: true, ..busy.clone() };
        assert_eq!(
            limit_sentence(&storage, &disk, &FED, (&seen, &[])),
            "The storage. The highest sustained rate without a late frame: 61.0 MB/s playing. Meanwhile other \
             programs used 61 to 99 % of this client's processors."
        );
        let own = limit_sentence(&[Limiter::ThisMachine], &disk, &FED, (&busy, &[]));
        assert!(
            own.ends_with("Meanwhile other programs used 61 to 99 % of this client's processors."),
            "{own}"
        );
    }
}
