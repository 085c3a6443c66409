//! Netlink: the kernel's answers to what no file in `/proc` says, and the way to ask for them.
//!
//! * [`message`]: messages and their attributes, read out of bytes that nobody vouches for. Pure.
//! * [`ethtool`]: how network cards are set.
//! * `ask`: a question on a socket of the kernel's own, and every answer to it (Linux).
//!
//! No crate is used: of the families that a look needs (`sock_diag`, queues of interfaces) those at hand
//! build every message as an object of its own, for a few numbers at known places.
//!
//! Not here: what stands in a message of a family (`sample::parse::sockets`, `sample::parse::queues`).

pub mod ethtool;
pub mod message;
mod query;

pub use query::{Family, ask};
