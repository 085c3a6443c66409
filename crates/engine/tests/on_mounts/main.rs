//! The area, data sets, mounts and the cache on real file systems: tmpfs, and ext4, xfs and btrfs in
//! images, mounted for each test and unmounted after it.
//!
//! They need root, and Linux. Otherwise each test prints that it was skipped.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod area;
mod cache;
mod dataset;
mod link;
mod mount;
mod support;
