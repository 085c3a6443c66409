//! A terminal of any size: what a person sees of the binary there. tmux draws it.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::binary;
use crate::tool::tool_with;

/// Rows of every terminal; what scrolls out of it is kept.
const ROWS: u32 = 45;
/// More than any of these commands takes, on a loaded machine too.
const LIMIT: Duration = Duration::from_secs(400);
/// Printed by the shell behind the command, with its exit code.
const END: &str = "ended-with-code";

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A terminal; dropping it ends what runs in it.
#[derive(Debug)]
pub struct Terminal {
    socket: String,
}

/// What stood on a terminal when a command had ended.
#[derive(Debug)]
pub struct Seen {
    /// All lines, without blanks at their ends.
    pub lines: Vec<String>,
    /// Lines of the display while the command went on, as often as it was looked at.
    pub meanwhile: Vec<String>,
    /// The exit code.
    pub code: i32,
}

impl Seen {
    /// The lines as one text.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }
}

/// Runs the binary in a directory, in a terminal of this width, and looks at it until it has ended.
///
/// # Panics
/// When tmux can't be used, or the command does not end.
pub fn seen(columns: u32, dir: &Path, words: &[&str]) -> Seen {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let terminal = Terminal { socket: format!("reelgauge-test-{}-{number}", std::process::id()) };
    let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    let line = format!(
        "cd {} && {} {}; echo {END} $?; sleep 600",
        shell_word(&dir.display().to_string()),
        shell_word(&binary::path().display().to_string()),
        words.join(" ")
    );
    let (columns, rows) = (columns.to_string(), ROWS.to_string());
    terminal.tmux(&["new-session", "-d", "-x", &columns, "-y", &rows, "sh", "-c", &line]);
    let began = Instant::now();
    let mut meanwhile = Vec::new();
    // Many commands end at once; those that go on are not looked at all the time.
    let mut pause = Duration::from_millis(25);
    loop {
        let lines = terminal.lines();
        let end = lines.iter().position(|line| line.starts_with(END));
        if let Some(end) = end {
            let code = lines[end].split_whitespace().last().and_then(|code| code.parse().ok());
            return Seen { lines: lines[..end].to_vec(), meanwhile, code: code.unwrap_or(-1) };
        }
        meanwhile.extend(lines);
        assert!(began.elapsed() < LIMIT, "it does not end: {line}\n{}", meanwhile.join("\n"));
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(200));
    }
}

impl Terminal {
    fn tmux(&self, words: &[&str]) -> String {
        let words = [&["tmux", "-L", &self.socket, "-f", "/dev/null"], words].concat();
        tool_with(&words).unwrap_or_else(|error| panic!("{words:?}: {error}"))
    }

    /// What stands on it, with what has scrolled away. What tmux had to break is one line again, which is
    /// then wider than the terminal.
    fn lines(&self) -> Vec<String> {
        let text = self.tmux(&["capture-pane", "-p", "-J", "-S", "-"]);
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

/// A word as the shell takes it, whatever is in it.
fn shell_word(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended itself.
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}
