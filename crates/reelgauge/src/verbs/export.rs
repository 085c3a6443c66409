//! `reelgauge export`: writes a trace as text that another program replays.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
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
    let told = || format!("cannot write {}", path.display());
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let mut out = BufWriter::new(File::create(&temporary).with_context(told)?);
    let written = write(trace, version, &mut out).and_then(|exported| {
        out.flush()?;
        Ok(exported)
    });
    drop(out);
    match written {
        Ok(exported) => {
            std::fs::rename(&temporary, path).with_context(told)?;
            Ok(exported)
        }
        Err(error) => {
            let _ = std::fs::remove_file(&temporary);
            Err(error.into())
        }
    }
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
    for (why, ops) in &exported.left_out {
        text += &format!("Left out: {} {why}\n", units::count(*ops));
    }
    text
}
