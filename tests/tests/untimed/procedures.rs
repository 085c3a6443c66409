//! Procedures: deviations from a paper's conditions are listed. A procedure that is stopped or killed
//! keeps its measurements, frees the space of its ballast, and can be resumed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::refusal;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{all_in, at, count, number, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use rustix::process::Signal;
use serde_json::Value;

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(90);

/// A procedure in its short variant, with these settings.
fn short(name: &str, target: &Path, settings: &[&str]) -> Verb {
    let verb = Verb::on("procedure", name).operand(target).operand("--short");
    settings.iter().fold(verb, |verb, setting| verb.operand("--set").operand(setting))
}

fn rows(record: &Value) -> &Vec<Value> {
    at(record, "rows").as_array().unwrap()
}

/// The directory of the only procedure among these results, while it runs.
fn procedure_in(runs: &Path) -> PathBuf {
    all_in(runs).into_iter().find(|dir| dir.join("procedure.json").exists()).unwrap()
}

fn record(runs: &Path) -> Value {
    let text = std::fs::read_to_string(procedure_in(runs).join("procedure.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_short_study_is_six_runs_and_lists_every_deviation() {
    let scratch = Scratch::new();
    let settings = ["step=200ms", "warmup=0s", "file-size=1MiB", "ramp=1..2"];
    let verb = short("ebu-study", &scratch.dir("target"), &settings).with(&["--storage", "make=Acme"]);
    let printed = verb.run().expect_code(0).json();
    assert_eq!((at(&printed, "complete"), rows(&printed).len()), (&Value::Bool(true), 6));
    let differs: Vec<String> = at(&printed, "deviations")
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let condition = at(one, "condition");
            let name = condition.as_str().unwrap_or_else(|| text(condition, "setting"));
            format!("{name}: {} for {}", text(one, "here"), text(one, "paper"))
        })
        .collect();
    let wanted = [
        "file-size: 1MiB for 100GB",
        "ramp: 1..2 for single-file",
        "step: 200ms for 1h",
        "ramp: 1..2 for multi-file",
        "computers: 1 for 10",
    ];
    assert_eq!(differs, wanted);
    let dir = procedure_in(verb.runs());
    for run in rows(&printed) {
        let notes = std::fs::read_to_string(dir.join(text(run, "run")).join("notes.json")).unwrap();
        let notes: Value = serde_json::from_str(&notes).unwrap();
        assert_eq!((text(&notes, "name"), text(&notes, "storage_make")), (text(run, "name"), "Acme"));
        assert!(text(&notes, "note").contains("--step 200ms (paper: 1h)"), "{notes}");
    }
    let (csv, page) = (scratch.path().join("csv"), scratch.path().join("study.html"));
    let words = ["report".as_ref(), dir.as_os_str(), "--csv".as_ref(), csv.as_os_str()];
    let report = binary::run(words.into_iter().chain(["--html".as_ref(), page.as_os_str()]));
    let screen = report.expect_code(0).words();
    assert!(screen.contains("1 computer (paper: 10)"), "{screen}");
    let table = std::fs::read_to_string(csv.join("procedure.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + 6 * 2, "{table}");
    assert!(csv.join(text(&rows(&printed)[0], "run")).join("paper-tables.csv").exists());
    let page = std::fs::read_to_string(page).unwrap();
    assert!(rows(&printed).iter().all(|run| page.contains(text(run, "name"))));
    let listed = binary::run(["list".as_ref(), verb.runs().as_os_str()]).expect_code(0).words();
    assert!(listed.contains("procedure of"), "{listed}");
}

#[test]
fn contradictory_input_is_refused_before_any_change() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    for (words, remedy) in [
        (&["opera"][..], "'reelgauge procedure'"),
        (&["cold-server"], "--set server-memory"),
        (&["iometer", "--set", "duration"], "KEY=VALUE"),
        (&["iometer", "--set", "lenght=1MiB"], "--lenght"),
        (&["age", "--set", "rounds=0"], "rounds = N"),
        (&["iometer", "--set", "in-flight=900"], "1 to 256"),
        (&["iometer", "--set", "step=1s"], "'--duration <TIME>'"),
    ] {
        let (name, flags) = words.split_first().unwrap();
        let mut all: Vec<std::ffi::OsString> = vec!["procedure".into(), name.into(), target.clone().into()];
        all.extend(flags.iter().map(std::ffi::OsString::from));
        refusal::refused(&all, &target, remedy);
    }
}

/// Waits until a step of this name has begun and, if it is a run, has a directory.
fn until_step(running: &mut Running, runs: &Path, name: &str) {
    let began = |_: &mut Running| {
        let dir = all_in(runs).into_iter().find(|dir| dir.join("procedure.json").exists());
        let text = dir.and_then(|dir| std::fs::read_to_string(dir.join("procedure.json")).ok());
        let record: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
        record.is_some_and(|record| {
            rows(&record).iter().any(|row| text_of(row, "name") == name && text_of(row, "state") == "running")
        })
    };
    running.until(LONG, began).unwrap_or_else(|| panic!("{name} never began\n{}", running.stderr()));
}

/// No space left on device.
const ENOSPC: i32 = 28;

fn text_of<'a>(json: &'a Value, path: &str) -> &'a str {
    at(json, path).as_str().unwrap_or_default()
}

