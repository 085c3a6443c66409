//! `reelgauge export`: writes a trace as text that another program replays.

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use reelgauge_record::named_file::write_named;
use reelgauge_report::units;
use reelgauge_trace::Trace;
use reelgauge_trace::export::fio::{Exported, Version, write};
use reelgauge_trace::library::Library;

use crate::cli::{ExportArgs, ExportFormat};

/// Exports a trace. The exit code.
pub fn export(args: &ExportArgs) -> Result<u8> {
    let held = Library::standard().open(&args.trace)?;
    let trace = held.trace();
    let version = match args.format {
        ExportFormat::Fio2 => Version::Two,
        ExportFormat::Fio3 => Version::Three,
    };
    let exported = match args.out.as_deref().filter(|out| *out != Path::new("-")) {
        Some(path) => write_file(trace, version, path)?,
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let exported = write(trace, version, &mut out)?;
            out.flush()?;
            exported
        }
    };
    // Standard output carries the export alone.
    let _ = std::io::stderr().write_all(told(&exported).as_bytes());
    Ok(0)
}

/// Writes a file that is there as a whole or not at all.
fn write_file(trace: &Trace, version: Version, path: &Path) -> Result<Exported> {
    write_named(path, |out| write(trace, version, out).map_err(anyhow::Error::from))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn told(exported: &Exported) -> String {
    let mut text = format!(
        "{} reads, writes and syncs of {} files exported\n",
        units::count(exported.ops),
        units::count(exported.files)
    );
    if exported.renamed_files > 0 {
        text += &format!("Note: {} names had blanks, which are now %20\n", exported.renamed_files);
    }
    if exported.tamed_files > 0 {
        text += &format!(
            "Note: {} names were no safe ones (absolute, climbing with '..', or the like) and lie below the \
             current directory now\n",
            exported.tamed_files
        );
    }
    for (why, ops) in &exported.left_out {
        text += &format!("Left out: {} {why}\n", units::count(*ops));
    }
    text
}
