//! The import crate: converts text that other programs wrote about an application's operations to a
//! trace.
//!
//! Every importer reads its source line by line, once, with bounded memory, so a source may be 10 GB
//! large. A line that can't be parsed is counted, and the first such lines are stored with their
//! numbers. An operation that is parsed but not imported is counted by reason. The operations that a
//! source can't show at all are in the trace's `blind_to`. Nothing is dropped silently.
//!
//! **Choice of paths.** Without a root, all paths of files are imported, except those of the kernel
//! (`/proc`, `/sys`, `/dev`, pipes, sockets) and of the system (`/usr`, `/lib`, `/etc`, `C:\Windows` …),
//! which are libraries and settings that any program reads. With a root, exactly the paths below it are
//! imported; `/` selects everything but the kernel's paths. See [`path_filter`].
//!
//! Not here: the trace itself, its names and files, and what must exist before a replay (the trace
//! crate), and recording (the capture crate).

mod darshan;
mod day_clock;
mod descriptors;
pub mod detect;
mod errno;
mod error;
mod etw;
mod fields;
mod fio;
mod fs_usage;
mod import;
mod known_files;
mod lines;
mod naspt;
mod nfs;
mod ntstatus;
mod number;
mod packet_time;
pub mod path_filter;
mod procmon;
mod receiver;
mod sink;
mod smb2;
mod source;
mod source_clock;
mod source_kind;
mod strace;
mod tshark_fields;

pub use error::ImportError;
pub use import::{Options, import, read};
pub use lines::MAX_LINE_BYTES;
pub use receiver::Receiver;
pub use source_kind::Format;

pub(crate) use source::{LineError, LineResult, Source};
