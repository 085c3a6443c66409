//! Probes need Linux; on other systems an error reports that.

use anyhow::{Result, bail};

use crate::cli::DoctorArgs;

/// Returns the error that there are no probes here.
pub(super) fn with_probes(args: &DoctorArgs) -> Result<u8> {
    let _ = (args.hang_after, args.shared_target); // They have no effect without probes.
    bail!("--probe needs Linux; omit it, or probe the same storage from a Linux machine")
}
