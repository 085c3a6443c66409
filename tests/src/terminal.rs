//! A terminal of any size that shows the binary's screen as a user sees it. tmux draws it.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::binary;
use crate::programs::tool_with;

/// Rows of every terminal; scrolled lines are kept.
const ROWS: u32 = 45;
/// More than any of these commands takes, even on a busy host.
const LIMIT: Duration = Duration::from_secs(400);
/// Printed by the shell after the command, with its exit code.
const END: &str = "ended-with-code";

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A terminal. Dropping it ends the programs in it.
#[derive(Debug)]
pub struct Terminal {
    socket: String,
}

/// The content of a terminal after a command has ended.
#[derive(Debug)]
pub struct Seen {
    /// All lines, without trailing blanks.
    pub lines: Vec<String>,
    /// Lines of the display from each poll during the command.
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

/// Runs the binary in a directory, in a terminal of this width, and polls the display until it has
/// ended.
///
/// # Panics
/// When tmux can't be used, or the command does not end.
pub fn seen(columns: u32, dir: &Path, words: &[&str]) -> Seen {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let terminal = Terminal { socket: format!("reelgauge-test-{}-{number}", std::process::id()) };
    let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    let line = format!(
        "cd {} && {}=1 {} {}; echo {END} $?; sleep 600",
        shell_word(&dir.display().to_string()),
        binary::DETAILS,
        shell_word(&binary::path().display().to_string()),
        words.join(" ")
    );
    let (columns, rows) = (columns.to_string(), ROWS.to_string());
    terminal.tmux(&["new-session", "-d", "-x", &columns, "-y", &rows, "sh", "-c", &line]);
    let began = Instant::now();
    let mut meanwhile = Vec::new();
    // Many commands end at once. Longer ones are polled less often.
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

    /// The content of the display, including scrolled lines. Lines that tmux had to wrap are joined, and
    /// are then wider than the terminal.
    fn lines(&self) -> Vec<String> {
        let text = self.tmux(&["capture-pane", "-p", "-J", "-S", "-"]);
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

/// Quotes any word for the shell.
fn shell_word(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}
