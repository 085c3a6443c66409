//! What a machine does for the fleet: it appears ([`presence`]), decides what orders mean ([`duty`]) and does
//! it ([`work`]), and gives back what it measured ([`run_store`]). [`network`]: it takes part in measurements
//! of the network. [`examine`]: it looks at its machine. [`tasks`]: what it is ordered, and its answers.
//! [`service`]: who starts and ends it on Windows.
//!
//! Not here: how an order is known to be the controller's ([`crate::envelope`]).

pub mod duty;
pub mod examine;
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
