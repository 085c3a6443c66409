//! The memory, the version and the network adapters of Windows.

use reelgauge_record::host::NicFacts;
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX, OSVERSIONINFOW};

use crate::adapter;

/// The adapters that are in use, by name.
pub(super) fn nics() -> Vec<NicFacts> {
    let mut adapters: Vec<_> = adapter::all().into_iter().filter(adapter::Adapter::is_recorded).collect();
    adapters.sort_by(|one, other| one.name.cmp(&other.name));
    adapters.into_iter().filter_map(|adapter| super::nic(adapter.interface(), adapter.name)).collect()
}

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
