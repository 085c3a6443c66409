//! The supported formats: name, the tool that makes such a file, and importer. A new format is an entry
//! here, and a file with its importer.
//!
//! Not here: detecting a format ([`crate::detect`]).

use crate::{ImportError, Source, darshan, etw, fio, fs_usage, naspt, nfs, procmon, smb2, strace};

macro_rules! formats {
    ($($(#[doc = $doc:literal])* $Kind:ident($name:literal, $made_by:expr, $read:path),)*) => {
        /// A format of sources.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $($(#[doc = $doc])* $Kind,)*
        }

        impl Format {
            pub const ALL: [Format; [$($name),*].len()] = [$(Format::$Kind),*];

            /// Its name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Format::$Kind => $name,)* }
            }

            /// How to make a file of this format, as a sentence or a command.
            pub const fn made_by(self) -> &'static str {
                match self { $(Format::$Kind => $made_by,)* }
            }

            /// Reads a whole source of this format.
            pub(crate) fn read(self, source: &mut Source<'_>) -> Result<(), ImportError> {
                match self { $(Format::$Kind => $read(source),)* }
            }
        }
    };
}

formats! {
    /// `strace -f -ttt -T -y`, of Linux.
    Strace("strace", strace::COMMAND, strace::read),
    /// fio's iolog, versions 2 and 3.
    Fio("fio", "fio --write_iolog=FILE", fio::read),
    /// Process Monitor's CSV, of Windows.
    Procmon("procmon", procmon::COMMAND, procmon::read),
    /// The text of `xperf -a dumper`, of Windows.
    Etw("etw", "xperf -i FILE.etl -a dumper, of a session with FILE_IO and FILE_IO_INIT", etw::read),
    /// `fs_usage -w -f filesys`, of macOS.
    FsUsage("fs_usage", "sudo fs_usage -w -f filesys PID", fs_usage::read),
    /// tshark's fields of a capture of SMB2 or SMB3.
    Smb2("smb2", smb2::COMMAND, smb2::read),
    /// tshark's fields of a capture of NFS, versions 3 and 4.
    Nfs("nfs", nfs::COMMAND, nfs::read),
    /// The text of `darshan-dxt-parser`.
    Darshan("darshan", "darshan-dxt-parser FILE.darshan", darshan::read),
    /// The XML of Intel's NAS Performance Toolkit: recognised, not read.
    Naspt("naspt", "Intel NAS Performance Toolkit", naspt::read),
}

impl Format {
    /// The format with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}
