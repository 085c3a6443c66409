//! Windows: uses the full path, after checking every directory in it. See the table in [`super`].

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{EntryFacts, EntryKind, Purpose};

/// Holds nothing: an open directory could not be removed.
#[derive(Debug)]
pub(crate) struct Root;

impl Root {
    pub fn open(path: &Path) -> io::Result<Root> {
        refuse_link(path).map(|()| Root)
    }

    pub fn again(&self) -> io::Result<Root> {
        Ok(Root)
    }

    pub fn open_file(&self, area: &Path, inside: &Path, purpose: Purpose) -> io::Result<File> {
        use std::os::windows::fs::OpenOptionsExt;
        use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_OPEN_REPARSE_POINT;
        let path = looked_at(area, inside)?;
        let mut options = OpenOptions::new();
        match purpose {
            Purpose::Reading => options.read(true),
            Purpose::Existing => options.write(true),
            Purpose::Both => options.read(true).write(true).create(true).truncate(false),
            Purpose::New => options.read(true).write(true).create_new(true),
        };
        // Opens the link itself, which is then refused.
        options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
        let file = options.open(&path)?;
        if file.metadata()?.is_symlink() { Err(link()) } else { Ok(file) }
    }

    pub fn facts(&self, area: &Path, inside: &Path) -> io::Result<EntryFacts> {
        use std::os::windows::fs::MetadataExt;
        use windows_sys::Win32::Storage::FileSystem::FILE_ATTRIBUTE_SPARSE_FILE;
        let metadata = fs::symlink_metadata(looked_at(area, inside)?)?;
        let what = if metadata.is_symlink() {
            EntryKind::Link
        } else if metadata.is_dir() {
            EntryKind::Directory
        } else if metadata.is_file() {
            EntryKind::File
        } else {
            EntryKind::Other
        };
        Ok(EntryFacts {
            what,
            size_bytes: metadata.len(),
            names: 1,
            modified: metadata.modified().ok(),
            is_sparse: metadata.file_attributes() & FILE_ATTRIBUTE_SPARSE_FILE != 0,
        })
    }

    pub fn names_in(&self, area: &Path, inside: &Path) -> io::Result<Vec<OsString>> {
        let entries = fs::read_dir(looked_at(area, inside)?)?;
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect()
    }

    pub fn create_dir(&self, area: &Path, inside: &Path) -> io::Result<()> {
        fs::create_dir(looked_at(area, inside)?)
    }

    pub fn remove_file(&self, area: &Path, inside: &Path) -> io::Result<()> {
        fs::remove_file(looked_at(area, inside)?)
    }

    pub fn remove_dir(&self, area: &Path, inside: &Path) -> io::Result<()> {
        fs::remove_dir(looked_at(area, inside)?)
    }

    pub fn link(&self, area: &Path, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(looked_at(area, from)?, looked_at(area, to)?)
    }

    /// Creating symbolic links requires a privilege that few users have.
    pub fn lead_to(&self, _link: &Path, _target: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn rename(&self, area: &Path, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(looked_at(area, from)?, looked_at(area, to)?)
    }

    /// Windows has no such call.
    pub fn exchange(&self, _one: &Path, _two: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The full path, if no directory in it is a link.
fn looked_at(area: &Path, inside: &Path) -> io::Result<PathBuf> {
    let mut path = area.to_owned();
    for part in inside.parent().unwrap_or(Path::new("")).components() {
        path.push(part);
        refuse_link(&path)?;
    }
    Ok(area.join(inside))
}

/// Links to directories and mounted volumes are both reparse points, which look like links here.
fn refuse_link(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_symlink() { Err(link()) } else { Ok(()) }
}

fn link() -> io::Error {
    io::Error::other("its path contains a link or a mounted volume")
}
