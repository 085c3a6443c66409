//! Compares the server's clock with the local one: creates new files, and reads the local clock before
//! and after each.
//!
//! The server sets the file's time between the two readings, which bounds the difference of the clocks.
//! File systems on local disks share the local clock.

use std::io::Write;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::shortage::MAKE_FILE;
use super::{Bench, Broken, Found, asked, broken};
use reelgauge_machine::mount::MountKind;

/// The number of files created. The fastest gives the best bounds.
const ROUNDS: u32 = 7;
/// The longest tick of the clock that kernels use for file times.
const TICK_S: f64 = 0.01;
/// File times in whole seconds, and in steps of two seconds (FAT).
const WHOLE_S: f64 = 1.0;
const PAIRS_S: f64 = 2.0;
/// The result for two clocks that may be the same.
const NO_DIFFERENCE: &str = "no difference seen";

/// A file that was created.
#[derive(Clone, Copy, Debug)]
struct Made {
    before_s: f64,
    after_s: f64,
    /// The time that the server gave it.
    second: i64,
    nanosecond: u32,
}

/// The difference of two clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ClockDifference {
    /// How far the server's clock is ahead.
    ahead_s: f64,
    unsure_s: f64,
}

pub(super) fn clock(bench: &Bench, found: &mut Found) -> Result<(), Broken> {
    if matches!(bench.mount.kind, MountKind::LocalDisk | MountKind::Memory | MountKind::Overlay) {
        found.word("clock", "shared");
        for fact in ["clock_apart_s", "clock_unsure_s", "clock_apart_at_least_s"] {
            found.nothing(fact);
        }
        return Ok(());
    }
    let mut made = Vec::new();
    for round in 0..ROUNDS {
        made.push(make(bench, round)?);
    }
    if step_s(&made) >= PAIRS_S {
        // One second later, file times with a resolution of one second are odd.
        wait(bench, Duration::from_secs(1))?;
        made.push(make(bench, ROUNDS)?);
    }
    let Some(apart) = apart(&made) else {
        let why = "this client's clock, or the server's, was set during the probe. Probe again";
        return Err(broken("compare the clocks")(std::io::Error::other(why)));
    };
    report(&apart, step_s(&made), found);
    Ok(())
}

/// Creates a file, and reads the local clock before and after.
fn make(bench: &Bench, round: u32) -> Result<Made, Broken> {
    bench.step()?;
    let before_s = now_s();
    let mut file = bench.make(&bench.at(&format!("clock-{round}"))).map_err(broken(MAKE_FILE))?;
    file.write_all(b"x").map_err(broken("write to a file"))?;
    // Until the write reaches the server, the file has the local host's time.
    file.sync_data().map_err(broken("write to a file"))?;
    let after_s = now_s();
    let time = asked(&file)?.stx_mtime;
    Ok(Made { before_s, after_s, second: time.tv_sec, nanosecond: time.tv_nsec })
}

/// Waits for this long, or until a stop is requested.
fn wait(bench: &Bench, long: Duration) -> Result<(), Broken> {
    const BEAT: Duration = Duration::from_millis(50);
    let until = Instant::now() + long;
    while Instant::now() < until {
        std::thread::sleep(BEAT);
        bench.step()?;
    }
    Ok(())
}

/// Records the result. Clocks that may be equal are not reported as different. Times in whole seconds
/// show no smaller difference.
fn report(apart: &ClockDifference, step_s: f64, found: &mut Found) {
    let at_least_s = (apart.ahead_s.abs() - apart.unsure_s).max(0.0);
    found.number("clock_apart_at_least_s", at_least_s);
    if at_least_s > 0.0 {
        found.word("clock", if apart.ahead_s < 0.0 { "behind" } else { "ahead" });
        found.number("clock_apart_s", apart.ahead_s.abs());
        found.number("clock_unsure_s", apart.unsure_s);
        return;
    }
    let most_s = apart.ahead_s.abs() + apart.unsure_s;
    found.word("clock", NO_DIFFERENCE);
    found.number("clock_apart_s", 0.0);
    found.number("clock_unsure_s", if step_s >= WHOLE_S { most_s.max(step_s) } else { most_s });
}

