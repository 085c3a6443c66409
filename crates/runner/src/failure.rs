//! A failed run in a plain sentence: what happened, where, when, and what to do about it.

use std::io;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use reelgauge_engine::mount::{MountChange, MountId};
use reelgauge_record::OpRecord;
use reelgauge_record::log::FileEntry;

use crate::point::Ending;

/// How long a look at a mount that may be dead may take.
const LOOK: Duration = Duration::from_secs(1);

/// What is known of the target, for a sentence about it.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The target.
    pub target: &'a Path,
    /// Its area.
    pub area_root: &'a Path,
    /// The mount, as it was at the start.
    pub mount_id: &'a MountId,
    /// The files, by index.
    pub files: &'a [FileEntry],
}

/// Why a run broke off; `None` when it did not.
pub fn sentence(ending: &Ending, scene: &Scene<'_>) -> Option<String> {
    let target = scene.target.display();
    match ending {
        Ending::OnTime | Ending::Exhausted => None,
        Ending::Interrupted => Some("somebody stopped it".to_owned()),
        Ending::Failed(record) => Some(failed(record, scene)),
        Ending::Hung { threads, longest } => Some(format!(
            "nothing has come back from {target} for {:.0} s, with {threads} worker threads waiting; check the \
             server and the network, then run again",
            longest.as_secs_f64()
        )),
        Ending::Driver(error) => Some(error.to_string()),
        Ending::Stopped(error) => Some(format!("it could not go on: {error}")),
    }
}

fn failed(record: &OpRecord, scene: &Scene<'_>) -> String {
    let name = scene.files.get(record.file as usize).map_or("a file", |entry| entry.path.as_str());
    let error = io::Error::from_raw_os_error(record.errno);
    let at_s = record.done_ns as f64 / 1e9;
    let what = format!("the {} of {name} failed {at_s:.1} s into the run ({error})", record.kind.name());
    if mount_change(scene).is_some() {
        return format!(
            "the mount is gone from {}: {what}; mount it again, then run again",
            scene.target.display()
        );
    }
    format!("{what}; {}", remedy(error.kind()))
}

fn remedy(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull => "the disk is full: make room, or use fewer or smaller files",
        io::ErrorKind::QuotaExceeded => "the quota is used up: have it raised, or use fewer or smaller files",
        io::ErrorKind::NotFound => {
            "a test file vanished: something else removes files there, or the mount is gone"
        }
        io::ErrorKind::StaleNetworkFileHandle | io::ErrorKind::NotConnected => {
            "the server is gone or restarted: check it, mount it again, then run again"
        }
        io::ErrorKind::PermissionDenied => "the rights changed during the run: check the share",
        _ => "the storage or the path to it is faulty: check its own log and the kernel's (dmesg)",
    }
}

/// Whether the mount is another one than at the start. Asked on a thread of its own, because a dead mount
/// may never answer; no answer is no change.
fn mount_change(scene: &Scene<'_>) -> Option<MountChange> {
    let (sender, answer) = channel();
    let (id, root) = (*scene.mount_id, scene.area_root.to_path_buf());
    std::thread::spawn(move || {
        let _ = sender.send(id.changed(&root));
    });
    answer.recv_timeout(LOOK).ok().flatten()
}
