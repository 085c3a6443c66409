//! Selects the paths of a source that belong in a trace, and converts them to names.
//!
//! A trace is about an application's media and its project. Files that every program opens (libraries,
//! settings, fonts, the kernel's files) would be most of the trace, and a replay must not create them
//! again. So they are skipped and counted, unless a root is given.

use std::path::Path;

use reelgauge_trace::name::{BadName, clean};

/// Skipped: not below the given root.
pub const OUTSIDE: &str = "outside of the root";
/// Skipped: the root itself, which a replay creates anyway.
pub const ROOT_ITSELF: &str = "the root directory itself";
/// Skipped: a file of the operating system.
pub const SYSTEM: &str = "a system file (--root / includes it)";
/// Skipped: a file of the kernel.
pub const KERNEL: &str = "not a stored file (/proc, /sys, /dev)";
/// Skipped: not a file.
pub const NOT_A_FILE: &str = "a pipe, socket or similar, not a file";
/// Skipped: its directory is unknown.
pub const NOWHERE: &str = "a relative name while the working directory is unknown";
/// Skipped: not a valid name.
pub const BAD_NAME: &str = "an invalid file name";

/// The syntax of paths in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `/a/b`; a name may contain any byte but `/` and zero.
    Unix,
    /// The same, in a log of a benchmark: devices are measured objects, not system files.
    Benchmark,
    /// `C:\a\b` or `\\server\share\a`; case-insensitive.
    Windows,
    /// Relative to a server's export or share.
    Share,
}

/// Selects paths by root and spelling.
#[derive(Clone, Debug)]
pub struct PathScope {
    spelling: Spelling,
    /// Cleaned; empty for the root directory.
    root: Option<String>,
}

impl PathScope {
    /// Selects paths below `root`. Without `root`, all except those of the kernel and the system.
    pub fn new(spelling: Spelling, root: Option<&Path>) -> PathScope {
        let root = root.map(|root| {
            let path = root.as_os_str().as_encoded_bytes();
            clean(&slashes(spelling, path)).unwrap_or_default()
        });
        PathScope { spelling, root }
    }

    /// The name of a path, or the reason why it is skipped.
    pub fn name(&self, path: &[u8]) -> Result<String, &'static str> {
        let unified;
        let path = match self.spelling {
            Spelling::Unix | Spelling::Benchmark => path,
            Spelling::Windows | Spelling::Share => {
                unified = slashes(self.spelling, path);
                &unified
            }
        };
        let is_unix = matches!(self.spelling, Spelling::Unix | Spelling::Benchmark);
        let is_absolute = path.first() == Some(&b'/') || !is_unix;
        if memchr::memchr(0, path).is_some() {
            return Err(BAD_NAME);
        }
        let name = match clean(path) {
            Ok(name) => name,
            Err(BadName::Empty) => return Err(ROOT_ITSELF),
            Err(_) => return Err(BAD_NAME),
        };
        if self.spelling == Spelling::Unix && is_absolute && is_kernel(&name) {
            return Err(KERNEL);
        }
        match &self.root {
            None if is_absolute && self.is_system(&name) => Err(SYSTEM),
            None => Ok(name),
            Some(root) if root.is_empty() => Ok(name),
            Some(_) if !is_absolute => Err(NOWHERE),
            Some(root) => self.below(root, name),
        }
    }

    /// The part of a name after the root.
    fn below(&self, root: &str, mut name: String) -> Result<String, &'static str> {
        let Some(head) = name.get(..root.len()) else { return Err(OUTSIDE) };
        let same = match self.spelling {
            Spelling::Unix | Spelling::Benchmark => head == root,
            Spelling::Windows | Spelling::Share => head.eq_ignore_ascii_case(root),
        };
        match name.as_bytes().get(root.len()) {
            _ if !same => Err(OUTSIDE),
            None => Err(ROOT_ITSELF),
            Some(b'/') => {
                name.drain(..=root.len());
                Ok(name)
            }
            Some(_) => Err(OUTSIDE),
        }
    }

    fn is_system(&self, name: &str) -> bool {
        let parts: Vec<&str> = name.splitn(3, '/').collect();
        match (self.spelling, parts.as_slice()) {
            (Spelling::Share | Spelling::Benchmark, _) => false,
            (Spelling::Windows, [_, folder, ..]) => {
                WINDOWS_SYSTEM.iter().any(|system| system.eq_ignore_ascii_case(folder))
            }
            (Spelling::Unix, [first, second, ..]) => {
                UNIX_SYSTEM.contains(first) || (*first == "private" && *second == "etc")
            }
            (Spelling::Unix, [first]) => UNIX_SYSTEM.contains(first),
            _ => false,
        }
    }
}

/// Top-level folders of Linux and macOS with the system and its programs.
const UNIX_SYSTEM: &[&str] =
    &["bin", "boot", "etc", "lib", "lib32", "lib64", "libx32", "run", "sbin", "usr", "System", "Library"];
