//! Extended attributes: set, read back, listed, removed, and how large one may be. The Finder's tags and
//! resource forks become such attributes.

use std::fs::File;
use std::io;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

use super::shortage::{MAKE_FILE, SET_LARGER_XATTR, SET_XATTR};
use super::{Bench, Broken, Found, NOT_SUPPORTED, broken, is_unsupported};

const NAME: &str = "user.reelgauge-probe";
/// The first is the size of the Finder's attribute of a file, the last is the kernel's maximum.
const SIZES_BYTES: [usize; 6] = [32, 256, 1024, 3000, 16 << 10, 64 << 10];

pub(super) fn xattrs(bench: &Bench, found: &mut Found) -> Result<(), Broken> {
    let file = bench.make(&bench.at("attributes")).map_err(broken(MAKE_FILE))?;
    bench.step()?;
    let (mut largest_bytes, mut end) = (0, None);
    for size_bytes in SIZES_BYTES {
        let kept = set_and_read(&file, size_bytes);
        bench.step()?;
        match kept {
            Ok(true) => largest_bytes = size_bytes,
            Ok(false) => {
                found.word("xattrs", "changed");
                break;
            }
            Err(error) if largest_bytes == 0 && is_unsupported(&error) => {
                found.word("xattrs", NOT_SUPPORTED);
                found.nothing("xattr_largest_bytes");
                found.nothing("xattr_refused_bytes");
                return Ok(());
            }
            Err(error) if largest_bytes == 0 => {
                return Err(broken(SET_XATTR)(error));
            }
            Err(error) => {
                end = Some((size_bytes, error));
                break;
            }
        }
    }
    largest(found, largest_bytes, end);
    let is_listed = lists(&file).map_err(broken("list extended attributes"))?;
    let removed = fremovexattr(&file, NAME).map_err(io::Error::from);
    removed.map_err(broken("remove an extended attribute"))?;
    bench.step()?;
    let is_gone = !lists(&file).map_err(broken("list extended attributes"))?;
    found.word("xattrs", if is_listed && is_gone { "kept" } else { "changed" });
    Ok(())
}

/// Records the largest accepted size, and the first refused size if there was one. If that failed for
/// lack of space, both are unknown.
fn largest(found: &mut Found, largest_bytes: usize, end: Option<(usize, io::Error)>) {
    match end {
        Some((_, error)) if found.shortage(SET_LARGER_XATTR, &error).is_some() => {
            for fact in ["xattr_largest_bytes", "xattr_refused_bytes"] {
                found.failed(fact, SET_LARGER_XATTR, &error);
            }
        }
        Some((size_bytes, _)) => {
            found.number("xattr_largest_bytes", largest_bytes as f64);
            found.number("xattr_refused_bytes", size_bytes as f64);
        }
        None => {
            found.number("xattr_largest_bytes", largest_bytes as f64);
            found.nothing("xattr_refused_bytes");
        }
    }
}

/// Whether an attribute reads back as it was set.
fn set_and_read(file: &File, size_bytes: usize) -> io::Result<bool> {
    let value: Vec<u8> = (0..size_bytes).map(|at| (at * 7) as u8).collect();
    fsetxattr(file, NAME, &value, XattrFlags::empty())?;
    let mut read = vec![0; size_bytes + 1];
    match fgetxattr(file, NAME, &mut read[..]) {
        Ok(length) => Ok(read[..length] == value[..]),
        Err(Errno::RANGE | Errno::NODATA) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn lists(file: &File) -> io::Result<bool> {
    let mut list = vec![0_u8; 64 << 10];
    let length = flistxattr(file, &mut list[..])?;
    Ok(list[..length].split(|byte| *byte == 0).any(|name| name == NAME.as_bytes()))
}