#[test]
fn interrupted_fill_releases_space_and_resumes() {
    require!(Need::Root);
    let mount = TempMount::tmpfs(192);
    let ballast = mount.path().join("reelgauge-area/ballast");
    let settings = ["duration=500ms", "warmup=0s", "file-size=4MiB", "workers=1"];
    let verb = short("fill", mount.path(), &settings);
    let mut running = verb.start();
    until_step(&mut running, verb.runs(), "50 % full");
    assert!(ballast.exists());
    running.signal(Signal::INT);
    running.wait(LONG).expect_code(130);
    assert!(!ballast.exists());
    let stopped = record(verb.runs());
    assert_eq!(text(&rows(&stopped)[0], "state"), "done");
    assert_eq!(at(&stopped, "is_interrupted"), true);

    let dir = procedure_in(verb.runs());
    let resume = || Verb::on("procedure", "--resume").operand(&dir);
    let mut running = resume().start();
    until_step(&mut running, verb.runs(), "80 % full");
    running.signal(Signal::KILL);
    running.wait(LONG);
    assert!(ballast.exists(), "what a killed process left");
    // Its run ends with it, and the next run of any kind frees the space.
    let mix = Mix::on(mount.path()).with(&["--duration", "200ms"]);
    let next = Duration::from_secs(20);
    let mut waited = mix.start();
    waited.until(next, Running::has_ended).unwrap();
    if waited.wait(LONG).code != Some(0) {
        let _ = mix.run().expect_end();
    }
    assert!(!ballast.exists());

    let printed = resume().run().expect_code(0).json();
    assert!(!ballast.exists());
    let levels: Vec<f64> = rows(&printed)
        .iter()
        .filter(|row| text_of(row, "action.kind") == "fill")
        .map(|row| number(row, "fact.level_percent"))
        .collect();
    for (level, wanted) in levels.iter().zip([50.0, 80.0, 90.0, 95.0]) {
        assert!((level - wanted).abs() < 1.0, "{levels:?}");
    }
    assert!(rows(&printed).iter().all(|row| text(row, "state") == "done"), "{printed}");
    assert_eq!(at(&printed, "conclusion.percent_of_first").as_array().unwrap().len(), 5);
    // Earlier measurements were kept.
    assert_eq!(text(&rows(&printed)[0], "run"), text(&rows(&stopped)[0], "run"));
}

#[test]
fn a_volume_that_is_full_before_its_level_is_reported_and_emptied() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let store = Faulty::mount();
    let scratch = Scratch::new();
    let plan = scratch.path().join("full.toml");
    let steps = "about = \"full\"\n[[step]]\nname = \"fill\"\nfill = 99\n[[step]]\nname = \"run\"\nrun = \"mix\"\n\
                 set = { file-size = \"1MiB\" }\n";
    std::fs::write(&plan, steps).unwrap();
    store.faults().after(20);
    store.faults().fail_writes(ENOSPC);
    let ended = Verb::on("procedure", &plan).operand(store.path()).run().expect_code(3);
    let printed = ended.json();
    assert!(text(&printed, "ended_early").contains("quota"), "{printed}");
    assert!(!store.path().join("reelgauge-area/ballast").exists());
}

