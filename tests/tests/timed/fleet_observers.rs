//! An agent without load on the host of a Samba server, while two others load it. Its counters are part
//! of the run, on the run's clock. If it is lost, the run continues without it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::Faulty;
use reelgauge_tests::fleet::{SOON, is_ready, nats_server};
use reelgauge_tests::fleet_bed::until_measuring;
use reelgauge_tests::hosts::{self, Hosts};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::Mounted;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::tool;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, only_in, summary, text};
use reelgauge_tests::samba::{self, SambaServer};
use reelgauge_tests::scratch::Scratch;
use rustix::process::Signal;
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(120);

const CLIENTS: [&str; 2] = ["edit-1", "edit-2"];
const SERVER: &str = "nas1";

/// Mbit/s of every line.
const LINES: [(&str, u32); 4] = [("control", 400), (SERVER, 80), ("edit-1", 200), ("edit-2", 200)];

/// Programs, mounts, hosts and folders, taken down in this order.
struct Studio {
    observer: Running,
    _agents: Vec<Running>,
    _up: Running,
    _names: Mounted,
    _mounts: Vec<Faulty>,
    server: SambaServer,
    hosts: Hosts,
    scratch: Scratch,
}

impl Studio {
    fn new() -> Studio {
        let (hosts, scratch) = (Hosts::new(&LINES), Scratch::new());
        let on = |host: &'static str| {
            let hosts = &hosts;
            move |program: &str| hosts.command(host, program)
        };
        let server = SambaServer::serve(&on(SERVER), &hosts.address(SERVER), "");
        let names = Mounted::at(scratch.dir("hosts"));
        let mut mounts = Vec::new();
        for agent in CLIENTS {
            fs::create_dir_all(server.share().join(agent)).unwrap();
            let mount = server.mount(&on(agent));
            let point = scratch.dir(&format!("hosts/{agent}"));
            tool(&format!("mount --bind {} {}", mount.path().display(), point.display()));
            mounts.push(mount);
        }
        let dir = scratch.path().join("fleet").display().to_string();
        let listen = format!("{}:4222", hosts.address("control"));
        let agents = format!("{},{SERVER}", CLIENTS.join(","));
        binary::run(["fleet", "init", &dir, "--agents", &agents, "--listen", &listen]).expect_code(0);
        let nats = nats_server().unwrap().display().to_string();
        let by = hosts.command("control", &binary::path().display().to_string());
        let mut up = binary::start_by(by, ["fleet", "up", &dir, "--nats-server", &nats]);
        assert!(up.until(SOON, is_ready).is_some(), "{}", up.stderr());
        let point = |name: &str| scratch.path().join("hosts").join(name);
        let agents = CLIENTS.iter().map(|name| start_agent(&hosts, &scratch, name, &point(name))).collect();
        let observer = start_agent(&hosts, &scratch, SERVER, &server.share());
        Studio { observer, _agents: agents, _up: up, _names: names, _mounts: mounts, server, hosts, scratch }
    }

    fn write_plan(&self, step: &str) {
        let base = ["--profile", "seq-read", "--direct", "--files", "2", "--file-size", "2MiB"];
        let mix = Mix::flat_out_on(&self.scratch.dir("target"))
            .without("--duration")
            .without("--warmup")
            .with(&base);
        let mix = mix.with(&["--duration", "100ms", "--blocks", "64KiB", "--length", "512KiB"]);
        let mix = mix.with(&["--warmup", "500ms"]);
        mix.measure();
        let text = fs::read_to_string(mix.run_dir().join("run.toml")).unwrap();
        assert!(text.contains("\"100ms\""), "{text}");
        fs::write(self.scratch.path().join("mix.toml"), text.replace("\"100ms\"", &format!("\"{step}\"")))
            .unwrap();
        let target = self.scratch.path().join("hosts/{agent}/{agent}").display().to_string();
        let share = self.server.share().display().to_string();
        // An observer does not count as one of the remaining hosts for the group.
        let plan = format!(
            "[[group]]\nname = \"edit\"\nplan = \"mix.toml\"\ntargets = [\"{target}\"]\n\
             [[observer]]\nagents = [\"{SERVER}\"]\npath = \"{share}\"\n"
        );
        fs::write(self.scratch.path().join("fleet.toml"), plan).unwrap();
    }

    /// `fleet WORDS` on the controller's host, with results below this folder.
    fn controller(&self, words: &[&str], out: &Path) -> Running {
        let (dir, out) = (self.scratch.path().join("fleet").display().to_string(), out.display().to_string());
        let by = self.hosts.command("control", &binary::path().display().to_string());
        let words = std::iter::once("fleet").chain(words.iter().copied());
        binary::start_by(by, words.chain(["--fleet", &dir, "--out", &out]))
    }

    fn plan(&self) -> String {
        self.scratch.path().join("fleet.toml").display().to_string()
    }

    /// The run directories that the observer has not released yet.
    fn left(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.scratch.path().join("kept").join(SERVER)).unwrap().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    }
}

