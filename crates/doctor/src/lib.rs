//! The doctor: what the machine counts while a run does its I/O, so that a stall and its cause line up.
//!
//! * [`counter`]: a number as the kernel keeps it, and what two readings of it say: a rate, a share, a mean.
//! * [`source`]: the kernel's files, one parser each: text in, counters out.
//! * [`devices`] and [`proc_reader`]: which block devices and interfaces carry the target, and one look at
//!   them all.
//! * [`sampler`]: a thread that looks once a second, beside the measuring ones.
//!
//! Not here: their names and files ([`reelgauge_record::counters`]), what a counter means for the storage,
//! and anything that touches the target itself. A server that is gone must not take this room with it, so
//! nothing here opens, stats or lists a path on the target.

pub mod counter;
pub mod devices;
pub mod proc_reader;
pub mod sampler;
pub mod source;

pub use proc_reader::Target;
pub use sampler::{Sampling, SamplingReport, Watch};
