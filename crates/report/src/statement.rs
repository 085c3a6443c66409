//! The first line of every screen and page as text: the most important number, and its cause.
//!
//! The statement itself is data ([`reelgauge_analysis::statement`]); every figure in a sentence here is
//! in the summary that it was made from. Not here: tables, warnings, advice.

use crate::sentence::IncidentSentence;
use reelgauge_analysis::incident::{Behaviour, Incident};
use reelgauge_analysis::late::LateFigures;
use reelgauge_analysis::statement::{
    Cause, Doubt, Inconclusive, Judgement, Number, Statement, client_busy_percent,
};
use reelgauge_analysis::{Culprit, LoadPoint, Summary};

use crate::answer_parts::streams_of;
use crate::hosts::hit_words;
use crate::marks::beside_words;
use crate::sentence::Tone;
use crate::units::{count, counted, duration, moment, percent};

/// A page describes at most this many incidents per load point.
const INCIDENTS_SAID: usize = 20;

/// `57 of 1,125 frames were late, on all 3 recorders.`
pub(crate) fn late_frames(summary: &Summary, statement: &Statement) -> Option<String> {
    let Number::LateFrames { point, late_frames, frames_judged, streams_with_late_frames, streams } =
        statement.number
    else {
        return None;
    };
    let point = summary.load_points.get(point)?;
    let late = point.streams.as_ref()?;
    let with =
        if summary.load_points.len() > 1 { format!("With {}: ", streams_of(point)) } else { String::new() };
    let hit = hit(streams_with_late_frames, streams, late);
    let were = if late_frames == 1 { "was" } else { "were" };
    let whose = hit_words(&agents_of(late), summary);
    let (frames, judged) = (count(late_frames), counted(frames_judged, "frame"));
    Some(format!("{with}{frames} of {judged} {were} late, on {hit}{whose}."))
}

/// The addition to that sentence on a page: ` Cause: the storage (nothing answered for 1.7 s, starting
/// at 7.9 s).`
pub(crate) fn cause_clause(summary: &Summary, statement: &Statement) -> Option<String> {
    let Number::LateFrames { point, .. } = statement.number else { return None };
    let late = summary.load_points.get(point)?.streams.as_ref()?;
    statement.cause.map(|cause| format!(" Cause: {}.", cause_words(&cause, late, summary)))
}

/// The hosts with late frames, in a run on several hosts.
fn agents_of(late: &LateFigures) -> Vec<String> {
    let with_late = late.streams.iter().filter(|stream| stream.late_frames > 0);
    let mut agents: Vec<String> = with_late.filter_map(|stream| stream.agent.clone()).collect();
    agents.sort();
    agents.dedup();
    agents
}

/// `all 3 recorders`, `both players`, `2 of 3 players`, `the recorder`.
fn hit(streams_with_late_frames: u64, streams: u64, late: &LateFigures) -> String {
    let noun = noun(late);
    match (streams_with_late_frames, streams) {
        (1, 1) => format!("the {noun}"),
        (2, 2) => format!("both {noun}s"),
        (hit, all) if hit == all => format!("all {} {noun}s", count(all)),
        (hit, all) => format!("{} of {} {noun}s", count(hit), count(all)),
    }
}

/// The kind of the streams, if all are alike.
fn noun(late: &LateFigures) -> &'static str {
    let mut kinds = late.streams.iter().map(|stream| stream.kind);
    match kinds.next().flatten() {
        Some(first) if kinds.all(|kind| kind == Some(first)) => first.noun(),
        _ => "stream",
    }
}

/// The worst incident with its responsible component, and the number of other incidents.
pub(crate) fn cause_words(cause: &Cause, late: &LateFigures, summary: &Summary) -> String {
    let Some(incident) = cause.incident.and_then(|at| late.incidents.get(at)) else {
        return culprit_words(cause.culprit, summary).to_owned();
    };
    let worst = match cause.incidents {
        0 | 1 => String::new(),
        incidents => format!("worst of {}: ", counted(incidents, "incident")),
    };
    format!("{} ({worst}{})", whose_words(incident, summary), incident_words(incident))
}

/// The event and the time of an incident: `no response for 1.7 s, starting at 7.9 s`.
pub(crate) fn incident_words(incident: &Incident) -> String {
    let at = moment(incident.began_s);
    if incident.culprit.is_own() {
        return own_words(incident, &at);
    }
    let storage = &incident.storage;
    match storage.behaviour {
        Behaviour::NoAnswer => {
            let at = storage.no_answer_began_s.map_or(at, moment);
            match storage.no_answer_s {
                Some(silent_s) => {
                    format!("no response for {}, starting at {at}", duration(silent_s * 1e6))
                }
                None => format!("no response, starting at {at}"),
            }
        }
        Behaviour::Failed => format!("operations failed, starting at {at}"),
        Behaviour::Slow => {
            let until = moment(incident.ended_s);
            match storage.answered_share {
                Some(share) => {
                    format!("data arrived at {} of the required rate, from {at} to {until}", percent(share))
                }
                None => format!("data arrived too slowly, from {at} to {until}"),
            }
        }
        Behaviour::SingleSlowOps => match storage.longest_op_us {
            Some(us) => format!("single operations took up to {}, starting at {at}", duration(us)),
            None => format!("single operations were slow, starting at {at}"),
        },
        Behaviour::Usual | Behaviour::NotKnown => format!("starting at {at}"),
    }
}