/// Folders of a Windows drive with the system and its programs.
const WINDOWS_SYSTEM: &[&str] = &["Windows", "Program Files", "Program Files (x86)", "ProgramData"];

fn is_kernel(name: &str) -> bool {
    let first = name.split('/').next().unwrap_or_default();
    matches!(first, "proc" | "sys" | "dev") || name.starts_with("memfd:")
}

/// Converts a path to `/` separators, and a drive to a folder: `C:\a` is `C/a`.
fn slashes(spelling: Spelling, path: &[u8]) -> Vec<u8> {
    if matches!(spelling, Spelling::Unix | Spelling::Benchmark) {
        return path.to_vec();
    }
    let path = path.strip_prefix(br"\\?\").unwrap_or(path);
    let mut unified: Vec<u8> = path.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect();
    let is_drive = unified.first().is_some_and(u8::is_ascii_alphabetic) && unified.get(1) == Some(&b':');
    if spelling == Spelling::Windows && is_drive {
        unified[0] = unified[0].to_ascii_uppercase();
        unified.remove(1);
    }
    unified
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unix(root: Option<&str>, path: &str) -> Result<String, &'static str> {
        PathScope::new(Spelling::Unix, root.map(Path::new)).name(path.as_bytes())
    }

    #[test]
    fn rootless_import_keeps_media_and_drops_system_files() {
        assert_eq!(unix(None, "/media/in.ts").as_deref(), Ok("media/in.ts"));
        assert_eq!(unix(None, "in.ts").as_deref(), Ok("in.ts"));
        assert_eq!(unix(None, "usr/in.ts").as_deref(), Ok("usr/in.ts"), "relative names are the user's");
        assert_eq!(unix(None, "/usr/lib/x.so"), Err(SYSTEM));
        assert_eq!(unix(None, "/usrlib"), Ok("usrlib".to_owned()));
        for path in ["/proc/self/maps", "/dev/shm/x", "/memfd:x", "/a/../sys/y"] {
            assert_eq!(unix(None, path), Err(KERNEL), "{path}");
        }
        assert_eq!(unix(None, "/"), Err(ROOT_ITSELF));
        assert_eq!(unix(None, "/a\0b"), Err(BAD_NAME));
    }

    #[test]
    fn root_keeps_only_paths_below_it() {
        let root = Some("/media/job/");
        assert_eq!(unix(root, "/media/job/a/b.mov").as_deref(), Ok("a/b.mov"));
        assert_eq!(unix(root, "/media/job"), Err(ROOT_ITSELF));
        assert_eq!(unix(root, "/media/job2/x"), Err(OUTSIDE));
        assert_eq!(unix(root, "/media/job/../x"), Err(OUTSIDE));
        assert_eq!(unix(root, "a"), Err(NOWHERE));
        assert_eq!(unix(Some("/"), "/usr/lib/x.so").as_deref(), Ok("usr/lib/x.so"));
        assert_eq!(unix(Some("/"), "/proc/1"), Err(KERNEL));
    }

    #[test]
    fn a_benchmarks_log_keeps_devices_and_every_folder() {
        let name = |root: Option<&str>, path: &str| {
            PathScope::new(Spelling::Benchmark, root.map(Path::new)).name(path.as_bytes())
        };
        for (path, wanted) in
            [("/dev/nvme0n1", "dev/nvme0n1"), ("/usr/x.dat", "usr/x.dat"), ("/run/media/a", "run/media/a")]
        {
            assert_eq!(name(None, path).as_deref(), Ok(wanted));
        }
        assert_eq!(name(Some("/dev"), "/dev/nvme0n1").as_deref(), Ok("nvme0n1"));
        assert_eq!(name(Some("/dev"), "/mnt/a"), Err(OUTSIDE));
    }

    #[test]
    fn windows_paths_become_names_without_a_drive_letter() {
        let scope = |root: Option<&str>| PathScope::new(Spelling::Windows, root.map(Path::new));
        assert_eq!(scope(None).name(br"C:\Media\a.mov").as_deref(), Ok("C/Media/a.mov"));
        assert_eq!(scope(None).name(br"\\nas\share\a.mov").as_deref(), Ok("nas/share/a.mov"));
        assert_eq!(scope(None).name(br"c:\windows\System32\x.dll"), Err(SYSTEM));
        let media = scope(Some(r"c:\media"));
        assert_eq!(media.name(br"C:\MEDIA\a.mov").as_deref(), Ok("a.mov"));
        assert_eq!(media.name(br"C:\MEDIA2\a.mov"), Err(OUTSIDE));
        assert_eq!(media.name(br"C:\Media\..\..\x"), Err(OUTSIDE));
        let share = PathScope::new(Spelling::Share, None);
        assert_eq!(share.name(br"d\h").as_deref(), Ok("d/h"));
    }
}
