//! Parsers of the kernel's files: text in, counters out.
//!
//! Pure, and tolerant: a line that cannot be parsed gives no counter, because kernels add and remove
//! lines. The path of a file and whether it can be read are the concern of
//! [`crate::sample::proc_reader`].
//!
//! procfs-core is used for files that it parses line by line (`disks`, `quota`), and for files of one
//! line (`own`). The rest is parsed here, because procfs-core parses whole files or nothing. One
//! unexpected or missing line would then lose every counter of the file. Parsing `vmstat`, `meminfo` and
//! `snmp` into complete tables would increase the cost of a sample round by half. It does not support
//! `netstat`, `softnet_stat`, CIFS and an NFS mount's connections.

pub mod cards;
pub mod disks;
pub mod disturbances;
pub mod echo;
pub mod interfaces;
pub mod memory;
pub mod nfs;
pub mod own_process;
pub mod pause_frames;
pub mod pressure;
pub mod processors;
pub mod queues;
pub mod quota;
pub mod smb;
pub mod sockets;
pub mod softnet;
pub mod tcp;

use crate::sample::counter::{Key, Layer, Look, Reading};

/// Adds a counter without a device.
pub(crate) fn put(look: &mut Look, layer: Layer, name: &'static str, reading: Reading) {
    put_on(look, layer, name, "", reading);
}

/// Adds a counter of a device.
pub(crate) fn put_on(look: &mut Look, layer: Layer, name: &'static str, device: &str, reading: Reading) {
    look.insert(Key { layer, name, device: device.to_owned() }, reading);
}

/// Adds a number from a text to a sum, without overflow: a text that is not from the kernel may contain
/// any number.
fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

/// The integers up to the first other word.
fn numbers<'a>(words: impl Iterator<Item = &'a str> + 'a) -> impl Iterator<Item = u64> + 'a {
    words.map_while(|word| word.parse().ok())
}

#[cfg(test)]
pub(crate) mod testing {
    //! Helpers for the parsers' tests.
    use super::*;

    /// The reading of a counter.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub(crate) fn reading<'a>(look: &'a Look, name: &str, device: &str) -> &'a Reading {
        let found = look.iter().find(|(key, _)| key.name == name && key.device == device);
        found.map(|(_, reading)| reading).unwrap_or_else(|| panic!("no {name} of '{device}' in {look:#?}"))
    }

    /// Asserts that every counter in `look` has a known name.
    #[track_caller]
    pub(crate) fn all_known(look: &Look) {
        for key in look.keys() {
            assert!(
                reelgauge_record::counters::kinds::kind(key.layer, key.name).is_some(),
                "{key:?} is not in the table"
            );
        }
    }
}
