//! A process in the group of a user's command that ends the whole group: at a time limit, or when this
//! program ends. It outlives this program, so no part of the command continues, however this program
//! ended.
//!
//! Unix only. Not here: ending a group at once ([`reelgauge_results::process_group`]).

use std::io::{self, PipeWriter, Write};
use std::process::Command;
use std::time::Duration;

/// Ends all processes of the group at the limit, or shortly after the command: a run that was stopped
/// does not wait for its event.
const LIMITED: &str = r#"(left=$1; while [ "$left" -gt 0 ] && kill -0 $$; do sleep 1; left=$((left - 1)); done
    [ "$left" -gt 0 ] && sleep 1; kill -KILL 0) >/dev/null 2>&1 </dev/null & exec /bin/sh -c "$2""#;
/// Ends all processes of the group when standard input ends without a line.
const LEASHED: &str = r#"exec 3<&0 </dev/null; (read -r line <&3 || kill -KILL 0) >/dev/null 2>&1 &
    exec 3<&-; exec /bin/sh -c "$1""#;

/// The other end of a command's standard input, which closes when this program ends.
pub(crate) struct ParentPipe(PipeWriter);

impl ParentPipe {
    /// The command has ended. Its background processes continue.
    pub(crate) fn release(mut self) {
        // If the watcher no longer runs, there is nothing to release.
        let _ = self.0.write_all(b"\n");
    }
}

/// A shell with this command, whose group ends at the limit. The caller sets its group.
pub(crate) fn limited(command: &str, limit: Duration) -> Command {
    let limit_s = limit.as_secs_f64().ceil().max(1.0).to_string();
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", LIMITED, "reelgauge-event", &limit_s, command]);
    shell
}

/// The same for a group that ends with this program, or when the leash is dropped.
pub(crate) fn leashed(command: &str) -> io::Result<(Command, ParentPipe)> {
    let (from, to) = io::pipe()?;
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", LEASHED, "reelgauge-command", command]).stdin(from);
    Ok((shell, ParentPipe(to)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_command_ends_with_its_children_when_the_leash_closes() {
        let dir = tempfile::tempdir().unwrap();
        let (mut shell, leash) = leashed("(sleep 2; touch child) & sleep 71; touch done").unwrap();
        let mut child = shell.current_dir(&dir).process_group(0).spawn().unwrap();
        // The shell keeps its copy of the other end.
        drop(shell);
        let begun = Instant::now();
        drop(leash);
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        assert!(begun.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_secs(3));
        assert!(std::fs::read_dir(&dir).unwrap().next().is_none());
    }

    #[test]
    fn background_processes_continue_after_the_release() {
        let dir = tempfile::tempdir().unwrap();
        let (mut shell, leash) = leashed("(sleep 1; touch child) & cat; exit 3").unwrap();
        let status = shell.current_dir(&dir).process_group(0).status().unwrap();
        leash.release();
        assert_eq!(status.code(), Some(3));
        let begun = Instant::now();
        while !dir.path().join("child").exists() {
            assert!(begun.elapsed() < Duration::from_secs(30));
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
