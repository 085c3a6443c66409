//! Unraid's array, whose driver prints `/proc/mdstat` as a list of `key=value` lines.
//!
//! The format, the states of the array and those of its disks are in `md_unraid.c` (functions
//! `status_md` and `status_disk`, tables "Array states" and "Disk status"), which Lime Technology
//! publishes under the GPL; the fork qvr/nonraid prints the same. `mdResyncAction` is the next action,
//! and is always present: only `mdResync` above 0 means that it is in progress. A parity slot (0 or 29)
//! that never had a disk is `DISK_NP_DSBL`, and so is one that lost its disk; only the latter has a size
//! or an identity.

const PARITY: [(u32, &str); 2] = [(0, "parity"), (29, "parity2")];

/// A slot of the array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot<'a> {
    pub number: u32,
    pub status: &'a str,
    /// The device in it (`sdc`), if there is one.
    pub device: &'a str,
    /// The identity of the disk that belongs in it.
    id: &'a str,
    /// The size of the disk that belongs in it; `None` if it is not stated.
    size: Option<u64>,
    /// Read and write errors.
    pub errors: u64,
}

/// The state of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotState {
    /// A disk in order, or none if none belongs in it.
    InOrder,
    /// A disk whose data is not valid yet: it is being rebuilt, or parity is.
    Invalid,
    /// Its disk is missing, wrong, or was disabled by the driver.
    Lost,
    /// A state that the driver does not have.
    Unknown,
}

#[derive(Clone, Debug, Default)]
pub struct UnraidArray<'a> {
    /// `STARTED`; empty if it is not stated.
    pub state: &'a str,
    /// The slots, in the order of the text.
    pub slots: Vec<Slot<'a>>,
    /// The number of present disks, as counted by the driver.
    disks: Option<usize>,
    action: &'a str,
    is_at_work: bool,
}

impl Slot<'_> {
    /// `parity`, `disk3`.
    pub fn name(&self) -> String {
        let parity = PARITY.iter().find(|(number, _)| *number == self.number);
        parity.map_or_else(|| format!("disk{}", self.number), |(_, name)| (*name).to_owned())
    }

    pub fn state(&self) -> SlotState {
        let is_parity = PARITY.iter().any(|(number, _)| *number == self.number);
        match self.status {
            "DISK_OK" | "DISK_NP" | "DISK_NEW" => SlotState::InOrder,
            "DISK_INVALID" => SlotState::Invalid,
            "DISK_NP_DSBL" if is_parity && self.id.is_empty() => match self.size {
                Some(0) => SlotState::InOrder,
                Some(_) => SlotState::Lost,
                None => SlotState::Unknown,
            },
            "DISK_NP_MISSING" | "DISK_WRONG" | "DISK_DSBL" | "DISK_NP_DSBL" | "DISK_DSBL_NEW" => {
                SlotState::Lost
            }
            _ => SlotState::Unknown,
        }
    }

    fn is_present(&self) -> bool {
        !self.status.starts_with("DISK_NP")
    }
}

impl<'a> UnraidArray<'a> {
    /// The array of a text; `None` if the text is that of standard Linux.
    pub fn read(mdstat: &'a str) -> Option<UnraidArray<'a>> {
        let mut array = UnraidArray::default();
        let mut is_one = false;
        for line in mdstat.lines().map(str::trim) {
            let Some((key, value)) = line.split_once('=') else { continue };
            let value = value.trim().trim_matches('"');
            match key.split_once('.') {
                None => {
                    is_one |= matches!(key, "mdState" | "mdVersion" | "sbName");
                    array.whole(key, value);
                }
                Some((key, number)) => {
                    if let Ok(number) = number.parse() {
                        array.slot(key, number, value);
                    }
                }
            }
        }
        array.slots.retain(|slot| !slot.status.is_empty());
        is_one.then_some(array)
    }

    fn whole(&mut self, key: &str, value: &'a str) {
        match key {
            "mdState" => self.state = value,
            "mdNumDisks" => self.disks = value.parse().ok(),
            "mdResyncAction" => self.action = value,
            "mdResync" => self.is_at_work = value.parse().is_ok_and(|size: u64| size > 0),
            _ => {}
        }
    }

    fn slot(&mut self, key: &str, number: u32, value: &'a str) {
        let at = self.slots.iter().position(|slot| slot.number == number).unwrap_or_else(|| {
            self.slots.push(Slot { number, ..Slot::default() });
            self.slots.len() - 1
        });
        let slot = &mut self.slots[at];
        match key {
            "rdevStatus" => slot.status = value,
            "rdevName" => slot.device = value,
            "diskId" => slot.id = value,
            "diskSize" => slot.size = value.parse().ok(),
            "rdevNumErrors" => slot.errors = value.parse().unwrap_or(0),
            _ => {}
        }
    }

    /// Its current work: `check P`, `recon D2`, `clear`. Paused work does not count.
    pub fn work(&self) -> Option<&'a str> {
        self.is_at_work.then_some(if self.action.is_empty() { "resync" } else { self.action })
    }

    /// Whether the text has fewer disks than the driver counts, so that it was cut off.
    pub fn is_cut(&self) -> bool {
        let present = self.slots.iter().filter(|slot| slot.is_present()).count();
        self.disks.is_none_or(|disks| present < disks)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn slot_state_is_its_status() {
        let state = |number, status, id, size| Slot { number, status, id, size, ..Slot::default() }.state();
        for (status, wanted) in [
            ("DISK_OK", SlotState::InOrder),
            ("DISK_NP", SlotState::InOrder),
            ("DISK_NEW", SlotState::InOrder),
            ("DISK_INVALID", SlotState::Invalid),
            ("DISK_NP_MISSING", SlotState::Lost),
            ("DISK_WRONG", SlotState::Lost),
            ("DISK_DSBL", SlotState::Lost),
            ("DISK_NP_DSBL", SlotState::Lost),
            ("DISK_DSBL_NEW", SlotState::Lost),
            ("DISK_EMULATED", SlotState::Unknown),
            ("disk_ok", SlotState::Unknown),
        ] {
            assert_eq!(state(3, status, "", Some(0)), wanted, "{status}");
        }
        assert_eq!(state(29, "DISK_NP_DSBL", "", Some(0)), SlotState::InOrder, "no second parity");
        assert_eq!(state(0, "DISK_NP_DSBL", "ST8000", Some(0)), SlotState::Lost);
        assert_eq!(state(0, "DISK_NP_DSBL", "", Some(7)), SlotState::Lost);
        assert_eq!(state(0, "DISK_NP_DSBL", "", None), SlotState::Unknown);
    }

    #[test]
    fn action_counts_only_while_in_progress() {
        let text =
            |resync: &str| format!("mdState=STARTED\r\nmdResyncAction=check P\r\nmdResync={resync}\r\n");
        for (resync, work) in [("0", None), ("976762552", Some("check P")), ("", None), ("x", None)] {
            let text = text(resync);
            assert_eq!(UnraidArray::read(&text).unwrap().work(), work, "{resync}");
        }
        assert!(UnraidArray::read("md0 : active raid1 sda1[0]\n  [=>..]  resync =  3.1% (1/2)\n").is_none());
    }
}
