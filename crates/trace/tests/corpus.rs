//! The fuzzers' corpus through every importer: whatever a file is, it is imported or refused, and those
//! under a format's own name give operations.

#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};

use common::try_import;
use reelgauge_trace::import::{Format, ImportError};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_file_is_recognised_and_gives_operations() {
    for format in Format::ALL {
        let files = files(&corpus().join(format.name()));
        assert!(!files.is_empty(), "{}", format.name());
        // Names that begin so are what a fuzzer found: they only have to be survived.
        for file in
            files.iter().filter(|file| !file.file_name().unwrap().to_string_lossy().starts_with("found-"))
        {
            let source = std::fs::read(file).unwrap();
            match try_import(&source, None, None) {
                Err(ImportError::Naspt { .. }) => assert_eq!(format, Format::Naspt),
                Err(error) => panic!("{}: {error}", file.display()),
                Ok(imported) => {
                    assert_eq!(
                        imported.info().made_by,
                        format!("import {}", format.name()),
                        "{}",
                        file.display()
                    );
                    assert_eq!(imported.info().malformed_lines, 0, "{}", file.display());
                    assert!(!imported.info().blind_to.is_empty());
                }
            }
        }
    }
}

#[test]
fn every_importer_survives_every_file() {
    for folder in files(&corpus()) {
        for file in files(&folder) {
            let source = std::fs::read(&file).unwrap();
            for format in Format::ALL {
                let _ = try_import(&source, Some(format), None);
            }
        }
    }
}
