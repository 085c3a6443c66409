//! The exit statuses, which are a contract: `docs/automation.md` documents them for scripts.
//!
//! Not here: the status of each run ([`crate::session`], and the verbs with an answer of another kind).

/// Measured, but not shown to be good enough: not met, or inconclusive.
pub const NOT_MET: u8 = 1;
/// Wrong usage or input: nothing was touched.
pub const USAGE: u8 = 2;
/// The work ended early, or its result could not be shown; partial results are kept.
pub const BROKE_OFF: u8 = 3;
/// The user stopped it; partial results are kept.
pub const INTERRUPTED: u8 = 130;
