//! Decides by location, name and type which entries of an area Reelgauge made.
//!
//! The scratch folder and the ballast belong to Reelgauge with all their contents, since every run
//! empties them. In other directories a user may have stored files, by mistake or because there was
//! space.

use crate::area::{BALLAST_DIR, DATA_DIR, LOCK_FILE, MARKER_FILE, SCRATCH_DIR};
use crate::area_path::EntryFacts;
use crate::set_names::{is_file_name, is_set_name};

/// A location in the area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AreaPart {
    /// Directly in the area.
    Area,
    /// Directly in the directory of data sets.
    DataSets,
    /// In a data set.
    DataSet,
    /// In a folder that belongs to Reelgauge with all its contents.
    Everything,
}

impl AreaPart {
    /// Whether the entry with this name is removed last.
    pub fn is_kept(self, name: &[u8]) -> bool {
        self == AreaPart::Area && (name == MARKER_FILE.as_bytes() || name == LOCK_FILE.as_bytes())
    }

    /// If Reelgauge made the entry with this name, the location of its contents; otherwise `None`.
    pub fn of(self, name: &[u8], facts: &EntryFacts) -> Option<AreaPart> {
        let name = std::str::from_utf8(name).ok();
        match self {
            AreaPart::Everything => Some(AreaPart::Everything),
            AreaPart::Area if facts.is_dir() => match name? {
                DATA_DIR => Some(AreaPart::DataSets),
                SCRATCH_DIR | BALLAST_DIR => Some(AreaPart::Everything),
                _ => None,
            },
            AreaPart::Area => (facts.is_file() && is_probe(name?)).then_some(AreaPart::Everything),
            AreaPart::DataSets => (facts.is_dir() && is_set_name(name?)).then_some(AreaPart::DataSet),
            AreaPart::DataSet => {
                let is_ours = facts.foreign_file().is_none() && is_file_name(name?);
                is_ours.then_some(AreaPart::Everything)
            }
        }
    }
}

/// Whether this is the name of a file made by the direct I/O probe.
fn is_probe(name: &str) -> bool {
    name.starts_with("direct-probe-") && name.ends_with(".tmp")
}
