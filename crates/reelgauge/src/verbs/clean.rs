//! `reelgauge clean`: removes the area, and nothing else.

use std::io::Write;

use anyhow::Result;
use reelgauge_report::units;
use reelgauge_runner::clean::clean as remove_area;

use crate::cli::CleanArgs;

/// Removes the area below a directory. The exit code.
pub fn clean(args: &CleanArgs) -> Result<u8> {
    let cleaned = remove_area(&args.path)?;
    writeln!(
        std::io::stdout(),
        "Removed {}: {} files, {}.",
        cleaned.root.display(),
        cleaned.files,
        units::amount(cleaned.bytes)
    )?;
    Ok(0)
}
