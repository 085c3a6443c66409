//! The operating system of texts.

use serde::{Deserialize, Serialize};

use crate::source::Source;
use crate::texts::Texts;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Os {
    Linux,
    Macos,
    Windows,
    /// TrueNAS, CORE and SCALE.
    Truenas,
}

/// The name and the versions of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    pub os: Os,
    /// `Debian GNU/Linux 12 (bookworm)`; `None` if no text has it.
    pub name: Option<String>,
    /// `6.18.44`; `None` if no text has it.
    pub kernel: Option<String>,
    /// Its host name; `None` if no text has it.
    pub host: Option<String>,
}

impl System {
    /// The system of these texts. If no text names it, it is guessed from the kinds of texts.
    pub fn of(texts: &Texts) -> System {
        let first = |name: &str| texts.get(name).ok().map(str::trim).filter(|text| !text.is_empty());
        let uname = first("uname -sr").unwrap_or_default();
        let (kind, release) = uname.split_once(' ').unwrap_or((uname, ""));
        let version = first("/etc/version").filter(|version| version.contains("TrueNAS"));
        let has = |begin: &str| texts.known().any(|name| name.starts_with(begin));
        let os = if version.is_some() || kind == "FreeBSD" {
            Os::Truenas
        } else if kind == "Darwin" {
            Os::Macos
        } else if has("/proc/") || has("/sys/") || kind == "Linux" {
            Os::Linux
        } else if has("Get-") {
            Os::Windows
        } else if ["nfsstat -m", "smbutil", "/etc/nsmb.conf", "sysctl net.inet", "defaults"]
            .iter()
            .any(|name| has(name))
        {
            Os::Macos
        } else {
            Os::Linux
        };
        let pretty = first("/etc/os-release").and_then(|text| line(text, "PRETTY_NAME=", '='));
        let apple = first("sw_vers").and_then(|text| line(text, "ProductVersion:", ':'));
        let windows =
            first("Get-CimInstance Win32_OperatingSystem").and_then(|text| line(text, "Caption", ':'));
        let name = version.map(str::to_owned).or_else(|| apple.map(|number| format!("macOS {number}")));
        let release = Some(release).filter(|release| !release.is_empty());
        System {
            os,
            name: name.or(windows).or(pretty),
            kernel: first("/proc/sys/kernel/osrelease").or(release).map(str::to_owned),
            host: first("/proc/sys/kernel/hostname").and_then(given_name),
        }
    }
}

/// Identifies one boot of a host; `None` if it is not available, as outside Linux.
pub fn boot(source: &impl Source) -> Option<String> {
    source.value("/proc/sys/kernel/random/boot_id").filter(|boot| !boot.is_empty())
}

/// The number of logical processors that this process may use; 1 if the system does not report it.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The host name; `None` if it was never set.
pub fn host_name() -> Option<String> {
    #[cfg(unix)]
    return given_name(&rustix::system::uname().nodename().to_string_lossy());
    #[cfg(not(unix))]
    given_name(&std::env::var("COMPUTERNAME").ok()?)
}

/// The kernel's name for a host without a name is `(none)`.
fn given_name(name: &str) -> Option<String> {
    Some(name.trim()).filter(|name| !name.is_empty() && *name != "(none)").map(str::to_owned)
}

/// The value of the line with this prefix.
fn line(text: &str, begin: &str, between: char) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(begin))?;
    Some(line.split_once(between)?.1.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[(&str, &str)]) -> System {
        let mut collected = Texts::default();
        texts.iter().for_each(|(name, text)| collected.put(*name, Ok((*text).to_owned())));
        System::of(&collected)
    }

    #[test]
    fn host_without_a_name_has_none() {
        assert_eq!(of(&[("/proc/sys/kernel/hostname", "edit-7\n")]).host.as_deref(), Some("edit-7"));
        for nobody in ["(none)\n", "\n", ""] {
            assert_eq!((of(&[("/proc/sys/kernel/hostname", nobody)]).host, given_name(nobody)), (None, None));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn local_boot_id_and_host_name_are_read() {
        let here = crate::source::Host::here();
        let boot = boot(&here);
        assert!(boot.as_ref().is_some_and(|boot| boot.len() == 36), "{boot:?}");
        let name = here.value("/proc/sys/kernel/hostname").and_then(|name| given_name(&name));
        assert_eq!(host_name(), name);
    }

    #[test]
    fn operating_systems_are_distinguished() {
        let debian = of(&[
            ("/etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n"),
            ("/proc/sys/kernel/osrelease", "6.1.0\n"),
        ]);
        assert_eq!(
            (debian.os, debian.name.as_deref(), debian.kernel.as_deref()),
            (Os::Linux, Some("Debian GNU/Linux 12"), Some("6.1.0"))
        );
        assert_eq!(of(&[("/etc/version", "TrueNAS-SCALE-24.04"), ("/proc/mdstat", "")]).os, Os::Truenas);
        assert_eq!(of(&[("uname -sr", "FreeBSD 13.1"), ("zpool status", "")]).os, Os::Truenas);
        assert_eq!(of(&[("Get-SmbConnection", "")]).os, Os::Windows);
        assert_eq!(of(&[("nfsstat -m", "")]).os, Os::Macos);
        let mac = of(&[("uname -sr", "Darwin 23.1.0"), ("sw_vers", "ProductVersion:\t14.1\n")]);
        assert_eq!((mac.os, mac.name.as_deref()), (Os::Macos, Some("macOS 14.1")));
    }
}
