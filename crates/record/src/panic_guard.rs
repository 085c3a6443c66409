//! Contains panics of third-party code on damaged input.
//!
//! The Parquet library's decoders index and assert based on the content of damaged pages. A damaged file
//! is not a defect of the program, so it must cause an error, without a panic message and a backtrace.
//! Other panics at the same time are reported as usual.
//!
//! Not here: the text of the error.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Nesting depth of such work in this thread.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
}

/// Installs the panic hook that suppresses these messages, once per process.
static SILENCE: Once = Once::new();

/// Returns the result of the work; `None` if it panicked, without printing anything. After a panic, do
/// not use the data that it modified.
pub fn contained<T>(work: impl FnOnce() -> T) -> Option<T> {
    SILENCE.call_once(|| {
        let shown = take_hook();
        set_hook(Box::new(move |info| {
            if INSIDE.get() == 0 {
                shown(info);
            }
        }));
    });
    INSIDE.set(INSIDE.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(INSIDE.get() - 1);
    result.ok()
}
