//! Mounting and unmounting: as root by the system call, else by the helper `fusermount3`.
//!
//! The recorder is usually mounted over the directory that it records, which may itself be a mount, such
//! as a NAS. So nothing is unmounted before the system has confirmed that the topmost mount there is
//! ours: every mount has a unique name. The system's list of mounts is read by hand: procfs-core leaves
//! the names in it escaped.
//!
//! A small separate process, a shell that waits for a pipe to close, unmounts when this one is killed.

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

/// The device that file systems in user space are served through.
const DEVICE: &str = "/dev/fuse";
/// The helper for those who may not mount.
const HELPER: &str = "fusermount3";
/// How long a mount that is in use is waited for.
const BUSY_WAIT: Duration = Duration::from_secs(2);

/// What the process that outlives us does. `$1` is our mount's name, `$2` where it is.
const WATCHDOG: &str = r#"trap '' INT TERM HUP QUIT
read -r word && [ "$word" = done ] && exit 0
grep -q -F " $1 " /proc/self/mountinfo || exit 0
umount -l -- "$2" 2>/dev/null || fusermount3 -u -z -- "$2""#;

/// A mount of ours. Unmounted on drop.
#[derive(Debug)]
pub(crate) struct Mounted {
    point: PathBuf,
    /// What the system lists as its source.
    name: String,
    /// The number of its connection, by which the kernel can end it.
    connection: Option<u32>,
    watchdog: Option<(Child, ChildStdin)>,
    is_gone: bool,
}

/// How an unmount has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unmounted {
    /// It was unmounted.
    Clean,
    /// It was detached, and lives on for processes that still use it: their names and numbers.
    Busy(Vec<String>),
}

/// Mounts over a directory. Gives the mount and the connection to serve.
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

/// Whether there is anything to serve through, and whether we may.
fn check_device() -> Result<(), CaptureError> {
    // The helper has more rights than we have, but it opens the device with ours.
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
        // Then the kernel has to check who may do what; we may do everything.
        options.push_str(",allow_other,default_permissions");
    }
    let options = std::ffi::CString::new(options).map_err(|_| Errno::INVAL)?;
    let flags = MountFlags::NODEV | MountFlags::NOSUID;
    mount(name, point, "fuse.reelgauge", flags, Some(options.as_c_str()))?;
    Ok(OwnedFd::from(device))
}

/// The helper mounts and sends the connection through a socket.
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

/// Takes the descriptor that the helper sends.
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

/// Starts the process that unmounts if this one is killed.
fn watch(mounted: &Mounted) -> io::Result<(Child, ChildStdin)> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", WATCHDOG, "reelgauge-watchdog", &mounted.name])
        .arg(&mounted.point)
        // Not where it would keep a mount busy.
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C in a terminal goes to the whole group.
        .process_group(0)
        .spawn()?;
    let stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((child, stdin))
}

impl Mounted {
    /// What lies on top at the place, if that is ours.
    fn on_top(&self) -> Option<mountinfo::Entry> {
        let mut list = mountinfo::here().unwrap_or_default();
        let point = self.point.as_os_str().as_bytes();
        let top = list.iter().rposition(|entry| entry.mount_point == point)?;
        Some(list.swap_remove(top)).filter(|entry| entry.source == self.name)
    }

    fn is_on_top(&self) -> bool {
        self.on_top().is_some()
    }

    /// The processes in other mount namespaces that hold a copy of it, as far as we may see.
    pub(crate) fn holders(&self) -> Vec<String> {
        holders::of(&self.name, &Host::here(), std::process::id())
    }

    /// Ends the connection for every copy of the mount, in every namespace.
    pub(crate) fn abort(&self) -> io::Result<()> {
        let number = self.connection.ok_or(io::ErrorKind::NotFound)?;
        std::fs::write(format!("/sys/fs/fuse/connections/{number}/abort"), "1")
    }

    /// Unmounts; waits a little for those who still use it, then takes it from its place all the same.
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

    /// The watchdog has nothing to do any more.
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

/// Processes that have a file of a file system open, run a program of it or have it as current
/// directory, as far as we may see.
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

/// Whether a directory is a killed recorder's leftover: a mount without a server.
pub(crate) fn is_dead(error: &io::Error) -> bool {
    // What was asked at the moment in which it died is aborted.
    matches!(Errno::from_io_error(error), Some(Errno::NOTCONN | Errno::CONNABORTED))
}

/// Whether one path is the other or lies below it.
pub(crate) fn is_within(path: &Path, dir: &Path) -> bool {
    path.starts_with(dir)
}

/// A mount point's path as an argument.
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
    fn the_mount_point_replaces_its_sign_wherever_it_stands() {
        let put = |text: &str| put_in(OsStr::new(text), Path::new("/m"));
        assert_eq!(put("{}"), "/m");
        assert_eq!(put("if={}/a.mov,{}/b"), "if=/m/a.mov,/m/b");
        assert_eq!(put("{ }"), "{ }");
    }
}
