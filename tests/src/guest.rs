//! A virtual machine with real NFS and SMB clients.
//!
//! The local kernel may have neither. Debian's cloud kernel has both; it runs here in QEMU with an
//! emulated processor, so that no hardware support is needed. That is slow and inflates every time. The
//! guest shows what is *right* on such mounts, never how fast they are.
//!
//! The servers run on the host, each in a network namespace, behind a shaped link.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::binary;
use crate::daemon::Daemon;
use crate::link::{Link, SERVER};
use crate::needs::{self, Need};
use crate::programs::{tool, tool_with, try_tool};
use crate::scratch::{Scratch, target_dir};

/// The requirements of [`Guest::boot`].
pub const NEEDS: &[Need] = &[
    Need::Root,
    Need::Tun,
    Need::Tool("qemu-system-x86_64"),
    Need::Tool("busybox"),
    Need::Tool("cpio"),
    Need::Tool("strip"),
    Need::Tool("depmod"),
    Need::Tool("dpkg"),
    Need::Tool("smbd"),
    Need::Tool("ganesha.nfsd"),
    Need::Tool("ip"),
    Need::Tool("nsenter"),
];

/// Kernel modules that the guest loads with their dependencies: network, both clients, and the ciphers
/// that the SMB client loads by name.
const MODULES: &[&str] = &[
    "virtio_pci",
    "virtio_net",
    "nfsv4",
    "cifs",
    "cmac",
    "ccm",
    "gcm",
    "ghash_generic",
    "ctr",
    "seqiv",
    "geniv",
    "ecb",
    "sha256_generic",
    "sha512_generic",
    "md4",
    "nls_utf8",
    "cryptd",
    "aesni_intel",
];

/// The output of a job in the guest, and how it ended.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code; `None` if it did not end.
    pub code: Option<i32>,
}

impl Job {
    /// Standard output as JSON.
    ///
    /// # Panics
    /// If it is anything else.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self:#?}"))
    }
}

/// The guest, running, with its servers.
#[derive(Debug)]
pub struct Guest {
    // Dropped in this order.
    machine: Daemon,
    nfs_server: Daemon,
    smb_server: Daemon,
    console: PathBuf,
    _link: Link,
    _scratch: Scratch,
}

impl Guest {
    /// Starts the servers and boots the machine, which then does the jobs of `tests/guest/jobs`. A soak
    /// does all of them; otherwise each file system gets half the ways of doing I/O.
    ///
    /// # Panics
    /// If something cannot be set up.
    pub fn boot(mbit: u32) -> Guest {
        let scratch = Scratch::new();
        let kernel = Kernel::fetch().unwrap_or_else(|why| panic!("no kernel for the guest: {why}"));
        let link = Link::new(mbit);
        link.add_tap("tap0");
        let nfs_server = serve_nfs(&link, &scratch);
        let smb_server = serve_smb(&link, &scratch);
        let ram_disk = ram_disk(&kernel, &scratch);
        let console = scratch.path().join("console");
        let mut qemu = link.on_client("qemu-system-x86_64");
        qemu.args(["-accel", "tcg,thread=multi", "-cpu", "max", "-m", "1024", "-smp", "2", "-no-reboot"])
            .args(["-display", "none", "-monitor", "none"])
            // The kernel passes unknown parameters on as environment of the guest's first program.
            .args(["-append", &format!("console=ttyS0 quiet panic=-1 mitigations=off WAYS={}", ways())])
            .arg("-kernel")
            .arg(kernel.image())
            .arg("-initrd")
            .arg(ram_disk)
            .arg("-serial")
            .arg(format!("file:{}", console.display()))
            .args(["-netdev", "tap,id=n0,ifname=tap0,script=no,downscript=no"])
            .args(["-device", "virtio-net-pci,netdev=n0,romfile="]);
        let machine = Daemon::start(&mut qemu, &scratch.path().join("qemu.log"), || console.exists());
        Guest { machine, nfs_server, smb_server, console, _link: link, _scratch: scratch }
    }

