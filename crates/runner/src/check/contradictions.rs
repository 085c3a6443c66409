//! No sentence of a check's screen contradicts another one, or a row of its table: generated findings with
//! every limit, mark, rate, link and mount that there are. What limits and what to do next are compared by
//! the components that they may mean.

use proptest::prelude::*;
use reelgauge_analysis::limit::{Limit, LimitFinding, LimitStep, LimitVerdict};
use reelgauge_analysis::statement::{NextStep, of};
use reelgauge_analysis::summary::Target;
use reelgauge_analysis::sustained::SustainedRate;
use reelgauge_analysis::test_figures::vda_point;
use reelgauge_analysis::{CheckBasis, CheckCount, CheckFacts, CheckFormat, Culprit, Summary};
use reelgauge_machine::link::{Link, LinkKind};
use reelgauge_machine::mount::Mount;
use reelgauge_report::{Screen, screen};

use super::agreement::Agreement;
use super::everyday::{EVERYDAY, everyday};
use super::evidence::TrialEvidence;
use super::findings::{Counted, Findings, Work};
use super::limit::Limiter;
use super::next_step::{self, Place};

fn limiter() -> impl Strategy<Value = Limiter> {
    prop::sample::select(vec![
        Limiter::Link { share: 0.95 },
        Limiter::ThisMachine,
        Limiter::MaxRate,
        Limiter::Storage,
        Limiter::StorageOrOthers,
        Limiter::NotKnown,
        Limiter::Contradicted,
        Limiter::Time,
        Limiter::Stopped,
    ])
}

/// As a counting makes it: without a trial that failed there is no limit, and what is open is a lower bound.
fn counted(has_speed: bool) -> impl Strategy<Value = Option<Counted>> {
    let basis =
        prop::sample::select(vec![CheckBasis::Held, CheckBasis::SustainedRate, CheckBasis::ShortTrial]);
    let parts = (0..30_u32, 0..4_u32, prop::option::of(1..5_u32), limiter(), basis, any::<bool>());
    let parts = parts.prop_map(move |(streams, error, failed, limiter, basis, is_confirmed)| {
        // A link is full where its speed is known.
        let is_link = matches!(limiter, Limiter::Link { .. });
        let limiter = if is_link && !has_speed { Limiter::Storage } else { limiter };
        let limiter = if failed.is_some() || limiter == Limiter::MaxRate { limiter } else { Limiter::Time };
        let at_least = failed.is_none() || limiter.is_open();
        let is_bound = at_least && basis != CheckBasis::ShortTrial;
        Counted {
            streams,
            error: if is_bound { 0 } else { error },
            at_least,
            needed_mb_per_s: 0.0,
            limiter,
            basis,
            held_s: (streams > 0).then_some(if basis == CheckBasis::Held { 5.45 } else { 1.45 }),
            failed_from: failed.map(|more| streams + more),
            is_confirmed: is_confirmed && failed.is_some(),
            standing: Agreement::Agrees,
        }
    });
    prop::option::of(parts)
}

