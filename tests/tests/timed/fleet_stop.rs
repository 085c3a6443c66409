//! Runs of a fleet that end early, with a real nats-server: stopped by a command from elsewhere, or
//! because the plan stops all hosts when one is missing.

use reelgauge_fleet::connection::Login;
use reelgauge_fleet::controller::user_command::{CommandRequest, UserCommand, WISH};
use reelgauge_fleet::fleet_site::agent_name::AgentSession;
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_fleet::fleet_site::subject::{event, order};
use reelgauge_fleet::protocol::Order;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet::SOON;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE, counted, until_measuring};
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, only_in, text};

#[test]
fn remotely_stopped_run_reports_no_missing_host() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "60s");
    let idle = bed.fleet.ask(&["stop"]).expect_code(0).words();
    assert!(!idle.contains(" a, b"), "{idle}");
    let idle = bed.fleet.ask(&["pause"]).expect_code(1).words();
    assert!(idle.contains("No controller"), "{idle}");
    let mut run = bed.run();
    until_measuring(&mut run);
    // Another controller finds the agents busy, and takes none of them.
    let other = bed.run().wait(PATIENCE).expect_code(2).said();
    assert!(other.contains(" on a, b"), "{other}");
    let said = bed.fleet.ask(&["stop"]).expect_code(0).words();
    assert!(said.contains("was stopped"), "{said}");
    let outcome = run.wait(PATIENCE).expect_code(130);
    let told = outcome.json();
    for host in ["0", "1"] {
        assert!(at(&told, &format!("hosts.hosts.{host}.missing_from_s")).is_null(), "{told:#}");
    }
    assert_eq!(text(&told, "outcome"), "interrupted");
    assert!(counted(&only_in(&bed.runs()), &told).iter().all(|&ops| ops > 0));
    assert!(bed.left("a").is_empty() && bed.left("b").is_empty());
}

/// A client with only `keys/controller.key`: the server admits it as the controller, but it cannot seal
/// commands.
#[test]
fn unsealed_commands_change_nothing_and_agents_report_them() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::ramp(&["a", "b"], "1,2", "3s");
    let site = FleetSite::open(&bed.fleet.dir()).unwrap();
    let mut run = bed.run();
    until_measuring(&mut run);
    let name = only_in(&bed.fleet.dir().join("runs")).file_name().unwrap().to_str().unwrap().to_owned();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Login::of_controller(&site).unwrap().connect().await.unwrap().client;
        let a = "a".parse().unwrap();
        let mut reported = client.subscribe(event(&a, "refused")).await.unwrap();
        for wish in [UserCommand::Pause { number: 0 }, UserCommand::Stop, UserCommand::Resume { number: 0 }] {
            for run in [Some(name.clone()), None] {
                let asked = CommandRequest { from: AgentSession::draw().unwrap(), run, wish };
                client.publish(WISH, serde_json::to_vec(&asked).unwrap().into()).await.unwrap();
            }
        }
        let stop = serde_json::to_vec(&Order::Stop { run: name.clone() }).unwrap();
        client.publish(order(&a), stop.into()).await.unwrap();
        client.flush().await.unwrap();
        let told = tokio::time::timeout(SOON, futures_util::StreamExt::next(&mut reported)).await;
        assert!(told.unwrap().is_some(), "the agent reports it to the controller");
    });
    let outcome = run.wait(PATIENCE).expect_code(0);
    let refused = |agent: &str| bed.agent(agent).stderr().contains("Rejected");
    assert!(refused("a") && !refused("b"), "{}", bed.agent("a").stderr());
    let told = outcome.json();
    assert_eq!(text(&told, "outcome"), "complete", "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("paused"), "{}", outcome.stderr);
    let points = at(&told, "load_points").as_array().unwrap();
    assert_eq!(points.len(), 2);
    assert!(points.iter().all(|point| number(point, "measured_s") > 2.9), "{told:#}");
    // Without marks the list is missing.
    let marks = told["marks"].as_array().map(Vec::as_slice).unwrap_or_default();
    assert!(marks.iter().all(|mark| text(mark, "kind") != "paused"), "{marks:?}");
    assert!(counted(&only_in(&bed.runs()), &told).iter().all(|&ops| ops > 0));
}

#[test]
fn killed_agent_stops_all_if_the_plan_requires_it() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "180s");
    bed.plan("[fleet]\non_loss = \"stop\"\n");
    let mut run = bed.run();
    until_measuring(&mut run);
    bed.kill_agent("b");
    // Long before the load point would have been over.
    let outcome = run.wait(PATIENCE).expect_code(3);
    let told = outcome.json();
    assert!(at(&told, "hosts.hosts.0.missing_from_s").is_null(), "{told:#}");
    assert!(at(&told, "hosts.hosts.1.missing_from_s").is_number(), "{told:#}");
    assert!(count(&told, "hosts.points.0.hosts.0.figures.ops") > 0, "what the other measured is kept");
    assert_ne!(text(&told, "outcome"), "complete");
}

/// This is not a usage error, and nothing is lost: once there is space, the measurements are merged.
#[test]
fn agents_keep_data_until_the_controllers_disk_has_space() {
    require!(Need::NatsServer, Need::Root, Need::FileSystem("tmpfs"));
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "2s");
    let full = TempMount::tmpfs(1);
    std::os::unix::fs::symlink(full.path(), bed.runs()).unwrap();
    let ballast = full.path().join("ballast");
    std::fs::write(&ballast, vec![1; (1 << 20) - (16 << 10)]).unwrap();
    let outcome = bed.run().wait(PATIENCE).expect_code(3);
    let said = outcome.said().replace('\n', " ");
    assert!(said.contains("No space left on device"), "{said}");
    assert!(said.contains("fleet logs "), "{said}");
    std::fs::remove_file(&ballast).unwrap();
    let told = bed.logs().expect_code(0).json();
    assert_eq!(text(&told, "outcome"), "complete");
    assert!(counted(&only_in(&bed.runs()), &told).iter().all(|&ops| ops > 0));
    assert!(bed.left("a").is_empty() && bed.left("b").is_empty());
}

/// Before anything begins, from the facts that its agents report.
#[test]
fn dry_run_names_agents_that_will_refuse() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let mut bed = Bed::new(&["a", "b"], "2s");
    bed.limit_agent("b", &["--read-only"]);
    let outcome = bed.run_with(&["--dry-run"]).wait(PATIENCE).expect_code(2);
    let is_named = |agent: &str| outcome.stderr.lines().any(|line| line.starts_with(agent));
    assert!(is_named("b ") && !is_named("a "), "{}", outcome.said());
}
