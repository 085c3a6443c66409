//! A command with all its processes, as one process group: its output goes through a pipe into a file,
//! which keeps the beginning of it, and one process of the group ends all of them at the time limit.
//!
//! Unix only; other systems have no process groups, and nothing is started.

use std::io;
use std::path::Path;
use std::time::Duration;

use reelgauge_analysis::run_event::EventEnd;

#[cfg(unix)]
pub(super) use unix::Group;

/// At most this much of the output is kept.
const KEPT_BYTES: u64 = 1 << 20;

#[cfg(unix)]
mod unix {
    use std::fs::OpenOptions;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, ExitStatus, Stdio};
    use std::time::Instant;

    use reelgauge_results::process_group::end_group;

    use super::{Duration, EventEnd, Path, io};
    use crate::command_watcher::limited;

    /// The interval of checks for the end.
    const BEAT: Duration = Duration::from_millis(20);
    /// How long the end of the output may lag behind the end of the command.
    const OUTPUT_GRACE: Duration = Duration::from_millis(500);
    /// Consumes the rest, too, so that no command blocks on a full pipe or fails with it. One byte more
    /// than is kept shows that there was more.
    const KEEPS: &str = "head -c 1048577; exec cat >/dev/null";

    /// The group: its first process keeps the output.
    pub(in super::super) struct Group {
        keeper: Child,
        command: Child,
        begun: Instant,
    }

    impl Group {
        pub(in super::super) fn start(command: &str, output: &Path, limit: Duration) -> io::Result<Group> {
            let file = OpenOptions::new().write(true).create_new(true).open(output)?;
            let (from, to) = io::pipe()?;
            let mut keeper = Command::new("/bin/sh");
            keeper.args(["-c", KEEPS]).stdin(from).stdout(file).stderr(Stdio::null()).process_group(0);
            let mut keeper = keeper.spawn()?;
            let mut shell = limited(command, limit);
            shell.stdin(Stdio::null()).stdout(to.try_clone()?).stderr(to);
            shell.process_group(keeper.id().cast_signed());
            match shell.spawn() {
                Ok(command) => Ok(Group { keeper, command, begun: Instant::now() }),
                Err(error) => {
                    let _ = keeper.kill();
                    let _ = keeper.wait();
                    Err(error)
                }
            }
        }

        /// Waits for the end of the command. Its background processes end with it.
        pub(in super::super) fn wait(&mut self, limit: Duration) -> EventEnd {
            let end = loop {
                let is_late = self.begun.elapsed() >= limit;
                match self.command.try_wait() {
                    Ok(Some(status)) if !is_late => break end_of(status),
                    Ok(None) if !is_late => std::thread::sleep(BEAT),
                    _ => break EventEnd::TimeLimit,
                }
            };
            let ended = Instant::now();
            while end != EventEnd::TimeLimit
                && ended.elapsed() < OUTPUT_GRACE
                && matches!(self.keeper.try_wait(), Ok(None))
            {
                std::thread::sleep(BEAT);
            }
            self.kill();
            end
        }

        /// Waits for the command alone.
        #[cfg(test)]
        pub(in super::super) fn reap(&mut self) {
            let _ = self.command.wait();
        }

        /// The process that waits for the limit keeps the group's number from being reused.
        fn kill(&mut self) {
            end_group(&mut self.keeper);
            let _ = self.command.wait();
        }
    }

    fn end_of(status: ExitStatus) -> EventEnd {
        match (status.code(), status.signal()) {
            (Some(code), _) => EventEnd::Exit { code },
            (None, number) => EventEnd::Signal { number: number.unwrap_or_default() },
        }
    }
}

/// Whether a command printed more than is kept; the file is then cut there.
pub(super) fn cut_off(output: &Path) -> bool {
    let Ok(file) = std::fs::OpenOptions::new().write(true).open(output) else { return false };
    let is_more = file.metadata().is_ok_and(|found| found.len() > KEPT_BYTES);
    is_more && file.set_len(KEPT_BYTES).is_ok()
}

#[cfg(not(unix))]
pub(super) struct Group;

#[cfg(not(unix))]
impl Group {
    /// Not available on this system.
    pub(super) fn start(_command: &str, _output: &Path, _limit: Duration) -> io::Result<Group> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    pub(super) fn wait(&mut self, _limit: Duration) -> EventEnd {
        EventEnd::NotBegun
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Instant;

    use super::*;

    /// How a command ended, the kept part of its output, and its duration.
    fn ran(command: &str, limit_ms: u64) -> (EventEnd, String, Duration) {
        let dir = tempfile::tempdir().unwrap();
        let (output, limit) = (dir.path().join("output"), Duration::from_millis(limit_ms));
        let begun = Instant::now();
        let end = Group::start(command, &output, limit).unwrap().wait(limit);
        cut_off(&output);
        (end, std::fs::read_to_string(output).unwrap(), begun.elapsed())
    }

    #[test]
    fn a_command_has_its_exit_code_and_its_output() {
        let (end, output, _) = ran("echo one; echo two >&2; exit 7", 60_000);
        assert_eq!((end, output.as_str()), (EventEnd::Exit { code: 7 }, "one\ntwo\n"));
        assert_eq!(ran("kill -9 $$", 60_000).0, EventEnd::Signal { number: 9 });
        let (end, output, _) = ran("no-such-command", 60_000);
        assert!(end == EventEnd::Exit { code: 127 } && output.contains("no-such-command"), "{output}");
    }

    #[test]
    fn command_and_its_children_end_at_the_time_limit() {
        let (end, _, took) = ran("sleep 71.3 & sleep 71.3", 400);
        assert!(end == EventEnd::TimeLimit && took < Duration::from_secs(20), "{took:?}");
        // A command's background processes end with it.
        let (end, _, took) = ran("sleep 71.3 &", 60_000);
        assert!(end == EventEnd::Exit { code: 0 } && took < Duration::from_secs(20), "{took:?}");
        let left = std::process::Command::new("pgrep").args(["-f", "^sleep 71.3"]).output().unwrap();
        assert!(left.stdout.is_empty(), "{left:?}");
    }

    #[test]
    fn a_dropped_group_leaves_no_process() {
        let dir = tempfile::tempdir().unwrap();
        let limit = Duration::from_secs(1_371);
        let mut group = Group::start("exec sleep 1.37", &dir.path().join("output"), limit).unwrap();
        // Init reaps the children of a run that no longer exists.
        group.reap();
        let left = || {
            let watcher = ["-f", "reelgauge-event 1371 "];
            String::from_utf8(std::process::Command::new("pgrep").args(watcher).output().unwrap().stdout)
                .unwrap()
        };
        assert!(!left().is_empty(), "nothing waits for the limit");
        let begun = Instant::now();
        while !left().is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(30), "{}", left());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    #[test]
    fn a_mebibyte_of_output_is_kept_and_the_rest_stops_nothing() {
        let (end, output, _) = ran("head -c 3000000 /dev/zero | tr '\\0' x; exit 5", 60_000);
        assert_eq!((end, output.len()), (EventEnd::Exit { code: 5 }, 1 << 20));
    }

    #[test]
    fn output_is_called_cut_off_where_there_was_more() {
        let dir = tempfile::tempdir().unwrap();
        for (bytes, is_cut) in [(1 << 20, false), ((1 << 20) + 1, true)] {
            let output = dir.path().join("output");
            std::fs::write(&output, vec![b'x'; bytes]).unwrap();
            assert_eq!(cut_off(&output), is_cut);
            assert_eq!(std::fs::metadata(&output).unwrap().len(), 1 << 20);
        }
    }
}
