//! Importer for SMB2 and SMB3 as a server sees them, from tshark's fields of a capture:
//!
//! ```text
//! tshark -r FILE -Y smb2 -T fields -E header=y -E separator=/t -E aggregator='|' -E occurrence=a
//!   -e frame.time_epoch -e tcp.stream -e smb2.flags.response -e smb2.cmd -e smb2.msg_id -e smb2.fid
//!   -e smb2.filename -e smb2.file_offset -e smb2.write_length -e smb2.read_length -e smb2.nt_status
//!   -e smb2.write.count -e smb2.create.disposition -e smb2.create.action -e smb2.eof -e smb2.tree
//!   -e smb.access_mask -e smb.create_options -e smb2.disposition.delete_on_close
//!   -e smb2.file_info.infolevel > TEXT
//! ```
//! Names are `SHARE/PATH`. A call and its reply are one operation, from the packet of the call to that
//! of the reply; a "pending" reply does not count. An open for attributes alone is a "stat". A listing
//! of several replies is one operation.
//!
//! The source shows the network traffic: the client's cache has served reads before it and merged
//! writes, and long requests are cut to the server's limit. Cannot see: the application's own sizes and
//! times, threads, encrypted sessions, and files that were opened before the capture began.

use std::collections::HashMap;

use reelgauge_record::{OpKind, OpenBits};

use crate::errno;
use crate::known_files::{Node, NodeRef};
use crate::ntstatus::{self, END_OF_FILE, PENDING};
use crate::number::{decimal, either, hexadecimal};
use crate::packet_time::{NO_TIME, packet_time};
use crate::path_filter::NOT_A_FILE;
use crate::sink::{Op, Place, Sink, UNKNOWN_HANDLE};
use crate::source_clock::Shown;
use crate::tshark_fields::{FieldTable, Values, Waiting};
use crate::{ImportError, LineError, LineResult, Source};

/// The command that makes such a file.
pub(crate) const COMMAND: &str = "tshark -r FILE -Y smb2 -T fields -E header=y -E separator=/t \
    -E aggregator='|' -E occurrence=a -e frame.time_epoch -e tcp.stream -e smb2.flags.response -e smb2.cmd \
    -e smb2.msg_id -e smb2.fid -e smb2.filename -e smb2.file_offset -e smb2.write_length -e smb2.read_length \
    -e smb2.nt_status -e smb2.write.count -e smb2.create.disposition -e smb2.create.action -e smb2.eof \
    -e smb2.tree -e smb.access_mask -e smb.create_options -e smb2.disposition.delete_on_close \
    -e smb2.file_info.infolevel > TEXT";

const NEEDED: [&str; 11] = [
    "frame.time_epoch|frame.time_utc|frame.time|_ws.col.Time|_ws.col.time",
    "tcp.stream",
    "smb2.flags.response",
    "smb2.cmd",
    "smb2.msg_id",
    "smb2.fid",
    "smb2.filename",
    "smb2.file_offset",
    "smb2.write_length",
    "smb2.read_length",
    "smb2.nt_status",
];
const USEFUL: [&str; 9] = [
    "smb2.write.count",
    "smb2.create.disposition",
    "smb2.create.action",
    "smb2.eof",
    "smb2.tree",
    "smb.access_mask",
    "smb.create_options",
    "smb2.disposition.delete_on_close",
    "smb2.file_info.infolevel",
];

/// `FILE_DELETE_ON_CLOSE` among the options of a create ([MS-SMB2] 2.2.13).
const DELETE_ON_CLOSE: u64 = 0x1000;
/// The SET_INFO class that gives a file an additional name ([MS-FSCC] 2.4).
const FILE_LINK_INFORMATION: u64 = 11;
/// Limit of files that are open at the same time.
const MAX_OPEN: usize = 1 << 20;
/// The file id of a call that refers to an open in the same packet.
const RELATED: &[u8] = b"ffffffff-ffff-ffff-ffff-ffffffffffff";

