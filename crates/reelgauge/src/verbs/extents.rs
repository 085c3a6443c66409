//! `reelgauge extents`: in how many pieces files lie on their disks.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use reelgauge_engine::extents::Extents;
use reelgauge_report::extents::{ExtentsRow, extents_screen};
use serde_json::json;

use crate::cli::ExtentsArgs;
use crate::screen::{EXIT_USAGE, style};

/// Tells of each file. The exit code: an error for one file is told, and does not keep the others back.
pub fn extents(args: &ExtentsArgs) -> Result<u8> {
    let found: Vec<(&Path, Result<Extents, String>)> = args
        .files
        .iter()
        .map(|path| (path.as_path(), Extents::of(path).map_err(|error| error.to_string())))
        .collect();
    let text = if args.json { as_json(&found)? } else { as_text(&found) };
    std::io::stdout().write_all(text.as_bytes())?;
    let all_told = found.iter().all(|(_, extents)| extents.is_ok());
    Ok(if all_told { 0 } else { EXIT_USAGE })
}

fn as_json(found: &[(&Path, Result<Extents, String>)]) -> Result<String> {
    let mut rows = Vec::new();
    for (path, extents) in found {
        let mut row = match extents {
            Ok(extents) => serde_json::to_value(extents)?,
            Err(error) => json!({ "error": error }),
        };
        row["path"] = json!(path.display().to_string());
        rows.push(row);
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&rows)?))
}

fn as_text(found: &[(&Path, Result<Extents, String>)]) -> String {
    let rows = found.iter().map(|(path, extents)| {
        let path = path.display().to_string();
        match extents {
            Ok(extents) => ExtentsRow {
                path,
                size_bytes: extents.size_bytes,
                extents: extents.extents,
                ideal_extents: extents.ideal_extents,
                bytes_per_extent: extents.bytes_per_extent,
                backward_percent: extents.backward_percent,
                seek_bytes: extents.seek_bytes,
                note: extents.sign.clone().or_else(|| extents.uncountable.clone()),
            },
            Err(error) => ExtentsRow { path, note: Some(error.clone()), ..ExtentsRow::default() },
        }
    });
    extents_screen(&rows.collect::<Vec<_>>(), style())
}
