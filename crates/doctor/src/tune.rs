//! Configuration fragments for a stated site: the settings for each system, each with its rule and the
//! computation of its number. Nothing is checked or changed here.
//!
//! * [`site`]: the known facts about the site, and its kind of network ([`site::Topology`]).
//! * [`sums`]: buffers, requests, threads and memory, each with the values it was computed from.
//! * [`fragment`]: the resulting file, line by line, each with its rule and its undo.
//! * `samba`, `nfs`, `zfs`, `linux`, `stornext`, `apple`, `windows`, `truenas`: the settings of each.
//!
//! Advice that trades security or the safety of data is never a line: it is a decision, which a fragment
//! names ([`fragment::FragmentPart::Decide`]). Settings that cannot be computed from the stated facts
//! stay unchanged, and are named.
//!
//! Not here: sentences. The reason for a line is in its rule, in `catalogue/rules`.

mod apple;
pub mod fragment;
mod linux;
mod nfs;
mod samba;
pub mod site;
mod stornext;
pub mod sums;
mod truenas;
mod windows;
mod zfs;

use serde::Serialize;

use fragment::Fragment;
use site::{Protocol, TuneSite, TuneSiteError};

/// The purpose of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// A Samba server.
    Smb,
    /// An NFS server: the kernel's, and NFS-Ganesha.
    Nfs,
    /// ZFS on a server.
    Zfs,
    /// A workstation with Linux.
    ClientLinux,
    /// A Mac.
    ClientMacos,
    /// A workstation with Windows.
    ClientWindows,
    /// TrueNAS, CORE and SCALE.
    Truenas,
}

/// The fragments for a site.
///
/// # Errors
/// If the stated facts about the site contradict each other.
pub fn fragments(purpose: Purpose, site: &TuneSite) -> Result<Vec<Fragment>, TuneSiteError> {
    site.check()?;
    if site.protocol == Some(Protocol::Stornext) && purpose != Purpose::ClientLinux {
        return Err(TuneSiteError::NotOfStornext);
    }
    Ok(match purpose {
        Purpose::ClientLinux if site.protocol == Some(Protocol::Stornext) => vec![
            stornext::mount(site),
            stornext::device_params(),
            linux::kernel(site, false),
            linux::links(site, false),
        ],
        Purpose::Smb => vec![samba::config(site), linux::kernel(site, true), linux::links(site, true)],
        Purpose::Nfs => vec![
            nfs::exports(site),
            nfs::daemon(site),
            nfs::ganesha(site),
            linux::kernel(site, true),
            linux::links(site, true),
        ],
        Purpose::Zfs => zfs::fragments(site),
        Purpose::ClientLinux => [
            Some(linux::mount(site)),
            linux::read_ahead(site),
            Some(linux::kernel(site, false)),
            Some(linux::links(site, false)),
        ]
        .into_iter()
        .flatten()
        .collect(),
        Purpose::ClientMacos => apple::fragments(site),
        Purpose::ClientWindows => vec![windows::script(site)],
        Purpose::Truenas => truenas::fragments(site),
    })
}

#[cfg(test)]
mod tests;
