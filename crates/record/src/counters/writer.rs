//! Writes the parts of one agent; see [`super`] for the format.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};

use super::{
    CountersError, KEY_AGENT, KEY_RUN_NS, KEY_UNREAD, KEY_VERSION, SCHEMA_VERSION, part_name, schema,
};
use super::{Key, kinds};

/// A part with this many samples is full: about five minutes, and 2 MiB of memory.
const PART_ROWS: usize = 1 << 14;

/// The metadata of an agent's counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreMeta {
    /// Wall-clock time of the run's time 0, in nanoseconds since 1970 (UTC).
    pub run_ns: i64,
    /// The name of the agent that samples.
    pub agent: String,
}

/// One value of one counter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The time in nanoseconds of the run's clock.
    pub at_ns: u64,
    /// The key of the sampled counter.
    pub key: Key,
    /// In the unit of its kind; `None` if there is no value.
    pub value: Option<f64>,
}

/// Writes the counters of one agent during the run. Owned by one thread, which executes no operations.
#[derive(Debug)]
pub struct StoreWriter {
    dir: PathBuf,
    meta: StoreMeta,
    number: u32,
    open: Vec<Sample>,
    sealed: usize,
}

impl StoreWriter {
    /// Starts in `dir` (`counters/agent=NAME`), which is created.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn create(dir: &Path, meta: StoreMeta) -> Result<StoreWriter, CountersError> {
        fs::create_dir_all(dir).map_err(CountersError::io("create", dir))?;
        Ok(StoreWriter { dir: dir.to_path_buf(), meta, number: 1, open: Vec::new(), sealed: 0 })
    }

    /// Adds samples, in order of time.
    pub fn append(&mut self, samples: impl IntoIterator<Item = Sample>) {
        self.open.extend(samples);
    }

    /// Writes all added samples to a part. `unread` describes the counters that could not be sampled.
    ///
    /// # Errors
    /// If the part can't be written. The samples are kept for the next attempt.
    pub fn seal(&mut self, unread: &[String]) -> Result<(), CountersError> {
        assert!(self.sealed <= self.open.len(), "samples that are sealed were added before");
        if self.sealed == self.open.len() {
            return Ok(());
        }
        let bytes = encode(&self.open, &self.meta, unread)?;
        let temporary = self.dir.join(format!("_part-{:06}.tmp", self.number));
        let path = self.dir.join(part_name(self.number));
        if let Err(error) = write(&temporary, &bytes) {
            // It may be the file that fills the disk. If it can't be removed, readers ignore it.
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        fs::rename(&temporary, &path).map_err(CountersError::io("rename", &temporary))?;
        self.sealed = self.open.len();
        if self.open.len() >= PART_ROWS {
            self.open.clear();
            self.sealed = 0;
            self.number += 1;
        }
        Ok(())
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CountersError> {
    let mut file = File::create(path).map_err(CountersError::io("create", path))?;
    file.write_all(bytes).map_err(CountersError::io("write", path))
}

/// Encodes a complete part.
fn encode(samples: &[Sample], meta: &StoreMeta, unread: &[String]) -> Result<Vec<u8>, ParquetError> {
    let properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::UNCOMPRESSED)
        .set_created_by(concat!("reelgauge version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(key_values(meta, unread)))
        .build();
    let mut bytes = Vec::with_capacity(samples.len() * 12 + 4096);
    let mut file = SerializedFileWriter::new(&mut bytes, schema()?, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    put_times(samples, &mut group)?;
    let texts: [fn(&Sample) -> &str; 4] =
        [|sample| sample.key.layer.name(), |sample| sample.key.name, |sample| &sample.key.device, unit];
    for text in texts {
        put_texts(samples, text, &mut group)?;
    }
    put_values(samples, &mut group)?;
    group.close()?;
    file.close()?;
    Ok(bytes)
}

fn unit(sample: &Sample) -> &str {
    kinds::kind(sample.key.layer, sample.key.name).map_or("", |kind| kind.unit.name())
}

fn put_times<W: Write + Send>(
    samples: &[Sample],
    group: &mut SerializedRowGroupWriter<'_, W>,
) -> Result<(), ParquetError> {
    let times: Vec<i64> = samples.iter().map(|sample| sample.at_ns.cast_signed()).collect();
    if let Some(mut column) = group.next_column()? {
        column.typed::<Int64Type>().write_batch(&times, None, None)?;
        column.close()?;
    }
    Ok(())
}

fn put_texts<W: Write + Send>(
    samples: &[Sample],
    text: fn(&Sample) -> &str,
    group: &mut SerializedRowGroupWriter<'_, W>,
) -> Result<(), ParquetError> {
    let texts: Vec<ByteArray> = samples.iter().map(|sample| ByteArray::from(text(sample))).collect();
    if let Some(mut column) = group.next_column()? {
        column.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
        column.close()?;
    }
    Ok(())
}

fn put_values<W: Write + Send>(
    samples: &[Sample],
    group: &mut SerializedRowGroupWriter<'_, W>,
) -> Result<(), ParquetError> {
    let values: Vec<f64> = samples.iter().filter_map(|sample| sample.value).collect();
    let levels: Vec<i16> = samples.iter().map(|sample| i16::from(sample.value.is_some())).collect();
    if let Some(mut column) = group.next_column()? {
        column.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
        column.close()?;
    }
    Ok(())
}

fn key_values(meta: &StoreMeta, unread: &[String]) -> Vec<KeyValue> {
    let unread = serde_json::Value::from(unread).to_string();
    vec![
        KeyValue::new(KEY_VERSION.to_owned(), SCHEMA_VERSION.to_string()),
        KeyValue::new(KEY_RUN_NS.to_owned(), meta.run_ns.to_string()),
        KeyValue::new(KEY_AGENT.to_owned(), meta.agent.clone()),
        KeyValue::new(KEY_UNREAD.to_owned(), unread),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    #[should_panic(expected = "samples that are sealed were added before")]
    fn more_samples_sealed_than_added_is_a_defect() {
        let dir = tempfile::tempdir().unwrap();
        let meta = StoreMeta { run_ns: 0, agent: "local".to_owned() };
        let mut writer = StoreWriter::create(dir.path(), meta).unwrap();
        writer.sealed = 1;
        let _ = writer.seal(&[]);
    }
}
