//! `reelgauge clean`: removes the area, and nothing else.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use reelgauge_engine::area::{AreaError, Cleaned};
use reelgauge_report::text::{plain, wrap};
use reelgauge_report::units;
use reelgauge_runner::clean::{Removed, clean as remove_area, look};
use reelgauge_runner::exit_code::BROKE_OFF;
use reelgauge_runner::supervise::{Patience, supervised};

use crate::cli::{CleanArgs, terms};
use crate::screen::{complain, style};

/// Removes the area below a directory, or lists what it would remove. Returns the exit status.
pub fn clean(args: &CleanArgs) -> Result<u8> {
    let patience = Patience { path: args.path.clone(), hang_after: args.hang_after.duration() };
    Ok(supervised(&patience, || carry_out(args).unwrap_or_else(|error| complain(&error)))?)
}

fn carry_out(args: &CleanArgs) -> Result<u8> {
    let sharing = terms(args.shared_target, None).sharing;
    if args.dry_run {
        let text = dry_run_text(&args.path, &look(&args.path, sharing)?)?;
        std::io::stdout().write_all(text.as_bytes())?;
        return Ok(0);
    }
    let removed = match remove_area(&args.path, sharing) {
        Err(error @ AreaError::Removal { .. }) => {
            // Report the error and go on: part of the area may already be removed.
            complain(&error.into());
            return Ok(BROKE_OFF);
        }
        removed => removed?,
    };
    let text = removed_text(&args.path, &removed)?;
    if let (Err(error), Some((root, _))) = (std::io::stdout().write_all(text.as_bytes()), &removed.area) {
        let root = root.display().to_string();
        complain(
            &anyhow::Error::from(error)
                .context(format!("{root} was removed, but the result cannot be printed")),
        );
        return Ok(BROKE_OFF);
    }
    Ok(0)
}

fn nothing_found_text(target: &Path) -> String {
    let text = format!("Nothing to remove: there are no test files of Reelgauge in {}.", shown(target));
    wrap(&text, style().width, 0) + "\n"
}

fn removed_text(target: &Path, removed: &Removed) -> Result<String> {
    let mut text = match &removed.area {
        None if removed.leftovers.is_empty() => nothing_found_text(target),
        None => String::new(),
        Some((root, what)) => {
            let from = if what.left_count > 0 { "Removed Reelgauge's files in" } else { "Removed" };
            let (files, size) = (units::counted(what.files, "file"), units::amount(what.bytes));
            let mut text = format!("{from} {}: {files}, {size}.\n", shown(root));
            left(what, "It remains, because it contains", &mut text)?;
            text
        }
    };
    leftovers(&removed.leftovers, "Removed", &mut text)?;
    Ok(text)
}

fn dry_run_text(target: &Path, removed: &Removed) -> Result<String> {
    let mut text = match &removed.area {
        None if removed.leftovers.is_empty() => nothing_found_text(target),
        None => String::new(),
        Some((_, what)) => {
            let mut text = format!(
                "Would remove {}, {}; nothing was removed:\n",
                units::counted(what.files, "file"),
                units::amount(what.bytes)
            );
            for folder in what.folders.iter().filter(|folder| folder.files > 0) {
                let (files, bytes) = (units::counted(folder.files, "file"), units::amount(folder.bytes));
                writeln!(text, "  {}  {files}, {bytes}", shown(&folder.path))?;
            }
            left(what, "The area would remain, because it contains", &mut text)?;
            text
        }
    };
    leftovers(&removed.leftovers, "Would remove", &mut text)?;
    Ok(text)
}

/// The files of killed starts.
fn leftovers(paths: &[PathBuf], verb: &str, text: &mut String) -> Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    writeln!(text, "{verb} files left by a run that was killed while it created its area:")?;
    for path in paths {
        writeln!(text, "  {}", shown(path))?;
    }
    Ok(())
}

/// A path in a form that is safe to show: other users with write access to a target choose names there.
fn shown(path: &Path) -> String {
    plain(&path.display().to_string())
}

/// Files that belong to other users.
fn left(what: &Cleaned, stays: &str, text: &mut String) -> Result<()> {
    if what.left_count == 0 {
        return Ok(());
    }
    writeln!(text, "{stays} files that Reelgauge did not create; move them away and clean again:")?;
    for path in &what.left {
        writeln!(text, "  {}", shown(path))?;
    }
    let more = what.left_count - what.left.len() as u64;
    if more > 0 {
        writeln!(text, "  and {} more", units::count(more))?;
    }
    Ok(())
}
