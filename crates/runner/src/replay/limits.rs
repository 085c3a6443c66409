//! Whether this machine allows what all users of a replay take at once.

use reelgauge_engine::driver::{DriverKind, available};
use reelgauge_machine::limits::Allowance;
use reelgauge_trace::replay::PackedTrace;
use reelgauge_workload::script::Needs;

use crate::error::RunError;
use crate::session::allowance::Demand;

/// What the rest of the program needs: logs, rings, standard streams.
const OWN_FILES: u64 = 64;
/// Of what a trace had open at once, users that run ahead may need so many more.
const AHEAD: u64 = 64;

/// Raises this process's limit of open files as far as needed and allowed, and refuses what does not fit.
///
/// `needs` are those of one user, `file_bytes` the largest file.
///
/// # Errors
/// What this machine does not allow.
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
    // Users that run ahead make do with fewer files than they could have open.
    Ok(Demand { open_files: 0, ..demand }.fits(&allowance)?)
}
