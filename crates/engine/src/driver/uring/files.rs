//! The files that a ring's workers hold open.
//!
//! A file is an ordinary descriptor. When it has been used a while it is entered in the ring's own table as
//! well, which spares the kernel looking it up and counting its users each time: a few percent of a read
//! from memory, and not worth the two extra system calls for a file that is soon closed. Before its close
//! it is taken out of the table again, so that the close is the last of it and does what it does for an
//! application. (Opening into the table directly would be simpler, but closing from it skips the file
//! system's flush, which is where NFS, SMB and FUSE write back and report late errors.)
//!
//! A file is lent to an offloaded operation by its number. Until that is back it is not closed, because its
//! number may soon be another file's. (A duplicate would be safe too, but closing that one would flush the
//! file.)

use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};

use io_uring::Submitter;
use io_uring::squeue::Flags;
use io_uring::types::Fd;

/// After so many operations a file counts as one that stays open.
const SETTLED_AFTER: u32 = if cfg!(test) { 4 } else { 64 };
/// What takes an entry out of the ring's table.
const NOTHING: RawFd = -1;

/// All handles of all workers of a ring.
pub(super) struct OpenHandles {
    handles: Vec<Option<Handle>>,
    /// Whether the ring has a table, with a place for each handle.
    has_table: bool,
    /// Handles that have just been used often enough.
    settling: Vec<u32>,
}

struct Handle {
    fd: OwnedFd,
    uses: u32,
    in_table: bool,
    /// How many offloaded operations it is lent to.
    lent: u32,
    /// Whether its close has been enlisted.
    is_closing: bool,
}

impl OpenHandles {
    pub(super) fn new(handles: usize) -> OpenHandles {
        OpenHandles {
            handles: (0..handles).map(|_| None).collect(),
            has_table: false,
            settling: Vec::with_capacity(handles),
        }
    }

    /// How many there may be.
    pub(super) fn len(&self) -> usize {
        self.handles.len()
    }

    /// The ring has a table for all handles.
    pub(super) fn use_table(&mut self) {
        self.has_table = true;
    }

    /// Whether this handle can't be opened: it has a file.
    #[inline]
    pub(super) fn is_taken(&self, handle: usize) -> bool {
        self.handles[handle].is_some()
    }

    /// Whether this handle has a file that is not about to be closed.
    #[inline]
    pub(super) fn is_open(&self, handle: usize) -> bool {
        self.handles[handle].as_ref().is_some_and(|file| !file.is_closing)
    }

    /// This handle's file is about to be given up.
    pub(super) fn closing(&mut self, handle: usize) {
        if let Some(file) = &mut self.handles[handle] {
            file.is_closing = true;
        }
    }

    /// This handle's file will be used by an offloaded operation.
    pub(super) fn lend(&mut self, handle: usize) {
        if let Some(file) = &mut self.handles[handle] {
            file.lent += 1;
        }
    }

    /// An offloaded operation that used this handle's file is over, or is not begun after all.
    pub(super) fn given_back(&mut self, handle: usize) {
        if let Some(file) = &mut self.handles[handle] {
            assert!(file.lent > 0, "a file that an operation releases was lent to it");
            file.lent -= 1;
        }
    }

    /// Whether this handle's file must not be closed yet.
    pub(super) fn is_lent(&self, handle: usize) -> bool {
        self.handles[handle].as_ref().is_some_and(|file| file.lent > 0)
    }

    /// The number of a file that is lent.
    pub(super) fn lent(&self, handle: usize) -> Option<RawFd> {
        self.handles[handle].as_ref().filter(|file| file.lent > 0).map(|file| file.fd.as_raw_fd())
    }

    /// This handle now has this file.
    pub(super) fn opened(&mut self, handle: usize, fd: OwnedFd) {
        self.handles[handle] = Some(Handle { fd, uses: 0, in_table: false, lent: 0, is_closing: false });
    }

    /// How a submission queue entry names this handle's file: a number, and whether it is the table's.
    #[inline]
    pub(super) fn target(&self, handle: usize) -> (Fd, Flags) {
        match &self.handles[handle] {
            Some(Handle { in_table: true, .. }) => (Fd(handle as i32), Flags::FIXED_FILE),
            Some(Handle { fd, .. }) => (Fd(fd.as_raw_fd()), Flags::empty()),
            None => (Fd(NOTHING), Flags::empty()),
        }
    }

    /// Counts another use of this handle.
    #[inline]
    pub(super) fn used(&mut self, handle: usize) {
        let Some(file) = &mut self.handles[handle] else {
            return;
        };
        // Only its first uses count.
        file.uses = file.uses.saturating_add(1);
        if file.uses == SETTLED_AFTER && self.has_table {
            self.settling.push(handle as u32);
        }
    }

    /// Enters in the table what has been used often enough. A refusal costs nothing but time.
    #[inline]
    pub(super) fn settle(&mut self, submitter: &Submitter<'_>) {
        while let Some(handle) = self.settling.pop() {
            if let Some(file) = &mut self.handles[handle as usize] {
                let fds = [file.fd.as_raw_fd()];
                file.in_table = submitter.register_files_update(handle, &fds).is_ok();
            }
        }
    }

    /// Gives up a handle's file to be closed, taken out of the table.
    pub(super) fn give_up(&mut self, handle: usize, submitter: &Submitter<'_>) -> Option<OwnedFd> {
        let file = self.handles[handle].take()?;
        if file.in_table {
            // Can't fail for an entry that is there; if it did, the file would be closed with the ring.
            let _ = submitter.register_files_update(handle as u32, &[NOTHING]);
        }
        Some(file.fd)
    }

    /// Closes all that is open. Nothing is in flight, except when the ring has broken off; then what is lent
    /// stays open for good.
    pub(super) fn close_all(&mut self, submitter: &Submitter<'_>) {
        for handle in 0..self.handles.len() {
            let is_lent = self.is_lent(handle);
            match self.give_up(handle, submitter) {
                Some(file) if is_lent => drop(file.into_raw_fd()),
                file => drop(file),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    #[should_panic(expected = "a file that an operation releases was lent to it")]
    fn a_file_given_back_twice_is_a_defect() {
        let mut handles = OpenHandles::new(1);
        handles.opened(0, tempfile::tempfile().unwrap().into());
        handles.lend(0);
        handles.given_back(0);
        handles.given_back(0);
    }
}
