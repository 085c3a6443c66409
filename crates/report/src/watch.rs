//! The screen of a watch: the counters of a host without a measurement, the busiest first.
//!
//! Not here: the charts (on the page).

use reelgauge_analysis::facts::{WatchFacts, WatchedCounter};
use reelgauge_analysis::{Outcome, Summary};

use crate::ending::last_lines;
use crate::note::warnings;
use crate::page::ScreenText;
use crate::screen_options::Screen;
use crate::sentence::Tone;
use crate::table::Table;
use crate::text::{plain, plain_short, wrap};
use crate::units::{amount, clock, counted, duration, fixed, mb_per_s, moment, number};

/// Longer names of counters are cut.
const NAME_CHARS: usize = 64;
/// The counters of a short screen, each of the busiest device.
const MAIN: [&str; 9] = [
    "cpu_busy_percent",
    "cpu_busiest_core_percent",
    "memory_available_bytes",
    "pressure_io_some_percent",
    "rx_bytes_per_s",
    "tx_bytes_per_s",
    "read_bytes_per_s",
    "written_bytes_per_s",
    "util_percent",
];

/// The result of a watch.
pub(crate) fn answer(summary: &Summary, facts: &WatchFacts) -> Vec<(Tone, String)> {
    let agent = plain_short(&facts.agent, 60);
    if facts.looks == 0 {
        let why = summary.outcome_reason.as_deref().map(|why| format!(": {}", plain(why)));
        let why = why.unwrap_or_default();
        return vec![(Tone::Bad, format!("Nothing was sampled on {agent}{}.", why.trim_end_matches('.')))];
    }
    let ended = match (summary.outcome, summary.outcome_reason.as_deref()) {
        (Outcome::Complete, _) => None,
        (Outcome::Running, _) => Some("The watch continues.".to_owned()),
        (Outcome::Interrupted, _) => Some("The watch was stopped early. Its samples are kept.".to_owned()),
        (Outcome::BrokeOff, why) => {
            let why = why.map(|why| format!(": {}", plain(why))).unwrap_or_default();
            Some(format!("The watch ended unexpectedly{}. Its samples are kept.", why.trim_end_matches('.')))
        }
    };
    let watched = format!(
        "Watched {agent} for {} ({}); Reelgauge generated no load.",
        moment(facts.watched_s),
        counted(facts.looks, "sample")
    );
    let busiest = busiest(facts).map(|text| (Tone::Answer, text));
    ended.map(|text| (Tone::Bad, text)).into_iter().chain([(Tone::Answer, watched)]).chain(busiest).collect()
}

/// The busiest disk; or the processors, if they were busier. `None` if neither was sampled.
fn busiest(facts: &WatchFacts) -> Option<String> {
    let of = |layer: &'static str, name: &'static str| {
        let all = facts.counters.iter().filter(move |counter| counter.layer == layer && counter.name == name);
        all.max_by(|one, two| one.mean.total_cmp(&two.mean))
    };
    let (disk, processors) = (of("disk", "util_percent"), of("host", "cpu_busy_percent"));
    let busiest = disk.into_iter().chain(processors).max_by(|one, two| one.mean.total_cmp(&two.mean))?;
    let [mean, largest] = [busiest.mean, busiest.largest].map(|percent| fixed(percent, 0));
    let what = match busiest.layer.as_str() {
        "disk" => format!("Its busiest disk, {}, was", plain_short(&busiest.device, NAME_CHARS)),
        _ => "Its processors were".to_owned(),
    };
    Some(format!("{what} busy {mean} % of the time on average, and {largest} % at most."))
}

/// The whole screen below the result.
pub(crate) fn screen(summary: &Summary, facts: &WatchFacts, show: &Screen, page: &mut ScreenText) {
    if page.is_short {
        page.gap();
        counters(&main(facts), page);
    }
    page.detail(|page| {
        page.gap();
        counters(&facts.counters.iter().collect::<Vec<_>>(), page);
    });
    page.gap();
    page.detail(|page| facts.unread.iter().for_each(|what| page.item("Not sampled", &plain(what))));
    page.warnings(&warnings(summary));
    last_lines(summary, show, page);
}

/// The main counters, each of the device with the largest mean.
fn main(facts: &WatchFacts) -> Vec<&WatchedCounter> {
    let largest = |name: &&str| {
        let all = facts.counters.iter().filter(|counter| counter.name == *name);
        all.max_by(|one, two| one.mean.total_cmp(&two.mean))
    };
    MAIN.iter().filter_map(largest).collect()
}

