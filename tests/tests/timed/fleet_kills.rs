//! A fleet's run in which a process is killed or stopped at a random moment. Every logged operation of
//! an agent arrives exactly once.
//!
//! Runs `REELGAUGE_FLEET_ROUNDS` rounds from `REELGAUGE_FLEET_SEED`; `cargo xtask soak --only
//! fleet_kills` runs more. Each round is printed when it ends.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reelgauge_tests::binary::Running;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, listed};
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::tool_with;
use reelgauge_tests::python;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::all_in;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::seeded_random::{Draws, setting};
use rustix::process::{Pid, Signal, kill_process};

const PATIENCE: Duration = Duration::from_secs(120);

const AGENTS: [&str; 3] = ["a", "b", "c"];

/// The length of an undisturbed run, including three seconds before its load point begins. Faults occur
/// within it, or within `REELGAUGE_FLEET_SPAN_MS`.
const SPAN_MS: u64 = 8_000;

/// How long the agents of the bed continue their load without contact.
const ALLOWED_SILENCE: Duration = Duration::from_secs(5);

/// The injected fault.
#[derive(Clone, Copy, Debug)]
enum Fault {
    AgentKilled(usize),
    AgentStands(usize, Duration),
    ControllerKilled,
    ServerKilled,
    /// nats-server is stopped: no message passes, and no connection ends.
    ServerStands(Duration),
    AgentAndServerKilled(usize),
}

/// The duration of a stop: shorter or longer than the allowed silence.
fn stands(draws: &mut Draws) -> Duration {
    let ms = match draws.next_u64() % 2 {
        0 => 500 + draws.next_u64() % 3_000,
        _ => 6_000 + draws.next_u64() % 6_000,
    };
    Duration::from_millis(ms)
}

impl Fault {
    fn drawn(draws: &mut Draws) -> Fault {
        let agent = (draws.next_u64() % AGENTS.len() as u64) as usize;
        let stands = stands(draws);
        match draws.next_u64() % 6 {
            0 => Fault::AgentKilled(agent),
            1 => Fault::AgentStands(agent, stands),
            2 => Fault::ControllerKilled,
            3 => Fault::ServerKilled,
            4 => Fault::ServerStands(stands),
            _ => Fault::AgentAndServerKilled(agent),
        }
    }

    /// Whether a run that has begun is complete in spite of the fault: contact was restored in time.
    fn is_survived(self) -> bool {
        match self {
            Fault::AgentStands(_, time) | Fault::ServerStands(time) => time < ALLOWED_SILENCE,
            _ => false,
        }
    }
}

/// The run directories that agents have not released.
fn left(bed: &Bed) -> Vec<PathBuf> {
    AGENTS.iter().flat_map(|name| bed.left(name)).collect()
}

/// Injects the fault. Returns when it is over; a killed process is not restarted yet.
fn suffer(bed: &mut Bed, fault: Fault, run: &mut Running) {
    let stand = |process: Pid, time: Duration| {
        kill_process(process, Signal::STOP).unwrap();
        std::thread::sleep(time);
        kill_process(process, Signal::CONT).unwrap();
    };
    match fault {
        Fault::AgentKilled(agent) => bed.kill_agent(AGENTS[agent]),
        Fault::AgentStands(agent, time) => stand(bed.agent(AGENTS[agent]).process(), time),
        Fault::ControllerKilled if run.has_ended() => {}
        Fault::ControllerKilled => run.signal(Signal::KILL),
        Fault::ServerStands(time) => stand(bed.fleet.server(), time),
        Fault::ServerKilled => bed.server_again(),
        Fault::AgentAndServerKilled(agent) => {
            bed.kill_agent(AGENTS[agent]);
            bed.server_again();
        }
    }
}

/// The output of agents, and every file that they keep.
fn there(bed: &Bed) -> String {
    let of_each = AGENTS.iter().map(|name| {
        let kept = bed.kept(name).display().to_string();
        let files = tool_with(&["find", &kept, "-type", "f"]);
        let states = tool_with(&["sh", "-c", &format!("cat {kept}/*/state.json")]);
        format!("--- {name}\n{}\nkeeps {files:?}\nstates {states:?}\n", bed.agent(name).stderr())
    });
    of_each.collect()
}