fn level() -> impl Strategy<Value = Option<SustainedRate>> {
    let shapes = prop::sample::select(vec![
        vec![1.0; 7],
        vec![2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        vec![1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0],
        vec![2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0],
        vec![1.0, 1.0],
    ]);
    let rate = (shapes, 1.0..900.0_f64).prop_map(|(shape, mb)| {
        SustainedRate::of(&shape.iter().map(|part| part * mb * 1e6).collect::<Vec<_>>())
    });
    prop::option::of(rate).prop_map(Option::flatten)
}

fn evidence() -> impl Strategy<Value = TrialEvidence> {
    let instead = prop::sample::select(vec![None, Some(Culprit::ThisMachine), Some(Culprit::NotKnown)]);
    (any::<bool>(), any::<bool>(), instead).prop_map(|(storage_stood_out, has_others, instead_of_storage)| {
        let others_percent = has_others.then_some((61.0, 97.0));
        TrialEvidence { storage_stood_out, others_percent, instead_of_storage }
    })
}

fn link() -> impl Strategy<Value = Link> {
    let network = |speed, is_half_duplex| next_step::tests::link(speed, is_half_duplex).kind;
    let kinds = vec![
        LinkKind::Memory,
        LinkKind::Unknown,
        network(None, false),
        network(Some(100), false),
        network(Some(1_000), true),
        network(Some(10_000), false),
    ];
    prop::sample::select(kinds).prop_map(|kind| Link { kind, sentence: "eth0 to 10.0.0.2".to_owned() })
}

fn mount() -> impl Strategy<Value = Mount> {
    let kinds = [
        ("ext4", "rw"),
        ("nfs4", "rw,hard"),
        ("nfs4", "rw,proto=udp"),
        ("nfs4", "rw,sync"),
        ("nfs4", "rw,rsize=4096"),
        ("nfs4", "rw,soft"),
        ("cifs", "rw,rsize=65536"),
    ];
    prop::sample::select(kinds.to_vec())
        .prop_map(|(fs_type, options)| next_step::tests::mount(fs_type, options, None))
}

/// A link, and findings of all formats behind it, playing and recording.
fn found_behind() -> impl Strategy<Value = (Link, Findings)> {
    link().prop_flat_map(|link| {
        let has_speed = matches!(link.kind, LinkKind::Network { speed_mbit_per_s: Some(_), .. });
        (Just(link), findings(has_speed))
    })
}

fn findings(has_speed: bool) -> impl Strategy<Value = Findings> {
    let counts = prop::collection::vec((counted(has_speed), counted(has_speed)), EVERYDAY.len());
    (counts, level(), level()).prop_map(|(counts, reads, writes)| {
        let mut findings = Findings::default();
        findings.corrected(Work::Play, reads);
        findings.corrected(Work::Record, writes);
        for (number, ((play, record), format)) in counts.into_iter().zip(everyday()).enumerate() {
            let needed_mb_per_s = format.mb_per_s();
            let of_it =
                |counted: Option<Counted>| counted.map(|counted| Counted { needed_mb_per_s, ..counted });
            findings.found(number, Work::Play, of_it(play));
            findings.found(number, Work::Record, of_it(record));
        }
        findings
    })
}

/// The summary of a check whose last trial failed with this finding.
fn summary(facts: CheckFacts, step: Option<LimitStep>) -> Summary {
    let mut summary = Summary::new("0.1.0", "2026-11-28T10:00:00Z", "check", Target::default());
    let mut point = vda_point(1, 1.0, None);
    if let Some(step) = step {
        let found = Some(LimitFinding { step, at: None, seen: Vec::new(), rules: Vec::new() });
        point.culprit = Some(Culprit::Storage);
        point.limit = Some(facts.agreed(Limit { verdict: LimitVerdict::Found, found, ..Limit::default() }));
    }
    summary.load_points = vec![point];
    summary.check = Some(facts);
    summary
}

fn is_ticked(found: &CheckCount) -> bool {
    found.streams > 0 && found.is_sustained()
}

fn counts_of(format: &CheckFormat) -> impl Iterator<Item = &CheckCount> {
    [&format.play, &format.record].into_iter().flatten()
}

/// What is wrong with the row of a format.
fn row_contradictions(text: &str, format: &CheckFormat) -> Vec<String> {
    let Some(row) = text.lines().find(|line| line.starts_with(&format.name)) else {
        return vec![format!("no row of {}", format.name)];
    };
    let ticks = counts_of(format).filter(|found| is_ticked(found)).count();
    let errors = counts_of(format).filter(|found| found.stated_error().is_some()).count();
    let cells: Vec<&str> = row.split("  ").filter(|cell| !cell.is_empty()).collect();
    let wrong = [
        (row.matches('✓').count() != ticks, "ticks"),
        (row.matches('±').count() != errors, "errors"),
        (cells.iter().any(|cell| cell.contains("at least") && cell.contains('±')), "a bound with an error"),
        (counts_of(format).any(|found| found.own_limit && found.at_least), "a confirmed limit of none"),
        (counts_of(format).any(|found| found.error_streams.is_some() == found.at_least), "a bound's error"),
        (counts_of(format).any(|found| found.own_limit && !found.is_sustained()), "confirmed without a tick"),
    ];
    wrong.into_iter().filter(|(is_wrong, _)| *is_wrong).map(|(_, what)| format!("{what}: {row}")).collect()
}

/// What a screen says against the rows of its own table.
fn contradictions(text: &str, facts: &CheckFacts) -> Vec<String> {
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found: Vec<String> =
        facts.formats.iter().flat_map(|format| row_contradictions(text, format)).collect();
    let is_confirmed = facts.formats.iter().flat_map(counts_of).any(|found| found.own_limit);
    if flowing.contains("confirmed") != is_confirmed {
        found.push("'confirmed' without a confirmed limit, or the other way round".to_owned());
    }
    let has_ticks = [
        ("play", facts.formats.iter().filter_map(|format| format.play.as_ref()).any(is_ticked)),
        ("record", facts.formats.iter().filter_map(|format| format.record.as_ref()).any(is_ticked)),
    ];
    for (column, has_tick) in has_ticks {
        let none = flowing.contains(&format!("no count in column \"{column}\" has a tick"));
        let some = flowing.contains(&format!("with a tick in column \"{column}\""));
        if none && has_tick || some && !has_tick {
            found.push(format!("ticks in column {column}"));
        }
    }
    if text.lines().filter(|line| line.starts_with("Next: ")).count() > 1 {
        found.push("two next steps".to_owned());
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn no_sentence_of_a_check_contradicts_another_or_a_row(
        (link, findings) in found_behind(),
        evidence in evidence(),
        mount in mount(),
        free_share in prop::option::of(0.01..1.0_f64),
        step in prop::option::of(prop::sample::select(LimitStep::ALL.to_vec())),
        stopped in any::<bool>(),
    ) {
        let place =
            Place { mount: &mount, link: &link, free_share, free_bytes: None, target: "/mnt/nas" };
        let mut settled = findings.clone();
        settled.revise(&evidence, &link);
        settled.settle();
        let stopped = stopped.then_some("stopped by the user");
        let facts = findings.into_facts(&place, (stopped, 58.0), &evidence);
        let advice = settled.advice(&place, &facts.formats);
        let summary = summary(facts.clone(), step);
        let statement = of(&summary);
        prop_assert!(statement.is_consistent(&summary), "{:?}", statement.components(&summary));
        // The check's own step, against the limit that its sentence names.
        let limit = facts.limit_culprit.map_or(&[][..], Culprit::components);
        if statement.next_step == Some(NextStep::AsTheLookSays) {
            let is_shared = advice.components.iter().any(|component| limit.contains(component));
            let blames = !advice.components.is_empty() && !limit.is_empty();
            prop_assert!(!blames || is_shared, "{advice:?} next to {}", facts.limit);
        }
        let text = screen(&summary, &Screen::default());
        let found = contradictions(&text, &facts);
        prop_assert!(found.is_empty(), "{found:#?}\n{text}");
    }
}
