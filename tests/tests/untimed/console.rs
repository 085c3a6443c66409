//! The live console through HTTP: runs started from a form, watched, stopped, noted and deleted; and
//! refused requests.

use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use reelgauge_tests::binary::{self, Running, flowing};
use reelgauge_tests::console::{Console, until};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::summary;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::tree::tree;
use rustix::process::Signal;
use serde_json::{Value, json};

/// A small mix on this target.
fn mix(target: &Path, duration: &str) -> Value {
    json!({"path": target, "files": "2", "file-size": "16MiB", "length": "256KiB", "blocks": "64KiB",
        "workers": "2", "max-delay": "5ms", "warmup": "200ms", "duration": duration, "buffered": "true"})
}

fn names(events: &[Value]) -> Vec<&str> {
    let mut names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    names.dedup();
    names
}

/// Checks that promtool accepts the metrics.
#[track_caller]
fn promtool_accepts(text: &str) {
    let mut promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    promtool.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success() && said.is_empty(), "{}\n{text}", String::from_utf8_lossy(&said));
}

#[test]
fn a_run_from_the_form_to_its_end_watched_by_several() {
    require!(Need::Root, Need::Tool("promtool"));
    let (mount, runs) = (TempMount::tmpfs(256), Scratch::new());
    let console = Console::start(mount.path(), runs.path());
    let id = console.start_run("mix", &mix(mount.path(), "4s"));
    let path = format!("/api/runs/{id}/live");
    let (one, other) = (console.client.events(&path), console.client.events(&path));
    // A third client connects and leaves.
    assert_eq!(console.client.events(&path).take(2).count(), 2);
    assert_eq!(console.entry(&id).unwrap()["state"], "running");
    console.client.change("DELETE", &format!("/api/runs/{id}"), "").expect(409);
    console.client.get(&format!("/api/runs/{id}/page")).expect(409);
    promtool_accepts(&console.client.get("/metrics").expect(200).body);
    let watched = std::thread::spawn(move || other.collect::<Vec<_>>());
    let events: Vec<Value> = one.collect();
    assert_eq!(watched.join().unwrap(), events);
    assert_eq!(names(&events), ["begin", "phase", "prepared", "phase", "live", "phase", "end"]);
    // One per second, and fewer if other programs keep the processors busy.
    assert!(events.iter().filter(|event| event["event"] == "live").count() >= 2);
    assert_eq!(
        (&events[0]["verb"], events.last().unwrap()["outcome"].as_str()),
        (&json!("mix"), Some("complete"))
    );
    // A later client receives the same events.
    assert_eq!(console.client.events(&path).collect::<Vec<_>>(), events);
    until("the list knows that it ended", || console.entry(&id).unwrap()["state"] == "complete");
    let entry = console.entry(&id).unwrap();
    assert!(
        entry["sentence"].as_str().unwrap().contains("MB/s") && entry["bytes_on_disk"].as_u64() > Some(1000)
    );
    let page = console.client.get(&format!("/api/runs/{id}/page")).expect(200).json();
    assert_eq!(page["runs"][0]["summary"], summary(&runs.path().join(&id)));
    assert!(page["runs"][0]["detail"]["ops"].as_u64() > Some(0));
    let ops = console.client.get(&format!("/api/runs/{id}/ops?top=7&sort=service")).expect(200).json();
    assert_eq!(ops["kind"].as_array().unwrap().len(), 7);
    let map = console.client.get(&format!("/api/runs/{id}/map?file=0&columns=9&rows=9")).expect(200).json();
    assert!(map["time_bins"].as_u64() <= Some(9) && !map["cells"].as_array().unwrap().is_empty());
    let metrics = console.client.get("/metrics").expect(200).body;
    promtool_accepts(&metrics);
    assert!(metrics.contains(&format!("reelgauge_elapsed_seconds{{run=\"{id}\"}} ")), "{metrics}");
    console.client.change("DELETE", &format!("/api/runs/{id}"), "").expect(204);
    assert!(console.entry(&id).is_none() && !runs.path().join(&id).exists());
}

