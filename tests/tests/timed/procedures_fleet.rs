//! A procedure on a fleet: local agents share one data set, an independent script computes every figure
//! of its runs from their logs, and a stopped procedure continues where it was.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome, Running};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::Bed;
use reelgauge_tests::needs::{Need, is_soak};
use reelgauge_tests::run_dir::{all_in, at, count, text};
use reelgauge_tests::{python, require};
use rustix::process::Signal;
use serde_json::Value;

/// Six runs of a fleet on a busy host.
const PATIENCE: Duration = Duration::from_secs(600);

/// The study, as short as can be, on so many load points.
const SHORT: [&str; 5] =
    ["--short", "--set=step=1s", "--set=warmup=200ms", "--set=file-size=4MiB", "--set=hang-after=60s"];

/// The arguments of a procedure on the agents of a bed.
fn words(bed: &Bed, name: &Path, target: &Path, flags: &[&str]) -> Vec<String> {
    let path = |path: &Path| path.display().to_string();
    let mut words = vec!["procedure".to_owned(), path(name), path(target)];
    words.extend(["--fleet".to_owned(), path(&bed.fleet.dir())]);
    words.extend(["--out".to_owned(), path(&bed.runs())]);
    words.extend(flags.iter().map(|&flag| flag.to_owned()));
    words
}

/// The directory that all agents measure.
fn together(bed: &Bed) -> PathBuf {
    let target = bed.fleet.root("nas").join("together");
    std::fs::create_dir_all(&target).unwrap();
    target
}

/// The study with its first steps only, as a user's file.
fn first_steps(bed: &Bed, steps: usize) -> PathBuf {
    let shown = binary::run(["procedure", "ebu-study", "--show"]).expect_code(0).stdout;
    let parts: Vec<&str> = shown.split("[[step]]").take(1 + steps).collect();
    assert_eq!(parts.len(), 1 + steps);
    let path = bed.path().join("study.toml");
    std::fs::write(&path, parts.join("[[step]]")).unwrap();
    path
}

fn only_procedure(runs: &Path) -> PathBuf {
    all_in(runs).into_iter().find(|dir| dir.join("procedure.json").exists()).expect("a procedure")
}

fn rows(printed: &Value) -> &Vec<Value> {
    at(printed, "rows").as_array().unwrap()
}

/// The script's result for the page and the CSV files of a procedure.
fn compared(procedure: &Path, folder: &Path, spoil: impl Fn(String) -> String) -> Value {
    let (page, csv) = (folder.join("study.html"), folder.join("csv"));
    let words = ["report".as_ref(), procedure.as_os_str(), "--html".as_ref(), page.as_os_str()];
    binary::run(words.into_iter().chain(["--csv".as_ref(), csv.as_os_str()])).expect_code(0);
    std::fs::write(&page, spoil(std::fs::read_to_string(&page).unwrap())).unwrap();
    python::script("study_figures.py", &[procedure, &page, &csv])
}

/// Replaces the first figure of this name in the page's data.
fn with_another(page: &str, name: &str) -> String {
    let (before, behind) = page.split_once(&format!("\"{name}\":")).expect("a figure of this name");
    let end = behind.find([',', '}']).unwrap();
    format!("{before}\"{name}\":{}{}", "123456789.5", &behind[end..])
}

#[track_caller]
fn every_figure_is_that_of_the_log(procedure: &Path, folder: &Path, runs: u64) {
    let found = compared(procedure, folder, |page| page);
    assert_eq!((count(&found, "runs"), at(&found, "differs")), (runs, &Value::Array(Vec::new())));
    let kinds = at(&found, "compared").as_object().unwrap();
    println!("{runs} runs, figures compared: {kinds:?}");
    let all: u64 = kinds.values().filter_map(Value::as_u64).sum();
    assert!(kinds.len() == 9 && all > 500 * runs, "{found}");
    for name in ["average_latency_ms", "read_bytes_per_s", "max_us"] {
        let spoilt = compared(procedure, folder, |page| with_another(&page, name));
        assert!(!at(&spoilt, "differs").as_array().unwrap().is_empty(), "{name} is not compared");
    }
}

/// Checks how each step's clients were spread over the agents, and which of them shared files.
fn plans_are_shared_out(procedure: &Path) {
    let plan = |name: &str| std::fs::read_to_string(procedure.join("plans").join(name)).unwrap();
    assert!(plan("01-load.toml").contains("shared_file = true"), "{}", plan("01-load.toml"));
    assert!(!plan("02-load.toml").contains("shared_file = true"), "{}", plan("02-load.toml"));
    for fleet in ["01-fleet.toml", "02-fleet.toml"] {
        assert!(plan(fleet).contains("data = \"shared\"") && plan(fleet).contains("place = \"share\""));
    }
}

