//! Finds the mount of a path, which holds its data.
//!
//! The result comes from the table of mounts. A path on a network file system is never accessed here: a
//! server that does not respond would hang the process.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};

use crate::devices;
use crate::file_system::{self, MountKind, kind_of};
use crate::link::{self, LinkKind};
use crate::mount::Mount;
use crate::mountinfo::{self, Entry, FILE as MOUNTS, showing};
use crate::source::{Host, Source};
use crate::texts::{NotKnown, Texts};
use crate::union;

/// Links to follow to a mount, at most, as in the kernel.
const LINKS_MAX: usize = 40;

/// The place of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The resolved path.
    pub path: PathBuf,
    /// The mount point of its file system.
    pub mount_point: String,
    /// `nfs4`, `cifs`, `xfs`.
    pub fs_type: String,
    /// The source of the mount: `nas1:/export`, `/dev/sda1`.
    pub source: String,
    /// Whether it is on the host's own disks.
    pub is_local: bool,
    /// The mount points of the file systems below it, if it only combines others.
    pub below: Vec<String>,
    /// Its active options.
    pub options: Vec<String>,
    /// Its server's address, if the options contain it or it was resolved.
    pub server: Option<IpAddr>,
    /// The link to the server, if it was determined.
    pub link: Option<PlaceLink>,
    /// Disks and arrays below it, by name.
    pub devices: Vec<String>,
    /// Whether these are all of them. If not, any disk of the host may be one.
    pub are_devices_known: bool,
}

/// The interface on the path to a place's server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceLink {
    pub interface: String,
    /// Whether the host has no other interface below it, as it may for bridges and tunnels.
    pub is_last: bool,
}

/// Why the place of a path is unknown.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// It does not exist, or is not accessible.
    #[error("cannot access {path}: {source}", path = path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// It is no directory.
    #[error("{path} is a file. Use its directory: {parent}", path = path.display(),
        parent = path.parent().unwrap_or(path).display())]
    File { path: PathBuf },
    /// A line of the table of mounts cannot be parsed, and may be that of its mount.
    #[error(
        "cannot find the mount of {path}: the collected /proc/self/mountinfo is damaged ({what}). Run the \
         collect script again, or omit the path to check the whole host",
        path = path.display()
    )]
    TableDamaged {
        path: PathBuf,
        /// The part of the table.
        what: String,
    },
    /// The table of mounts contains no mount above it.
    #[error("no mount in /proc/self/mountinfo contains {path}. Omit the path to check the whole host",
        path = path.display())]
    NoMount { path: PathBuf },
}

impl Place {
    /// The place of a path on the host with this table of mounts. Nothing is accessed.
    ///
    /// # Errors
    /// If no mount of the table contains it.
    pub fn told(table: &str, path: &Path) -> Result<Place, PlaceError> {
        Place::on(&mountinfo::parse(table.as_bytes()), path)
    }

    fn on(table: &[Entry], path: &Path) -> Result<Place, PlaceError> {
        let mount = showing(table, path).ok_or_else(|| PlaceError::NoMount { path: path.to_owned() })?;
        let below = if union::is_union(mount) { union::below(table, mount) } else { union::Below::default() };
        // If a single branch is on a server, data may go there.
        let remote = below.mounts.iter().find(|mount| !is_local(mount));
        let is_local = is_local(mount) && remote.is_none();
        let of_server = remote.copied().unwrap_or(mount);
        Ok(Place {
            path: path.to_owned(),
            is_local,
            mount_point: mount.point().into_owned(),
            fs_type: mount.fs_type.clone(),
            source: mount.source.clone(),
            below: below.mounts.iter().map(|mount| mount.point().into_owned()).collect(),
            options: mount.options.clone(),
            server: of_server.option("addr").and_then(|address| address.parse().ok()),
            link: None,
            devices: Vec::new(),
            // No local disk holds the data of a server, or data in memory.
            are_devices_known: !is_local || kind_of(&mount.fs_type, &mount.source) == MountKind::Memory,
        })
    }

    /// The place of a path on a host without a table of mounts, by its mount.
    pub fn on_mount(mount: Mount, path: &Path) -> Place {
        Place {
            path: path.to_owned(),
            is_local: mount.kind != MountKind::Network,
            mount_point: mount.mount_point.display().to_string(),
            fs_type: mount.fs_type,
            source: mount.source,
            below: Vec::new(),
            options: mount.options,
            server: None,
            link: None,
            devices: Vec::new(),
            are_devices_known: matches!(mount.kind, MountKind::Network | MountKind::Memory),
        }
    }