    /// The guest's output so far.
    pub fn said(&self) -> String {
        let console = std::fs::read(&self.console).unwrap_or_default();
        String::from_utf8_lossy(&console).replace('\r', "")
    }

    /// Waits until the guest has printed this.
    ///
    /// # Panics
    /// If it has not after `limit`, or switches off before.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, limit: Duration) {
        let start = Instant::now();
        while !self.said().contains(what) {
            let hopeless = start.elapsed() > limit || !self.machine.is_running();
            // The text may have been printed just before the guest switched off.
            assert!(!hopeless || self.said().contains(what), "no '{what}' from the guest\n{}", self.said());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Kills the NFS server.
    pub fn kill_nfs_server(&mut self) {
        self.nfs_server.kill();
    }

    /// Kills the SMB server.
    pub fn kill_smb_server(&mut self) {
        self.smb_server.kill();
    }

    /// The jobs done until now, by name.
    pub fn jobs(&self) -> BTreeMap<String, Job> {
        jobs(&self.said())
    }
}

/// The ways of doing I/O that the guest tries. A soak tries all. Otherwise each file system gets each
/// driver and each mode once, and each pair of driver and mode is tried on one file system.
fn ways() -> &'static str {
    if needs::is_soak() { "all" } else { "half" }
}

/// Reads the jobs from the guest's output. Kernel messages between the marks are dropped.
fn jobs(said: &str) -> BTreeMap<String, Job> {
    let mut jobs = BTreeMap::<String, Job>::new();
    let mut current: Option<(String, bool)> = None;
    for line in said.lines() {
        let words: Vec<&str> = line.strip_prefix("@@ ").unwrap_or_default().split(' ').collect();
        match (words.as_slice(), &current) {
            (["BEGIN", name], _) => current = Some(((*name).to_owned(), false)),
            (["SAID", name], _) => current = Some(((*name).to_owned(), true)),
            (["END", name, code], _) => {
                jobs.entry((*name).to_owned()).or_default().code = code.parse().ok();
                current = None;
            }
            // A mark may appear while a job prints something.
            (["READY", _], _) => {}
            (_, Some((name, is_stderr))) if !is_kernel_message(line) => {
                let job = jobs.entry(name.clone()).or_default();
                let text = if *is_stderr { &mut job.stderr } else { &mut job.stdout };
                text.push_str(line);
                text.push('\n');
            }
            _ => {}
        }
    }
    jobs
}

