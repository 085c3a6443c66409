//! Tests that judge by time take turns. Two at once would measure each other.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits until no other test of this program measures. Hold the guard for as long as the binary runs.
pub fn my_turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    // A failed test must not block the others.
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