/// The resolution of file times, judged from these files.
fn step_s(made: &[Made]) -> f64 {
    match made {
        _ if made.iter().any(|made| made.nanosecond != 0) => TICK_S,
        _ if made.iter().any(|made| made.second % 2 != 0) => WHOLE_S,
        _ => PAIRS_S,
    }
}

/// The clock difference that fits all files; `None` if they contradict each other.
fn apart(made: &[Made]) -> Option<ClockDifference> {
    let step_s = step_s(made);
    let (mut least_s, mut most_s) = (f64::NEG_INFINITY, f64::INFINITY);
    for made in made {
        let time_s = made.second as f64 + f64::from(made.nanosecond) / 1e9;
        least_s = least_s.max(time_s - made.after_s);
        most_s = most_s.min(time_s + step_s - made.before_s);
    }
    let is_told = least_s.is_finite() && most_s.is_finite() && least_s <= most_s;
    is_told
        .then_some(ClockDifference { ahead_s: (least_s + most_s) / 2.0, unsure_s: (most_s - least_s) / 2.0 })
}

fn now_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs_f64()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::Noted;
    use super::*;

    fn made(before_s: f64, took_s: f64, given_s: f64) -> Made {
        let nanosecond = ((given_s - given_s.floor()) * 1e9) as u32;
        Made { before_s, after_s: before_s + took_s, second: given_s.floor() as i64, nanosecond }
    }

    #[test]
    fn server_clock_ahead_is_found_within_uncertainty() {
        // The server is 90 s ahead, and sets the time in the middle of the interval.
        let files = [made(1000.2, 0.4, 1090.4), made(1001.2, 0.02, 1091.21), made(1002.2, 0.1, 1092.25)];
        let found = apart(&files).unwrap();
        assert!((found.ahead_s - 90.0).abs() <= found.unsure_s + 1e-6, "{found:?}");
        assert!(found.unsure_s < 0.02, "the quickest file is the one that tells: {found:?}");
    }

    #[test]
    fn truncation_to_whole_seconds_is_no_clock_difference() {
        let found = apart(&[made(1001.9, 0.01, 1000.0), made(1002.0, 0.01, 1002.0)]).unwrap();
        assert!(found.ahead_s.abs() - found.unsure_s <= 0.0, "{found:?}");
    }

    fn told(files: &[Made]) -> Vec<(&'static str, Noted)> {
        let mut found = Found::default();
        report(&apart(files).unwrap(), step_s(files), &mut found);
        found.notes
    }

    /// Files of the same clock, whose fractions a protocol truncates.
    #[test]
    fn whole_second_times_report_no_difference_below_1s() {
        let cut_off = |before_s: f64| made(before_s, 0.01, (before_s + 0.005).floor());
        for begin_s in [1001.02, 1001.5, 1001.93] {
            let files: Vec<Made> = (0..7).map(|at| cut_off(begin_s + 0.01 * f64::from(at))).collect();
            let notes = told(&files);
            assert!(notes.contains(&("clock", Noted::Word(NO_DIFFERENCE.to_owned()))), "{notes:?}");
            assert!(notes.contains(&("clock_apart_s", Noted::Number(0.0))), "{notes:?}");
            assert!(notes.contains(&("clock_unsure_s", Noted::Number(1.0))), "{notes:?}");
        }
        // If all seconds are even, the resolution may be two seconds.
        assert_eq!(step_s(&[cut_off(1002.4)]), PAIRS_S);
        // A difference of minutes is found with whole seconds, too.
        let files = [made(1001.5, 0.01, 1091.0), made(1002.5, 0.01, 1092.0)];
        assert!(told(&files).contains(&("clock", Noted::Word("ahead".to_owned()))), "{:?}", told(&files));
    }

    #[test]
    fn clock_set_during_the_probe_gives_no_result() {
        assert_eq!(apart(&[made(1000.2, 0.1, 1000.25), made(1001.2, 0.1, 1091.25)]), None);
        assert_eq!(apart(&[]), None);
    }
}
