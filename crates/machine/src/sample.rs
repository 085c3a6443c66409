//! While a run does its I/O, what the machine counts, so that a stall and its cause line up.
//!
//! * [`counter`]: a number as the kernel keeps it, and what two readings of it show: a rate, a share, a mean.
//! * [`parse`]: the kernel's files, one parser each: text in, counters out.
//! * [`proc_reader`]: one look at all of them. [`net_reader`]: what no file has, the connections to the
//!   target's server and the queues on the way; `pings`: what a packet takes there and back, and how long one
//!   may be. `programs`: which other programs take processors. `thread_waits`: how long this one's threads
//!   wait for one. `disturbances`: scrubs, links that go down, mounts that change.
//! * [`sampler`]: a thread that looks once a second, beside the measuring ones.
//!
//! Not here: names and files of counters ([`reelgauge_record::counters`]), and what a counter means for the
//! storage.

pub mod counter;
mod disturbances;
pub mod net_reader;
mod own_time;
pub mod parse;
mod pings;
pub mod proc_reader;
mod programs;
pub mod sampler;
mod thread_waits;

pub use proc_reader::Target;
pub use sampler::{Sampling, SamplingReport, Watch};