const CREATE: u64 = 5;
const CLOSE: u64 = 6;
const FLUSH: u64 = 7;
const READ: u64 = 8;
const WRITE: u64 = 9;
const LOCK: u64 = 10;
const IOCTL: u64 = 11;
const LIST: u64 = 14;
const QUERY_INFO: u64 = 16;
const SET_INFO: u64 = 17;

/// Reads a whole source.
pub(crate) fn read(source: &mut Source<'_>) -> Result<(), ImportError> {
    source.sink.blind(&[
        "the application's own sizes and times (the trace has the network's requests)",
        "threads",
        "encrypted sessions",
        "lengths of short reads",
    ]);
    let table = FieldTable::of(source, &NEEDED, &USEFUL)?;
    if !table.has(16) {
        source.sink.blind(&["open flags"]);
    }
    let mut smb2 = Smb2 { waiting: Waiting::new(), open: HashMap::new(), created: None };
    source.each_line(|sink, line| {
        let mut row = Vec::new();
        table.row(line, &mut row);
        smb2.packet(sink, &table, &row)
    })?;
    smb2.waiting.end(&mut source.sink);
    Ok(())
}

struct Smb2 {
    waiting: Waiting<Call>,
    open: HashMap<Vec<u8>, OpenFile>,
    /// The file that was opened last in this packet.
    created: Option<Vec<u8>>,
}

/// A call without its reply.
#[derive(Default)]
struct Call {
    command: u64,
    at_ns: u64,
    file: Vec<u8>,
    path: Vec<u8>,
    name: Vec<u8>,
    offset: u64,
    len: u64,
    disposition: u64,
    access: Option<u64>,
    options: u64,
    deletes: bool,
    /// Whether the name is an additional one (a hard link).
    links: bool,
    size: Option<u64>,
    is_pipe: bool,
}

/// The content of a reply.
struct Reply {
    at_ns: u64,
    status: u32,
    count: Option<u64>,
    action: Option<u64>,
    size: Option<u64>,
}

/// An open file, by its file id.
struct OpenFile {
    place: Place,
    node: NodeRef,
    share: Vec<u8>,
    /// 0 if it was opened for its attributes only.
    transfer: u32,
    is_directory: bool,
    delete_on_close: bool,
    listing: Option<(u64, u64)>,
}

/// The values of a packet. Each message takes its own from them.
struct Packet<'r> {
    stream: u64,
    at_ns: u64,
    files: Values<'r>,
    names: Values<'r>,
    offsets: Values<'r>,
    write_lens: Values<'r>,
    read_lens: Values<'r>,
    statuses: Values<'r>,
    counts: Values<'r>,
    dispositions: Values<'r>,
    actions: Values<'r>,
    sizes: Values<'r>,
    accesses: Values<'r>,
    options: Values<'r>,
    deletes: Values<'r>,
    levels: Values<'r>,
    tree: &'r [u8],
}

impl Smb2 {
    fn packet(&mut self, sink: &mut Sink, table: &FieldTable, row: &[&[u8]]) -> LineResult {
        if row.iter().all(|field| field.is_empty()) {
            return Ok(());
        }
        let shown = packet_time(table.field(row, 0)).ok_or(LineError::Malformed(NO_TIME))?;
        let stream = decimal(table.field(row, 1)).ok_or(LineError::Malformed("no tcp.stream"))?;
        let at_ns = sink.time(Shown { thread: stream, at_ns: shown.at_ns, ..Shown::default() });
        sink.begin(at_ns, shown.is_wall.then_some(at_ns));
        let values = |column| table.values(row, column);
        let mut packet = Packet {
            stream,
            at_ns,
            files: values(5),
            names: values(6),
            offsets: values(7),
            write_lens: values(8),
            read_lens: values(9),
            statuses: values(10),
            counts: values(11),
            dispositions: values(12),
            actions: values(13),
            sizes: values(14),
            accesses: values(16),
            options: values(17),
            deletes: values(18),
            levels: values(19),
            tree: table.values(row, 15).take_one(),
        };
        self.created = None;
        let (mut responses, mut commands) = (values(2), values(3));
        for id in values(4) {
            let id = decimal(id).ok_or(LineError::Malformed("no smb2.msg_id"))?;
            let command = decimal(commands.take_one()).ok_or(LineError::Malformed("no smb2.cmd"))?;
            match responses.take_one() {
                b"0" | b"False" => self.call(sink, &mut packet, command, id),
                b"1" | b"True" => self.reply(sink, &mut packet, command, id)?,
                _ => return Err(LineError::Malformed("no smb2.flags.response")),
            }
        }
        Ok(())
    }

