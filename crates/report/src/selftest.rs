//! The screen of a self-test: what this client can judge, and a block of figures for an issue.
//!
//! Nothing on it names the host, its user or a path.

use reelgauge_analysis::selftest::{
    Capacity, DepthFigures, DirectState, Durations, LATE_MAX_US, LATE_P99_US, PROCESSOR_SHARE, SelfTest,
    Unfit,
};

use crate::page::ScreenText;
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::text::{plain, wrap};
use crate::units::{count, counted, duration, number, percent};

/// The screen as text, ending with a line feed.
pub fn selftest_screen(test: &SelfTest, style: Style) -> String {
    let mut page = ScreenText::new(style);
    match &test.capacity {
        Some(capacity) => page.labelled("Result", Tone::Answer, &can_judge(capacity)),
        None => page.labelled("Result", Tone::Bad, no_capacity(test)),
    }
    for (at, why) in test.unfit.iter().enumerate() {
        page.labelled(if at == 0 { "Cause" } else { "" }, Tone::Bad, &unfit_sentence(*why, test));
    }
    page.labelled("Rule", Tone::Plain, &rule(test));
    if test.storage.is_none() {
        page.labelled(
            "Next",
            Tone::Plain,
            "With a PATH, the self-test also tries direct I/O and fsync there.",
        );
    }
    page.gap();
    page.sentence(Tone::Plain, "To paste into an issue:");
    page.gap();
    let width = page.width - 2;
    let lines =
        block(test).into_iter().map(|(name, text)| wrap(&format!("{name}: {}", plain(&text)), width, 2));
    page.lines(lines.collect::<Vec<_>>().join("\n").lines().map(|line| format!("  {line}")).collect());
    page.text
}

fn can_judge(capacity: &Capacity) -> String {
    format!(
        "This client can judge up to about {} of {}, or {} MB/s.",
        counted(capacity.streams, "stream"),
        capacity.format,
        number(capacity.mb_per_s)
    )
}

fn no_capacity(test: &SelfTest) -> &'static str {
    match test.unfit.is_empty() {
        true => {
            "This client is fit to measure. It does not report processor time, so its limit is unmeasured."
        }
        false => "This client is not fit to measure. Do not trust figures that were measured now.",
    }
}

fn unfit_sentence(why: Unfit, test: &SelfTest) -> String {
    let known = &test.known_answer;
    match why {
        Unfit::ClockStepsBack => format!(
            "The clock stepped back {}. Select another clock source in the system or its hypervisor.",
            counted(test.clock.backward_steps, "time")
        ),
        Unfit::LateWaits => "Waits ended too late. Stop other programs, and repeat the self-test.".to_owned(),
        Unfit::RequestsNotKept => {
            "Fewer requests were in flight than requested. Stop other programs, and repeat \
                                   the self-test."
                .to_owned()
        }
        Unfit::WrongAnswer => format!(
            "Reelgauge counted {} late frames of {}; {} of {} are right. Stop other programs, and repeat the \
             self-test. If that does not help, report it as a bug.",
            count(known.late_frames),
            count(known.frames),
            count(known.expected_late_frames),
            count(known.expected_frames)
        ),
    }
}

/// How the limit follows from the figures.
fn rule(test: &SelfTest) -> String {
    format!(
        "{} of the time of {}, if 99 of 100 waits end at most {} late and none more than {}.",
        percent(PROCESSOR_SHARE),
        counted(test.processors as u64, "processor"),
        duration(LATE_P99_US),
        duration(LATE_MAX_US)
    )
}

/// The figures, line by line: a name and a text.
fn block(test: &SelfTest) -> Vec<(&'static str, String)> {
    let unknown = || "unknown".to_owned();
    let clock = &test.clock;
    let resolution = clock.resolution_ns.map_or_else(unknown, |ns| format!("{} ns", count(ns)));
    let known = &test.known_answer;
    let mut lines = vec![
        (
            "reelgauge",
            format!(
                "{}, self-test {}",
                test.version,
                if test.unfit.is_empty() { "passed" } else { "failed" }
            ),
        ),
        ("system", format!("{}; {}", test.system, test.kernel.clone().unwrap_or_else(unknown))),
        ("processors", format!("{} × {}", test.processors, test.processor.clone().unwrap_or_else(unknown))),
        (
            "clock",
            format!(
                "{} back in {} readings; resolution {resolution}; {} ns per reading",
                counted(clock.backward_steps, "step"),
                count(clock.readings),
                number(clock.reading_ns)
            ),
        ),
        ("waits", test.waits.as_ref().map_or_else(unmeasured, |waits| format!("late by {}", spread(waits)))),
        ("in flight", test.in_flight.iter().map(depth).collect::<Vec<_>>().join("; ")),
        (
            "one core",
            test.core.map_or_else(unmeasured, |core| {
                format!(
                    "{} reads/s of 4 KiB; frames at {} MB/s",
                    number(core.ops_per_s),
                    number(core.mb_per_s)
                )
            }),
        ),
        (
            "known answer",
            format!(
                "{} of {} frames late; expected {} of {}",
                count(known.late_frames),
                count(known.frames),
                count(known.expected_late_frames),
                count(known.expected_frames)
            ),
        ),
    ];
    lines.extend(storage(test));
    lines
}

