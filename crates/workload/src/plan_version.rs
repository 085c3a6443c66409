//! The version of all plans.

/// The version of the plan format that this program writes, and the newest that it reads.
pub const PLAN_VERSION: u32 = 1;
