//! Unraid's array as a volume: see [`crate::unraid`] for the format of its `/proc/mdstat`.

use super::volume::{State, Volume};
use crate::unraid::{Slot, SlotState, UnraidArray};

/// The array; `None` if the text is that of standard Linux.
pub(super) fn volume(mdstat: &str) -> Option<Volume> {
    let array = UnraidArray::read(mdstat)?;
    let mut volume = Volume::new("the Unraid array");
    volume.activity = array.work().map(str::to_owned);
    let with = |wanted: SlotState| array.slots.iter().filter(move |slot| slot.state() == wanted);
    volume.failed = with(SlotState::Lost).map(named).collect();
    let odd = array.slots.iter().filter(|slot| slot.state() != SlotState::InOrder);
    let told: Vec<String> = odd.map(|slot| format!("{} {}", slot.name(), slot.status)).collect();
    volume.told = std::iter::once(array.state.to_owned()).chain(told).collect::<Vec<_>>().join(", ");
    let with_errors = array.slots.iter().filter(|slot| slot.errors > 0);
    volume.with_errors = with_errors.map(|slot| format!("{} {}", named(slot), slot.errors)).collect();
    let is_whole = with(SlotState::Lost).chain(with(SlotState::Invalid)).next().is_none();
    volume.state = match array.state {
        "STARTED" if !is_whole => Some(State::Degraded),
        "STARTED" if with(SlotState::Unknown).next().is_some() => None,
        "STARTED" if array.is_cut() => {
            "fewer disks than its count".clone_into(&mut volume.told);
            None
        }
        "STARTED" => Some(State::InOrder),
        "STOPPED" | "NEW_ARRAY" | "RECON_DISK" | "DISABLE_DISK" | "SWAP_DSBL" => Some(State::Stopped),
        "ERROR:INVALID_EXPANSION"
        | "ERROR:PARITY_NOT_BIGGEST"
        | "ERROR:TOO_MANY_MISSING_DISKS"
        | "ERROR:NEW_DISK_TOO_SMALL"
        | "ERROR:NO_DATA_DISKS" => Some(State::Failed),
        _ => None,
    };
    Some(volume)
}

/// The disks of the array, by the names of their devices.
pub(super) fn members(mdstat: &str) -> Vec<&str> {
    let slots = UnraidArray::read(mdstat).map(|array| array.slots).unwrap_or_default();
    slots.iter().map(|slot| slot.device).filter(|device| !device.is_empty()).collect()
}

/// `disk3 (sdc)`.
fn named(slot: &Slot<'_>) -> String {
    match slot.device {
        "" => slot.name(),
        device => format!("{} ({device})", slot.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// State, failed members and activity of an array with these lines in addition to its parity and two
    /// disks.
    fn told(lines: &str) -> String {
        let mut text =
            "mdVersion=2.9.33\nmdState=STARTED\nmdNumDisks=3\nmdResyncAction=check P\nmdResync=0\n"
                .to_owned();
        for (slot, device) in [(0, "sdb"), (1, "sdc"), (2, "sdd")] {
            text += &format!("diskSize.{slot}=7\nrdevStatus.{slot}=DISK_OK\nrdevName.{slot}={device}\n");
        }
        text += "diskSize.29=0\nrdevStatus.29=DISK_NP_DSBL\nrdevName.29=\n";
        let subject = volume(&(text + lines)).map(|volume| volume.subject("/proc/mdstat"));
        let word = |fact| subject.as_ref().and_then(|one| one.word_of(fact)).unwrap_or("unknown");
        ["state", "failed_members", "members_with_errors", "activity"].map(word).join("; ")
    }

    #[test]
    fn every_state_of_the_driver_is_known_and_others_are_unknown() {
        for (lines, expected) in [
            ("", "in order; none; none; none"),
            ("rdevStatus.2=DISK_DSBL\n", "degraded; disk2 (sdd); none; none"),
            ("rdevStatus.2=DISK_NP_DSBL\nrdevName.2=\n", "degraded; disk2; none; none"),
            (
                "rdevStatus.0=DISK_INVALID\nmdResyncAction=recon P\nmdResync=7\n",
                "degraded; none; none; recon P",
            ),
            ("rdevStatus.1=DISK_EMULATED\n", "unknown; none; none; none"),
            ("rdevNumErrors.1=12\n", "in order; none; disk1 (sdc) 12; none"),
            ("mdResync=7\n", "in order; none; none; check P"),
            ("mdNumDisks=4\n", "unknown; none; none; none"),
            ("mdState=STOPPED\n", "stopped; none; none; none"),
            ("mdState=DISABLE_DISK\nrdevStatus.1=DISK_NP_MISSING\n", "stopped; disk1 (sdc); none; none"),
            ("mdState=ERROR:TOO_MANY_MISSING_DISKS\n", "failed; none; none; none"),
            ("mdState=ERROR:NO_SUCH_THING\n", "unknown; none; none; none"),
            ("mdState=\n", "unknown; none; none; none"),
        ] {
            assert_eq!(told(lines), expected, "{lines}");
        }
        assert!(volume("md0 : active raid1 sdb1[0]\n").is_none());
    }
}