fn storage(test: &SelfTest) -> Vec<(&'static str, String)> {
    let Some(storage) = &test.storage else {
        return vec![("storage", "unmeasured, no PATH was given".to_owned())];
    };
    let direct = [storage.direct_read, storage.direct_write].map(direct_words);
    vec![
        ("file system", storage.file_system.clone()),
        ("direct I/O", format!("reads {}; writes {}", direct[0], direct[1])),
        ("fsync", storage.fsync.as_ref().map_or_else(unmeasured, spread)),
    ]
}

fn unmeasured() -> String {
    "unmeasured".to_owned()
}

/// Percentiles with their number.
fn spread(found: &Durations) -> String {
    let p99 = found.p99_us.map_or_else(unmeasured, duration);
    let (p50, max) = (duration(found.p50_us), duration(found.max_us));
    format!("p50 {p50}, p99 {p99}, max {max} (of {})", count(found.count))
}

/// `16 requested, 15.9 measured`, and the largest number if it differs.
fn depth(found: &DepthFigures) -> String {
    let max =
        if found.max == found.requested { String::new() } else { format!(" (max {})", count(found.max)) };
    format!("{} requested, {} measured{max}", count(found.requested), number(found.mean))
}

fn direct_words(state: DirectState) -> &'static str {
    match state {
        DirectState::Works => "are direct",
        DirectState::Ignored => "pass through the cache",
        DirectState::Refused => "are refused",
        DirectState::Unmeasured => "unmeasured, the system does not show it",
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::selftest::{ClockFigures, CoreFigures, KnownAnswer, StorageFigures};

    use super::*;

    fn test() -> SelfTest {
        let waits = Durations { count: 3_000, p50_us: 61.0, p99_us: Some(120.0), max_us: 890.0 };
        SelfTest {
            version: "0.1.0".to_owned(),
            system: "Debian GNU/Linux 13".to_owned(),
            kernel: Some("Linux 6.12.8".to_owned()),
            processor: Some("EPYC".to_owned()),
            processors: 4,
            clock: ClockFigures {
                readings: 9_123_456,
                backward_steps: 0,
                resolution_ns: Some(10),
                reading_ns: 24.7,
            },
            waits: Some(waits),
            in_flight: [1, 64]
                .map(|max| DepthFigures { requested: max, mean: max as f64 * 0.99, max })
                .to_vec(),
            core: Some(CoreFigures { ops_per_s: 1.2e6, mb_per_s: 6_123.0 }),
            known_answer: KnownAnswer {
                players: 8,
                expected_frames: 848,
                frames: 848,
                expected_late_frames: 200,
                late_frames: 200,
            },
            storage: None,
            unfit: Vec::new(),
            capacity: Some(Capacity {
                format: "Apple ProRes 422 HQ UHD, 25 fps".to_owned(),
                streams: 132,
                mb_per_s: 12_246.0,
            }),
        }
    }

    #[test]
    fn fit_client_on_a_screen() {
        insta::assert_snapshot!(selftest_screen(&test(), Style { width: 80, ..Style::default() }));
    }

    #[test]
    fn unfit_client_with_storage_on_a_screen() {
        let all = [Unfit::ClockStepsBack, Unfit::LateWaits, Unfit::RequestsNotKept, Unfit::WrongAnswer];
        let fsync = Durations { count: 40, p50_us: 1_400.0, p99_us: None, max_us: 31_000.0 };
        let storage = StorageFigures {
            file_system: "nfs4".to_owned(),
            direct_read: DirectState::Works,
            direct_write: DirectState::Unmeasured,
            fsync: Some(fsync),
        };
        let mut found = SelfTest {
            waits: None,
            core: None,
            storage: Some(storage),
            unfit: all.to_vec(),
            capacity: None,
            ..test()
        };
        found.in_flight[1].max = 60;
        found.clock.backward_steps = 3;
        found.known_answer.late_frames = 199;
        insta::assert_snapshot!(selftest_screen(&found, Style { width: 80, ..Style::default() }));
    }
}
