//! Checks whether other users can write to a target. Root refuses to work where another user could
//! replace files, unless the user allows it. Then the run takes that user's identity where possible.
//!
//! The owner of a directory, and every user who may write in it, can replace the entries in it at any
//! moment. The area is held open and nothing in it is reached through links ([`crate::area_path`]). But
//! the first access to a target, and file systems that resolve whole paths on their server, have no such
//! protection.
//!
//! Not here: how an identity is taken ([`reelgauge_record::identity`]).

use std::num::NonZeroU64;
use std::path::Path;

use reelgauge_record::identity::{self, Guise};

use super::AreaError;
use crate::area_path::EntryFacts;
use crate::space::KeepFree;

/// The user's choice about a target that other users own or may write in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// No choice was made: root refuses the target.
    #[default]
    Unsaid,
    /// The target is shared on purpose (`--shared-target`).
    Meant,
}

/// The user's choices about a target, in addition to its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Whether other users may write to it.
    pub sharing: Sharing,
    /// The space that stays free on it.
    pub keep_free: KeepFree,
    /// The maximum transfer rate in bytes per second; `None` if unlimited.
    pub max_bytes_per_s: Option<NonZeroU64>,
}

/// Permission bits for writing by a directory's group and by all users.
#[cfg(unix)]
const GROUP_WRITES: u32 = 0o020;
#[cfg(unix)]
const ALL_WRITE: u32 = 0o002;

/// Why a directory does not belong to root alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// It belongs to this user.
    Owned { user: u32 },
    /// The owner has no name on this host, as on NFS where the id mapping has no entry. On the server
    /// the directory may well be root's.
    Unnamed,
    /// Other users may write in it.
    Writable,
}

/// The user id that NFS reports for an owner whose name the id mapping of the local host lacks.
#[cfg(unix)]
const UNNAMED: u32 = u32::MAX - 1;

/// Refuses, as root, a target that other users can write to, unless the user allows it. Then this thread
/// and its children take the identity of the owner: of the area if there is one, else of the target.
/// Returns a note for the reader.
///
/// `target` and `area` are the known facts about the directories, with their paths.
pub(super) fn settle(
    target: (&Path, &EntryFacts),
    area: Option<(&Path, &EntryFacts)>,
    sharing: Sharing,
) -> Result<Option<String>, AreaError> {
    if !identity::is_root() {
        return Ok(None);
    }
    let directories = [area, Some(target)];
    let found =
        directories.into_iter().flatten().find_map(|(path, facts)| Some((path, shared(path, facts)?)));
    let Some((path, shared)) = found else {
        return Ok(None);
    };
    if sharing == Sharing::Unsaid {
        return Err(AreaError::Shared { path: path.to_owned(), shared });
    }
    let (_, whose) = area.unwrap_or(target);
    let what = if area.is_some() { "the area there" } else { "it" };
    let how = match guise_of(whose) {
        _ if is_unnamed(whose) => format!(
            "as root, because the owner of {what} has no name on this client (NFS maps names: see rpc.idmapd)"
        ),
        Some(guise) if identity::take(guise) => {
            format!("as its owner (user {}), not as root", guise.user)
        }
        Some(guise) => {
            format!("as root, because Reelgauge cannot switch to its owner (user {}) here", guise.user)
        }
        None => format!("as root, the owner of {what}"),
    };
    Ok(Some(format!(
        "The target is shared with other users (--shared-target). Files on it were opened {how}."
    )))
}

/// Why a directory does not belong to root alone; `None` if it does.
#[cfg(unix)]
fn shared(path: &Path, facts: &EntryFacts) -> Option<Shared> {
    if is_unnamed(facts) {
        return Some(Shared::Unnamed);
    }
    if facts.owner.user != 0 {
        return Some(Shared::Owned { user: facts.owner.user });
    }
    let may = |bit: u32| facts.permissions & bit != 0;
    // Only root is in root's group. But if the directory has an access control list, the group bits show
    // the rights of the list.
    let is_roots_group = facts.owner.group == 0 && !has_list(path);
    (may(ALL_WRITE) || may(GROUP_WRITES) && !is_roots_group).then_some(Shared::Writable)
}

/// Whether a directory has an access control list beyond its permission bits.
#[cfg(target_os = "linux")]
fn has_list(path: &Path) -> bool {
    let mut list = [0; 4096];
    // If the list is too long for this buffer, there is a list, too. A file without one, or a file
    // system without lists, returns an error.
    !matches!(
        rustix::fs::lgetxattr(path, c"system.posix_acl_access", &mut list[..]),
        Err(rustix::io::Errno::NODATA | rustix::io::Errno::OPNOTSUPP)
    )
}

#[cfg(all(unix, not(target_os = "linux")))]
fn has_list(_path: &Path) -> bool {
    true
}

/// Windows has no root, and its permissions are not expressed in mode bits.
#[cfg(not(unix))]
fn shared(_path: &Path, _facts: &EntryFacts) -> Option<Shared> {
    None
}

#[cfg(unix)]
fn is_unnamed(facts: &EntryFacts) -> bool {
    facts.owner.user == UNNAMED
}

#[cfg(not(unix))]
fn is_unnamed(_facts: &EntryFacts) -> bool {
    false
}

/// The owner of a directory; `None` if that is root.
#[cfg(unix)]
fn guise_of(facts: &EntryFacts) -> Option<Guise> {
    (facts.owner.user != 0).then_some(facts.owner)
}

