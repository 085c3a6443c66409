//! The console with several clients: a request of one client does not delay the others for long.
//!
//! Times are compared within one test on one host, never with fixed limits.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use reelgauge_tests::console::{Console, until};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::http::Client;
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{count, summary};
use reelgauge_tests::scratch::Scratch;
use serde_json::json;

/// The page of a small run may take this many times longer while others use the console. Two large logs
/// are being read by then, perhaps on two processors.
const MULTIPLE: u32 = 8;
/// So many operations take a while to be read.
const MANY_OPS: u64 = 1_000_000;
/// Timing noise of a busy host, which is no queue.
const NOISE: Duration = Duration::from_millis(150);

/// A run with slightly more than this many operations, however long concurrent tests make it take.
fn large_run(target: &Path, runs: &Path) -> String {
    let mut seconds = 1;
    loop {
        let name = run_of(target, runs, &format!("{seconds}s"));
        let ops = count(&summary(&runs.join(&name)), "load_points.0.total.ops");
        if ops >= MANY_OPS {
            return name;
        }
        assert!(seconds < 27, "{ops} operations in {seconds} s");
        seconds = (seconds * MANY_OPS / ops.max(1) + 1).min(27);
    }
}

/// A run in memory, which never waits, so that the size of its log is proportional to its time.
fn run_of(target: &Path, runs: &Path, duration: &str) -> String {
    let words = ["--buffered", "--blocks", "4KiB", "--warmup", "0s", "--duration", duration];
    let mix = Mix::flat_out_on(target).with(&words);
    mix.measure();
    let name = mix.run_dir().file_name().unwrap().to_str().unwrap().to_owned();
    std::fs::rename(mix.run_dir(), runs.join(&name)).unwrap();
    name
}

/// The time to build the page of a run that is not cached.
fn page_took(client: &Client, id: &str) -> Duration {
    client.change("PUT", &format!("/api/runs/{id}/notes"), &json!({"note": "again"}).to_string()).expect(204);
    let began = Instant::now();
    client.get(&format!("/api/runs/{id}/page")).expect(200);
    began.elapsed()
}

/// Log queries in flight, and how many of them have been answered.
struct Load {
    asking: Vec<JoinHandle<u16>>,
    answered: Arc<AtomicUsize>,
}

fn ask_heavily(clients: &[Client], count: usize, id: &str) -> Load {
    let answered = Arc::new(AtomicUsize::new(0));
    let asking = (0..count).map(|at| {
        let (client, answered) = (clients[at % clients.len()].clone(), Arc::clone(&answered));
        let path = format!("/api/runs/{id}/ops?sort=service&top=10");
        std::thread::spawn(move || {
            let answer = client.get(&path);
            if answer.status == 503 {
                assert_eq!(answer.header("retry-after"), Some("2"));
                assert!(answer.error().contains("try again"), "{}", answer.body);
            } else {
                answered.fetch_add(1, Ordering::SeqCst);
            }
            answer.status
        })
    });
    Load { asking: asking.collect(), answered }
}

/// How the queries ended: answered or refused.
fn ends(load: Load) -> (usize, usize) {
    let ends: Vec<u16> = load.asking.into_iter().map(|one| one.join().unwrap()).collect();
    let of = |status: u16| ends.iter().filter(|end| **end == status).count();
    assert_eq!(of(200) + of(503), ends.len(), "{ends:?}");
    (of(200), of(503))
}

