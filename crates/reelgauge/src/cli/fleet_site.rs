//! Where a fleet's keys lie, for every verb of a fleet.

/// If nobody says so.
pub(super) const DEFAULT_SITE: &str = "reelgauge-fleet";