#[test]
fn ballast_that_does_not_fit_is_refused_before_the_start_and_by_the_dry_run() {
    require!(Need::Root);
    let volume = TempMount::tmpfs(64);
    let words = ["procedure", "cold-server", "--short", "--set=file-size=1MiB", "--set=server-memory=64MiB"];
    let words = words.into_iter().chain(["--keep-free=8MiB"]).map(std::ffi::OsString::from);
    let words: Vec<std::ffi::OsString> = words.chain([volume.path().into()]).collect();
    let why = "83.9 MB";
    refusal::refused(&words, volume.path(), why);
    let as_json = words.iter().cloned().chain(["--dry-run".into(), "--json".into()]);
    let plan = binary::start(as_json.collect::<Vec<_>>()).wait(LONG).json();
    assert!(text(&plan, "refused").contains(why), "{plan}");
    assert_eq!(at(&plan, "steps").as_array().unwrap().len(), 3);
    let dry_run = words.into_iter().chain(["--dry-run".into()]);
    let planned = binary::start(dry_run.collect::<Vec<_>>()).wait(LONG);
    assert_eq!(planned.code, Some(2));
    assert!(
        planned.words().contains("Action: write 83.9 MB") && planned.stderr.contains(why),
        "{}",
        planned.said()
    );
}

#[test]
fn ageing_makes_edits_and_deletes_files_and_new_ones_are_written_and_read_in_between() {
    require!(Need::Root, Need::FileSystem("ext4"));
    let mount = TempMount::image(ImageKind::Ext4, 160);
    let settings = ["rounds=2", "age=1s", "duration=300ms", "file-size=2MiB"];
    let printed = short("age", mount.path(), &settings).run().expect_code(0).json();
    let aged: Vec<&Value> = rows(&printed)
        .iter()
        .filter(|row| text_of(row, "action.kind") == "age")
        .map(|row| at(row, "fact"))
        .collect();
    assert_eq!(aged.len(), 2);
    for fact in &aged {
        assert!(count(fact, "made") > 0 && count(fact, "written_bytes") > 0, "{fact}");
        assert!(count(fact, "extents") >= count(fact, "counted_files"), "{fact}");
    }
    assert_eq!(at(&printed, "conclusion.trends").as_array().unwrap().len(), 2, "{printed}");
    assert!(!mount.path().join("reelgauge-area/ballast").exists());
}

