//! Mounting and unmounting: as root by the system call, otherwise by the helper `fusermount3`.
//!
//! The recorder is usually mounted over the directory that it records, which may itself be a mount, such
//! as a NAS. So it unmounts only after checking in the system's mount list that the topmost mount there
//! is its own: every mount has a unique name. The mount list is parsed here, because procfs-core does
//! not unescape the names in it.
//!
//! A small separate process, a shell that waits for a pipe to close, unmounts if the recorder is killed.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use reelgauge_machine::mountinfo;
use reelgauge_machine::process::{self, Task};
use reelgauge_machine::source::Host;
use rustix::fs::{AtFlags, CWD, statat};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::{CaptureError, holders};

/// The device for file systems in user space.
const DEVICE: &str = "/dev/fuse";
/// The helper for users who may not mount.
const HELPER: &str = "fusermount3";
/// How long to wait for users of the mount before it is detached.
const BUSY_WAIT: Duration = Duration::from_secs(2);

/// The script of the watchdog process, which outlives the recorder. `$1` is the mount's name, `$2` its
/// path.
const WATCHDOG: &str = r#"trap '' INT TERM HUP QUIT
read -r word && [ "$word" = done ] && exit 0
grep -q -F " $1 " /proc/self/mountinfo || exit 0
umount -l -- "$2" 2>/dev/null || fusermount3 -u -z -- "$2""#;

/// A mount of the recorder. Unmounted on drop.
#[derive(Debug)]
pub(crate) struct Mounted {
    point: PathBuf,
    /// Its source in the system's mount list.
    name: String,
    /// The number of its connection, by which the kernel can abort it.
    connection: Option<u32>,
    watchdog: Option<(Child, ChildStdin)>,
    is_gone: bool,
}

/// The result of an unmount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unmounted {
    /// It was unmounted, and no process uses it any more.
    Clean,
    /// It was detached, but is still in use by these processes (names and numbers).
    Busy(Vec<String>),
}

/// Mounts over a directory. Returns the mount and the connection to serve.
pub(crate) fn mount_at(point: &Path, allow_other: bool) -> Result<(Mounted, OwnedFd), CaptureError> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    check_device()?;
    let name = format!("reelgauge-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let failed = |why: String| CaptureError::Mount { point: point.to_owned(), why };
    let device = match mount_by_call(point, &name, allow_other) {
        Err(Errno::PERM | Errno::ACCESS) => mount_by_helper(point, &name, allow_other).map_err(failed)?,
        result => result.map_err(|error| failed(error.to_string()))?,
    };
    let mut mounted =
        Mounted { point: point.to_owned(), name, connection: None, watchdog: None, is_gone: false };
    mounted.connection = mounted.on_top().map(|entry| entry.device.1);
    mounted.watchdog = watch(&mounted).ok();
    Ok((mounted, device))
}

/// Checks that the FUSE device exists and that the user may use it.
fn check_device() -> Result<(), CaptureError> {
    // The helper runs with more rights, but opens the device with the user's.
    match OpenOptions::new().read(true).write(true).open(DEVICE) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(CaptureError::NoRights),
        Err(_) => Err(CaptureError::NoDevice),
    }
}

fn mount_by_call(point: &Path, name: &str, allow_other: bool) -> Result<OwnedFd, Errno> {
    let device = OpenOptions::new().read(true).write(true).open(DEVICE);
    let device = device.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let mode = statat(CWD, point, AtFlags::empty())?.st_mode;
    let (uid, gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    let mut options = format!("fd={},rootmode={mode:o},user_id={uid},group_id={gid}", device.as_raw_fd());
    if allow_other {
        // The kernel must then check permissions, because the recorder may access everything.
        options.push_str(",allow_other,default_permissions");
    }
    let options = std::ffi::CString::new(options).map_err(|_| Errno::INVAL)?;
    let flags = MountFlags::NODEV | MountFlags::NOSUID;
    mount(name, point, "fuse.reelgauge", flags, Some(options.as_c_str()))?;
    Ok(OwnedFd::from(device))
}

/// Lets the helper mount and send the connection through a socket.
fn mount_by_helper(point: &Path, name: &str, allow_other: bool) -> Result<OwnedFd, String> {
    let text = |error: io::Error| error.to_string();
    let (ours, theirs) = UnixStream::pair().map_err(text)?;
    fcntl_setfd(&theirs, FdFlags::empty()).map_err(|error| error.to_string())?;
    let mut options = format!("fsname={name},subtype=reelgauge");
    if allow_other {
        options.push_str(",allow_other,default_permissions");
    }
    let mut helper = Command::new(HELPER)
        .args(["-o", &options, "--"])
        .arg(point)
        .env("_FUSE_COMMFD", theirs.as_raw_fd().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {HELPER}: {error}. Install the package fuse3"))?;
    drop(theirs);
    let device = receive(&ours);
    let mut said = String::new();
    if let Some(mut stderr) = helper.stderr.take() {
        let _ = stderr.read_to_string(&mut said);
    }
    let _ = helper.wait();
    device.ok_or_else(|| match said.trim() {
        "" => format!("{HELPER} returned no connection"),
        said => said.to_owned(),
    })
}

/// Receives the descriptor from the helper.
fn receive(socket: &UnixStream) -> Option<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0; 1];
    let flags = RecvFlags::CMSG_CLOEXEC;
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, flags).ok()?;
    control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })
}

