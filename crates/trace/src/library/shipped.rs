//! The recorded traces that ship with the program. They are built in, so the binary needs no other
//! files. They are in `catalogue/traces/`, where `record.sh` documents and repeats each recording.

use std::fs;
use std::path::Path;

use crate::error::TraceError;
use crate::trace::Trace;

/// A recorded trace that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// The name of the trace.
    pub name: &'static str,
    /// Its files: path in the trace's directory, and content.
    files: &'static [(&'static str, &'static [u8])],
}

/// A file of a trace in the catalogue: path in the trace's directory, and content.
macro_rules! file {
    ($name:literal, $path:literal) => {
        ($path, include_bytes!(concat!("../../../../catalogue/traces/", $name, "/", $path)))
    };
}

/// A trace in the catalogue.
macro_rules! shipped {
    ($name:literal) => {
        Shipped {
            name: $name,
            files: &[file!($name, "trace.json"), file!($name, "ops/agent=local/part-000001.parquet")],
        }
    };
}

const SHIPPED: &[Shipped] = &[
    shipped!("cp-project"),
    shipped!("dnxhr-edit"),
    shipped!("dpx-playback"),
    shipped!("exr-playback"),
    shipped!("faststart-rewrite"),
    shipped!("hls-packaging"),
    shipped!("office-session"),
    shipped!("photo-browsing"),
    shipped!("prores-edit"),
    shipped!("proxy-ingest"),
    shipped!("rsync-project"),
];

/// Every recorded trace that ships.
pub fn shipped() -> &'static [Shipped] {
    SHIPPED
}

impl Shipped {
    /// Writes it as a new directory inside `parent`.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn unpack(&self, parent: &Path) -> Result<Trace, TraceError> {
        let dir = parent.join(self.name);
        for (path, bytes) in self.files {
            let path = dir.join(path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(TraceError::io("create", folder))?;
            }
            fs::write(&path, bytes).map_err(TraceError::io("write", &path))?;
        }
        Trace::open(&dir)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn shipped_traces_equal_the_catalogue() {
        let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue/traces");
        let on_disk: BTreeSet<String> = fs::read_dir(&catalogue)
            .unwrap()
            .map(Result::unwrap)
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        let built_in: BTreeSet<String> = shipped().iter().map(|trace| trace.name.to_owned()).collect();
        assert_eq!(on_disk, built_in, "a new trace needs a line in SHIPPED");
    }

    #[test]
    fn shipped_traces_are_complete_described_and_small() {
        let parent = tempfile::tempdir().unwrap();
        for shipped in shipped() {
            let trace = shipped.unpack(parent.path()).unwrap();
            let info = trace.info().unwrap();
            assert_eq!(info.name, shipped.name);
            assert!(!info.about.is_empty() && info.made_by == "record", "{}", shipped.name);
            let ops: usize = trace.batches().map(|batch| batch.unwrap().len()).sum();
            assert_eq!((ops as u64, trace.skipped().len()), (info.ops, 0), "{}", shipped.name);
            let bytes: usize = shipped.files.iter().map(|(_, bytes)| bytes.len()).sum();
            assert!(bytes < 400_000, "{} has {bytes} bytes", shipped.name);
            for file in trace.files() {
                assert!(crate::name::check(&file.path).is_ok(), "{}: {}", shipped.name, file.path);
            }
        }
    }
}
