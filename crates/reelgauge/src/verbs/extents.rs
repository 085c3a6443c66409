//! `reelgauge extents`: the number of extents of files, and whether they make one slow.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use reelgauge_analysis::fragments::copy_comparison::Finding;
use reelgauge_engine::extents::Extents;
use reelgauge_report::extents::{ExtentsNote, ExtentsRow, against_copy_screen, extents_screen};
use reelgauge_report::fragments::uneven_reads;
use reelgauge_runner::exit_code::USAGE;
use reelgauge_runner::extents::{Compared, CopyRequest, compare_with_copy};
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::observer::Observer;
use reelgauge_runner::supervise::{Patience, supervised};
use serde_json::json;

use crate::cli::{ExtentsArgs, terms};
use crate::progress::Progress;
use crate::screen::{complain, style};

/// Reports on each file, or compares one with a copy. Returns the exit status.
pub fn extents(args: &ExtentsArgs) -> Result<u8> {
    let hang_after = args.hang_after.duration();
    match (&args.copy_to, args.files.as_slice()) {
        (None, files) => {
            let path = files.first().cloned().unwrap_or_default();
            let tell = || tell(args).unwrap_or_else(|error| complain(&error));
            Ok(supervised(&Patience { path, hang_after }, tell)?)
        }
        (Some(target), [file]) => {
            let (file, target) = (file.clone(), target.clone());
            let terms = terms(args.shared_target, args.keep_free);
            let request = CopyRequest { file, target, passes: args.passes, most: args.first, terms };
            let patience = Patience { path: request.target.clone(), hang_after };
            let compare = || against_copy(&request, args.json).unwrap_or_else(|error| complain(&error));
            Ok(supervised(&patience, compare)?)
        }
        (Some(_), _) => bail!("--copy-to works on one file; name only one"),
    }
}

/// Reports on each file. An error for one file is shown, and the others are still reported.
fn tell(args: &ExtentsArgs) -> Result<u8> {
    let found: Vec<(&Path, Result<Extents, String>)> = args
        .files
        .iter()
        .map(|path| (path.as_path(), Extents::of(None, path).map_err(|error| error.to_string())))
        .collect();
    let text = if args.json { as_json(&found)? } else { as_text(&found) };
    std::io::stdout().write_all(text.as_bytes())?;
    let all_told = found.iter().all(|(_, extents)| extents.is_ok());
    Ok(if all_told { 0 } else { USAGE })
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
            Ok(extents) => row(path, extents),
            Err(error) => {
                ExtentsRow { path, note: Some(ExtentsNote::Error(error.clone())), ..ExtentsRow::default() }
            }
        }
    });
    extents_screen(&rows.collect::<Vec<_>>(), style())
}

fn row(path: String, extents: &Extents) -> ExtentsRow {
    ExtentsRow {
        path,
        size_bytes: extents.size_bytes,
        extents: extents.extents,
        ideal_extents: extents.ideal_extents,
        bytes_per_extent: extents.bytes_per_extent,
        backward_percent: extents.backward_percent,
        seek_bytes: extents.seek_bytes,
        note: extents.sign.clone().or_else(|| extents.uncountable.clone()).map(ExtentsNote::OfFile),
    }
}

/// Compares a file with a copy of it. Returns the exit status.
fn against_copy(request: &CopyRequest, as_json: bool) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let mut progress = Progress::new(as_json);
    let compared = match compare_with_copy(request, &mut progress, &interrupt) {
        Ok(compared) => compared,
        Err(error) => {
            progress.finished();
            let code = error.exit_code();
            complain(&error.into());
            return Ok(code);
        }
    };
    let text = match as_json {
        true => format!("{}\n", serde_json::to_string_pretty(&compared)?),
        false => comparison(&compared),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

fn comparison(compared: &Compared) -> String {
    let of = |name: &str, extents: &Option<Extents>| extents.as_ref().map(|it| row(name.to_owned(), it));
    let file = of(&compared.path, &compared.file_extents);
    // The extents of the copy need no note.
    let copy = of("its copy", &compared.copy_extents).map(|row| ExtentsRow { note: None, ..row });
    let rows: Vec<ExtentsRow> = file.into_iter().chain(copy).collect();
    let mut notes: Vec<String> = Vec::new();
    let reads = [&compared.file_reads, &compared.copy_reads];
    notes.extend(reads.into_iter().flatten().filter_map(uneven_reads).map(|said| format!("{said}.")));
    notes.extend(compared.notes.iter().cloned());
    let is_slow = matches!(compared.result.finding, Finding::Pieces | Finding::Place);
    let found = format!("{}.", compared.result.sentence);
    against_copy_screen(&rows, &found, is_slow, &notes, style())
}
