//! The progress display on standard error: the phase, and the live figure that matters.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use reelgauge_analysis::forecast::Forecast;
use reelgauge_engine::dataset::OtherSet;
use reelgauge_report::forecast_line;
use reelgauge_report::units::{amount, moment};
use reelgauge_runner::observer::{Live, Observer, SearchStep};

/// Whoever plans for longer ends when there is nothing left to do, and nobody knows when that is.
const FORESEEABLE: Duration = Duration::from_secs(400 * 24 * 3600);

/// Draws on a terminal, and stays silent everywhere else.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    silent: bool,
    /// Where a search stands.
    search: Option<SearchStep>,
    colour: bool,
}

impl Progress {
    /// A line that stays, above the display.
    pub fn say(&self, line: &str) {
        if !self.silent {
            self.bar.suspend(|| eprintln!("{line}"));
        }
    }

    /// What is measured: of a search, all of it.
    fn label(&self, live: &Live) -> String {
        self.search.as_ref().map_or_else(|| live.label.clone(), |step| standing(step, live.elapsed))
    }

    /// A display, or a silent one.
    pub fn new(silent: bool) -> Progress {
        let bar = if silent { ProgressBar::hidden() } else { ProgressBar::new(1) };
        // A template that does not parse falls back to the library's own.
        if let Ok(style) = ProgressStyle::with_template("{prefix:<12} [{bar:30}] {msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Progress { bar, silent, search: None, colour }
    }
}

impl Observer for Progress {
    fn phase(&mut self, name: &str) {
        self.bar.set_prefix(name.to_owned());
        self.bar.set_position(0);
        self.bar.set_message("");
        self.bar.tick();
    }

    fn ahead(&mut self, verb: &str, forecast: &Forecast) {
        if forecast.is_worth_saying() {
            self.say(&format!("{verb}: {}", forecast_line(forecast)));
        }
    }

    fn searching(&mut self, step: &SearchStep) {
        self.search = Some(step.clone());
    }

    fn giving_back(&mut self, set: &OtherSet) {
        let (name, bytes) = (&set.name, amount(set.bytes));
        self.say(&format!("Removing test files of an earlier run to make room: {name} ({bytes})."));
    }

    fn prepared(&mut self, done_bytes: u64, total_bytes: u64) {
        self.bar.set_length(total_bytes.max(1));
        self.bar.set_position(done_bytes);
        self.bar.set_message(format!(
            "{} of {} MB of test files",
            done_bytes / 1_000_000,
            total_bytes / 1_000_000
        ));
    }

    fn verified(&mut self, checked_bytes: u64) {
        self.bar.set_message(format!("{} MB read back and compared", checked_bytes / 1_000_000));
    }

    fn live(&mut self, live: &Live) {
        self.bar.set_length(live.total.as_millis().max(1) as u64);
        self.bar.set_position(live.elapsed.min(live.total).as_millis() as u64);
        let left_s = live.total.saturating_sub(live.elapsed).as_secs();
        if live.elapsed < live.warmup && live.waiting.silence().is_none() {
            self.bar.set_message(format!("{}: warming up, {left_s} s left", self.label(live)));
            return;
        }
        let left = if live.total > FORESEEABLE { String::new() } else { format!(", {left_s} s left") };
        self.bar.set_message(format!("{}: {}{left}", self.label(live), figures(live, self.colour)));
    }

    fn finished(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Where a search stands so long after its trial began.
fn standing(step: &SearchStep, since_step: Duration) -> String {
    let known = [(&step.passed, "passed"), (&step.failed, "failed")];
    let known = known.iter().filter_map(|(load, what)| Some(format!(", {} {what}", load.as_ref()?)));
    let elapsed = moment((step.elapsed + since_step).as_secs_f64());
    let at_most =
        step.at_most.map_or_else(String::new, |time| format!(" of at most {}", moment(time.as_secs_f64())));
    format!("trial {}, {}{}, {elapsed}{at_most}", step.trial, step.label, known.collect::<String>())
}

/// What matters most comes first: a storage that does not answer, then late frames where there are frames.
fn figures(live: &Live, colour: bool) -> String {
    let red = |text: String| if colour { format!("\x1b[31m{text}\x1b[0m") } else { text };
    let silence = live.waiting.silence();
    let silence = silence.map(|silence| red(format!("no answer for {:.1} s", silence.as_secs_f64())));
    let late = live.late_frames.map(|late_frames| match late_frames {
        0 => "no late frame".to_owned(),
        1 => red("1 late frame".to_owned()),
        late_frames => red(format!("{late_frames} late frames")),
    });
    let rates = format!(
        "{:.0} MB/s read, {:.0} MB/s written",
        live.read_bytes_per_s / 1e6,
        live.write_bytes_per_s / 1e6
    );
    let parts: Vec<String> = silence.into_iter().chain(late).chain([rates]).collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reelgauge_runner::observer::Waiting;

    use super::*;

    #[test]
    fn a_search_shows_all_of_itself() {
        let step = SearchStep {
            trial: 7,
            label: "12 players".to_owned(),
            passed: Some("8 players".to_owned()),
            failed: Some("16 players".to_owned()),
            elapsed: Duration::from_secs(100),
            at_most: Some(Duration::from_secs(540)),
        };
        assert_eq!(
            standing(&step, Duration::from_secs(4)),
            "trial 7, 12 players, 8 players passed, 16 players failed, 104 s of at most 9 min 00 s"
        );
        let first = SearchStep { trial: 1, passed: None, failed: None, at_most: None, ..step };
        assert_eq!(standing(&first, Duration::ZERO), "trial 1, 12 players, 100 s");
    }

    fn live(late_frames: Option<u64>, no_answer: Option<Duration>) -> Live {
        Live {
            at_ns: 0,
            label: "8 streams".to_owned(),
            elapsed: Duration::from_secs(2),
            warmup: Duration::from_secs(1),
            total: Duration::from_secs(9),
            read_bytes_per_s: 52.4e6,
            write_bytes_per_s: 0.0,
            late_frames,
            margin_ns: None,
            streams: Vec::new(),
            waiting: Waiting { longest_in_flight: no_answer, no_answer },
            is_over: false,
        }
    }

    #[test]
    fn late_frames_come_first_where_there_are_frames() {
        let figures = |late_frames| figures(&live(late_frames, None), false);
        assert_eq!(figures(None), "52 MB/s read, 0 MB/s written");
        assert_eq!(figures(Some(0)), "no late frame, 52 MB/s read, 0 MB/s written");
        assert_eq!(figures(Some(1)), "1 late frame, 52 MB/s read, 0 MB/s written");
        assert_eq!(figures(Some(30)), "30 late frames, 52 MB/s read, 0 MB/s written");
    }

    #[test]
    fn a_storage_that_does_not_answer_comes_before_all_else_and_in_red() {
        let silent = |ms| live(Some(30), Some(Duration::from_millis(ms)));
        let rates = "52 MB/s read, 0 MB/s written";
        assert_eq!(figures(&silent(6_240), false), format!("no answer for 6.2 s, 30 late frames, {rates}"));
        let red = "\x1b[31mno answer for 6.2 s\x1b[0m, \x1b[31m30 late frames\x1b[0m";
        assert_eq!(figures(&silent(6_240), true), format!("{red}, {rates}"));
        // Answers that take a quarter of a second are no news.
        assert_eq!(figures(&silent(250), false), format!("30 late frames, {rates}"));
    }
}