    /// The mounts whose disks hold it: its own, or those below it; `None` if some are unknown.
    fn on_disks(&self, table: &[Entry]) -> Option<Vec<String>> {
        let mount = showing(table, &self.path)?;
        if !union::is_union(mount) {
            return Some(vec![self.mount_point.clone()]);
        }
        let below = union::below(table, mount);
        below.is_whole.then(|| below.mounts.iter().map(|mount| mount.point().into_owned()).collect())
    }

    /// Finds the disks of all mounts that hold it.
    fn find_devices(&mut self, table: &[Entry], source: &impl Source) {
        if self.are_devices_known {
            return;
        }
        let Some(points) = self.on_disks(table) else { return };
        self.are_devices_known = true;
        for point in points {
            let below = devices::below(source, table, Path::new(&point));
            self.are_devices_known &= below.is_whole;
            self.devices.extend(below.names);
        }
    }

    /// The place of a path on another host, with its disks, from texts that were collected there.
    ///
    /// # Errors
    /// If no mount of its table contains it, or the table is damaged.
    pub fn collected(texts: &Texts, path: &Path) -> Result<Place, PlaceError> {
        let said = match texts.damaged(MOUNTS).map_or_else(|| texts.get(MOUNTS), Err) {
            Err(NotKnown::NotUnderstood(what)) => {
                return Err(PlaceError::TableDamaged { path: path.to_owned(), what });
            }
            said => said.unwrap_or_default(),
        };
        let table = mountinfo::parse(said.as_bytes());
        let mut place = Place::on(&table, path)?;
        place.find_devices(&table, texts);
        Ok(place)
    }

    /// Its ZFS pool.
    pub fn pool(&self) -> Option<&str> {
        (self.fs_type == "zfs").then(|| self.source.split('/').next())?
    }

    /// The place of a path on the local host, with its disks.
    ///
    /// # Errors
    /// If it does not exist, as far as that can be checked without contacting a server.
    pub fn here(table: &[Entry], path: &Path) -> Result<Place, PlaceError> {
        let unreadable = |source| PlaceError::Unreadable { path: path.to_owned(), source };
        let whole = std::path::absolute(path).map_err(unreadable)?;
        let whole = resolved(table, &whole).map_err(unreadable)?;
        let mut place = Place::on(table, &whole)?;
        // Paths on a server are not accessed; those of a process may hang with it.
        if place.is_local
            && !place.fs_type.starts_with("fuse.")
            && fs::metadata(&whole).map_err(unreadable)?.is_file()
        {
            return Err(PlaceError::File { path: whole });
        }
        place.find_devices(table, &Host::here());
        Ok(place)
    }

    /// Determines the link to its server, as every measurement does: by resolving its name if the
    /// options contain no address. The mount itself is not accessed.
    pub fn find_link(&mut self) {
        let point = self.mount_point.clone().into();
        let mount = Mount::new(self.fs_type.clone(), self.source.clone(), point, self.options.clone());
        let is_reached = match mount.kind {
            MountKind::Network => true,
            MountKind::Fuse => mount.server.is_some(),
            _ => false,
        };
        if !is_reached || self.is_local {
            return;
        }
        if let LinkKind::Network { interface, server_address, is_this_machine, .. } = link::of(&mount).kind {
            let interface = if is_this_machine { "lo".to_owned() } else { interface };
            let is_last = link::is_last(&interface);
            self.server = Some(server_address);
            self.link = Some(PlaceLink { interface, is_last });
        }
    }
}

/// The path without links, as far as it is on the local host; the part behind a network mount is
/// unchanged.
fn resolved(table: &[Entry], path: &Path) -> io::Result<PathBuf> {
    let may_be_touched = |path: &Path| showing(table, path).is_none_or(is_touchable);
    let mut left: Vec<PathBuf> = parts(path);
    let mut done = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = left.pop() {
        if part.as_os_str() == ".." {
            done.pop();
            continue;
        }
        let next = done.join(&part);
        if !may_be_touched(&next) {
            done = next;
            continue;
        }
        if !fs::symlink_metadata(&next)?.is_symlink() {
            done = next;
            continue;
        }
        links += 1;
        if links > LINKS_MAX {
            return Err(io::Error::other("too many symbolic links"));
        }
        let target = fs::read_link(&next)?;
        if target.is_absolute() {
            done = PathBuf::from("/");
        }
        left.extend(parts(&target));
    }
    Ok(done)
}

