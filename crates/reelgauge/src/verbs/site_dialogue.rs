//! `reelgauge doctor --ask`: asks the user for facts that no counter shows, and writes them to
//! `site.toml`.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use reelgauge_report::text::shell_word;
use reelgauge_results::site::dialogue::dialogue;
use reelgauge_results::site::{read_site, write_site};

use crate::screen;

/// Asks, and writes the answers. Returns the exit status.
pub fn ask(file: &Path) -> Result<u8> {
    let before = read_site(file)?.unwrap_or_default();
    let site = dialogue(&before, &mut std::io::stdin().lock(), &mut std::io::stderr())
        .context("cannot ask the questions")?;
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", shell_word(folder)))?;
    }
    write_site(file, &site)?;
    let text = format!(
        "Written to {file}. Runs with results in the same folder keep a copy and use it to show the path \
         between client and storage.",
        file = shell_word(file)
    );
    std::io::stdout().write_all(screen::output_fitted(&text).as_bytes())?;
    Ok(0)
}
