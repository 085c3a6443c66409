//! A clean place for one package: what installs it there, uses it, and removes it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, ensure};

use super::super::release::{self, Release};
use super::package;
use crate::command;

/// The link of an enabled agent, from the root.
const ENABLED: &str = "etc/systemd/system/multi-user.target.wants/reelgauge-agent@editor.service";
/// Names of files that installers keep for themselves.
const RECORDS: [&str; 4] = ["var/lib/dpkg", "var/lib/rpm", "var/log", "__pycache__"];

pub struct Place {
    /// The kind of package.
    kind: &'static str,
    package: PathBuf,
    root: PathBuf,
    /// Starts the installed program: its path, or wine with its path.
    program: Vec<String>,
    install: Vec<String>,
    upgrade: Vec<String>,
    /// Empty if no installer can be had here.
    remove: Vec<String>,
    /// Where wine has its registry.
    prefix: PathBuf,
    /// Whether the package has the agent's service.
    has_service: bool,
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

impl Place {
    /// A place with this root, which is empty.
    fn new(kind: &'static str, folder: &Path, package: PathBuf, program: &str) -> anyhow::Result<Place> {
        let root = folder.join(kind);
        release::empty(&root)?;
        let program = vec![root.join(program).display().to_string()];
        let (install, upgrade, remove) = (Vec::new(), Vec::new(), Vec::new());
        let prefix = folder.join("wine");
        Ok(Place { kind, package, root, program, install, upgrade, remove, prefix, has_service: false })
    }

    /// The packages for Linux.
    pub fn linux(release: &Release, folder: &Path) -> anyhow::Result<Vec<Place>> {
        let of = |ending: &str| package(release, ending);
        let mut tarball = Place::new("tarball", folder, of("x86_64-linux.tar.gz")?, "opt/reelgauge")?;
        std::fs::create_dir_all(tarball.root.join("opt"))?;
        let (root, package) = (tarball.root.display().to_string(), tarball.package.display().to_string());
        tarball.install = words(&[
            "tar",
            "--extract",
            "--strip=1",
            "--directory",
            &format!("{root}/opt"),
            "--file",
            &package,
        ]);
        tarball.upgrade = tarball.install.clone();
        tarball.remove = words(&["find", &format!("{root}/opt"), "-mindepth", "1", "-delete"]);

        // apk-tools cannot be had on Debian, so the package is only unpacked as it would unpack it.
        let mut apk = Place::new("apk", folder, of(".apk")?, "usr/bin/reelgauge")?;
        let (root, package) = (apk.root.display().to_string(), apk.package.display().to_string());
        apk.install = words(&[
            "tar",
            "--extract",
            "--gzip",
            "--ignore-zeros",
            "--directory",
            &root,
            "--file",
            &package,
        ]);
        apk.upgrade = apk.install.clone();
        let deb = Place::deb(folder, of(".deb")?)?;
        let rpm = Place::rpm(folder, of(".rpm")?)?;
        let wheel = Place::wheel(folder, of(".whl")?)?;
        Ok(vec![tarball, deb, rpm, apk, wheel])
    }

    fn deb(folder: &Path, package: PathBuf) -> anyhow::Result<Place> {
        let mut place = Place::new("deb", folder, package, "usr/bin/reelgauge")?.with_shell()?;
        for name in ["info", "updates", "triggers"] {
            std::fs::create_dir_all(place.root.join("var/lib/dpkg").join(name))?;
        }
        std::fs::write(place.root.join("var/lib/dpkg/status"), "")?;
        let root = format!("--root={}", place.root.display());
        place.install = words(&["dpkg", &root, "--install", &place.package.to_string_lossy()]);
        place.upgrade = place.install.clone();
        place.remove = words(&["dpkg", &root, "--purge", "reelgauge"]);
        Ok(place)
    }

    fn rpm(folder: &Path, package: PathBuf) -> anyhow::Result<Place> {
        let mut place = Place::new("rpm", folder, package, "usr/bin/reelgauge")?.with_shell()?;
        let root = place.root.display().to_string();
        let rpm = |action: &[&str]| {
            let mut all = words(&["rpm", "--root", &root, "--dbpath", "/var/lib/rpm", "--nodeps"]);
            all.extend(words(action));
            all
        };
        let package = place.package.to_string_lossy();
        place.install = rpm(&["--install", &package]);
        place.upgrade = rpm(&["--upgrade", "--replacepkgs", &package]);
        place.remove = rpm(&["--erase", "reelgauge"]);
        Ok(place)
    }

    fn wheel(folder: &Path, package: PathBuf) -> anyhow::Result<Place> {
        let mut place = Place::new("wheel", folder, package, "bin/reelgauge")?;
        command::run(Command::new("python3").args(["-m", "venv"]).arg(&place.root))?;
        let pip = place.root.join("bin/pip").display().to_string();
        let package = place.package.to_string_lossy();
        place.install = words(&[&pip, "install", "--no-index", "--quiet", &package]);
        place.upgrade = words(&[&pip, "install", "--no-index", "--quiet", "--force-reinstall", &package]);
        place.remove = words(&[&pip, "uninstall", "--quiet", "--yes", "reelgauge"]);
        Ok(place)
    }

