//! Tests of the screen of a proof that ended early.

use reelgauge_analysis::compare::{ComparisonRow, FigureLabel, FigureUnit};
use reelgauge_analysis::proof::cached::CachedReads;
use reelgauge_analysis::{CacheEvidence, CacheSuspicion, MemoryFacts, WhySuspected};

use super::*;

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
    let names = names();
    let other = |processors_percent| Disturbance::OtherPrograms { processors_percent };
    let (timing, some, more) = (Disturbance::Timing, other(31.0), other(52.0));
    let disturbed = [(0, &timing), (1, &some), (0, &timing), (1, &more), (0, &timing)];
    let text = shown(&ended(&names, &disturbed));
    assert!(
        text.contains("Measured: 0 of 10 passes counted (5 others did not): reelgauge mix /mnt/nas\n"),
        "{text}"
    );
    let told = text.matches("kept Reelgauge from running in time").count();
    assert!(
        told == 1 && text.contains("3 passes (as it is) were not counted, because this client kept"),
        "{text}"
    );
    assert!(
        text.contains(
            "2 passes (with the change) were not counted, because other programs used 31 to 52 % of the"
        ),
        "{text}"
    );
    assert!(text.contains("Next: Fix what stopped it, then prove it again\n"), "{text}");
    let one = [(1, &timing)];
    let text = shown(&ProofScreen { counted: 4, ..ended(&names, &one) });
    assert!(text.contains("4 of 10 passes counted (1 other did not)"), "{text}");
    assert!(text.contains("1 pass (with the change) was not counted, because this"), "{text}");
}

#[test]
fn user_interrupt_has_no_remedy() {
    let names = names();
    let text = shown(&ProofScreen { is_interrupted: true, ..ended(&names, &[]) });
    assert!(text.contains("Next: Prove it again when there is time to finish\n"), "{text}");
    let changes = [("Change", "./faster.sh".to_owned())];
    let killed = ProofScreen { ended_early: None, tried: &changes, ..ended(&names, &[]) };
    let text = shown(&killed);
    assert!(
        text.contains("Next: If the change is still in place, undo it (reelgauge prove --undo"),
        "{text}"
    );
    let text = shown(&ProofScreen { tried: &[], ..killed });
    assert!(
        text.starts_with("Result:     Nothing is proven: reelgauge prove was killed.\n")
            && text.contains("Next: Prove"),
        "{text}"
    );
    let changed = ProofScreen { is_interrupted: true, not_undone: Some("no"), ..ended(&names, &[]) };
    let text = shown(&changed);
    assert!(
        text.contains("Next: Undo the change (reelgauge prove --undo-left), then prove it again\n"),
        "{text}"
    );
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
    let text = concluded(&gain(None)).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.starts_with(
            "Result: With the change it is better: read, MB/s: 21.9 instead of 11.0 on average (+100 %, noise 30.0 %)"
        ),
        "{text}"
    );
    assert!(text.contains("mean") && !text.contains("median") && !text.contains("of the mean"), "{text}");
    assert!(text.contains("to make it permanent: ./faster.sh"), "{text}");
    // Conclusions of earlier versions have only medians.
    let mut earlier = gain(None);
    earlier.figures[0].values.iter_mut().flatten().for_each(|over| over.mean = None);
    let text = concluded(&earlier);
    assert!(
        text.starts_with("Result:     With the change it is better: read, MB/s: 22.0 instead of 11.0. "),
        "{text}"
    );
}

#[test]
fn proof_with_cached_reads_is_no_evidence_of_the_storage() {
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
    assert!(
        all.starts_with(
            "Result: This proves nothing about the storage: reads came from a cache in all passes. Worst pass: 98 % \
             of the data read came from this client's memory, not from the storage. Use files of"
        ),
        "{all}"
    );
    assert_eq!(all.matches("came from").count(), 2, "it is said once: {all}");
    assert!(!all.contains("for good"), "{all}");
    let some = with(&[(0, CacheSuspicion::NotSuspected), (1, counted(0.98))]);
    assert!(some.contains("in these passes: 0 of 1 (as it is), 1 of 1 (with the change). "), "{some}");
    let memory = with(&[(0, CacheSuspicion::Answered { evidence: CacheEvidence::TargetIsMemory })]);
    assert!(memory.contains("The target is memory: "), "{memory}");
    let may = CacheSuspicion::MayHaveAnswered { why: vec![WhySuspected::UsedBefore] };
    let may = with(&[(0, may.clone()), (1, may)]);
    assert!(may.starts_with("Result: With the change it is better"), "{may}");
    assert_eq!(may.matches("may have answered from memory").count(), 1, "{may}");
}
