//! Tests of the handlers for suites.

use super::*;

/// A suite of two workloads, the second of which did not run; a pass of the first moves 10 MB in this
/// time.
fn suite_json(pass_ns: u64) -> Value {
    json!({"suite_version": 1, "written_by": "reelgauge", "name": "naspt", "target": "/mnt/nas",
        "batch": 2, "pace": "max", "seed": 1, "workloads": ["a", "b"], "complete": false,
        "ended_early": "b: no room", "runs": ["one"],
        "table": {"rows": [{"workload": "a", "median_bytes_per_s": 1e16 / pass_ns as f64, "passes": [
            {"moved_bytes": 10_000_000, "duration_ns": pass_ns, "differing_ops": 0},
            {"moved_bytes": 10_000_000, "duration_ns": pass_ns, "differing_ops": 1}]}]}})
}

#[test]
fn a_suite_is_listed_with_its_runs_and_has_a_page() {
    let scene = scene(None);
    let dir = scene.runs().join("suite");
    make_run(&dir, "one").write_summary(&summary(Outcome::Complete)).unwrap();
    fs::write(dir.join("suite.json"), suite_json(1_000_000_000).to_string()).unwrap();
    let listed = scene.get("/api/runs").json();
    let entry = |id: &str| listed.as_array().unwrap().iter().find(|entry| entry["id"] == id).unwrap().clone();
    assert_eq!(
        (entry("suite")["verb"].clone(), entry("suite")["label"].clone()),
        (json!("suite"), json!("naspt"))
    );
    assert_eq!(entry("suite")["sentence"], "b: no room");
    assert_eq!(
        (entry("suite")["passes"].clone(), entry("suite/one")["passes"].clone()),
        (json!(2), json!(null))
    );
    assert_eq!(entry("suite/one")["suite"], "suite");
    let page = scene.get("/api/runs/suite/suite").json();
    assert_eq!(
        (page["rows"][0]["run"].clone(), page["rows"][1]["run"].clone()),
        (json!("suite/one"), json!(null))
    );
    // The second pass had a different result than recorded.
    assert_eq!(page["rows"][0]["passes_bytes_per_s"], json!([1e7, null]));
    assert_eq!(scene.get("/api/runs/suite%2Fone/page").status, StatusCode::OK);
    assert_eq!(scene.get("/api/runs/one/suite").status, StatusCode::NOT_FOUND);
    // A single part of it cannot be deleted; the whole can.
    assert_eq!(scene.change("DELETE", "/api/runs/suite%2Fone", "").status, StatusCode::CONFLICT);
    assert_eq!(scene.change("DELETE", "/api/runs/suite", "").status, StatusCode::NO_CONTENT);
    assert!(!dir.exists());
}

#[test]
fn suites_are_compared_as_on_the_terminal_and_a_suite_with_a_run_is_refused() {
    let scene = scene(None);
    make_run(&scene.runs(), "run").write_summary(&summary(Outcome::Complete)).unwrap();
    for (name, pass_ns) in [("before", 2_000_000_000), ("after", 500_000_000), ("third", 1_000_000_000)] {
        make_run(&scene.runs().join(name), "one").write_summary(&summary(Outcome::Complete)).unwrap();
        fs::write(scene.runs().join(name).join("suite.json"), suite_json(pass_ns).to_string()).unwrap();
    }
    let compared = scene.get("/api/suites/compare?run=before&run=after").json();
    assert_eq!(compared["kind"], "suites");
    let suites = &compared["suites"];
    assert_eq!(
        suites["sentences"][0],
        "4.00 times as fast as before, in the one workload that both have. There are too few passes to rule out chance."
    );
    assert_eq!(suites["rows"][0]["bytes_per_s"], json!([5e6, 2e7]));
    assert_eq!(suites["rows"][0]["times_first"], json!([1.0, 4.0]));
    let three = scene.get("/api/suites/compare?run=before&run=after&run=third").json();
    assert_eq!(three["suites"]["rows"][0]["times_first"], json!([1.0, 4.0, 2.0]));
    for (path, status) in [
        ("/api/compare?run=before&run=run", StatusCode::BAD_REQUEST),
        ("/api/compare?run=before&run=after", StatusCode::BAD_REQUEST),
        ("/api/suites/compare?run=before", StatusCode::BAD_REQUEST),
        ("/api/suites/compare?run=before&run=before", StatusCode::BAD_REQUEST),
        ("/api/suites/compare?run=before&run=run", StatusCode::NOT_FOUND),
    ] {
        let told = scene.get(path);
        assert_eq!(told.status, status, "{path}");
        assert!(told.text.contains("suite"), "{path}: {}", told.text);
    }
}
