//! Compounds of NFS version 4: a sequence of operations on a current file, which some of them change.
//!
//! Attributes and access rights that are requested along with another operation are not counted as
//! operations. A lookup in several steps is several operations: each step looks up a name.
//!
//! Not here: the conversion of single operations, which is the same for both versions; see [`super`].

use reelgauge_record::OpKind;

use crate::LineResult;
use crate::nfs::files::File;
use crate::nfs::{Ask, At, Call, Named, Nfs, Reply, errno_of, link, on_name};
use crate::sink::{Op, Sink};

const ACCESS: u64 = 3;
const CREATE: u64 = 6;
const GETATTR: u64 = 9;
const GETFH: u64 = 10;
const LINK: u64 = 11;
const LOOKUP: u64 = 15;
const LOOKUPP: u64 = 16;
const OPEN: u64 = 18;
const PUTFH: u64 = 22;
const PUTPUBFH: u64 = 23;
const PUTROOTFH: u64 = 24;
const READDIR: u64 = 26;
const REMOVE: u64 = 28;
const RENAME: u64 = 29;
const RESTOREFH: u64 = 31;
const SAVEFH: u64 = 32;

/// The state of a compound.
struct Walk<'c> {
    at: At,
    saved: At,
    names: &'c [Vec<u8>],
    handles: std::slice::Iter<'c, u64>,
    replied: std::slice::Iter<'c, u64>,
    /// One size for every GETATTR.
    sizes: std::slice::Iter<'c, u64>,
}

impl Walk<'_> {
    /// The next name; `None` if the operation has none.
    fn name(&mut self) -> Option<Vec<u8>> {
        let (first, rest) = self.names.split_first()?;
        self.names = rest;
        Some(first.clone())
    }

    /// Whether following operations use the current file as a directory.
    fn is_directory(&self, following: &[u64]) -> bool {
        let changes = |code: u64| matches!(code, PUTFH | PUTPUBFH | PUTROOTFH | RESTOREFH);
        let uses = |code: u64| matches!(code, LOOKUP | OPEN | READDIR | REMOVE | RENAME | CREATE | LINK);
        match following.iter().copied().find(|&code| changes(code) || uses(code)) {
            Some(OPEN) => !self.names.is_empty(),
            Some(code) => uses(code),
            None => false,
        }
    }
}

impl Reply {
    /// The result of an operation; `None` if it was not executed because an earlier one failed.
    fn errno_at(&self, place: usize) -> Option<i32> {
        match self.statuses.len() {
            0 | 1 => Some(self.errno),
            _ => self.statuses.get(place + 1).map(|status| errno_of(*status)),
        }
    }
}

impl Nfs {
    /// Handles a compound with its reply.
    pub(super) fn compound(
        &mut self,
        sink: &mut Sink,
        stream: u32,
        call: &Call,
        reply: &Reply,
    ) -> LineResult {
        let attributes = call.codes.iter().filter(|code| **code == GETATTR).count();
        let sizes = if reply.sizes.len() == attributes { reply.sizes.as_slice() } else { &[] };
        let root = At { handle: None, file: File { is_directory: true, ..File::default() } };
        let mut walk = Walk {
            at: root.clone(),
            saved: root,
            names: &call.names,
            handles: call.handles.iter(),
            replied: reply.handles.iter(),
            sizes: sizes.iter(),
        };
        let mut is_asked = false;
        for (place, &code) in call.codes.iter().enumerate() {
            let Some(errno) = reply.errno_at(place) else { break };
            let op = Op::new(OpKind::Other, 0, stream, call.at_ns, reply.at_ns, errno);
            let following = &call.codes[place + 1..];
            is_asked |= match ask_of(code) {
                Some(ask) => {
                    self.act(sink, &mut walk, (ask, code), following, call, reply, op)?;
                    true
                }
                None => {
                    self.stand(sink, &mut walk, code, following, errno)?;
                    false
                }
            };
        }
        if is_asked {
            return Ok(());
        }
        let ask = match (call.codes.contains(&GETATTR), call.codes.contains(&ACCESS)) {
            (true, _) => Ask::Stat,
            (false, true) => Ask::Access,
            // Only PUTROOTFH or sessions.
            (false, false) => {
                sink.leave_out("calls of sessions and mounts");
                return Ok(());
            }
        };
        let op = Op::new(OpKind::Other, 0, stream, call.at_ns, reply.at_ns, reply.errno);
        self.on_handle(sink, ask, &mut walk.at, call, reply, op)
    }

