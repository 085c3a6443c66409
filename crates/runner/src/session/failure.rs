//! The reason for a failed run as a plain sentence: what happened, where, when, and the remedy.

use std::io;
use std::path::Path;

use reelgauge_engine::area::AreaDir;
use reelgauge_machine::mount::{MountChange, MountId, MountKind};
use reelgauge_record::log::FileEntry;
use reelgauge_record::{OpKind, OpRecord};
use reelgauge_report::units::amount;

use crate::interrupt::StoppedBy;
use crate::session::drive::Ending;
use crate::session::free_space_watch::SpaceShortage;
use crate::session::interference::Interference;
use crate::session::timed_check::within_a_look;

/// Facts about the target, for a sentence about it.
#[derive(Debug)]
pub struct Circumstances<'a> {
    /// The reason for the stop, if it was stopped.
    pub stopped_by: StoppedBy,
    pub target: &'a Path,
    pub area_root: &'a Path,
    /// The open directory of the area.
    pub area: &'a AreaDir,
    /// The kind of storage.
    pub kind: MountKind,
    /// The mount at the start.
    pub mount_id: &'a MountId,
    /// The files, by index.
    pub files: &'a [FileEntry],
}

/// Why a run ended early; `None` if it did not.
pub fn sentence(ending: &Ending, circumstances: &Circumstances<'_>) -> Option<String> {
    let target = circumstances.target.display();
    match ending {
        Ending::OnTime | Ending::Exhausted => None,
        Ending::Interrupted => Some(circumstances.stopped_by.to_string()),
        Ending::Failed(record) if record.errno == 0 => Some(came_short(record, circumstances)),
        Ending::Failed(record) => Some(failed(record, circumstances)),
        Ending::Meddled(_) if mount_change(circumstances).is_some() => Some(format!(
            "{target} is no longer mounted, so its test files are not accessible. Mount it again, then \
             repeat the run"
        )),
        Ending::Meddled(found) => Some(meddled(found)),
        Ending::Hung { threads, longest } => Some(format!(
            "{target} has not responded for {:.0} s; {threads} worker threads are waiting. Check {}, then \
             repeat the run",
            longest.as_secs_f64(),
            circumstances.kind.where_to_look()
        )),
        Ending::NotReadBack { why, is_interrupted: true } => Some(format!(
            "{} while the run's data was read back for verification ({why}). All measurements are complete",
            circumstances.stopped_by
        )),
        Ending::NotReadBack { why, is_interrupted: false } => Some(format!(
            "the run's data could not be read back for verification ({why}). All measurements are complete"
        )),
        Ending::Unmounted => {
            Some(format!("{target} was unmounted during the run. Mount it again, then repeat the run"))
        }
        Ending::Crowded(SpaceShortage { available_bytes, kept_bytes }) => Some(format!(
            "other programs filled the storage: {} are free on {target}, but {} must stay free \
             (--keep-free). Free some space, then repeat the run",
            amount(*available_bytes),
            amount(*kept_bytes)
        )),
        Ending::Died { threads } => Some(format!(
            "{threads} measuring threads died. This is a bug in Reelgauge: report it with its output and \
             the run directory"
        )),
        Ending::Driver(error) => Some(error.to_string()),
        Ending::Stopped(error) => Some(format!("cannot continue: {error}")),
    }
}

fn failed(record: &OpRecord, circumstances: &Circumstances<'_>) -> String {
    let name = circumstances.files.get(record.file as usize).map_or("a file", |entry| entry.path.as_str());
    let error = io::Error::from_raw_os_error(record.errno);
    let at_s = record.done_ns as f64 / 1e9;
    let what = format!("the {} of {name} failed {at_s:.1} s into the run ({error})", record.kind.name());
    if mount_change(circumstances).is_some() {
        return format!(
            "{} is no longer mounted: {what}. Mount it again, then repeat the run",
            circumstances.target.display()
        );
    }
    if let Some(by) = put_in_its_place(record) {
        return format!("{what}: another process replaced it with {by}, at least temporarily. {FIND_OUT}");
    }
    let remedy = of_this_machine(record.errno).unwrap_or_else(|| remedy(error.kind()));
    format!("{what}. {remedy}")
}

/// The object that another program has put in a file's place, if the error shows it: no symbolic link is
/// followed, and a file with a second name is not written. It may have vanished again.
#[cfg(unix)]
fn put_in_its_place(record: &OpRecord) -> Option<&'static str> {
    use rustix::io::Errno;
    if !matches!(record.kind, OpKind::Open | OpKind::Create | OpKind::Truncate) {
        return None;
    }
    match Errno::from_raw_os_error(record.errno) {
        Errno::LOOP => Some("a symbolic link"),
        Errno::MLINK => Some("a hard link to a file elsewhere"),
        Errno::NOTDIR => Some("something that is not a directory"),
        Errno::ISDIR => Some("a directory"),
        Errno::XDEV => Some("something on another file system"),
        _ => None,
    }
}

