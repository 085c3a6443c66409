//! Memory for I/O: zeroed, and aligned so that direct I/O accepts it.
//!
//! Not here: the content (see [`crate::pattern`]).

use std::alloc::Layout;
use std::ptr::NonNull;

use crate::driver_error::DriverError;

/// Alignment of every buffer in bytes: sufficient for direct I/O on any storage whose logical block is
/// at most 4 KiB.
pub const ALIGNMENT: usize = 4096;

/// A piece of zeroed memory that starts at a multiple of [`ALIGNMENT`] and never moves.
#[derive(Debug)]
pub struct AlignedBuffer {
    start: NonNull<u8>,
    len: usize,
    layout: Layout,
    is_touched: bool,
}

// SAFETY: the buffer is the only owner of its memory, and does not depend on the thread that created it.
unsafe impl Send for AlignedBuffer {}
// SAFETY: shared references only provide shared slices.
unsafe impl Sync for AlignedBuffer {}

impl AlignedBuffer {
    /// Allocates `len` zero bytes. The memory is rounded up to whole pages, which are resident.
    ///
    /// # Errors
    /// [`DriverError::Buffers`] if the memory cannot be allocated.
    pub fn new(len: usize) -> Result<AlignedBuffer, DriverError> {
        let mut buffer = AlignedBuffer::untouched(len)?;
        buffer.touch();
        Ok(buffer)
    }

    /// Like [`AlignedBuffer::new`], but where possible the system provides the pages only at their first
    /// use.
    ///
    /// # Errors
    /// As [`AlignedBuffer::new`], as far as the system reports it.
    pub fn untouched(len: usize) -> Result<AlignedBuffer, DriverError> {
        let refused = DriverError::Buffers { bytes: len as u64 };
        let Some(rounded) = len.max(1).checked_next_multiple_of(ALIGNMENT) else {
            return Err(refused);
        };
        let Ok(layout) = Layout::from_size_align(rounded, ALIGNMENT) else {
            return Err(refused);
        };
        match memory::take(layout) {
            Some(start) => {
                assert_aligned(start);
                Ok(AlignedBuffer { start, len, layout, is_touched: false })
            }
            None => Err(refused),
        }
    }

    /// Makes all pages resident, so that their first use is not slower. Keeps the content.
    pub fn touch(&mut self) {
        if std::mem::replace(&mut self.is_touched, true) {
            return;
        }
        for page in self.as_mut_slice().chunks_mut(ALIGNMENT) {
            // SAFETY: `page` is a valid reference to at least one byte. The write is volatile, because a
            // compiler may omit a write that does not change the value.
            unsafe { std::ptr::write_volatile(page.as_mut_ptr(), page[0]) };
        }
    }

    /// Its size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A pointer to its first byte.
    pub fn as_ptr(&self) -> *const u8 {
        self.start.as_ptr()
    }

    /// A mutable pointer to its first byte.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The whole content.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `start` points to `len` initialised (zeroed) bytes that live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The whole content, mutable.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_slice`, and `&mut self` makes this the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

/// Direct I/O with other memory is refused, or uses a cache.
fn assert_aligned(start: NonNull<u8>) {
    assert_eq!(start.as_ptr() as usize % ALIGNMENT, 0, "direct I/O buffers are page-aligned");
}

impl Drop for AlignedBuffer {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated in `untouched` with the same layout, and is freed only here.
        unsafe { memory::give_back(self.start, self.layout) }
    }
}

#[cfg(unix)]
mod memory {
    //! Pages directly from the system: zeroed, aligned, and resident from their first use.

    use std::alloc::Layout;
    use std::ptr::{NonNull, null_mut};

    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

    /// Zeroed memory of this size.
    pub(super) fn take(layout: Layout) -> Option<NonNull<u8>> {
        // Every page of the system has at least this alignment.
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
        // SAFETY: a new mapping at an address that the system chooses touches no memory in use.
        let start = unsafe { mmap_anonymous(null_mut(), layout.size(), protection, flags) };
        start.ok().and_then(|start| NonNull::new(start.cast()))
    }

    /// # Safety
    /// Frees the memory of [`take`] with this layout, which must no longer be in use.
    pub(super) unsafe fn give_back(start: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller guarantees it. The call cannot fail for a whole mapping.
        let _ = unsafe { munmap(start.as_ptr().cast(), layout.size()) };
    }
}

#[cfg(not(unix))]
mod memory {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    /// Zeroed memory of this size.
    pub(super) fn take(layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: the layout's size is at least one page, never zero.
        NonNull::new(unsafe { alloc_zeroed(layout) })
    }

    /// # Safety
    /// Frees the memory of [`take`] with this layout, which must no longer be in use.
    pub(super) unsafe fn give_back(start: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller guarantees it.
        unsafe { dealloc(start.as_ptr(), layout) }
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
    #[should_panic(expected = "direct I/O buffers are page-aligned")]
    fn misaligned_memory_is_a_defect() {
        assert_aligned(NonNull::<u64>::dangling().cast());
    }

    #[test]
    fn touching_changes_nothing() {
        let mut buffer = AlignedBuffer::untouched(3 * ALIGNMENT).unwrap();
        buffer.as_mut_slice()[ALIGNMENT] = 5;
        buffer.touch();
        assert_eq!(buffer.as_slice().iter().map(|&byte| usize::from(byte)).sum::<usize>(), 5);
        assert_eq!(buffer.as_slice()[ALIGNMENT], 5);
    }

    /// The number of the buffer's pages that are in memory.
    #[cfg(target_os = "linux")]
    fn resident_pages(buffer: &AlignedBuffer) -> usize {
        let mut pages = vec![0u8; buffer.len().div_ceil(ALIGNMENT)];
        let start = buffer.as_ptr().cast_mut().cast();
        // SAFETY: the call queries mapped memory, and fills one byte for each of its pages.
        assert_eq!(unsafe { libc::mincore(start, buffer.len(), pages.as_mut_ptr()) }, 0);
        pages.iter().filter(|&&page| page & 1 == 1).count()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_is_taken_when_it_is_touched() {
        let mut buffer = AlignedBuffer::untouched(64 * ALIGNMENT).unwrap();
        assert_eq!(resident_pages(&buffer), 0);
        buffer.touch();
        assert_eq!(resident_pages(&buffer), 64);
        assert_eq!(resident_pages(&AlignedBuffer::new(64 * ALIGNMENT).unwrap()), 64);
    }

    #[test]
    fn absurd_sizes_are_an_error() {
        for len in [usize::MAX, isize::MAX as usize] {
            let error = AlignedBuffer::new(len).unwrap_err();
            assert!(error.to_string().contains(&len.to_string()));
        }
    }
}
