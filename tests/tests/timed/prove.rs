//! A change whose effect is proven on real storage.

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::needs;
use reelgauge_tests::programs::tool;
use reelgauge_tests::proof::Proof;
use reelgauge_tests::run_dir::at;
use reelgauge_tests::sshfs::{self, Sshfs};

/// The command that sets the speed of the server's side.
fn speed(sshfs: &Sshfs) -> String {
    let shown = sshfs.link().on_server("tc").args(["qdisc", "show", "dev", "v0"]).output().unwrap();
    String::from_utf8_lossy(&shown.stdout).into_owned()
}

#[test]
fn a_faster_link_is_a_gain_and_a_slower_one_a_loss() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let sshfs = Sshfs::mount(100);
    let [slow, fast] = [100, 200].map(|mbit| sshfs.link().set_server_speed(mbit));
    let proof = Proof::measuring_for("1s", &fast, &slow, sshfs.path());
    let better = proof.run().expect_code(0).json();
    assert_eq!(at(&better, "complete"), true);
    assert_eq!(at(&better, "conclusion.best_state"), 1);
    let read = &at(&better, "conclusion.figures")[0];
    assert_eq!(at(read, "figure"), "total.read_bytes_per_s");
    // The link transfers twice as much, less the overhead of SSH and of a short run.
    let change = at(read, "change_percent")[1].as_f64().unwrap();
    // With concurrent tests, either run may have had less processor time.
    let expected = if needs::is_soak() { 80.0..110.0 } else { 30.0..300.0 };
    assert!(expected.contains(&change), "{change} %");
    assert!(speed(&sshfs).contains("rate 100Mbit") && !proof.has_undo(), "{}", speed(&sshfs));
    // Both ways are the same passes: five of each alternately.
    let passes = at(&better, "passes").as_array().unwrap();
    let order: Vec<u64> = passes.iter().map(|pass| at(pass, "state").as_u64().unwrap()).collect();
    assert!(order.starts_with(&[0, 1, 1, 0, 0, 1]) || passes.len() > 10, "{order:?}");

    let screen = proof.other(&["report", at(&better, "dir").as_str().unwrap()]).expect_code(0).words();
    assert!(screen.starts_with("Result: "), "{screen}");
    assert!(screen.contains(&format!("{change:+.1} %")), "{screen}");

    tool(&fast);
    let worse = Proof::measuring_for("1s", &slow, &fast, sshfs.path()).run().expect_code(1).json();
    assert_eq!(at(&worse, "conclusion.best_state"), &serde_json::Value::Null);
    assert!(at(&worse, "conclusion.outcomes")[0].get("loss").is_some(), "{worse:#}");
    assert!(speed(&sshfs).contains("rate 200Mbit"), "{}", speed(&sshfs));
}
