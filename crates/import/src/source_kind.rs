//! The kinds of sources: their names, and how such a source is made.
//!
//! Not here: how one is recognised ([`crate::detect`]).

use crate::{nfs, procmon, smb2, strace};

/// A kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `strace -f -ttt -T -y`, of Linux.
    Strace,
    /// fio's iolog, versions 2 and 3.
    Fio,
    /// Process Monitor's CSV, of Windows.
    Procmon,
    /// The text of `xperf -a dumper`, of Windows.
    Etw,
    /// `fs_usage -w -f filesys`, of macOS.
    FsUsage,
    /// tshark's fields of a capture of SMB2 or SMB3.
    Smb2,
    /// tshark's fields of a capture of NFS, versions 3 and 4.
    Nfs,
    Darshan,
    /// The XML of Intel's NAS Performance Toolkit: recognised, not read.
    Naspt,
}

impl Format {
    pub const ALL: [Format; 9] = [
        Format::Strace,
        Format::Fio,
        Format::Procmon,
        Format::Etw,
        Format::FsUsage,
        Format::Smb2,
        Format::Nfs,
        Format::Darshan,
        Format::Naspt,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Strace => "strace",
            Format::Fio => "fio",
            Format::Procmon => "procmon",
            Format::Etw => "etw",
            Format::FsUsage => "fs_usage",
            Format::Smb2 => "smb2",
            Format::Nfs => "nfs",
            Format::Darshan => "darshan",
            Format::Naspt => "naspt",
        }
    }

    /// The format with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// How a source of this kind is made, in a sentence or a command.
    pub const fn made_by(self) -> &'static str {
        match self {
            Format::Strace => strace::COMMAND,
            Format::Fio => "fio --write_iolog=FILE",
            Format::Procmon => procmon::COMMAND,
            Format::Etw => "xperf -i FILE.etl -a dumper, of a session with FILE_IO and FILE_IO_INIT",
            Format::FsUsage => "sudo fs_usage -w -f filesys PID",
            Format::Smb2 => smb2::COMMAND,
            Format::Nfs => nfs::COMMAND,
            Format::Darshan => "darshan-dxt-parser FILE.darshan",
            Format::Naspt => "Intel NAS Performance Toolkit",
        }
    }
}
