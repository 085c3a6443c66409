//! The results of several hosts' replays of one trace: the users add up, and a pass is as long as the
//! longest one.
//!
//! The median lateness of operations on several hosts cannot be computed from theirs, so there is none.
//! Hosts that replayed different traces, or with other settings, have no pass in common: then there is
//! no pass of the whole, and only the load points show the rates.

use reelgauge_analysis::{Note, NoteFact, ReplayFacts, ReplayPass, ReplaySilence, WrittenPieces};
use reelgauge_record::agents::AgentPlace;
use reelgauge_report::hosts::{between_words, hosts_words};
use reelgauge_report::{bad_timing_sentence, units::counted};

use super::agent_part::AgentPart;

/// The largest number of differences that are kept for a pass.
const DIFFERENCES_MAX: usize = 20;

/// The facts of all hosts, or a note if they cannot be merged. Neither without a replay.
pub(super) fn together(parts: &[AgentPart], places: &[AgentPlace]) -> (Option<ReplayFacts>, Option<Note>) {
    let runs = parts.iter().filter_map(|part| Some((part.name.as_str(), part.run.as_ref()?)));
    let all: Vec<(&str, &ReplayFacts)> =
        runs.filter_map(|(name, run)| Some((name, run.summary.replay.as_ref()?))).collect();
    let Some(((_, first), others)) = all.split_first() else { return (None, None) };
    let same = |facts: &ReplayFacts| {
        (&facts.trace, &facts.pace, &facts.order, facts.ops, facts.copies)
            == (&first.trace, &first.pace, &first.order, first.ops, first.copies)
    };
    if !others.iter().all(|(_, facts)| same(facts)) {
        let traces: Vec<(&str, String)> =
            all.iter().map(|(name, facts)| (*name, format!("{} ({})", facts.trace, facts.pace))).collect();
        let traces: Vec<(&str, &str)> = traces.iter().map(|(name, said)| (*name, said.as_str())).collect();
        let note = format!(
            "The hosts replayed different traces or used different settings ({}), so their passes are not \
             added up.",
            hosts_words(&traces)
        );
        return (None, Some(Note::new(NoteFact::OtherReplays, note, "")));
    }
    (Some(added(first, &all, places, parts.len())), None)
}

/// The same replay on all hosts, added up.
fn added(
    first: &ReplayFacts,
    all: &[(&str, &ReplayFacts)],
    places: &[AgentPlace],
    machines: usize,
) -> ReplayFacts {
    let passes = all.iter().map(|(_, facts)| facts.passes.len()).max().unwrap_or(0);
    let sum =
        |of: fn(&ReplayFacts) -> u64| all.iter().map(|(_, facts)| of(facts)).fold(0, u64::saturating_add);
    let mut facts = ReplayFacts {
        // A host that was missing from the beginning was to replay it, too.
        copies: first.copies.saturating_mul(u32::try_from(machines).unwrap_or(u32::MAX)),
        prepared_files: sum(|facts| facts.prepared_files),
        prepared_bytes: sum(|facts| facts.prepared_bytes),
        remarks: remarks(all),
        passes: (0..passes).filter_map(|at| pass(at, all, places, machines)).collect(),
        written_pieces: all.iter().flat_map(|(name, facts)| pieces(name, facts)).collect(),
        median_bytes_per_s: None,
        bad_timing: None,
        ..first.clone()
    };
    facts.conclude(bad_timing_sentence);
    // With too few late operations overall, the timing of a single host may still be bad.
    let own = all.iter().filter_map(|(name, facts)| Some((*name, facts.bad_timing.as_deref()?)));
    let own: Vec<(&str, &str)> = own.collect();
    if let [(name, said), more @ ..] = own.as_slice() {
        let more = match more.len() as u64 {
            0 => String::new(),
            more => format!(" The same applies to {}.", counted(more, "more host")),
        };
        facts.bad_timing = Some(format!("{}{more}", between_words(&[name], said)));
    }
    facts
}

