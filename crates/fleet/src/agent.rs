//! What a machine does for the fleet: it appears ([`presence`]), decides what orders mean ([`duty`]) and does
//! it ([`work`]), and gives back what it measured ([`disk`]). [`network`]: it takes part in measurements of
//! the network. [`examine`]: it looks at its machine. What it hears and says goes over a [`line`].
//! [`service`]: who starts and ends it on Windows.
//!
//! Not here: how an order is known to be the controller's ([`crate::envelope`]).

pub mod disk;
pub mod duty;
pub mod examine;
pub mod leftovers;
pub mod line;
pub mod network;
pub mod offset;
pub mod presence;
pub mod service;
pub mod wall_clock;
pub mod wire;
pub mod work;
