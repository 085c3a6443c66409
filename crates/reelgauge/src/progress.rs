//! The progress display on standard error: the phase, and the live figure that matters.

mod terminal_bar;

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use reelgauge_analysis::forecast::{Forecast, TimeAhead};
use reelgauge_engine::dataset::OtherSet;
use reelgauge_report::forecast_line;
use reelgauge_report::text::wrap;
use reelgauge_report::units::{amount, counted, moment, number};
use reelgauge_runner::observer::{Live, Observer, SearchProgress};

use self::terminal_bar::{View, drawing};
use crate::screen;

/// A longer plan ends when its work does, at an unknown time.
const FORESEEABLE: Duration = Duration::from_secs(400 * 24 * 3600);
/// The rate of making files is known after this time.
const RATE_KNOWN_AFTER: Duration = Duration::from_secs(2);

/// Draws on a terminal; silent otherwise.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    silent: bool,
    phase: String,
    /// The state of a search.
    search: Option<SearchProgress>,
    /// The length of all load points together, if known.
    planned: Option<Duration>,
    /// The part of it in load points that are over.
    over: Duration,
    /// When making files began, and the number of bytes at that time.
    making: Option<(Instant, u64)>,
    colour: bool,
}

impl Progress {
    /// A permanent line above the display.
    pub fn say(&self, line: &str) {
        if !self.silent {
            let line = screen::harmless(line);
            let line = screen::error_width().map_or_else(|| line.clone(), |width| wrap(&line, width, 0));
            self.bar.suspend(|| eprintln!("{line}"));
        }
    }

    /// The label of the measurement; for a search, of the whole search.
    fn label(&self, live: &Live) -> String {
        self.search.as_ref().map_or_else(|| live.label.clone(), |step| standing(step, live.elapsed))
    }

    /// Creates a display, or a silent one.
    pub fn new(silent: bool) -> Progress {
        let bar = if silent { ProgressBar::hidden() } else { ProgressBar::new(1) };
        // An invalid template falls back to the library's own.
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Progress {
            bar,
            silent,
            phase: String::new(),
            search: None,
            planned: None,
            over: Duration::ZERO,
            making: None,
            colour,
        }
    }

    fn draw(&self, view: View) {
        let view = View { phase: self.phase.clone(), ..view };
        let width = screen::error_width().unwrap_or(reelgauge_report::Style::default().width);
        // On some terminals, a line that fills the last column begins another one.
        self.bar.set_message(drawing(&view, width.saturating_sub(1), self.colour));
    }

    /// The remaining time of all load points, or at least of this one.
    fn left(&self, live: &Live) -> Option<Duration> {
        if live.total > FORESEEABLE {
            return None;
        }
        // A search reports its own length.
        let all = self.planned.filter(|_| self.search.is_none()).map(|all| all.saturating_sub(self.over));
        let all = all.unwrap_or(live.total).max(live.total);
        Some(Duration::from_secs(all.saturating_sub(live.elapsed).as_secs()))
    }
}

impl Observer for Progress {
    fn phase(&mut self, name: &str) {
        name.clone_into(&mut self.phase);
        self.making = None;
        self.draw(View::default());
        self.bar.tick();
    }

