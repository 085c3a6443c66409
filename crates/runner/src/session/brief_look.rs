//! A look at storage that may be dead, which nobody waits for too long.

use std::sync::mpsc::channel;
use std::time::Duration;

/// How long a look at a mount that may be dead may take.
const LOOK: Duration = Duration::from_secs(1);

/// What comes of a look at storage that may be dead; `None` when it doesn't answer in time.
pub(crate) fn within_a_look<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, answer) = channel();
    std::thread::spawn(move || {
        // Nobody listens any more if it took too long.
        // Nobody listens any more if it took too long.
        let _ = sender.send(look());
    });
    answer.recv_timeout(LOOK).ok()
}
