//! Whether the local host allows the resources of all users of a replay at once.

use reelgauge_engine::driver::{DriverKind, available};
use reelgauge_machine::limits::Allowance;
use reelgauge_trace::replay::PackedTrace;
use reelgauge_workload::script::Needs;

use crate::error::RunError;
use crate::session::allowance::Demand;

/// The files of the rest of the program: logs, rings, standard streams.
const OWN_FILES: u64 = 64;
/// Users that run ahead may have this many more files open than the trace had at once.
const AHEAD: u64 = 64;

/// Raises this process's limit of open files as far as needed and allowed, and refuses a demand that
/// does not fit.
///
/// `needs`: those of one user; `file_bytes`: the largest file.
///
/// # Errors
/// A resource that the local host does not allow.
pub(super) fn check(
    kind: DriverKind,
    packed: &PackedTrace,
    (needs, copies): (Needs, u32),
    file_bytes: u64,
) -> Result<(), RunError> {
    available(kind)?;
    let demand = Demand::of(kind, [(needs, u64::from(copies))], file_bytes);
    let each = (u64::from(packed.open_most) + AHEAD).min(packed.handles.len() as u64);
    let beside = OWN_FILES + demand.threads;
    let least = u64::from(packed.open_most) * u64::from(copies) + beside;
    let allowance = Allowance::now(each * u64::from(copies) + beside);
    if let Some(allowed) = allowance.open_files.filter(|&allowed| allowed < least) {
        return Err(RunError::OpenFiles { needed: least, allowed });
    }
    // Users that run ahead can do with fewer open files.
    Ok(Demand { open_files: 0, ..demand }.fits(&allowance)?)
}
