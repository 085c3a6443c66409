//! The machine crate: everything that a host reports about itself, parsed in one place.
//!
//! A text comes from the local host or from a directory that a script filled on another one ([`source`],
//! [`texts`]). Parsers are pure; they return facts, values with names ([`facts`]). Kernel counters are
//! sampled during a run ([`sample`], feature `sampling`).
//!
//! * [`mountinfo`]: the table of mounts. [`file_system`]: where a type of file system stores its data.
//!   [`mount`]: the mount at a path, and whether it still exists. [`path_mount`]: where data is, from a
//!   table of mounts alone; `union`: the layers of a mount that combines others. [`devices`]: the disks
//!   below a mount.
//! * [`interface`]: the properties of a network interface, and whether its speed is trusted. [`route`]:
//!   the interface that leads to an address. [`link`]: the link from this client to the storage.
//!   `adapter`: the network adapters of Windows.
//!   [`packet_overhead`]: the overhead of Ethernet, IP and TCP. [`netlink`]: queries to the kernel, for
//!   facts that no file contains.
//!   [`full_path()`]: a path without links.
//! * [`mountstats`]: the counters of NFS mounts, and bytes that were fetched from the storage.
//! * [`limits`]: the limits of this process. [`cgroup`], [`meminfo`]: files with limits. [`process`]:
//!   processes and threads, their identity and their running time.
//! * [`mod@settings`]: the host's settings, recorded with every run. [`system`]: the operating system.
//!   [`host`]: the facts about its host that a run records.
//!
//! Not here: what a fact means for storage (the doctor's rules), and sentences. An unreachable server
//! must not hang this crate: nothing but [`mount`] opens, stats or lists a path on a network file
//! system.

#[cfg(any(windows, test))]
mod adapter;
pub mod cgroup;
pub mod devices;
pub mod facts;
pub mod file_system;
mod full_path;
#[cfg(feature = "sampling")]
pub mod host;
pub mod interface;
pub mod limits;
pub mod link;
pub mod meminfo;
pub mod mount;
pub mod mountinfo;
pub mod mountstats;
pub mod netlink;
pub mod packet_overhead;
pub mod path_mount;
pub mod process;
pub mod route;
#[cfg(feature = "sampling")]
pub mod sample;
pub mod settings;
pub mod source;
pub mod system;
pub mod texts;
mod union;
mod unraid;

pub use full_path::full_path;
