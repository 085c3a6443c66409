//! The settings of network cards, from netlink: rings, queues, interrupts, flow control, offloads
//! (`ethtool -g -l -c -a -k`). See ethtool-netlink in the kernel's documentation.
//!
//! Every question only reads. A card omits features that it lacks, and an older kernel rejects questions
//! that it does not know: neither is a setting.

use std::collections::BTreeMap;

use super::message::{attributes, u16_at, u32_at};
use super::{Family, ask};

/// The family that returns the number of another family, and the request for it.
const CONTROLLER: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;
const FAMILY: &[u8] = b"ethtool\0";

/// Bytes of the header before attributes: command, version, and two unused ones.
const HEAD: usize = 4;
/// In every reply: the attribute for the interface, and the one for its name in it.
const INTERFACE: u16 = 1;
const INTERFACE_NAME: u16 = 2;

/// A question: its number, and the parts of the answer that are used, by the attribute's type.
struct Question {
    command: u8,
    wanted: &'static [(u16, &'static str)],
}

const QUESTIONS: [Question; 4] = [
    Question { command: 15, wanted: &[(6, "rx ring"), (9, "tx ring"), (2, "rx ring max")] },
    Question { command: 17, wanted: &[(6, "rx queues"), (7, "tx queues"), (9, "queues")] },
    Question {
        command: 19,
        wanted: &[(2, "rx-usecs"), (3, "rx-frames"), (6, "tx-usecs"), (7, "tx-frames"), (11, "adaptive-rx")],
    },
    Question { command: GET_PAUSE, wanted: &[(2, "pause autoneg"), (3, "pause rx"), (4, "pause tx")] },
];

/// The request for offloads, and the list of the active ones.
const GET_FEATURES: u8 = 11;
const ACTIVE: u16 = 4;
/// In a list of bits: the flag that listed bits are set, the bits, and the name of each.
const ARE_SET: u16 = 1;
const BITS: u16 = 3;
const BIT: u16 = 1;
const BIT_NAME: u16 = 2;

/// The question for flow control; and the head with which it returns counters, too.
const GET_PAUSE: u8 = 21;
/// The mark of a nested attribute, which strict kernels require.
const NESTED: u16 = 0x8000;
const INTERFACE_FLAGS: u16 = 3;
const WITH_COUNTS: u32 = 1 << 2;

/// Requests the pause frames of every interface, and passes on each answer's name and attributes.
///
/// # Errors
/// If the kernel does not know the question.
pub fn ask_pauses(family: u16, take: &mut dyn FnMut(String, &[u8])) -> std::io::Result<()> {
    ask(Family::Generic, family, &pause_question(), &mut |message| {
        let body = message.body.get(HEAD..).unwrap_or_default();
        if let Some(name) = interface(body) {
            take(name, body);
        }
    })
}

fn pause_question() -> Vec<u8> {
    let attribute = |kind: u16, value: &[u8]| {
        [&(value.len() as u16 + 4).to_ne_bytes()[..], &kind.to_ne_bytes(), value].concat()
    };
    let flags = attribute(INTERFACE_FLAGS, &WITH_COUNTS.to_ne_bytes());
    [head(GET_PAUSE).to_vec(), attribute(INTERFACE | NESTED, &flags)].concat()
}

