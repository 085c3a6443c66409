//! A row group, encoded once and then written to all files that need it.

use std::ops::Range;

use parquet::basic::{Encoding, EncodingMask};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::SchemaDescPtr;

use crate::op::OpKind;

use super::dictionary::Dictionary;
use super::rows::Rows;
use super::schema::{COLUMNS, Cells, Column, Meaning, Packing, cell};
use super::{delta, order, schema};

/// The column chunks of a row group, as bytes, and their metadata for the footer.
pub(super) struct EncodedGroup {
    /// All chunks, one after another.
    pub bytes: Vec<u8>,
    pub rows: usize,
    /// The files that the rows refer to, by index, unordered.
    pub files: Vec<u32>,
    chunks: Vec<Chunk>,
}

/// The position of a column chunk's pages in [`EncodedGroup::bytes`].
struct Chunk {
    bytes: Range<usize>,
    dictionary_at: Option<usize>,
    data_at: usize,
    encoding: Encoding,
    statistics: Option<Statistics>,
}

/// Encodes these rows as one row group. `range` is not empty.
pub(super) fn encode(rows: &Rows, range: Range<usize>) -> Result<EncodedGroup, ParquetError> {
    assert!(!range.is_empty() && range.end <= rows.len(), "a row group has rows, of those in memory");
    let order = order::worth_while(rows, range.clone());
    let (mut wide_room, mut narrow_room) = (Vec::new(), Vec::new());
    // Twice the usual size of rows. The maximum is about 70 bytes.
    let mut out = TrackedWrite::new(Vec::with_capacity(range.len() * 24));
    let mut chunks = Vec::with_capacity(schema::COLUMN_COUNT);
    let mut files = Vec::new();
    for column in &COLUMNS {
        chunks.push(match column.cells {
            Cells::Wide(at) => {
                let values = &rows.wide[at][range.clone()];
                wide_chunk(column, order.arrange(values, &mut wide_room), &mut out)?
            }
            Cells::Narrow(at) => {
                let values = &rows.narrow[at][range.clone()];
                let values = order.arrange(values, &mut narrow_room);
                let dictionary = match column.packing {
                    Packing::Delta => None,
                    Packing::Dictionary | Packing::KindName => Dictionary::of(values),
                };
                if at == cell::FILE {
                    files = distinct(values, dictionary.as_ref());
                }
                narrow_chunk(column, values, dictionary.as_ref(), &mut out)?
            }
        });
    }
    files.extend(new_names(rows, range.clone()));
    Ok(EncodedGroup { bytes: out.into_inner()?, rows: range.len(), files, chunks })
}

/// The second files that these rows name (new names, link targets): their index is in the offset column.
fn new_names(rows: &Rows, range: Range<usize>) -> impl Iterator<Item = u32> {
    let kinds = &rows.narrow[cell::KIND][range.clone()];
    let offsets = &rows.wide[cell::OFFSET][range];
    let names_two = |kind: u32| OpKind::ALL.get(kind as usize).is_some_and(|kind| kind.names_two());
    let second = kinds.iter().zip(offsets).filter(move |(kind, _)| names_two(**kind));
    second.filter_map(|(_, file)| u32::try_from(*file).ok())
}

impl EncodedGroup {
    /// The footer entry of this group if its bytes begin at `start` in that file.
    pub fn metadata(&self, schema: &SchemaDescPtr, start: u64) -> Result<RowGroupMetaData, ParquetError> {
        let ends = self.chunks.iter().map(|chunk| chunk.bytes.end);
        let begins = self.chunks.iter().map(|chunk| chunk.bytes.start).chain([self.bytes.len()]);
        assert!(
            [0].into_iter().chain(ends).eq(begins),
            "the columns of a row group follow one another without a gap"
        );
        let place = |at: usize| start as i64 + at as i64;
        let mut group = RowGroupMetaData::builder(schema.clone())
            .set_num_rows(self.rows as i64)
            .set_total_byte_size(self.bytes.len() as i64)
            .set_file_offset(start as i64);
        for (index, chunk) in self.chunks.iter().enumerate() {
            let mut column = ColumnChunkMetaData::builder(schema.column(index))
                .set_encodings_mask(EncodingMask::new_from_encodings(
                    [Encoding::PLAIN, chunk.encoding].iter(),
                ))
                .set_num_values(self.rows as i64)
                .set_total_compressed_size(chunk.bytes.len() as i64)
                .set_total_uncompressed_size(chunk.bytes.len() as i64)
                .set_dictionary_page_offset(chunk.dictionary_at.map(place))
                .set_data_page_offset(place(chunk.data_at));
            if let Some(statistics) = &chunk.statistics {
                column = column.set_statistics(statistics.clone());
            }
            group = group.add_column_metadata(column.build()?);
        }
        group.build()
    }
}