#[test]
fn stopped_run_keeps_its_results() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let target = scratch.dir("target");
    let console = Console::start(scratch.path(), runs.path());
    let id = console.start_run("mix", &mix(&target, "10m"));
    let mut events = console.client.events(&format!("/api/runs/{id}/live"));
    assert!(events.any(|event| event["event"] == "live" && event["elapsed_s"].as_f64() > Some(1.0)));
    for _ in 0..2 {
        console.client.change("POST", &format!("/api/runs/{id}/stop"), "").expect(202);
    }
    let end = events.last().unwrap();
    assert_eq!((end["event"].as_str(), end["outcome"].as_str()), (Some("end"), Some("interrupted")));
    until("it has ended", || console.entry(&id).unwrap()["state"] == "interrupted");
    assert!(summary(&runs.path().join(&id))["load_points"][0]["total"]["ops"].as_u64() > Some(0));
    console.client.change("POST", &format!("/api/runs/{id}/stop"), "").expect(409);
}

/// Two runs of a procedure, each of this duration.
fn procedure(target: &Path, duration: &str) -> Value {
    let settings = format!("duration={duration}\nwarmup=0s\nfile-size=2MiB\nlength=2MiB\nworkers=1");
    json!({"name": "create-vs-overwrite", "path": target, "short": "true", "set": settings})
}

#[test]
fn a_procedure_shows_its_plan_is_started_from_the_form_and_has_one_report() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let target = scratch.dir("target");
    let console = Console::start(scratch.path(), runs.path());
    let choices = console.client.get("/api/choices").expect(200).json();
    let listed = choices["procedures"].as_array().unwrap();
    assert!(listed.iter().any(|one| one["name"] == "ebu-study" && one["about"] != ""), "{choices}");
    let body = json!({"verb": "procedure", "values": procedure(&target, "300ms")}).to_string();
    let ahead = console.client.change("POST", "/api/ahead", &body).expect(200).json();
    let plan = ahead["plan"].as_str().unwrap_or_else(|| panic!("{ahead}"));
    let flowing = flowing(plan);
    assert!(flowing.contains("1. Overwrite Command: reelgauge") && plan.contains("2. Create"), "{plan}");
    assert!(ahead["takes"].as_str().unwrap().starts_with("Takes "), "{ahead}");

    let id = console.start_run("procedure", &procedure(&target, "300ms"));
    until("it has ended", || console.entry(&id).is_some_and(|entry| entry["state"] == "complete"));
    let entry = console.entry(&id).unwrap();
    assert_eq!((&entry["verb"], &entry["label"]), (&json!("procedure"), &json!("create-vs-overwrite")));
    let page = console.client.get(&format!("/api/runs/{id}/procedure")).expect(200).json();
    assert!(page["text"].as_str().unwrap().replace('\n', " ").contains("times the rate"), "{page}");
    let steps = page["steps"].as_array().unwrap();
    assert!(steps.len() == 2 && steps.iter().all(|step| step["state"] == "done"), "{page}");
    let runs: Vec<&str> = steps.iter().map(|step| step["run"].as_str().unwrap()).collect();
    assert!(runs.iter().all(|run| console.entry(run).unwrap()["suite"] == id.as_str()), "{page}");
    let report = format!("/api/compare?run={}&run={}", runs[0], runs[1]);
    let report = console.client.get(&report).expect(200).json();
    assert_eq!(report["runs"][1]["summary"]["procedure"]["step"], "create");
    console.client.change("DELETE", &format!("/api/runs/{id}"), "").expect(204);
    assert!(console.entry(&id).is_none());
}

#[test]
fn a_procedure_is_stopped_from_its_page_and_takes_no_command_from_a_browser() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let target = scratch.dir("target");
    let console = Console::start(scratch.path(), runs.path());
    let marker = scratch.path().join("was-run");
    for (name, settings, field) in [
        ("cold-server", format!("command=touch {}", marker.display()), "set"),
        ("iometer", "read-from=/etc".to_owned(), "set"),
        ("iometer", "out=/tmp".to_owned(), "set"),
        ("iometer", "lenght=1MiB".to_owned(), "set"),
        ("../mine.toml", String::new(), "name"),
        ("", String::new(), "name"),
    ] {
        let values = json!({"name": name, "path": target, "set": settings});
        let answer = console.ask_to_start("procedure", &values);
        assert_eq!((&answer["id"], answer["field"].as_str()), (&Value::Null, Some(field)), "{answer}");
    }
    let id = console.start_run("procedure", &procedure(&target, "10m"));
    assert_eq!(console.entry(&id).unwrap()["state"], "running");
    until("its first run goes on", || {
        let page = console.client.get(&format!("/api/runs/{id}/procedure")).expect(200).json();
        page["steps"][0]["state"] == "running"
    });
    console.client.change("POST", &format!("/api/runs/{id}/stop"), "").expect(202);
    until("it has ended", || console.entry(&id).unwrap()["state"] == "interrupted");
    console.client.change("POST", &format!("/api/runs/{id}/stop"), "").expect(409);
    assert!(!marker.exists());
}

