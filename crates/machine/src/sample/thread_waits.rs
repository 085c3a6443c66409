//! How long this program's threads were runnable without a processor, all of them together.
//!
//! Threads come and go, and their wait times disappear with them. So each thread's waits since the
//! previous sample round are added up here.

use std::collections::BTreeMap;

use crate::process::Task;
use crate::sample::counter::{Layer, Look, Reading};
use crate::sample::parse::put;
use crate::source::Host;

/// Threads that are read, at most.
const THREADS_MAX: usize = 2_000;

/// The waits of all threads.
#[derive(Debug, Default)]
pub struct ThreadWaits {
    /// By thread, its total wait time so far.
    before: BTreeMap<u32, u64>,
    total_ns: u64,
}

impl ThreadWaits {
    pub fn look(&mut self, look: &mut Look) {
        let (here, own) = (Host::here(), Task::own());
        let waited = |thread| Some((thread, own.thread(thread).schedule(&here)?.waited_ns));
        let waited: BTreeMap<u32, u64> =
            own.threads(&here).into_iter().take(THREADS_MAX).filter_map(waited).collect();
        if waited.is_empty() {
            return;
        }
        self.take(waited);
        put(look, Layer::Tool, "threads_waiting", Reading::MillisecondsOfAll(self.total_ns / 1_000_000));
    }

    fn take(&mut self, waited: BTreeMap<u32, u64>) {
        for (thread, waited_ns) in &waited {
            let before_ns = self.before.get(thread).copied().unwrap_or(0);
            self.total_ns = self.total_ns.saturating_add(waited_ns.saturating_sub(before_ns));
        }
        self.before = waited;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_threads_keep_their_wait_time() {
        let mut waits = ThreadWaits::default();
        waits.take([(1, 5_000_000), (2, 100)].into());
        waits.take([(1, 9_000_000)].into());
        // A thread that reuses the number of an ended one has a smaller wait time.
        waits.take([(1, 9_000_000), (2, 40)].into());
        assert_eq!(waits.total_ns, 9_000_000 + 100 + 40);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_program_has_threads() {
        let mut look = Look::new();
        ThreadWaits::default().look(&mut look);
        crate::sample::parse::testing::all_known(&look);
        assert!(look.keys().any(|key| key.name == "threads_waiting"), "{look:#?}");
    }
}
