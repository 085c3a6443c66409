//! Operations that io_uring does not support, at least before Linux 5.15: checking access, listing and
//! creating a directory, setting a file's times or size, creating and reading links. Operations of
//! several steps run here, too: the first operation by path in a directory, which must be opened first;
//! every open if the kernel cannot restrict it to the area; emptying a file that an open found not
//! empty; and removing or renaming if the run made hard links. Helper threads perform them while the
//! ring continues.
//!
//! There are as many helpers as the maximum of offloaded operations in flight so far, so that none waits
//! for another. A ring without offloaded operations has none. A helper reads the clock right before and
//! right after its system calls, so its wake-up counts as lateness, not as service time. Afterwards it
//! signals an eventfd ("the bell") that the ring polls: to the ring that is a completion like any other.
//!
//! A thread is started before the clock of its first offloaded operation is read, since starting it
//! takes about ten microseconds.

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use io_uring::opcode;
use io_uring::squeue::Entry;
use io_uring::types::Fd;
use reelgauge_record::OpKind;
use reelgauge_workload::script::Op;
use rustix::event::EventfdFlags;

use super::super::launch::{STACK_BYTES, ThreadContext};
use super::super::worker_threads::LastWord;
use super::super::{Context, DriverError};
use crate::io::{self, ErrorNumber, IMPOSSIBLE, NOT_OPEN, Names, OpenFile};

/// Whether an operation of this kind is always offloaded.
pub(super) const fn is_offloaded(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Access
            | OpKind::ReadDir
            | OpKind::MakeDir
            | OpKind::SetAttr
            | OpKind::Truncate
            | OpKind::Link
            | OpKind::SymLink
            | OpKind::ReadLink
    )
}

/// The helpers of a ring.
pub(super) struct Offload {
    helpers: Vec<Sender<Offloaded>>,
    /// The idle helpers.
    idle: Vec<u32>,
    report: Sender<Option<Returned>>,
    /// `None` is a helper's last message before it dies.
    returned: Receiver<Option<Returned>>,
    bell: Arc<OwnedFd>,
    /// Whether the ring polls the bell.
    is_listening: bool,
}

/// An operation for a helper.
struct Offloaded {
    slot: u32,
    op: Op,
    /// The open file that it uses, if it does not go by path.
    file: Option<BorrowedFd<'static>>,
}

/// The result of a helper's operation.
pub(super) struct Returned {
    pub(super) slot: u32,
    pub(super) issued_ns: u64,
    pub(super) done_ns: u64,
    /// 0, or a negative error number.
    pub(super) result: i32,
    /// The file that it opened.
    pub(super) opened: Option<OwnedFd>,
    helper: u32,
}

impl Offload {
    /// The user data of the bell's completion; not a valid slot number.
    pub(super) const BELL: u64 = u64::MAX;

    pub(super) fn new() -> Result<Offload, DriverError> {
        let bell = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| DriverError::Thread { source: error.into() })?;
        let (report, returned) = mpsc::channel();
        Ok(Offload {
            helpers: Vec::new(),
            idle: Vec::new(),
            report,
            returned,
            bell: Arc::new(bell),
            is_listening: false,
        })
    }

    /// Ensures that this many helpers are idle.
    pub(super) fn muster(&mut self, post: &ThreadContext, idle: usize) -> Result<(), DriverError> {
        while self.idle.len() < idle {
            let number = self.helpers.len() as u32;
            let (offloaded, offload) = mpsc::channel();
            let helper = Helper {
                number,
                context: Arc::clone(&post.context),
                names: Arc::clone(&post.names),
                bell: Arc::clone(&self.bell),
            };
            let report = self.report.clone();
            thread::Builder::new()
                .name(format!("ring {}.{number}", post.number))
                .stack_size(STACK_BYTES)
                .spawn(move || helper.serve(&offload, &report))
                .map_err(|source| DriverError::Thread { source })?;
            self.helpers.push(offloaded);
            self.idle.push(number);
        }
        Ok(())
    }

    /// Sends an operation to an idle helper; there must be one ([`Offload::muster`]). An operation that
    /// does not go by path needs its `file`, which stays open until the helper has finished.
    pub(super) fn send(&mut self, slot: u32, op: &Op, file: Option<BorrowedFd<'static>>) {
        let helper = self.idle.pop().expect("helpers are set up before they get work");
        let sent = self.helpers[helper as usize].send(Offloaded { slot, op: *op, file });
        sent.expect("a helper runs until no more work can be sent to it");
    }

    /// The entry that makes the ring poll the bell, if a helper is busy and the ring does not poll yet.
    pub(super) fn listen(&mut self) -> Option<Entry> {
        let is_needed = self.idle.len() < self.helpers.len() && !self.is_listening;
        is_needed.then(|| {
            self.is_listening = true;
            let readable = u32::from(libc::POLLIN.cast_unsigned());
            opcode::PollAdd::new(Fd(self.bell.as_raw_fd()), readable).build().user_data(Offload::BELL)
        })
    }

    /// Resets the bell. Call it before [`Offload::next_returned`]: a helper that finishes later rings
    /// again.
    pub(super) fn heard(&mut self) {
        self.is_listening = false;
        // Resets the bell. The read returns nothing else, and if it fails, nothing is lost.
        let _ = rustix::io::read(&*self.bell, &mut [0; 8]);
    }

    /// The next finished operation.
    ///
    /// # Panics
    /// If a helper died: its operation never returns, and the storage did not cause that.
    pub(super) fn next_returned(&mut self) -> Option<Returned> {
        let returned = self.returned.try_recv().ok()?.expect("helpers outlive their offload");
        self.idle.push(returned.helper);
        assert!(self.idle.len() <= self.helpers.len(), "a helper reports its completion once");
        Some(returned)
    }
}