#[cfg(not(unix))]
fn guise_of(_facts: &EntryFacts) -> Option<Guise> {
    None
}

impl std::fmt::Display for Shared {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Shared::Owned { user } => write!(out, "belongs to user {user}"),
            Shared::Unnamed => out.write_str("belongs to a user without a name on this client"),
            Shared::Writable => write!(out, "is writable by other users"),
        }
    }
}

impl Shared {
    /// The advice in the error message.
    pub(super) fn instead(&self) -> String {
        match self {
            Shared::Owned { user } => {
                format!(
                    "Run as that user (sudo -u '#{user}' reelgauge …), or add --shared-target to work there "
                ) + "with that user's rights"
            }
            Shared::Unnamed => {
                "Correct the NFS name mapping (rpc.idmapd, the same domain on server and client), run as \
                 another user, or add --shared-target to allow it"
                    .to_owned()
            }
            Shared::Writable => {
                "Choose a directory that only root can write to, run as another user, or add --shared-target \
                 to allow it"
                    .to_owned()
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::path::PathBuf;

    use super::super::{AREA_DIR, Area};
    use super::*;

    const SOMEBODY: u32 = 4242;
    const MEANT: Terms = Terms { sharing: Sharing::Meant, keep_free: KeepFree::Usual, max_bytes_per_s: None };

    /// Creates a target with this owner and these permissions.
    fn target(user: u32, permissions: u32) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let path = folder.path().join("target");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(permissions)).unwrap();
        chown(&path, Some(user), Some(user)).unwrap();
        (folder, path)
    }

    /// If this is root, runs it on a separate thread, whose identity may change.
    fn as_root(test: impl FnOnce() + Send + 'static) {
        if !rustix::process::geteuid().is_root() {
            eprintln!("skipped: only root is careful of others");
            return;
        }
        std::thread::spawn(test).join().unwrap();
    }

    #[test]
    fn root_refuses_targets_that_others_own_or_may_write() {
        as_root(|| {
            let cases = [
                (SOMEBODY, 0o700, "belongs to user 4242"),
                (0, 0o777, "is writable by other users"),
                (0, 0o1777, "is writable by other users"),
            ];
            for (user, permissions, said) in cases {
                let (_folder, path) = target(user, permissions);
                let error = Area::open_or_create(&path).unwrap_err();
                let text = error.to_string();
                assert!(text.contains(said) && text.contains("--shared-target"), "{text}");
                assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
            }
            let (_folder, of_a_group) = target(0, 0o775);
            chown(&of_a_group, Some(0), Some(SOMEBODY)).unwrap();
            let error = Area::open_or_create(&of_a_group).unwrap_err();
            assert!(error.to_string().contains("is writable by other users"), "{error}");
            let (_folder, of_roots_group) = target(0, 0o775);
            Area::open_or_create(&of_roots_group).unwrap();
            let (_folder, alone) = target(0, 0o755);
            let area = Area::open_or_create(&alone).unwrap();
            assert_eq!(area.sharing_note(), None);
            // Not only the target's permissions count.
            chown(area.root(), Some(SOMEBODY), Some(SOMEBODY)).unwrap();
            let error = Area::open_or_create(&alone).unwrap_err();
            assert!(error.to_string().contains("reelgauge-area belongs to user 4242"), "{error}");
            assert!(Area::open_existing(&alone).is_err());
        });
    }

    #[test]
    fn an_owner_without_a_name_may_be_root() {
        as_root(|| {
            let (_folder, path) = target(UNNAMED, 0o755);
            let text = Area::open_or_create(&path).unwrap_err().to_string();
            assert!(text.contains("without a name") && text.contains("rpc.idmapd"), "{text}");
            assert!(!text.contains("sudo"), "{text}");
            assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
            let area = Area::open_or_create_on(&path, MEANT).unwrap();
            let note = area.sharing_note().unwrap();
            assert!(note.contains("as root, because the owner of "), "{note}");
            assert!(identity::is_root());
        });
    }

    #[test]
    fn shared_target_uses_the_rights_of_the_owner() {
        as_root(|| {
            let (_folder, path) = target(SOMEBODY, 0o700);
            let area = Area::open_or_create_on(&path, MEANT).unwrap();
            let note = area.sharing_note().unwrap();
            assert!(note.contains("as its owner (user 4242), not as root"), "{note}");
            let made = fs::metadata(path.join(AREA_DIR)).unwrap();
            assert_eq!((made.uid(), made.gid()), (SOMEBODY, SOMEBODY));
            assert!(!identity::is_root());
        });
        as_root(|| {
            let (_folder, path) = target(0, 0o1777);
            let area = Area::open_or_create_on(&path, MEANT).unwrap();
            let note = area.sharing_note().unwrap();
            assert!(note.contains("opened as root, the owner of "), "{note}");
            assert!(identity::is_root());
        });
        as_root(|| {
            // The area belongs to root, from an earlier run. As the target's owner, this process could
            // not write in it.
            let (_folder, path) = target(0, 0o755);
            Area::open_or_create(&path).unwrap();
            chown(&path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
            let area = Area::open_or_create_on(&path, MEANT).unwrap();
            let note = area.sharing_note().unwrap();
            assert!(note.contains("as root, the owner of the area there"), "{note}");
            assert!(identity::is_root());
        });
    }
}
