//! Local file systems made for a test: in memory, in an image file, or bound from elsewhere.

use std::path::{Path, PathBuf};

use crate::programs::{tool, tool_with, try_tool};
use crate::scratch::Scratch;

/// A file system in an image file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    Ext4,
    /// XFS; at least 300 MiB.
    Xfs,
    /// btrfs; at least 110 MiB.
    Btrfs,
}

impl ImageKind {
    /// The name that the kernel has for it.
    pub const fn name(self) -> &'static str {
        match self {
            ImageKind::Ext4 => "ext4",
            ImageKind::Xfs => "xfs",
            ImageKind::Btrfs => "btrfs",
        }
    }

    /// The program that makes one.
    pub const fn maker(self) -> &'static str {
        match self {
            ImageKind::Ext4 => "mkfs.ext4",
            ImageKind::Xfs => "mkfs.xfs",
            ImageKind::Btrfs => "mkfs.btrfs",
        }
    }

    /// Options of its maker that make it initialize the whole file system at once. ext4 would otherwise
    /// clear its tables seconds after the mount. If the image's store cannot do that by punching a hole,
    /// the loop device then loses its read-ahead.
    const fn made_whole(self) -> &'static str {
        match self {
            ImageKind::Ext4 => " -E lazy_itable_init=0,lazy_journal_init=0",
            ImageKind::Xfs | ImageKind::Btrfs => "",
        }
    }
}

/// A mounted file system. Unmounted on drop, even if it is still in use.
#[derive(Debug)]
pub struct TempMount {
    // Dropped in this order.
    mounted: Mounted,
    scratch: Scratch,
}

impl TempMount {
    /// Memory, with room for this many MiB.
    ///
    /// # Panics
    /// If it cannot be mounted.
    pub fn tmpfs(mib: u32) -> TempMount {
        TempMount::with(|mount| format!("mount -t tmpfs -o size={mib}m,mode=755 rge-tmpfs {mount}"))
    }

    /// A fresh file system in an image file of this many MiB.
    ///
    /// # Panics
    /// If it cannot be made or mounted.
    pub fn image(kind: ImageKind, mib: u32) -> TempMount {
        let scratch = Scratch::new();
        let folder = scratch.path().to_owned();
        TempMount::image_in(scratch, &folder, kind, mib)
    }

    /// The same with its image file in another folder, such as a slow store.
    ///
    /// # Panics
    /// If it cannot be made or mounted.
    pub fn image_on(folder: &Path, kind: ImageKind, mib: u32) -> TempMount {
        TempMount::image_in(Scratch::new(), folder, kind, mib)
    }

    fn image_in(scratch: Scratch, folder: &Path, kind: ImageKind, mib: u32) -> TempMount {
        let image = folder.join("image");
        let file = std::fs::File::create(&image).unwrap();
        file.set_len(u64::from(mib) << 20).unwrap();
        let image = image.display();
        tool(&format!("{} -q{} {image}", kind.maker(), kind.made_whole()));
        TempMount::mount(scratch, |mount| format!("mount -t {} -o loop {image} {mount}", kind.name()))
    }

    /// A bind mount of a folder.
    ///
    /// # Panics
    /// If it cannot be mounted.
    pub fn bind(folder: &Path) -> TempMount {
        TempMount::with(|mount| format!("mount --bind {} {mount}", folder.display()))
    }

    /// Mounts with the command line that the closure makes from the mount point.
    fn with(command: impl FnOnce(std::path::Display<'_>) -> String) -> TempMount {
        TempMount::mount(Scratch::new(), command)
    }

    /// Mounts in an existing scratch folder.
    fn mount(scratch: Scratch, command: impl FnOnce(std::path::Display<'_>) -> String) -> TempMount {
        let point = scratch.dir("mnt");
        tool(&command(point.display()));
        TempMount { mounted: Mounted::at(point), scratch }
    }

    pub fn path(&self) -> &Path {
        &self.mounted.0
    }

    /// A folder next to the mount point, on the disk below it.
    pub fn beside(&self) -> &Path {
        self.scratch.path()
    }

    /// Stops every change to the file system until the guard is dropped. Writers hang in the kernel.
    ///
    /// # Panics
    /// If the file system cannot be frozen.
    pub fn freeze(&self) -> Frozen {
        tool(&format!("fsfreeze --freeze {}", self.path().display()));
        Frozen(self.path().to_owned())
    }

    /// Takes the file system out of the tree while it is in use, as a lazy unmount does.
    ///
    /// # Panics
    /// If that fails.
    pub fn detach(&self) {
        tool(&format!("umount --lazy {}", self.path().display()));
    }
}

/// A frozen file system; thawed on drop.
#[derive(Debug)]
pub struct Frozen(PathBuf);

impl Drop for Frozen {
    fn drop(&mut self) {
        let _ = try_tool(&format!("fsfreeze --unfreeze {}", self.0.display()));
    }
}

/// A mount point, unmounted on drop.
#[derive(Debug)]
pub struct Mounted(PathBuf);

impl Mounted {
    /// Takes over the mount at this point.
    pub fn at(point: PathBuf) -> Mounted {
        Mounted(point)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        for mount in below(&self.0) {
            if tool_with(&["umount", &mount.to_string_lossy()]).is_err() {
                detach(&mount);
            }
        }
    }
}

/// Detaches a mount from the tree, even if it is in use or its server is unreachable.
pub fn detach(mount: &Path) {
    let _ = tool_with(&["umount", "--lazy", "--force", &mount.to_string_lossy()]);
}

/// Mount points at or below a folder, the innermost and the latest first.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut points: Vec<PathBuf> = list
        .lines()
        .filter_map(|line| line.split(' ').nth(4))
        .map(|escaped| PathBuf::from(escaped.replace("\\040", " ")))
        .filter(|point| point.starts_with(folder))
        .collect();
    points.reverse();
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs::Need;
    use crate::require;

    #[test]
    fn memory_is_mounted_and_unmounted() {
        require!(Need::Root);
        let mount = TempMount::tmpfs(8);
        let path = mount.path().to_owned();
        assert_eq!(below(&path).as_slice(), std::slice::from_ref(&path));
        // Also while a process uses it.
        let in_use = std::fs::File::create(path.join("file")).unwrap();
        drop(mount);
        assert!(below(&path).is_empty() && !path.exists());
        drop(in_use);
    }

    #[test]
    fn an_image_has_its_file_system_and_its_size() {
        require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
        let mount = TempMount::image(ImageKind::Ext4, 16);
        assert!(tool(&format!("stat -f -c %T {}", mount.path().display())).starts_with("ext2/ext3"));
        let stat = rustix::fs::statvfs(mount.path()).unwrap();
        assert!(stat.f_blocks * stat.f_frsize <= 16 << 20);
        assert!(mount.beside().join("image").is_file());
    }

    #[test]
    fn frozen_file_systems_are_thawed() {
        require!(Need::Root, Need::Tool("mkfs.ext4"), Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
        let mount = TempMount::image(ImageKind::Ext4, 16);
        let frozen = mount.freeze();
        let path = mount.path().join("file");
        let writer = std::thread::spawn(move || std::fs::write(path, "x"));
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(!writer.is_finished());
        drop(frozen);
        writer.join().unwrap().unwrap();
    }
}
