//! The marker file, which makes a directory an area.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::io_error;
use super::{AreaDir, AreaError, MARKER_FILE};
use crate::area_path::Purpose;

/// Version of the area's layout. Increase it if an older version of Reelgauge could no longer use or
/// remove an area safely.
pub(super) const FORMAT: u32 = 1;

/// A marker has a few hundred bytes; a larger file is not one.
const LARGEST_BYTES: u64 = 64 * 1024;

const COMMENT: &str = "\
# This directory belongs to Reelgauge, a storage benchmark: it holds test data and nothing else.
# Remove it with `reelgauge clean PATH`, or by hand while no run uses it.

";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker {
    /// Version of the area's layout.
    pub format: u32,
    /// 32 random hexadecimal digits, in the groups of a UUID.
    pub id: String,
    /// RFC 3339, UTC.
    pub created_at: String,
    /// The version that created the area.
    pub tool_version: String,
}

impl Marker {
    /// A marker for a new area, with a new id.
    pub fn fresh() -> Marker {
        let now = jiff::Timestamp::now();
        let second = now.as_second();
        Marker {
            format: FORMAT,
            id: random_id(),
            created_at: jiff::Timestamp::from_second(second).unwrap_or(now).to_string(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Reads the marker of a directory that may be an area.
    pub fn read(dir: &AreaDir) -> Result<Marker, AreaError> {
        let root = dir.path();
        let path = root.join(MARKER_FILE);
        let foreign = |what: String| AreaError::Foreign { path: root.to_owned(), what };
        match dir.facts(&path) {
            Ok(facts) if !facts.is_file() => {
                return Err(foreign(format!("a directory whose {MARKER_FILE} is not a file")));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(foreign(format!("a directory without a marker ({MARKER_FILE})")));
            }
            Err(error) => return Err(io_error("access", &path, error)),
        }
        let text = dir.read_text(&path, LARGEST_BYTES).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => foreign(format!("a directory whose {MARKER_FILE} is not text")),
            _ => io_error("read", &path, error),
        })?;
        Marker::parse(root, &text)
    }

    fn parse(root: &Path, text: &str) -> Result<Marker, AreaError> {
        let foreign = || AreaError::Foreign {
            path: root.to_owned(),
            what: format!("a directory whose {MARKER_FILE} is not a marker"),
        };
        let table: toml::Table = text.parse().map_err(|_| foreign())?;
        // The format comes first: the other fields of a newer one may differ.
        let format = table.get("format").and_then(toml::Value::as_integer);
        let format = format.and_then(|format| u32::try_from(format).ok());
        match format {
            None | Some(0) => return Err(foreign()),
            Some(format) if format > FORMAT => {
                let tool_version = table.get("tool_version").and_then(toml::Value::as_str);
                return Err(AreaError::Newer {
                    path: root.to_owned(),
                    format,
                    known: FORMAT,
                    tool_version: tool_version.unwrap_or("unknown").to_owned(),
                });
            }
            Some(_) => {}
        }
        let marker: Marker = table.try_into().map_err(|_| foreign())?;
        if marker.id.is_empty() { Err(foreign()) } else { Ok(marker) }
    }

    /// Writes the marker durably into a directory that has none yet.
    pub fn write(&self, dir: &AreaDir) -> io::Result<()> {
        let text = toml::to_string(self).map_err(io::Error::other)?;
        let mut file = dir.open_file(&dir.path().join(MARKER_FILE), Purpose::New)?;
        file.write_all(format!("{COMMENT}{text}").as_bytes())?;
        file.sync_all()
    }
}

/// 128 bits in the form of a UUID. They need to be different, not secret: the standard library keys its
/// hashers from the system's random source, and clock and process number are hashed in.
fn random_id() -> String {
    let seed = (jiff::Timestamp::now().as_nanosecond(), std::process::id());
    let (high, low) = (RandomState::new().hash_one(seed), RandomState::new().hash_one(seed));
    let hex = format!("{high:016x}{low:016x}");
    let groups = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    groups.join("-")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn written_data_round_trips() {
        let dir = tempfile::tempdir().unwrap();
        let held = AreaDir::open(dir.path()).unwrap();
        let marker = Marker::fresh();
        marker.write(&held).unwrap();
        assert_eq!(Marker::read(&held).unwrap(), marker);
        let again = marker.write(&held).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn marker_explains_itself_to_readers() {
        let dir = tempfile::tempdir().unwrap();
        Marker::fresh().write(&AreaDir::open(dir.path()).unwrap()).unwrap();
        let text = fs::read_to_string(dir.path().join(MARKER_FILE)).unwrap();
        assert!(text.starts_with("# This directory belongs to Reelgauge"));
        assert!(text.contains("format = 1\n"));
    }

    #[test]
    fn ids_are_unique_uuids() {
        let (one, two) = (random_id(), random_id());
        assert_ne!(one, two);
        let lens: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!(lens, [8, 4, 4, 4, 12]);
    }

    #[test]
    fn binary_file_is_no_marker() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(MARKER_FILE), [0xff, 0xfe, 0]).unwrap();
        assert!(matches!(Marker::read(&AreaDir::open(dir.path()).unwrap()), Err(AreaError::Foreign { .. })));
    }
}
