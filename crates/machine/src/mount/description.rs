//! What type, source and options of a mount show about it. Pure.

use super::{Mount, MountKind};
use crate::file_system::{Protocol, kind_of, protocol_of};
use crate::mountinfo::option;

/// The server in a mount's source, otherwise the address among its options.
pub(super) fn server_of(fs_type: &str, source: &str, options: &[String]) -> Option<String> {
    let protocol = protocol_of(fs_type).filter(|protocol| *protocol != Protocol::Stornext);
    let named = match protocol {
        Some(Protocol::Smb) => unc_parts(source).map(|(server, _)| without_user(server)),
        Some(Protocol::Nfs) => host_and_path(source).map(|(server, _)| server),
        _ => match kind_of(fs_type, source) {
            // `sshfs user@host:/path`, `ceph a,b:/path`, `glusterfs host:/volume`.
            MountKind::Network | MountKind::Fuse => {
                host_and_path(source).map(|(server, _)| without_user(server))
            }
            _ => None,
        },
    };
    let address = || option(options, "addr").filter(|_| protocol.is_some());
    named.or_else(address).map(str::to_owned)
}

/// `host:/path` or `[v6]:/path`, the host without brackets. A remote path may be relative (sshfs). A
/// device or a label may contain a colon (`a:b`), so the caller must know the type.
fn host_and_path(source: &str) -> Option<(&str, &str)> {
    if let Some(rest) = source.strip_prefix('[') {
        let (host, path) = rest.split_once("]:")?;
        return Some((host, path));
    }
    // The last `:/` would be wrong for paths that contain one. The first is always right, because IPv6
    // addresses are in brackets and `host:port,host:port:/path` has no slash before its path.
    let (host, path) = match source.find(":/") {
        Some(colon) => (&source[..colon], &source[colon + 1..]),
        None => source.split_once(':')?,
    };
    (!host.is_empty() && !host.contains('/')).then_some((host, path))
}

fn without_user(server: &str) -> &str {
    server.rsplit_once('@').map_or(server, |(_, host)| host)
}

