//! Contains panics of third-party code on damaged input.
//!
//! The Parquet library's decoders index and assert by the content of damaged pages. That is a damaged
//! file and not a defect of the program, so it has to end as an error, without a panic message and a
//! backtrace. Other panics at the same time are shown as always.
//!
//! Not here: the text of the error.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// How many pieces of such work this thread is in.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
}

/// Puts the silence in front of whatever shows panics, once in a process.
static SILENCE: Once = Once::new();

/// Returns the result of the work; `None` if it panicked, without printing anything. Data that it used
/// must not be used afterwards.
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
