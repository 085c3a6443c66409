//! The output of RAID controller tools: virtual disks and the disks below them.
//!
//! Sources of the formats: the StorCLI and MegaRAID SAS reference manuals of Broadcom (states of virtual
//! and physical drives), which also apply to Dell's PERC CLI; "HPE Smart Storage Administrator" user
//! guide for `ssacli` and `hpacucli`; "ARCCONF Command Line Utility" of Microchip; mdadm(8) for `mdadm
//! --detail`.

use super::volume::{State, Volume};

/// Programs whose output is parsed here, whatever their arguments.
pub(crate) const PROGRAMS: [&str; 14] = [
    "storcli",
    "storcli64",
    "perccli",
    "perccli64",
    "megacli",
    "megacli64",
    "MegaCli",
    "MegaCli64",
    "ssacli",
    "hpssacli",
    "hpacucli",
    "arcconf",
    "mdadm",
    "StorCLI64",
];

/// The volumes of a text of one of these programs.
pub(super) fn of_program(program: &str, said: &str) -> Vec<Volume> {
    match program {
        program if !PROGRAMS.contains(&program) => Vec::new(),
        "ssacli" | "hpssacli" | "hpacucli" => smart_array(said),
        "arcconf" => arcconf(said),
        "mdadm" => mdadm(said),
        program if program.to_ascii_lowercase().starts_with("megacli") => megacli(said),
        _ => storcli(said),
    }
}

/// Adds failed and rebuilding disks to all of a text's volumes: the text does not always show which one
/// they belong to. Without a volume they form a separate one.
fn with_disks(mut volumes: Vec<Volume>, failed: &[String], rebuilds: bool, name: &str) -> Vec<Volume> {
    if volumes.is_empty() && (!failed.is_empty() || rebuilds) {
        volumes.push(Volume::new(name));
    }
    for volume in &mut volumes {
        volume.failed = failed.to_vec();
        if rebuilds && volume.activity.is_none() {
            volume.activity = Some("rebuild".to_owned());
        }
    }
    volumes
}

/// Rows `0/0   RAID5 Optl …` of virtual disks and `252:0   10 Onln   0 …` of disks.
fn storcli(said: &str) -> Vec<Volume> {
    let (mut volumes, mut failed, mut rebuilds) = (Vec::new(), Vec::new(), false);
    for line in said.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [first, second, third, ..] = words.as_slice() else { continue };
        if is_pair(first, '/') && (second.starts_with("RAID") || second.starts_with("Cac")) {
            volumes.push(virtual_disk(&format!("virtual disk {first}"), third));
        } else if is_pair(first, ':') {
            match *third {
                "Offln" | "UBad" | "Msng" | "Failed" | "UBUnsp" => failed.push(format!("{first} ({third})")),
                "Rbld" | "Cpybck" => rebuilds = true,
                _ => {}
            }
        }
    }
    with_disks(volumes, &failed, rebuilds, "the controller")
}

fn is_pair(word: &str, between: char) -> bool {
    let is_number = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    word.split_once(between)
        .is_some_and(|(one, other)| !other.is_empty() && is_number(one) && is_number(other))
}

/// A virtual disk of a MegaRAID controller, in the words of StorCLI or of MegaCli.
fn virtual_disk(name: &str, word: &str) -> Volume {
    let mut volume = Volume::new(name);
    word.clone_into(&mut volume.told);
    volume.state = match word {
        "Optl" | "Optimal" => Some(State::InOrder),
        "Pdgd" | "Dgrd" | "Degraded" | "Partially Degraded" => Some(State::Degraded),
        "OfLn" | "Offline" | "Failed" => Some(State::Failed),
        "Rec" | "Recovery" => {
            volume.activity = Some("recovery".to_owned());
            Some(State::Degraded)
        }
        _ => None,
    };
    volume
}

/// `Virtual Drive: 0 (Target Id: 0)` with `State : Optimal`; `Slot Number: 3` with `Firmware state: Failed`.
fn megacli(said: &str) -> Vec<Volume> {
    let (mut volumes, mut failed, mut rebuilds) = (Vec::new(), Vec::new(), false);
    let (mut drive, mut enclosure, mut slot) = ("?", "?", "?");
    for (key, value) in said.lines().filter_map(|line| super::pair(line, ':')) {
        match key {
            "Virtual Drive" | "CacheCade Virtual Drive" => drive = first_word(value),
            "State" => volumes.push(virtual_disk(&format!("virtual disk {drive}"), value)),
            "Enclosure Device ID" => enclosure = value,
            "Slot Number" => slot = value,
            "Firmware state" => match value.split([',', '(']).next().unwrap_or_default().trim() {
                "Failed" | "Offline" | "Missing" => failed.push(format!("{enclosure}:{slot} ({value})")),
                "Unconfigured" if value.contains("bad") => {
                    failed.push(format!("{enclosure}:{slot} ({value})"));
                }
                "Rebuild" | "Copyback" => rebuilds = true,
                _ => {}
            },
            _ => {}
        }
    }
    with_disks(volumes, &failed, rebuilds, "the controller")
}

