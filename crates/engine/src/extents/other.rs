//! For systems without FIEMAP.

use std::fs::File;
use std::io;

use super::RawExtent;

pub(super) fn each_extent(_file: &File, _each: impl FnMut(RawExtent)) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