fn own_words(incident: &Incident, at: &str) -> String {
    let machine = incident.machine.unwrap_or_default();
    if incident.culprit == Culprit::MaxRate {
        return format!("operations waited for --max-rate, starting at {at}");
    }
    if let Some(pause_s) = machine.longest_pause_s.filter(|pause_s| *pause_s > 0.0) {
        return format!("Reelgauge did not run for {}, starting at {at}", duration(pause_s * 1e6));
    }
    match machine.own_delay_max_us {
        Some(delay_us) => format!("Reelgauge was up to {} late, starting at {at}", duration(delay_us)),
        None => format!("Reelgauge was late, starting at {at}"),
    }
}

/// The responsible component of an incident, with the share of each if there were several.
pub(crate) fn whose_words(incident: &Incident, summary: &Summary) -> String {
    let culprit = culprit_words(incident.culprit, summary);
    let (own, all) = (incident.late_frames_with_own_delay, incident.late_frames);
    if own == 0 || own >= all {
        return culprit.to_owned();
    }
    let own_words =
        format!("Reelgauge's scheduling delay caused {} of {} late frames", count(own), count(all));
    match incident.culprit {
        Culprit::NotKnown => {
            format!("{culprit}; {own_words} but does not explain the other {}", count(all - own))
        }
        _ => format!("{culprit}; {own_words}"),
    }
}

/// The name of the responsible component. Anything behind the local host's link cannot be distinguished
/// from the storage.
pub(crate) fn culprit_words(culprit: Culprit, summary: &Summary) -> &'static str {
    match culprit {
        Culprit::Tool => "Reelgauge itself, not the storage",
        Culprit::ThisMachine if summary.hosts.is_some() => "a measuring host, not the storage",
        Culprit::ThisMachine => "this client, not the storage",
        Culprit::MaxRate => "--max-rate, not the storage",
        Culprit::Link => "the link to the storage",
        Culprit::Storage if is_over_network(summary) => "the storage or the network to it",
        Culprit::Storage => "the storage",
        Culprit::NotKnown => "unknown",
    }
}

/// Whether there is a network on the path to the storage, which cannot be distinguished from it.
pub(crate) fn is_over_network(summary: &Summary) -> bool {
    summary.link.is_some() || has_interfaces(summary)
}

/// Whether hosts of the run reached the storage through a network, as far as they reported it.
fn has_interfaces(summary: &Summary) -> bool {
    summary.hosts.as_ref().is_some_and(|section| section.hosts.iter().any(|host| host.interface.is_some()))
}

/// The incidents of all load points, the worst of each first: the time, the affected streams, the event,
/// and the responsible component.
pub fn incident_sentences(summary: &Summary) -> Vec<IncidentSentence> {
    let of_point = |(at, point)| {
        let told = incidents_of(point, summary, INCIDENTS_SAID);
        told.into_iter().map(move |(incident, text)| IncidentSentence { point: at, incident, text })
    };
    summary.load_points.iter().enumerate().flat_map(of_point).collect()
}

/// The incidents of a load point, the worst first, at most `most`: the index and the sentence of each.
pub(crate) fn incidents_of(point: &LoadPoint, summary: &Summary, most: usize) -> Vec<(usize, String)> {
    // The trials of a check share one limit: an incident with another culprit would contradict it.
    let is_told = |incident: &Incident| {
        summary.check.as_ref().is_none_or(|check| check.blames_the_same(incident.culprit))
    };
    let all = point.streams.iter().flat_map(|late| late.incidents.iter().enumerate());
    let mut incidents: Vec<(usize, &Incident)> = all.filter(|(_, incident)| is_told(incident)).collect();
    incidents.sort_by_key(|(_, incident)| std::cmp::Reverse(incident.late_frames));
    let line = |(at, incident): (usize, &Incident)| {
        let text = format!(
            "{} on {}{}: {}. Cause: {}{}",
            counted(incident.late_frames, "late frame"),
            counted(incident.stream_count, "stream"),
            hit_words(&incident.agents, summary),
            incident_words(incident),
            whose_words(incident, summary),
            beside(incident, summary)
        );
        (at, text)
    };
    incidents.into_iter().take(most).map(line).collect()
}

/// Factors that contributed without being the cause. If the cause is certain and is not this client,
/// busy processors are a doubt, which is shown only once.
fn beside(incident: &Incident, summary: &Summary) -> String {
    let is_elsewhere = !incident.culprit.is_own() && incident.culprit != Culprit::NotKnown;
    let machine = incident.machine.filter(|_| !is_elsewhere).unwrap_or_default();
    let mut facts = beside_words(summary, incident.began_s, incident.ended_s);
    if let Some(busy) = machine.others_processors_percent.filter(|busy| *busy >= 50.0) {
        facts.push(format!("other programs used {busy:.0} % of the processors"));
    }
    if let Some(steal) = machine.steal_percent.filter(|steal| *steal >= 5.0) {
        facts.push(format!("the hypervisor took {steal:.0} % of the processors (steal)"));
    }
    if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) }
}

