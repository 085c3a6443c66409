//! The paths that a remote user (browser or fleet controller) may name: those below a few directories,
//! with all links resolved.

use std::io;
use std::path::{Component, Path, PathBuf};

use reelgauge_machine::full_path;

/// Directories that may contain targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots(Vec<PathBuf>);

/// Why a path may not be named.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RootsError {
    /// A root is not an existing directory.
    #[error("{} cannot be a root: {why}. Name a directory with --root", path.display())]
    NoRoot { path: PathBuf, why: String },
    /// A path that depends on the current directory.
    #[error("'{path}' is not an absolute path. Begin it with one of the roots: {roots}")]
    Relative {
        path: String,
        /// The allowed directories.
        roots: String,
    },
    /// A path outside the allowed directories.
    #[error(
        "'{path}' is not below an allowed directory ({roots}). To allow another one, restart Reelgauge on \
         that host with --root"
    )]
    Outside {
        path: String,
        /// The allowed directories.
        roots: String,
    },
    /// The path cannot be read.
    #[error("cannot access '{path}': {source}. Check its permissions")]
    Io {
        path: String,
        /// The error of the system.
        source: io::Error,
    },
}

impl Roots {
    /// Creates the list of allowed directories.
    ///
    /// # Errors
    /// If one does not exist or is not a directory.
    pub fn new(paths: &[PathBuf]) -> Result<Roots, RootsError> {
        let root = |path: &PathBuf| {
            let no_root = |why: String| RootsError::NoRoot { path: path.clone(), why };
            let root = full_path(path).map_err(|error| no_root(error.to_string()))?;
            if !root.is_dir() {
                return Err(no_root("it is not a directory".to_owned()));
            }
            Ok(root)
        };
        Ok(Roots(paths.iter().map(root).collect::<Result<_, _>>()?))
    }

    /// The directories, with all links resolved.
    pub fn paths(&self) -> &[PathBuf] {
        &self.0
    }

    /// The path with all links resolved, if it is below a root. A missing path is allowed if its parent
    /// directories are below a root, so that the caller can report the error precisely.
    ///
    /// # Errors
    /// If the path is not allowed.
    pub fn admit(&self, given: &str) -> Result<PathBuf, RootsError> {
        let path = Path::new(given);
        let roots = || self.0.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(", ");
        if !path.is_absolute() || given.contains('\0') {
            return Err(RootsError::Relative { path: shown(given), roots: roots() });
        }
        let real = match full_path(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => resolve_missing(path),
            other => other,
        };
        let outside = || RootsError::Outside { path: shown(given), roots: roots() };
        match real {
            Ok(real) if self.holds(&real) => Ok(real),
            // Nothing outside the roots is revealed, not even whether it exists.
            Err(source) if self.holds(path) && !has_parent(path) => {
                Err(RootsError::Io { path: shown(given), source })
            }
            _ => Err(outside()),
        }
    }

    /// Whether a path without links is below a root.
    fn holds(&self, real: &Path) -> bool {
        self.0.iter().any(|root| real.starts_with(root))
    }
}

/// The resolved location of a missing path: the nearest existing directory above it, with links
/// resolved, and the remaining parts.
fn resolve_missing(path: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut there = path;
    loop {
        // The meaning of `..` after a missing path is undefined. A dangling link exists.
        let name = match there.components().next_back() {
            Some(Component::Normal(name)) if there.symlink_metadata().is_err() => name,
            Some(Component::Normal(_)) => return Err(io::ErrorKind::NotFound.into()),
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        };
        missing.push(name);
        there = there.parent().ok_or(io::ErrorKind::InvalidInput)?;
        match full_path(there) {
            Ok(real) => return Ok(missing.iter().rev().fold(real, |path, name| path.join(name))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

fn has_parent(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

/// The beginning of a path from outside, enough to recognize it.
fn shown(given: &str) -> String {
    given.chars().take(300).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn scene() -> (tempfile::TempDir, Roots, String) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for dir in ["media/show", "media-secret", "other"] {
            fs::create_dir_all(top.join(dir)).unwrap();
        }
        fs::write(top.join("other/file"), "").unwrap();
        symlink(top.join("other"), top.join("media/way-out")).unwrap();
        symlink("show", top.join("media/way-in")).unwrap();
        symlink(top.join("other/nothing"), top.join("media/to-nothing")).unwrap();
        symlink("loop", top.join("media/loop")).unwrap();
        let roots = Roots::new(&[top.join("media")]).unwrap();
        (folder, roots, top.display().to_string())
    }

    #[test]
    fn paths_below_a_root_are_admitted_after_resolving_links() {
        let (_folder, roots, top) = scene();
        for (given, real) in [
            ("media", "media"),
            ("media/", "media"),
            ("media/show", "media/show"),
            ("media/./show//", "media/show"),
            ("media/show/../show", "media/show"),
            ("media/way-in", "media/show"),
            ("media/new/folder", "media/new/folder"),
            ("media/way-in/new", "media/show/new"),
            ("other/../media/show", "media/show"),
        ] {
            let real = Path::new(&top).join(real);
            assert_eq!(roots.admit(&format!("{top}/{given}")).unwrap(), real, "{given}");
        }
    }

    #[test]
    fn nothing_else_is() {
        let (_folder, roots, top) = scene();
        for given in [
            "",
            ".",
            "media/..",
            "media/../other",
            "media/../../../../../../etc/passwd",
            "media-secret",
            "media/way-out",
            "media/way-out/file",
            "media/way-out/new",
            "media/to-nothing",
            "media/to-nothing/x",
            "media/new/../../other",
            "media/show/../../other/new",
            "media/loop",
            "other/file/x",
        ] {
            let error = roots.admit(&format!("{top}/{given}")).unwrap_err();
            assert!(matches!(error, RootsError::Outside { .. } | RootsError::Io { .. }), "{given}: {error}");
            assert!(error.to_string().contains(". "), "{error}");
        }
        for given in ["", "media", "../media", "~/media", "C:\\media", &format!("{top}/media\0/x")] {
            let error = roots.admit(given).unwrap_err();
            assert!(matches!(error, RootsError::Relative { .. }), "{given}: {error}");
        }
    }

    #[test]
    fn paths_outside_the_roots_are_not_described() {
        let (_folder, roots, top) = scene();
        let there = roots.admit(&format!("{top}/other/file")).unwrap_err().to_string();
        let not_there = roots.admit(&format!("{top}/other/fil_")).unwrap_err().to_string();
        assert_eq!(there.replace("file", ""), not_there.replace("fil_", ""));
    }

    #[test]
    fn a_root_must_be_a_directory() {
        let (_folder, _, top) = scene();
        for path in ["other/file", "nothing"] {
            assert!(Roots::new(&[Path::new(&top).join(path)]).is_err());
        }
    }
}
