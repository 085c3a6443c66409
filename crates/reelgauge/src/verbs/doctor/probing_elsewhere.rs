//! Probes need Linux; elsewhere it is said so.

use anyhow::{Result, bail};

use crate::cli::DoctorArgs;

/// Says that there are none here.
pub(super) fn with_probes(args: &DoctorArgs) -> Result<u8> {
    let _ = (args.hang_after, args.shared_target); // Of no use without probes.
    bail!("--probe needs Linux; omit it, or probe the same storage from a Linux machine")
}