fn wide_chunk(
    column: &Column,
    values: &[u64],
    out: &mut TrackedWrite<Vec<u8>>,
) -> Result<Chunk, ParquetError> {
    let start = out.bytes_written();
    let mut body = Vec::with_capacity(values.len() * 5);
    delta::encode_wide(values, &mut body);
    put_data_page(body, values.len(), Encoding::DELTA_BINARY_PACKED, out)?;
    let bounds = if column.min_max { delta::bounds(values) } else { None };
    let statistics =
        bounds.map(|(min, max)| Statistics::int64(Some(min as i64), Some(max as i64), None, Some(0), false));
    Ok(Chunk {
        bytes: start..out.bytes_written(),
        dictionary_at: None,
        data_at: start,
        encoding: Encoding::DELTA_BINARY_PACKED,
        statistics,
    })
}

fn narrow_chunk(
    column: &Column,
    values: &[u32],
    dictionary: Option<&Dictionary>,
    out: &mut TrackedWrite<Vec<u8>>,
) -> Result<Chunk, ParquetError> {
    let start = out.bytes_written();
    let mut body = Vec::with_capacity(values.len() + 64);
    let Some(dictionary) = dictionary else {
        delta::encode_narrow(values, &mut body);
        put_data_page(body, values.len(), Encoding::DELTA_BINARY_PACKED, out)?;
        return Ok(Chunk {
            bytes: start..out.bytes_written(),
            dictionary_at: None,
            data_at: start,
            encoding: Encoding::DELTA_BINARY_PACKED,
            statistics: None,
        });
    };
    put_dictionary_page(column, dictionary, out)?;
    let data_at = out.bytes_written();
    dictionary.encode_indices(&mut body);
    put_data_page(body, values.len(), Encoding::RLE_DICTIONARY, out)?;
    Ok(Chunk {
        bytes: start..out.bytes_written(),
        dictionary_at: Some(start),
        data_at,
        encoding: Encoding::RLE_DICTIONARY,
        statistics: dictionary_statistics(column, &dictionary.entries),
    })
}

fn put_dictionary_page(
    column: &Column,
    dictionary: &Dictionary,
    out: &mut TrackedWrite<Vec<u8>>,
) -> Result<(), ParquetError> {
    let mut body = Vec::with_capacity(dictionary.entries.len() * 8);
    for &entry in &dictionary.entries {
        if column.packing == Packing::KindName {
            let name = kind_name(entry);
            body.extend_from_slice(&(name.len() as u32).to_le_bytes());
            body.extend_from_slice(name.as_bytes());
        } else {
            body.extend_from_slice(&entry.to_le_bytes());
        }
    }
    let page = Page::DictionaryPage {
        num_values: dictionary.entries.len() as u32,
        encoding: Encoding::PLAIN,
        is_sorted: false,
        buf: body.into(),
    };
    put_page(page, out)
}

fn put_data_page(
    body: Vec<u8>,
    rows: usize,
    encoding: Encoding,
    out: &mut TrackedWrite<Vec<u8>>,
) -> Result<(), ParquetError> {
    let page = Page::DataPage {
        buf: body.into(),
        num_values: rows as u32,
        encoding,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    };
    put_page(page, out)
}

fn put_page(page: Page, out: &mut TrackedWrite<Vec<u8>>) -> Result<(), ParquetError> {
    let size = page.buffer().len();
    SerializedPageWriter::new(out).write_page(CompressedPage::new(page, size))?;
    Ok(())
}

/// The kind's name. The rows hold only numbers that came from an [`OpKind`].
fn kind_name(number: u32) -> &'static str {
    assert!((number as usize) < OpKind::ALL.len(), "the kind of a row is a known one");
    OpKind::ALL[number as usize].name()
}

/// Smallest and largest value, from the dictionary.
fn dictionary_statistics(column: &Column, entries: &[u32]) -> Option<Statistics> {
    let (min, max) = match column.meaning {
        _ if !column.min_max => return None,
        Meaning::Int32 => {
            let signed = || entries.iter().map(|&entry| entry as i32);
            (signed().min(), signed().max())
        }
        _ => {
            let min = entries.iter().min().map(|&entry| entry as i32);
            (min, entries.iter().max().map(|&entry| entry as i32))
        }
    };
    Some(Statistics::int32(min, max, None, Some(0), false))
}

fn distinct(values: &[u32], dictionary: Option<&Dictionary>) -> Vec<u32> {
    match dictionary {
        Some(dictionary) => dictionary.entries.clone(),
        None => {
            let mut values = values.to_vec();
            values.sort_unstable();
            values.dedup();
            values
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::test_records::read;

    fn rows() -> Rows {
        let mut rows = Rows::with_capacity(0);
        assert!(rows.push(&[read(0, 0, 4096), read(0, 4096, 4096)]));
        rows
    }

    #[test]
    #[should_panic(expected = "a row group has rows, of those in memory")]
    fn a_group_beyond_the_rows_is_a_defect() {
        let _ = encode(&rows(), 1..3);
    }

    #[test]
    #[should_panic(expected = "follow one another without a gap")]
    fn a_gap_between_columns_is_a_defect() {
        let mut group = encode(&rows(), 0..2).unwrap();
        group.chunks[3].bytes.end += 1;
        let _ = group.metadata(&schema::descriptor().unwrap(), 4);
    }

    #[test]
    #[should_panic(expected = "the kind of a row is a known one")]
    fn an_unknown_kind_is_a_defect() {
        kind_name(OpKind::ALL.len() as u32);
    }
}
