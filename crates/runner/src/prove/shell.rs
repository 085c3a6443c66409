//! The user's commands, run by the shell exactly as written.
//!
//! Each has a separate process group: Ctrl-C in the terminal, which ends the measurement, does not
//! interrupt a change or an undo. Its output goes to a file without a name, which can't block it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use reelgauge_results::process_group::end_group;

#[cfg(unix)]
use crate::command_watcher::{ParentPipe, leashed};
use crate::interrupt::Interrupt;

/// A pipe that ends the shell when this process ends. Not available on this system.
#[cfg(not(unix))]
struct ParentPipe;

#[cfg(not(unix))]
impl ParentPipe {
    fn release(self) {}
}

/// The interval of checks for an interrupt.
const SAID_MAX_BYTES: u64 = 2048;

/// A command that takes longer is reported once, so that the user knows what is in progress.
const BEAT: Duration = Duration::from_millis(10);
/// A command that takes longer is reported once, so that the user knows what is in progress.
const LONG: Duration = Duration::from_secs(5);
/// The limit after an interrupt.
const LONG_WHEN_ASKED: Duration = Duration::from_secs(1);

/// A command that takes long, or continues after an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterruptibleWait<'a> {
    pub command: &'a str,
    /// The number of its shell's process.
    pub pid: u32,
    /// Whether the user interrupted the run.
    pub is_interrupted: bool,
}

/// The settings of a command.
pub(crate) struct CommandOptions<'a> {
    pub(crate) directory: &'a Path,
    /// Receives the number of its process as soon as it has one.
    pub(crate) begun: &'a mut dyn FnMut(u32),
    /// Called if the command takes long, or continues after an interrupt.
    pub(crate) waiting: &'a mut dyn FnMut(&InterruptibleWait<'_>),
    /// Whether the user interrupted the run.
    pub(crate) interrupt: &'a Interrupt,
    /// Whether to end the command on an interrupt and when this program ends. Never set for a change or
    /// its undo.
    pub(crate) ends_when_asked: bool,
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShellError {
    /// There is no shell, or no process can be started.
    #[error("cannot start '{command}': {source}")]
    Start {
        command: String,
        /// The error of the system.
        source: io::Error,
    },
    /// Its directory no longer exists.
    #[error("cannot run '{command}': its directory {} does not exist", directory.display())]
    Directory { command: String, directory: PathBuf },
    /// It was ended because of an interrupt.
    #[error("interrupted")]
    Interrupted,
    /// Its exit status is not 0.
    #[error("'{command}' failed: {how}{}", said_behind(said))]
    Failed {
        command: String,
        /// Its exit status or the signal.
        how: String,
        /// Its output.
        said: String,
    },
}

fn said_behind(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

/// Runs a command to its end.
///
/// # Errors
/// If it cannot be started, its directory does not exist, or its exit status is not 0.
pub(crate) fn run(command: &str, with: &mut CommandOptions<'_>) -> Result<(), ShellError> {
    let directory = with.directory;
    let start = |source| ShellError::Start { command: command.to_owned(), source };
    if !directory.is_dir() {
        let directory = directory.to_path_buf();
        return Err(ShellError::Directory { command: command.to_owned(), directory });
    }
    let mut said = tempfile::tempfile().map_err(start)?;
    let (mut shell, leash) = match with.ends_when_asked {
        true => leashed_shell(command).map_err(start)?,
        false => (shell(command), None),
    };
    shell.current_dir(directory);
    apart(&mut shell);
    shell.stdout(said.try_clone().map_err(start)?).stderr(said.try_clone().map_err(start)?);
    let mut child = shell.spawn().map_err(start)?;
    (with.begun)(child.id());
    // Dropped, because it holds the other end of the leash; otherwise this end would never close.
    drop(shell);
    let Some(status) = wait(&mut child, command, with).map_err(start)? else {
        return Err(ShellError::Interrupted);
    };
    leash.into_iter().for_each(ParentPipe::release);
    if status.success() {
        return Ok(());
    }
    let how = status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"));
    Err(ShellError::Failed { command: command.to_owned(), how, said: beginning(&mut said) })
}

/// Waits for its end, without a limit; `None` if it was ended.
fn wait(child: &mut Child, command: &str, with: &mut CommandOptions<'_>) -> io::Result<Option<ExitStatus>> {
    let (begun, pid) = (Instant::now(), child.id());
    let (mut asked, mut told) = (None, None);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if with.interrupt.asked() {
            if with.ends_when_asked {
                end_group(child);
                return Ok(None);
            }
            asked.get_or_insert_with(Instant::now);
        }
        let is_asked = asked.is_some_and(|asked: Instant| asked.elapsed() >= LONG_WHEN_ASKED);
        let is_news = is_asked && told != Some(true) || told.is_none() && begun.elapsed() >= LONG;
        if is_news {
            (with.waiting)(&InterruptibleWait { command, pid, is_interrupted: is_asked });
            told = Some(is_asked);
        }
        std::thread::sleep(BEAT);
    }
}

