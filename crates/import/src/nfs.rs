//! Importer for NFS, versions 3 and 4, as a server sees it, from tshark's fields of a capture:
//!
//! ```text
//! tshark -r FILE -Y nfs -T fields -E header=y -E separator=/t -E aggregator='|' -E occurrence=a
//!   -e frame.time_epoch -e tcp.stream -e rpc.xid -e rpc.msgtyp -e nfs.fh.hash -e nfs.procedure_v3
//!   -e nfs.name -e nfs.offset3 -e nfs.count3 -e nfs.status3 -e nfs.fattr3.size -e nfs.fattr3.type
//!   -e nfs.set_size -e nfs.opcode -e nfs.offset4 -e nfs.count4 -e nfs.nfsstat4 -e nfs.fattr4.size
//!   -e nfs.pathname.component -e nfs.open4.share_access -e nfs.open.opentype -e nfs.write.data_length
//!   -e nfs.read.data_length -e nfs.symlink.to > TEXT
//! ```
//! A call and its reply are one operation. Names are learned from lookups, opens and creations. A handle
//! whose name was never looked up is named `fh-` and its hash. Version 3 has no open, so an open is
//! added before a file's first use. Compounds of version 4 are processed in [`compound`].
//!
//! Replies of version 3 to operations on a directory also have the attributes of that directory. If the
//! operation failed or removed a name, the reply has only these; they are not the attributes of the
//! name.
//!
//! The source shows the network traffic, not the application's calls. Cannot see: the application's own
//! sizes and times, threads, opens of version 3, and names that the client knew before the capture
//! began.

mod compound;
mod files;

use reelgauge_record::{OpKind, OpenBits};

use crate::errno::{EIO, ENOENT};
use crate::known_files::Known;
use crate::nfs::files::{File, NfsFiles};
use crate::number::{decimal, either};
use crate::packet_time::{NO_TIME, packet_time};
use crate::sink::{Op, Place, Sink};
use crate::source_clock::Shown;
use crate::tshark_fields::{FieldTable, Waiting};
use crate::{ImportError, LineError, LineResult, Source};

/// The command that makes such a file.
pub(crate) const COMMAND: &str = "tshark -r FILE -Y nfs -T fields -E header=y -E separator=/t \
    -E aggregator='|' -E occurrence=a -e frame.time_epoch -e tcp.stream -e rpc.xid -e rpc.msgtyp \
    -e nfs.fh.hash -e nfs.procedure_v3 -e nfs.name -e nfs.offset3 -e nfs.count3 -e nfs.status3 -e nfs.fattr3.size \
    -e nfs.fattr3.type -e nfs.set_size -e nfs.opcode -e nfs.offset4 -e nfs.count4 -e nfs.nfsstat4 \
    -e nfs.fattr4.size -e nfs.pathname.component -e nfs.open4.share_access -e nfs.open.opentype \
    -e nfs.write.data_length -e nfs.read.data_length -e nfs.symlink.to > TEXT";

const NEEDED: [&str; 5] = [
    "frame.time_epoch|frame.time_utc|frame.time|_ws.col.Time|_ws.col.time",
    "tcp.stream",
    "rpc.xid",
    "rpc.msgtyp",
    "nfs.fh.hash",
];
const USEFUL: [&str; 19] = [
    "nfs.procedure_v3",
    "nfs.name",
    "nfs.offset3",
    "nfs.count3",
    "nfs.status3",
    "nfs.fattr3.size",
    "nfs.fattr3.type",
    "nfs.set_size",
    "nfs.opcode",
    "nfs.offset4",
    "nfs.count4",
    "nfs.nfsstat4",
    "nfs.fattr4.size",
    "nfs.pathname.component",
    "nfs.open4.share_access",
    "nfs.open.opentype",
    "nfs.write.data_length",
    "nfs.read.data_length",
    "nfs.symlink.to",
];
const HANDLES: usize = 4;
const PROCEDURE: usize = 5;
const NAMES: usize = 6;
const OFFSET3: usize = 7;
const COUNT3: usize = 8;
const STATUS3: usize = 9;
const SIZE3: usize = 10;
const TYPE3: usize = 11;
const SET_SIZE: usize = 12;
const OPCODES: usize = 13;
const OFFSET4: usize = 14;
const COUNT4: usize = 15;
const STATUS4: usize = 16;
const SIZE4: usize = 17;
const COMPONENTS: usize = 18;
const SHARE_ACCESS: usize = 19;
const OPEN_TYPE: usize = 20;
const DATA_LEN: usize = 21;
const READ_LEN: usize = 22;
const LEADS_TO: usize = 23;

