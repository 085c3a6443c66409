//! Tests whether the storage supports hard links, symbolic links, and exchanging two names.
//!
//! FAT supports none of them, many SMB servers lack one, and some systems forbid it to some users. Their
//! errors differ, so each operation is tried.
//!
//! Not here: the network link to the storage ([`reelgauge_machine::link`]).

use std::io;
use std::path::Path;

use crate::area::AreaDir;
use crate::area_path::Purpose;

/// Unsupported operations, each with the system's error.
#[derive(Debug, Default)]
pub struct LinkSupport {
    /// Why hard links fail.
    pub no_hard: Option<io::Error>,
    /// Why symbolic links fail.
    pub no_symbolic: Option<io::Error>,
    /// Why exchanging names fails.
    pub no_exchange: Option<io::Error>,
}

/// Tries all operations in a folder of the area without other users, and removes all entries again.
///
/// # Errors
/// If not even a file can be created or removed there.
pub fn try_links(area: &AreaDir, folder: &Path) -> io::Result<LinkSupport> {
    let names = ["file", "hard-link", "symbolic-link", "other"];
    let [file, hard, symbolic, other] = names.map(|name| folder.join(name));
    area.open_file(&file, Purpose::New).map(drop)?;
    let found = LinkSupport {
        no_hard: area.link(&file, &hard).err(),
        no_symbolic: area.lead_to(&symbolic, &file).err(),
        no_exchange: try_exchange(area, &file, &other)?,
    };
    for (name, missing) in [(&hard, &found.no_hard), (&symbolic, &found.no_symbolic)] {
        if missing.is_none() {
            area.remove_file(name)?;
        }
    }
    area.remove_file(&file)?;
    Ok(found)
}

/// Why two names cannot be exchanged. A file system without this operation may replace one of them
/// instead. Then `file` is created again.
fn try_exchange(area: &AreaDir, file: &Path, other: &Path) -> io::Result<Option<io::Error>> {
    area.open_file(other, Purpose::New).map(drop)?;
    let refused = area.exchange(file, other).err();
    let left = area.names_in(file.parent().unwrap_or(Path::new("")))?;
    let is_there = |path: &Path| left.iter().any(|name| Some(name.as_os_str()) == path.file_name());
    if is_there(other) {
        area.remove_file(other)?;
    }
    if is_there(file) {
        return Ok(refused);
    }
    area.open_file(file, Purpose::New).map(drop)?;
    Ok(refused.or_else(|| Some(io::Error::other("one of the names no longer existed afterwards"))))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn usual_file_system_has_links_and_exchange_and_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let area = AreaDir::open(folder.path()).unwrap();
        let found = try_links(&area, folder.path()).unwrap();
        assert!(found.no_hard.is_none() && found.no_symbolic.is_none(), "{found:?}");
        assert!(found.no_exchange.is_none(), "{found:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(!area.links().any(), "the probe is forgotten");
        std::fs::write(folder.path().join("file"), "theirs").unwrap();
        assert!(try_links(&area, folder.path()).is_err());
    }
}
