//! Samples the host's counters while a run does its I/O, so that a stall and its cause can be matched.
//!
//! * [`counter`]: a number as the kernel keeps it, and the result of two readings: a rate, a share, a
//!   mean.
//! * [`parse`]: parsers of the kernel's files: text in, counters out.
//! * [`proc_reader`]: reads all of them once. [`net_reader`]: facts that no file contains, the
//!   connections to the target's server and the queues on the network path; `pings`: the round trip of a
//!   packet, and the largest packet size. `programs`: other programs that use processors.
//!   `thread_waits`: how long this process's threads wait for one. `disturbances`: scrubs, links that go
//!   down, mounts that change.
//! * [`sampler`]: a thread that samples once a second, in addition to the measuring ones.
//!
//! Not here: names and files of counters ([`reelgauge_record::counters`]), and the meaning of a counter
//! for the storage.

pub mod counter;
mod disturbances;
pub mod net_reader;
pub mod parse;
mod pings;
pub mod proc_reader;
mod programs;
mod reading_time;
pub mod sampler;
mod thread_waits;

pub use proc_reader::Target;
pub use sampler::{Sampling, SamplingReport, SamplingTarget};
