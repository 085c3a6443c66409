//! The figures of a run as CSV files in a folder.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use anyhow::Result;
use reelgauge_analysis::Summary;
use reelgauge_record::named_file::write_named;
use reelgauge_report::{CsvTable, write_csv};

/// Writes every table of a run.
pub(super) fn write_tables(summary: &Summary, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    CsvTable::ALL.into_iter().try_for_each(|table| {
        let write = |out: &mut BufWriter<File>| Ok(write_csv(table, summary, out)?);
        write_named(&folder.join(table.file_name()), write)
    })
}
