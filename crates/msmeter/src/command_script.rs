//! The original's scripts: one command per line after `Cmd>`; all other lines are comments.
//!
//! ```text
//! Cmd> -1   Results C:\path\results.csv
//! Cmd> 0   -p /mnt/x -n 1 -l 1024 -d 0 -w 0 -r 0 -v -f- -dio 1 -bn 7 -bs 1 2 3 4 5 6 7 0 0 0 0
//! Cmd> 0   start
//! Cmd> -1   time 3600
//! Cmd> 0   pause
//! ```
//!
//! As in the original, a script with an invalid line does not run at all. Not here: running it
//! ([`crate::session`]).

use std::time::Duration;

use crate::settings::{Settings, SettingsError};

/// The prefix of a command.
const COMMAND: &str = "Cmd>";
/// Limit of lines in a script.
pub const LINES_MAX: usize = 20_000;
/// Limit of workers in a script.
pub const WORKERS_MAX: usize = 200;
/// The longest wait, in seconds: two days.
const WAIT_S_MAX: u64 = 172_800;
/// Number of invalid lines that are reported.
const ERRORS_SHOWN: usize = 10;

/// A script without invalid commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The commands, in order.
    pub commands: Vec<Command>,
}

/// One command of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The following commands belong to a test of this name: the last component of the file in the
    /// script.
    Results(String),
    /// Sends a worker its settings.
    Set(usize, Settings),
    /// A worker starts or continues.
    Start(usize),
    /// A worker finishes its current operation, and waits.
    Pause(usize),
    /// Sends nothing for this long.
    Wait(Duration),
}

/// The reason why a script does not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// There are too many lines.
    #[error("the script has more than {LINES_MAX} lines")]
    TooLong,
    /// No line starts with "Cmd>".
    #[error("the script has no command. Write each on a separate line that begins with 'Cmd>'")]
    Empty,
    /// No worker is started.
    #[error("the script starts no worker. Add a line such as 'Cmd> 0   start'")]
    NothingStarts,
    /// Some commands are invalid.
    #[error("{}", bad_lines(.0))]
    Lines(Vec<BadLine>),
}

/// A line with an invalid command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its line number, from 1.
    pub number: usize,
    /// The reason why the command is invalid.
    pub why: String,
}

fn bad_lines(lines: &[BadLine]) -> String {
    let shown = lines.iter().take(ERRORS_SHOWN).map(|line| format!("\n  line {}: {}", line.number, line.why));
    let more = match lines.len().saturating_sub(ERRORS_SHOWN) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    format!("the script was not run, because of{}{more}", shown.collect::<String>())
}

impl Script {
    /// Reads a script. `roots` are the folders that workers may use, with everything below them.
    ///
    /// # Errors
    /// If a command is invalid or sends a worker elsewhere, if there are too many lines, or if no worker
    /// is started.
    pub fn read(text: &str, roots: &[String]) -> Result<Script, ScriptError> {
        if text.lines().count() > LINES_MAX {
            return Err(ScriptError::TooLong);
        }
        let (mut commands, mut bad, mut set) = (Vec::new(), Vec::new(), vec![false; WORKERS_MAX]);
        for (at, line) in text.lines().enumerate() {
            let Some(rest) = line.strip_prefix(COMMAND) else { continue };
            match command(rest, roots).and_then(|command| in_order(command, &mut set)) {
                Ok(command) => commands.push(command),
                Err(why) => bad.push(BadLine { number: at + 1, why }),
            }
        }
        if !bad.is_empty() {
            return Err(ScriptError::Lines(bad));
        }
        if commands.is_empty() {
            return Err(ScriptError::Empty);
        }
        if !commands.iter().any(|command| matches!(command, Command::Start(_))) {
            return Err(ScriptError::NothingStarts);
        }
        Ok(Script { commands })
    }

    /// Number of workers: the highest number in the script, plus one.
    pub fn workers(&self) -> usize {
        self.commands.iter().filter_map(Command::worker).max().map_or(0, |highest| highest + 1)
    }