impl Offloaded {
    /// Performs the operation. Returns the file that it opened, if any.
    fn carry_out(&self, names: &Names) -> Result<Option<OwnedFd>, ErrorNumber> {
        let name = || names.get(self.op.file).ok_or(IMPOSSIBLE);
        match self.op.kind {
            _ if self.op.goes_by_path() => io::by_path(&self.op, names).map(|()| None),
            OpKind::Open => OpenFile::open(name()?, self.op.open).map(|file| Some(file.into_fd())),
            OpKind::Create if let Some(opened) = self.file => io::set_size(opened, 0).map(|()| None),
            OpKind::Create => OpenFile::create(name()?, self.op.open).map(|file| Some(file.into_fd())),
            // All other operations set the size of an open file.
            _ => io::set_size(self.file.ok_or(NOT_OPEN)?, self.op.offset).map(|()| None),
        }
    }
}

/// A thread that performs one offloaded operation at a time.
struct Helper {
    number: u32,
    context: Arc<Context>,
    names: Arc<Names>,
    bell: Arc<OwnedFd>,
}

impl Helper {
    fn serve(self, offload: &Receiver<Offloaded>, report: &Sender<Option<Returned>>) {
        // Drop order matters: the end is reported before the bell is rung.
        let _bell = Rung(Arc::clone(&self.bell));
        let _last_word = LastWord(report.clone());
        while let Ok(offloaded) = offload.recv() {
            let issued_ns = self.context.clock.now_ns();
            let result = offloaded.carry_out(&self.names);
            let done_ns = self.context.clock.now_ns();
            let (opened, result) = match result {
                Ok(opened) => (opened, 0),
                Err(errno) => (None, -errno),
            };
            let (slot, helper) = (offloaded.slot, self.number);
            let returned = Returned { slot, issued_ns, done_ns, result, opened, helper };
            if report.send(Some(returned)).is_err() {
                return;
            }
            ring(&self.bell);
        }
    }
}

fn ring(bell: &OwnedFd) {
    // The counter of the bell has 64 bits, so writing to it neither blocks nor fails.
    let _ = rustix::io::write(bell, &1u64.to_ne_bytes());
}

/// Rings the bell when its thread ends.
struct Rung(Arc<OwnedFd>);

impl Drop for Rung {
    fn drop(&mut self) {
        ring(&self.0);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::Path;
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};

    use super::super::super::{Heartbeat, ReadOnly, Window};
    use super::*;
    use crate::clock::Clock;
    use crate::pattern::PatternSpec;

    /// A context with two files: this directory and a missing one.
    fn post() -> ThreadContext {
        let context = Context {
            clock: Clock::start(),
            area: None,
            files: Vec::new(),
            read_only: ReadOnly::default(),
            pattern: PatternSpec { seed: 1, unit_bytes: 4096 },
            write_map: None,
            point: 0,
            window: Window::new(0, u64::MAX),
            stop: AtomicBool::new(false),
            throttle: None,
            internal_store: None,
        };
        let names = Names::new(None, [".", "/there/is/no/such/file"].map(Path::new).into_iter());
        let heartbeat = Arc::new(Heartbeat::new());
        ThreadContext { number: 0, heartbeat, context: Arc::new(context), names: Arc::new(names) }
    }

    fn offloaded(kind: OpKind, file: u32) -> Op {
        Op { kind, file, ..super::super::slots::NOTHING }
    }

    /// The next finished operation, after the bell has rung.
    fn next(offload: &mut Offload) -> Returned {
        let begun = Instant::now();
        loop {
            if let Some(returned) = offload.next_returned() {
                return returned;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "nobody comes back");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn helper_count_equals_concurrent_requests() {
        let post = post();
        let mut offload = Offload::new().unwrap();
        assert!(offload.listen().is_none(), "nobody is out");
        for round in 0..3 {
            offload.muster(&post, 1).unwrap();
            offload.send(round, &offloaded(OpKind::ReadDir, 0), None);
            assert!(offload.listen().is_some());
            assert!(offload.listen().is_none(), "it listens already");
            let returned = next(&mut offload);
            assert_eq!((returned.slot, returned.result), (round, 0));
            assert!(returned.issued_ns < returned.done_ns);
            offload.heard();
            assert_eq!(offload.helpers.len(), 1, "one after the other needs one");
        }
        offload.muster(&post, 3).unwrap();
        assert_eq!((offload.helpers.len(), offload.idle.len()), (3, 3));
    }

    #[test]
    #[should_panic(expected = "a helper reports its completion once")]
    fn helper_returning_twice_is_a_defect() {
        let mut offload = Offload::new().unwrap();
        let (slot, helper) = (0, 0);
        let returned = Returned { slot, issued_ns: 1, done_ns: 2, result: 0, opened: None, helper };
        offload.report.send(Some(returned)).unwrap();
        offload.next_returned();
    }

    #[test]
    fn errors_come_back_as_the_kernel_gives_them() {
        let post = post();
        let mut offload = Offload::new().unwrap();
        offload.muster(&post, 2).unwrap();
        offload.send(5, &offloaded(OpKind::Access, 1), None);
        offload.send(6, &offloaded(OpKind::ReadDir, 1), None);
        let mut slots = [next(&mut offload), next(&mut offload)].map(|back| (back.slot, back.result));
        slots.sort_unstable();
        assert_eq!(slots, [(5, -libc::ENOENT), (6, -libc::ENOENT)]);
        offload.muster(&post, 1).unwrap();
        offload.send(7, &offloaded(OpKind::Truncate, 0), None);
        assert_eq!(next(&mut offload).result, -libc::EBADF, "a handle without a file");
    }
}
