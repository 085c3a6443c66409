//! The identity that files are opened with.
//!
//! A run as root on another user's target reads and writes there as that user. So no link can give it
//! access to more than that user has. Its results are written where root requested, and belong to root.
//! So a thread takes a *guise* for the target, which threads that it starts inherit, and suspends it
//! ([`own`]) while it opens results.
//!
//! Only file access changes: on Linux, the file system user and group of the thread, its supplementary
//! groups and, with them, the capabilities that override permissions. Open files stay open, and the
//! process keeps all its other rights.
//!
//! Linux only: other systems have no identity per thread, and no guise is taken.
//!
//! Not here: when an identity is taken (the engine's area).

#[cfg(target_os = "linux")]
mod linux;

/// A user and a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guise {
    pub user: u32,
    pub group: u32,
}

/// This thread, and those that it starts, open files as this user from now on, with no other group than
/// this. Returns false if the system does not permit it.
#[cfg(target_os = "linux")]
pub fn take(guise: Guise) -> bool {
    linux::take(guise)
}

/// Not supported on this system.
#[cfg(not(target_os = "linux"))]
pub fn take(_guise: Guise) -> bool {
    false
}

/// Ends this thread's guise, if it has one.
pub fn shed() {
    #[cfg(target_os = "linux")]
    linux::put_off();
}

/// Whether this thread opens files as root.
pub fn is_root() -> bool {
    #[cfg(target_os = "linux")]
    return linux::is_root();
    #[cfg(all(unix, not(target_os = "linux")))]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    return false;
}

/// The user with whose rights this thread opens files.
#[cfg(unix)]
pub fn user() -> u32 {
    #[cfg(target_os = "linux")]
    return linux::user();
    #[cfg(not(target_os = "linux"))]
    return rustix::process::geteuid().as_raw();
}

/// Suspends the guise until it is dropped: this thread then opens files as the user who started
/// Reelgauge. A thread that opens only results keeps this value.
#[must_use = "the identity is restored when this is dropped"]
#[derive(Debug)]
pub struct Own {
    #[cfg(target_os = "linux")]
    guise: Option<Guise>,
    /// It must not be sent to another thread.
    _of_this_thread: std::marker::PhantomData<*const ()>,
}

/// Suspends the guise. Without one, this does nothing.
pub fn own() -> Own {
    Own {
        #[cfg(target_os = "linux")]
        guise: linux::put_off(),
        _of_this_thread: std::marker::PhantomData,
    }
}

#[cfg(target_os = "linux")]
impl Drop for Own {
    fn drop(&mut self) {
        if let Some(guise) = self.guise {
            // It could be taken before. Continuing as root would be worse than a panic.
            assert!(linux::take(guise), "cannot switch back to user {}", guise.user);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    const NOBODY: Guise = Guise { user: 65_534, group: 65_534 };

    /// Whether this test can run; prints the reason if not.
    fn can_be_others() -> bool {
        let is_root = rustix::process::geteuid().is_root();
        if !is_root {
            eprintln!("skipped: only root can take other identities");
        }
        is_root
    }

    #[test]
    fn thread_identity_is_inherited_and_can_be_dropped() {
        if !can_be_others() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let (theirs, ours) = (folder.path().join("theirs"), folder.path().join("ours"));
        fs::create_dir(&theirs).unwrap();
        fs::create_dir(&ours).unwrap();
        fs::set_permissions(&ours, fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::chown(&theirs, Some(NOBODY.user), Some(NOBODY.group)).unwrap();
        let in_guise = {
            let (theirs, ours) = (theirs.clone(), ours.clone());
            std::thread::spawn(move || {
                assert!(is_root() && take(NOBODY) && !is_root());
                fs::write(theirs.join("a"), "").unwrap();
                fs::write(ours.join("refused"), "").unwrap_err();
                let (below, ours_too) = (theirs.join("b"), ours.clone());
                let started = std::thread::spawn(move || {
                    fs::write(below, "").unwrap();
                    let _own = own();
                    fs::write(ours_too.join("c"), "").unwrap();
                });
                started.join().unwrap();
                {
                    let _own = own();
                    assert!(is_root());
                    let _again = own();
                    fs::write(ours.join("d"), "").unwrap();
                }
                assert!(!is_root());
                fs::write(ours.join("refused"), "").unwrap_err();
            })
        };
        in_guise.join().unwrap();
        let user = |path: std::path::PathBuf| fs::metadata(path).unwrap().uid();
        assert_eq!([user(theirs.join("a")), user(theirs.join("b"))], [NOBODY.user; 2]);
        assert_eq!([user(ours.join("c")), user(ours.join("d"))], [0; 2]);
        assert!(is_root(), "other threads keep theirs");
    }

    #[test]
    fn the_bond_to_a_parent_outlasts_a_guise() {
        if !can_be_others() {
            return;
        }
        let bond = || rustix::process::parent_process_death_signal().unwrap();
        let signal = Some(rustix::process::Signal::KILL);
        std::thread::spawn(move || {
            rustix::process::set_parent_process_death_signal(signal).unwrap();
            assert!(take(NOBODY));
            assert_eq!(bond(), signal);
            drop(own());
            assert_eq!(bond(), signal);
        })
        .join()
        .unwrap();
    }

    #[test]
    #[should_panic(expected = "cannot switch back to user")]
    fn an_identity_that_cannot_be_taken_again_ends_the_thread() {
        let no_user = Guise { user: u32::MAX, group: NOBODY.group };
        // A separate thread: the attempt changes the groups of the thread that makes it.
        let thread = std::thread::spawn(move || {
            drop(Own { guise: Some(no_user), _of_this_thread: std::marker::PhantomData });
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
}
