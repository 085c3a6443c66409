//! The doctor: rules on how a machine is set up, judged on its facts.
//!
//! * [`mod@rule`]: what is set badly for media and what to do about it, as data with detectors.
//! * [`mod@diagnosis`]: what the rules say of a machine. [`several`]: what they say of several machines, put
//!   together.
//! * [`mod@tune`]: configuration fragments for a site that somebody states.
//!
//! Not here: what a machine reports about itself ([`reelgauge_machine`]), and sentences.

pub mod diagnosis;
pub mod rule;
pub mod several;
pub mod tune;

pub use diagnosis::{Diagnosis, Scope, diagnose};
