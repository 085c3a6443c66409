//! How many files a process may have open, and whether that is enough for all users of a replay.

use reelgauge_trace::replay::PackedTrace;

use crate::error::RunError;

/// What the rest of the program needs: logs, rings, standard streams.
const OWN_FILES: u64 = 64;
/// Of what a trace had open at once, users that run ahead may need so many more.
const AHEAD: u64 = 64;

/// Raises this process's limit as far as needed and allowed.
///
/// # Errors
/// When it doesn't suffice.
pub(super) fn allow_open_files(packed: &PackedTrace, copies: u32) -> Result<(), RunError> {
    let each = (u64::from(packed.open_most) + AHEAD).min(packed.handles.len() as u64);
    let least = u64::from(packed.open_most) * u64::from(copies) + OWN_FILES;
    let wanted = each * u64::from(copies) + OWN_FILES;
    match raise(wanted) {
        Some(allowed) if allowed < least => Err(RunError::OpenFiles { needed: least, allowed }),
        _ => Ok(()),
    }
}

/// What is allowed now; `None` where there is no limit.
#[cfg(unix)]
fn raise(wanted: u64) -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let current = limit.current?;
    if current >= wanted {
        return Some(current);
    }
    let raised = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted)).max(current);
    match setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum }) {
        Ok(()) => Some(raised),
        Err(_) => Some(current),
    }
}

/// Windows' handles are limited by memory alone.
#[cfg(not(unix))]
fn raise(_wanted: u64) -> Option<u64> {
    None
}
