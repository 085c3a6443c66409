//! Keeps the state of a run on disk while the caller continues: a slow disk delays only messages that
//! rely on the state.
//!
//! One write is in progress at a time. A state that was superseded while it waited is not written: the
//! newer one includes it.

use std::io;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use super::run_folder::RunFolder;

/// Writes the states of a run. Only to be used within a runtime.
#[derive(Debug)]
pub struct StateWriter {
    folder: RunFolder,
    /// The number of states passed to [`StateWriter::keep`].
    newest: u64,
    on_disk: u64,
    /// The state that waits for the disk.
    waits: Option<(u64, String)>,
    writes: Option<Writing>,
    took: Duration,
}

#[derive(Debug)]
struct Writing {
    number: u64,
    began: Instant,
    task: JoinHandle<io::Result<()>>,
}

impl StateWriter {
    /// A keeper for this folder, which already contains the current state.
    pub fn new(folder: RunFolder) -> StateWriter {
        StateWriter { folder, newest: 0, on_disk: 0, waits: None, writes: None, took: Duration::ZERO }
    }

    /// Starts to write this state, or queues it.
    pub fn keep(&mut self, saved: String) {
        self.newest += 1;
        self.waits = Some((self.newest, saved));
        self.start_next_write();
    }

    /// The number of the last state passed to [`StateWriter::keep`].
    pub fn newest(&self) -> u64 {
        self.newest
    }

    /// The number of the latest state on disk.
    pub fn on_disk(&self) -> u64 {
        self.on_disk
    }

    /// How long the last write took, or the current one has taken so far.
    pub fn write_time(&self) -> Duration {
        self.writes.as_ref().map_or(self.took, |writing| writing.began.elapsed().max(self.took))
    }

    /// Waits until the next write has completed. Never returns if nothing is being written.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn kept(&mut self) -> io::Result<()> {
        let Some(writing) = &mut self.writes else { return std::future::pending().await };
        let ended = (&mut writing.task).await;
        (self.on_disk, self.took) = (writing.number, writing.began.elapsed());
        self.writes = None;
        ended.map_err(io::Error::other)??;
        self.start_next_write();
        Ok(())
    }

    /// Waits until no write is in progress.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn finish(&mut self) -> io::Result<()> {
        while self.writes.is_some() {
            self.kept().await?;
        }
        Ok(())
    }

    fn start_next_write(&mut self) {
        if self.writes.is_some() {
            return;
        }
        let Some((number, saved)) = self.waits.take() else { return };
        let folder = self.folder.clone();
        let task = tokio::task::spawn_blocking(move || folder.keep_text(&saved));
        self.writes = Some(Writing { number, began: Instant::now(), task });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn newest_state_is_written_and_superseded_ones_are_skipped() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let dir = tempfile::tempdir().unwrap();
            let mut keeper = StateWriter::new(RunFolder::new(&dir.path().join("run")));
            assert_eq!((keeper.newest(), keeper.on_disk()), (0, 0));
            (1..=9).for_each(|number: u32| keeper.keep(number.to_string()));
            assert_eq!((keeper.newest(), keeper.on_disk()), (9, 0));
            let text = || std::fs::read_to_string(dir.path().join("run/conduct.json")).unwrap();
            keeper.kept().await.unwrap();
            assert_eq!((text().as_str(), keeper.on_disk()), ("1", 1));
            keeper.kept().await.unwrap();
            assert_eq!((text().as_str(), keeper.on_disk()), ("9", 9));
            let more = tokio::time::timeout(Duration::from_millis(50), keeper.kept()).await;
            assert!(more.is_err(), "nothing is written");
            keeper.finish().await.unwrap();
        });
    }

    #[test]
    fn a_failed_write_is_an_error() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(dir.path().join("file"), "").unwrap();
            let mut keeper = StateWriter::new(RunFolder::new(&dir.path().join("file/run")));
            keeper.keep("x".to_owned());
            assert!(keeper.kept().await.is_err());
        });
    }
}
