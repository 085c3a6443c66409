//! Loops that only do the I/O: the cost of an operation without any measurement.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

use anyhow::Context;
use io_uring::{IoUring, opcode, squeue, types};
use reelgauge_engine::buffer::AlignedBuffer;

use crate::ours::Places;

const DEPTH: usize = 32;
const BATCH: usize = 16;

/// 4 KiB reads, one after another.
pub fn preadv2_loop(file: &Path, operations: u64) -> anyhow::Result<()> {
    preadv2_of(file, operations, 4096)
}

/// 1 MiB reads, one after another.
pub fn preadv2_large(file: &Path, operations: u64) -> anyhow::Result<()> {
    preadv2_of(file, operations, 1 << 20)
}

fn preadv2_of(path: &Path, operations: u64, len: usize) -> anyhow::Result<()> {
    let file = File::open(path)?;
    let mut buffer = AlignedBuffer::new(len)?;
    let mut places = Places::new(0, file.metadata()?.len(), len as u64);
    let vector = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: len };
    for _ in 0..operations {
        // SAFETY: the vector names the buffer, which outlives the call and has no other user.
        let read =
            unsafe { libc::preadv2(file.as_raw_fd(), &vector, 1, places.next_offset() as libc::off_t, 0) };
        anyhow::ensure!(read == len as isize, "short read: {read}");
    }
    Ok(())
}

/// 32 reads of 4 KiB in flight, 16 submitted at a time, registered buffers and file.
pub fn uring_loop(file: &Path, operations: u64) -> anyhow::Result<()> {
    uring_of(file, operations, true)
}

/// The same on an ordinary descriptor.
pub fn uring_loop_plain_file(file: &Path, operations: u64) -> anyhow::Result<()> {
    uring_of(file, operations, false)
}

fn uring_of(path: &Path, operations: u64, fixed_file: bool) -> anyhow::Result<()> {
    let file = File::open(path)?;
    let mut places = Places::new(0, file.metadata()?.len(), 4096);
    let mut buffers: Vec<AlignedBuffer> =
        (0..DEPTH).map(|_| AlignedBuffer::new(4096)).collect::<Result<_, _>>()?;
    let mut ring: IoUring = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_no_sqarray()
        .build(DEPTH as u32)
        .context("io_uring")?;
    let vectors: Vec<libc::iovec> = buffers
        .iter_mut()
        .map(|buffer| libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: 4096 })
        .collect();
    // SAFETY: the buffers outlive the ring's last operation: the loop below reaps all it submits.
    unsafe { ring.submitter().register_buffers(&vectors)? };
    ring.submitter().register_files(&[file.as_raw_fd()])?;
    let (mut submitter, mut sq, mut cq) = ring.split();
    submitter.register_ring_fd()?;

    let mut free: Vec<usize> = (0..DEPTH).collect();
    let (mut submitted, mut done) = (0, 0);
    while done < operations {
        let mut batch = 0;
        while batch < BATCH && submitted < operations {
            let Some(slot) = free.pop() else { break };
            let offset = places.next_offset();
            let fd = types::Fd(if fixed_file { 0 } else { file.as_raw_fd() });
            let flags = if fixed_file { squeue::Flags::FIXED_FILE } else { squeue::Flags::empty() };
            let read = opcode::ReadFixed::new(fd, buffers[slot].as_mut_ptr(), 4096, slot as u16);
            let entry = read.offset(offset).build().flags(flags).user_data(slot as u64);
            // SAFETY: as above; a slot is used again only after its completion.
            unsafe { sq.push(&entry)? };
            batch += 1;
            submitted += 1;
        }
        sq.sync();
        submitter.submit_and_wait(1)?;
        cq.sync();
        for completion in cq.by_ref() {
            anyhow::ensure!(completion.result() == 4096, "short read: {}", completion.result());
            free.push(completion.user_data() as usize);
            done += 1;
        }
    }
    Ok(())
}
