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
use crate::screen;

/// Exports a trace. Returns the exit status.
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
    // Standard output contains only the export.
    let _ = std::io::stderr().write_all(told(&exported).as_bytes());
    Ok(0)
}

/// Writes a file atomically.
fn write_file(trace: &Trace, version: Version, path: &Path) -> Result<Exported> {
    write_named(path, |out| write(trace, version, out).map_err(anyhow::Error::from))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn told(exported: &Exported) -> String {
    let mut lines = vec![format!(
        "Exported {} of {}",
        units::counted(exported.ops, "operation"),
        units::counted(exported.files, "file")
    )];
    let (renamed, tamed) = (exported.renamed_files, exported.tamed_files);
    if renamed > 0 {
        lines.push(format!("Note: {} had spaces, which are now %20", units::counted(renamed, "name")));
    }
    if tamed > 0 {
        lines.push(format!(
            "Note: {} not safe (absolute, with '..' or similar) and changed to a path below the current \
             directory",
            units::counted_are(tamed, "name", "was", "were")
        ));
    }
    lines.extend(
        exported.left_out.iter().map(|(why, ops)| format!("Left out: {why} ({})", units::count(*ops))),
    );
    screen::fitted(&lines.join("\n")) + "\n"
}