#[test]
fn stopped_study_resumes_and_figures_match_the_log() {
    require!(Need::NatsServer, Need::Python);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "1s");
    let (study, target) = (first_steps(&bed, 2), together(&bed));
    let flags = [&SHORT[..], &["--set=ramp=1,3", "--json"]].concat();
    let mut running: Running = binary::start(words(&bed, &study, &target, &flags));
    let begun = |_: &mut Running| {
        let dir = all_in(&bed.runs()).into_iter().find(|dir| dir.join("procedure.json").exists());
        let text = dir.and_then(|dir| std::fs::read_to_string(dir.join("procedure.json")).ok());
        let record: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
        record.is_some_and(|record| rows(&record)[1]["state"] == "running")
    };
    running.until(PATIENCE, begun).unwrap_or_else(|| panic!("no second step\n{}", running.stderr()));
    running.signal(Signal::INT);
    let stopped = running.wait(PATIENCE).expect_code(130).json();
    assert_eq!(text(&rows(&stopped)[0], "state"), "done");
    let procedure = only_procedure(&bed.runs());
    let resume = ["procedure", "--resume", &procedure.display().to_string(), "--json"];
    let printed = binary::run(resume).expect_code(0).json();
    assert_eq!(text(&rows(&printed)[0], "run"), text(&rows(&stopped)[0], "run"));
    assert!(rows(&printed).iter().all(|row| row["state"] == "done"), "{printed:#}");
    plans_are_shared_out(&procedure);
    every_figure_is_that_of_the_log(&procedure, bed.path(), 2);
    clients_lie_on_both_agents(&procedure, &printed);
}

/// One client is on the first agent, three are on both. They use one file, or one each, which one agent
/// made.
fn clients_lie_on_both_agents(procedure: &Path, printed: &Value) {
    for (at_row, files) in [(0, 1), (1, 3)] {
        let run = procedure.join(text(&rows(printed)[at_row], "run"));
        let summary = reelgauge_tests::run_dir::summary(&run);
        assert_eq!(count(&summary, "data_set.files"), files, "{summary:#}");
        let busy = |point: usize| -> Vec<bool> {
            let hosts = at(&summary, &format!("hosts.points.{point}.hosts")).as_array().unwrap();
            hosts.iter().map(|host| count(host, "figures.ops") > 0).collect()
        };
        assert_eq!((busy(0), busy(1)), (vec![true, false], vec![true, true]));
        let deviations = at(&summary, "procedure.deviations").as_array().unwrap();
        let computers = deviations.iter().find(|one| one["setting"].is_null()).expect("computers");
        assert_eq!((text(computers, "paper"), text(computers, "here")), ("10", "2"));
        let screen = binary::run(["report".as_ref(), run.as_os_str()]).expect_code(0).words();
        assert!(screen.contains("2 computers (paper: 10)"), "{screen}");
    }
}

/// The whole study takes minutes.
#[test]
fn each_figure_of_the_whole_study_is_that_of_the_log() {
    if !is_soak() {
        return;
    }
    require!(Need::NatsServer, Need::Python);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "1s");
    let target = together(&bed);
    let flags = [&SHORT[..], &["--set=ramp=1,2,4", "--json"]].concat();
    let running = binary::start(words(&bed, Path::new("ebu-study"), &target, &flags));
    let printed = running.wait(PATIENCE).expect_code(0).json();
    assert_eq!(rows(&printed).len(), 6);
    every_figure_is_that_of_the_log(&only_procedure(&bed.runs()), bed.path(), 6);
}

#[test]
fn fleet_procedure_shows_agent_steps_and_refuses_impossible_ones() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "1s");
    let target = together(&bed);
    let run =
        |name: &str, flags: &[&str]| -> Outcome { binary::run(words(&bed, Path::new(name), &target, flags)) };
    let plan = run("ebu-study", &["--short", "--dry-run"]).expect_code(0).stdout;
    for part in [
        "Agents: a, b",
        "2 computers (paper: 10)",
        "a: 1, 1, 2, 2, 3, 3, 4, 4, 5, 5 clients",
        "b: 0, 1, 1, 2, 2, 3, 3, 4, 4, 5 clients",
        "42.9 GB",
    ] {
        assert!(plan.replace("\n", " ").contains(part), "{part}: {plan}");
    }
    for (name, flags, why) in [
        ("fill", &[][..], "'to 50 %'"),
        ("age", &[], "'age'"),
        ("cold-server", &["--set=server-memory=1GiB"], "'make the server cold'"),
        ("iometer", &[], " 2 agents"),
        ("ebu-study", &["--set=max-rate=5MB"], "--max-rate"),
        ("ebu-study", &["--set=direct=true"], "--direct"),
        ("ebu-study", &["--agents=c"], "fleet add c"),
        ("ebu-study", &["--max-rate=5MB"], "--fleet"),
    ] {
        let refused = run(name, flags).expect_code(2);
        assert!(refused.stderr.replace('\n', " ").contains(why), "{why}: {}", refused.said());
    }
    assert!(run("cold-server", &["--set=command=true", "--dry-run"]).expect_code(0).stdout.contains("true"));
    bed.kill_agent("b");
    let absent = run("ebu-study", &["--short"]).expect_code(2);
    assert!(absent.stderr.contains("b is "), "{}", absent.said());
    assert!(!bed.runs().exists() && !target.join("reelgauge-area").exists(), "nothing was touched");
}
