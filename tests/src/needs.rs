//! The requirements of a test on the host, and the result if one is missing.
//!
//! The test prints `SKIPPED: why` and returns. Its name goes to the file in the environment variable
//! `REELGAUGE_SKIPS`, where `cargo xtask test` counts it. With `CI=true` a missing need is a failure: CI
//! machines can have everything, so a skipped test there protects nothing.

use std::io::Write;
use std::path::Path;

/// Something that a test cannot do without.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// Root privileges, for mounts and network namespaces.
    Root,
    /// A program on the PATH (or in /usr/sbin).
    Tool(&'static str),
    /// A file system that the kernel can mount.
    FileSystem(&'static str),
    /// The device for file systems in user space.
    Fuse,
    /// The device for virtual network interfaces.
    Tun,
    /// A kernel that can throttle block devices for a control group.
    Throttle,
    /// A kernel that can limit the processor time of a control group.
    Quota,
    /// A module of the system's own Python.
    SystemPython(&'static str),
    /// The Python environment that `cargo xtask test` makes.
    Python,
    /// The server of fleets, which `cargo xtask test` installs.
    NatsServer,
    /// The Windows program and wine, which the step `windows` of `cargo xtask test` prepares.
    Windows,
    /// An otherwise idle host for minutes: `cargo xtask soak`.
    Soak,
}

impl Need {
    /// The reason if it is missing.
    fn missing(self) -> Option<String> {
        let unless = |there: bool, why: String| (!there).then_some(why);
        match self {
            Need::Root => unless(rustix::process::geteuid().is_root(), "not root".into()),
            Need::Tool(name) => unless(is_on_path(name), format!("no program '{name}'")),
            Need::FileSystem(name) => unless(kernel_knows(name), format!("this kernel has no {name}")),
            Need::Fuse => unless(Path::new("/dev/fuse").exists(), "no /dev/fuse".into()),
            Need::Tun => unless(Path::new("/dev/net/tun").exists(), "no /dev/net/tun".into()),
            Need::Throttle => unless(
                crate::throttle::is_possible(),
                "no control group can throttle block devices here".into(),
            ),
            Need::Quota => {
                unless(crate::throttle::has_quota(), "no control group can limit processor time here".into())
            }
            Need::SystemPython(module) => unless(
                crate::programs::tool_with(&["/usr/bin/python3", "-c", &format!("import {module}")]).is_ok(),
                format!("the system's Python has no module '{module}'"),
            ),
            Need::Python => unless(
                crate::python::interpreter().is_file(),
                "no Python environment; 'cargo xtask test' makes it".into(),
            ),
            Need::NatsServer => unless(
                crate::fleet::nats_server().is_some(),
                "no nats-server; 'cargo xtask test' installs it".into(),
            ),
            Need::Windows => unless(
                crate::wine::is_ready(),
                "no Windows program; 'cargo xtask test --only windows' builds it".into(),
            ),
            Need::Soak => unless(
                is_soak(),
                "takes minutes on a machine that does nothing else: 'cargo xtask soak'".into(),
            ),
        }
    }
}

/// Whether a program can be started by its name. System programs count even if the PATH lacks their
/// folder.
fn is_on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/sbin", "/sbin"].map(Into::into);
    std::env::split_paths(&path).chain(system).any(|dir| dir.join(name).is_file())
}

/// Whether the kernel has the file system, or can load it.
fn kernel_knows(name: &str) -> bool {
    let listed = || {
        let list = std::fs::read_to_string("/proc/filesystems").unwrap_or_default();
        list.lines().any(|line| line.split_whitespace().last() == Some(name))
    };
    listed() || (crate::programs::tool_with(&["modprobe", name]).is_ok() && listed())
}

/// Whether the host is otherwise idle: `cargo xtask soak`.
pub fn is_soak() -> bool {
    std::env::var_os("REELGAUGE_SOAK").is_some()
}

/// Whether all needs are met; if not, the skip is reported and counted. Use [`crate::require`].
///
/// # Panics
/// With `CI=true`, if something is missing that could be installed.
pub fn are_met(needs: &[Need]) -> bool {
    let missing: Vec<String> = needs.iter().filter_map(|need| need.missing()).collect();
    if missing.is_empty() {
        return true;
    }
    let is_excused = |need: &&Need| matches!(need, Need::Soak);
    let must_run = needs.iter().filter(|need| !is_excused(need)).any(|need| need.missing().is_some());
    skip(&missing.join(", "), must_run);
    false
}

/// Reports that this test is skipped, and why.
fn skip(why: &str, must_run: bool) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    assert!(!(must_run && is_ci()), "{test} must run in CI: {why}");
    println!("SKIPPED: {why}");
    let Some(list) = std::env::var_os("REELGAUGE_SKIPS") else {
        return;
    };
    let list = std::fs::OpenOptions::new().append(true).create(true).open(list);
    if let Ok(mut list) = list {
        // A single write, so that lines of concurrent tests do not mix.
        let _ = list.write_all(format!("{test}: {why}\n").as_bytes());
    }
}

/// Whether skipping a test is forbidden.
fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// Returns from a test that cannot run on this host, and reports why.
///
/// ```
/// use reelgauge_tests::{needs::Need, require};
/// fn a_test() {
///     require!(Need::Root, Need::Tool("mkfs.xfs"));
///     // …
/// }
/// ```
#[macro_export]
macro_rules! require {
    ($($need:expr),+ $(,)?) => {
        if !$crate::needs::are_met(&[$($need),+]) {
            return;
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn present_and_missing_needs_are_distinguished() {
        assert_eq!(Need::Tool("sh").missing(), None);
        assert!(Need::SystemPython("reelgauge_no_such").missing().unwrap().contains("module"));
        assert!(Need::Tool("reelgauge-no-such-tool").missing().unwrap().contains("no program"));
        assert!(Need::FileSystem("reelgaugefs").missing().unwrap().contains("kernel"));
        assert_eq!(Need::FileSystem("tmpfs").missing(), None);
    }
}
