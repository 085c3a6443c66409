//! The FIEMAP call of Linux (`linux/fiemap.h`), for a batch of extents at a time.

use std::fs::File;
use std::io;

use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl, opcode};

use super::RawExtent;

/// Extents per call.
const BATCH: usize = 512;

/// Write back first, so that all data has an allocated position.
const FLAG_SYNC: u32 = 1;

const EXTENT_LAST: u32 = 0x0001;
const EXTENT_UNKNOWN: u32 = 0x0002;
const EXTENT_DELALLOC: u32 = 0x0004;
const EXTENT_ENCODED: u32 = 0x0008;
const EXTENT_UNWRITTEN: u32 = 0x0800;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct FiemapExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved_64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// `struct fiemap` without the array at its end. The number of the call depends on its size.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct FiemapHead {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
}

/// `struct fiemap` with space for a batch.
#[repr(C)]
struct Fiemap {
    head: FiemapHead,
    extents: [FiemapExtent; BATCH],
}

struct FiemapCall<'a>(&'a mut Fiemap);

// SAFETY: FS_IOC_FIEMAP takes a `struct fiemap`, whose layout `Fiemap` has. It writes at most
// `extent_count` extents into it, and `query_fiemap` sets that to the length of the array. The pointer is
// to a live, exclusively borrowed value. The call returns 0 and has no other output.
unsafe impl Ioctl for FiemapCall<'_> {
    type Output = ();

    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        opcode::read_write::<FiemapHead>(b'f', 11)
    }

    fn as_ptr(&mut self) -> *mut rustix::ffi::c_void {
        std::ptr::from_mut(self.0).cast()
    }

    unsafe fn output_from_ptr(_: IoctlOutput, _: *mut rustix::ffi::c_void) -> rustix::io::Result<()> {
        Ok(())
    }
}

/// Passes all extents of a file to `each`, in the order of the file.
pub(super) fn each_extent(file: &File, mut each: impl FnMut(RawExtent)) -> io::Result<()> {
    let mut map = Box::new(Fiemap { head: FiemapHead::default(), extents: [FiemapExtent::default(); BATCH] });
    let mut start = 0;
    loop {
        query_fiemap(file, start, &mut map)?;
        let mapped = &map.extents[..(map.head.mapped_extents as usize).min(BATCH)];
        for extent in mapped {
            each(RawExtent {
                logical: extent.logical,
                physical: extent.physical,
                length: extent.length,
                placeless: extent.flags & (EXTENT_DELALLOC | EXTENT_UNKNOWN) != 0,
                encoded: extent.flags & EXTENT_ENCODED != 0,
                unwritten: extent.flags & EXTENT_UNWRITTEN != 0,
            });
        }
        let Some(last) = mapped.last() else { return Ok(()) };
        // Values from the kernel are untrusted: the sum must not overflow.
        let next = last.logical.saturating_add(last.length);
        // A file system that does not advance would be queried forever.
        if last.flags & EXTENT_LAST != 0 || next <= start {
            return Ok(());
        }
        start = next;
    }
}

fn query_fiemap(file: &File, start: u64, map: &mut Fiemap) -> io::Result<()> {
    map.head = FiemapHead {
        start,
        length: u64::MAX - start,
        flags: FLAG_SYNC,
        extent_count: BATCH as u32,
        ..FiemapHead::default()
    };
    // SAFETY: the descriptor is open for the whole call, and `FiemapCall` has the layout that the call
    // expects (see there).
    Ok(unsafe { ioctl(file, FiemapCall(map)) }?)
}