/// A line like `[   12.345678] CIFS: …`.
fn is_kernel_message(line: &str) -> bool {
    let Some((time, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) else {
        return false;
    };
    !time.is_empty() && time.trim().parse::<f64>().is_ok()
}

/// A kernel and its modules, unpacked from a Debian package and kept in the target folder.
#[derive(Debug)]
struct Kernel {
    folder: PathBuf,
    version: String,
}

impl Kernel {
    /// The current cloud kernel of this Debian release; downloaded unless it is there already.
    fn fetch() -> Result<Kernel, String> {
        let version = current_version()?;
        let folder = target_dir().join("guest-kernel").join(&version);
        let kernel = Kernel { folder, version };
        let complete = kernel.folder.join("complete");
        if !complete.exists() {
            let _ = std::fs::remove_dir_all(&kernel.folder);
            std::fs::create_dir_all(&kernel.folder).map_err(|error| error.to_string())?;
            kernel.download().or_else(|_| {
                // The version in an old package list may have been removed from the archive.
                try_tool("apt-get -q update")?;
                kernel.download()
            })?;
            let (folder, version) = (kernel.folder.display(), &kernel.version);
            let package = deb_in(&kernel.folder).ok_or("apt-get downloaded nothing")?;
            try_tool(&format!("dpkg -x {} {folder}", package.display()))?;
            try_tool(&format!("depmod -b {folder} {version}"))?;
            std::fs::write(complete, "").map_err(|error| error.to_string())?;
        }
        Ok(kernel)
    }

    fn download(&self) -> Result<(), String> {
        let downloaded = Command::new("apt-get")
            .args(["-q", "download", &format!("linux-image-{}", self.version)])
            .current_dir(&self.folder)
            .output()
            .map_err(|error| error.to_string())?;
        let said = || String::from_utf8_lossy(&downloaded.stderr).into_owned();
        if downloaded.status.success() { Ok(()) } else { Err(said()) }
    }

    fn image(&self) -> PathBuf {
        self.folder.join(format!("boot/vmlinuz-{}", self.version))
    }

    /// The files of these modules and of their dependencies, in loading order.
    fn modules(&self, names: &[&str]) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let folder = self.folder.to_string_lossy();
        for name in names {
            let show = ["modprobe", "-S", &self.version, "-d", &folder, "--show-depends", name];
            // Modules that are built into the kernel have no file.
            let shown = tool_with(&show).unwrap_or_default();
            for file in
                shown.lines().filter_map(|line| line.strip_prefix("insmod ")).map(|file| file.trim().into())
            {
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        files
    }
}

/// The version that the package lists call current.
fn current_version() -> Result<String, String> {
    let look = || {
        let depends = try_tool("apt-cache depends linux-image-cloud-amd64")?;
        let version = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: linux-image-"));
        version.map(str::to_owned).ok_or("the package lists name no cloud kernel".to_owned())
    };
    look().or_else(|_| {
        try_tool("apt-get -q update")?;
        look()
    })
}

/// The package in a folder.
fn deb_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    entries.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "deb"))
}

/// The guest's root file system: busybox, the modules, the binary with its libraries, `init` and `jobs`.
fn ram_disk(kernel: &Kernel, scratch: &Scratch) -> PathBuf {
    let root = scratch.dir("root");
    for folder in ["bin", "dev", "mnt/nfs", "mnt/smb", "modules", "proc", "sys", "tmp"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("guest");
    std::fs::copy(ours.join("init"), root.join("init")).unwrap();
    std::fs::copy(ours.join("jobs"), root.join("jobs")).unwrap();
    std::fs::copy(binary::path(), root.join("bin/reelgauge")).unwrap();
    // Debug symbols would cost time to unpack on an emulated processor.
    tool(&format!("strip {}/bin/reelgauge", root.display()));
    for library in libraries(binary::path()) {
        let inside = root.join(library.strip_prefix("/").unwrap());
        std::fs::create_dir_all(inside.parent().unwrap()).unwrap();
        std::fs::copy(&library, inside).unwrap();
    }
    let busybox = tool_with(&["sh", "-c", "command -v busybox"]).unwrap();
    std::fs::copy(busybox.trim(), root.join("bin/busybox")).unwrap();
    for (at, module) in kernel.modules(MODULES).iter().enumerate() {
        let name = module.file_name().unwrap().to_string_lossy();
        std::fs::copy(module, root.join(format!("modules/{at:03}-{name}"))).unwrap();
    }
    tool(&format!("chmod 755 {}/init", root.display()));
    let packed = scratch.path().join("root.cpio");
    let (root, out) = (root.display(), packed.display());
    let pack = format!("cd {root} && find . | cpio --quiet -o -H newc > {out}");
    tool_with(&["sh", "-c", &pack]).unwrap_or_else(|why| panic!("{why}"));
    packed
}

/// The loader and the libraries of a program, at the paths where it looks for them.
fn libraries(program: &Path) -> Vec<PathBuf> {
    let said = tool(&format!("ldd {}", program.display()));
    let paths = said.split_whitespace().filter(|word| word.starts_with('/'));
    paths.map(PathBuf::from).collect()
}

/// Starts an NFS 4 server that needs neither rpcbind nor D-Bus.
fn serve_nfs(link: &Link, scratch: &Scratch) -> Daemon {
    let (export, state) = (scratch.dir("nfs"), scratch.dir("nfs-state"));
    let plugins = "/usr/lib/x86_64-linux-gnu/ganesha";
    let config = format!(
        r#"NFS_CORE_PARAM {{
  Protocols = 4; NFS_Port = 2049; Bind_addr = {SERVER}; Enable_NLM = false; Enable_RQUOTA = false;
  Plugins_Dir = "{plugins}";
}}
NFSv4 {{ Graceless = true; Lease_Lifetime = 20; RecoveryBackend = fs; RecoveryRoot = "{state}"; Minor_Versions = 1, 2; }}
EXPORT {{
  Export_Id = 1; Path = {export}; Pseudo = /share; Access_Type = RW; Squash = No_Root_Squash;
  SecType = sys; Protocols = 4; Transports = TCP; FSAL {{ Name = VFS; }}
}}
"#,
        state = state.display(),
        export = export.display(),
    );
    let path = scratch.path().join("ganesha.conf");
    std::fs::write(&path, config).unwrap();
    std::fs::create_dir_all("/var/run/ganesha").unwrap();
    let mut ganesha = link.on_server("ganesha.nfsd");
    ganesha.arg("-F").arg("-f").arg(&path).arg("-p").arg(scratch.path().join("ganesha.pid"));
    ganesha.args(["-N", "NIV_EVENT", "-L", "STDERR"]);
    Daemon::start(&mut ganesha, &scratch.path().join("ganesha.log"), || link.server_listens(2049))
}