#[test]
fn neither_the_console_nor_its_terminal_takes_a_run_with_it() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let target = scratch.dir("target");
    let mut console = Console::start(scratch.path(), runs.path());
    let id = console.start_run("mix", &mix(&target, "5s"));
    let mut events = console.client.events(&format!("/api/runs/{id}/live"));
    let begin = events.next().unwrap();
    // A separate session, so that signals to a terminal's session don't reach it.
    let session = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        stat.rsplit_once(") ").unwrap().1.split(' ').nth(3).unwrap().to_owned()
    };
    let pid = begin["pid"].to_string();
    assert_ne!(session(&pid), session(&console.running.pid().to_string()));
    console.running.signal(Signal::INT);
    assert!(console.running.until(Duration::from_secs(10), Running::has_ended).is_some());
    let events = runs.path().join(&id).join("live.jsonl");
    until("the run has ended", || {
        std::fs::read_to_string(&events).unwrap().contains(r#""outcome":"complete""#)
    });
}

#[test]
fn a_wrong_value_is_refused_at_its_field() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let target = scratch.dir("target").canonicalize().unwrap();
    let console = Console::start(scratch.path(), runs.path());
    for (field, value) in [
        ("file-size", "many"),
        ("workers", "0"),
        ("duration", "-5s"),
        ("profile", "no such"),
        ("blocks", "--help"),
        ("sweep", "random=0..100 step 0; reboot"),
    ] {
        let answer = console.ask_to_start("mix", &json!({"path": target, field: value}));
        let said = answer["error"].as_str().unwrap_or_default();
        assert!(answer["id"].is_null() && !said.is_empty() && !said.contains("Usage"), "{field}: {answer}");
        // The field is known only if a single value has a wrong format.
        if field != "workers" {
            assert_eq!(answer["field"], field, "{answer}");
            assert!(!said.contains(&format!("--{field}")), "{answer}");
        }
    }
    let answer = console.ask_to_start("mix", &json!({"path": target.join("missing")}));
    assert!(answer["error"].as_str().unwrap().contains("missing"), "{answer}");
    assert_eq!(std::fs::read_dir(runs.path()).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0);
}

#[test]
fn console_changes_nothing_outside_its_folders() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let top = scratch.path().canonicalize().unwrap();
    for dir in ["root", "secret"] {
        std::fs::create_dir(top.join(dir)).unwrap();
    }
    symlink(top.join("secret"), top.join("root/way-out")).unwrap();
    symlink(top.join("secret"), runs.path().join("way-out")).unwrap();
    std::fs::write(top.join("secret/run.toml"), "# reelgauge run directory, layout 1\n").unwrap();
    let before = tree(&top, &[]);
    let console = Console::start(&top.join("root"), runs.path());
    for path in
        ["/etc", "root", &format!("{}/way-out", top.join("root").display()), &top.display().to_string()]
    {
        let answer = console.ask_to_start("check", &json!({"path": path}));
        assert!(answer["error"].is_string() && answer["id"].is_null(), "{path}: {answer}");
    }
    for id in ["way-out", "..", "../secret", "%2e%2e", "..%2f..%2fetc", "x/../../secret", "%00"] {
        for (method, end) in
            [("DELETE", ""), ("PUT", "/notes"), ("POST", "/stop"), ("GET", "/page"), ("GET", "/live")]
        {
            let answer = console.client.change(method, &format!("/api/runs/{id}{end}"), "{}");
            assert!((400..500).contains(&answer.status), "{method} {id}{end}: {answer:?}");
        }
    }
    let (host, mark) = (console.client.address.clone(), ("X-Reelgauge", "1"));
    let body = json!({"verb": "check", "values": {"path": top.join("root")}}).to_string();
    let kind = ("Content-Type", "application/json");
    for headers in [
        vec![mark, kind, ("Host", "evil.example")],
        vec![mark, kind, ("Host", "")],
        vec![mark, kind, ("Origin", "http://evil.example")],
        vec![mark, kind, ("Sec-Fetch-Site", "cross-site")],
        vec![kind],
    ] {
        console.client.ask("POST", "/api/start", &headers, &body).expect(403);
        console.client.ask("DELETE", "/api/runs/x", &headers, "").expect(403);
    }
    console.client.ask("GET", "http://evil.example/api/runs", &[("Host", &host)], "").expect(403);
    assert_eq!(tree(&top, &[]), before);
    let page = console.client.get("/").expect(200);
    assert!(page.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
}

