//! A folder as an SMB share on the local host, and a client in user space. The kernel's own SMB client
//! is in [`crate::guest`]. This one needs no virtual machine, and no network but the loopback.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use crate::daemon::Daemon;
use crate::needs::Need;
use crate::programs::tool_with;
use crate::scratch::Scratch;

/// The requirements of the share and its client.
pub const NEEDS: [Need; 3] = [Need::Root, Need::Tool("smbd"), Need::SystemPython("smbc")];

/// A share. Its server is killed on drop.
#[derive(Debug)]
pub struct Share {
    port: u16,
    _server: Daemon,
    _scratch: Scratch,
}

impl Share {
    /// Shares a folder with write access for every user, with these lines in the share's section.
    ///
    /// # Panics
    /// If the server does not start.
    pub fn of(folder: &Path, options: &str) -> Share {
        Share::by(Command::new("smbd"), folder, options)
    }

    /// The same, with strace recording all file system calls of the server.
    ///
    /// # Panics
    /// If the server does not start.
    pub fn traced(folder: &Path, text: &Path) -> Share {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-ttt", "-T", "-y", "-s", "0", "-e", "trace=%file,%desc,%process", "-o"]);
        strace.arg(text).arg("smbd");
        Share::by(strace, folder, "")
    }

    fn by(mut smbd: Command, folder: &Path, options: &str) -> Share {
        let scratch = Scratch::new();
        // The port was free a moment ago. Another process may take it first; the server then ends at
        // once.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let state = scratch.dir("state").display().to_string();
        let config = format!(
            "[global]\n server role = standalone server\n map to guest = Bad User\n guest account = root\n \
             lock directory = {state}\n state directory = {state}\n cache directory = {state}\n \
             pid directory = {state}\n private dir = {state}\n ncalrpc dir = {state}/ncalrpc\n \
             log file = {state}/log\n smb ports = {port}\n bind interfaces only = yes\n interfaces = lo\n \
             disable netbios = yes\n load printers = no\n server min protocol = SMB2_02\n\
             [media]\n path = {}\n read only = no\n guest ok = yes\n force user = root\n{options}\n",
            folder.display()
        );
        let path = scratch.path().join("smb.conf");
        std::fs::write(&path, config).unwrap();
        smbd.args(["--foreground", "--no-process-group", "--debug-stdout", "-s"]).arg(&path);
        let answers = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        let server = Daemon::start(&mut smbd, &scratch.path().join("smbd.log"), answers);
        Share { port, _server: server, _scratch: scratch }
    }

    /// Writes a file through it, with a single byte ahead every `spacing` bytes; 0 for none.
    ///
    /// # Panics
    /// If the client fails.
    #[track_caller]
    pub fn write_with_hints(&self, name: &str, total_bytes: u64, spacing: u64) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/smb_hints.py");
        let url = format!("smb://127.0.0.1:{}/media/{name}", self.port);
        let (total, spacing) = (total_bytes.to_string(), spacing.to_string());
        let words = ["/usr/bin/python3", &script.to_string_lossy(), &url, &total, &spacing];
        tool_with(&words).unwrap_or_else(|why| panic!("{why}"));
    }
}
