//! What the network between two agents carries: bytes over TCP from one's memory to the other's, without any
//! storage.
//!
//! * [`messages`]: what the controller orders, and what agents answer.
//! * [`handshake`]: how both ends show that they know the secret which the controller has drawn for this one
//!   measurement. It never goes over the connection.
//! * [`rate_limit`]: holds both ends to the rate that their owners allow.
//! * [`receive`] listens, for a bounded time, and counts; [`send`] sends to whoever has proved itself.
//!
//! Not here: who is told to (controller), and whether an agent may (agent).

pub mod handshake;
pub mod messages;
pub mod rate_limit;
pub mod receive;
pub mod send;

use std::time::Duration;

pub const LONGEST: Duration = Duration::from_secs(10);
/// The most connections of one measurement.
pub const CONNECTIONS_MAX: u32 = 16;
/// Whoever listens waits so long for everybody to have proved itself.
pub const COMES_WITHIN: Duration = Duration::from_secs(10);
/// A part of the time is left out at the beginning, in which connections find their speed.
pub const LEFT_OUT: f64 = 0.2;