#[test]
fn small_page_does_not_wait_for_large_logs() {
    require!(Need::Root);
    let _turn = my_turn();
    let (mount, runs) = (TempMount::tmpfs(128), Scratch::new());
    let large = large_run(mount.path(), runs.path());
    let small = run_of(mount.path(), runs.path(), "300ms");
    let console = Console::start(mount.path(), runs.path());
    let sessions: Vec<Client> = (0..10).map(|_| console.client.browser(console.token())).collect();
    let [own, others @ ..] = &sessions[..] else { unreachable!() };
    let idle = (0..3).map(|_| page_took(own, &small)).max().unwrap();
    // By the same browser, by another one, and by many.
    for (who, clients, count) in
        [("own", std::slice::from_ref(own), 6), ("one", &others[..1], 6), ("all", others, 18)]
    {
        let load = ask_heavily(clients, count, &large);
        // By now each is being processed, queued or refused.
        std::thread::sleep(Duration::from_millis(200));
        let beside = page_took(own, &small);
        let light = {
            let began = Instant::now();
            own.get("/api/runs").expect(200);
            began.elapsed()
        };
        let in_flight = count - load.answered.load(Ordering::SeqCst);
        println!(
            "{who}: {count} queries, {in_flight} not answered: page {idle:?} idle, {beside:?} beside, list {light:?}"
        );
        assert!(in_flight >= 2, "{who}: the queries are over, and nothing has been shown");
        assert!(beside < idle * MULTIPLE + NOISE, "{who}: {beside:?} beside {count} queries, {idle:?} alone");
        assert!(light < idle * MULTIPLE + NOISE, "{who}: the list took {light:?}");
        let (answered, _) = ends(load);
        assert!(answered >= 4, "{who}: {answered}");
    }
}

#[test]
fn one_client_has_its_own_queue_and_cannot_use_the_whole_console() {
    require!(Need::Root);
    let _turn = my_turn();
    let (mount, runs) = (TempMount::tmpfs(128), Scratch::new());
    let large = large_run(mount.path(), runs.path());
    let console = Console::start(mount.path(), runs.path());
    let [greedy, modest] = [(); 2].map(|()| console.client.browser(console.token()));
    let load = ask_heavily(&[greedy], 40, &large);
    std::thread::sleep(Duration::from_millis(200));
    let began = Instant::now();
    modest.get(&format!("/api/runs/{large}/ops?sort=service&top=10")).expect(200);
    let (took, answered) = (began.elapsed(), load.answered.load(Ordering::SeqCst));
    println!("one query beside 40 of another client: {took:?}, {answered} of those answered before");
    // It was served at once: in parallel with the first of the other client's queries, not after its
    // eight.
    assert!(answered <= 3, "{answered}");
    // Eight are queued. While all forty arrive, some are answered, and others take their places.
    let (answered, refused) = ends(load);
    assert!((8..=20).contains(&answered), "{answered} answered, {refused} sent away");
}

#[test]
fn disconnected_client_leaves_the_queue() {
    require!(Need::Root);
    let _turn = my_turn();
    let (mount, runs) = (TempMount::tmpfs(128), Scratch::new());
    let large = large_run(mount.path(), runs.path());
    let console = Console::start(mount.path(), runs.path());
    let client = console.client.browser(console.token());
    let path = format!("/api/runs/{large}/ops?sort=service&top=10");
    let alone = {
        let began = Instant::now();
        client.get(&path).expect(200);
        began.elapsed()
    };
    // Sends a request and closes the connection, repeatedly. If eight of them were not forgotten, they
    // would fill the queue.
    for _ in 0..40 {
        client.hang_up("GET", &path);
        std::thread::sleep(Duration::from_millis(20));
    }
    until("there is room in the line", || client.get(&path).status == 200);
    let began = Instant::now();
    client.get(&path).expect(200);
    assert!(began.elapsed() < alone * 3 + NOISE, "{:?}, alone {alone:?}", began.elapsed());
}

#[test]
fn one_client_cant_take_all_places_to_watch() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let target = scratch.dir("target");
    let console = Console::start(scratch.path(), runs.path());
    let values = json!({"path": target, "files": "1", "file-size": "1MiB", "length": "64KiB", "blocks": "64KiB",
        "warmup": "0s", "duration": "10m", "buffered": "true"});
    let path = format!("/api/runs/{}/live", console.start_run("mix", &values));
    let [greedy, modest] = [(); 2].map(|()| console.client.browser(console.token()));
    let watching: Vec<_> = (0..16).map(|_| greedy.events(&path)).collect();
    let refused = greedy.get(&path).expect(503);
    assert!(refused.error().contains("16") && refused.header("retry-after").is_some());
    assert_eq!(modest.events(&path).take(1).count(), 1);
    // A client that closes a page frees its place.
    drop(watching);
    until("there is a place", || greedy.ask_status("GET", &path) == 200);
}
