//! A quick check of storage that may be dead, with a time limit.

use std::sync::mpsc::channel;
use std::time::Duration;

/// The time limit for a quick check of a mount that may be dead.
const LOOK: Duration = Duration::from_secs(1);

/// The result of a quick check of storage that may be dead; `None` if it does not answer in time.
pub(crate) fn within_a_look<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, answer) = channel();
    std::thread::spawn(move || {
        // The receiver is dropped if it took too long.
        let _ = sender.send(look());
    });
    answer.recv_timeout(LOOK).ok()
}