/// Reasons that make the number less certain, unless an earlier sentence already contains them:
/// `Confidence low: a cache may have answered.`
pub(crate) fn doubt_words(summary: &Summary, statement: &Statement) -> Option<String> {
    let told = doubts_of(summary, statement);
    (!told.is_empty()).then(|| format!("Confidence low: {}.", told.join("; ")))
}

/// The doubts that no other sentence contains, one clause each.
pub(crate) fn doubts_of(summary: &Summary, statement: &Statement) -> Vec<String> {
    let own_timing = |summary: &Summary| {
        let cost = &summary.self_cost;
        if let Some(paused_s) = cost.paused_s.filter(|_| cost.was_only_stopped()) {
            return format!(
                "Reelgauge was suspended for {} during the measurement",
                duration(paused_s * 1e6)
            );
        }
        let late = cost.own_delay_max_us.or(cost.lateness_max_us);
        match late {
            Some(us) => format!("Reelgauge itself ran up to {} late", duration(us)),
            None => "Reelgauge's own timing was not good enough".to_owned(),
        }
    };
    let words = |doubt: &Doubt| match doubt {
        // Stated before the number, or by it.
        Doubt::BrokeOff | Doubt::Interrupted | Doubt::Running | Doubt::OwnFault | Doubt::Unsteady => None,
        // A warning states the duration, and a sentence of the check names the rate that changed.
        Doubt::ShortLook | Doubt::Burst => None,
        // The result contains a sentence about it.
        Doubt::Silence => None,
        // It is already the reason why the run is inconclusive.
        Doubt::OwnTiming if statement.inconclusive.contains(&Inconclusive::OwnTiming) => None,
        Doubt::OwnTiming => Some(own_timing(summary)),
        Doubt::ClientBusy => {
            let busy = client_busy_percent(summary, statement)?;
            Some(format!("other programs used {busy:.0} % of this client's processors"))
        }
        Doubt::Memory => Some(match summary.hosts.is_some() && summary.target.fs_type.is_none() {
            // The targets of the hosts differ in kind.
            true => "some targets are memory, not storage".to_owned(),
            false => "the target is memory, not storage".to_owned(),
        }),
        Doubt::CacheAnswered => Some("a cache answered".to_owned()),
        Doubt::CacheMayHaveAnswered => Some("a cache may have answered".to_owned()),
        Doubt::LogIncomplete => Some("the log lacks some operations".to_owned()),
    };
    statement.confidence.doubts.iter().filter_map(words).collect()
}

/// The label of a judgement before a sentence; empty if the sentence already states it.
pub(crate) fn judgement_words(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Met | Judgement::NothingAsked => "",
        Judgement::NotMet => "NOT MET",
        Judgement::Inconclusive => "INCONCLUSIVE",
        Judgement::NotKnown => "UNKNOWN",
    }
}

/// The tone of the first sentence of a judgement.
pub(crate) fn judgement_tone(judgement: Judgement) -> Tone {
    match judgement {
        Judgement::Met | Judgement::NothingAsked => Tone::Answer,
        Judgement::Inconclusive => Tone::Inconclusive,
        Judgement::NotMet | Judgement::NotKnown => Tone::Bad,
    }
}

/// Why a run is inconclusive: `Reelgauge delayed 3,030 of 9,227 operations by more than a millisecond`.
pub fn inconclusive_words(reason: Inconclusive) -> String {
    match reason {
        Inconclusive::SearchUnfinished => "the limit was not confirmed".to_owned(),
        Inconclusive::ClientLimit => "beyond this count the client was the limit, not the storage".to_owned(),
        Inconclusive::ClientDelay => {
            "the client or --max-rate, not the storage, delayed operations".to_owned()
        }
        Inconclusive::OwnTiming => "Reelgauge's own timing was not good enough".to_owned(),
        Inconclusive::BegunLate { late_ops, ops } => format!(
            "Reelgauge delayed {} of {} by more than a millisecond",
            count(late_ops),
            counted(ops, "operation")
        ),
        Inconclusive::HeldUp { held_up_ops, ops } => format!(
            "{} of {} had to wait for an earlier operation, so the load differs from the recording",
            count(held_up_ops),
            counted(ops, "operation")
        ),
    }
}

/// The reasons why a run is inconclusive, without the full stop; `None` if it is conclusive.
pub(crate) fn inconclusive_reasons(statement: &Statement) -> Option<String> {
    let is_held = statement.cause.is_some_and(|cause| cause.culprit == Culprit::MaxRate);
    let words = |reason: &Inconclusive| match reason {
        // The result of a search already states it.
        Inconclusive::ClientLimit => None,
        Inconclusive::ClientDelay if is_held => {
            Some("--max-rate, not the storage, delayed operations".to_owned())
        }
        reason => Some(inconclusive_words(*reason)),
    };
    let reasons: Vec<String> = statement.inconclusive.iter().filter_map(words).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}
