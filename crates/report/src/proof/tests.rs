//! Tests of the screen of a proof that ended early.

use reelgauge_analysis::compare::{ComparisonRow, FigureLabel, FigureUnit};
use reelgauge_analysis::proof::cached::CachedReads;
use reelgauge_analysis::{CacheEvidence, CacheSuspicion, MemoryFacts, WhySuspected};

use super::*;
use crate::short_form::assert_is_short;

const STATES: usize = 2;

fn ended<'a>(names: &'a [StateName], disturbed: &'a [(usize, &'a Disturbance)]) -> ProofScreen<'a> {
    ProofScreen {
        states: names,
        tried: &[],
        verb: "mix",
        workload: "mix /mnt/nas",
        rounds: 5,
        disturbed,
        counted: 0,
        is_interrupted: false,
        ended_early: Some("10 passes were disturbed"),
        not_undone: None,
        goes_on: false,
        conclusion: None,
        keep: None,
        dir: "runs/p",
    }
}

fn shown(proof: &ProofScreen<'_>) -> String {
    proof_screen(proof, Style { width: 140, ..Style::default() })
}

fn names() -> [StateName; STATES] {
    [StateName::Named("as it is".to_owned()), StateName::WithChange]
}

#[test]
fn invalid_passes_are_counted_separately_and_shown_once() {
    let mut printed = Vec::<String>::new();
    let names = names();
    let other = |processors_percent| Disturbance::OtherPrograms { processors_percent };
    let (timing, some, more) = (Disturbance::Timing, other(31.0), other(52.0));
    let disturbed = [(0, &timing), (1, &some), (0, &timing), (1, &more), (0, &timing)];
    let text = shown(&ended(&names, &disturbed));
    printed.push(text.to_string());

    let one = [(1, &timing)];
    let text = shown(&ProofScreen { counted: 4, ..ended(&names, &one) });
    printed.push(text.to_string());

    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn short_screen_is_one_screenful() {
    let names = names();
    let (timing, remounted) = (
        Disturbance::Timing,
        Disturbance::Remounted { before: "rw,relatime".to_owned(), now: "rw,noatime".to_owned() },
    );
    let disturbed = [(0, &timing), (1, &remounted), (1, &timing)];
    let proof = ended(&names, &disturbed);
    let [short, long] =
        [true, false].map(|is_short| proof_screen(&proof, Style { width: 80, is_short, ..Style::default() }));
    assert_is_short(&short, &long);
}

#[test]
fn user_interrupt_has_no_remedy() {
    let mut printed = Vec::<String>::new();
    let names = names();
    let text = shown(&ProofScreen { is_interrupted: true, ..ended(&names, &[]) });
    printed.push(text.to_string());
    let changes = [("Change", "./faster.sh".to_owned())];
    let killed = ProofScreen { ended_early: None, tried: &changes, ..ended(&names, &[]) };
    let text = shown(&killed);
    printed.push(text.to_string());
    let text = shown(&ProofScreen { tried: &[], ..killed });
    printed.push(text.to_string());
    let changed = ProofScreen { is_interrupted: true, not_undone: Some("no"), ..ended(&names, &[]) };
    let text = shown(&changed);
    printed.push(text.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

/// Reads at 10 and 12 MB/s before, and at 20 and 24 MB/s with the change.
fn gain(cached: Option<CachedReads>) -> ProofConclusion {
    let row = ComparisonRow {
        group: String::new(),
        figure: "total.read_bytes_per_s".to_owned(),
        label: FigureLabel { name: "read".to_owned(), work: "", unit: "MB/s" },
        unit: FigureUnit::BytesPerS,
        better: Better::Higher,
        values: [10e6, 12e6, 20e6, 24e6].map(Some).to_vec(),
        texts: vec![String::new(); 4],
        change_percent: vec![None, None, Some(100.0), Some(100.0)],
        noise_percent: vec![None, None, Some(30.0), Some(30.0)],
        judgement: vec![Judgement::Base, Judgement::Base, Judgement::Better, Judgement::Better],
    };
    let conclusion = ProofConclusion::new(&[row], 2, &[Some(0.0); 4], CachedReads::default());
    ProofConclusion { cached, ..conclusion }
}

fn concluded(conclusion: &ProofConclusion) -> String {
    let names = names();
    let proof = ProofScreen { conclusion: Some(conclusion), ended_early: None, ..ended(&names, &[]) };
    shown(&ProofScreen { keep: Some("./faster.sh"), tried: &[("Change", String::new())], ..proof })
}

#[test]
fn long_names_fit_next_to_figures_and_stay_distinct() {
    let of = |names: [&str; 2]| names_in_table(&names.map(|name| StateName::Named(name.to_owned())));
    let long = format!("/mnt/{}/projects", "deep/".repeat(30));
    let names = of(["/mnt/nfs\u{1b}[2J", &long]);
    assert_eq!(names[0], "/mnt/nfs\\u{1b}[2J");
    assert!(names[1].chars().count() <= NAME_CHARS && names[1].ends_with("/projects"), "{names:?}");
    // Their ends alone would be equal.
    let other = long.replacen("deep", "high", 1);
    assert_eq!(of([&long, &other]), [long.clone(), other.clone()]);
}

/// 10.95 and 21.9: the change on the screen is their ratio.
#[test]
fn percentage_matches_the_figures_next_to_it() {
    let mut printed = Vec::<String>::new();
    let text = concluded(&gain(None)).split_whitespace().collect::<Vec<_>>().join(" ");
    printed.push(text.to_string());

    // Conclusions of earlier versions have only medians.
    let mut earlier = gain(None);
    earlier.figures[0].values.iter_mut().flatten().for_each(|over| over.mean = None);
    let text = concluded(&earlier);
    printed.push(text.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn proof_with_cached_reads_is_no_evidence_of_the_storage() {
    let mut printed = Vec::<String>::new();
    let with = |suspicions: &[(usize, CacheSuspicion)]| {
        let mut cached = CachedReads::of_states(STATES);
        for (state, suspicion) in suspicions {
            let memory = MemoryFacts { suspicion: Some(suspicion.clone()), ..MemoryFacts::default() };
            cached.take(*state, Some(&memory));
        }
        concluded(&gain(Some(cached))).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let counted = |share| CacheSuspicion::Answered { evidence: CacheEvidence::ClientCounted { share } };
    let all = with(&[(0, counted(0.5)), (1, counted(0.98))]);
    printed.push(all.to_string());
    let some = with(&[(0, CacheSuspicion::NotSuspected), (1, counted(0.98))]);
    printed.push(some.to_string());
    let memory = with(&[(0, CacheSuspicion::Answered { evidence: CacheEvidence::TargetIsMemory })]);
    printed.push(memory.to_string());
    let may = CacheSuspicion::MayHaveAnswered { why: vec![WhySuspected::UsedBefore] };
    let may = with(&[(0, may.clone()), (1, may)]);
    printed.push(may.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}
