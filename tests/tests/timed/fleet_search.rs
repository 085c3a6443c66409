//! The largest count of streams that all agents sustain together, on a store whose bandwidth the test
//! sets. The found count must be the computed one. Also load points with fewer workers than agents.

use std::path::Path;

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::fleet::Fleet;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE, counted, until_said};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, only_in, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::{SMALL, found_within};
use rustix::process::Signal;
use serde_json::Value;

/// Agents, each with a folder on one store, and a fleet's plan for them.
struct Studio {
    agents: Vec<Running>,
    fleet: Fleet,
    scratch: Scratch,
    store: Faulty,
}

impl Studio {
    /// With these agents, and a store that sustains half a stream more than this count.
    fn new(names: &[&str], carries: u64) -> Studio {
        let (store, scratch, fleet) = (Faulty::mount(), Scratch::new(), Fleet::start(names));
        let mut studio = Studio { agents: Vec::new(), fleet, scratch, store };
        names.iter().for_each(|name| studio.start_agent(name));
        studio.store.faults().limit_bytes_per_s(SMALL.bytes_per_s() * (2 * carries + 1) / 2);
        studio
    }

    fn start_agent(&mut self, name: &str) {
        std::fs::create_dir_all(self.store.path().join(name)).unwrap();
        let keep = self.scratch.path().join("kept").join(name).display().to_string();
        self.agents.push(self.fleet.agent(name, &self.store.path(), &["--keep", &keep]));
    }

    /// Searches between these counts. Buffers are short, so that one stream too many is late within a trial.
    fn search(&self, start: u32, cap: u32, confirm: &str) -> Running {
        let plan = format!(
            "plan_version = 1\nname = 'players'\nwarmup = '500ms'\nduration = '2s'\n\
             find_max = {{ start = {start}, cap = {cap}, repeats = 1, confirm = '{confirm}' }}\n\n\
             [[actor]]\nkind = 'player'\nformat = '{}'\nclip = '1s'\nbuffer = '3frames'\n",
            SMALL.id
        );
        std::fs::write(self.scratch.path().join("players.toml"), plan).unwrap();
        let target = self.store.path().join("{agent}").display().to_string();
        let group = format!("[[group]]\nplan = 'players.toml'\ntargets = ['{target}']\nplace = 'share'\n");
        let path = self.scratch.path().join("fleet.toml");
        std::fs::write(&path, group).unwrap();
        self.ask(&["run", &path.display().to_string()])
    }

    /// Starts the controller; it prints JSON.
    fn ask(&self, words: &[&str]) -> Running {
        let dirs = [self.fleet.dir(), self.runs()].map(|dir| dir.display().to_string());
        let flags = ["--json", "--fleet", &dirs[0], "--out", &dirs[1]];
        binary::start(["fleet"].iter().chain(words).copied().chain(flags))
    }

    fn runs(&self) -> std::path::PathBuf {
        self.scratch.path().join("runs")
    }
}

/// The state of a host in a load point.
fn presence(summary: &Value, point: usize, host: usize) -> &str {
    text(summary, &format!("hosts.points.{point}.hosts.{host}.presence"))
}

/// Every load point is a trial that was shared out, one host first. Checks its count, and that exactly
/// the hosts without a share were idle.
#[track_caller]
fn is_shared_out(summary: &Value, agents: u64) {
    for (number, point) in at(summary, "load_points").as_array().unwrap().iter().enumerate() {
        let streams = count(point, "stream_count");
        let hosts = at(summary, &format!("hosts.points.{number}.hosts")).as_array().unwrap();
        for (at_host, host) in (0..).zip(hosts) {
            let share = streams / agents + u64::from(at_host < streams % agents);
            assert_eq!(count(host, "figures.workers"), share, "{streams} streams: {host:#}");
            let is_idle = text(host, "presence") == "idle";
            assert_eq!(is_idle, share == 0, "{host:#}");
            assert_eq!(at(host, "figures.bytes_per_s").is_null(), share == 0, "{host:#}");
        }
    }
}

