//! The progress display as text: never wider than the terminal, and nothing in it is cut.

use std::time::Duration;

use reelgauge_report::text::wrap;
use reelgauge_report::units::moment;

/// The longest bar; it is omitted if there is space for less than [`BAR_MIN`].
const BAR_MAX: usize = 40;
const BAR_MIN: usize = 8;

/// The content of the display.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// `preparing`, `measuring`.
    pub phase: String,
    /// The complete share of it, 0 to 1; `None` if unknown.
    pub share: Option<f64>,
    /// The remaining time of all of it, if known.
    pub left: Option<Duration>,
    /// The measurement, and its live figures.
    pub text: String,
    /// Parts of the text that are bad news.
    pub bad: Vec<String>,
}

/// The lines of the display.
pub fn drawing(view: &View, width: usize, colour: bool) -> String {
    let left = view.left.map(|left| format!("{} left", moment(left.as_secs_f64()))).unwrap_or_default();
    let taken = view.phase.chars().count() + left.chars().count() + 4;
    let bar = view.share.map(|share| bar(share, width.saturating_sub(taken).min(BAR_MAX)));
    let head = [view.phase.clone(), bar.unwrap_or_default(), left];
    let head: Vec<String> = head.into_iter().filter(|part| !part.is_empty()).collect();
    let mut text = wrap(&view.text, width, 0);
    if colour {
        for bad in &view.bad {
            text = text.replacen(bad, &format!("\x1b[31m{bad}\x1b[0m"), 1);
        }
    }
    let lines = [head.join(" "), text];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// `[=====>    ]`, with its brackets this wide; empty if that is too narrow to be useful.
fn bar(share: f64, width: usize) -> String {
    if width < BAR_MIN {
        return String::new();
    }
    let inside = width - 2;
    let full = ((share.clamp(0.0, 1.0) * inside as f64) as usize).min(inside);
    let head = if full < inside { ">" } else { "" };
    format!("[{}{head}{}]", "=".repeat(full), " ".repeat(inside - full - head.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> View {
        View {
            phase: "measuring".to_owned(),
            share: Some(0.5),
            left: Some(Duration::from_secs(83)),
            text: "trial 7, 12 players, 8 players passed, 16 players failed, 104 s of at most 9 min 00 s: 30 late \
                   frames, 1,052 MB/s read, 0 MB/s written"
                .to_owned(),
            bad: vec!["30 late frames".to_owned()],
        }
    }

    #[test]
    fn progress_fits_every_terminal_without_truncation() {
        for width in [20, 60, 80, 140] {
            let drawn = drawing(&view(), width, false);
            assert!(drawn.lines().all(|line| line.chars().count() <= width), "{width}:\n{drawn}");
            let flowing = drawn.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flowing.ends_with(&view().text), "{width}:\n{drawn}");
            assert!(flowing.contains("83 s left"), "{width}:\n{drawn}");
        }
        let drawn = drawing(&view(), 80, false);
        assert!(
            drawn.starts_with("measuring [===================>                  ] 83 s left\n"),
            "{drawn}"
        );
    }

    #[test]
    fn bad_news_is_red_and_nothing_else() {
        let drawn = drawing(&view(), 140, true);
        assert!(drawn.contains("\x1b[31m30 late frames\x1b[0m, 1,052 MB/s read"), "{drawn}");
        assert_eq!(drawn.matches("\x1b[").count(), 2);
    }

    #[test]
    fn unknown_values_are_not_shown() {
        assert_eq!(
            drawing(&View { phase: "reporting".to_owned(), ..View::default() }, 80, false),
            "reporting"
        );
    }
}