/// Starts an SMB server with its own configuration and state.
fn serve_smb(link: &Link, scratch: &Scratch) -> Daemon {
    let (share, state) = (scratch.dir("smb"), scratch.dir("smb-state"));
    let own: String =
        ["private dir", "pid directory", "lock directory", "state directory", "cache directory"]
            .iter()
            .map(|what| format!("  {what} = {}\n", state.display()))
            .collect();
    let config = format!(
        "[global]\n  server role = standalone server\n  netbios name = REELGAUGE\n  smb ports = 445\n\
         \x20 interfaces = {SERVER}/24\n  bind interfaces only = yes\n  disable netbios = yes\n{own}\
         \x20 ncalrpc dir = {state}/ncalrpc\n  log file = {state}/log.%m\n  load printers = no\n\
         \x20 passdb backend = tdbsam:{state}/passdb.tdb\n  server min protocol = SMB3\n\
         [share]\n  path = {share}\n  read only = no\n  force user = root\n",
        state = state.display(),
        share = share.display(),
    );
    let path = scratch.path().join("smb.conf");
    std::fs::write(&path, config).unwrap();
    let password = format!("printf 'reelgauge\\nreelgauge\\n' | smbpasswd -c {} -s -a root", path.display());
    tool_with(&["sh", "-c", &password]).unwrap_or_else(|why| panic!("{why}"));
    let mut smbd = link.on_server("smbd");
    smbd.args(["--foreground", "--no-process-group", "--debug-stdout", "-s"]).arg(&path);
    Daemon::start(&mut smbd, &scratch.path().join("smbd.log"), || link.server_listens(445))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_read_from_the_console() {
        let said = "booting\n@@ BEGIN a\n{\n[   12.5] CIFS: noise\n@@ READY a\n}\n@@ SAID a\nwarning\n@@ END a 3\nlost\n\
                    @@ BEGIN b\n[1]\n";
        let jobs = jobs(said);
        assert_eq!(jobs["a"].stdout, "{\n}\n");
        assert_eq!(jobs["a"].stderr, "warning\n");
        assert_eq!(jobs["a"].code, Some(3));
        assert_eq!((jobs["b"].stdout.as_str(), jobs["b"].code), ("[1]\n", None));
    }
}