/// A pass on all hosts together.
fn pass(
    at: usize,
    all: &[(&str, &ReplayFacts)],
    places: &[AgentPlace],
    machines: usize,
) -> Option<ReplayPass> {
    let each: Vec<(&str, &ReplayPass)> =
        all.iter().filter_map(|(name, facts)| Some((*name, facts.passes.get(at)?))).collect();
    let sum = |of: fn(&ReplayPass) -> u64| each.iter().map(|(_, pass)| of(pass)).fold(0, u64::saturating_add);
    let most = |of: fn(&ReplayPass) -> f64| each.iter().map(|(_, pass)| of(pass)).fold(0.0, f64::max);
    let (span_s, bytes) = (most(|pass| pass.span_s), sum(|pass| pass.bytes));
    let worked_s = each.iter().filter_map(|(_, pass)| pass.worked_s).reduce(f64::max);
    let lateness_max_us = each.iter().filter_map(|(_, pass)| pass.lateness_max_us).reduce(f64::max);
    let differences = each.iter().flat_map(|(name, pass)| {
        pass.differences.iter().map(|difference| hosts_words(&[(*name, difference.as_str())]))
    });
    Some(ReplayPass {
        point: each.first()?.1.point,
        complete: each.len() == machines && each.iter().all(|(_, pass)| pass.complete),
        span_s,
        bytes,
        worked_s,
        bytes_per_s: Some(worked_s.unwrap_or(span_s)).filter(|s| *s > 0.0).map(|s| bytes as f64 / s),
        delay_s: each.iter().filter_map(|(_, pass)| pass.delay_s).reduce(f64::max),
        behind_max_us: each.iter().filter_map(|(_, pass)| pass.behind_max_us).reduce(f64::max),
        lateness_p50_us: None,
        lateness_p99_us: None,
        lateness_max_us,
        done_ops: sum(|pass| pass.done_ops),
        held_up_ops: sum(|pass| pass.held_up_ops),
        held_up_max_us: most(|pass| pass.held_up_max_us),
        begun_late_ops: sum(|pass| pass.begun_late_ops),
        limit_late_ops: sum(|pass| pass.limit_late_ops),
        storage_late_ops: each.iter().map(|(_, pass)| pass.storage_late_ops).sum(),
        silences: silences(&each, places),
        different_ops: sum(|pass| pass.different_ops),
        differences: differences.take(DIFFERENCES_MAX).collect(),
    })
}

/// The silences of all hosts on the clock of the whole, in order of time.
fn silences(each: &[(&str, &ReplayPass)], places: &[AgentPlace]) -> Vec<ReplaySilence> {
    let placed = |(name, pass): &(&str, &ReplayPass)| {
        let place = places.iter().find(|place| place.agent == *name);
        let shift_s = place.map_or(0.0, |place| place.shift_ns as f64 / 1e9);
        let shifted = |silence: &ReplaySilence| ReplaySilence {
            began_s: silence.began_s + shift_s,
            ended_s: silence.ended_s + shift_s,
            ..silence.clone()
        };
        pass.silences.iter().map(shifted).collect::<Vec<_>>()
    };
    let mut all: Vec<ReplaySilence> = each.iter().flat_map(placed).collect();
    all.sort_by(|one, two| one.began_s.total_cmp(&two.began_s));
    all
}

fn remarks(all: &[(&str, &ReplayFacts)]) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    for remark in all.iter().flat_map(|(_, facts)| &facts.remarks) {
        if !remarks.contains(remark) {
            remarks.push(remark.clone());
        }
    }
    remarks
}

fn pieces<'a>(name: &'a str, facts: &'a ReplayFacts) -> impl Iterator<Item = WrittenPieces> + 'a {
    let of_host = move |pieces: &WrittenPieces| WrittenPieces {
        file: format!("{name}: {}", pieces.file),
        ..pieces.clone()
    };
    facts.written_pieces.iter().map(of_host)
}
