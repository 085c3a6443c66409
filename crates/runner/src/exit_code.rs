//! The exit codes, which are a contract: `docs/automation.md` says what each of them tells a script.
//!
//! Not here: which of them a run ends with ([`crate::session`], and the verbs that have an answer of their
//! own).

/// Measured, and it is not shown to be good enough: not met, or inconclusive.
pub const NOT_MET: u8 = 1;
/// Wrong usage or input: nothing was touched.
pub const USAGE: u8 = 2;
/// What was begun did not come to its end, or could not be told; what there is of it is kept.
pub const BROKE_OFF: u8 = 3;
/// Somebody stopped it; what there is of it is kept.
pub const INTERRUPTED: u8 = 130;
