//! The time to list a folder of many files: names only, with a stat of each file, and with each file's
//! extended attributes. Image sequences are such folders, and file browsers stat every entry.
//!
//! Each stat queries the server, as on another host: attributes cached since the files were created
//! would not measure it.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::time::Instant;

use rustix::fs::{AtFlags, Dir, StatxFlags};
use rustix::io::Errno;

use super::shortage::MAKE_FILE;
use super::{BUDGET, Bench, Broken, Found, broken, is_unsupported};

/// The number of files, if creating them does not take too long.
const FILES: u32 = 500;

pub(super) fn listing(bench: &Bench, found: &mut Found) -> Result<(), Broken> {
    let folder = bench.make_folder("listing")?;
    let begun = Instant::now();
    for number in 0..FILES {
        if begun.elapsed() > BUDGET {
            break;
        }
        let frame = folder.join(format!("frame-{number:07}.exr"));
        bench.make(&frame).map_err(broken(MAKE_FILE))?;
        bench.step()?;
    }
    let dir = opened(bench, &folder)?;
    let begun = Instant::now();
    let names = names(&dir)?;
    let names_us = per_entry_us(begun, names.len());
    bench.step()?;
    if names.is_empty() {
        return Err(broken("list a folder")(std::io::Error::other(
            "the files that the probe created are not listed",
        )));
    }
    found.number("listing_entries", names.len() as f64);
    found.number("listing_names_us", names_us);
    let looks_us = names_us + each(bench, &names, |name| look(&dir, name))?;
    found.number("listing_looks_us", looks_us);
    let worst_us = match each(bench, &names, |name| list_xattrs(&dir, name)) {
        Ok(more_us) => {
            found.number("listing_xattrs_us", names_us + more_us);
            looks_us.max(names_us + more_us)
        }
        Err(Broken::Io { source, .. }) if is_unsupported(&source) => {
            found.nothing("listing_xattrs_us");
            looks_us
        }
        Err(broken) => return Err(broken),
    };
    found.number("listing_worst_us", worst_us);
    found.number("listing_times_dearer", worst_us / names_us.max(0.001));
    // Removed one by one, so that the progress is visible. Remaining files are removed with the folder.
    for name in &names {
        // A remaining file is removed with the folder, see above.
        let _ = rustix::fs::unlinkat(&dir, name.as_c_str(), AtFlags::empty());
        bench.step()?;
    }
    Ok(())
}

fn opened(bench: &Bench, folder: &Path) -> Result<OwnedFd, Broken> {
    let invalid = || std::io::Error::from(Errno::INVAL);
    let inside = bench.dir().inside(folder).ok_or_else(invalid).map_err(broken("open a folder"))?;
    bench.dir().root().open_dir_to_read(&inside).map_err(broken("open a folder"))
}

fn names(dir: &OwnedFd) -> Result<Vec<CString>, Broken> {
    let failed = |error: Errno| broken("list a folder")(error.into());
    let mut names = Vec::new();
    for entry in Dir::read_from(dir).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_owned();
        if name.as_c_str() != c"." && name.as_c_str() != c".." {
            names.push(name);
        }
    }
    Ok(names)
}

/// The time per file of an operation, in microseconds, for as many files as fit into the time.
fn each(bench: &Bench, names: &[CString], ask: impl Fn(&CStr) -> Result<(), Broken>) -> Result<f64, Broken> {
    let begun = Instant::now();
    let mut asked = 0;
    for name in names {
        if begun.elapsed() > BUDGET {
            break;
        }
        ask(name)?;
        bench.step()?;
        asked += 1;
    }
    Ok(per_entry_us(begun, asked))
}

fn per_entry_us(begun: Instant, entries: usize) -> f64 {
    begun.elapsed().as_secs_f64() * 1e6 / entries.max(1) as f64
}

fn look(dir: &OwnedFd, name: &CStr) -> Result<(), Broken> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::STATX_FORCE_SYNC;
    let looked = rustix::fs::statx(dir, name, flags, StatxFlags::BASIC_STATS);
    looked.map(drop).map_err(|error: Errno| broken("access a file")(error.into()))
}

/// Uses the open folder, because its path may lead elsewhere by now.
fn list_xattrs(dir: &OwnedFd, name: &CStr) -> Result<(), Broken> {
    let mut path = format!("/proc/self/fd/{}/", dir.as_raw_fd()).into_bytes();
    path.extend(name.to_bytes());
    let mut list = [0_u8; 4096];
    match rustix::fs::llistxattr(path, &mut list[..]) {
        // If the list does not fit, the file has a list, too.
        Ok(_) | Err(Errno::RANGE) => Ok(()),
        Err(error) => Err(broken("list a file's extended attributes")(error.into())),
    }
}
