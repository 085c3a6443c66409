//! The import room: text that other programs wrote about an application's operations becomes a trace.
//!
//! Every importer reads its source line by line, once, with bounded memory: a source of 10 GB is as good as
//! one of 10 kB. A line that can't be understood is counted and the first ones are kept with their numbers;
//! an operation that is understood and not kept is counted by reason; what the source can't show at all is
//! in the trace's `blind_to`. Nothing is dropped silently.
//!
//! **What is kept.** Without a root, every path that looks like a file's, but neither the kernel's own
//! (`/proc`, `/sys`, `/dev`, pipes, sockets) nor the system's (`/usr`, `/lib`, `/etc`, `C:\Windows` …), which
//! are libraries and settings that any program reads. With a root, exactly what lies below it; `/` keeps
//! everything but the kernel's own. See [`path_filter`].
//!
//! Not here: the trace itself, its names and its files, which are the trace room's; what must exist before a
//! trace can be replayed, which follows from the operations; and recording of one's own, which is the capture
//! room's.

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
