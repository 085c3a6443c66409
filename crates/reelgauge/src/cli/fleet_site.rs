//! The default directory of a fleet's keys, for all `fleet` subcommands.

/// The default folder of a site.
pub(super) const DEFAULT_SITE: &str = "reelgauge-fleet";