    fn call(&mut self, sink: &mut Sink, packet: &mut Packet<'_>, command: u64, id: u64) {
        let mut call = Call { command, at_ns: packet.at_ns, ..Call::default() };
        let share = packet.tree.rsplit(|&byte| byte == b'\\').next().unwrap_or_default();
        call.is_pipe = share == b"IPC$";
        if matches!(command, CLOSE..=IOCTL | LIST | QUERY_INFO | SET_INFO) {
            call.file = packet.files.take_one().to_vec();
        }
        match command {
            CREATE => {
                call.name = packet.names.take_one().to_vec();
                call.path = [share, b"/", &call.name].concat();
                call.disposition = decimal(packet.dispositions.take_one()).unwrap_or(1);
                call.access = either(packet.accesses.take_one());
                call.options = hexadecimal(packet.options.take_one()).unwrap_or(0);
            }
            READ | WRITE => {
                let lens = if command == READ { &mut packet.read_lens } else { &mut packet.write_lens };
                call.len = decimal(lens.take_one()).unwrap_or(0);
                call.offset = decimal(packet.offsets.take_one()).unwrap_or(0);
            }
            SET_INFO => {
                call.name = packet.names.take_one().to_vec();
                call.deletes = matches!(packet.deletes.take_one(), b"1" | b"True");
                call.links = either(packet.levels.take_one()) == Some(FILE_LINK_INFORMATION);
                call.size = decimal(packet.sizes.take_one());
            }
            QUERY_INFO => drop(packet.levels.next()),
            _ => {}
        }
        self.waiting.call(sink, (packet.stream, id), call);
    }

    fn reply(&mut self, sink: &mut Sink, packet: &mut Packet<'_>, command: u64, id: u64) -> LineResult {
        let status =
            hexadecimal(packet.statuses.take_one()).ok_or(LineError::Malformed("no smb2.nt_status"))?;
        let status = u32::try_from(status).map_err(|_| LineError::Malformed("no smb2.nt_status"))?;
        let key = (packet.stream, id);
        if status == PENDING && self.waiting.peek(key).is_some() {
            return Ok(());
        }
        let mut reply = Reply { at_ns: packet.at_ns, status, count: None, action: None, size: None };
        let mut file = Vec::new();
        match command {
            CREATE if ntstatus::of_number(status) == 0 => {
                file = packet.files.take_one().to_vec();
                reply.action = decimal(packet.actions.take_one());
                reply.size = decimal(packet.sizes.take_one());
            }
            CLOSE => drop(packet.sizes.next()),
            WRITE => reply.count = decimal(packet.counts.take_one()),
            _ => {}
        }
        let Some(mut call) = self.waiting.reply(sink, key) else { return Ok(()) };
        if call.file == RELATED
            && let Some(created) = &self.created
        {
            call.file.clone_from(created);
        }
        if call.is_pipe {
            sink.leave_out(NOT_A_FILE);
            return Ok(());
        }
        let stream = sink.thread(packet.stream);
        let op = |kind: OpKind, errno: i32| Op::new(kind, 0, stream, call.at_ns, reply.at_ns, errno);
        match call.command {
            CREATE => self.create(sink, &call, &reply, file, op(OpKind::Open, ntstatus::of_number(status))),
            CLOSE | FLUSH | READ | WRITE | LOCK | IOCTL | LIST | QUERY_INFO | SET_INFO => {
                self.on_file(sink, &call, &reply, op(OpKind::Other, ntstatus::of_number(status)))
            }
            _ => {
                sink.leave_out("session messages");
                Ok(())
            }
        }
    }

