//! `reelgauge tune`: configuration fragments for a stated site, printed or written into a folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use reelgauge_doctor::tune::fragments;
use reelgauge_report::text::shell_word;
use reelgauge_report::tune::{
    WrittenFragment, files_written, one_after_another, refused, tune_json, written,
};

use tempfile::NamedTempFile;

use crate::cli::TuneArgs;

/// Makes the fragments. Returns the exit status.
pub fn tune(args: &TuneArgs) -> Result<u8> {
    let (purpose, site) = (args.purpose(), args.site());
    let fragments = fragments(purpose, &site).map_err(|error| anyhow!(refused(&error)))?;
    let all = written(purpose, &site, &fragments);
    if let Some(dir) = &args.out {
        write(dir, &all)?;
    }
    let text = match (args.json, &args.out) {
        (true, _) => tune_json(purpose, &site, &all)? + "\n",
        (false, Some(dir)) => files_written(&all, &shell_word(dir)),
        (false, None) => one_after_another(&all),
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

/// Writes new files, all or none: each is complete under another name before the first is renamed.
fn write(dir: &Path, all: &[WrittenFragment<'_>]) -> Result<()> {
    // With a slash after its name, a symbolic link would be followed.
    let bare: PathBuf = dir.components().collect();
    if bare.is_symlink() {
        bail!("--out {} is a symbolic link; name the folder itself", shell_word(&bare));
    }
    fs::create_dir_all(dir).with_context(|| format!("cannot create the folder {}", shell_word(dir)))?;
    if let Some(one) = all.iter().find(|one| dir.join(one.name).symlink_metadata().is_ok()) {
        bail!("{} already exists; choose another folder for --out", shell_word(&dir.join(one.name)));
    }
    let mut whole = Vec::new();
    for one in all {
        let path = dir.join(one.name);
        whole.push((temporary(dir, &one.text).map_err(|error| cannot_write(&path, &error))?, path));
    }
    for (file, path) in whole {
        file.persist(&path).map_err(|failed| cannot_write(&path, &failed.error))?;
    }
    Ok(())
}

/// A file with this text that is removed again unless it is renamed.
fn temporary(dir: &Path, text: &str) -> io::Result<NamedTempFile<File>> {
    let mut builder = tempfile::Builder::new();
    // With the permissions of an ordinary file.
    let mut file = builder.prefix("_").suffix(".tmp").make_in(dir, |path| File::create_new(path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn cannot_write(path: &Path, error: &io::Error) -> anyhow::Error {
    let path = shell_word(path);
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            anyhow!("cannot write {path}: {error}; free space there, or choose a folder on another disk")
        }
        _ => anyhow!("cannot write {path}: {error}; choose a writable folder for --out"),
    }
}
