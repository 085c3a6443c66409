//! The rate of the network between two agents: bytes over TCP from one's memory to the other's, without
//! storage.
//!
//! * [`messages`]: the controller's orders, and the agents' answers.
//! * [`handshake`]: both ends prove that they know the secret which the controller has drawn for this
//!   one measurement. It never travels over the connection.
//! * [`rate_limit`]: throttles both ends to the rate that their owners allow.
//! * [`receive`] listens, for a bounded time, and counts; [`send`] sends to a receiver that has proved
//!   itself.
//!
//! Not here: the choice of the agents (controller), and an agent's permission (agent).

pub mod handshake;
pub mod messages;
pub mod rate_limit;
pub mod receive;
pub mod send;

use std::time::Duration;

pub const LONGEST: Duration = Duration::from_secs(10);
/// The most connections of one measurement.
pub const CONNECTIONS_MAX: u32 = 16;
/// A receiver waits this long until all its connections have proved themselves.
pub const COMES_WITHIN: Duration = Duration::from_secs(10);
/// This share of the time at the beginning is not counted: connections reach their speed in it.
pub const LEFT_OUT: f64 = 0.2;
