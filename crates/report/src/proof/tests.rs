//! What the screen of a proof that ended early says.

use super::*;

const STATES: usize = 2;

fn ended<'a>(names: &'a [String], disturbed: &'a [(usize, &'a Disturbance)]) -> ProofScreen<'a> {
    ProofScreen {
        states: names,
        tried: &[],
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
    proof_screen(proof, Style { colour: false, width: 140 })
}

fn names() -> [String; STATES] {
    ["as it is".to_owned(), WITH_CHANGE.to_owned()]
}

#[test]
fn passes_that_do_not_count_are_counted_apart_and_told_once() {
    let names = names();
    let other = |processors_percent| Disturbance::OtherPrograms { processors_percent };
    let (timing, some, more) = (Disturbance::Timing, other(31.0), other(52.0));
    let disturbed = [(0, &timing), (1, &some), (0, &timing), (1, &more), (0, &timing)];
    let text = shown(&ended(&names, &disturbed));
    assert!(
        text.contains("Measured: 0 of 10 passes counted (5 others did not): reelgauge mix /mnt/nas\n"),
        "{text}"
    );
    let told = text.matches("kept the tool from running in time").count();
    assert!(told == 1 && text.contains("3 passes (as it is) were not counted: this machine kept"), "{text}");
    assert!(
        text.contains("2 passes (with the change) were not counted: other programs took 31 to 52 % of the"),
        "{text}"
    );
    assert!(text.contains("Next: Mend what stopped it, and prove it again\n"), "{text}");
    let one = [(1, &timing)];
    let text = shown(&ProofScreen { counted: 4, ..ended(&names, &one) });
    assert!(text.contains("4 of 10 passes counted (1 other did not)"), "{text}");
    assert!(text.contains("a pass (with the change) was not counted: this"), "{text}");
}

#[test]
fn who_ended_it_has_nothing_to_mend() {
    let names = names();
    let text = shown(&ProofScreen { is_interrupted: true, ..ended(&names, &[]) });
    assert!(text.contains("Next: Prove it again when there is time for all of it\n"), "{text}");
    let changed = ProofScreen { is_interrupted: true, not_undone: Some("no"), ..ended(&names, &[]) };
    let text = shown(&changed);
    assert!(
        text.contains("Next: Undo the change (reelgauge prove --undo-left), then prove it again\n"),
        "{text}"
    );
}
