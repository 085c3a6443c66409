//! The msMeter crate: drives workers of the BBC/EBU Media Storage Meter (EBU Tech 3362) by its old
//! scripts over its own protocol, and stores their reports.
//!
//! * [`command_script`]: the `Cmd>` scripts of the original, checked as a whole before anything is sent.
//! * [`settings`]: the settings of a worker, and the folders that it may use.
//! * [`lines`](mod@lines): splits a worker's data into lines, whatever it contains.
//! * [`worker_record`]: one record line.
//! * [`connections`]: the connections of workers.
//! * [`kept`]: the files of a session, written as records come.
//! * [`session`]: runs a script, and writes its results.
//! * [`old_text`]: record lines and the three tables as the original wrote them, for old spreadsheets.
//!
//! Facts of the protocol are from `ebu-media-storage-meter.md` in the project's references, a.3 to a.6. It
//! has no authentication, no encryption and no acknowledgement, so nothing here listens beyond this machine
//! without a list of who may come, and nothing that a worker sends is trusted.
//!
//! Not here: a worker (`reelgauge mix` is this program's own), the figures of the
//! tables ([`reelgauge_analysis::msmeter`]) and the screen (report).

pub mod command_script;
pub mod connections;
pub mod kept;
pub mod lines;
pub mod old_text;
pub mod session;
pub mod settings;
pub mod worker_record;
