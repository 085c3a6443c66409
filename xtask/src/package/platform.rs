//! The platforms with packages, and the names that each kind of package has for them.

use anyhow::Context;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Linux,
    Windows,
    MacOs,
}

#[derive(Debug)]
pub struct Platform {
    /// Rust's name of the target, or `universal-apple-darwin`.
    pub name: &'static str,
    /// Rust's targets. The programs of several are merged into one.
    pub targets: &'static [&'static str],
    /// The platform in the names of packages.
    pub label: &'static str,
    pub system: System,
    /// Whether zig compiles C code and links. Otherwise Debian's compiler for the target does.
    pub zig: bool,
    /// The tag of wheels.
    pub wheel: &'static str,
    /// The processor as nfpm names it.
    pub nfpm: &'static str,
    /// The program that splits symbols off.
    pub objcopy: &'static str,
}

pub const PLATFORMS: [Platform; 4] = [
    Platform {
        name: crate::packages::STATIC_TARGET,
        targets: &[crate::packages::STATIC_TARGET],
        label: "x86_64-linux",
        system: System::Linux,
        zig: false,
        wheel: "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
        nfpm: "amd64",
        objcopy: "objcopy",
    },
    Platform {
        name: "aarch64-unknown-linux-musl",
        targets: &["aarch64-unknown-linux-musl"],
        label: "aarch64-linux",
        system: System::Linux,
        zig: true,
        wheel: "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
        nfpm: "arm64",
        objcopy: "llvm-objcopy",
    },
    Platform {
        name: crate::packages::WINDOWS_TARGET,
        targets: &[crate::packages::WINDOWS_TARGET],
        label: "x86_64-windows",
        system: System::Windows,
        zig: false,
        wheel: "win_amd64",
        nfpm: "",
        objcopy: "x86_64-w64-mingw32-objcopy",
    },
    Platform {
        name: "universal-apple-darwin",
        targets: &[crate::packages::CHECKED_TARGET, "x86_64-apple-darwin"],
        label: "universal-macos",
        system: System::MacOs,
        zig: true,
        wheel: "macosx_11_0_universal2",
        nfpm: "",
        objcopy: "",
    },
];

impl Platform {
    pub fn find(name: &str) -> anyhow::Result<&'static Platform> {
        PLATFORMS.iter().find(|platform| platform.name == name).with_context(|| {
            let known: Vec<_> = PLATFORMS.iter().map(|platform| platform.name).collect();
            format!("there are no packages for '{name}', only for {}", known.join(", "))
        })
    }

    /// The file name of the program.
    pub fn program(&self) -> &'static str {
        match self.system {
            System::Windows => "reelgauge.exe",
            System::Linux | System::MacOs => "reelgauge",
        }
    }
}