    fn create(&mut self, sink: &mut Sink, call: &Call, reply: &Reply, file: Vec<u8>, op: Op) -> LineResult {
        let is_directory = call.options & 1 != 0 || call.name.is_empty() || sink.knows_directory(&call.path);
        let place = if is_directory { sink.directory(&call.path)? } else { sink.file(&call.path)? };
        let bits = open_bits(call);
        let moves_data = bits.has(OpenBits::READ) || bits.has(OpenBits::WRITE) || call.access.is_none();
        let deletes = call.options & DELETE_ON_CLOSE != 0;
        let creates = bits.has(OpenBits::CREATE) || bits.has(OpenBits::TRUNCATE);
        let mut transfer = 0;
        match place {
            Err(why) => sink.leave_out(why),
            Ok(number) => {
                let made = reply.action == Some(2);
                match op.errno {
                    0 if made => sink.known.made(number),
                    0 => sink.known.found(number),
                    errno::ENOENT => sink.known.missing(number),
                    _ => {}
                }
                if let Some(size) = reply.size.filter(|_| op.errno == 0 && !made && !is_directory) {
                    let node = sink.known.node(number);
                    let emptied = matches!(reply.action, Some(0 | 3));
                    if emptied { node.resized(0) } else { sink.known.size_seen(&node, size) }
                }
                let (kind, len) = match (is_directory, creates, moves_data) {
                    (true, true, _) if made || op.errno != 0 => (OpKind::MakeDir, 0),
                    // The open was meant to delete the file, which does not exist.
                    (false, false, false) if deletes && op.errno != 0 => (OpKind::Open, bits.0),
                    (true, ..) | (false, false, false) => (OpKind::Stat, 0),
                    (false, true, _) => (OpKind::Create, bits.0),
                    (false, false, true) => (OpKind::Open, bits.0),
                };
                if matches!(kind, OpKind::Create | OpKind::Open) {
                    transfer = sink.transfer();
                }
                let (len, done_len) = (u64::from(len), u64::from(made && kind == OpKind::Create));
                sink.push(Op { kind, file: number, transfer, len, done_len, ..op })?;
            }
        }
        if op.errno == 0 && self.open.len() < MAX_OPEN {
            let node = place.map_or_else(|_| NodeRef::new(Node::default()), |number| sink.known.node(number));
            let share = call.path[..call.path.len() - call.name.len()].to_vec();
            let delete_on_close = deletes;
            self.created = Some(file.clone());
            let opened =
                OpenFile { place, node, share, transfer, is_directory, delete_on_close, listing: None };
            self.open.insert(file, opened);
        }
        Ok(())
    }

