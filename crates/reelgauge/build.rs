//! The version with its commit, if the build knows it: a copy without git has the version alone.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--path-format=absolute", "--git-path", name])
            && std::path::Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    let version = match git(&["rev-parse", "--short=9", "HEAD"]) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=REELGAUGE_VERSION={version}");
}

/// Git's output; `None` without git, or without a repository whose root is this workspace's: the commit
/// of a repository around a copy is not that of the copy.
fn git(words: &[&str]) -> Option<String> {
    let said = |words: &[&str]| {
        let output =
            Command::new("git").args(words).output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    };
    let root = std::fs::canonicalize(said(&["rev-parse", "--show-toplevel"])?).ok()?;
    let own = std::fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).ok()?;
    if root == own { said(words) } else { None }
}