/// Starts the process that unmounts if the recorder is killed.
fn watch(mounted: &Mounted) -> io::Result<(Child, ChildStdin)> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", WATCHDOG, "reelgauge-watchdog", &mounted.name])
        .arg(&mounted.point)
        // Its working directory must not keep a mount busy.
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C in a terminal is sent to the whole process group.
        .process_group(0)
        .spawn()?;
    let stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((child, stdin))
}

impl Mounted {
    /// The topmost mount at this path, if it is the recorder's.
    fn on_top(&self) -> Option<mountinfo::Entry> {
        let mut list = mountinfo::here().unwrap_or_default();
        let point = self.point.as_os_str().as_bytes();
        let top = list.iter().rposition(|entry| entry.mount_point == point)?;
        Some(list.swap_remove(top)).filter(|entry| entry.source == self.name)
    }

    fn is_on_top(&self) -> bool {
        self.on_top().is_some()
    }

    /// The processes in other mount namespaces with a copy of the mount, as far as visible.
    pub(crate) fn holders(&self) -> Vec<String> {
        holders::of(&self.name, &Host::here(), std::process::id())
    }

    /// Aborts the connection for every copy of the mount, in all namespaces.
    pub(crate) fn abort(&self) -> io::Result<()> {
        let number = self.connection.ok_or(io::ErrorKind::NotFound)?;
        std::fs::write(format!("/sys/fs/fuse/connections/{number}/abort"), "1")
    }

    /// Unmounts. Waits a little for users of the mount, then detaches it.
    pub(crate) fn unmount(&mut self) -> Unmounted {
        let device = statat(CWD, &self.point, AtFlags::empty()).map(|stat| stat.st_dev).ok();
        let begin = Instant::now();
        while self.is_on_top() {
            if self.ask(false) {
                continue;
            }
            if begin.elapsed() > BUSY_WAIT {
                let users = device.map(users_of).unwrap_or_default();
                self.ask(true);
                self.end();
                return Unmounted::Busy(users);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.end();
        Unmounted::Clean
    }

    fn ask(&self, lazily: bool) -> bool {
        let flags = if lazily { UnmountFlags::DETACH } else { UnmountFlags::empty() };
        match unmount(&self.point, flags | UnmountFlags::NOFOLLOW) {
            Ok(()) => true,
            Err(Errno::PERM) => {
                let how: &[&str] = if lazily { &["-u", "-z", "-q", "--"] } else { &["-u", "-q", "--"] };
                let status = Command::new(HELPER)
                    .args(how)
                    .arg(&self.point)
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status();
                status.is_ok_and(|status| status.success())
            }
            Err(_) => false,
        }
    }

    /// Ends the watchdog, which has nothing to unmount any more.
    fn end(&mut self) {
        self.is_gone = true;
        if let Some((mut child, mut stdin)) = self.watchdog.take() {
            let _ = stdin.write_all(b"done\n");
            drop(stdin);
            let _ = child.wait();
        }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if !self.is_gone {
            self.unmount();
        }
    }
}

/// Processes that have a file of a file system open, run a program from it or have their working
/// directory on it, as far as visible.
fn users_of(device: u64) -> Vec<String> {
    let here = Host::here();
    let mut users = process::all(&here);
    users.retain(|process| uses(Path::new(Task::of(*process).folder()), device));
    users.into_iter().map(|process| process::described(&here, process)).collect()
}

fn uses(process: &Path, device: u64) -> bool {
    let lies_there =
        |path: &Path| statat(CWD, path, AtFlags::empty()).is_ok_and(|stat| stat.st_dev == device);
    let open = std::fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    ["cwd", "root", "exe"].iter().any(|link| lies_there(&process.join(link)))
        || open.map(|entry| entry.path()).any(|path| lies_there(&path))
}

/// Whether a directory is the leftover of a killed recorder: a mount without a server.
pub(crate) fn is_dead(error: &io::Error) -> bool {
    // A request at the moment of the kill is aborted.
    matches!(Errno::from_io_error(error), Some(Errno::NOTCONN | Errno::CONNABORTED))
}

/// Whether a path is the directory itself or below it.
pub(crate) fn is_within(path: &Path, dir: &Path) -> bool {
    path.starts_with(dir)
}

/// Replaces each `{}` in an argument by the mount point.
pub(crate) fn put_in(argument: &OsStr, point: &Path) -> std::ffi::OsString {
    let (bytes, point) = (argument.as_bytes(), point.as_os_str().as_bytes());
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"{}") {
            out.extend_from_slice(point);
            at += 2;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    std::ffi::OsString::from_vec(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_point_replaces_its_placeholder_everywhere() {
        let put = |text: &str| put_in(OsStr::new(text), Path::new("/m"));
        assert_eq!(put("{}"), "/m");
        assert_eq!(put("if={}/a.mov,{}/b"), "if=/m/a.mov,/m/b");
        assert_eq!(put("{ }"), "{ }");
    }
}