    /// Sum of its waits.
    pub fn takes(&self) -> Duration {
        let waits = self.commands.iter().map(|command| match command {
            Command::Wait(time) => *time,
            _ => Duration::ZERO,
        });
        waits.sum()
    }

    /// Folders that workers write to, each once.
    pub fn written_folders(&self) -> Vec<&str> {
        let mut folders = Vec::new();
        for command in &self.commands {
            if let Command::Set(_, settings) = command
                && settings.write_percent > 0
                && !folders.contains(&settings.path.as_str())
            {
                folders.push(&settings.path);
            }
        }
        folders
    }

    /// Workers that report no operations, so they are not measured.
    pub fn silent_workers(&self) -> Vec<usize> {
        let mut silent: Vec<usize> = self.commands.iter().filter_map(Command::silences).collect();
        silent.sort_unstable();
        silent.dedup();
        silent
    }
}

impl Command {
    /// The worker that it addresses; `None` for commands to the controller.
    pub fn worker(&self) -> Option<usize> {
        match self {
            Command::Set(worker, _) | Command::Start(worker) | Command::Pause(worker) => Some(*worker),
            Command::Results(_) | Command::Wait(_) => None,
        }
    }

    fn silences(&self) -> Option<usize> {
        match self {
            Command::Set(worker, settings) if !settings.verbose => Some(*worker),
            _ => None,
        }
    }
}

/// Refuses to start a worker without settings: it would write to its current folder.
fn in_order(command: Command, set: &mut [bool]) -> Result<Command, String> {
    match &command {
        Command::Set(worker, _) => set[*worker] = true,
        Command::Start(worker) if !set[*worker] => {
            return Err(format!(
                "client {worker} is started without a folder. Put its -p line before its start"
            ));
        }
        _ => {}
    }
    Ok(command)
}

fn command(rest: &str, roots: &[String]) -> Result<Command, String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (number, words) = words.split_first().ok_or("no number after 'Cmd>'")?;
    let client = match number.parse::<i64>() {
        Ok(-1) => None,
        Ok(number) => {
            Some(usize::try_from(number).ok().filter(|number| *number < WORKERS_MAX).ok_or_else(|| {
                format!(
                    "there is no client {number}: clients have the numbers 0 to {}, and -1 is the controller",
                    WORKERS_MAX - 1
                )
            })?)
        }
        Err(_) => return Err(format!("'{}' is not a client number. Write one after 'Cmd>'", shown(number))),
    };
    match (client, words) {
        (Some(client), ["start"]) => Ok(Command::Start(client)),
        (Some(client), ["pause"]) => Ok(Command::Pause(client)),
        (Some(client), ["-p", ..]) => set(client, words, roots),
        (None, ["time", seconds]) => wait(seconds),
        (None, ["Results", ..]) => Ok(Command::Results(results_name(rest))),
        (Some(_), _) => Err("a client takes '-p …', 'start' or 'pause'".to_owned()),
        (None, _) => Err("the controller (-1) takes 'Results FILE' or 'time SECONDS'".to_owned()),
    }
}

fn set(client: usize, words: &[&str], roots: &[String]) -> Result<Command, String> {
    if words.contains(&"-c") {
        return Err(
            "this controller does not create files (-c). Start each worker once with -n N -c MIB".to_owned()
        );
    }
    let settings = Settings::from_words(words).map_err(|error: SettingsError| error.to_string())?;
    if !settings.is_below(roots) {
        let path = shown(&settings.path);
        return Err(format!(
            "{path} is not below a --root. To allow workers to use it, add --root with this folder"
        ));
    }
    Ok(Command::Set(client, settings))
}

fn wait(seconds: &str) -> Result<Command, String> {
    let seconds: u64 = seconds
        .parse()
        .ok()
        .filter(|seconds| (1..=WAIT_S_MAX).contains(seconds))
        .ok_or_else(|| format!("time is {}, but must be 1 to {WAIT_S_MAX} seconds", shown(seconds)))?;
    Ok(Command::Wait(Duration::from_secs(seconds)))
}