/// The number of extents that ageing reports equals that of `filefrag` for the same files.
#[test]
fn extents_of_aged_files_are_those_that_the_file_system_has() {
    require!(Need::Root, Need::FileSystem("ext4"), Need::Tool("filefrag"));
    let (mount, scratch) = (TempMount::image(ImageKind::Ext4, 160), Scratch::new());
    let (plan, counted) = (scratch.path().join("aged.toml"), scratch.path().join("counted"));
    let ballast = mount.path().join("reelgauge-area/ballast");
    let steps = format!(
        "about = \"aged\"\n[[step]]\nname = \"age\"\nage = \"1s\"\n[[step]]\nname = \"count\"\ncool = true\n\
         set = {{ command = \"filefrag {}/* > {}\" }}\n[[step]]\nname = \"run\"\nrun = \"mix\"\n\
         set = {{ duration = \"200ms\", warmup = \"0s\", file-size = \"2MiB\", workers = 1 }}\n",
        ballast.display(),
        counted.display()
    );
    std::fs::write(&plan, steps).unwrap();
    let printed = Verb::on("procedure", &plan).operand(mount.path()).run().expect_code(0).json();
    let aged = at(&rows(&printed)[0], "fact");
    // `/mnt/.../age-000001: 3 extents found`
    let counted = std::fs::read_to_string(&counted).unwrap();
    let found: Vec<u64> = counted
        .lines()
        .map(|line| line.rsplit(": ").next().unwrap().split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert!(found.len() <= 200, "more files than are counted: {}", found.len());
    assert_eq!(count(aged, "counted_files"), found.len() as u64);
    assert_eq!(count(aged, "extents"), found.iter().sum::<u64>(), "{counted}");
}

#[test]
fn new_files_are_made_where_others_are_written_over() {
    let scratch = Scratch::new();
    let settings = ["duration=500ms", "warmup=0s", "file-size=2MiB", "length=2MiB", "workers=1"];
    let verb = short("create-vs-overwrite", &scratch.dir("target"), &settings);
    let printed = verb.run().expect_code(0).json();
    assert!(number(&printed, "conclusion.ratio") > 0.0);
    let dir = procedure_in(verb.runs());
    let made = |at_row: usize| {
        let summary = reelgauge_tests::run_dir::summary(&dir.join(text(&rows(&printed)[at_row], "run")));
        let by_kind = at(&summary, "load_points.0.total.ops_by_kind").clone();
        (count(&by_kind, "create"), count(&by_kind, "open"))
    };
    assert_eq!((made(0).0, made(1).1), (0, 0));
    assert!(made(0).1 > 0 && made(1).0 > 0);
}

fn is_running(command: &str) -> bool {
    let found = std::process::Command::new("pgrep").args(["-f", &format!("^{command}$")]).output().unwrap();
    !found.stdout.is_empty()
}

#[test]
fn the_command_that_makes_a_server_cold_ends_with_a_procedure_that_is_killed() {
    require!(Need::Tool("pgrep"));
    let (scratch, command) = (Scratch::new(), format!("sleep 71{}.5", std::process::id()));
    let cold = format!("command={command}");
    let verb = short("cold-server", &scratch.dir("target"), &["file-size=1MiB", &cold]);
    let mut running = verb.start();
    running.until(LONG, |_| is_running(&command)).unwrap();
    running.signal(Signal::KILL);
    running.wait(LONG);
    let killed = Instant::now();
    while is_running(&command) {
        assert!(killed.elapsed() < Duration::from_secs(20), "{command} goes on");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn refused_run_is_reported_once_and_invalid_names_are_listed() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let plan = scratch.path().join("plan.toml");
    let step = |name: &str, run: &str| {
        let text = format!("about = \"x\"\n[[step]]\nname = \"{name}\"\nrun = \"{run}\"\n");
        std::fs::write(&plan, text).unwrap();
    };
    let words = || ["procedure".into(), plan.clone().into_os_string(), target.clone().into_os_string()];
    let long = "x".repeat(5000);
    for (name, run, remedy) in [
        ("", "mix", "1 to 80 characters"),
        (long.as_str(), "mix", "1 to 80 characters"),
        ("plan", "run", "<PLAN> is missing"),
        ("tidy", "clean", "check, mix"),
        ("typo", "mix --nosuch", "'--nosuch'"),
    ] {
        step(name, run);
        refusal::refused(&words(), &target, remedy);
    }
    let folder = scratch.dir("folder");
    let resume = ["procedure".into(), "--resume".into(), folder.into_os_string()];
    refusal::refused(&resume, &target, "procedure");
}

#[test]
fn files_of_a_dry_run_are_written_once_and_a_bound_is_no_planned_time() {
    let scratch = Scratch::new();
    let settings = ["file-size=16MiB", "command=true"];
    let cold = short("cold-server", &scratch.dir("target"), &settings).with(&["--dry-run"]);
    let plan = cold.run_plain().expect_code(0).stdout;
    assert_eq!(plan.matches("67.1 MB").count(), 1, "{plan}");
    assert!(plan.contains("\nTime: 1 s, plus"), "{plan}");
    assert!(plan.contains("Takes: ") && plan.contains(" 24 h"), "{plan}");
}

#[test]
fn recorders_are_skipped_on_a_full_volume() {
    require!(Need::Root);
    let mount = TempMount::tmpfs(560);
    let settings = [
        "actor=recorder",
        "format=xdcam-hd422-50-1080i-25",
        "clip=1s",
        "criteria=errors=0",
        "time-max=15s",
        "duration=1s",
        "warmup=0s",
        "file-size=4MiB",
    ];
    let verb = short("worst-night", mount.path(), &settings).with(&["--keep-free", "8MiB"]);
    // One recorder needs 44 MB of the 58 MB that are left, and the search finds more than one.
    let printed = verb.run().expect_code(0).json();
    let states = at(&printed, "conclusion.states").as_array().unwrap();
    let full = states.iter().find(|state| text(state, "name") == "90 % full").unwrap();
    assert_eq!(text(full, "found.remedy.kind"), "room", "{printed:#}");
    assert!(count(full, "found.remedy.needed_bytes") > count(full, "found.remedy.left_bytes"));
    let fill = rows(&printed).iter().find(|row| text(row, "name") == "to 90 %").unwrap();
    assert_eq!((text(fill, "state"), at(fill, "fact")), ("not_tried", &Value::Null));
}

/// A worst night of one small stream: a steady run instead of the search.
fn worst_night(target: &Path, more: &[&str]) -> Verb {
    let settings = [
        "count=1",
        "format=xdcam-hd422-50-1080i-25",
        "clip=1s",
        "duration=3s",
        "warmup=0s",
        "file-size=8MiB",
        "command=true",
    ];
    more.iter().fold(short("worst-night", target, &settings), |verb, word| verb.operand(word))
}

#[test]
fn worst_night_has_a_row_for_every_state_and_lists_untried_ones() {
    require!(Need::Root);
    let mount = TempMount::tmpfs(192);
    let verb = worst_night(mount.path(), &["--event", "rebuild: echo begun; sleep 0.2"]);
    let printed = verb.run().expect_code(0).json();
    let states = at(&printed, "conclusion.states").as_array().unwrap();
    let kinds: Vec<(&str, &str)> =
        states.iter().map(|state| (text(state, "name"), text(state, "found.kind"))).collect();
    let expected = [
        ("healthy", "steady"),
        ("server cold", "steady"),
        ("90 % full", "steady"),
        ("during a backup", "steady"),
        ("during a rebuild", "steady"),
        ("through a failover", "not_tried"),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(text(&states[4], "found.event.kind"), "exit");
    assert_eq!(count(&states[0], "found.played"), 1);
    assert!(!mount.path().join("reelgauge-area/ballast").exists());
    let dir = procedure_in(verb.runs());
    let rebuild = rows(&printed).iter().find(|row| text(row, "name") == "during a rebuild").unwrap();
    let output = dir.join(text(rebuild, "run")).join("event-rebuild.log");
    assert_eq!(std::fs::read_to_string(output).unwrap(), "begun\n");
    let kept = std::fs::read_to_string(dir.join("procedure.json")).unwrap();
    assert!(kept.contains("conclusion") && !kept.contains("begun"), "{kept}");
    let csv = Scratch::new();
    let words = ["report".as_ref(), dir.as_os_str(), "--csv".as_ref(), csv.path().as_os_str()];
    let screen = binary::run(words).expect_code(0).stdout;
    // A unit test of the report has the words; this width breaks them.
    assert!(screen.contains("not tried: "), "{screen}");
    assert!(screen.contains("unknown (the run"), "a run that ends 2 s after its event: {screen}");
    assert!(binary::too_wide(&screen, 100).is_empty(), "{screen}");
    let table = std::fs::read_to_string(csv.path().join("states.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + 6, "{table}");
}

#[test]
fn worst_night_plan_contains_no_command() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let words = ["--dry-run", "--event", "rebuild: echo x"];
    let plan = worst_night(&target, &words).run_plain().expect_code(0).words();
    assert!(plan.contains("--event=rebuild: echo x"), "{plan}");
    assert!(plan.contains("--event 'failover: COMMAND'"), "{plan}");
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0);
    let unknown = ["procedure", "worst-night"].map(std::ffi::OsString::from).into_iter();
    let unknown: Vec<_> =
        unknown.chain([target.clone().into(), "--event".into(), "flood: x".into()]).collect();
    refusal::refused(&unknown, &target, "rebuild, balance, failover");
}