#[test]
fn runs_from_a_terminal_are_listed_and_notes_outlive_the_console() {
    let scratch = Scratch::new();
    let mix = Mix::on(&scratch.dir("target")).with(&["--buffered", "--duration", "1s"]);
    mix.measure();
    let id = mix.run_dir().file_name().unwrap().to_str().unwrap().to_owned();
    let notes = json!({"name": "Monday", "tags": ["nas", "\u{202e}<b>"], "note": "before the firmware",
        "storage_make": "A", "storage_model": "B", "storage_firmware": "1.2",
        "storage_other": {"raid": "6"}});
    {
        let console = Console::start(scratch.path(), mix.runs());
        let live: Vec<Value> = console.client.events(&format!("/api/runs/{id}/live")).collect();
        assert_eq!((names(&live)[0], names(&live).last().copied()), ("begin", Some("end")));
        let path = format!("/api/runs/{id}/notes");
        console.client.change("PUT", &path, &notes.to_string()).expect(204);
        console.client.change("PUT", &path, &json!({"note": "x".repeat(10_001)}).to_string()).expect(400);
    }
    let console = Console::start(scratch.path(), mix.runs());
    assert_eq!(console.entry(&id).unwrap()["notes"], notes);
    let page = console.client.get(&format!("/api/runs/{id}/page")).expect(200).json();
    let sections = page["runs"][0]["sections"].as_array().unwrap();
    let configuration = sections.iter().find(|section| section["id"] == "configuration").unwrap();
    let rows = configuration["blocks"].as_array().unwrap().iter().filter(|block| block["kind"] == "rows");
    let rows: Vec<&Value> = rows.flat_map(|block| block["of"].as_array().unwrap()).collect();
    for row in [["Name", "Monday"], ["Make", "A"], ["Model", "B"], ["Firmware", "1.2"], ["raid", "6"]] {
        assert!(rows.contains(&&json!(row)), "{row:?}: {rows:?}");
    }
}

#[test]
fn a_killed_run_is_listed_as_killed() {
    let scratch = Scratch::new();
    let mix = Mix::on(&scratch.dir("target")).with(&["--buffered", "--duration", "60s"]);
    let mut running = mix.start();
    mix.until_measuring(&mut running);
    let console = Console::start(scratch.path(), mix.runs());
    let id = mix.run_dir().file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(console.entry(&id).unwrap()["state"], "running");
    let events = console.client.events(&format!("/api/runs/{id}/live"));
    running.signal(Signal::KILL);
    let end = events.last().unwrap();
    assert_eq!((end["event"].as_str(), end["outcome"].as_str()), (Some("end"), Some("broke_off")));
    assert_eq!(console.entry(&id).unwrap()["state"], "killed");
    console.client.change("DELETE", &format!("/api/runs/{id}"), "").expect(204);
}

#[test]
fn a_run_that_is_refused_while_it_prepares_leaves_no_directory() {
    require!(Need::Root);
    let (mount, runs) = (TempMount::tmpfs(128), Scratch::new());
    let console = Console::start(mount.path(), runs.path());
    // The area exists, so that the free space is checked where the files are made.
    binary::run([
        "mix",
        mount.path().to_str().unwrap(),
        "--buffered",
        "--files",
        "1",
        "--file-size",
        "1MiB",
        "--duration",
        "100ms",
        "--warmup",
        "0s",
        "--out",
        runs.path().to_str().unwrap(),
    ])
    .expect_code(0);
    let mut values = mix(mount.path(), "1s");
    values["file-size"] = json!("1GiB");
    let answer = console.ask_to_start("mix", &values);
    // The console may have answered while the run was still preparing. Then the run had its directory,
    // which is removed.
    let own = answer["id"].as_str().map_or_else(|| runs.path().to_owned(), |id| runs.path().join(id));
    let count = || std::fs::read_dir(runs.path()).unwrap().count();
    until("its directory is gone", || (own == runs.path() || !own.exists()) && count() == 1);
}
