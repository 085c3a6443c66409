//! Code of others that panics over damaged input, held in.
//!
//! The Parquet library's decoders index and assert by what damaged pages say. That is a damaged file and
//! not a defect of the program, so it has to end as an error, and nobody is to be shown a panic's message
//! and stack for it. What panics elsewhere at the same time is shown as always.
//!
//! Not here: what the error says.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// How many pieces of such work this thread is in.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
}

/// Puts the silence in front of whatever shows panics, once in a process.
static SILENCE: Once = Once::new();

/// What the work came to; `None` where it panicked, about which nothing is printed. What it was at must not
/// be used any more then.
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
