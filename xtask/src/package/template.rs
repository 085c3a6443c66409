//! Files of `packaging/` with words between `@`, which a release fills in.
//!
//! `@VERSION@`, `@DOWNLOADS@` and `@TIME@` are known everywhere, `@SHA256 FILE@` is the checksum of a
//! package. A word that is unknown is an error, so no package contains a placeholder.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use super::release::Release;
use crate::command;

/// The folder of the templates.
pub const FOLDER: &str = "packaging";

/// Fills in a template with the words of the release and these.
pub fn write(release: &Release, template: &Path, to: &Path, words: &[(&str, String)]) -> anyhow::Result<()> {
    let from = crate::root().join(FOLDER).join(template);
    let text = std::fs::read_to_string(&from).with_context(|| from.display().to_string())?;
    let mut all = vec![
        ("VERSION", release.version.clone()),
        ("DOWNLOADS", release.downloads.clone()),
        ("TIME", time(release, "+%Y-%m-%dT%H:%M:%SZ")?),
    ];
    all.extend(words.iter().cloned());
    let text = filled(&text, &all, |package| sha256(&release.package(package)))
        .with_context(|| from.display().to_string())?;
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(to, text).with_context(|| to.display().to_string())
}

/// The packages whose checksums a template needs.
pub fn needed(release: &Release, text: &str) -> Vec<String> {
    let text = text.replace("@VERSION@", &release.version);
    text.split("@SHA256 ").skip(1).filter_map(|rest| rest.split('@').next()).map(str::to_owned).collect()
}

/// The release's time in a format of `date`.
pub fn time(release: &Release, format: &str) -> anyhow::Result<String> {
    let moment = format!("@{}", release.epoch);
    let time = command::output(Command::new("date").args(["--utc", "--date", &moment, format]))?;
    Ok(time.trim().to_owned())
}

fn filled(
    text: &str,
    words: &[(&str, String)],
    checksum: impl Fn(&str) -> anyhow::Result<String>,
) -> anyhow::Result<String> {
    let mut text = text.to_owned();
    for (word, value) in words {
        text = text.replace(&format!("@{word}@"), value);
    }
    while let Some((before, rest)) = text.split_once("@SHA256 ") {
        let (package, after) = rest.split_once('@').context("@SHA256 without its end")?;
        text = format!("{before}{}{after}", checksum(package)?);
    }
    let is_word = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    if let Some(unknown) = text.split('@').skip(1).find(is_word) {
        bail!("the word @{unknown}@ is unknown");
    }
    Ok(text)
}

/// The SHA-256 of a file, in hexadecimal digits.
pub fn sha256(path: &Path) -> anyhow::Result<String> {
    let sum = command::output(Command::new("sha256sum").arg(path))?;
    Ok(sum.split_whitespace().next().context("sha256sum printed nothing")?.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn words_and_checksums_are_filled_in_and_unknown_words_refused() {
        let words = [("VERSION", "1.2".to_owned())];
        let filled = |text: &str| filled(text, &words, |package| Ok(format!("<{package}>")));
        let text = "v @VERSION@, @SHA256 a-@VERSION@.zip@, unit@.service";
        assert_eq!(filled(text).unwrap(), "v 1.2, <a-1.2.zip>, unit@.service");
        assert!(filled("@NOTHING@").is_err() && filled("@SHA256 a").is_err());
    }
}
