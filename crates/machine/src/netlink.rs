//! Netlink: the kernel's replies to requests for facts that no file in `/proc` has.
//!
//! * [`message`]: messages and their attributes, parsed from untrusted bytes. Pure.
//! * [`ethtool`]: the settings of network cards.
//! * `ask`: sends a request on a separate kernel socket, and receives all replies (Linux).
//!
//! No crate is used: those for the required families (`sock_diag`, queues of interfaces) build an object
//! for every message, for a few numbers at known positions.
//!
//! Not here: the content of a family's messages (`sample::parse::sockets`, `sample::parse::queues`).

pub mod ethtool;
pub mod message;
mod query;

pub use query::{Family, ask};
