//! `reelgauge tune`: configuration fragments for a stated site, printed or written into a folder.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use reelgauge_doctor::tune::fragments;
use reelgauge_report::text::shell_word;
use reelgauge_report::tune::{
    WrittenFragment, files_written, one_after_another, refused, tune_json, written,
};

use crate::cli::TuneArgs;

/// Makes the fragments. The exit code.
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
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

/// Writes files that are not there yet, or none.
fn write(dir: &Path, all: &[WrittenFragment<'_>]) -> Result<()> {
    // With a slash behind its name a link would be followed.
    let bare: PathBuf = dir.components().collect();
    if bare.is_symlink() {
        bail!("{} is a symbolic link; give --out the folder itself", shell_word(&bare));
    }
    fs::create_dir_all(dir).with_context(|| format!("cannot make the folder {}", shell_word(dir)))?;
    if let Some(one) = all.iter().find(|one| dir.join(one.name).symlink_metadata().is_ok()) {
        bail!("{} is there already; give --out a folder without it", shell_word(&dir.join(one.name)));
    }
    for one in all {
        let path = dir.join(one.name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        let done = file.and_then(|mut file| file.write_all(one.text.as_bytes()));
        done.with_context(|| format!("cannot write {}", shell_word(&path)))?;
    }
    Ok(())
}
