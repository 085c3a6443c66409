//! A run that is controlled by another process, an agent of a fleet, through standard input and output.
//!
//! It prepares like any run. Before each load point it reports that it is ready and waits for a start on
//! the host's monotonic clock. It reports figures once a second. Its load stops when it has received no
//! permission for some seconds, or when the other end closes: no load without supervision.
//!
//! * [`messages`]: the messages in both directions, a line of JSON each.
//! * [`load_permit`]: until when the load may continue. Pure.
//! * [`pilot`]: waits for starts and reports the progress.
//!
//! Not here: the controlling side (the fleet), the measurement (the session).

pub mod load_permit;
pub mod messages;
mod outbox;
pub mod pilot;

pub use pilot::{CALLED_AHEAD_NS, Pilot, start_on};

use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The SHA-256 of a plan's file, in hexadecimal: it proves that two hosts use the same plan.
///
/// # Errors
/// If it cannot be read.
pub fn sha256_of(plan: &Path) -> io::Result<String> {
    Ok(sha256(&std::fs::read(plan)?))
}

/// The SHA-256 of these bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