/// The table of counters. In a narrow terminal a line for each: several tables that each repeat the names
/// are hard to read.
fn counters(counters: &[&WatchedCounter], page: &mut ScreenText) {
    if counters.is_empty() {
        return;
    }
    let mut table = Table::default();
    let column = |cell: &dyn Fn(&WatchedCounter) -> String| {
        counters.iter().map(|counter| cell(counter)).collect::<Vec<_>>()
    };
    table.words("Counter", column(&|counter| plain_short(&counter.words, NAME_CHARS)));
    table.column("", "Mean", column(&|counter| value_words(counter, counter.mean)));
    table.column("", "Maximum", column(&|counter| value_words(counter, counter.largest)));
    table.column("", "Max. at", column(&|counter| clock(counter.largest_at_s)));
    match table.width() <= page.width {
        true => page.table(table),
        false => {
            let each = counters.iter().flat_map(|counter| counter_lines(counter, page.width));
            page.lines(each.collect());
        }
    }
}

/// A counter in a narrow terminal: `vda busy: 0.5 % on average, at most 0.8 % at 00:01.0`.
fn counter_lines(counter: &WatchedCounter, width: usize) -> Vec<String> {
    let text = format!(
        "{}: {} on average, at most {} at {}",
        plain_short(&counter.words, NAME_CHARS),
        value_words(counter, counter.mean),
        value_words(counter, counter.largest),
        clock(counter.largest_at_s)
    );
    wrap(&text, width, 2).lines().map(str::to_owned).collect()
}

/// A value in its unit: `83 %`, `112 MB/s`, `4.20 ms`.
fn value_words(counter: &WatchedCounter, value: f64) -> String {
    match counter.unit.as_str() {
        "percent" => format!("{} %", fixed(value, 1)),
        // Zero is shown with as many decimals as the other values.
        "bytes_per_s" if value == 0.0 => "0.00 MB/s".to_owned(),
        "per_s" if value == 0.0 => "0.00/s".to_owned(),
        "bytes_per_s" => format!("{} MB/s", mb_per_s(value)),
        "us" => duration(value),
        "bytes" => amount(value.max(0.0) as u64),
        "per_s" => format!("{}/s", number(value)),
        _ => number(value),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::summary::Target;

    use super::*;
    use crate::{Detail, Style, Tables, screen as of};

    fn counter(layer: &str, name: &str, unit: &str, mean: f64) -> WatchedCounter {
        WatchedCounter {
            layer: layer.to_owned(),
            name: name.to_owned(),
            device: "sda".to_owned(),
            words: "sda busy".to_owned(),
            unit: unit.to_owned(),
            mean,
            largest: mean * 2.0,
            largest_at_s: 7.0,
        }
    }

    fn watch(counters: Vec<WatchedCounter>) -> Summary {
        let mut summary = Summary::new("0.1.0", "2026-11-22T10:00:00Z", "watch", Target::default());
        let looks = if counters.is_empty() { 0 } else { 61 };
        summary.watch = Some(WatchFacts {
            agent: "nas1".to_owned(),
            watched_s: 60.0,
            looks,
            counters,
            unread: Vec::new(),
        });
        summary
    }

    fn shown(summary: &Summary) -> String {
        shown_in(summary, false)
    }

    fn shown_in(summary: &Summary, is_short: bool) -> String {
        let style = Style { width: 80, is_short, ..Style::default() };
        of(
            summary,
            &Screen {
                style,
                tables: Tables::Last,
                detail: Detail::Normal,
                run_dir: Some("runs/w"),
                report: None,
                is_on_paper: false,
            },
        )
    }

    #[test]
    fn watch_shows_busy_parts_and_that_no_load_was_made() {
        let summary = watch(vec![
            counter("disk", "util_percent", "percent", 40.0),
            counter("disk", "mean_read_us", "us", 2_100.0),
        ]);
        let text = shown(&summary);
        insta::assert_snapshot!(text);

        assert!(
            text.contains("40.0 %") && text.contains("2.10 ms") && text.contains("Files: runs/w"),
            "{text}"
        );
        assert!(!text.to_lowercase().contains("operation"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn short_screen_has_the_busiest_device_of_each_main_counter() {
        let mut quiet = counter("disk", "util_percent", "percent", 5.0);
        quiet.words = "sdb busy".to_owned();
        let mut other = counter("disk", "mean_read_us", "us", 2_100.0);
        other.words = "sda time of a read".to_owned();
        let summary = watch(vec![quiet, counter("disk", "util_percent", "percent", 40.0), other]);
        let [short, long] = [true, false].map(|is_short| shown_in(&summary, is_short));
        assert!(short.contains("sda busy") && short.contains("--details"), "{short}");
        assert!(!short.contains("sdb busy") && !short.contains("sda time of a read"), "{short}");
        assert!(long.contains("sdb busy") && long.contains("sda time of a read"), "{long}");
    }

    #[test]
    fn watch_without_samples_has_a_reason() {
        let mut summary = watch(Vec::new());
        summary.outcome = Outcome::BrokeOff;
        summary.outcome_reason = Some("the disk is full.".to_owned());
        insta::assert_snapshot!(shown(&summary));
    }
}