/// Reads a whole source.
pub(crate) fn read(source: &mut Source<'_>) -> Result<(), ImportError> {
    source.sink.blind(&[
        "the application's own sizes and times (the trace has the network's requests)",
        "threads",
        "opening and closing in NFSv3",
        "names looked up before the capture began",
    ]);
    let table = FieldTable::of(source, &NEEDED, &USEFUL)?;
    if !table.has(PROCEDURE) && !table.has(OPCODES) {
        return Err(source.not_of_format("it has neither a column nfs.procedure_v3 nor nfs.opcode"));
    }
    let mut nfs = Nfs { waiting: Waiting::new(), files: NfsFiles::default() };
    source.each_line(|sink, line| {
        let mut row = Vec::new();
        table.row(line, &mut row);
        nfs.packet(sink, &table, &row)
    })?;
    nfs.waiting.end(&mut source.sink);
    Ok(())
}

struct Nfs {
    waiting: Waiting<Call>,
    files: NfsFiles,
}

/// The object of an operation: a file or directory, and its handle if known.
#[derive(Clone, Default)]
struct At {
    handle: Option<u64>,
    file: File,
}

/// The request of a call, for both versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Stat,
    SetAttr,
    LookUp,
    Access,
    Read,
    Write,
    Create,
    Open,
    Close,
    MakeDir,
    Remove,
    RemoveDir,
    Rename,
    Link,
    SymLink,
    ReadLink,
    List,
    Commit,
    Other,
    /// A request without effect on a file: sessions, mounting.
    Nothing,
    /// Identifies the export's root.
    Root,
}

/// A call without its reply.
struct Call {
    at_ns: u64,
    /// Version 3: the request.
    ask: Option<Ask>,
    /// Version 4: the operations of the compound.
    codes: Vec<u64>,
    handles: Vec<u64>,
    names: Vec<Vec<u8>>,
    /// Version 3: the text of a symbolic link.
    text: Vec<u8>,
    offset: u64,
    len: u64,
    set_size: Option<u64>,
    access: u64,
    creates: bool,
}

/// The content of a reply.
struct Reply {
    at_ns: u64,
    errno: i32,
    handles: Vec<u64>,
    count: Option<u64>,
    /// Version 4: the bytes that a read returned.
    read_len: Option<u64>,
    /// Version 3: the size of the object itself, if the reply has it.
    size: Option<u64>,
    is_directory: Option<bool>,
    /// Version 4: the status of the compound, then of each of its operations that were executed.
    statuses: Vec<u64>,
    /// Version 4: the size of each GETATTR that requested it.
    sizes: Vec<u64>,
}

/// Limit of operations of a compound, and of names and handles of a call.
const MAX_OPERATIONS: usize = 64;

impl Nfs {
    fn packet(&mut self, sink: &mut Sink, table: &FieldTable, row: &[&[u8]]) -> LineResult {
        if row.iter().all(|field| field.is_empty()) {
            return Ok(());
        }
        let shown = packet_time(table.field(row, 0)).ok_or(LineError::Malformed(NO_TIME))?;
        let stream = decimal(table.field(row, 1)).ok_or(LineError::Malformed("no tcp.stream"))?;
        let at_ns = sink.time(Shown { thread: stream, at_ns: shown.at_ns, ..Shown::default() });
        let xid = either(table.values(row, 2).take_one()).ok_or(LineError::Malformed("no rpc.xid"))?;
        sink.begin(at_ns, shown.is_wall.then_some(at_ns));
        if memchr::memchr(b'|', table.field(row, 2)).is_some() {
            sink.leave_out("calls after the first in a packet with several calls (they cannot be separated)");
        }
        match table.values(row, 3).take_one() {
            b"0" => {
                let call = call(table, row, at_ns)?;
                self.waiting.call(sink, (stream, xid), call);
                Ok(())
            }
            b"1" => {
                let Some(call) = self.waiting.reply(sink, (stream, xid)) else { return Ok(()) };
                let reply = reply(table, row, at_ns);
                let stream = sink.thread(stream);
                match call.ask {
                    Some(ask) => self.done(sink, stream, ask, &call, &reply),
                    None => self.compound(sink, stream, &call, &reply),
                }
            }
            _ => Err(LineError::Malformed("no rpc.msgtyp")),
        }
    }

