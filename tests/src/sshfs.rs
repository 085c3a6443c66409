//! A folder mounted over SSH from a local server, behind a link of limited speed.
//!
//! Of the network file systems that need no kernel module, only this one handles positional reads and
//! writes correctly. Everyday tests use it for all of them; real NFS and SMB clients are in
//! [`crate::guest`].

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::daemon::Daemon;
use crate::link::{Link, SERVER};
use crate::mounts::{self, Mounted, TempMount};
use crate::needs::Need;
use crate::programs::tool;
use crate::scratch::Scratch;

/// The requirements of [`Sshfs::mount`].
pub const NEEDS: &[Need] = &[
    Need::Root,
    Need::Fuse,
    Need::Tool("sshfs"),
    Need::Tool("sshd"),
    Need::Tool("ssh-keygen"),
    Need::Tool("ip"),
    Need::Tool("tc"),
    Need::Tool("nsenter"),
];

/// A mounted folder, its client and its server. Taken down on drop.
#[derive(Debug)]
pub struct Sshfs {
    // Dropped in this order: ending the client releases its mount, and ending the server releases its
    // files.
    client: Daemon,
    mounted: Mounted,
    server: Daemon,
    /// The served folder is in memory. The link is measured, and a disk would add its own delays.
    served: TempMount,
    link: Link,
    _scratch: Scratch,
    point: PathBuf,
}

/// Room on the server.
const SERVED_MIB: u32 = 4096;

impl Sshfs {
    /// Mounts a fresh folder through a link of this many Mbit/s.
    ///
    /// # Panics
    /// If something cannot be set up.
    pub fn mount(mbit: u32) -> Sshfs {
        Sshfs::mount_with(mbit, &[])
    }

    /// The same, with full access for every local user.
    pub fn for_all(mbit: u32) -> Sshfs {
        Sshfs::mount_with(mbit, &["allow_other"])
    }

    /// The same through an existing link.
    pub fn over(link: Link) -> Sshfs {
        Sshfs::mount_over(link, &[])
    }

    /// The same, but it reconnects after a lost connection.
    pub fn connecting_again(link: Link) -> Sshfs {
        Sshfs::mount_over(link, &["reconnect"])
    }

    fn mount_with(mbit: u32, options: &[&str]) -> Sshfs {
        Sshfs::mount_over(Link::new(mbit), options)
    }

    fn mount_over(link: Link, options: &[&str]) -> Sshfs {
        let scratch = Scratch::new();
        let server = serve(&link, scratch.path());
        let (served, point) = (TempMount::tmpfs(SERVED_MIB), scratch.dir("mnt"));
        let client = connect(&link, &scratch, served.path(), &point, options);
        Sshfs { client, mounted: Mounted::at(point.clone()), server, served, link, _scratch: scratch, point }
    }

    pub fn path(&self) -> &Path {
        &self.point
    }

    /// The folder on the server.
    pub fn on_server(&self) -> PathBuf {
        self.served.path().to_owned()
    }

    /// Kills the client. The mount stays and answers only errors.
    pub fn kill_client(&mut self) {
        self.client.kill();
    }

    /// Kills the server and all its connections.
    pub fn kill_server(&mut self) {
        self.server.kill();
    }

    /// The server's processes, including those of its connections.
    pub fn server_processes(&self) -> Vec<u32> {
        let mut all = self.server.children();
        all.push(self.server.pid());
        all
    }

    /// The link between client and server.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// The guard of the mount point.
    pub fn mounted(&self) -> &Mounted {
        &self.mounted
    }
}

/// Starts an SSH server with its own keys and configuration.
fn serve(link: &Link, folder: &Path) -> Daemon {
    let at = folder.display();
    for key in ["host", "user"] {
        tool_with_empty_passphrase(&folder.join(key));
    }
    std::fs::copy(folder.join("user.pub"), folder.join("authorized")).unwrap();
    let config = format!(
        "Port 22\nListenAddress {SERVER}\nHostKey {at}/host\nAuthorizedKeysFile {at}/authorized\n\
         StrictModes no\nPidFile none\nSubsystem sftp internal-sftp\nUsePAM no\nPermitRootLogin yes\n\
         PasswordAuthentication no\n"
    );
    std::fs::write(folder.join("sshd_config"), config).unwrap();
    // sshd needs this folder to drop its privileges; usually an init script makes it.
    std::fs::create_dir_all("/run/sshd").unwrap();
    let mut sshd = link.on_server("/usr/sbin/sshd");
    sshd.args(["-D", "-e", "-f"]).arg(folder.join("sshd_config"));
    Daemon::start(&mut sshd, &folder.join("sshd.log"), || link.server_listens(22))
}

/// Makes a key pair that needs no passphrase.
fn tool_with_empty_passphrase(path: &Path) {
    let path = path.to_string_lossy();
    crate::programs::tool_with(&["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", &path]).unwrap();
}

/// Mounts the served folder.
fn connect(link: &Link, scratch: &Scratch, served: &Path, point: &Path, options: &[&str]) -> Daemon {
    let mut sshfs: Command = link.on_client("sshfs");
    let key = format!("IdentityFile={}", scratch.path().join("user").display());
    sshfs.args(["-f", "-F", "/dev/null", "-o", &key]);
    for option in
        ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "IdentitiesOnly=yes", "BatchMode=yes"]
    {
        sshfs.args(["-o", option]);
    }
    for option in options {
        sshfs.args(["-o", option]);
    }
    sshfs.arg(format!("root@{SERVER}:{}", served.display())).arg(point);
    let log = scratch.path().join("sshfs.log");
    let client = Daemon::start(&mut sshfs, &log, || !mounts::below(point).is_empty());
    tool(&format!("ls {}", point.display()));
    client
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_data_reach_the_server_and_the_bed_is_removed() {
        if !crate::needs::are_met(NEEDS) {
            return;
        }
        let mut sshfs = Sshfs::mount(100);
        let (point, client, server) = (sshfs.path().to_owned(), sshfs.client.pid(), sshfs.server.pid());
        std::fs::write(point.join("file"), "hello").unwrap();
        assert_eq!(std::fs::read(sshfs.on_server().join("file")).unwrap(), b"hello");
        assert!(sshfs.client.is_running() && sshfs.server.is_running());
        drop(sshfs);
        assert!(mounts::below(&point).is_empty() && !point.exists());
        for pid in [client, server] {
            assert!(!Path::new(&format!("/proc/{pid}")).exists());
        }
    }

    #[test]
    fn a_killed_client_leaves_a_mount_that_fails() {
        if !crate::needs::are_met(NEEDS) {
            return;
        }
        let mut sshfs = Sshfs::mount(100);
        sshfs.kill_client();
        assert!(std::fs::write(sshfs.path().join("file"), "hello").is_err());
        assert_eq!(mounts::below(sshfs.path()).len(), 1);
    }
}
