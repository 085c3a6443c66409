//! A run that is steered from outside: by an agent of a fleet, through standard input and output.
//!
//! It prepares as any run does. Before each load point it says that it is ready and waits to be told when to
//! begin, on this machine's monotonic clock; it tells figures once a second; and its load stops when it was
//! not told to go on for some seconds, or when nobody is left to tell it: no load without somebody who
//! watches it.
//!
//! * [`messages`]: what is said in either direction, a line of JSON each.
//! * [`leash`]: until when the load may go on. Pure.
//! * [`pilot`]: waits for starts and tells what goes on.
//!
//! Not here: who steers (the fleet), what is measured (the session).

pub mod leash;
pub mod messages;
mod outbox;
pub mod pilot;

pub use pilot::{CALLED_AHEAD_NS, Pilot, start_on};

use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The SHA-256 of a plan's file, in hexadecimal: that two machines mean the same plan.
///
/// # Errors
/// When it can't be read.
pub fn sha256_of(plan: &Path) -> io::Result<String> {
    Ok(sha256(&std::fs::read(plan)?))
}

/// The SHA-256 of these bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
