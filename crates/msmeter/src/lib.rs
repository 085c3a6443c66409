//! The msMeter crate: drives workers of the BBC/EBU Media Storage Meter (EBU Tech 3362) with its scripts
//! and its protocol, and stores their reports.
//!
//! * [`command_script`]: the `Cmd>` scripts of the original, validated completely before anything is
//!   sent.
//! * [`settings`]: the settings of a worker, and the folders that it may use.
//! * [`lines`](mod@lines): splits a worker's data into lines, whatever it contains.
//! * [`worker_record`]: one record line.
//! * [`connections`]: the connections of workers.
//! * [`session_files`]: the files of a session, written as records arrive.
//! * [`session`]: runs a script, and writes its results.
//! * [`original_format`]: record lines and the three tables in the format of the original, for old
//!   spreadsheets.
//!
//! The protocol is the original's (see `docs/msmeter.md`): lines of text over TCP. It has no
//! authentication, no encryption and no acknowledgement. So this crate accepts connections from other
//! hosts only with a list of permitted addresses, and trusts no data of a worker.
//!
//! Not here: a worker (`reelgauge mix` is this program's own), the figures of the tables
//! ([`reelgauge_analysis::msmeter`]) and the screen (the report crate).

pub mod command_script;
pub mod connections;
pub mod lines;
pub mod original_format;
pub mod session;
pub mod session_files;
pub mod settings;
pub mod worker_record;
