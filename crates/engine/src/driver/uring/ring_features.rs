//! Chooses the io_uring features that a ring uses, and the fallbacks if the kernel refuses one.
//!
//! These features do not change the measurement; the upper rungs only use less processor time. The
//! lowest rung needs Linux 5.11 (waiting with a timeout, unlinking, renaming).

use std::fmt;
use std::io;

use io_uring::{IoUring, Probe, Submitter, opcode};

use super::BATCH;
use super::slots::{Slot, Slots};
use crate::buffer::AlignedBuffer;
use crate::driver::DriverError;

/// Size of the submission queue: a batch, and operations that the kernel returned because of a signal.
const ENTRIES: u32 = 4 * BATCH as u32;

/// The ways to set up a ring, best first, each with its name in reports and its features.
const RUNGS: [(&str, Features); 5] = [
    (
        "DEFER_TASKRUN, NO_SQARRAY (Linux 6.6)",
        Features { defer_taskrun: true, no_sqarray: true, coop_taskrun: false, single_issuer: true },
    ),
    (
        "DEFER_TASKRUN (Linux 6.1)",
        Features { defer_taskrun: true, no_sqarray: false, coop_taskrun: false, single_issuer: true },
    ),
    (
        "COOP_TASKRUN, SINGLE_ISSUER (Linux 6.0)",
        Features { defer_taskrun: false, no_sqarray: false, coop_taskrun: true, single_issuer: true },
    ),
    (
        "COOP_TASKRUN (Linux 5.19)",
        Features { defer_taskrun: false, no_sqarray: false, coop_taskrun: true, single_issuer: false },
    ),
    (
        "no optional features",
        Features { defer_taskrun: false, no_sqarray: false, coop_taskrun: false, single_issuer: false },
    ),
];

/// A buffer index without a registered buffer.
const LEFT_OUT: libc::iovec = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 };

/// Features for setting up a ring.
#[derive(Clone, Copy, Debug)]
struct Features {
    defer_taskrun: bool,
    no_sqarray: bool,
    coop_taskrun: bool,
    single_issuer: bool,
}

/// The features that a ring may use: all of them, except in tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ladder {
    pub(super) first_rung: usize,
    pub(super) registered_buffers: bool,
    pub(super) registered_files: bool,
    pub(super) registered_ring: bool,
}

/// The features that a ring actually uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) rung: usize,
    pub(super) registered_buffers: bool,
    pub(super) registered_files: bool,
    pub(super) registered_ring: bool,
    /// The number of operations that the kernel's own threads may perform at once; `None` for the
    /// kernel's default.
    pub(super) kernel_threads: Option<u32>,
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_not = |yes| if yes { "" } else { "not " };
        write!(
            f,
            "io_uring: {}; buffers {}registered; files {}registered; ring {}registered; {}",
            RUNGS[self.rung].0,
            or_not(self.registered_buffers),
            or_not(self.registered_files),
            or_not(self.registered_ring),
            match self.kernel_threads {
                Some(threads) => format!("up to {threads} kernel threads"),
                None => "default number of kernel threads".to_owned(),
            }
        )
    }
}

impl Ladder {
    /// All features of the kernel.
    pub(crate) const TOP: Ladder =
        Ladder { first_rung: 0, registered_buffers: true, registered_files: true, registered_ring: true };

    /// All features from this rung downwards.
    #[cfg(test)]
    pub(crate) const fn from_rung(first_rung: usize) -> Ladder {
        Ladder { first_rung, ..Ladder::TOP }
    }

    /// As few features as possible.
    #[cfg(test)]
    pub(crate) const BARE: Ladder = Ladder {
        first_rung: RUNGS.len() - 1,
        registered_buffers: false,
        registered_files: false,
        registered_ring: false,
    };

    /// Checks that a ring can be set up. The ring is closed immediately.
    pub(crate) fn probe() -> Result<(), DriverError> {
        let refused = |source| DriverError::UringSetup { source };
        let (ring, _) = set_up(0, 1).map_err(refused)?;
        check(&ring).map_err(refused)
    }

    /// Sets up a ring for these workers, on the thread that will use it.
    pub(super) fn setup<S>(self, slots: &mut Slots<S>) -> Result<(IoUring, Taken), DriverError> {
        let refused = |source| DriverError::UringSetup { source };
        let in_flight = u32::try_from(slots.slots.len()).unwrap_or(u32::MAX);
        let (ring, rung) = set_up(self.first_rung, in_flight).map_err(refused)?;
        check(&ring).map_err(refused)?;
        let registered_buffers = self.registered_buffers && register_buffers(&ring, slots);
        let registered_files = self.registered_files && make_file_table(&ring, slots);
        // By default the kernel performs only a few operations at a time. The others would wait in its
        // queue, which would count as slow storage.
        let mut limits = [in_flight.max(4), 0];
        let raised = ring.submitter().register_iowq_max_workers(&mut limits).is_ok();
        let taken = Taken {
            rung,
            registered_buffers,
            registered_files,
            registered_ring: self.registered_ring,
            kernel_threads: raised.then_some(in_flight.max(4)),
        };
        Ok((ring, taken))
    }
}

