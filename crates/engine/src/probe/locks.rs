//! Locks of a whole file (`flock`) and of a range of its bytes. Tests whether a lock is granted once and
//! refused to a second holder.
//!
//! The second holder opens the file again on the local host. Whether other hosts see a lock follows from
//! the mount options, if they define it.

use std::fs::File;
use std::io;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::shortage::MAKE_FILE;
use super::{Bench, Broken, Found, NOT_SUPPORTED, broken, byte_lock, is_unsupported};
use crate::area_path::Purpose;
use reelgauge_machine::file_system::Protocol;
use reelgauge_machine::mount::{Mount, MountKind};

/// User-space file systems that do not forward locks to their server.
const KEEPS_LOCKS: [&str; 5] =
    ["fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.curlftpfs", "fuse.gvfsd-fuse"];

pub(super) fn locks(bench: &Bench, found: &mut Found) -> Result<(), Broken> {
    let path = bench.at("lock");
    bench.step()?;
    let open = || bench.dir().open_file(&path, Purpose::Both).map_err(broken(MAKE_FILE));
    let (first, second) = (open()?, open()?);
    bench.step()?;
    let operate = |file: &File, operation| rustix::fs::flock(file, operation).map_err(io::Error::from);
    tried(found, "flock", [&first, &second], |file| operate(file, FlockOperation::NonBlockingLockExclusive));
    for file in [&first, &second] {
        // A refused lock is not held. A lock that stays is released when the file is closed.
        let _ = operate(file, FlockOperation::Unlock);
    }
    bench.step()?;
    // The second range overlaps the first.
    tried(found, "byte_locks", [&first, &second], |file| {
        byte_lock::lock(file, if std::ptr::eq(file, &raw const first) { 0..100 } else { 50..60 })
    });
    // See above.
    let _ = byte_lock::unlock(&first, 0..100);
    bench.step()?;
    match reach(bench.mount) {
        Some(Reach::Local) => found.nothing("locks_reach"),
        Some(Reach::Server) => found.word("locks_reach", "server"),
        Some(Reach::ThisMachine) => found.word("locks_reach", "this machine"),
        None => {
            let error = io::Error::other(format!(
                "unknown whether locks of {} reach the server",
                bench.mount.fs_type
            ));
            found.failed("locks_reach", "test whether locks reach the server", &error);
        }
    }
    Ok(())
}

/// Records the result when two holders request the same lock.
fn tried(
    found: &mut Found,
    fact: &'static str,
    [first, second]: [&File; 2],
    lock: impl Fn(&File) -> io::Result<()>,
) {
    match lock(first) {
        Ok(()) => match lock(second) {
            Ok(()) => found.word(fact, "granted twice"),
            Err(error) if is_refusal(&error) => found.word(fact, "refused"),
            Err(error) => found.failed(fact, "request a lock that is held", &error),
        },
        Err(error) if is_unsupported(&error) => found.word(fact, NOT_SUPPORTED),
        Err(error) => found.failed(fact, "lock a file", &error),
    }
}

/// SMB servers report a refused lock as "permission denied".
fn is_refusal(error: &io::Error) -> bool {
    let refusals = [Errno::WOULDBLOCK, Errno::ACCESS, Errno::DEADLK];
    refusals.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// The hosts that see a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// All users of the file system: it is local.
    Local,
    Server,
    ThisMachine,
}

/// Derived from the mount options.
fn reach(mount: &Mount) -> Option<Reach> {
    let has = |name: &str| mount.options.iter().any(|option| option == name);
    let keeps = match mount.fs_type.as_str() {
        _ if mount.protocol() == Some(Protocol::Nfs) => {
            has("nolock") || mount.option("local_lock").is_some_and(|which| which != "none")
        }
        _ if mount.protocol() == Some(Protocol::Smb) => has("nobrl"),
        "lustre" => has("localflock"),
        kind if KEEPS_LOCKS.contains(&kind) => true,
        _ => {
            let is_local =
                matches!(mount.kind, MountKind::LocalDisk | MountKind::Memory | MountKind::Overlay);
            return is_local.then_some(Reach::Local);
        }
    };
    Some(if keeps { Reach::ThisMachine } else { Reach::Server })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::PathBuf;

    use super::*;

    fn mount(fs_type: &str, kind: MountKind, options: &str) -> Mount {
        Mount {
            fs_type: fs_type.to_owned(),
            source: "nas1:/media".to_owned(),
            mount_point: PathBuf::from("/mnt/nas"),
            options: options.split(',').map(str::to_owned).collect(),
            kind,
            server: None,
            protocol_version: None,
        }
    }

    #[test]
    fn mount_options_define_the_reach_of_locks() {
        let network = |fs_type, options| reach(&mount(fs_type, MountKind::Network, options));
        assert_eq!(network("nfs4", "rw,vers=4.2,local_lock=none"), Some(Reach::Server));
        assert_eq!(network("nfs", "rw,nolock"), Some(Reach::ThisMachine));
        assert_eq!(network("nfs", "rw,local_lock=flock"), Some(Reach::ThisMachine));
        assert_eq!(network("cifs", "rw,nobrl"), Some(Reach::ThisMachine));
        assert_eq!(network("cifs", "rw"), Some(Reach::Server));
        assert_eq!(network("beegfs", "rw"), None);
        assert_eq!(reach(&mount("fuse.sshfs", MountKind::Fuse, "rw")), Some(Reach::ThisMachine));
        assert_eq!(reach(&mount("fuse.somewhat", MountKind::Fuse, "rw")), None);
        assert_eq!(reach(&mount("ext4", MountKind::LocalDisk, "rw")), Some(Reach::Local));
    }

    /// The result for these two answers to the first and second holder.
    fn noted(answers: [Result<(), i32>; 2]) -> super::super::Noted {
        let files = [tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap()];
        let mut found = Found::default();
        tried(&mut found, "flock", [&files[0], &files[1]], |file| {
            let which = usize::from(std::ptr::eq(file, &raw const files[1]));
            answers[which].map_err(io::Error::from_raw_os_error)
        });
        found.notes.remove(0).1
    }

    #[test]
    fn only_eagain_or_eacces_is_a_refusal() {
        use super::super::Noted;
        let word = |word: &str| Noted::Word(word.to_owned());
        assert_eq!(noted([Ok(()), Err(libc::EAGAIN)]), word("refused"));
        assert_eq!(noted([Ok(()), Err(libc::EACCES)]), word("refused"));
        assert_eq!(noted([Ok(()), Ok(())]), word("granted twice"));
        assert_eq!(noted([Err(libc::ENOLCK), Ok(())]), word(NOT_SUPPORTED));
        assert!(matches!(noted([Ok(()), Err(libc::EIO)]), Noted::NotKnown(_)));
        assert!(matches!(noted([Err(libc::EIO), Ok(())]), Noted::NotKnown(_)));
    }
}
