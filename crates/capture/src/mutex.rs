//! Locks that remain usable after a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a panic of another thread: the data is consistent after every step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
