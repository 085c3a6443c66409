//! The doctor: what the machine counts while a run does its I/O, so that a stall and its cause line up.
//!
//! * [`counter`]: a number as the kernel keeps it, and what two readings of it say: a rate, a share, a mean.
//! * [`source`]: the kernel's files, one parser each: text in, counters out.
//! * [`kinds`]: every counter by name, with its unit and what people call it.
//! * [`devices`] and [`eyes`]: which block devices and interfaces carry the target, and one look at them all.
//! * [`sampler`]: a thread that looks once a second, beside the measuring ones.
//! * [`store`]: the samples as Parquet in `counters/agent=NAME/`, written as the run goes.
//! * [`series`] and [`thin`]: the same read back, few enough points for a page.
//!
//! Not here: what a counter means for the storage, and anything that touches the target itself. A server that
//! is gone must not take this room with it, so nothing here opens, stats or lists a path on the target.

pub mod counter;
pub mod devices;
pub mod eyes;
pub mod kinds;
pub mod sampler;
pub mod series;
pub mod source;
pub mod store;
pub mod thin;

pub use eyes::Target;
pub use sampler::{Sampling, SamplingReport, Watch};
pub use series::read_counters;
pub use store::CountersError;
