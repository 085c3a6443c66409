//! A limit on bytes per second (`--max-rate`, on a command line or an agent's) is kept.

use std::time::Duration;

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE};
use reelgauge_tests::max_rate::{RATE, RATE_FLAG, is_kept_to};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{self, at, count, number, text};
use reelgauge_tests::scratch::Scratch;

#[test]
fn a_mix_its_files_and_its_reading_back_are_held_to_a_rate() {
    let _turn = my_turn();
    for driver in ["threads", "uring"] {
        let scratch = Scratch::new();
        let mix =
            Mix::flat_out_on(&scratch.dir("target")).with(&["--driver", driver, "--buffered", "--verify"]);
        let mix = mix.with(&["--files", "1", "--file-size", "8MiB", "--max-rate", RATE_FLAG]);
        let began = std::time::Instant::now();
        let screen = mix.run_plain().expect_code(0).words();
        let took = began.elapsed();
        let summary = run_dir::summary(&mix.run_dir());
        let point = at(&summary, "load_points.0");
        is_kept_to(point, RATE);
        assert_eq!(count(point, "held_back.max_bytes_per_s"), RATE);
        assert!(count(point, "held_back.operations") > 0, "{point:#}");
        assert_eq!(text(point, "limit.found.step"), "max_rate", "{point:#}");
        assert!(screen.contains("Limited by: --max-rate (4.19 MB/s)"), "{screen}");
        // Throttled operations do not count as scheduling delay of Reelgauge.
        assert!(!screen.contains("made"), "{screen}");
        // 8 MiB were written, and later writes were read back: that was not faster than the limit
        // either.
        let moved = (8 << 20) + count(&summary, "verify.checked_bytes");
        let least = Duration::from_secs_f64((moved as f64 - RATE as f64) / RATE as f64);
        assert!(took > least + Duration::from_secs(2), "{moved} bytes beside the load in {took:?}");
    }
}

#[test]
fn agent_limits_every_run_to_the_owners_rate() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let mut bed = Bed::new(&["a", "b"], "3s");
    bed.limit_agent("a", &["--max-rate", "1MiB"]);
    let outcome = bed.run().wait(PATIENCE);
    let summary = outcome.json();
    let hosts = at(&summary, "hosts.points.0.hosts");
    let rate = |host: usize| {
        let figures = at(hosts, &host.to_string());
        number(figures, "figures.read_bytes_per_s") + number(figures, "figures.written_bytes_per_s")
    };
    assert!(rate(0) <= 1.2 * f64::from(1 << 20), "{hosts:#}");
    assert!(rate(1) > rate(0), "{hosts:#}");
    assert_eq!(text(hosts, "0.limit"), "max_rate", "{hosts:#}");
    assert_ne!(at(hosts, "1.limit"), "max_rate", "{hosts:#}");
    let notes = at(&summary, "notes").to_string();
    assert!(notes.contains("On a: ") && notes.contains("--max-rate"), "{notes}");
}