#[test]
fn search_finds_the_count_of_all_agents() {
    require!(Need::NatsServer);
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let studio = Studio::new(&["a", "b", "c"], 3);
    let summary = studio.search(2, 4, "4s").wait(2 * PATIENCE).expect_code(0).json();
    let plan = studio.scratch.path().join("fleet.toml").display().to_string();
    let ahead = studio.ask(&["run", &plan, "--dry-run"]).wait(PATIENCE).expect_code(0).words();
    assert!(ahead.contains("c: ") && ahead.contains(" 4 on "), "{ahead}");
    found_within(&summary, 3, 3);
    assert!(at(&summary, "search.complete").as_bool().unwrap(), "{:#}", at(&summary, "search"));
    assert!(text(&summary, "search.what").starts_with("players of"), "{:#}", at(&summary, "search"));
    is_shared_out(&summary, 3);
    assert_eq!(presence(&summary, 0, 2), "idle", "two streams are nothing for the third");
    // A count that passed was played by all hosts, in the load points as in the answer.
    for point in at(&summary, "load_points").as_array().unwrap() {
        let passed = at(point, "verdict.passed").as_bool().unwrap();
        assert_eq!(passed, count(point, "stream_count") <= 3, "{point:#}");
    }
    // The page and the screen show the same.
    let run = only_in(&studio.runs());
    let said = |path: &Path| std::fs::read_to_string(path).unwrap();
    let shown = binary::run(["report".as_ref(), run.as_os_str()]).expect_code(0).words();
    let answer = text(&summary, "search.answer_sentence");
    assert!(said(&run.join("report.html")).contains(answer), "{answer}");
    assert!(shown.contains("3 players") && shown.contains("idle") == presence_is_told(&shown), "{shown}");
}

/// Whether the table of hosts mentions a load point with idle hosts.
fn presence_is_told(shown: &str) -> bool {
    shown.contains("Hosts at 2 players") || shown.contains("Hosts at 1 player")
}

#[test]
fn missing_agent_ends_the_search_with_the_common_count() {
    require!(Need::NatsServer);
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let mut studio = Studio::new(&["a", "b"], 20);
    let mut run = studio.search(2, 16, "0s");
    // Two passed; four are tried.
    until_said(&mut run, "4 players (2 players passed), load point 2, ");
    studio.agents[1].signal(Signal::KILL);
    let outcome = run.wait(2 * PATIENCE).expect_code(3);
    assert!(at(&outcome.json(), "hosts.hosts.1.missing_from_s").is_number(), "{}", outcome.stdout);
    let found = |summary: &Value| {
        let search = at(summary, "search");
        assert!(!text(search, "answer_sentence").contains("interrupted"), "{search:#}");
        let tried = at(search, "trials").as_array().unwrap();
        assert!(tried.iter().all(|trial| count(trial, "streams") <= 2), "{search:#}");
        (count(search, "streams"), at(search, "complete").as_bool().unwrap())
    };
    // b's part of the passed trial is missing, so no count is claimed.
    assert_eq!(found(&outcome.json()), (0, false));
    studio.start_agent("b");
    let fetched = studio.ask(&["logs"]).wait(2 * PATIENCE).expect_code(3).json();
    assert_eq!(found(&fetched), (2, false));
}

#[test]
fn agent_without_workers_is_idle_not_missing() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::ramp(&["a", "b", "c"], "1..3", "500ms");
    bed.plan("place = \"share\"\n");
    let outcome = bed.run().wait(PATIENCE).expect_code(0);
    let summary = outcome.json();
    counted(&only_in(&bed.runs()), &summary);
    let of_point = |point: usize| [0, 1, 2].map(|host| presence(&summary, point, host).to_owned());
    assert_eq!(of_point(0), ["whole", "idle", "idle"]);
    assert_eq!(of_point(1), ["whole", "whole", "idle"]);
    assert_eq!(of_point(2), ["whole"; 3]);
    let workers = |point: usize| count(&summary, &format!("load_points.{point}.workers"));
    assert_eq!([0, 1, 2].map(workers), [1, 2, 3]);
    let total = |point: usize| count(&summary, &format!("hosts.points.{point}.total.hosts"));
    assert_eq!([0, 1, 2].map(total), [1, 2, 3]);
    for (point, host) in [(0, 1), (0, 2), (1, 2)] {
        let row = at(&summary, &format!("hosts.points.{point}.hosts.{host}"));
        assert!(at(row, "figures.bytes_per_s").is_null() && at(row, "start_skew_us").is_null(), "{row:#}");
        assert!(at(row, "stands_out").is_null(), "{row:#}");
    }
    assert!((0..3).all(|host| at(&summary, &format!("hosts.hosts.{host}.why_missing")).is_null()));
    assert_eq!(text(&summary, "outcome"), "complete");
}

