//! Calls that transfer data, and calls that change the file position.

use reelgauge_record::{OpFlags, OpKind};

use crate::LineError;
use crate::LineResult;
use crate::descriptors::{Handle, OpenDescription};
use crate::sink::{END_UNKNOWN, Op, Sink};
use crate::strace::args::{field, unsigned, vector_bytes};
use crate::strace::{Call, Strace};

impl Strace {
    /// `read`, `write` and their variants.
    pub(super) fn move_data(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        let handle = match self.handle(sink, call, 0)? {
            Ok(handle) => handle,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        let mut file = handle.borrow_mut();
        let Ok(number) = file.place else {
            sink.leave_out(file.place.err().unwrap_or_default());
            return Ok(());
        };
        let is_positional = call.name[0] == b'p';
        let is_vector = memchr::memchr(b'v', call.name).is_some();
        let asked = if is_vector {
            vector_bytes(call.args.at(1)).max(call.value)
        } else {
            unsigned(call.args.at(2)).ok_or(LineError::Malformed("no length"))?
        };
        // preadv2 and pwritev2 with -1 as the offset use and advance the file position.
        let at = match is_positional {
            true if call.args.at(3) != b"-1" => {
                Some(unsigned(call.args.at(3)).ok_or(LineError::Malformed("no offset"))?)
            }
            _ => None,
        };
        let is_write = memchr::memmem::find(call.name, b"write").is_some();
        let offset = start_of(sink, &file, at, is_write);
        let kind = if is_write { OpKind::Write } else { OpKind::Read };
        let op = Op::new(kind, number, call.stream, call.start_ns, call.end_ns, call.errno);
        sink.push(Op { transfer: file.transfer, offset, len: asked, done_len: call.value, ..op })?;
        if call.succeeded() {
            moved(&mut file, at.is_none(), offset, call.value, is_write);
        }
        Ok(())
    }

    /// `lseek`: its result is the new position, whatever the arguments.
    pub(super) fn seek(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        let Ok(handle) = self.handle(sink, call, 0)? else { return Ok(()) };
        if !call.succeeded() {
            return Ok(());
        }
        let (distance, position, whence) = match call.name {
            b"lseek" => (call.args.at(1), call.value, call.args.at(2)),
            // On 32 bits: _llseek(fd, offset, [result], whence).
            _ => {
                let shown = call.args.at(2).strip_prefix(b"[").and_then(|at| at.strip_suffix(b"]"));
                let position = shown.and_then(unsigned).ok_or(LineError::Malformed("no position"))?;
                (call.args.at(1), position, call.args.at(3))
            }
        };
        let mut file = handle.borrow_mut();
        file.position = position;
        if whence == b"SEEK_END" && distance == b"0" && file.place.is_ok() && !file.is_directory {
            let node = std::rc::Rc::clone(&file.node);
            sink.known.size_seen(&node, position);
        }
        Ok(())
    }

    /// `sendfile(out, in, [offset] => [offset], count)`.
    pub(super) fn send_file(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        let target = self.handle(sink, call, 0)?;
        let source = self.handle(sink, call, 1)?;
        let from = pointed_offset(call.args.at(2))?;
        self.copied(sink, call, (source, from), (target, None), unsigned(call.args.at(3)))
    }

    /// `copy_file_range(in, offset, out, offset, length, flags)`.
    pub(super) fn copy_range(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        let source = self.handle(sink, call, 0)?;
        let target = self.handle(sink, call, 2)?;
        let from = pointed_offset(call.args.at(1))?;
        let to = pointed_offset(call.args.at(3))?;
        self.copied(sink, call, (source, from), (target, to), None)
    }

    /// `splice(in, offset, out, offset, length, flags)`: at least one side is a pipe.
    pub(super) fn splice(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        self.copy_range(sink, call)
    }

    /// A copy inside the kernel: a read of one file and a write of the other, of the bytes actually
    /// copied (programs request the largest possible length). A failure is recorded with the requested
    /// length.
    fn copied(
        &mut self,
        sink: &mut Sink,
        call: &Call<'_>,
        (source, from): (Result<Handle, &'static str>, Option<u64>),
        (target, to): (Result<Handle, &'static str>, Option<u64>),
        asked: Option<u64>,
    ) -> LineResult {
        let len = if call.succeeded() { call.value } else { asked.unwrap_or(0) };
        for (handle, at, kind) in [(source, from, OpKind::Read), (target, to, OpKind::Write)] {
            let handle = match handle {
                Ok(handle) => handle,
                Err(why) => {
                    sink.leave_out(why);
                    continue;
                }
            };
            let mut file = handle.borrow_mut();
            let Ok(number) = file.place else {
                sink.leave_out(file.place.err().unwrap_or_default());
                continue;
            };
            let is_write = kind == OpKind::Write;
            let offset = start_of(sink, &file, at, is_write);
            let op = Op::new(kind, number, call.stream, call.start_ns, call.end_ns, call.errno);
            let flags = OpFlags::COPIED;
            sink.push(Op { transfer: file.transfer, offset, len, done_len: call.value, flags, ..op })?;
            if call.succeeded() {
                moved(&mut file, at.is_none(), offset, call.value, is_write);
            }
        }
        Ok(())
    }

    /// `getdents`: a part of a listing, which ends with an empty result.
    pub(super) fn list(&mut self, sink: &mut Sink, call: &Call<'_>) -> LineResult {
        let handle = match self.handle(sink, call, 0)? {
            Ok(handle) => handle,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        {
            let mut file = handle.borrow_mut();
            if let Err(why) = file.place {
                sink.leave_out(why);
                return Ok(());
            }
            if !file.is_directory {
                // It was opened without `O_DIRECTORY`.
                let path = crate::strace::args::unescape(&file.path);
                file.place = sink.directory(&path)?;
                file.is_directory = true;
            }
            let start_ns = file.listing.map_or(call.start_ns, |(start_ns, _)| start_ns);
            file.listing = Some((start_ns, call.end_ns));
        }
        if call.value == 0 { Self::end_listing(sink, call.stream, &handle) } else { Ok(()) }
    }

    /// Adds the listing in progress to the trace.
    pub(super) fn end_listing(sink: &mut Sink, stream: u32, handle: &Handle) -> LineResult {
        let mut file = handle.borrow_mut();
        let Some((start_ns, end_ns)) = file.listing.take() else { return Ok(()) };
        let Ok(number) = file.place else { return Ok(()) };
        sink.known.found(number);
        sink.push(Op::new(OpKind::ReadDir, number, stream, start_ns, end_ns, 0))?;
        Ok(())
    }
}

/// The offset of a read or write.
fn start_of(sink: &mut Sink, file: &OpenDescription, at: Option<u64>, is_write: bool) -> u64 {
    if !is_write || !file.append {
        return at.unwrap_or(file.position);
    }
    if file.node.size().is_none() {
        sink.warn(END_UNKNOWN);
    }
    file.node.end()
}

/// Applies a successful read or write to the open file's state.
fn moved(file: &mut OpenDescription, moves_position: bool, offset: u64, done: u64, is_write: bool) {
    let end = offset.saturating_add(done);
    if moves_position {
        file.position = end;
    }
    if is_write && done > 0 {
        file.node.written(end);
    }
}

/// The offset in `[36]` or `[36] => [40]`; `None` for `NULL`.
fn pointed_offset(argument: &[u8]) -> Result<Option<u64>, LineError> {
    if argument == b"NULL" {
        return Ok(None);
    }
    let inside = argument.strip_prefix(b"[").ok_or(LineError::Malformed("no offset"))?;
    match field(inside, b"") {
        Some(offset) => Ok(Some(offset)),
        None => Err(LineError::Malformed("no offset")),
    }
}
