//! The progress display on standard error: the phase, and the live figure that matters.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use reelgauge_runner::observer::{Live, Observer};

/// Whoever plans for longer ends when there is nothing left to do, and nobody knows when that is.
const FORESEEABLE: Duration = Duration::from_secs(400 * 24 * 3600);

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
        let left = if live.total > FORESEEABLE { String::new() } else { format!(", {left_s} s left") };
        self.bar.set_message(format!("{}: {}{left}", live.label, figures(live)));
    }

    fn finished(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// What matters most comes first: late frames where there are frames.
fn figures(live: &Live) -> String {
    let rates = format!(
        "{:.0} MB/s read, {:.0} MB/s written",
        live.read_bytes_per_s / 1e6,
        live.write_bytes_per_s / 1e6
    );
    match live.late_frames {
        Some(0) => format!("no late frame, {rates}"),
        Some(1) => format!("1 late frame, {rates}"),
        Some(late_frames) => format!("{late_frames} late frames, {rates}"),
        None => rates,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn late_frames_come_first_where_there_are_frames() {
        let live = |late_frames| Live {
            label: "8 streams".to_owned(),
            elapsed: Duration::from_secs(2),
            warmup: Duration::from_secs(1),
            total: Duration::from_secs(9),
            read_bytes_per_s: 52.4e6,
            write_bytes_per_s: 0.0,
            late_frames,
        };
        assert_eq!(figures(&live(None)), "52 MB/s read, 0 MB/s written");
        assert_eq!(figures(&live(Some(0))), "no late frame, 52 MB/s read, 0 MB/s written");
        assert_eq!(figures(&live(Some(1))), "1 late frame, 52 MB/s read, 0 MB/s written");
        assert_eq!(figures(&live(Some(30))), "30 late frames, 52 MB/s read, 0 MB/s written");
    }
}
