//! Writes `live.jsonl`.
//!
//! A separate thread writes, so a full or dead disk delays nothing. The measuring threads pass on events
//! without waiting; events that cannot be queued or written are dropped. After the first line that
//! cannot be written, the file is left unchanged.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use reelgauge_record::identity;

use super::{LiveEvent, path_in};

/// Events that wait for the disk, at most. More are dropped.
const WAITING: usize = 64;
/// How long the end of a run waits for the last events.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// The handle of the writing thread for the measuring ones.
#[derive(Debug)]
pub struct LiveWriter {
    lines: SyncSender<String>,
    ended: Receiver<()>,
}

impl LiveWriter {
    /// Creates the file. `None` if that is impossible: then nothing is written.
    pub fn create(run_dir: &Path) -> Option<LiveWriter> {
        let _own = identity::own();
        let file = File::create(path_in(run_dir)).ok()?;
        LiveWriter::on(file)
    }

    fn on(mut file: impl Write + Send + 'static) -> Option<LiveWriter> {
        let (lines, to_write) = sync_channel::<String>(WAITING);
        let (end, ended) = sync_channel(1);
        let work = move || {
            for line in to_write {
                // A whole line in one call: readers wait for its end, and no line may follow an
                // incomplete one.
                if file.write_all(line.as_bytes()).and_then(|()| file.flush()).is_err() {
                    break;
                }
            }
            drop(file);
            let _ = end.send(());
        };
        std::thread::Builder::new().name("live".to_owned()).spawn(work).ok()?;
        Some(LiveWriter { lines, ended })
    }

    pub fn write(&mut self, event: &LiveEvent) {
        // Full: the disk is slow, and the next event contains more. Closed: the disk is full or gone.
        let _ = self.lines.try_send(line(event));
    }

    /// Writes the last event, with a short time limit. A disk that does not respond is given up.
    pub fn finish(self, last: &LiveEvent) {
        let begun = Instant::now();
        while let Err(TrySendError::Full(_)) = self.lines.try_send(line(last)) {
            if begun.elapsed() > LAST_WAIT {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        drop(self.lines);
        let _ = self.ended.recv_timeout(LAST_WAIT);
    }
}

fn line(event: &LiveEvent) -> String {
    let mut line = event.to_line();
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A simulated disk with room for this many bytes.
    struct Full {
        room: usize,
        taken: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.room);
            if taken == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room -= taken;
            self.taken.lock().unwrap().extend(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_ends_the_file_and_nothing_else() {
        let taken = Arc::new(Mutex::new(Vec::new()));
        let mut writer = LiveWriter::on(Full { room: 160, taken: Arc::clone(&taken) }).unwrap();
        for _ in 0..200 {
            writer.write(&LiveEvent::Verified { at_s: 1.0, checked_bytes: 1 });
            std::thread::sleep(Duration::from_micros(100));
        }
        let begun = Instant::now();
        writer.finish(&LiveEvent::Verified { at_s: 1.0, checked_bytes: 2 });
        assert!(begun.elapsed() < LAST_WAIT);
        let taken = String::from_utf8(taken.lock().unwrap().clone()).unwrap();
        // Whole lines and an incomplete one, and nothing after it.
        let (whole, part) = taken.rsplit_once('\n').unwrap();
        assert!(whole.lines().all(|line| LiveEvent::from_line(line.as_bytes()).is_some()), "{taken}");
        assert!(!part.is_empty() && taken.len() == 160, "{taken}");
    }

    /// A simulated disk that does not respond.
    struct Dead(Receiver<()>);

    impl Write for Dead {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn dead_disk_delays_no_caller() {
        let (alive, dead) = sync_channel(0);
        let mut writer = LiveWriter::on(Dead(dead)).unwrap();
        let begun = Instant::now();
        for _ in 0..10_000 {
            writer.write(&LiveEvent::Verified { at_s: 1.0, checked_bytes: 1 });
        }
        assert!(begun.elapsed() < Duration::from_secs(5));
        writer.finish(&LiveEvent::Verified { at_s: 1.0, checked_bytes: 2 });
        assert!(begun.elapsed() < Duration::from_secs(10));
        drop(alive);
    }
}
