//! A folder whose data really pass through a Samba server behind a link. Reads and writes are those of
//! Samba's own client library, over TCP. Names and lengths come directly from the share's folder.
//!
//! That is enough to test what limits the data, and no more. [`crate::guest`] tests a mounted share with
//! the kernel's client. smbnetfs needs no virtual machine either, but it cannot open files as required.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use crate::daemon::Daemon;
use crate::faulty::{DataPath, Faulty};
use crate::link::{Link, SERVER};
use crate::needs::Need;
use crate::programs::tool_with;
use crate::scratch::Scratch;

/// The requirements of [`Samba::over`].
pub const NEEDS: &[Need] = &[
    Need::Root,
    Need::Fuse,
    Need::Tool("smbd"),
    Need::Tool("smbpasswd"),
    Need::SystemPython("smbc"),
    Need::Tool("ip"),
    Need::Tool("nsenter"),
];

/// The server's shell: smbd with this configuration. It starts smbd again while a file requests it.
const STARTED_AGAIN: &str = "while smbd --foreground --no-process-group --debug-stdout -s \"$0\"; [ -e \"$1\" ]; \
                             do rm \"$1\"; done";

/// The name of the file that requests another start.
const AGAIN: &str = "again";

/// A server of one share. Taken down on drop.
#[derive(Debug)]
pub struct SambaServer {
    // Dropped in this order.
    daemon: Daemon,
    scratch: Scratch,
    share: PathBuf,
    address: String,
}

impl SambaServer {
    /// Serves a fresh folder at this address, with these lines in the global section. `command` returns
    /// a command that runs on the server's host.
    ///
    /// # Panics
    /// If it does not start.
    pub fn serve(command: &dyn Fn(&str) -> Command, address: &str, global: &str) -> SambaServer {
        let scratch = Scratch::new();
        let share = scratch.dir("share");
        SambaServer::start(command, address, global, share, scratch)
    }

    /// Serves the same folder from another host, at every address that it has or receives.
    ///
    /// # Panics
    /// If it does not start.
    pub fn stand_by(&self, command: &dyn Fn(&str) -> Command) -> SambaServer {
        let anywhere = "  bind interfaces only = no\n";
        SambaServer::start(command, &self.address, anywhere, self.share.clone(), Scratch::new())
    }

    fn start(
        command: &dyn Fn(&str) -> Command,
        address: &str,
        global: &str,
        share: PathBuf,
        scratch: Scratch,
    ) -> SambaServer {
        std::fs::create_dir_all(scratch.path().join("state")).unwrap();
        let config = scratch.path().join("smb.conf");
        std::fs::write(&config, text(scratch.path(), &share, address, global)).unwrap();
        let password =
            format!("printf 'reelgauge\\nreelgauge\\n' | smbpasswd -c {} -s -a root", config.display());
        tool_with(&["sh", "-c", &password]).unwrap_or_else(|why| panic!("{why}"));
        let mut smbd = command("sh");
        smbd.args(["-c", STARTED_AGAIN]).arg(&config).arg(scratch.path().join(AGAIN));
        let listens = || {
            let listing = command("ss").args(["-H", "-l", "-n", "-t", "sport", "=", ":445"]).output();
            listing.is_ok_and(|output| !output.stdout.is_empty())
        };
        let daemon = Daemon::start(&mut smbd, &scratch.path().join("smbd.log"), listens);
        SambaServer { daemon, scratch, share, address: address.to_owned() }
    }

    /// Mounts the share on a host. `command` returns a command that runs there.
    ///
    /// # Panics
    /// If it cannot be mounted.
    pub fn mount(&self, command: &dyn Fn(&str) -> Command) -> Faulty {
        let python = command("/usr/bin/python3");
        let client = Client::start(python, self.scratch.path(), &self.share, &self.address);
        Faulty::through(Arc::new(client), self.share(), &format!("root@{}:/share", self.address), "smbc")
    }

    /// The share's folder on the server.
    pub fn share(&self) -> PathBuf {
        self.share.clone()
    }

    /// A shell command that kills it for good. An smbd that exits kills its whole process group.
    pub fn killing(&self) -> String {
        let shell = self.daemon.pid();
        format!(
            "set -- $(cat /proc/{shell}/task/{shell}/children) && \
             kill -KILL $(cat /proc/$1/task/$1/children) $1 && \
             for beat in $(seq 100); do [ -e /proc/$1 ] || break; sleep 0.1; done && [ ! -e /proc/$1 ]"
        )
    }
}

/// The folder, its server and its client. Taken down on drop.
#[derive(Debug)]
pub struct Samba {
    // Dropped in this order.
    mounted: Faulty,
    server: SambaServer,
    link: Link,
}

impl Samba {
    /// Serves a fresh folder through a link, with these lines in the global section.
    ///
    /// # Panics
    /// If something cannot be set up.
    pub fn over(link: Link, global: &str) -> Samba {
        let server = SambaServer::serve(&|program| link.on_server(program), SERVER, global);
        let mounted = server.mount(&|program| link.on_client(program));
        Samba { mounted, server, link }
    }

    pub fn path(&self) -> PathBuf {
        self.mounted.path()
    }

    /// The share's folder on the server.
    pub fn on_server(&self) -> PathBuf {
        self.mounted.backing()
    }

