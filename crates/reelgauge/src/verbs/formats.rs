//! `reelgauge formats`: the formats of the catalogue, one per line.

use std::io::Write;

use anyhow::{Result, bail};
use reelgauge_formats::{Filter, Format, catalogue};
use reelgauge_report::format_list::{FormatLine, format_list};
use serde_json::{Value, json};

use crate::cli::FormatsArgs;
use crate::screen;

/// Lists the formats that match. Returns the exit status.
pub fn formats(args: FormatsArgs) -> Result<u8> {
    let words = args.words.join(" ");
    let filter = Filter { words: words.clone(), fps: args.fps, ..Filter::default() };
    let found = catalogue().select(&filter);
    if found.is_empty() {
        let close = catalogue().close_matches(&words, 3).join(", ");
        if close.is_empty() {
            bail!("no format matches; use fewer words, or none to see all {}", catalogue().formats().len());
        }
        bail!("no format matches '{words}'; did you mean {close}?");
    }
    let text = match args.json {
        true => {
            let list: Vec<Value> = found.iter().map(|format| as_json(format)).collect();
            format!("{}\n", serde_json::to_string_pretty(&list)?)
        }
        false => format_list(&found.into_iter().map(line).collect::<Vec<_>>(), screen::style().width),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

fn line(format: &Format) -> FormatLine {
    FormatLine {
        id: format.id.clone(),
        name: format.name.clone(),
        mb_per_s: format.mb_per_s(),
        mb_per_frame: format.mean_bytes_per_frame() / 1e6,
        frame_rate: format.frame_rate.to_string(),
        kind: format.kind.to_string(),
        raster: format.raster.map_or_else(|| "-".to_owned(), |raster| raster.to_string()),
        size_model: format.model_in_words(),
    }
}

fn as_json(format: &Format) -> Value {
    json!({
        "id": format.id,
        "name": format.name,
        "family": format.family,
        "kind": format.kind.name(),
        "width": format.raster.map(|raster| raster.width),
        "height": format.raster.map(|raster| raster.height),
        "frames_per_s": format.frame_rate.per_s(),
        "mean_bytes_per_frame": format.mean_bytes_per_frame(),
        "mean_bytes_per_s": format.mean_bytes_per_s(),
        "varies": format.varies(),
        "size_model": format.model_in_words(),
        "note": format.note,
        "source_url": format.source_url,
    })
}
