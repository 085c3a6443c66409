//! The file system identity of a thread: `setfsuid(2)`, `setfsgid(2)`, and its supplementary groups.
//!
//! The kernel removes the capabilities that override permissions (`CAP_DAC_OVERRIDE` and similar ones)
//! from a thread whose file system user is no longer root, and restores them when it is root again.

use rustix::fs::{Gid, Uid};
use rustix::process::{getegid, geteuid, parent_process_death_signal, set_parent_process_death_signal};

use super::Guise;

/// Invalid as a user and group number: the call changes nothing and returns the current value.
const ASK: u32 = u32::MAX;

pub(super) fn is_root() -> bool {
    user() == 0
}

/// Opens files as this user from now on. Returns false if the system does not permit it.
pub(super) fn take(guise: Guise) -> bool {
    keeping_the_bond(|| {
        // The user last: only root may change the rest.
        let group = Gid::from_raw(guise.group);
        rustix::thread::set_thread_groups(&[group]).is_ok() && set(guise) && now() == guise
    })
}

/// Takes the identity of the process. Returns the previous one; `None` if it is the same.
pub(super) fn put_off() -> Option<Guise> {
    let before = now();
    let own = Guise { user: geteuid().as_raw(), group: getegid().as_raw() };
    (before != own).then(|| {
        keeping_the_bond(|| set(own));
        before
    })
}

/// The kernel clears the parent-death signal at every change of identity.
fn keeping_the_bond<T>(change: impl FnOnce() -> T) -> T {
    let bond = parent_process_death_signal().ok().flatten();
    let changed = change();
    if bond.is_some() {
        // It could be set before. Without it, a killed parent only leaves the load running to its end.
        let _ = set_parent_process_death_signal(bond);
    }
    changed
}

fn now() -> Guise {
    // SAFETY: the call takes a number and changes nothing if it is no valid group.
    let group = unsafe { libc::setfsgid(ASK) };
    Guise { user: user(), group: group.cast_unsigned() }
}

pub(super) fn user() -> u32 {
    // SAFETY: as above.
    unsafe { libc::setfsuid(ASK) }.cast_unsigned()
}

/// Sets the identity. Returns whether the numbers are valid. Only [`now`] shows whether they were
/// accepted.
fn set(guise: Guise) -> bool {
    let (user, group) = (Uid::from_raw(guise.user), Gid::from_raw(guise.group));
    // SAFETY: the calls take numbers and access no memory. glibc and musl apply them to this thread
    // alone.
    unsafe {
        libc::setfsgid(group.as_raw());
        libc::setfsuid(user.as_raw());
    }
    guise.user != ASK && guise.group != ASK
}