#[test]
fn a_curve_is_shared_out_and_its_points_are_of_all_together() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let (fleet, scratch) = (Fleet::start(&["a", "b"]), Scratch::new());
    let nas = fleet.root("nas");
    let agent = |name: &&str| {
        std::fs::create_dir_all(nas.join(name)).unwrap();
        fleet.agent(name, &nas, &["--keep", &scratch.path().join(name).display().to_string()])
    };
    let _agents: Vec<Running> = ["a", "b"].iter().map(agent).collect();
    let actor = |kind: &str| format!("[[actor]]\nkind = '{kind}'\nfiles = 2\nfile_size = '4MiB'\n");
    let plan = format!(
        "plan_version = 1\nname = 'vda-like'\nwarmup = '500ms'\nduration = '2s'\ndirect = false\n\
         scale = '1,3'\n\n{}{}",
        actor("camera"),
        actor("companion")
    );
    std::fs::write(scratch.path().join("vda.toml"), plan).unwrap();
    let target = nas.join("{agent}").display().to_string();
    let group = format!("[[group]]\nplan = 'vda.toml'\ntargets = ['{target}']\nplace = 'share'\n");
    let path = scratch.path().join("fleet.toml");
    std::fs::write(&path, group).unwrap();
    let [path, dir, out] =
        [path, fleet.dir(), scratch.path().join("runs")].map(|dir| dir.display().to_string());
    let run = binary::start(["fleet", "run", &path, "--json", "--fleet", &dir, "--out", &out]);
    let outcome = run.wait(PATIENCE);
    let summary = outcome.json();
    assert_eq!(text(&summary, "outcome"), "complete", "{}", outcome.stderr);
    assert_eq!(presence(&summary, 0, 1), "idle");
    let points = at(&summary, "vda.points").as_array().unwrap();
    assert_eq!(points.len(), 2);
    for (point, streams) in [(0, 1_u64), (1, 3)] {
        let on_curve = at(&summary, &format!("vda.points.{point}"));
        assert_eq!(count(on_curve, "streams"), streams);
        // A camera requests nine a second, its companion one.
        assert!(
            (number(on_curve, "requested_ops_per_s") - 10.0 * streams as f64).abs() < 1e-9,
            "{on_curve:#}"
        );
        let rates = at(&summary, &format!("load_points.{point}.rates")).as_array().unwrap();
        let workers: std::collections::BTreeSet<u64> =
            rates.iter().map(|rate| count(rate, "worker")).collect();
        assert_eq!((rates.len() as u64, workers.len() as u64), (2 * streams, 2 * streams), "each is its own");
        let achieved: f64 = rates.iter().map(|rate| number(rate, "achieved_ops_per_s")).sum();
        assert!((number(on_curve, "achieved_ops_per_s") - achieved).abs() < 0.01, "{on_curve:#}");
        assert!(number(on_curve, "mean_response_ms") > 0.0, "{on_curve:#}");
        // Judged on the rates of all: the curve and the verdict can't differ.
        let passed = at(&summary, &format!("load_points.{point}.verdict.passed"));
        assert_eq!(passed, at(on_curve, "valid"), "{on_curve:#}");
    }
    let all_valid = points.iter().all(|point| at(point, "valid").as_bool().unwrap());
    let is_met = at(&summary, "statement.judgement") == "met";
    assert_eq!(outcome.code, Some(i32::from(!is_met)), "{}", outcome.stderr);
    assert!(all_valid || !is_met, "{}", outcome.stderr);
    assert!(!all_valid || at(&summary, "vda.overall_response_time_ms").is_number(), "{summary:#}");
}