/// Fetches until nothing is left.
#[track_caller]
fn fetch(bed: &Bed, what: &str) {
    let start = Instant::now();
    while !left(bed).is_empty() {
        let told = bed.logs();
        assert!(start.elapsed() < PATIENCE, "{what}\nleft: {:?}\n{}\n{}", left(bed), told.said(), there(bed));
        if !left(bed).is_empty() {
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}

/// Hard links to all files that agents ever had: files that they release remain here.
fn shadow(kept: &Path, shadow: &Path, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        link_all(kept, shadow);
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn link_all(from: &Path, to: &Path) {
    // It may be released at this moment.
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        // A directory that is being removed was already linked under its own name, while complete.
        if path.extension().is_some_and(|ending| ending == "gone") {
            continue;
        }
        if path.is_dir() {
            let _ = fs::create_dir_all(&copy);
            link_all(&path, &copy);
        } else if let Ok(now) = fs::metadata(&path)
            && fs::metadata(&copy).map_or(0, |copy| copy.ino()) != now.ino()
        {
            let _ = fs::remove_file(&copy);
            let _ = fs::hard_link(&path, &copy);
        }
    }
}

/// The operations in a directory's log, which may be unclosed; none if the run ended before there was a
/// log.
fn rows(run: &Path) -> u64 {
    let parts = fs::read_dir(run.join("ops/agent=local")).unwrap();
    if parts.count() == 0 {
        let said = fs::read_to_string(run.join("live.jsonl")).unwrap();
        assert!(said.contains("nothing was") || !said.contains("\"live\""), "{said}");
        return 0;
    }
    listed(run).len() as u64
}

/// The same by agent, as pyarrow reads the fetched log.
fn rows_by_agent(run: &Path) -> BTreeMap<String, u64> {
    serde_json::from_value(python::script("rows_by_agent.py", &[run])).unwrap()
}

/// Every run below.
fn runs_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir()) {
        let path = entry.path();
        if path.join("run.toml").exists() && path.join("ops").exists() {
            found.push(path);
        } else {
            found.extend(runs_below(&path));
        }
    }
    found
}

/// One run with its fault.
fn round(bed: &mut Bed, number: u64, draws: &mut Draws) {
    let span = Duration::from_millis(setting("REELGAUGE_FLEET_SPAN_MS", SPAN_MS));
    let (moment, fault) = (span.mul_f64(draws.share()), Fault::drawn(draws));
    let what = format!("round {number}, {fault:?} after {moment:?}");
    let place = Scratch::new();
    let copies = place.dir("shadow");
    let (is_over, kept) = (AtomicBool::new(false), bed.path().join("kept"));
    let mut code = None;
    std::thread::scope(|scope| {
        scope.spawn(|| shadow(&kept, &copies, &is_over));
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut run = bed.run();
            run.until(moment, Running::has_ended);
            suffer(bed, fault, &mut run);
            let outcome = run.wait(PATIENCE);
            let is_ended = match outcome.code {
                None => matches!(fault, Fault::ControllerKilled),
                // It had not begun when the server was killed.
                Some(2) => outcome.stderr.contains("respond"),
                Some(0) => true,
                code => code == Some(3) && !fault.is_survived(),
            };
            assert!(is_ended, "{what}\n{}", outcome.said());
            code = outcome.code;
            bed.start_who_is_gone();
            fetch(bed, &what);
        }));
        is_over.store(true, Ordering::Relaxed);
        if let Err(panic) = ended {
            std::panic::resume_unwind(panic);
        }
    });
    let came = compare(&what, &bed.runs(), &copies);
    // Bypasses the test program, which keeps output until a test fails.
    let mut stdout = io::stdout();
    writeln!(stdout, "{what}: status {code:?}, {came:?}").unwrap();
    // The next run directory must be the only one again.
    let _ = fs::remove_dir_all(bed.runs());
}

/// The fetched data equal the original data.
#[track_caller]
fn compare(what: &str, out: &Path, copies: &Path) -> BTreeMap<String, u64> {
    let mut there = BTreeMap::new();
    for name in AGENTS {
        let of_agent: u64 = runs_below(&copies.join(name)).iter().map(|run| rows(run)).sum();
        there.insert(name.to_owned(), of_agent);
    }
    there.retain(|_, rows| *rows > 0);
    let runs = if out.exists() { all_in(out) } else { Vec::new() };
    assert!(runs.len() <= 1, "{what}: {runs:?}");
    let mut came = runs.first().map(|run| rows_by_agent(run)).unwrap_or_default();
    came.retain(|_, rows| *rows > 0);
    assert_eq!(came, there, "{what}");
    came
}

#[test]
fn logged_operations_arrive_exactly_once_after_kills() {
    require!(Need::NatsServer, Need::Python);
    let _turn = my_turn();
    let (rounds, seed) = (setting("REELGAUGE_FLEET_ROUNDS", 2), setting("REELGAUGE_FLEET_SEED", 1));
    let mut draws = Draws::new(seed);
    let mut bed = Bed::new(&AGENTS, "2s");
    (0..rounds).for_each(|number| round(&mut bed, number, &mut draws));
}
