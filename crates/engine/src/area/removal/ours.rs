//! What in an area the tool made: known by where it lies, what it is called and what it is.
//!
//! The scratch folder is the tool's own with everything in it, since every run empties it. Elsewhere somebody
//! may have put something, by mistake or because there was room.

use crate::area::{DATA_DIR, LOCK_FILE, MARKER_FILE, SCRATCH_DIR};
use crate::beneath::Facts;
use crate::dataset;

/// Where in the area something lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Directly in the area.
    Area,
    /// Directly in the directory of data sets.
    DataSets,
    /// In a data set.
    DataSet,
    /// Where everything is the tool's own.
    Everything,
}

impl Scope {
    /// Whether what has this name here is kept to the end.
    pub fn is_kept(self, name: &[u8]) -> bool {
        self == Scope::Area && (name == MARKER_FILE.as_bytes() || name == LOCK_FILE.as_bytes())
    }

    /// Whether the tool made what has this name here, and if so, what it is that lies in it.
    pub fn of(self, name: &[u8], facts: &Facts) -> Option<Scope> {
        let name = std::str::from_utf8(name).ok();
        match self {
            Scope::Everything => Some(Scope::Everything),
            Scope::Area if facts.is_dir() => match name? {
                DATA_DIR => Some(Scope::DataSets),
                SCRATCH_DIR => Some(Scope::Everything),
                _ => None,
            },
            Scope::Area => (facts.is_file() && is_probe(name?)).then_some(Scope::Everything),
            Scope::DataSets => (facts.is_dir() && dataset::is_set_name(name?)).then_some(Scope::DataSet),
            Scope::DataSet => {
                let is_ours = facts.foreign_file().is_none() && dataset::is_file_name(name?);
                is_ours.then_some(Scope::Everything)
            }
        }
    }
}

/// Whether trying direct I/O gives files such a name.
fn is_probe(name: &str) -> bool {
    name.starts_with("direct-probe-") && name.ends_with(".tmp")
}
