//! The progress display on standard error: the phase, and the live figure that matters.

use indicatif::{ProgressBar, ProgressStyle};
use reelgauge_runner::observer::{Live, Observer};

/// Draws on a terminal, and stays silent everywhere else.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A display, or a silent one.
    pub fn new(silent: bool) -> Progress {
        let bar = if silent { ProgressBar::hidden() } else { ProgressBar::new(1) };
        // A template that does not parse falls back to the library's own.
        if let Ok(style) = ProgressStyle::with_template("{prefix:<12} [{bar:30}] {msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Progress { bar }
    }
}

impl Observer for Progress {
    fn phase(&mut self, name: &str) {
        self.bar.set_prefix(name.to_owned());
        self.bar.set_position(0);
        self.bar.set_message("");
        self.bar.tick();
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
        if live.elapsed < live.warmup {
            self.bar.set_message(format!("{}: warming up, {left_s} s left", live.label));
            return;
        }
        self.bar.set_message(format!(
            "{}: {:.0} MB/s read, {:.0} MB/s written, {left_s} s left",
            live.label,
            live.read_bytes_per_s / 1e6,
            live.write_bytes_per_s / 1e6,
        ));
    }

    fn finished(&mut self) {
        self.bar.finish_and_clear();
    }
}
