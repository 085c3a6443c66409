//! Memory for I/O: aligned so that direct I/O accepts it, and zeroed.
//!
//! Not here: what is in it (see [`crate::pattern`]).

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use crate::driver::DriverError;

/// What every buffer starts at a multiple of, in bytes: enough for direct I/O on any storage whose
/// logical block is at most 4 KiB.
pub const ALIGNMENT: usize = 4096;

/// A piece of zeroed memory that starts at a multiple of [`ALIGNMENT`] and never moves.
#[derive(Debug)]
pub struct AlignedBuffer {
    start: NonNull<u8>,
    len: usize,
    layout: Layout,
}

// SAFETY: the buffer owns its memory alone; nothing about it is bound to the thread that made it.
unsafe impl Send for AlignedBuffer {}
// SAFETY: shared references only give out shared slices.
unsafe impl Sync for AlignedBuffer {}

impl AlignedBuffer {
    /// `len` zero bytes. The memory behind it is rounded up to whole pages.
    ///
    /// # Errors
    /// [`DriverError::Buffers`] when the memory cannot be had.
    pub fn new(len: usize) -> Result<AlignedBuffer, DriverError> {
        let refused = DriverError::Buffers { bytes: len as u64 };
        let Some(rounded) = len.max(1).checked_next_multiple_of(ALIGNMENT) else {
            return Err(refused);
        };
        let Ok(layout) = Layout::from_size_align(rounded, ALIGNMENT) else {
            return Err(refused);
        };
        // SAFETY: the layout's size is at least one page, never zero.
        let memory = unsafe { alloc_zeroed(layout) };
        match NonNull::new(memory) {
            Some(start) => Ok(AlignedBuffer { start, len, layout }),
            None => Err(refused),
        }
    }

    /// Bytes in it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where it starts.
    pub fn as_ptr(&self) -> *const u8 {
        self.start.as_ptr()
    }

    /// Where it starts, to be written through.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// All of it.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `start` points to `len` initialised (zeroed) bytes that live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// All of it, to be changed.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_slice`, and `&mut self` makes this the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for AlignedBuffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this very layout, and freed only here.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn buffers_are_aligned_zeroed_and_writable() {
        for len in [0, 1, 511, 4096, 4097, 1 << 20] {
            let mut buffer = AlignedBuffer::new(len).unwrap();
            assert_eq!(buffer.len(), len);
            assert_eq!(buffer.as_ptr() as usize % ALIGNMENT, 0);
            assert!(buffer.as_slice().iter().all(|&byte| byte == 0));
            buffer.as_mut_slice().fill(7);
            assert!(buffer.as_slice().iter().all(|&byte| byte == 7));
        }
    }

    #[test]
    fn absurd_sizes_are_an_error() {
        for len in [usize::MAX, isize::MAX as usize] {
            let error = AlignedBuffer::new(len).unwrap_err();
            assert!(error.to_string().contains(&len.to_string()));
        }
    }
}
