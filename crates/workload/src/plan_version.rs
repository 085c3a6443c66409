//! The version of plans, whatever they run.

/// The version of the plan's format that this program writes, and the newest that it reads.
pub const PLAN_VERSION: u32 = 1;
