//! File systems for tests.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system that is mounted for one test and unmounted when dropped.
pub struct Mounted {
    path: PathBuf,
    /// Holds the mount point and the image.
    _dir: Option<tempfile::TempDir>,
}

impl Mounted {
    /// `None`, with the reason printed, if nothing can be mounted.
    pub fn tmpfs(size: &str) -> Option<Mounted> {
        let dir = scratch()?;
        Mounted::mount(dir, &["-t", "tmpfs", "-o", &format!("size={size},mode=755"), "tmpfs"])
    }

    /// A new file system of this type in an image, which takes space only as it is written to.
    pub fn image(fs_type: &str, options: &str, mib: u64) -> Option<Mounted> {
        let dir = scratch()?;
        let image = dir.path().join("image");
        std::fs::File::create(&image).unwrap().set_len(mib << 20).unwrap();
        let force = if fs_type == "ext4" { "-F" } else { "-f" };
        let made = Command::new(format!("mkfs.{fs_type}")).arg("-q").arg(force).arg(&image).output();
        match made {
            Ok(made) => assert!(made.status.success(), "{made:?}"),
            Err(error) => {
                eprintln!("skipped: mkfs.{fs_type} cannot be run ({error})");
                return None;
            }
        }
        let image = image.to_str().unwrap().to_owned();
        Mounted::mount(dir, &["-t", fs_type, "-o", &format!("loop,{options}"), &image])
    }

    /// Mounts `source` at another path, which must exist.
    pub fn bind(source: &Path, at: &Path) -> Mounted {
        run("mount", &["--bind", source.to_str().unwrap(), at.to_str().unwrap()]);
        Mounted { path: at.to_owned(), _dir: None }
    }

    /// Mounts tmpfs at an existing path.
    pub fn tmpfs_at(at: &Path) -> Mounted {
        run("mount", &["-t", "tmpfs", "tmpfs", at.to_str().unwrap()]);
        Mounted { path: at.to_owned(), _dir: None }
    }

    /// An overlay of two directories of this file system, mounted at `at`.
    pub fn overlay(lower: &Path, upper: &Path, work: &Path, at: &Path) -> Mounted {
        let options =
            format!("lowerdir={},upperdir={},workdir={}", lower.display(), upper.display(), work.display());
        run("mount", &["-t", "overlay", "-o", &options, "overlay", at.to_str().unwrap()]);
        Mounted { path: at.to_owned(), _dir: None }
    }

    fn mount(dir: tempfile::TempDir, arguments: &[&str]) -> Option<Mounted> {
        // The space makes every test use the kernel's escapes.
        let path = dir.path().join("mount point");
        std::fs::create_dir(&path).unwrap();
        let mounted = Command::new("mount").args(arguments).arg(&path).output().unwrap();
        if !mounted.status.success() {
            eprintln!("skipped: cannot mount ({})", String::from_utf8_lossy(&mounted.stderr).trim());
            return None;
        }
        Some(Mounted { path, _dir: Some(dir) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Retries for a while: another test's child that is just starting may hold its files.
    pub fn remount(&self, options: &str) {
        let mut tries = 0..50;
        loop {
            let options = format!("remount,{options}");
            let done = Command::new("mount").arg("-o").arg(options).arg(&self.path).output().unwrap();
            if done.status.success() {
                return;
            }
            assert!(tries.next().is_some(), "{done:?}");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(&self.path).output();
        if !unmounted.is_ok_and(|unmounted| unmounted.status.success()) {
            // A process that still uses the mount keeps it until it ends.
            let _ = Command::new("umount").arg("-l").arg(&self.path).output();
        }
    }
}

/// A directory for mounts, if this user may mount.
fn scratch() -> Option<tempfile::TempDir> {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root may mount file systems");
        return None;
    }
    Some(tempfile::tempdir().unwrap())
}

pub fn run(program: &str, arguments: &[&str]) {
    let done = Command::new(program).args(arguments).output().unwrap();
    assert!(done.status.success(), "{program} {arguments:?}: {done:?}");
}

/// Runs `work` with the file system rights of the user `nobody`. Only for calling file system functions.
pub fn as_nobody<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            // Affects only this thread, which ends below.
            rustix::thread::set_thread_uid(rustix::fs::Uid::from_raw(65534)).unwrap();
            work()
        });
        thread.join().unwrap()
    })
}
