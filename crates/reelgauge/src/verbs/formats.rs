//! `reelgauge formats`: what is in the catalogue, one format a line.

use std::io::Write;

use anyhow::{Result, bail};
use reelgauge_formats::{Filter, catalogue};

use crate::cli::FormatsArgs;

/// Lists the formats that match. The exit code.
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
    let mut out = std::io::stdout().lock();
    for format in found {
        writeln!(out, "{}", format.one_line())?;
    }
    Ok(0)
}