    /// Handles an operation that only selects a file or reads its attributes.
    fn stand(
        &mut self,
        sink: &mut Sink,
        walk: &mut Walk<'_>,
        code: u64,
        following: &[u64],
        errno: i32,
    ) -> LineResult {
        match code {
            PUTFH => walk.at = self.at(walk.handles.next().copied()),
            PUTROOTFH | PUTPUBFH => {
                walk.at = At { handle: None, file: File { is_directory: true, ..File::default() } };
            }
            RESTOREFH => walk.at = walk.saved.clone(),
            SAVEFH => walk.saved = walk.at.clone(),
            LOOKUPP => {
                let path = &walk.at.file.path;
                let end = memchr::memrchr(b'/', path).unwrap_or(0);
                let file = File { path: path[..end].to_vec(), is_directory: true, ..File::default() };
                walk.at = At { handle: None, file };
            }
            GETFH if errno == 0 => {
                if let (Some(&handle), None) = (walk.replied.next(), walk.at.handle) {
                    self.keep(handle, walk.at.file.clone());
                    walk.at = self.at(Some(handle));
                }
            }
            GETATTR if errno == 0 => {
                let size = walk.sizes.next().copied();
                let is_directory = walk.at.file.is_directory || walk.is_directory(following);
                let is_known = !walk.at.file.path.is_empty();
                if let Some(size) = size.filter(|_| !is_directory && is_known)
                    && let Ok(file) = sink.file(&walk.at.file.path)?
                {
                    let node = sink.known.node(file);
                    sink.known.size_seen(&node, size);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Handles an operation that becomes part of the trace.
    #[allow(clippy::too_many_arguments)]
    fn act(
        &mut self,
        sink: &mut Sink,
        walk: &mut Walk<'_>,
        (ask, code): (Ask, u64),
        following: &[u64],
        call: &Call,
        reply: &Reply,
        op: Op,
    ) -> LineResult {
        match code {
            LOOKUP | CREATE | REMOVE | OPEN => {
                let name = walk.name();
                let path = match &name {
                    Some(name) => self.path(&mut walk.at, name),
                    // An open of the current file itself, by its handle.
                    None => walk.at.file.path.clone(),
                };
                let is_directory = match ask {
                    Ask::Open => false,
                    Ask::LookUp => {
                        op.errno == 0 && walk.is_directory(following) || sink.knows_directory(&path)
                    }
                    _ => sink.knows_directory(&path),
                };
                let named = Named { ask, path, is_directory, size: None };
                let Some(file) = on_name(sink, named, call, op)? else { return Ok(()) };
                match walk.at.handle.filter(|_| name.is_none()) {
                    Some(handle) => {
                        self.keep(handle, file);
                        walk.at = self.at(Some(handle));
                    }
                    None => walk.at = At { handle: None, file },
                }
                Ok(())
            }
            RENAME => {
                let (Some(old), Some(new)) = (walk.name(), walk.name()) else {
                    sink.leave_out("a call without a name");
                    return Ok(());
                };
                let (old, new) = (self.path(&mut walk.saved, &old), self.path(&mut walk.at, &new));
                self.rename(sink, old, new, Op { kind: OpKind::Rename, ..op })
            }
            LINK => {
                let Some(new) = walk.name() else {
                    sink.leave_out("a call without a name");
                    return Ok(());
                };
                let new = self.path(&mut walk.at, &new);
                link(sink, &walk.saved.file.path, &new, Op { kind: OpKind::Link, ..op })
            }
            _ => self.on_handle(sink, ask, &mut walk.at, call, reply, op),
        }
    }
}

/// The request of an operation; `None` if it only selects a file or reads its attributes.
fn ask_of(code: u64) -> Option<Ask> {
    Some(match code {
        4 => Ask::Close,
        5 => Ask::Commit,
        CREATE => Ask::MakeDir,
        LINK => Ask::Link,
        12 | 14 | 59 | 60 | 62 => Ask::Other,
        LOOKUP => Ask::LookUp,
        OPEN => Ask::Open,
        25 => Ask::Read,
        READDIR => Ask::List,
        27 => Ask::ReadLink,
        REMOVE => Ask::Remove,
        RENAME => Ask::Rename,
        34 => Ask::SetAttr,
        38 => Ask::Write,
        _ => return None,
    })
}
