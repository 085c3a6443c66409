//! The memory and the version of Windows: `GlobalMemoryStatusEx`, `RtlGetVersion`.

use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX, OSVERSIONINFOW};

/// The memory of this host, in bytes.
pub(super) fn memory_bytes() -> Option<u64> {
    let mut status = MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: the structure is writable and has its own size in its first field.
    let done = unsafe { GlobalMemoryStatusEx(&raw mut status) };
    (done != 0 && status.ullTotalPhys > 0).then_some(status.ullTotalPhys)
}

/// `Windows 10.0.22631`. Other calls report the version for which a program was built.
pub(super) fn kernel() -> Option<String> {
    let size = size_of::<OSVERSIONINFOW>() as u32;
    let mut version = OSVERSIONINFOW { dwOSVersionInfoSize: size, ..Default::default() };
    // SAFETY: the structure is writable and has its own size in its first field.
    let status = unsafe { RtlGetVersion(&raw mut version) };
    let OSVERSIONINFOW { dwMajorVersion: major, dwMinorVersion: minor, dwBuildNumber: build, .. } = version;
    (status >= 0).then(|| format!("Windows {major}.{minor}.{build}"))
}
