//! Tests of the operation log from outside: it returns what was written, whatever happens in between.

#![cfg(feature = "log")]
#![allow(clippy::unwrap_used)]

mod crash;
mod full_disk;
mod hostile;
mod other_readers;
mod round_trip;
mod size;
mod support;
mod tables;
