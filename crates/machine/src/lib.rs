//! The machine room: everything that a computer reports about itself, parsed in one place.
//!
//! A text comes from this host or from a folder that a script filled on another one ([`source`],
//! [`texts`]). Parsers are pure; what they find are facts, values with names ([`facts`]). What the kernel
//! counts is sampled beside a run ([`sample`], feature `sampling`).
//!
//! * [`mountinfo`]: the table of mounts. [`file_system`]: where a type of file system keeps its data.
//!   [`mount`]: what is mounted at a path, and whether it still is. [`path_mount`]: where data lies, from a
//!   table of mounts alone; `union`: what lies below a mount that shows others. [`devices`]: which disks
//!   are below a mount.
//! * [`interface`]: what a network interface is, and whether its speed is believed. [`route`]: which one
//!   leads to an address. [`link`]: over what this client reaches the storage. [`packet_overhead`]: what
//!   Ethernet, IP and TCP add to what is carried. [`netlink`]: what the kernel is asked for, because no file
//!   has it.
//! * [`mountstats`]: what NFS mounts counted, and bytes that were fetched from the storage.
//! * [`limits`]: what this process may have. [`cgroup`], [`meminfo`]: files that tell it.
//!   [`process`]: processes and threads, who they are and how long they ran.
//! * [`mod@settings`]: what the host is set to, kept with every run. [`system`]: which system it is.
//!   [`host`]: what a run's record keeps of its host.
//!
//! Not here: what a fact means for storage (the doctor's rules), and sentences. A server that is gone must
//! not take this room with it: nothing but [`mount`] opens, stats or lists a path on a network file system.

pub mod cgroup;
pub mod devices;
pub mod facts;
pub mod file_system;
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