/// Settings of an interface, by name.
type Told = Vec<(&'static str, String)>;

/// Offloads that matter for storage.
const OFFLOADS: [&str; 8] = [
    "rx-checksum",
    "rx-gro",
    "rx-gro-hw",
    "rx-lro",
    "tx-generic-segmentation",
    "tx-scatter-gather",
    "tx-tcp-segmentation",
    "tx-tcp6-segmentation",
];

/// The settings of cards, by interface and name. Empty without an answer.
pub fn card_settings() -> BTreeMap<(String, &'static str), String> {
    let mut all = BTreeMap::new();
    let Some(family) = family() else { return all };
    let mut put = |command: u8, read: &dyn Fn(&[u8]) -> Told| {
        // Without an answer of the kernel, the settings are unknown.
        let _ = ask(Family::Generic, family, &head(command), &mut |message| {
            let Some(body) = message.body.get(HEAD..) else { return };
            let Some(interface) = interface(body) else { return };
            all.extend(read(body).into_iter().map(|(name, value)| ((interface.clone(), name), value)));
        });
    };
    for question in &QUESTIONS {
        put(question.command, &|body| numbers(body, question.wanted));
    }
    put(GET_FEATURES, &offloads);
    without_moving(all)
}

/// Removes settings that a driver changes automatically: they are not configured, and differ from run to
/// run.
fn without_moving(
    mut all: BTreeMap<(String, &'static str), String>,
) -> BTreeMap<(String, &'static str), String> {
    let is_adaptive = |(_, name): &(String, &str), value: &str| *name == "adaptive-rx" && value == "on";
    let adaptive: Vec<String> =
        all.iter().filter(|(key, value)| is_adaptive(key, value)).map(|((one, _), _)| one.clone()).collect();
    all.retain(|(interface, name), _| {
        let moves = name.ends_with("-usecs") || name.ends_with("-frames");
        !(moves && adaptive.contains(interface))
    });
    all
}

fn head(command: u8) -> [u8; HEAD] {
    [command, 1, 0, 0]
}

/// The number of ethtool's family, which may change with every boot.
pub fn family() -> Option<u16> {
    let mut found = None;
    ask(Family::Generic, CONTROLLER, &head(GET_FAMILY), &mut |message| {
        found = found.or_else(|| number_of_family(message.body.get(HEAD..)?));
    })
    .ok()?;
    found
}

fn number_of_family(body: &[u8]) -> Option<u16> {
    let is_it = attributes(body).any(|(kind, value)| kind == FAMILY_NAME && value == FAMILY);
    let number =
        attributes(body).find(|(kind, _)| *kind == FAMILY_ID).and_then(|(_, value)| u16_at(value, 0));
    number.filter(|_| is_it)
}

fn interface(body: &[u8]) -> Option<String> {
    let (_, head) = attributes(body).find(|(kind, _)| *kind == INTERFACE)?;
    let (_, name) = attributes(head).find(|(kind, _)| *kind == INTERFACE_NAME)?;
    text(name)
}

fn text(bytes: &[u8]) -> Option<String> {
    let text = bytes.split(|byte| *byte == 0).next()?;
    Some(String::from_utf8_lossy(text).into_owned()).filter(|text| !text.is_empty())
}

/// Numbers unchanged, and switches, which have one byte, as words.
fn numbers(body: &[u8], wanted: &[(u16, &'static str)]) -> Told {
    let told = attributes(body).filter_map(|(kind, value)| {
        let (_, name) = wanted.iter().find(|(wanted, _)| *wanted == kind)?;
        let said = match value {
            [switch] => on_off(*switch != 0).to_owned(),
            value => u32_at(value, 0)?.to_string(),
        };
        Some((*name, said))
    });
    told.collect()
}

fn offloads(body: &[u8]) -> Told {
    let Some((_, active)) = attributes(body).find(|(kind, _)| *kind == ACTIVE) else { return Vec::new() };
    if !attributes(active).any(|(kind, _)| kind == ARE_SET) {
        return Vec::new();
    }
    let bits = attributes(active).filter(|(kind, _)| *kind == BITS).flat_map(|(_, bits)| attributes(bits));
    let names = bits.filter(|(kind, _)| *kind == BIT).filter_map(|(_, bit)| {
        let (_, name) = attributes(bit).find(|(kind, _)| *kind == BIT_NAME)?;
        text(name)
    });
    let names: Vec<String> = names.collect();
    OFFLOADS.iter().map(|name| (*name, on_off(names.iter().any(|one| one == name)).to_owned())).collect()
}

fn on_off(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::message::attribute;

    fn of_eth0(rest: &[Vec<u8>]) -> Vec<u8> {
        let name = attribute(INTERFACE_NAME, b"eth0\0");
        [attribute(INTERFACE, &name), rest.concat()].concat()
    }

    #[test]
    fn ethtool_settings_are_reported_by_interface() {
        let body = of_eth0(&[
            attribute(2, &3_u32.to_ne_bytes()),
            attribute(11, &[1]),
            attribute(99, &[0; 4]),
            attribute(6, &[0; 2]),
        ]);
        assert_eq!(interface(&body).as_deref(), Some("eth0"));
        let told = numbers(&body, QUESTIONS[2].wanted);
        assert_eq!(told, [("rx-usecs", "3".to_owned()), ("adaptive-rx", "on".to_owned())]);
        assert_eq!(interface(b""), None);
    }

    #[test]
    fn offloads_that_are_not_named_are_off_where_the_list_is_one_of_those_in_force() {
        let bit = |name: &[u8]| attribute(BIT, &attribute(BIT_NAME, name));
        let bits = attribute(BITS, &[bit(b"rx-gro\0"), bit(b"tx-lockless\0")].concat());
        let active =
            |flag: u16| of_eth0(&[attribute(ACTIVE, &[attribute(flag, b""), bits.clone()].concat())]);
        let told: BTreeMap<_, _> = offloads(&active(ARE_SET)).into_iter().collect();
        assert_eq!((told["rx-gro"].as_str(), told["tx-tcp-segmentation"].as_str()), ("on", "off"));
        assert!(offloads(&active(9)).is_empty(), "a list with a mask says something else");
        let whole = active(ARE_SET);
        // A message that ends early gives its complete parts, or nothing.
        (0..whole.len()).for_each(|length| drop(offloads(&whole[..length])));
    }

    /// A kernel that does not support the request rejects it; a host without such cards sends no
    /// replies.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_kernel_understands_the_question_for_pauses() {
        let Some(family) = family() else { return };
        let mut names = Vec::new();
        let answer = ask_pauses(family, &mut |name, _| names.push(name));
        assert!(answer.is_ok(), "{answer:?} {names:?}");
    }

    #[test]
    fn automatic_driver_values_are_no_setting() {
        let told = |adaptive: &str| {
            let all = [("adaptive-rx", adaptive), ("rx-usecs", "17"), ("rx ring", "512")];
            let all = all.map(|(name, value)| (("eth0".to_owned(), name), value.to_owned())).into();
            without_moving(all).len()
        };
        assert_eq!((told("off"), told("on")), (3, 2));
    }

    #[test]
    fn the_family_is_known_by_its_name() {
        let family = |name: &[u8]| {
            let parts = [attribute(FAMILY_ID, &21_u16.to_ne_bytes()), attribute(FAMILY_NAME, name)];
            number_of_family(&parts.concat())
        };
        assert_eq!((family(FAMILY), family(b"devlink\0")), (Some(21), None));
    }
}