fn first_word(value: &str) -> &str {
    value.split_whitespace().next().unwrap_or("?")
}

/// `logicaldrive 1 (1.8 TB, RAID 5, Interim Recovery Mode)`, and `physicaldrive 1I:1:1 (…, Failed)`.
fn smart_array(said: &str) -> Vec<Volume> {
    let (mut volumes, mut failed, mut rebuilds) = (Vec::new(), Vec::new(), false);
    for line in said.lines().map(str::trim) {
        let Some((kind, rest)) = line.split_once(' ') else { continue };
        let Some((name, inside)) = rest.split_once(" (") else { continue };
        let parts: Vec<&str> = inside.trim_end_matches(')').split(',').map(str::trim).collect();
        if kind == "logicaldrive" {
            volumes.push(logical_drive(name, parts.get(2..).unwrap_or_default()));
        } else if kind == "physicaldrive" {
            let state =
                parts.iter().find(|part| part.starts_with("Failed") || part.starts_with("Predictive"));
            failed.extend(state.map(|state| format!("{name} ({state})")));
            rebuilds |= parts.iter().any(|part| part.starts_with("Rebuilding"));
        }
    }
    with_disks(volumes, &failed, rebuilds, "the controller")
}

fn logical_drive(name: &str, state: &[&str]) -> Volume {
    let mut volume = Volume::new(format!("logical drive {name}"));
    volume.told = state.join(", ");
    let word = state.first().copied().unwrap_or_default();
    volume.state = match word {
        "OK" => Some(State::InOrder),
        "Interim Recovery Mode" | "Ready for Rebuild" | "Waiting for Rebuild" | "Wrong Drive Replaced" => {
            Some(State::Degraded)
        }
        "Recovering" | "Rebuilding" => {
            volume.activity = Some("recovery".to_owned());
            Some(State::Degraded)
        }
        "Expanding"
        | "Transforming"
        | "Waiting for Transformation"
        | "Parity Initialization"
        | "Background Parity Initialization"
        | "Erase In Progress" => {
            volume.activity = Some(word.to_ascii_lowercase());
            Some(State::InOrder)
        }
        "Failed" | "Disabled from SCSI ID Conflict" | "Ejected" | "Not Configured" => Some(State::Failed),
        _ => None,
    };
    volume
}

/// `Logical Device number 0` with `Status of Logical Device : Optimal`; `Device #3` with `State : Failed`.
fn arcconf(said: &str) -> Vec<Volume> {
    let (mut volumes, mut failed, mut rebuilds) = (Vec::new(), Vec::new(), false);
    let (mut logical, mut device) = ("?", None);
    for line in said.lines().map(str::trim) {
        if let Some(number) = line.to_ascii_lowercase().strip_prefix("logical device number") {
            logical = &line[line.len() - number.trim().len()..];
        } else if line.starts_with("Device #") {
            device = Some(line);
        }
        match super::pair(line, ':') {
            Some(("Status of Logical Device" | "Status of logical device", word)) => {
                volumes.push(logical_device(logical, word));
            }
            Some(("State", word)) => match (device, first_word(word)) {
                (Some(device), "Failed" | "Missing") => failed.push(format!("{device} ({word})")),
                (_, "Rebuilding") => rebuilds = true,
                _ => {}
            },
            _ => {}
        }
    }
    with_disks(volumes, &failed, rebuilds, "the controller")
}

fn logical_device(number: &str, word: &str) -> Volume {
    let mut volume = Volume::new(format!("logical device {number}"));
    word.clone_into(&mut volume.told);
    volume.state = match word {
        "Optimal" | "Okay" => Some(State::InOrder),
        "Impacted" | "Degraded" | "Suboptimal, Fault Tolerant" | "Suboptimal" => Some(State::Degraded),
        "Rebuilding" | "Degraded, Rebuilding" => {
            volume.activity = Some("rebuild".to_owned());
            Some(State::Degraded)
        }
        "Failed" | "Offline" | "Not Available" => Some(State::Failed),
        _ => None,
    };
    volume
}

/// `/dev/md0:` with `State : clean, degraded, recovering`, and a line for each member: `… faulty  
/// /dev/sdd1`.
fn mdadm(said: &str) -> Vec<Volume> {
    let mut found: Vec<Volume> = Vec::new();
    for line in said.lines() {
        if let Some(name) = line.strip_suffix(':').filter(|name| name.starts_with("/dev/md")) {
            found.push(Volume::new(name));
        }
        let Some(volume) = found.last_mut() else { continue };
        if let Some(("State", words)) = super::pair(line, ':') {
            md_state(volume, words);
        }
        let member = line.split_whitespace().last().filter(|device| device.starts_with("/dev/"));
        if let Some(device) = member.filter(|_| line.split_whitespace().any(|word| word == "faulty")) {
            volume.failed.push(device.to_owned());
        }
    }
    found
}

