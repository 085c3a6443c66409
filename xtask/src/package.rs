//! The released binary: `cargo xtask package`.
//!
//! Built with the profile `dist`, then split into the program without symbols and a separate file of
//! symbols. The program names that file, so a backtrace has names if both are in one folder. A file
//! larger than [`LARGEST_BYTES`] is an error. Archives and installers are not made here.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::command;

/// The largest permitted download.
const LARGEST_BYTES: u64 = 25_000_000;

/// `cargo xtask package`.
pub fn run() -> anyhow::Result<bool> {
    let mut build = crate::cargo();
    command::run(build.args(["build", "--locked", "--profile", "dist", "--package", "reelgauge"]))?;
    let built = crate::target_dir().join("dist/reelgauge");
    let folder = crate::target_dir().join("package");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let program = part(&built, &folder)?;
    let bytes = std::fs::metadata(&program)?.len();
    println!("{}: {}", program.display(), size(bytes));
    ensure!(is_small(bytes), "the program has {}, which is more than {}", size(bytes), size(LARGEST_BYTES));
    Ok(true)
}

/// Splits the build result into the program and its symbols. Returns the path of the program.
fn part(built: &Path, folder: &Path) -> anyhow::Result<std::path::PathBuf> {
    let program = folder.join("reelgauge");
    let symbols = folder.join("reelgauge.debug");
    command::run(Command::new("objcopy").arg("--only-keep-debug").arg(built).arg(&symbols))?;
    let mut link = std::ffi::OsString::from("--add-gnu-debuglink=");
    link.push(&symbols);
    command::run(Command::new("objcopy").arg("--strip-all").arg(link).arg(built).arg(&program))?;
    Ok(program)
}

fn is_small(bytes: u64) -> bool {
    bytes <= LARGEST_BYTES
}

fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn too_large_binary_is_refused() {
        assert!(is_small(LARGEST_BYTES) && !is_small(LARGEST_BYTES + 1));
        assert_eq!(size(24_940_000), "24.9 MB");
    }

    #[test]
    fn the_program_has_no_symbols_and_names_the_file_that_has_them() {
        let folder = std::env::temp_dir().join(format!("reelgauge-package-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        // This test program, which has symbols.
        let built = std::env::current_exe().unwrap();
        let program = part(&built, &folder).unwrap();
        let sections = |of: &Path| {
            command::output(Command::new("readelf").args(["--sections", "--wide"]).arg(of)).unwrap()
        };
        assert!(sections(&built).contains(".symtab") && !sections(&program).contains(".symtab"));
        assert!(sections(&program).contains(".gnu_debuglink"));
        assert!(sections(&folder.join("reelgauge.debug")).contains(".symtab"));
        assert!(command::output(Command::new(&program).arg("--list")).unwrap().contains("package::tests"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