fn start_agent(hosts: &Hosts, scratch: &Scratch, name: &str, root: &Path) -> Running {
    let join = scratch.path().join("fleet/join").join(format!("{name}.toml")).display().to_string();
    let (root, kept) = (root.display().to_string(), scratch.path().join("kept").join(name));
    let kept = kept.display().to_string();
    let by = hosts.command(name, &binary::path().display().to_string());
    let mut agent = binary::start_by(
        by,
        ["agent", "--join", &join, "--root", &root, "--keep", &kept, "--max-silence", "5s"],
    );
    let is_there = agent.until(SOON, is_ready);
    assert!(is_there.is_some(), "{name} does not appear\n{}", agent.stderr());
    agent
}

/// Checks that an observer's counters are part of a run, and that it is not one of the measuring hosts.
#[track_caller]
fn has_observer(run: &Path) -> Value {
    let summary = summary(run);
    assert_eq!(at(&summary, "observers").as_array().map(Vec::len), Some(1), "{summary:#}");
    assert_eq!(text(&summary, "observers.0.name"), SERVER);
    // The clocks were compared, not guessed.
    assert_eq!(at(&summary, "observers.0.is_offset_stated"), true);
    assert!(run.join(format!("observers/agent={SERVER}/part-000001.parquet")).is_file());
    assert_eq!(at(&summary, "hosts.hosts").as_array().unwrap().len(), CLIENTS.len(), "{summary:#}");
    assert!(!run.join(format!("ops/agent={SERVER}")).exists());
    assert!(fs::read_to_string(run.join("report.html")).unwrap().contains(SERVER));
    summary
}

#[test]
fn observer_counters_are_in_the_run_and_its_loss_ends_nothing() {
    require!(Need::NatsServer);
    if !needs::are_met(hosts::NEEDS) || !needs::are_met(samba::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let mut studio = Studio::new();
    studio.write_plan("4s");
    let out = studio.scratch.path().join("whole");
    let outcome = studio.controller(&["run", &studio.plan()], &out).wait(PATIENCE).expect_code(0);
    let run = only_in(&out);
    has_observer(&run);
    assert!(outcome.words().contains(&format!("Observer: {SERVER}")), "{}", outcome.said());
    let notes_of = |run: &Path| at(&summary(run), "notes").to_string();
    let named = format!("Observer {SERVER}");
    assert!(!notes_of(&run).contains(&named), "{}", notes_of(&run));
    assert!(studio.left().is_empty(), "it keeps what was fetched");

    // It is killed in the middle: the others continue, and it is named.
    studio.write_plan("9s");
    let out = studio.scratch.path().join("lost");
    let mut going = studio.controller(&["run", &studio.plan()], &out);
    until_measuring(&mut going);
    studio.observer.signal(Signal::KILL);
    let outcome = going.wait(PATIENCE).expect_code(0);
    assert!(outcome.stderr.contains(SERVER), "{}", outcome.stderr);
    assert_eq!(at(&summary(&only_in(&out)), "outcome"), "complete");
    let lost = notes_of(&only_in(&out));
    assert!(lost.contains(&named), "{lost}");
    // Its samples until then are on its disk, and are fetched when it returns.
    assert_eq!(studio.left().len(), 1);
    studio.observer = start_agent(&studio.hosts, &studio.scratch, SERVER, &studio.server.share());
    studio.controller(&["logs"], &out).wait(PATIENCE).expect_code(0);
    let fetched = has_observer(&only_in(&out));
    let notes = at(&fetched, "notes").to_string();
    assert!(notes.contains(&named) && notes != lost, "{notes}");
    assert!(studio.left().is_empty());
}