    /// The packages for Windows, under wine. `program` is next to the library that older versions of wine
    /// lack.
    pub fn windows(release: &Release, program: &Path, folder: &Path) -> anyhow::Result<Vec<Place>> {
        let mut msi = Place::new("msi", folder, package(release, ".msi")?, "")?;
        command::run(wine(&msi.prefix).args(["wineboot", "--init"]))?;
        let library = program.with_file_name("bcryptprimitives.dll");
        std::fs::copy(&library, msi.prefix.join("drive_c/windows/system32/bcryptprimitives.dll"))
            .with_context(|| library.display().to_string())?;
        msi.root = msi.prefix.join("drive_c/Program Files");
        let package_path = msi.package.display().to_string();
        msi.install = words(&["wine", "msiexec", "/i", &package_path, "/qn"]);
        msi.upgrade = msi.install.clone();
        msi.remove = words(&["wine", "msiexec", "/x", &package_path, "/qn"]);
        msi.program = words(&["wine", "C:\\Program Files\\Reelgauge\\reelgauge.exe"]);

        let mut zip = Place::new("zip", folder, package(release, ".zip")?, "")?;
        let root = zip.root.display().to_string();
        zip.install =
            words(&["python3", "-m", "zipfile", "--extract", &zip.package.to_string_lossy(), &root]);
        zip.upgrade = zip.install.clone();
        zip.remove = words(&["find", &root, "-mindepth", "1", "-delete"]);
        let name = release.name("x86_64-windows", "");
        zip.program = words(&["wine", &format!("{root}/{name}/reelgauge.exe")]);
        Ok(vec![msi, zip])
    }

    /// Installs busybox as the shell of the package's scripts, and enables an agent.
    fn with_shell(mut self) -> anyhow::Result<Place> {
        let bin = self.root.join("bin");
        std::fs::create_dir_all(&bin)?;
        let busybox = bin.join("busybox");
        std::fs::copy("/bin/busybox", &busybox).context("apt-get install busybox-static")?;
        for name in ["sh", "rm"] {
            std::fs::hard_link(&busybox, bin.join(name))?;
        }
        let enabled = self.root.join(ENABLED);
        std::fs::create_dir_all(enabled.parent().context("a link without a folder")?)?;
        self.has_service = true;
        Ok(self)
    }

    /// Installs, uses, upgrades and removes the package, and prints how long each took.
    pub fn try_package(&self) -> anyhow::Result<()> {
        self.try_all().with_context(|| format!("{} {}", self.kind, self.package.display()))
    }

    fn try_all(&self) -> anyhow::Result<()> {
        let before = self.files()?;
        let install = self.perform(&self.install)?;
        let enabled = self.root.join(ENABLED);
        if self.has_service {
            let service = self.root.join("usr/lib/systemd/system/reelgauge-agent@.service");
            ensure!(service.is_file(), "the agent's service is missing");
            std::fs::write(&enabled, "")?;
        }
        self.measure()?;
        let upgrade = self.perform(&self.upgrade)?;
        ensure!(!self.has_service || enabled.exists(), "the upgrade disabled the agent");
        self.start(&["--version"])?;
        let mut remove = None;
        if !self.remove.is_empty() {
            remove = Some(self.perform(&self.remove)?);
            let left: Vec<_> = self.files()?.difference(&before).cloned().collect();
            ensure!(left.is_empty(), "the removal left {left:?}");
        }
        let seconds = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.1} s"));
        println!(
            "{}: {:.1} MB, install {}, upgrade {}, remove {}",
            self.kind,
            std::fs::metadata(&self.package)?.len() as f64 / 1e6,
            seconds(Some(install)),
            seconds(Some(upgrade)),
            seconds(remove)
        );
        Ok(())
    }

    /// Measures with the installed program, and reads the log with pyarrow and DuckDB.
    fn measure(&self) -> anyhow::Result<()> {
        let folder = self.root.with_file_name(format!("{}-run", self.kind));
        for name in ["storage", "runs"] {
            release::empty(&folder.join(name))?;
        }
        let (storage, runs) = (folder.join("storage"), folder.join("runs"));
        let duration = if command::is_ci() { "2s" } else { "10s" };
        self.start(
            &["mix", &self.path(&storage), "--duration", duration, "--warmup", "0s"]
                .into_iter()
                .chain(["--file-size", "16MiB", "--out", &self.path(&runs)])
                .collect::<Vec<_>>(),
        )?;
        let run = std::fs::read_dir(&runs)?.next().context("the run has no directory")??.path();
        let mut totals = Command::new(crate::python::venv().join("bin/python"));
        command::output(totals.arg(crate::root().join("tests/python/totals.py")).arg(run))?;
        Ok(())
    }

    /// A path as the program sees it.
    fn path(&self, path: &Path) -> String {
        match self.program.first().is_some_and(|word| word == "wine") {
            true => format!("Z:{}", path.display()),
            false => path.display().to_string(),
        }
    }

    fn start(&self, arguments: &[&str]) -> anyhow::Result<()> {
        let mut all = self.program.clone();
        all.extend(words(arguments));
        self.perform(&all).map(drop)
    }

    /// Runs a command and returns its time in seconds.
    fn perform(&self, all: &[String]) -> anyhow::Result<f64> {
        let (name, arguments) = all.split_first().context("no command")?;
        let mut command = if name == "wine" { wine(&self.prefix) } else { Command::new(name) };
        let start = Instant::now();
        command::output(command.args(arguments))?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// All files below the root and the folders of Reelgauge, without those that installers keep for
    /// themselves. The other folders belong to the system.
    fn files(&self) -> anyhow::Result<BTreeSet<String>> {
        let mut find = Command::new("find");
        find.arg(&self.root).args(["-not", "-type", "d", "-o", "-iname", "*reelgauge*"]);
        let list = command::output(&mut find)?;
        let is_own = |path: &&str| !RECORDS.iter().any(|record| path.contains(record));
        Ok(list.lines().filter(is_own).map(str::to_owned).collect())
    }
}

fn wine(prefix: &Path) -> Command {
    let mut wine = Command::new("wine");
    wine.env("WINEPREFIX", prefix).env("WINEDEBUG", "-all");
    wine
}
