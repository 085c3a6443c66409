//! The operation log from outside: what goes in comes out, whatever happens in between.

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