    /// Handles a call on an open file.
    fn on_file(&mut self, sink: &mut Sink, call: &Call, reply: &Reply, op: Op) -> LineResult {
        if call.command == CLOSE {
            return self.close(sink, call, op);
        }
        let Some(file) = self.open.get_mut(&call.file) else {
            sink.leave_out(UNKNOWN_HANDLE);
            return Ok(());
        };
        let number = match file.place {
            Ok(number) => number,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        let op = Op { file: number, transfer: file.transfer, ..op };
        let succeeded = op.errno == 0;
        match call.command {
            READ | WRITE => return data(sink, file, call, reply, op),
            FLUSH => sink.push(Op { kind: OpKind::Sync, ..op })?,
            QUERY_INFO => sink.push(Op { kind: OpKind::Stat, ..op })?,
            LIST => {
                let start_ns = file.listing.map_or(call.at_ns, |(start_ns, _)| start_ns);
                file.listing = Some((start_ns, reply.at_ns));
                if reply.status != 0 {
                    end_listing(sink, file, op.stream)?;
                }
            }
            SET_INFO if call.deletes => file.delete_on_close |= succeeded,
            SET_INFO if !call.name.is_empty() => {
                let path = [&file.share[..], &call.name].concat();
                let new = if file.is_directory { sink.directory(&path)? } else { sink.file(&path)? };
                let Ok(new) = new else {
                    sink.leave_out("a rename into or out of the imported directory");
                    return Ok(());
                };
                if call.links {
                    if succeeded {
                        sink.known.linked(number, new);
                    }
                    let link = Op { kind: OpKind::Link, offset: u64::from(new), transfer: 0, ..op };
                    return Ok(sink.push(link)?);
                }
                sink.push(Op { kind: OpKind::Rename, offset: u64::from(new), transfer: 0, ..op })?;
                if succeeded {
                    sink.known.renamed(number, new);
                    file.place = Ok(new);
                }
            }
            SET_INFO => match call.size {
                Some(size) => {
                    sink.push(Op { kind: OpKind::Truncate, offset: size, ..op })?;
                    if succeeded {
                        file.node.resized(size);
                    }
                }
                None => sink.push(Op { kind: OpKind::SetAttr, ..op })?,
            },
            _ => sink.push(op)?,
        }
        Ok(())
    }

    fn close(&mut self, sink: &mut Sink, call: &Call, op: Op) -> LineResult {
        let Some(mut file) = self.open.remove(&call.file) else {
            sink.leave_out(UNKNOWN_HANDLE);
            return Ok(());
        };
        end_listing(sink, &mut file, op.stream)?;
        let number = match file.place {
            Ok(number) => number,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        if file.transfer == 0 {
            sink.leave_out("closes of files opened for their attributes");
        } else {
            sink.push(Op { kind: OpKind::Close, file: number, transfer: file.transfer, ..op })?;
        }
        if file.delete_on_close && op.errno == 0 {
            let kind = if file.is_directory { OpKind::RemoveDir } else { OpKind::Unlink };
            sink.known.removed(number);
            sink.push(Op { kind, file: number, ..op })?;
        }
        Ok(())
    }
}

fn data(sink: &mut Sink, file: &mut OpenFile, call: &Call, reply: &Reply, op: Op) -> LineResult {
    let (kind, done_len) = match call.command {
        READ if reply.status == END_OF_FILE || op.errno != 0 => (OpKind::Read, 0),
        READ => {
            let rest = file.node.size().map_or(u64::MAX, |size| size.saturating_sub(call.offset));
            (OpKind::Read, call.len.min(rest))
        }
        _ if op.errno != 0 => (OpKind::Write, 0),
        _ => (OpKind::Write, reply.count.unwrap_or(call.len)),
    };
    if kind == OpKind::Write && done_len > 0 {
        file.node.written(call.offset.saturating_add(done_len));
    }
    let mut transfer = op.transfer;
    if transfer == 0 {
        // It was opened with rights that tshark did not show as data access.
        transfer = sink.unseen_open(op.file, op.stream, op.start_ns)?;
        file.transfer = transfer;
    }
    sink.push(Op { kind, transfer, offset: call.offset, len: call.len, done_len, ..op })?;
    Ok(())
}

fn end_listing(sink: &mut Sink, file: &mut OpenFile, stream: u32) -> LineResult {
    if let (Some((start_ns, end_ns)), Ok(number)) = (file.listing.take(), file.place) {
        sink.push(Op::new(OpKind::ReadDir, number, stream, start_ns, end_ns, 0))?;
    }
    Ok(())
}

/// The open bits, by the disposition and the requested access rights.
fn open_bits(call: &Call) -> OpenBits {
    let access = call.access.unwrap_or(0);
    let bits = OpenBits::UNKNOWN
        .with_if(OpenBits::READ, access & 0x9200_0021 != 0)
        .with_if(OpenBits::WRITE, access & 0x5200_0006 != 0)
        .with_if(OpenBits::DSYNC, call.options & 2 != 0)
        .with_if(OpenBits::DIRECT, call.options & 8 != 0);
    disposition_bits(bits, call.disposition)
}

/// The meaning of dispositions on Windows: 0 supersede, 1 open, 2 create, 3 open-if, 4 overwrite, 5
/// overwrite-if.
pub(crate) fn disposition_bits(bits: OpenBits, disposition: u64) -> OpenBits {
    bits.with_if(OpenBits::CREATE, matches!(disposition, 0 | 2 | 3 | 5))
        .with_if(OpenBits::EXCLUSIVE, disposition == 2)
        .with_if(OpenBits::TRUNCATE, matches!(disposition, 0 | 4 | 5))
}