    /// The known file of a handle, or a new one with a made-up name.
    fn file(&mut self, handle: u64) -> File {
        let made_up = || File { path: format!("fh-{handle:08x}").into_bytes(), ..File::default() };
        self.files.get(handle).cloned().unwrap_or_else(made_up)
    }

    fn at(&mut self, handle: Option<u64>) -> At {
        At { handle, file: handle.map(|handle| self.file(handle)).unwrap_or_default() }
    }

    /// The path of a name in a directory. Marks its parent as a directory.
    fn path(&mut self, directory: &mut At, name: &[u8]) -> Vec<u8> {
        if let Some(handle) = directory.handle.filter(|_| !directory.file.is_directory) {
            directory.file.is_directory = true;
            self.files.learn(handle, directory.file.clone());
        }
        let mut path = directory.file.path.clone();
        if !path.is_empty() && !name.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        path
    }

    /// Handles a call of version 3 with its reply.
    fn done(&mut self, sink: &mut Sink, stream: u32, ask: Ask, call: &Call, reply: &Reply) -> LineResult {
        let op = |kind: OpKind| Op::new(kind, 0, stream, call.at_ns, reply.at_ns, reply.errno);
        let mut at = self.at(call.handles.first().copied());
        let name = |place: usize| call.names.get(place).map(Vec::as_slice).unwrap_or_default();
        match ask {
            Ask::Nothing | Ask::Root => {
                if let Some(handle) =
                    at.handle.filter(|&handle| ask == Ask::Root && self.files.get(handle).is_none())
                {
                    self.files.learn(handle, File { is_directory: true, ..File::default() });
                }
                sink.leave_out("calls of sessions and mounts");
                Ok(())
            }
            Ask::LookUp | Ask::Create | Ask::MakeDir | Ask::Remove | Ask::RemoveDir => {
                let path = self.path(&mut at, name(0));
                let shows_object = reply.errno == 0 && ask == Ask::LookUp;
                let named = Named {
                    ask,
                    is_directory: reply.is_directory.filter(|_| shows_object).unwrap_or(false)
                        || ask != Ask::Remove && sink.knows_directory(&path),
                    path,
                    size: reply.size.filter(|_| shows_object),
                };
                let file = on_name(sink, named, call, op(OpKind::Stat))?;
                if let (Some(file), Some(&handle)) = (file, reply.handles.first()) {
                    self.keep(handle, file);
                }
                Ok(())
            }
            Ask::Rename => {
                let old = self.path(&mut at, name(0));
                let mut to = self.at(call.handles.get(1).or(call.handles.first()).copied());
                let new = self.path(&mut to, name(1));
                self.rename(sink, old, new, op(OpKind::Rename))
            }
            Ask::Link => {
                let mut directory = self.at(call.handles.get(1).copied());
                let new = self.path(&mut directory, name(0));
                link(sink, &at.file.path, &new, op(OpKind::Link))
            }
            Ask::SymLink => {
                let path = self.path(&mut at, name(0));
                let made = symbolic_link(sink, &path, &call.text, op(OpKind::SymLink))?;
                if let (true, Some(&handle)) = (made, reply.handles.first()) {
                    self.keep(handle, File { path, ..File::default() });
                }
                Ok(())
            }
            _ => self.on_handle(sink, ask, &mut at, call, reply, op(OpKind::Other)),
        }
    }

    /// Stores a file with the handle from a reply. Existing opens of the file remain.
    fn keep(&mut self, handle: u64, mut file: File) {
        let before = self.files.get(handle);
        if file.transfer == 0 {
            file.transfer = before.map_or(0, |before| before.transfer);
        }
        file.opens += before.map_or(0, |before| before.opens);
        self.files.learn(handle, file);
    }

