//! Volumes on Windows: `GetVolumePathNameW`, `GetVolumeInformationW`, `GetDriveTypeW`.
//!
//! Even on a share, the name of the file system is that of the server's volume (`NTFS`). So the type of
//! a remote drive is reported as `smb`, with the server taken from the UNC path. For a mapped drive
//! letter the server is in the canonical path; where it is not, `WNetGetConnectionW` names it. These
//! calls do not show the version of SMB.

use std::ffi::OsString;
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use windows_sys::Win32::Foundation::ERROR_INVALID_FUNCTION;
use windows_sys::Win32::NetworkManagement::WNet::WNetGetConnectionW;
use windows_sys::Win32::Storage::FileSystem::{GetDriveTypeW, GetVolumeInformationW, GetVolumePathNameW};

use super::{Mount, MountId};

/// `DRIVE_REMOTE` and `DRIVE_RAMDISK` of `GetDriveTypeW`.
const DRIVE_REMOTE: u32 = 4;
const DRIVE_RAMDISK: u32 = 6;
/// `FILE_READ_ONLY_VOLUME` among the flags of `GetVolumeInformationW`.
const READ_ONLY_VOLUME: u32 = 0x0008_0000;
/// Longest path with the `\\?\` prefix, in UTF-16 units.
const LONGEST_PATH: usize = 32_768;

struct Volume {
    root: PathBuf,
    fs_type: String,
    serial: u32,
    read_only: bool,
    drive_type: u32,
}

/// `path` in UTF-16 with a zero at the end.
pub fn wide(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

fn narrow(units: &[u16]) -> OsString {
    let end = units.iter().position(|&unit| unit == 0).unwrap_or(units.len());
    OsString::from_wide(&units[..end])
}

/// The name of a file system without one. Those in user space may lack the function that names them.
fn unnamed(error: io::Error) -> io::Result<String> {
    match error.raw_os_error() {
        Some(code) if code == ERROR_INVALID_FUNCTION as i32 => Ok("unknown".to_owned()),
        _ => Err(error),
    }
}

fn volume(path: &Path) -> io::Result<Volume> {
    let mut root = vec![0_u16; LONGEST_PATH];
    let path = wide(path);
    // SAFETY: `path` ends with a zero; `root` is writable for the length that is passed.
    if unsafe { GetVolumePathNameW(path.as_ptr(), root.as_mut_ptr(), LONGEST_PATH as u32) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let (mut serial, mut flags) = (0, 0);
    let mut fs_type = [0_u16; 64];
    // SAFETY: `root` ends with a zero, as the call above left it; the out pointers are valid or null
    // where null is allowed, and the length passed is that of `fs_type`.
    let done = unsafe {
        GetVolumeInformationW(
            root.as_ptr(),
            std::ptr::null_mut(),
            0,
            &raw mut serial,
            std::ptr::null_mut(),
            &raw mut flags,
            fs_type.as_mut_ptr(),
            fs_type.len() as u32,
        )
    };
    let fs_type = match done {
        0 => unnamed(io::Error::last_os_error())?,
        _ => narrow(&fs_type).to_string_lossy().into_owned(),
    };
    // SAFETY: `root` ends with a zero.
    let drive_type = unsafe { GetDriveTypeW(root.as_ptr()) };
    Ok(Volume {
        root: PathBuf::from(narrow(&root)),
        fs_type,
        serial,
        read_only: flags & READ_ONLY_VOLUME != 0,
        drive_type,
    })
}

pub(super) fn mount_at(path: &Path) -> io::Result<Mount> {
    let volume = volume(path)?;
    let root = volume.root.to_string_lossy().into_owned();
    let remote = volume.drive_type == DRIVE_REMOTE || super::description::unc_parts(&root).is_some();
    let fs_type = match volume.drive_type {
        _ if remote => "smb".to_owned(),
        DRIVE_RAMDISK => "ramdisk".to_owned(),
        _ => volume.fs_type,
    };
    let option = if volume.read_only { "ro" } else { "rw" };
    let share = super::description::drive_in(&root).filter(|_| remote).and_then(share_of);
    Ok(Mount::new(fs_type, share.unwrap_or(root), volume.root, vec![option.to_owned()]))
}

/// The share to which a drive letter is mapped.
fn share_of(drive: &str) -> Option<String> {
    let drive = wide(Path::new(drive));
    let mut share = vec![0_u16; LONGEST_PATH];
    let mut units = LONGEST_PATH as u32;
    // SAFETY: `drive` ends with a zero; `share` is writable for the length that is passed.
    let status = unsafe { WNetGetConnectionW(drive.as_ptr(), share.as_mut_ptr(), &raw mut units) };
    (status == 0).then(|| narrow(&share).to_string_lossy().into_owned())
}

pub(super) fn mount_id(dir: &Path) -> io::Result<MountId> {
    // A directory that was removed still has a volume, so check its existence first.
    std::fs::metadata(dir)?;
    Ok(MountId { device: u64::from(volume(dir)?.serial), mount: None, inode: 0 })
}