/// Sets up the first rung at or below `first` that the kernel accepts. A refusal other than "unknown
/// flag" (`EINVAL`) is final, because lower rungs would fail as well.
fn set_up(first: usize, slots: u32) -> io::Result<(IoUring, usize)> {
    let mut last = io::Error::from(io::ErrorKind::Unsupported);
    for (rung, (_, features)) in RUNGS.iter().enumerate().skip(first) {
        let mut builder = IoUring::builder();
        // Every completion must find room, while those reaped last still occupy theirs. The kernel
        // clamps a size that is too large.
        builder.setup_clamp().setup_cqsize(slots.saturating_mul(2).max(2 * ENTRIES));
        if features.defer_taskrun {
            builder.setup_defer_taskrun().setup_taskrun_flag();
        }
        if features.coop_taskrun {
            builder.setup_coop_taskrun().setup_taskrun_flag();
        }
        if features.single_issuer {
            builder.setup_single_issuer();
        }
        if features.no_sqarray {
            builder.setup_no_sqarray();
        }
        match builder.build(ENTRIES) {
            Ok(ring) => return Ok((ring, rung)),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// Checks that the kernel supports all operations of the driver.
fn check(ring: &IoUring) -> io::Result<()> {
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe)?;
    let needed = [
        opcode::OpenAt::CODE,
        opcode::OpenAt2::CODE,
        opcode::Close::CODE,
        opcode::Read::CODE,
        opcode::Write::CODE,
        opcode::Fsync::CODE,
        opcode::Statx::CODE,
        opcode::Fallocate::CODE,
        opcode::UnlinkAt::CODE,
        opcode::RenameAt::CODE,
        opcode::PollAdd::CODE,
    ];
    if needed.into_iter().all(|code| probe.is_supported(code)) && ring.params().is_feature_ext_arg() {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::Unsupported, "the kernel is older than 5.11"))
    }
}

/// Registers the slots' buffers with the kernel, in the order of their indexes. Returns whether the
/// kernel accepted them. It refuses if the user's limit of locked memory (RLIMIT_MEMLOCK) is used up.
///
/// A registered buffer occupies memory, so a buffer that may never be used is registered later: see
/// [`register_read`].
fn register_buffers<S>(ring: &IoUring, slots: &mut Slots<S>) -> bool {
    let Some(buffers) = buffers_of(slots) else { return false };
    // SAFETY: slots keep their buffers for as long as the ring may use them: they are freed only when
    // nothing is in flight, and leaked otherwise.
    let registered = unsafe { ring.submitter().register_buffers(&buffers) }.is_ok();
    for slot in slots.slots.iter_mut().filter(|slot| slot.data.is_none()) {
        slot.is_read_registered = Some(registered);
    }
    registered
}

/// The buffers by their indexes; `None` if there are more buffers than indexes.
fn buffers_of<S>(slots: &Slots<S>) -> Option<Vec<libc::iovec>> {
    let mut buffers: Vec<libc::iovec> = Vec::with_capacity(2 * slots.slots.len());
    for slot in slots.slots.iter() {
        let index = u16::try_from(buffers.len()).ok()?;
        assert_eq!(slot.read_index, index, "a slot's buffer is registered where its reads look for it");
        match &slot.data {
            Some(data) => buffers.extend([LEFT_OUT, vector(data.pool())]),
            None => buffers.push(vector(&slot.read)),
        }
    }
    (buffers.len() <= usize::from(u16::MAX)).then_some(buffers)
}

/// Registers a slot's read buffer with the kernel, if that was postponed. The kernel may refuse; Linux
/// before 5.13 does.
pub(super) fn register_read(submitter: &Submitter<'_>, slot: &mut Slot) {
    let buffers = [vector(&slot.read)];
    // SAFETY: as in `register_buffers`.
    let registered = unsafe { submitter.register_buffers_update(slot.read_index.into(), &buffers, None) };
    slot.is_read_registered = Some(registered.is_ok());
}

/// Creates an empty table for the files of all handles. Returns whether the kernel accepted it. Linux
/// before 5.19 refuses, and any kernel does if there are more handles than a process may open files
/// (RLIMIT_NOFILE).
fn make_file_table<S>(ring: &IoUring, slots: &mut Slots<S>) -> bool {
    let Ok(handles) = u32::try_from(slots.files.len()) else {
        return false;
    };
    let made = ring.submitter().register_files_sparse(handles).is_ok();
    if made {
        slots.files.use_table();
    }
    made
}

fn vector(buffer: &AlignedBuffer) -> libc::iovec {
    libc::iovec { iov_base: buffer.as_ptr().cast_mut().cast(), iov_len: buffer.len() }
}

#[cfg(test)]
mod tests {
    use super::super::slots::tests::two_workers;
    use super::*;

    #[test]
    fn a_slot_that_writes_has_two_buffers() {
        assert_eq!(buffers_of(&two_workers(true)).map(|buffers| buffers.len()), Some(8));
        assert_eq!(buffers_of(&two_workers(false)).map(|buffers| buffers.len()), Some(4));
    }

    #[test]
    #[should_panic(expected = "a slot's buffer is registered where its reads look for it")]
    fn an_index_of_another_slot_is_a_defect() {
        let mut slots = two_workers(false);
        slots.slots[2].read_index = 1;
        buffers_of(&slots);
    }
}