/// The last component of the file's path. The folder is ignored: it is on the original controller's host.
fn results_name(rest: &str) -> String {
    let path = rest.split_once("Results").map_or("", |(_, path)| path.trim());
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let fit: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || ".-_".contains(*c)).take(60).collect();
    let fit = fit.trim_start_matches('.').to_owned();
    if fit.is_empty() { "results.csv".to_owned() } else { fit }
}

/// Formats a word of a script for a message.
fn shown(word: &str) -> String {
    word.chars().take(60).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    const SET: &str = "-p /mnt/x -n 1 -l 1024 -d 0 -w 50 -r 0 -v -f- -dio 1 -bn 7 -bs 1 2 3 4 5 6 7 0 0 0 0";

    fn roots() -> Vec<String> {
        vec!["/mnt/x".to_owned()]
    }

    fn read(text: &str) -> Result<Script, ScriptError> {
        Script::read(text, &roots())
    }

    fn bad(lines: &str) -> String {
        read(&format!("Cmd> 0 {SET}\nCmd> 0 start\n{lines}\n")).unwrap_err().to_string()
    }

    #[test]
    fn a_script_of_the_original_is_read() {
        let text = format!(
            "A ramp\nCmd> -1   Results C:\\old tests\\night 1.csv\nCmd> 0   {SET}\nCmd> 3   {SET}\nCmd> 0   start\n\
             Cmd> -1   time 3600\n Cmd> 9 start\nCmd> 0   pause\n"
        );
        let script = read(&text).unwrap();
        assert_eq!(script.commands.len(), 6);
        assert_eq!(script.commands[0], Command::Results("night1.csv".to_owned()));
        assert_eq!((script.workers(), script.takes()), (4, Duration::from_secs(3600)));
        assert_eq!((script.written_folders(), script.silent_workers()), (vec!["/mnt/x"], vec![]));
    }

    #[test]
    fn bad_line_is_reported_with_its_number_before_any_run() {
        for (line, said) in [
            ("Cmd> 0 go", "line 3: a client takes"),
            ("Cmd> -1 start", "line 3: the controller (-1) takes"),
            ("Cmd> 200 start", "clients have the numbers 0 to 199"),
            ("Cmd> x start", "'x' is not a client number"),
            ("Cmd>", "no number after"),
            ("Cmd> -1 time 0", "time is 0, but must be 1 to 172800"),
            ("Cmd> 1 start", "client 1 is started without a folder"),
            ("Cmd> 0 -p /mnt/x -n 4 -c 100", "(-c)"),
        ] {
            assert!(bad(line).contains(said), "{}", bad(line));
        }
        assert!(bad(&"Cmd> 0 go\n".repeat(12)).ends_with("and 2 more"));
    }

    #[test]
    fn workers_stay_below_the_roots() {
        for path in ["/etc", "/mnt/x/../y", "/mnt/xy"] {
            let said = bad(&format!("Cmd> 0 {}", SET.replace("/mnt/x", path)));
            assert!(said.contains("is not below a --root"), "{said}");
        }
        assert!(read(&format!("Cmd> 0 {}\nCmd> 0 start", SET.replace("/mnt/x", "/mnt/x/a"))).is_ok());
    }

    #[test]
    fn scripts_that_measure_nothing_are_refused() {
        assert_eq!(read("start\n"), Err(ScriptError::Empty));
        assert_eq!(read(&format!("Cmd> 0 {SET}")), Err(ScriptError::NothingStarts));
        assert_eq!(read(&"\n".repeat(LINES_MAX + 1)), Err(ScriptError::TooLong));
    }

    #[test]
    fn workers_without_reports_are_listed() {
        let silent = SET.replace(" -v ", " -v- ");
        assert_eq!(read(&format!("Cmd> 2 {silent}\nCmd> 2 start")).unwrap().silent_workers(), [2]);
    }

    #[test]
    fn result_name_cannot_leave_the_directory() {
        for (path, name) in [("../../etc/passwd", "passwd"), ("C:\\..", "results.csv"), ("", "results.csv")] {
            assert_eq!(results_name(&format!("   Results {path}")), name);
        }
    }

    proptest! {
        #[test]
        fn no_script_panics(text in "(Cmd>[ -~]{0,80}\n){0,5}") {
            let _ = read(&text);
        }
    }
}
