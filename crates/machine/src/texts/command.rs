//! Commands that only read: run directly, never through a shell, with an empty environment, and with
//! limits on time and output.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{NotKnown, TEXT_MAX_BYTES, decoded};

/// A command that takes longer is omitted.
const TIME_MAX: Duration = Duration::from_secs(4);

/// Directories of programs. `PATH` is not used: it belongs to the caller, who may have fewer rights than
/// this process.
pub const FOLDERS: [&str; 6] =
    ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin"];

/// The standard output of a command. `words`: its name and arguments.
///
/// # Errors
/// If it is not installed, failed, printed too much, or did not end in time.
pub fn output(words: &[&str]) -> Result<String, NotKnown> {
    let (program, arguments) = words.split_first().ok_or(NotKnown::NotThere)?;
    let program = found(program).ok_or(NotKnown::NotThere)?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().env("LC_ALL", "C").env("PATH", FOLDERS.join(":")).current_dir("/");
    run(command, TIME_MAX)
}

/// The standard output of a command that ends in this time.
pub(super) fn run(mut command: Command, time_max: Duration) -> Result<String, NotKnown> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| NotKnown::of(&error))?;
    let said = child.stdout.take().map(reader);
    let complained = child.stderr.take().map(reader);
    let Some(status) = ended(&mut child, time_max) else {
        // It may be stuck in the kernel, where it cannot be ended, so it is not waited for.
        let _ = child.kill();
        return Err(NotKnown::TimedOut);
    };
    let text = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let (said, complained) = (text(said), text(complained));
    match status.success() {
        _ if said.len() as u64 > TEXT_MAX_BYTES => Err(NotKnown::TooLarge),
        true => Ok(decoded(&said)),
        false => Err(failure(&decoded(&complained), status.code())),
    }
}

fn failure(complaint: &str, code: Option<i32>) -> NotKnown {
    let line = complaint.lines().map(str::trim).rfind(|line| !line.is_empty());
    let code = code.map_or_else(|| "ended by a signal".to_owned(), |code| format!("exit status {code}"));
    NotKnown::Failed(line.map_or(code, |line| line.chars().take(200).collect()))
}

/// The program of this name.
fn found(name: &str) -> Option<PathBuf> {
    FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.is_file())
}

/// Reads the output while waiting for the end: a full pipe would stop the command.
fn reader(pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.take(TEXT_MAX_BYTES + 1).read_to_end(&mut bytes);
        bytes
    })
}

fn ended(child: &mut Child, time_max: Duration) -> Option<std::process::ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < time_max {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) => thread::sleep(Duration::from_millis(5)),
            Err(_) => return None,
        }
    }
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn command_output_failure_and_absence_are_distinguished() {
        assert_eq!(output(&["echo", "$HOME; *"]), Ok("$HOME; *\n".to_owned()));
        assert_eq!(output(&["reelgauge-no-such-program"]), Err(NotKnown::NotThere));
        assert_eq!(output(&["false"]), Err(NotKnown::Failed("exit status 1".to_owned())));
        assert_eq!(output(&["sleep", "60"]), Err(NotKnown::TimedOut));
    }

    #[test]
    fn command_gets_no_environment() {
        let environment = output(&["env"]).unwrap_or_default();
        assert!(environment.contains("LC_ALL=C") && !environment.contains("HOME="), "{environment}");
    }
}