/// Server and share of `//server/share`, `\\server\share` or `\\?\UNC\server\share`.
pub fn unc_parts(source: &str) -> Option<(&str, &str)> {
    let is_slash = |c: char| c == '/' || c == '\\';
    let rest = source
        .strip_prefix(r"\\?\UNC\")
        .or_else(|| source.strip_prefix("//"))
        .or_else(|| source.strip_prefix(r"\\").filter(|rest| !rest.starts_with(['?', '.'])))?;
    let (server, share) = rest.split_once(is_slash)?;
    let share = share.trim_end_matches(is_slash);
    (!server.is_empty() && !share.is_empty()).then_some((server, share))
}

/// The drive of a volume's root: `Z:` of `Z:\` or `\\?\Z:\`; `None` if it is a share.
#[cfg(any(windows, test))]
pub(super) fn drive_in(root: &str) -> Option<&str> {
    let root = root.strip_prefix(r"\\?\").unwrap_or(root);
    let drive = root.get(..2)?;
    let is_drive = drive.as_bytes()[0].is_ascii_alphabetic() && drive.ends_with(':');
    is_drive.then_some(drive)
}

/// The version of NFS or SMB in the options.
pub(super) fn version_of(fs_type: &str, options: &[String]) -> Option<String> {
    let version = match protocol_of(fs_type)? {
        Protocol::Stornext => return None,
        Protocol::Smb => option(options, "vers")?,
        Protocol::Nfs => option(options, "vers").or_else(|| option(options, "nfsvers"))?,
    };
    // Older kernels write NFS 4.1 in two options.
    match option(options, "minorversion") {
        Some(minor) if !version.contains('.') => Some(format!("{version}.{minor}")),
        _ => Some(version.to_owned()),
    }
}

/// One line for screens.
pub(super) fn describe(mount: &Mount) -> String {
    let version = match &mount.protocol_version {
        Some(version) => format!(" {version}"),
        None => String::new(),
    };
    match mount.protocol() {
        Some(Protocol::Smb) => {
            if let Some((server, share)) = unc_parts(&mount.source) {
                let server = without_user(server);
                return format!("SMB{version} from {server}, share {share}");
            }
        }
        Some(Protocol::Nfs) => {
            if let Some((server, path)) = host_and_path(&mount.source) {
                return format!("NFS{version} from {server}, export {path}");
            }
        }
        _ => {}
    }
    match mount.kind {
        MountKind::Memory => format!("{}, in memory of this client", mount.fs_type),
        MountKind::Overlay => format!("{}, an overlay of other file systems", mount.fs_type),
        MountKind::Fuse => match mount.fs_type.strip_prefix("fuse.") {
            Some(program) => format!("{program} (FUSE) on {}", mount.source),
            None => format!("{} (FUSE) on {}", mount.fs_type, mount.source),
        },
        _ if mount.source.is_empty() => mount.fs_type.clone(),
        MountKind::Network => format!("{} from {}", mount.fs_type, mount.source),
        MountKind::LocalDisk | MountKind::Unknown => {
            format!("{} on {}", mount.fs_type, mount.source)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(fs_type: &str, source: &str, options: &str) -> Mount {
        Mount::new(
            fs_type.to_owned(),
            source.to_owned(),
            "/mnt".into(),
            options.split(',').map(str::to_owned).collect(),
        )
    }

    /// Type, source, options; and the resulting kind, server, version, description.
    const MOUNTS: &str = r"
ext4 | /dev/vda | rw,discard | LocalDisk | - | - | ext4 on /dev/vda
xfs | /dev/mapper/a:/b | rw | LocalDisk | - | - | xfs on /dev/mapper/a:/b
zfs | tank/media | rw,xattr | LocalDisk | - | - | zfs on tank/media
tmpfs | tmpfs | rw | Memory | - | - | tmpfs, in memory of this client
nfs4 | nas1:/tank | rw,vers=4.2,clientaddr=10.0.0.7,addr=10.0.0.2 | Network | nas1 | 4.2 | NFS 4.2 from nas1, export /tank
nfs4 | [fe80::1%eth0]:/a:/b | rw,vers=4,minorversion=1 | Network | fe80::1%eth0 | 4.1 | NFS 4.1 from fe80::1%eth0, export /a:/b
nfs | nas1:/ | rw | Network | nas1 | - | NFS from nas1, export /
nfs | odd | rw,addr=10.0.0.2 | Network | 10.0.0.2 | - | nfs from odd
cifs | //nas1/media | rw,vers=3.1.1,cache=strict,addr=10.0.0.2 | Network | nas1 | 3.1.1 | SMB 3.1.1 from nas1, share media
smbfs | //edit@nas1/media/show | rw | Network | nas1 | - | SMB from nas1, share media/show
smb | \\?\UNC\nas1\media\ | rw | Network | nas1 | - | SMB from nas1, share media
fuse.sshfs | edit@nas1:/srv/media | rw | Fuse | nas1 | - | sshfs (FUSE) on edit@nas1:/srv/media
fuse.sshfs | nas1: | rw | Fuse | nas1 | - | sshfs (FUSE) on nas1:
fuse.sshfs | :/srv/media | rw | Fuse | - | - | sshfs (FUSE) on :/srv/media
fuseblk | /dev/sdb1 | rw | Fuse | - | - | fuseblk (FUSE) on /dev/sdb1
ceph | 10.0.0.1:6789,10.0.0.2:6789:/ | rw | Network | 10.0.0.1:6789,10.0.0.2:6789 | - | ceph from 10.0.0.1:6789,10.0.0.2:6789:/
virtiofs | share0 | rw | Network | - | - | virtiofs from share0
overlay | overlay | rw,lowerdir=/a:/b | Overlay | - | - | overlay, an overlay of other file systems
newfs | /dev/sdz | rw | LocalDisk | - | - | newfs on /dev/sdz
newfs | thing | rw | Unknown | - | - | newfs on thing
NTFS | C:\ | rw | LocalDisk | - | - | NTFS on C:\
";

    #[test]
    fn mount_kind_server_and_version_are_derived() {
        for row in MOUNTS.trim().lines() {
            let fields: Vec<&str> = row.split(" | ").collect();
            let [fs_type, source, options, kind, server, version, description] = fields[..] else {
                panic!("{row}");
            };
            let mount = mount(fs_type, source, options);
            assert_eq!(format!("{:?}", mount.kind), kind, "{row}");
            assert_eq!(mount.server.as_deref().unwrap_or("-"), server, "{row}");
            assert_eq!(mount.protocol_version.as_deref().unwrap_or("-"), version, "{row}");
            assert_eq!(mount.description(), description, "{row}");
        }
    }

    #[test]
    fn options_are_found_by_their_whole_name() {
        let mount = mount("nfs4", "a:/b", "ro,wsize=5,rsize=4");
        assert_eq!(mount.option("rsize"), Some("4"));
        assert_eq!(mount.option("size"), None);
        assert!(mount.is_read_only());
    }

    #[test]
    fn roots_of_drives_have_a_drive_letter() {
        assert_eq!((drive_in(r"Z:\"), drive_in(r"\\?\m:\")), (Some("Z:"), Some("m:")));
        for root in [r"\\nas1\media\", r"\\?\UNC\nas1\media\", r"\\?\Volume{4c1b02c1}\", "", "é:", "1:"] {
            assert_eq!(drive_in(root), None, "{root}");
        }
    }

    #[test]
    fn paths_that_are_no_shares_have_no_server() {
        for path in ["//", "//nas1", "//nas1/", r"\\?\C:\", r"\\.\pipe\x", "/dev/sda", r"C:\"] {
            assert_eq!(unc_parts(path), None, "{path}");
        }
    }
}
