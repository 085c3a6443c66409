//! Files that keep secrets and certificates, opened: nothing else is waited for or read without an end.
//!
//! Not here: what a file may be for its kind, its owner and rights among it; each kind has errors of its own.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file to read it; what was opened is looked at, not what may have the name by now.
///
/// # Errors
/// What the system says, and where it is anything else.
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A FIFO would be waited for.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    match metadata.is_file() {
        true => Ok((file, metadata)),
        false => Err(io::Error::other("it is no regular file")),
    }
}
