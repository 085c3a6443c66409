//! Configuration fragments for a stated site: what to set, on which system, by which rule and for which
//! number. Nothing is looked at and nothing is set here.
//!
//! * [`site`]: what is known of the site, and what kind of network it is ([`site::Topology`]).
//! * [`sums`]: buffers, requests, threads and memory, each with what it was worked out from.
//! * [`fragment`]: a file that comes of it, line by line, each with its rule and what undoes it.
//! * `samba`, `nfs`, `zfs`, `linux`, `stornext`, `apple`, `windows`, `truenas`: what is set where.
//!
//! Advice that trades security or the safety of data is never a line: it is a decision, which a fragment
//! names ([`fragment::FragmentPart::Decide`]). What cannot be worked out from what was stated is left as it
//! is, and named.
//!
//! Not here: sentences. Why a line is there says its rule, in `catalogue/rules`.

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
use site::{Protocol, Site, SiteError};

/// What a fragment is for.
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
/// What was stated of the site contradicts itself.
pub fn fragments(purpose: Purpose, site: &Site) -> Result<Vec<Fragment>, SiteError> {
    site.check()?;
    if site.protocol == Some(Protocol::Stornext) && purpose != Purpose::ClientLinux {
        return Err(SiteError::NotOfStornext);
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
