//! The kernel's files, one parser each: text in, counters out.
//!
//! Pure, and forgiving: a line that is not understood gives no counter, for kernels add and drop lines.
//! Where a file lies and whether it can be read is [`crate::sample::proc_reader`]'.
//!
//! procfs-core reads what it can read line by line (`disks`, `quota`), and files of one line (`own`). The
//! rest is read here, because there it takes a whole file or nothing: a line, or a kernel without a line,
//! that it does not expect would cost every counter of the file, and `vmstat`, `meminfo` and `snmp` as tables
//! of all that stands in them would add half as much again to the cost of a look. It knows nothing of
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

/// Adds a counter of which there is one.
pub(crate) fn put(look: &mut Look, layer: Layer, name: &'static str, reading: Reading) {
    put_on(look, layer, name, "", reading);
}

/// Adds a counter of a device.
pub(crate) fn put_on(look: &mut Look, layer: Layer, name: &'static str, device: &str, reading: Reading) {
    look.insert(Key { layer, name, device: device.to_owned() }, reading);
}

/// Adds to a sum of what a text says: a text that is none of the kernel's may say anything.
fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

/// Whole numbers, as far as there are any.
fn numbers<'a>(words: impl Iterator<Item = &'a str> + 'a) -> impl Iterator<Item = u64> + 'a {
    words.map_while(|word| word.parse().ok())
}

#[cfg(test)]
pub(crate) mod testing {
    //! What the parsers' tests share.
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

    /// Every counter that a source gives has to be known by name.
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
