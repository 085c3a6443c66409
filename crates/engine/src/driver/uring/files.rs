//! The files that a ring's workers hold open.
//!
//! A file is an ordinary descriptor. After some use it is also entered in the ring's own table. This
//! saves the kernel from looking it up and counting its users each time: a few percent of a read from
//! memory, and not worth the two extra system calls for a file that is soon closed. Before its close it
//! is removed from the table, so that the close releases the file as in an application. (Opening into
//! the table directly would be simpler, but closing from it skips the file system's flush, in which NFS,
//! SMB and FUSE write back and report late errors.)
//!
//! A file is lent to an offloaded operation by its descriptor number. Until the operation has finished,
//! the file is not closed, because its number could be reused for another file. (A duplicate would be
//! safe too, but closing it would flush the file.)

use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};

use io_uring::Submitter;
use io_uring::squeue::Flags;
use io_uring::types::Fd;

/// After this many operations a file is assumed to stay open.
const SETTLED_AFTER: u32 = if cfg!(test) { 4 } else { 64 };
/// The value that removes an entry from the ring's table.
const NOTHING: RawFd = -1;

/// All handles of all workers of a ring.
pub(super) struct OpenHandles {
    handles: Vec<Option<Handle>>,
    /// Whether the ring has a table, with an entry for each handle.
    has_table: bool,
    /// Handles that have just reached the number of uses for the table.
    settling: Vec<u32>,
}

struct Handle {
    fd: OwnedFd,
    uses: u32,
    in_table: bool,
    /// The number of offloaded operations that use it.
    lent: u32,
    /// Whether its close is in the batch.
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

    /// The number of handles.
    pub(super) fn len(&self) -> usize {
        self.handles.len()
    }

    /// Records that the ring has a table for all handles.
    pub(super) fn use_table(&mut self) {
        self.has_table = true;
    }

    /// Whether this handle has a file, so that it cannot be opened.
    #[inline]
    pub(super) fn is_taken(&self, handle: usize) -> bool {
        self.handles[handle].is_some()
    }

    /// Whether this handle has a file that is not about to be closed.
    #[inline]
    pub(super) fn is_open(&self, handle: usize) -> bool {
        self.handles[handle].as_ref().is_some_and(|file| !file.is_closing)
    }

    /// Records that this handle's file is about to be closed.
    pub(super) fn closing(&mut self, handle: usize) {
        if let Some(file) = &mut self.handles[handle] {
            file.is_closing = true;
        }
    }

    /// Records that an offloaded operation will use this handle's file.
    pub(super) fn lend(&mut self, handle: usize) {
        if let Some(file) = &mut self.handles[handle] {
            file.lent += 1;
        }
    }

    /// Records that an offloaded operation that used this handle's file is over or was discarded.
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

    /// The descriptor number of a lent file.
    pub(super) fn lent(&self, handle: usize) -> Option<RawFd> {
        self.handles[handle].as_ref().filter(|file| file.lent > 0).map(|file| file.fd.as_raw_fd())
    }

    /// Stores the file that this handle opened.
    pub(super) fn opened(&mut self, handle: usize, fd: OwnedFd) {
        self.handles[handle] = Some(Handle { fd, uses: 0, in_table: false, lent: 0, is_closing: false });
    }

    /// The descriptor number or table index of this handle's file for a submission queue entry, with the
    /// flag for the table.
    #[inline]
    pub(super) fn target(&self, handle: usize) -> (Fd, Flags) {
        match &self.handles[handle] {
            Some(Handle { in_table: true, .. }) => (Fd(handle as i32), Flags::FIXED_FILE),
            Some(Handle { fd, .. }) => (Fd(fd.as_raw_fd()), Flags::empty()),
            None => (Fd(NOTHING), Flags::empty()),
        }
    }

    /// Counts a use of this handle.
    #[inline]
    pub(super) fn used(&mut self, handle: usize) {
        let Some(file) = &mut self.handles[handle] else {
            return;
        };
        // Only the first uses matter.
        file.uses = file.uses.saturating_add(1);
        if file.uses == SETTLED_AFTER && self.has_table {
            self.settling.push(handle as u32);
        }
    }

    /// Enters frequently used files in the table. If the kernel refuses, operations only take slightly
    /// longer.
    #[inline]
    pub(super) fn settle(&mut self, submitter: &Submitter<'_>) {
        while let Some(handle) = self.settling.pop() {
            if let Some(file) = &mut self.handles[handle as usize] {
                let fds = [file.fd.as_raw_fd()];
                file.in_table = submitter.register_files_update(handle, &fds).is_ok();
            }
        }
    }

    /// Removes a handle's file from the table and returns it to be closed.
    pub(super) fn give_up(&mut self, handle: usize, submitter: &Submitter<'_>) -> Option<OwnedFd> {
        let file = self.handles[handle].take()?;
        if file.in_table {
            // Cannot fail for an existing entry. If it did, the file would be closed with the ring.
            let _ = submitter.register_files_update(handle as u32, &[NOTHING]);
        }
        Some(file.fd)
    }

    /// Closes all open files. Nothing is in flight, except if the ring has failed; then lent files stay
    /// open forever.
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
    fn file_released_twice_is_a_defect() {
        let mut handles = OpenHandles::new(1);
        handles.opened(0, tempfile::tempfile().unwrap().into());
        handles.lend(0);
        handles.given_back(0);
        handles.given_back(0);
    }
}
