//! A Parquet file while it is being written: row groups, then a footer, then its final name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::schema::types::SchemaDescPtr;

use super::disk::{Disk, PartWriter};
use super::error::LogError;
use super::group::EncodedGroup;

const MAGIC: &[u8; 4] = b"PAR1";
/// Version 2 of the format: delta encodings and unsigned columns.
const FORMAT_VERSION: i32 = 2;

/// A part under its temporary name. It is deleted if dropped before [`PartFile::finish`].
#[derive(Debug)]
pub(super) struct PartFile {
    disk: Arc<dyn Disk>,
    file: Box<dyn PartWriter>,
    temporary: PathBuf,
    at: u64,
    groups: Vec<RowGroupMetaData>,
    files: FileSet,
    schema: SchemaDescPtr,
    rows: u64,
    finished: bool,
}

impl PartFile {
    /// Starts a part under its temporary name.
    pub fn create(
        disk: Arc<dyn Disk>,
        temporary: PathBuf,
        schema: SchemaDescPtr,
    ) -> Result<PartFile, LogError> {
        let file = disk.create(&temporary).map_err(LogError::io("create", &temporary))?;
        let mut part = PartFile {
            disk,
            file,
            temporary,
            at: 0,
            groups: Vec::new(),
            files: FileSet::default(),
            schema,
            rows: 0,
            finished: false,
        };
        part.write(MAGIC)?;
        Ok(part)
    }

    /// Number of its rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of its row groups.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// Writes a row group.
    pub fn append(&mut self, group: &EncodedGroup) -> Result<(), LogError> {
        assert!(group.rows > 0, "a part is written from row groups that have rows");
        let metadata = group.metadata(&self.schema, self.at).map_err(|source| LogError::Encode { source })?;
        self.write(&group.bytes)?;
        self.rows += group.rows as u64;
        self.files.extend(&group.files);
        self.groups.push(metadata);
        Ok(())
    }

    /// Writes the footer and renames the part to its final name, replacing an existing file. Returns its
    /// size in bytes.
    ///
    /// `key_values` makes the metadata from the files that the rows refer to, in ascending order.
    pub fn finish(
        mut self,
        path: &Path,
        key_values: impl FnOnce(&mut dyn Iterator<Item = u32>) -> Vec<KeyValue>,
    ) -> Result<u64, LogError> {
        let grouped: i64 = self.groups.iter().map(RowGroupMetaData::num_rows).sum();
        assert_eq!(grouped, self.rows as i64, "a part has the rows of its row groups");
        let key_values = key_values(&mut self.files.iter());
        let footer = self.footer(key_values).map_err(|source| LogError::Encode { source })?;
        self.write(&footer)?;
        self.disk.rename(&self.temporary, path).map_err(LogError::io("rename", &self.temporary))?;
        self.finished = true;
        Ok(self.at)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LogError> {
        self.file.write_all(bytes).map_err(LogError::io("write", &self.temporary))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn footer(&mut self, key_values: Vec<KeyValue>) -> Result<Vec<u8>, ParquetError> {
        let file = FileMetaData::new(
            FORMAT_VERSION,
            self.rows as i64,
            Some(concat!("reelgauge version ", env!("CARGO_PKG_VERSION")).to_string()),
            Some(key_values),
            self.schema.clone(),
            None, // The writer below derives the column orders from the schema.
        );
        let metadata = ParquetMetaData::new(file, std::mem::take(&mut self.groups));
        let mut footer = Vec::new();
        ParquetMetaDataWriter::new(&mut footer, &metadata).finish()?;
        Ok(footer)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing reads it, and it may be the file that fills the disk. If the removal fails, readers
            // ignore the file and `repair` removes it.
            let _ = self.disk.remove(&self.temporary);
        }
    }
}

/// The files that the rows of a part refer to: one bit each, up to a memory limit. No valid file table
/// has larger indices, so they get no entry.
#[derive(Debug, Default)]
struct FileSet {
    words: Vec<u64>,
}

impl FileSet {
    /// 4 million files: 512 KiB.
    const MAX: u32 = 1 << 22;

    fn extend(&mut self, files: &[u32]) {
        for &file in files.iter().filter(|&&file| file < FileSet::MAX) {
            let word = (file / u64::BITS) as usize;
            if word >= self.words.len() {
                self.words.resize(word + 1, 0);
            }
            self.words[word] |= 1 << (file % u64::BITS);
        }
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            (0..u64::BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at as u32 * u64::BITS + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::log::group::encode;
    use crate::log::rows::Rows;
    use crate::test_records::read;

    fn empty_part(dir: &Path) -> PartFile {
        let schema = crate::log::schema::descriptor().unwrap();
        let disk = Arc::new(crate::log::disk::SystemDisk);
        PartFile::create(disk, dir.join("_segment-000001.tmp"), schema).unwrap()
    }

    #[test]
    #[should_panic(expected = "a part has the rows of its row groups")]
    fn a_part_with_another_number_of_rows_is_a_defect() {
        let dir = tempfile::tempdir().unwrap();
        let mut part = empty_part(dir.path());
        part.rows = 7;
        let _ = part.finish(&dir.path().join("part-000001.parquet"), |_| Vec::new());
    }

    #[test]
    #[should_panic(expected = "a part is written from row groups that have rows")]
    fn a_row_group_without_rows_is_a_defect() {
        let dir = tempfile::tempdir().unwrap();
        let mut rows = Rows::with_capacity(0);
        assert!(rows.push(&[read(0, 0, 4096)]));
        let mut group = encode(&rows, 0..1).unwrap();
        group.rows = 0;
        let _ = empty_part(dir.path()).append(&group);
    }

    #[test]
    fn file_set_holds_inserted_files() {
        let mut set = FileSet::default();
        set.extend(&[64, 3, 3, u32::MAX]);
        set.extend(&[0, FileSet::MAX - 1]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 3, 64, FileSet::MAX - 1]);
    }
}
