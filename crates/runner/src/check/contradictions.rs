//! No sentence of a check's screen contradicts another one, or a row of its table: generated findings
//! with every limit, mark, rate, link and mount. The limit and the recommendation are compared by the
//! components that they can refer to.

use std::net::IpAddr;

use proptest::prelude::*;
use reelgauge_analysis::limit::{CountLimit, Limit, LimitFinding, LimitStep, LimitVerdict, TrialEvidence};
use reelgauge_analysis::statement::{Component, NextStep, of};
use reelgauge_analysis::summary::Target;
use reelgauge_analysis::sustained::SustainedRate;
use reelgauge_analysis::test_figures::vda_point;
use reelgauge_analysis::{CheckBasis, CheckCount, CheckFacts, CheckFormat, Culprit, Summary};
use reelgauge_doctor::Diagnosis;
use reelgauge_machine::link::{Link, LinkKind};
use reelgauge_machine::mount::{Mount, MountKind};
use reelgauge_report::{Screen, screen};

use super::agreement::Counted;
use super::common_formats::{EVERYDAY, common_formats};
use super::findings::{Findings, Place, Work};
use super::hint::{hint, tests::client};

fn limit() -> impl Strategy<Value = CountLimit> {
    prop::sample::select(vec![
        CountLimit::Culprit(Culprit::Link),
        CountLimit::Culprit(Culprit::ThisMachine),
        CountLimit::Culprit(Culprit::MaxRate),
        CountLimit::Culprit(Culprit::Storage),
        CountLimit::Culprit(Culprit::NotKnown),
        CountLimit::StorageOrOthers,
        CountLimit::Contradicted,
        CountLimit::Time,
        CountLimit::Stopped,
    ])
}

/// A count as the check produces it: without a failed trial there is no limit, and a count without a
/// limit is a lower bound.
fn counted(has_speed: bool) -> impl Strategy<Value = Option<Counted>> {
    let basis =
        prop::sample::select(vec![CheckBasis::Held, CheckBasis::SustainedRate, CheckBasis::ShortTrial]);
    let parts = (0..30_u32, 0..4_u32, prop::option::of(1..5_u32), limit(), basis, any::<bool>());
    let parts = parts.prop_map(move |(streams, error, failed, limit, basis, is_confirmed)| {
        // A link is saturated only if its speed is known.
        let is_unknown_link = limit == CountLimit::Culprit(Culprit::Link) && !has_speed;
        let limit = if is_unknown_link { CountLimit::Culprit(Culprit::Storage) } else { limit };
        let is_set = limit == CountLimit::Culprit(Culprit::MaxRate);
        let limit = if failed.is_some() || is_set { limit } else { CountLimit::Time };
        let at_least = failed.is_none() || limit.is_open();
        let is_bound = at_least && basis != CheckBasis::ShortTrial;
        Counted {
            streams,
            error: if is_bound { 0 } else { error },
            at_least,
            needed_mb_per_s: 0.0,
            limit,
            basis,
            held_s: (streams > 0).then_some(if basis == CheckBasis::Held { 5.45 } else { 1.45 }),
            failed_from: failed.map(|more| streams + more),
            is_confirmed: is_confirmed && failed.is_some(),
            own_limit: false,
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
        TrialEvidence { counters_show_storage: storage_stood_out, others_percent, instead_of_storage }
    })
}

fn link() -> impl Strategy<Value = Link> {
    let network = |speed_mbit_per_s| LinkKind::Network {
        interface: "eth0".to_owned(),
        speed_mbit_per_s,
        mtu_bytes: Some(1500),
        is_half_duplex: false,
        server_address: IpAddr::from([10, 0, 0, 2]),
        is_this_machine: false,
    };
    let kinds = vec![LinkKind::Memory, LinkKind::Unknown, network(None), network(Some(10_000))];
    prop::sample::select(kinds).prop_map(|kind| Link { kind, sentence: "eth0 to 10.0.0.2".to_owned() })
}

fn mount() -> Mount {
    Mount {
        fs_type: "nfs4".to_owned(),
        source: "nas1:/tank".to_owned(),
        mount_point: "/mnt/nas".into(),
        options: vec!["rw".to_owned()],
        kind: MountKind::Network,
        server: Some("nas1".to_owned()),
        protocol_version: None,
    }
}

/// Clients on which the rules find nothing, the mount, or the card.
fn diagnosed() -> impl Strategy<Value = Diagnosis> {
    let clients = [
        ("nfs4", "rw,vers=4.2,rsize=1048576,wsize=1048576,hard,proto=tcp", 1_000, "full"),
        ("nfs4", "rw,vers=4.2,rsize=4096,wsize=4096,hard,proto=tcp", 1_000, "full"),
        ("cifs", "rw,vers=2.1", 10_000, "full"),
        ("nfs4", "rw,vers=4.2,soft,proto=tcp", 1_000, "half"),
    ];
    prop::sample::select(clients.to_vec())
        .prop_map(|(fs_type, options, mbit, duplex)| client(fs_type, options, mbit, duplex))
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
        for (number, ((play, record), format)) in counts.into_iter().zip(common_formats()).enumerate() {
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

/// Contradictions in the row of a format.
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

/// Contradictions between a screen and the rows of its table.
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
        diagnosis in diagnosed(),
        free_share in prop::option::of(0.01..1.0_f64),
        step in prop::option::of(prop::sample::select(LimitStep::ALL.to_vec())),
        stopped in any::<bool>(),
    ) {
        let stopped = stopped.then_some("stopped by the user");
        let mount = mount();
        let place =
            Place { mount: &mount, link: &link, free_share, free_bytes: None, stopped, looked_s: 58.0 };
        let mut hinted = None;
        let facts = findings.into_facts(&place, &evidence, |limit| {
            hinted = hint(&diagnosis, limit, &[]);
            hinted.clone()
        });
        let summary = summary(facts.clone(), step);
        let statement = of(&summary);
        prop_assert!(statement.is_consistent(&summary), "{:?}", statement.components(&summary));
        // Compares the recommended rule with the limit, both as data and in the text.
        let limit = facts.limit_culprit.map_or(&[][..], Culprit::components);
        if statement.next_step == Some(NextStep::FollowRule) {
            let is_about_network = hinted.is_some_and(|hint| hint.is_about_network);
            let component = if is_about_network { Component::Network } else { Component::Storage };
            prop_assert!(limit.is_empty() || limit.contains(&component), "{:?}", facts.hint);
            prop_assert!(!is_about_network || !facts.limit.contains("not the link"), "{}", facts.limit);
        }
        let text = screen(&summary, &Screen::default());
        let found = contradictions(&text, &facts);
        prop_assert!(found.is_empty(), "{found:#?}\n{text}");
    }
}
