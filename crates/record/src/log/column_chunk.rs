//! Opens a column of a row group of a log or of counters, with checks that the library lacks.
//!
//! The library asserts that offsets are valid. It allocates memory for the number of values in a
//! dictionary's header before it checks the page's size, so a damaged page of a few bytes can exhaust
//! the memory. Each value of a dictionary in a log or in counters has at least four bytes.
//!
//! Not here: the meaning of values.

use std::fs::File;
use std::sync::Arc;

use parquet::basic::CompressionCodec;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;

/// The smallest size of a value in a dictionary: a 32-bit number, or the length of a text.
const VALUE_BYTES_MIN: usize = 4;

/// The reason why a column can't be opened.
#[derive(Debug)]
pub enum ColumnFault {
    /// The row group has no such column.
    Lacking,
    /// Its pages are outside the file.
    Outside,
    /// It is compressed; no file that this crate reads is.
    Compressed,
    /// An error of the Parquet library.
    Library(ParquetError),
}

/// Opens a column of a row group, by its number in the schema.
///
/// # Errors
/// [`ColumnFault`]. Errors within its pages are reported when they are read.
pub fn open_column(
    file: &Arc<File>,
    file_bytes: u64,
    group: &RowGroupMetaData,
    leaf: usize,
) -> std::result::Result<ColumnReader, ColumnFault> {
    let chunk = group.columns().get(leaf).ok_or(ColumnFault::Lacking)?;
    if !lies_within(chunk, file_bytes) {
        return Err(ColumnFault::Outside);
    }
    if chunk.compression_codec() != CompressionCodec::UNCOMPRESSED {
        return Err(ColumnFault::Compressed);
    }
    let rows = usize::try_from(group.num_rows()).unwrap_or(0);
    let pages =
        SerializedPageReader::new(Arc::clone(file), chunk, rows, None).map_err(ColumnFault::Library)?;
    Ok(get_column_reader(chunk.column_descr_ptr(), Box::new(CheckedPages(pages))))
}

/// Whether a chunk's offsets are valid. The library asserts that they are.
fn lies_within(chunk: &ColumnChunkMetaData, file_bytes: u64) -> bool {
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let end = start.checked_add(chunk.compressed_size());
    let end = end.and_then(|end| u64::try_from(end).ok());
    start >= 0 && chunk.compressed_size() >= 0 && end.is_some_and(|end| end <= file_bytes)
}

/// Checks that the number of values of each dictionary fits into its page.
struct CheckedPages<P>(P);

impl<P: PageReader> Iterator for CheckedPages<P> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl<P: PageReader> PageReader for CheckedPages<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        match self.0.get_next_page()? {
            Some(Page::DictionaryPage { buf, num_values, .. })
                if num_values as usize > buf.len() / VALUE_BYTES_MIN =>
            {
                let why = "a dictionary states more values than its bytes can hold";
                Err(ParquetError::General(why.to_owned()))
            }
            page => Ok(page),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.0.at_record_boundary()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use parquet::basic::Encoding;

    use super::*;

    struct One(Option<Page>);

    impl Iterator for One {
        type Item = Result<Page>;

        fn next(&mut self) -> Option<Result<Page>> {
            self.get_next_page().transpose()
        }
    }

    impl PageReader for One {
        fn get_next_page(&mut self) -> Result<Option<Page>> {
            Ok(self.0.take())
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_dictionary_has_no_more_values_than_bytes_for_them() {
        let page = |num_values| {
            let buf = vec![0; 40].into();
            Page::DictionaryPage { buf, num_values, encoding: Encoding::PLAIN, is_sorted: false }
        };
        let read = |num_values| CheckedPages(One(Some(page(num_values)))).get_next_page();
        assert!(read(10).unwrap().is_some());
        for too_many in [11, u32::MAX] {
            let error = read(too_many).unwrap_err().to_string();
            assert!(error.contains("more values than its bytes"), "{error}");
        }
        assert!(CheckedPages(One(None)).next().is_none());
    }
}
