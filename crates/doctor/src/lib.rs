//! The doctor: rules about the configuration of a host, judged on its facts.
//!
//! * [`mod@rule`]: bad settings for media, and their fixes, as data with detectors.
//! * [`mod@diagnosis`]: the findings of the rules on a host. [`multi_host`]: the combined findings on
//!   several hosts.
//! * [`mod@tune`]: configuration fragments for a site that the user describes.
//!
//! Not here: what a host reports about itself ([`reelgauge_machine`]), and sentences.

pub mod diagnosis;
pub mod multi_host;
pub mod rule;
pub mod tune;

pub use diagnosis::{Diagnosis, Scope, diagnose};