fn is_local(mount: &Entry) -> bool {
    file_system::is_local(&mount.fs_type, &mount.source) || union::is_union(mount)
}

/// Whether accessing it involves no server and no process.
fn is_touchable(mount: &Entry) -> bool {
    let is_quiet = is_local(mount) && !mount.fs_type.starts_with("fuse.");
    is_quiet || file_system::is_of_the_kernel(&mount.fs_type, &mount.source)
}

/// The components of a path, the last first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let named = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    let mut parts: Vec<PathBuf> = named.map(|part| PathBuf::from(part.as_os_str())).collect();
    parts.reverse();
    parts
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const TABLE: &str = "\
29 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
33 29 0:52 / /mnt/nas rw - nfs4 nas1:/tank/media rw,vers=4.2,addr=10.0.0.5
34 29 0:53 / /mnt/nas rw - xfs /dev/sdb1 rw
";

    #[test]
    fn deepest_and_latest_mount_holds_a_path() {
        let place = |path: &str| Place::told(TABLE, Path::new(path)).unwrap();
        assert_eq!(place("/mnt/nas/clips").fs_type, "xfs");
        assert_eq!(place("/mnt/nasty").fs_type, "ext4");
        assert!(place("/").is_local);
        assert!(Place::told("", Path::new("/mnt")).is_err());
    }

    #[test]
    fn damaged_mount_table_gives_no_mount() {
        let collected = |table: &str| {
            let mut texts = Texts::default();
            texts.put("/proc/self/mountinfo", Ok(table.to_owned()));
            Place::collected(&texts, Path::new("/mnt/nas"))
        };
        let nfs = TABLE.find("nas1:").unwrap();
        let two_lines_in_one = TABLE.replace("media rw,vers=4.2,addr=10.0.0.5\n", "");
        for damaged in [
            &TABLE[..nfs],
            &format!("{}\n", &TABLE[..nfs - 8]),
            &format!("{}\n", &TABLE[..nfs - 20]),
            &two_lines_in_one,
            &TABLE.replace("/mnt/nas rw", "mnt/nas rw"),
        ] {
            let found = collected(damaged);
            assert!(matches!(found, Err(PlaceError::TableDamaged { .. })), "{damaged}: {found:?}");
        }
        assert_eq!(collected(TABLE).unwrap().mount_point, "/mnt/nas");
    }

    #[test]
    fn union_mount_resolves_to_its_branches() {
        let mounts = format!(
            "{TABLE}40 29 0:60 / /u rw - fuse.mergerfs 1:2 rw\n\
             41 29 0:61 / /b rw - fuse.bindfs /mnt/nas rw\n42 29 0:62 / /s rw - fuse.sshfs a@nas1:/m rw\n"
        );
        let mounts = mounts.replace("34 29 0:53 / /mnt/nas rw - xfs /dev/sdb1 rw\n", "");
        let place = |path: &str| Place::told(&mounts, Path::new(path)).unwrap();
        assert_eq!(
            (place("/u").is_local, place("/u").are_devices_known),
            (true, false),
            "any disk may be one"
        );
        assert_eq!((place("/b").is_local, place("/b").below), (false, vec!["/mnt/nas".to_owned()]));
        assert!(place("/b").server.is_some() && !place("/s").is_local);
    }

    #[test]
    fn file_as_target_is_refused_and_its_directory_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::write(root.join("a.mov"), "x").unwrap();
        let mounts = mountinfo::parse(b"1 0 254:1 / / rw - ext4 /dev/vda rw\n");
        let refused = Place::here(&mounts, &root.join("a.mov")).unwrap_err().to_string();
        assert!(refused.ends_with(&format!(": {}", root.display())));
        assert!(Place::here(&mounts, &root).is_ok());
    }

    #[test]
    fn links_lead_on_and_a_network_mount_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
        std::os::unix::fs::symlink(root.join("nas/gone"), root.join("far")).unwrap();
        let nas = root.join("nas").display().to_string();
        let mounts = format!("1 0 254:1 / / rw - ext4 /dev/vda rw\n2 1 0:5 / {nas} rw - nfs4 n:/m rw\n");
        let mounts = mountinfo::parse(mounts.as_bytes());
        let resolved = |name: &str| resolved(&mounts, &root.join(name));
        assert_eq!(resolved("link").unwrap(), root.join("real"));
        assert!(resolved("loop").is_err() && resolved("gone").is_err());
        // This directory does not exist, so it must not have been accessed.
        assert_eq!(resolved("far/clip").unwrap(), root.join("nas/gone/clip"));
    }
}