    fn rename(&mut self, sink: &mut Sink, old: Vec<u8>, new: Vec<u8>, op: Op) -> LineResult {
        let is_directory = sink.knows_directory(&old);
        let mut place = |path: &[u8]| if is_directory { sink.directory(path) } else { sink.file(path) };
        let (Ok(from), Ok(to)) = (place(&old)?, place(&new)?) else {
            sink.leave_out("a rename into or out of the imported directory");
            return Ok(());
        };
        if op.errno == 0 {
            sink.known.renamed(from, to);
            self.files.renamed(&old, new);
        }
        Ok(sink.push(Op { file: from, offset: u64::from(to), ..op })?)
    }

    fn on_handle(
        &mut self,
        sink: &mut Sink,
        ask: Ask,
        at: &mut At,
        call: &Call,
        reply: &Reply,
        op: Op,
    ) -> LineResult {
        if at.handle.is_none() && at.file.path.is_empty() {
            sink.leave_out("a call without a file handle");
            return Ok(());
        }
        let is_directory = at.file.is_directory || ask == Ask::List || reply.is_directory == Some(true);
        let path = &at.file.path;
        let place: Place = if is_directory { sink.directory(path)? } else { sink.file(path)? };
        let file = match place {
            Ok(file) => file,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        if op.errno == 0 {
            sink.known.found(file);
        }
        let op = Op { file, transfer: at.file.transfer, ..op };
        match ask {
            Ask::Read | Ask::Write => return self.data(sink, at, ask, call, reply, op),
            Ask::Commit => sink.push(Op { kind: OpKind::Sync, ..op })?,
            Ask::List => sink.push(Op { kind: OpKind::ReadDir, transfer: 0, ..op })?,
            Ask::ReadLink => sink.push(Op { kind: OpKind::ReadLink, transfer: 0, ..op })?,
            Ask::Access => sink.push(Op { kind: OpKind::Access, transfer: 0, ..op })?,
            Ask::Close => {
                at.file.opens = at.file.opens.saturating_sub(1);
                if at.file.transfer > 0 && at.file.opens == 0 {
                    sink.push(Op { kind: OpKind::Close, ..op })?;
                    at.file.transfer = 0;
                } else {
                    sink.leave_out("closes of one of several opens of a file");
                }
                self.changed(at);
            }
            Ask::SetAttr => match call.set_size {
                Some(size) => {
                    if op.errno == 0 {
                        sink.known.node(file).resized(size);
                    }
                    sink.push(Op { kind: OpKind::Truncate, offset: size, ..op })?;
                }
                None => sink.push(Op { kind: OpKind::SetAttr, ..op })?,
            },
            Ask::Stat => {
                if let Some(size) = reply.size.filter(|_| op.errno == 0 && !is_directory) {
                    let node = sink.known.node(file);
                    sink.known.size_seen(&node, size);
                }
                sink.push(Op { kind: OpKind::Stat, ..op })?;
            }
            _ => sink.push(op)?,
        }
        Ok(())
    }

    /// Stores changed facts about a file.
    fn changed(&mut self, at: &At) {
        if let Some(handle) = at.handle {
            self.files.learn(handle, at.file.clone());
        }
    }

    fn data(
        &mut self,
        sink: &mut Sink,
        at: &mut At,
        ask: Ask,
        call: &Call,
        reply: &Reply,
        op: Op,
    ) -> LineResult {
        if at.file.transfer == 0 {
            at.file.transfer = sink.unseen_open(op.file, op.stream, op.start_ns)?;
            at.file.opens = at.file.opens.max(1);
            self.changed(at);
        }
        let is_read = ask == Ask::Read;
        let node = sink.known.node(op.file);
        if let Some(size) = reply.size.filter(|_| is_read && op.errno == 0) {
            sink.known.size_seen(&node, size);
        }
        let told = if is_read { reply.read_len.or(reply.count) } else { reply.count };
        // The reply to a read of version 4 may not show its length; the file's size then limits it.
        let rest = node.size().filter(|_| is_read).map(|size| size.saturating_sub(call.offset));
        if is_read && told.or(rest).is_none() && op.errno == 0 {
            sink.warn(
                "reads whose replies do not show their length (add -e nfs.read.data_length); they were \
                 assumed complete",
            );
        }
        let done_len = match op.errno {
            0 => told.unwrap_or(call.len.min(rest.unwrap_or(u64::MAX))),
            _ => 0,
        };
        if !is_read && done_len > 0 {
            node.written(call.offset.saturating_add(done_len));
        }
        let kind = if is_read { OpKind::Read } else { OpKind::Write };
        let transfer = at.file.transfer;
        Ok(sink.push(Op { kind, transfer, offset: call.offset, len: call.len, done_len, ..op })?)
    }
}

/// An operation on a name.
struct Named {
    ask: Ask,
    path: Vec<u8>,
    is_directory: bool,
    /// Its size, if the reply shows it.
    size: Option<u64>,
}

/// Handles an operation on a name. Returns the file that the name now has, if any.
fn on_name(sink: &mut Sink, named: Named, call: &Call, op: Op) -> Result<Option<File>, LineError> {
    let Named { ask, path, is_directory, size } = named;
    let is_directory = is_directory || matches!(ask, Ask::MakeDir | Ask::RemoveDir);
    let place = if is_directory { sink.directory(&path)? } else { sink.file(&path)? };
    let (kind, bits) = match ask {
        Ask::Open => (if call.creates { OpKind::Create } else { OpKind::Open }, open_bits(call)),
        // NFSv3's CREATE creates a file without opening it; the application's open does both.
        Ask::Create => (OpKind::Create, OpenBits::READ.with(OpenBits::WRITE).with(OpenBits::CREATE)),
        Ask::MakeDir => (OpKind::MakeDir, OpenBits::UNKNOWN),
        Ask::Remove if !is_directory => (OpKind::Unlink, OpenBits::UNKNOWN),
        Ask::Remove | Ask::RemoveDir => (OpKind::RemoveDir, OpenBits::UNKNOWN),
        _ => (OpKind::Stat, OpenBits::UNKNOWN),
    };
    let mut transfer = 0;
    match place {
        Err(why) => sink.leave_out(why),
        Ok(file) => {
            note(sink, ask, file, op.errno);
            if let Some(size) = size.filter(|_| !is_directory) {
                let node = sink.known.node(file);
                sink.known.size_seen(&node, size);
            }
            if matches!(ask, Ask::Open | Ask::Create) {
                transfer = sink.transfer();
            }
            sink.push(Op { kind, file, transfer, len: u64::from(bits.0), ..op })?;
        }
    }
    if op.errno != 0 || matches!(ask, Ask::Remove | Ask::RemoveDir) {
        return Ok(None);
    }
    Ok(Some(File { path, is_directory, transfer, opens: u32::from(ask == Ask::Open) }))
}

/// Handles a hard link.
fn link(sink: &mut Sink, old: &[u8], new: &[u8], op: Op) -> LineResult {
    let (Ok(old), Ok(new)) = (sink.file(old)?, sink.file(new)?) else {
        sink.leave_out("a hard link into or out of the imported directory");
        return Ok(());
    };
    sink.known.link_asked_for(old, new, op.errno);
    Ok(sink.push(Op { file: old, offset: u64::from(new), ..op })?)
}

/// Handles a new symbolic link; returns whether it exists now. Paths of an export start at its root.
fn symbolic_link(sink: &mut Sink, path: &[u8], text: &[u8], op: Op) -> Result<bool, LineError> {
    let file = match sink.file(path)? {
        Ok(file) => file,
        Err(why) => {
            sink.leave_out(why);
            return Ok(false);
        }
    };
    let target = Known::meant_by(path, text);
    let leads_out = text.is_empty() || text.first() == Some(&b'/') || climbs_out(&target);
    let target = if leads_out { None } else { sink.file(&target)?.ok() };
    if target.is_none() {
        sink.warn(
            "symbolic links that lead out of the export, or whose target is not shown (add \
             -e nfs.symlink.to); in a replay they point to themselves",
        );
    }
    sink.known.asked_for(file, op.errno);
    sink.push(Op { file, offset: u64::from(target.unwrap_or(file)), ..op })?;
    Ok(op.errno == 0)
}

/// Whether a path goes above its starting directory.
fn climbs_out(path: &[u8]) -> bool {
    let mut depth = 0_i64;
    path.split(|&byte| byte == b'/').any(|part| {
        depth += match part {
            b"" | b"." => 0,
            b".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

/// Records the facts that a call on a name shows.
fn note(sink: &mut Sink, ask: Ask, file: u32, errno: i32) {
    match (ask, errno) {
        (Ask::Remove | Ask::RemoveDir, 0) => sink.known.removed(file),
        (Ask::MakeDir, 0) => sink.known.made(file),
        (Ask::Create | Ask::Open, 0) if sink.known.exists(file) == Some(false) => sink.known.made(file),
        (Ask::Create, 0) => sink.known.made_or_found(file),
        (_, 0) => sink.known.found(file),
        (_, ENOENT) => sink.known.missing(file),
        _ => {}
    }
}

fn call(table: &FieldTable, row: &[&[u8]], at_ns: u64) -> Result<Call, LineError> {
    let number = |column| either(table.values(row, column).take_one());
    let ask = match table.values(row, PROCEDURE).take_one() {
        b"" => None,
        procedure => Some(ask_of_version_3(decimal(procedure).ok_or(LineError::Malformed("no procedure"))?)),
    };
    let names = table.values(row, NAMES).chain(table.values(row, COMPONENTS)).filter(|name| !name.is_empty());
    let len = number(COUNT3).or_else(|| number(COUNT4)).or_else(|| number(DATA_LEN)).unwrap_or(0);
    Ok(Call {
        at_ns,
        ask,
        codes: numbers(table, row, OPCODES),
        handles: numbers(table, row, HANDLES),
        names: names.take(MAX_OPERATIONS).map(<[u8]>::to_vec).collect(),
        text: table.values(row, LEADS_TO).take_one().to_vec(),
        offset: number(OFFSET3).or_else(|| number(OFFSET4)).unwrap_or(0),
        len,
        set_size: number(SET_SIZE),
        access: number(SHARE_ACCESS).unwrap_or(0),
        creates: number(OPEN_TYPE) == Some(1),
    })
}

/// The numbers of a field, up to the first invalid one: later ones could be assigned to the wrong
/// operation.
fn numbers(table: &FieldTable, row: &[&[u8]], column: usize) -> Vec<u64> {
    table.values(row, column).map_while(either).take(MAX_OPERATIONS).collect()
}

fn reply(table: &FieldTable, row: &[&[u8]], at_ns: u64) -> Reply {
    let number = |column| either(table.values(row, column).take_one());
    let status = number(STATUS3).or_else(|| number(STATUS4)).unwrap_or(0);
    Reply {
        at_ns,
        errno: errno_of(status),
        handles: numbers(table, row, HANDLES),
        count: number(COUNT3).or_else(|| number(COUNT4)),
        read_len: number(READ_LEN),
        size: number(SIZE3),
        is_directory: number(TYPE3).map(|kind| kind == 2),
        statuses: numbers(table, row, STATUS4),
        sizes: numbers(table, row, SIZE4),
    }
}

fn ask_of_version_3(procedure: u64) -> Ask {
    match procedure {
        1 => Ask::Stat,
        2 => Ask::SetAttr,
        3 => Ask::LookUp,
        4 => Ask::Access,
        5 => Ask::ReadLink,
        6 => Ask::Read,
        7 => Ask::Write,
        8 => Ask::Create,
        9 => Ask::MakeDir,
        10 => Ask::SymLink,
        12 => Ask::Remove,
        13 => Ask::RemoveDir,
        14 => Ask::Rename,
        15 => Ask::Link,
        16 | 17 => Ask::List,
        19 => Ask::Root,
        21 => Ask::Commit,
        11 => Ask::Other,
        _ => Ask::Nothing,
    }
}

fn open_bits(call: &Call) -> OpenBits {
    OpenBits::UNKNOWN
        .with_if(OpenBits::READ, call.access & 1 != 0)
        .with_if(OpenBits::WRITE, call.access & 2 != 0)
        .with_if(OpenBits::CREATE, call.creates)
}

/// NFS's errors up to 70 are those of Unix; higher ones are its own.
fn errno_of(status: u64) -> i32 {
    match status {
        0..=40 => status as i32,
        63 => 36,
        66 => 39,
        69 => 122,
        70 => 116,
        10004 => 95,
        10008 => 11,
        _ => EIO,
    }
}
