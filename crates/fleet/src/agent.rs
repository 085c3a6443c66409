//! The tasks of a host in a fleet: it makes itself known ([`presence`]), decides what orders mean
//! ([`duty`]), carries them out ([`work`]), and returns its measurements ([`run_store`]). [`network`]:
//! measurements of the network. [`host_checks`]: checks of the host. [`tasks`]: orders that arrive, and the
//! answers. [`service`]: starting and stopping on Windows.
//!
//! Not here: how an agent verifies that an order is the controller's ([`crate::envelope`]).

pub mod duty;
pub mod host_checks;
pub mod leftovers;
pub mod network;
pub mod offset;
pub mod presence;
pub mod run_store;
pub mod service;
pub mod tasks;
pub mod wall_clock;
pub mod wire;
pub mod work;