    /// The link between client and server.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// A shell command that puts these lines into the server's global section and makes its clients
    /// reconnect.
    ///
    /// # Panics
    /// If the lines cannot be written.
    pub fn setting(&self, name: &str, global: &str) -> String {
        let folder = self.server.scratch.path();
        let prepared = folder.join(name);
        std::fs::write(&prepared, text(folder, &self.server.share, SERVER, global)).unwrap();
        // Reloading its configuration is not enough: the listening socket keeps its options, and new
        // connections inherit them.
        format!(
            "cp {} {} && touch {} && {} && sleep 1",
            prepared.display(),
            folder.join("smb.conf").display(),
            folder.join(AGAIN).display(),
            self.server.killing(),
        )
    }

    /// Writes the output of `smbstatus --json` and `testparm -s -v` into a folder, as a collecting
    /// script does.
    ///
    /// # Panics
    /// If one of them fails.
    pub fn collect_into(&self, folder: &Path) {
        let config = self.server.scratch.path().join("smb.conf").display().to_string();
        for (name, words) in [
            ("smbstatus --json", &["smbstatus", "--json", "-s", &config][..]),
            ("testparm -s -v", &["testparm", "-s", "-v", &config]),
        ] {
            let said = tool_with(words).unwrap_or_else(|why| panic!("{why}"));
            std::fs::write(folder.join(name), said).unwrap();
        }
    }
}

fn text(folder: &Path, share: &Path, address: &str, global: &str) -> String {
    let state = folder.join("state").display().to_string();
    let own: String =
        ["private dir", "pid directory", "lock directory", "state directory", "cache directory"]
            .iter()
            .map(|what| format!("  {what} = {state}\n"))
            .collect();
    format!(
        "[global]\n  server role = standalone server\n  netbios name = REELGAUGE\n  smb ports = 445\n\
         \x20 interfaces = {address}/24\n  bind interfaces only = yes\n  disable netbios = yes\n{own}\
         \x20 ncalrpc dir = {state}/ncalrpc\n  log file = {state}/log.%m\n  load printers = no\n\
         \x20 passdb backend = tdbsam:{state}/passdb.tdb\n  server min protocol = SMB3\n{global}\n\
         [share]\n  path = {}\n  read only = no\n  force user = root\n",
        share.display(),
    )
}

/// A process on the client's side that reads and writes.
#[derive(Debug)]
struct Client {
    /// The share's folder on the server.
    share: PathBuf,
    pipes: Mutex<(ChildStdin, ChildStdout)>,
    child: Mutex<Child>,
}

impl Client {
    fn start(mut python: Command, folder: &Path, share: &Path, address: &str) -> Client {
        let settings = folder.join("home/.smb");
        std::fs::create_dir_all(&settings).unwrap();
        std::fs::write(settings.join("smb.conf"), "[global]\n  client max protocol = SMB3\n").unwrap();
        python.env("HOME", folder.join("home"));
        python.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("python/smb_data.py"));
        python.arg(format!("smb://{address}/share")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let log = File::options().create(true).append(true).open(folder.join("client.log"));
        python.stderr(log.unwrap());
        let mut child = python.spawn().unwrap();
        let pipes = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Client { share: share.to_owned(), pipes: Mutex::new(pipes), child: Mutex::new(child) }
    }

    /// Sends a request. Returns the number of bytes transferred, and the data.
    fn ask(
        &self,
        kind: u8,
        path: &Path,
        (offset, length): (u64, usize),
        data: &[u8],
        into: &mut [u8],
    ) -> io::Result<usize> {
        let number = std::fs::metadata(self.share.join(path))?.ino();
        let path = path.to_string_lossy();
        let of = |length: usize| u32::try_from(length).unwrap().to_le_bytes();
        let mut request = vec![kind];
        request.extend(offset.to_le_bytes());
        request.extend(of(length));
        request.extend(number.to_le_bytes());
        request.extend(of(path.len()));
        request.extend(path.as_bytes());
        request.extend(data);
        let mut pipes = self.pipes.lock().unwrap();
        pipes.0.write_all(&request)?;
        let mut answer = [0; 4];
        pipes.1.read_exact(&mut answer)?;
        let answer = i32::from_le_bytes(answer);
        let Ok(done) = usize::try_from(answer) else {
            return Err(io::Error::from_raw_os_error(-answer));
        };
        if kind == b'r' {
            pipes.1.read_exact(&mut into[..done])?;
        }
        Ok(done)
    }
}

impl DataPath for Client {
    fn read_at(&self, path: &Path, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.ask(b'r', path, (offset, into.len()), &[], into)
    }

    fn write_all_at(&self, path: &Path, data: &[u8], offset: u64) -> io::Result<()> {
        let done = self.ask(b'w', path, (offset, data.len()), data, &mut [])?;
        if done == data.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap();
        let _ = child.kill();
        let _ = child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mounts;

    #[test]
    fn written_data_reach_the_share_and_the_bed_is_removed() {
        if !crate::needs::are_met(NEEDS) || !crate::needs::are_met(&[Need::Tool("tc")]) {
            return;
        }
        let samba = Samba::over(Link::new(400), "");
        std::fs::write(samba.path().join("file"), "hello").unwrap();
        assert_eq!(std::fs::read(samba.on_server().join("file")).unwrap(), b"hello");
        assert_eq!(std::fs::read(samba.path().join("file")).unwrap(), b"hello");
        let connected = samba.link().on_client("ss").args(["-Htn", "dst", SERVER]).output().unwrap();
        assert!(String::from_utf8_lossy(&connected.stdout).contains(":445"), "the data went over SMB");
        let point = samba.path();
        drop(samba);
        assert!(mounts::below(&point).is_empty());
    }
}