    fn ahead(&mut self, verb: &str, forecast: &Forecast) {
        self.planned = match forecast.time {
            TimeAhead::Planned { s } => Some(Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX)),
            TimeAhead::Between { .. } | TimeAhead::Unknown => None,
        };
        self.over = Duration::ZERO;
        if forecast.is_worth_saying() {
            self.say(&format!("{verb}: {}", forecast_line(forecast)));
        }
    }

    fn searching(&mut self, step: &SearchProgress) {
        self.search = Some(step.clone());
    }

    fn removing_data_set(&mut self, set: &OtherSet) {
        let (name, bytes) = (&set.name, amount(set.bytes));
        self.say(&format!("Removing test files of an earlier run to make room: {name} ({bytes})."));
    }

    fn prepared(&mut self, done_bytes: u64, total_bytes: u64) {
        let (began, bytes_then) = *self.making.get_or_insert_with(|| (Instant::now(), done_bytes));
        let (took, made_bytes) = (began.elapsed(), done_bytes.saturating_sub(bytes_then));
        let left_bytes = total_bytes.saturating_sub(done_bytes);
        let is_known = took > RATE_KNOWN_AFTER && made_bytes > 0;
        let left_s = is_known.then(|| took.as_secs_f64() * left_bytes as f64 / made_bytes as f64);
        self.draw(View {
            share: Some(done_bytes as f64 / total_bytes.max(1) as f64),
            left: left_s.and_then(|left_s| Duration::try_from_secs_f64(left_s.ceil()).ok()),
            text: format!("{} of {} of test files written", amount(done_bytes), amount(total_bytes)),
            ..View::default()
        });
    }

    fn verified(&mut self, checked_bytes: u64) {
        let text = format!("{} read back and verified", amount(checked_bytes));
        self.draw(View { text, ..View::default() });
    }

    fn live(&mut self, live: &Live) {
        let share = live.elapsed.as_secs_f64() / live.total.as_secs_f64().max(0.001);
        let is_warming_up = live.elapsed < live.warmup && live.waiting.silence().is_none();
        let (figures, bad) =
            if is_warming_up { ("warming up".to_owned(), Vec::new()) } else { figures(live) };
        self.draw(View {
            share: (live.total <= FORESEEABLE).then_some(share),
            left: self.left(live),
            text: format!("{}: {figures}", self.label(live)),
            bad,
            ..View::default()
        });
        if live.is_over {
            self.over += live.total;
        }
    }

    fn finished(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The state of a search this long after its trial began.
fn standing(step: &SearchProgress, since_step: Duration) -> String {
    let known = [(&step.passed, "passed"), (&step.failed, "failed")];
    let known = known.iter().filter_map(|(load, what)| Some(format!(", {} {what}", load.as_ref()?)));
    let elapsed = moment((step.elapsed + since_step).as_secs_f64());
    let at_most =
        step.at_most.map_or_else(String::new, |time| format!(" of at most {}", moment(time.as_secs_f64())));
    format!("trial {}, {}{}, {elapsed}{at_most}", step.trial, step.label, known.collect::<String>())
}

/// The most important first: storage that does not respond, then late frames if there are frames. Also
/// returns which parts are bad news.
fn figures(live: &Live) -> (String, Vec<String>) {
    let silence = live.waiting.silence();
    let silence = silence.map(|silence| format!("no answer for {:.1} s", silence.as_secs_f64()));
    let late = live.late_frames.map(|late_frames| match late_frames {
        0 => "no late frame".to_owned(),
        late_frames => counted(late_frames, "late frame"),
    });
    let is_late = live.late_frames.is_some_and(|late_frames| late_frames > 0);
    let bad = silence.iter().chain(late.iter().filter(|_| is_late)).cloned().collect();
    // Whole MB/s: more digits that change four times a second are unreadable.
    let rate = |bytes_per_s: f64| number((bytes_per_s / 1e6).round());
    let rates =
        format!("{} MB/s read, {} MB/s written", rate(live.read_bytes_per_s), rate(live.write_bytes_per_s));
    let parts: Vec<String> = silence.into_iter().chain(late).chain([rates]).collect();
    (parts.join(", "), bad)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reelgauge_runner::observer::Waiting;

    use super::*;

    #[test]
    fn a_search_shows_all_of_itself() {
        let step = SearchProgress {
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
        let first = SearchProgress { trial: 1, passed: None, failed: None, at_most: None, ..step };
        assert_eq!(standing(&first, Duration::ZERO), "trial 1, 12 players, 100 s");
    }

    fn live(late_frames: Option<u64>, no_answer: Option<Duration>) -> Live {
        Live {
            label: "8 streams".to_owned(),
            elapsed: Duration::from_secs(2),
            warmup: Duration::from_secs(1),
            total: Duration::from_secs(9),
            read_bytes_per_s: 52.4e6,
            late_frames,
            waiting: Waiting { longest_in_flight: no_answer, no_answer },
            ..Live::default()
        }
    }

    #[test]
    fn late_frames_come_first_where_there_are_frames() {
        let figures = |late_frames| figures(&live(late_frames, None)).0;
        assert_eq!(figures(None), "52.0 MB/s read, 0 MB/s written");
        assert_eq!(figures(Some(0)), "no late frame, 52.0 MB/s read, 0 MB/s written");
        assert_eq!(figures(Some(1)), "1 late frame, 52.0 MB/s read, 0 MB/s written");
        assert_eq!(figures(Some(1030)), "1,030 late frames, 52.0 MB/s read, 0 MB/s written");
    }

    #[test]
    fn unresponsive_storage_is_shown_first() {
        let silent = |ms| live(Some(30), Some(Duration::from_millis(ms)));
        let rates = "52.0 MB/s read, 0 MB/s written";
        let (text, bad) = figures(&silent(6_240));
        assert_eq!(text, format!("no answer for 6.2 s, 30 late frames, {rates}"));
        assert_eq!(bad, ["no answer for 6.2 s", "30 late frames"]);
        // Waits of a quarter of a second are not shown.
        assert_eq!(figures(&silent(250)).0, format!("30 late frames, {rates}"));
    }

    #[test]
    fn the_time_that_is_left_is_that_of_all_load_points() {
        let mut progress = Progress::new(true);
        assert_eq!(progress.left(&live(None, None)), Some(Duration::from_secs(7)));
        progress.planned = Some(Duration::from_secs(90));
        progress.over = Duration::from_secs(30);
        assert_eq!(progress.left(&live(None, None)), Some(Duration::from_secs(58)));
    }
}