#[cfg(not(unix))]
fn put_in_its_place(_record: &OpRecord) -> Option<&'static str> {
    None
}

/// The remedy if the local host refused the operation, which then never reached the storage.
#[cfg(unix)]
fn of_this_machine(errno: i32) -> Option<&'static str> {
    use rustix::io::Errno;
    Some(match Errno::from_raw_os_error(errno) {
        Errno::MFILE => {
            "This process has reached its limit of open files. Raise it (ulimit -n), or use fewer workers \
             or streams"
        }
        Errno::NFILE => {
            "This client has reached its limit of open files. Raise fs.file-max, or use fewer streams"
        }
        Errno::NOMEM => "This client is out of memory. Use smaller blocks, or fewer workers or streams",
        Errno::FBIG => {
            "The file would exceed the largest size that this process may write (ulimit -f) or the file \
             system supports. Raise that limit, or use smaller files"
        }
        _ => return None,
    })
}

#[cfg(not(unix))]
fn of_this_machine(_errno: i32) -> Option<&'static str> {
    None
}

const FIND_OUT: &str = "Find out what changes files there, then repeat the run";

fn meddled(found: &Interference) -> String {
    format!("{found} during the run. {FIND_OUT}")
}

/// A read or write that moved less than requested, without an error, of a file of known size.
fn came_short(record: &OpRecord, circumstances: &Circumstances<'_>) -> String {
    let name = circumstances.files.get(record.file as usize).map_or("a file", |entry| entry.path.as_str());
    let (kind, offset) = (record.kind.name(), record.offset);
    let (done, asked) = (record.done_len, record.len);
    let at_s = record.done_ns as f64 / 1e9;
    let what = format!(
        "the {kind} of {name} at byte {offset} transferred {done} of {asked} bytes, {at_s:.1} s into the run"
    );
    if mount_change(circumstances).is_some() {
        return format!(
            "{} is no longer mounted: {what}. Mount it again, then repeat the run",
            circumstances.target.display()
        );
    }
    let needed_bytes = offset + u64::from(asked);
    let (path, area) = (circumstances.area_root.join(name), circumstances.area.clone());
    let found = within_a_look(move || Interference::with_file(&area, &path, needed_bytes)).flatten();
    match (found, record.kind) {
        (Some(found), OpKind::Read) => format!("{what}: {}", meddled(&found)),
        (_, OpKind::Write) => format!(
            "{what}, without an error. The disk or the quota is probably full. Free some space, or use \
             fewer or smaller files"
        ),
        _ => format!(
            "{what}, without an error, although the file is long enough now. Another process truncated it \
             for a while, or the storage or the network path is faulty. Find out which process changes files \
             there, and check the storage's log and the kernel's (dmesg)"
        ),
    }
}

fn remedy(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull => "The disk is full. Free some space, or use fewer or smaller files",
        io::ErrorKind::ReadOnlyFilesystem => {
            "The volume was remounted read-only. Check the kernel's log (dmesg), mount it writable, then \
             repeat the run"
        }
        io::ErrorKind::QuotaExceeded => "The quota is used up. Raise it, or use fewer or smaller files",
        io::ErrorKind::NotFound => {
            "A test file has disappeared: another process removed it, or the target was unmounted. Check \
             both, then repeat the run"
        }
        io::ErrorKind::StaleNetworkFileHandle | io::ErrorKind::NotConnected => {
            "The server is down or was restarted. Check it, mount the share again, then repeat the run"
        }
        io::ErrorKind::PermissionDenied => "Permissions changed during the run. Check the share",
        _ => "The storage or the path to it is faulty. Check the storage's log and the kernel's (dmesg)",
    }
}

/// Whether the mount differs from the one at the start. A separate thread checks, because a dead mount
/// may never answer; no answer counts as no change.
fn mount_change(circumstances: &Circumstances<'_>) -> Option<MountChange> {
    let (id, root, target) =
        (*circumstances.mount_id, circumstances.area_root.to_path_buf(), circumstances.target.to_path_buf());
    let change = move || match id.changed(&root) {
        // A removed area or target does not mean a missing mount: check the nearest directory that exists.
        Some(MountChange::Gone(error)) if error.kind() == io::ErrorKind::NotFound => {
            match target.ancestors().find_map(|dir| MountId::capture(dir).ok()) {
                Some(now) if id.same_mount(&now) => None,
                Some(_) => Some(MountChange::Replaced),
                None => Some(MountChange::Gone(error)),
            }
        }
        other => other,
    };
    within_a_look(change).flatten()
}