#[cfg(unix)]
fn leashed_shell(command: &str) -> io::Result<(Command, Option<ParentPipe>)> {
    let (shell, leash) = leashed(command)?;
    Ok((shell, Some(leash)))
}

/// On other systems only this program ends a command.
#[cfg(not(unix))]
fn leashed_shell(command: &str) -> io::Result<(Command, Option<ParentPipe>)> {
    Ok((shell(command), None))
}

#[cfg(not(windows))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).stdin(Stdio::null());
    shell
}

#[cfg(windows)]
fn shell(command: &str) -> Command {
    use std::os::windows::process::CommandExt;

    let mut shell = Command::new("cmd");
    // The quotes of the command are the shell's, not those of an argument.
    shell.raw_arg("/C").raw_arg(command).stdin(Stdio::null());
    shell
}

#[cfg(unix)]
fn apart(shell: &mut Command) {
    use std::os::unix::process::CommandExt;

    shell.process_group(0);
}

#[cfg(not(unix))]
fn apart(_shell: &mut Command) {}

/// The beginning of the output, trimmed.
pub(super) fn beginning(said: &mut File) -> String {
    let mut text = Vec::new();
    let read = said.seek(SeekFrom::Start(0)).and_then(|_| said.take(SAID_MAX_BYTES).read_to_end(&mut text));
    match read {
        Ok(_) => String::from_utf8_lossy(&text).trim().to_owned(),
        Err(_) => String::new(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn run_in(command: &str, directory: &Path) -> Result<(), ShellError> {
        let interrupt = Interrupt::default();
        run(
            command,
            &mut CommandOptions {
                directory,
                begun: &mut |_| {},
                waiting: &mut |_| {},
                interrupt: &interrupt,
                ends_when_asked: false,
            },
        )
    }

    /// A change is not interrupted, and the user learns which command is in progress.
    #[test]
    fn a_command_in_progress_during_an_interrupt_is_reported_once_and_completes() {
        let dir = tempfile::tempdir().unwrap();
        let interrupt = Interrupt::default();
        interrupt.ask(crate::interrupt::StoppedBy::User);
        let (mut begun, mut told) = (0, Vec::new());
        let command = "sleep 2.5; touch done";
        run(
            command,
            &mut CommandOptions {
                directory: dir.path(),
                begun: &mut |pid| begun = pid,
                waiting: &mut |waiting| {
                    told.push((waiting.command.to_owned(), waiting.pid, waiting.is_interrupted))
                },
                interrupt: &interrupt,
                ends_when_asked: false,
            },
        )
        .unwrap();
        assert!(begun > 0 && dir.path().join("done").exists());
        assert_eq!(told, [(command.to_owned(), begun, true)]);
    }

    #[test]
    fn a_command_that_may_be_ended_is_ended_with_its_children() {
        let dir = tempfile::tempdir().unwrap();
        let interrupt = Interrupt::default();
        interrupt.ask(crate::interrupt::StoppedBy::User);
        let begun = Instant::now();
        let mut with = CommandOptions {
            directory: dir.path(),
            begun: &mut |_| {},
            waiting: &mut |_| {},
            interrupt: &interrupt,
            ends_when_asked: true,
        };
        let ended = run("(sleep 3; touch child) & sleep 60; touch done", &mut with);
        assert!(matches!(ended, Err(ShellError::Interrupted)), "{ended:?}");
        assert!(begun.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_secs(4));
        assert!(std::fs::read_dir(dir.path()).unwrap().next().is_none());
    }

    #[test]
    fn command_is_parsed_by_the_shell() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("made");
        run_in("echo one > made && echo two >> made", dir.path()).unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "one\ntwo\n");
        let gone = run_in("true", &dir.path().join("gone")).unwrap_err().to_string();
        assert!(gone.contains("/gone does not exist"), "{gone}");
    }

    #[test]
    fn a_failure_is_reported_with_the_output() {
        let here = Path::new("/");
        let error = run_in("echo no such setting >&2; exit 3", here).unwrap_err();
        assert_eq!(
            error.to_string(),
            "'echo no such setting >&2; exit 3' failed: exit code 3: no such setting"
        );
        assert!(run_in("kill -9 $$", here).unwrap_err().to_string().contains("signal: 9"));
    }
}
