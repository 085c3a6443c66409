//! Where a fleet's keys lie, for every verb of a fleet.

/// The default folder of a site.
pub(super) const DEFAULT_SITE: &str = "reelgauge-fleet";
