//! The doctor: what a machine says of itself, beside a run and without one.
//!
//! While a run does its I/O, what the machine counts, so that a stall and its cause line up:
//!
//! * [`counter`]: a number as the kernel keeps it, and what two readings of it say: a rate, a share, a mean.
//! * [`source`]: the kernel's files, one parser each: text in, counters out.
//! * [`devices`] and [`proc_reader`]: which block devices and interfaces carry the target, and one look at
//!   them all. [`netlink`] and [`net_reader`]: what no file says, the connections to the target's server and
//!   the queues on the way; `pings`: what a packet takes there and back, and how long one may be. `programs`:
//!   which other programs take processors. `thread_waits`: how long this one's threads wait for one.
//!   `disturbances`: scrubs, links that go down, mounts that change.
//! * [`sampler`]: a thread that looks once a second, beside the measuring ones.
//!
//! [`mod@settings`]: what it is set to, kept with every run.
//!
//! Without a run, how it is set up (`reelgauge doctor`):
//!
//! * [`texts`]: what it says, by name; of this machine, or from a folder that a script filled on another.
//! * [`facts`]: what the texts say, as values with names. [`system`]: which system it is.
//! * [`mod@rule`]: what is set badly for media and what to do about it, as data with detectors.
//! * [`mod@tune`]: configuration fragments for a site that somebody states.
//! * [`place`]: the mount that a path is on; `union`: what lies below one that shows others.
//!   [`mod@diagnosis`]: what the rules say of it all. [`several`]: what they say of several machines, put
//!   together.
//!
//! Not here: names and files of counters ([`reelgauge_record::counters`]), what a counter means for the
//! storage, sentences, and anything that touches the target itself. A server that is gone must not take this
//! room with it, so nothing here opens, stats or lists a path on a network file system.

pub mod counter;
pub mod devices;
pub mod diagnosis;
mod disturbances;
pub mod facts;
pub mod net_reader;
pub mod netlink;
mod own_time;
mod pings;
pub mod place;
pub mod proc_reader;
mod programs;
pub mod rule;
pub mod sampler;
pub mod settings;
pub mod several;
pub mod source;
pub mod system;
pub mod texts;
mod thread_waits;
pub mod tune;
mod union;

pub use diagnosis::{Diagnosis, Scope, diagnose};
pub use proc_reader::Target;
pub use sampler::{Sampling, SamplingReport, Watch};