/// `clean, degraded, recovering`.
fn md_state(volume: &mut Volume, words: &str) {
    words.clone_into(&mut volume.told);
    for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let name = word.split(['(', ' ']).next().unwrap_or_default();
        match name {
            "clean" | "active" | "readonly" => {}
            "degraded" => volume.state = volume.state.map(|_| State::Degraded),
            "FAILED" | "inactive" | "Not" | "broken" => volume.state = volume.state.map(|_| State::Failed),
            "recovering" | "resyncing" | "checking" | "reshaping" => volume.activity = Some(name.to_owned()),
            _ => volume.state = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(program: &str, said: &str) -> Vec<String> {
        let line = |one: &Volume| {
            let activity = one.activity.as_deref().unwrap_or("none");
            format!("{} {:?} [{}] {activity}", one.name, one.state, one.failed.join("; "))
        };
        of_program(program, said).iter().map(line).collect()
    }

    #[test]
    fn storcli_has_a_row_for_each_virtual_disk_and_each_disk() {
        let said = "DG/VD TYPE  State Access Consist Cache Cac sCC      Size Name\n\
                    0/0   RAID5 Dgrd  RW     Yes     RWBD  -   ON  10.913 TB media\n\
                    1/1   RAID1 Optl  RW     Yes     RWBD  -   ON  1.0 TB    os\n\
                    EID:Slt DID State DG     Size Intf Med SED PI SeSz Model\n\
                    252:1     9 Onln   0 3.637 TB SATA HDD N   N  512B X\n\
                    252:2    10 Offln  0 3.637 TB SATA HDD N   N  512B X\n";
        assert_eq!(
            told("storcli64", said),
            [
                "virtual disk 0/0 Some(Degraded) [252:2 (Offln)] none",
                "virtual disk 1/1 Some(InOrder) [252:2 (Offln)] none"
            ]
        );
        assert_eq!(told("perccli64", "0/0 RAID6 Xyzw RW\n"), ["virtual disk 0/0 None [] none"]);
        let rebuild = "0/0 RAID6 Pdgd RW\n252:2 10 Rbld 0 3.6 TB\n";
        assert_eq!(told("perccli64", rebuild), ["virtual disk 0/0 Some(Degraded) [] rebuild"]);
    }

    #[test]
    fn megacli_names_virtual_drives_and_slots() {
        let said = "Virtual Drive: 0 (Target Id: 0)\nRAID Level          : Primary-5\n\
                    State               : Degraded\nPD: 2 Information\nEnclosure Device ID: 32\n\
                    Slot Number: 2\nFirmware state: Failed\n";
        assert_eq!(told("MegaCli64", said), ["virtual disk 0 Some(Degraded) [32:2 (Failed)] none"]);
        let fine = "Virtual Drive: 0 (Target Id: 0)\nState : Optimal\nSlot Number: 2\nFirmware state: Online, Spun Up\n";
        assert_eq!(told("megacli", fine), ["virtual disk 0 Some(InOrder) [] none"]);
    }

    #[test]
    fn smart_arrays_have_their_states_in_brackets() {
        for (state, expected) in [
            ("OK", "Some(InOrder) [] none"),
            ("Interim Recovery Mode", "Some(Degraded) [] none"),
            ("Recovering, 35% complete", "Some(Degraded) [] recovery"),
            ("Failed", "Some(Failed) [] none"),
            ("Transforming, 3% complete", "Some(InOrder) [] transforming"),
            ("Humming", "None [] none"),
        ] {
            let said = format!("   logicaldrive 1 (1.8 TB, RAID 5, {state})\n");
            assert_eq!(told("ssacli", &said), [format!("logical drive 1 {expected}")], "{state}");
        }
        let disks = "   logicaldrive 1 (1.8 TB, RAID 5, OK)\n\
                     \x20     physicaldrive 1I:1:2 (port 1I:box 1:bay 2, SAS, 600 GB, Predictive Failure)\n";
        assert_eq!(
            told("hpacucli", disks),
            ["logical drive 1 Some(InOrder) [1I:1:2 (Predictive Failure)] none"]
        );
    }

    #[test]
    fn arcconf_and_mdadm_have_lines_of_keys() {
        let said = "Logical Device number 0\n   Status of Logical Device : Degraded\n\
                    \x20     Device #3\n         State                              : Failed\n";
        assert_eq!(told("arcconf", said), ["logical device 0 Some(Degraded) [Device #3 (Failed)] none"]);
        for (state, expected) in [
            ("clean", "Some(InOrder) [] none"),
            ("active, checking", "Some(InOrder) [] checking"),
            ("clean, degraded, recovering", "Some(Degraded) [] recovering"),
            ("inactive", "Some(Failed) [] none"),
            ("clean, FAILED", "Some(Failed) [] none"),
            ("clean, humming", "None [] none"),
        ] {
            let said = format!("/dev/md0:\n             State : {state}\n");
            assert_eq!(told("mdadm", &said), [format!("/dev/md0 {expected}")], "{state}");
        }
        let faulty = "/dev/md0:\n  State : clean, degraded\n       3       8       49        -      faulty   /dev/sdd1\n";
        assert_eq!(told("mdadm", faulty), ["/dev/md0 Some(Degraded) [/dev/sdd1] none"]);
    }
}
