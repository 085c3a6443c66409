//! Runs the fuzzers' corpus through every importer: each file is imported or refused, and files named
//! after a format contain operations.

#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};

use common::try_import;
use reelgauge_import::{Format, ImportError, Options, Receiver, read};
use reelgauge_record::OpRecord;
use reelgauge_record::log::{FileEntry, LogMeta};
use reelgauge_trace::TraceError;

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
        // Files with such names were found by a fuzzer: they must only not crash the importer.
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

/// Stores the output of an importer.
#[derive(Default)]
struct Kept {
    meta: Option<LogMeta>,
    files: Vec<FileEntry>,
    ops: Vec<OpRecord>,
}

impl Receiver for Kept {
    fn begin(&mut self, meta: LogMeta) {
        assert_eq!(self.meta.replace(meta), None, "once");
        assert!(self.files.is_empty() && self.ops.is_empty(), "before anything else");
    }

    fn file(&mut self, name: &str) -> Result<u32, TraceError> {
        if let Some(number) = self.number_of(name) {
            return Ok(number);
        }
        let (path, prepared) = (name.to_owned(), "unknown".to_owned());
        self.files.push(FileEntry { path, prepared, ..FileEntry::default() });
        Ok(self.files.len() as u32 - 1)
    }

    fn number_of(&self, name: &str) -> Option<u32> {
        self.files.iter().position(|file| file.path == name).map(|number| number as u32)
    }

    fn entry(&mut self, file: u32) -> Option<&mut FileEntry> {
        self.files.get_mut(file as usize)
    }

    fn push(&mut self, op: OpRecord) -> Result<(), TraceError> {
        self.ops.push(op);
        Ok(())
    }
}

#[test]
fn observer_receives_the_records_of_the_trace() {
    let mut compared = 0;
    for format in Format::ALL {
        for file in files(&corpus().join(format.name())) {
            let source = std::fs::read(&file).unwrap();
            let options = Options {
                name: "test".to_owned(),
                parent: PathBuf::new(),
                root: None,
                format: Some(format),
                source: "source.txt".to_owned(),
            };
            let mut kept = Kept::default();
            let Ok(info) = read(source.as_slice(), &options, &mut kept) else {
                assert!(try_import(&source, Some(format), None).is_err(), "{}", file.display());
                continue;
            };
            let imported = try_import(&source, Some(format), None).unwrap();
            kept.ops.sort_by_key(|op| op.issued_ns);
            assert_eq!(kept.ops, imported.ops(), "{}", file.display());
            assert_eq!(kept.meta.as_ref(), Some(imported.trace.meta()));
            assert_eq!(info.left_out, imported.info().left_out);
            for (number, entry) in imported.trace.files().iter().enumerate() {
                // A name that no operation refers to is not in the log.
                assert!(entry.path.is_empty() || *entry == kept.files[number], "{entry:?}");
            }
            compared += 1;
        }
    }
    assert!(compared >= Format::ALL.len() - 1, "{compared}");
}
