//! Network interfaces, from `/sys/class/net` and ethtool.
//!
//! The files are those of the kernel's `net/core/net-sysfs.c` (an unknown speed is -1 there, and 65,535
//! or 4,294,967,295 in older kernels and in ethtool). The tables are those that ethtool(8) prints
//! (`ethtool.c` and `netlink/` in its source). `n/a` and a missing line are no value.

use super::bonds::bonds;
use super::interface_stack::Stack;
use super::number::{strict, whole};
use super::{FactKind, FactSubject, Facts, pair};
use crate::interface::{ALL, driver_in, is_no_speed, is_of_virtual_machine};
use crate::texts::{NotKnown, Texts};

/// A round trip within a building, for which windows must be large enough.
pub(super) const ROUND_TRIP_S: f64 = 0.0005;
/// No slot has more lanes.
const LANES_MAX: f64 = 32.0;

/// The interfaces that are up: cards, and those that consist only of cards.
pub(super) fn interfaces(texts: &Texts, facts: &mut Facts) -> Vec<FactSubject> {
    let names = match texts.get(ALL) {
        Ok(names) => names,
        Err(why) => {
            facts.cannot_see(&[FactKind::Interface, FactKind::Bond], ALL, &why);
            return Vec::new();
        }
    };
    let names: Vec<&str> = names.split_whitespace().filter(|name| *name != "lo").collect();
    let stack = Stack::of(texts);
    bonds(&names, &stack, texts, facts);
    let is_card = |name: &&&str| stack.below(name).is_none_or(|below| below.is_empty());
    let mut found: Vec<FactSubject> =
        names.iter().filter(is_card).filter_map(|name| card(name, texts)).collect();
    let made: Vec<FactSubject> =
        names.iter().filter_map(|name| made_of_cards(name, &stack, &found, texts)).collect();
    found.extend(made);
    facts.stack = stack;
    found
}

fn sys(name: &str, file: &str) -> String {
    format!("{ALL}/{name}/{file}")
}

/// Facts that only cards have.
const OF_CARDS: [&str; 18] = [
    "duplex",
    "rx_missed_errors",
    "rx_fifo_errors",
    "numa_node",
    "slot_mbit_per_s",
    "card_mbit_per_s",
    "slot_needed_mbit_per_s",
    "best_common_mbit_per_s",
    "pause_rx",
    "pause_tx",
    "adaptive_rx",
    "rx_interrupt_us",
    "rx_ring",
    "rx_ring_max",
    "queues",
    "queues_max",
    "eee",
    "is_virtual",
];

/// A bond, a VLAN or a bridge whose components are all known: it has a speed and an MTU. Everything else
/// belongs to its cards.
fn made_of_cards(name: &str, stack: &Stack, cards: &[FactSubject], texts: &Texts) -> Option<FactSubject> {
    let below = stack.below(name).filter(|below| !below.is_empty())?;
    let own: Vec<String> = stack.cards(name)?;
    let own: Vec<&FactSubject> = cards.iter().filter(|card| own.contains(&card.name)).collect();
    if texts.get(&sys(name, "operstate")).map(str::trim) == Ok("down") || own.is_empty() {
        return None;
    }
    let mut subject = FactSubject::new(FactKind::Interface, name);
    subject.word("members", below.join(" "));
    subject.whole("mtu_bytes", texts, &sys(name, "mtu"));
    let is_virtual = own.iter().all(|card| card.word_of("is_virtual") == Some("yes"));
    speed(&mut subject, texts, &sys(name, "speed"), is_virtual);
    let of_cards = OF_CARDS.into_iter().chain(OFFLOADS.map(|(fact, _)| fact));
    of_cards.for_each(|fact| subject.nothing(fact));
    for fact in ["is_usb", "is_wireless"] {
        let is_one = own.iter().any(|card| card.word_of(fact) == Some("yes"));
        match own.iter().filter_map(|card| card.fact(fact)?.as_ref().err()).next() {
            Some(gap) if !is_one => subject.gap(fact, &gap.text, gap.why.clone()),
            _ => subject.yes_no(fact, is_one),
        }
    }
    Some(subject)
}

/// A card. An interface with unknown components counts as one, unless it is known to have no hardware.
fn card(name: &str, texts: &Texts) -> Option<FactSubject> {
    let sys = |file: &str| sys(name, file);
    let says = |file: &str| texts.get(&sys(file)).map(str::trim);
    let device = says("device/uevent");
    let device = texts.damaged(&sys("device/uevent")).map_or(device, Err);
    if says("operstate") == Ok("down") || device == Err(NotKnown::NotThere) {
        return None;
    }
    let mut subject = FactSubject::new(FactKind::Interface, name);
    subject.whole("mtu_bytes", texts, &sys("mtu"));
    subject.whole("duplex", texts, &sys("duplex"));
    let driver = device.as_ref().ok().and_then(|uevent| driver_in(uevent));
    let is_virtual = driver.is_some_and(is_of_virtual_machine);
    speed(&mut subject, texts, &sys("speed"), is_virtual);
    match &device {
        Ok(device) => {
            subject.yes_no("is_usb", device.lines().any(|line| line.starts_with("DEVTYPE=usb")));
        }
        Err(why) => subject.gap("is_usb", &sys("device/uevent"), why.clone()),
    }
    for counter in ["rx_missed_errors", "rx_fifo_errors"] {
        subject.whole(counter, texts, &sys(&format!("statistics/{counter}")));
    }
    let wireless = "/proc/net/wireless";
    match texts.damaged(wireless).map_or_else(|| texts.get(wireless), Err) {
        Ok(text) => {
            let is_wireless = text.lines().any(|line| pair(line, ':').is_some_and(|(key, _)| key == name));
            subject.yes_no("is_wireless", is_wireless);
        }
        Err(NotKnown::NotThere) => subject.yes_no("is_wireless", false),
        Err(why) => subject.gap("is_wireless", "/proc/net/wireless", why),
    }
    subject.whole_where_there("numa_node", texts, &sys("device/numa_node"));
    slot(&mut subject, texts, &sys);
    ethtool(&mut subject, texts);
    Some(subject)
}

fn speed(subject: &mut FactSubject, texts: &Texts, text: &str, is_virtual: bool) {
    match texts.get(text) {
        _ if is_virtual => {
            subject.gap("speed_mbit_per_s", text, NotKnown::Virtual);
            subject.gap("window_needed_bytes", text, NotKnown::Virtual);
            subject.yes_no("is_virtual", true);
        }
        Ok(said) => {
            match whole(said.trim()) {
                Some(number) if is_no_speed(number as i64) => {
                    subject.gap("speed_mbit_per_s", text, NotKnown::NotTold)
                }
                _ => subject.told("speed_mbit_per_s", said, text),
            }
            match subject.fact("speed_mbit_per_s") {
                Some(Ok(super::Value::Number(speed))) => {
                    let window = 2.0 * speed * 1e6 / 8.0 * ROUND_TRIP_S;
                    subject.number("window_needed_bytes", Some(window), text);
                }
                Some(Err(gap)) => {
                    let why = gap.why.clone();
                    subject.gap("window_needed_bytes", text, why);
                }
                _ => subject.gap("window_needed_bytes", text, NotKnown::NotTold),
            }
        }
        Err(why) => {
            subject.gap("speed_mbit_per_s", text, why.clone());
            subject.gap("window_needed_bytes", text, why);
        }
    }
}

/// The capacity of the slot, and what card and port support.
fn slot(subject: &mut FactSubject, texts: &Texts, sys: &dyn Fn(&str) -> String) {
    let says = |file: &str| {
        let text = texts.get(&sys(&format!("device/{file}"))).ok()?;
        strict(text.split_whitespace().next()?)
    };
    let text = sys("device/current_link_speed");
    if texts.get(&text) == Err(NotKnown::NotThere) {
        return ["slot_mbit_per_s", "card_mbit_per_s"].into_iter().for_each(|fact| subject.nothing(fact));
    }
    // A device in power saving mode reports 0, 63 or 255 lanes.
    let lanes = |file: &str| says(file).filter(|lanes| (1.0..=LANES_MAX).contains(lanes));
    let (speed, width) = (says("current_link_speed"), lanes("current_link_width"));
    let (most_speed, most_width) = (says("max_link_speed"), lanes("max_link_width"));
    subject.number("slot_gt_per_s", speed, &text);
    subject.number("slot_lanes", width, &text);
    subject.number("card_gt_per_s", most_speed, &text);
    subject.number("card_lanes", most_width, &text);
    let usable = |(speed, width): (f64, f64)| {
        // Up to the second generation, eight bits are coded as ten.
        speed * 1e3 * width * if speed > 5.0 { 128.0 / 130.0 } else { 0.8 }
    };
    subject.number("slot_mbit_per_s", speed.zip(width).map(usable), &text);
    subject.number("card_mbit_per_s", most_speed.zip(most_width).map(usable), &text);
    let needed = subject.number_of("speed_mbit_per_s").map(|speed| 1.15 * speed);
    subject.number("slot_needed_mbit_per_s", needed, &sys("speed"));
}

/// Facts, and the keys of ethtool's lines that contain them.
const OFFLOADS: [(&str, &str); 6] = [
    ("tso", "tcp-segmentation-offload"),
    ("gso", "generic-segmentation-offload"),
    ("gro", "generic-receive-offload"),
    ("scatter_gather", "scatter-gather"),
    ("tx_checksums", "tx-checksumming"),
    ("rx_checksums", "rx-checksumming"),
];

fn ethtool(subject: &mut FactSubject, texts: &Texts) {
    let name = subject.name.clone();
    let mut take =
        |text: String, names: &[&str], read: &dyn Fn(&str, &str, &mut FactSubject)| match texts.get(&text) {
            Ok(said) => {
                read(said, &text, subject);
                names
                    .iter()
                    .filter(|name| subject.fact(name).is_none())
                    .copied()
                    .collect::<Vec<_>>()
                    .iter()
                    .for_each(|name| subject.gap(name, &text, NotKnown::NotTold));
            }
            // The message of ethtool if a card lacks a feature.
            Err(NotKnown::Failed(said)) if said.to_ascii_lowercase().contains("not supported") => {
                names.iter().for_each(|name| subject.nothing(name));
            }
            Err(why) => names.iter().for_each(|name| subject.gap(name, &text, why.clone())),
        };
    take(format!("ethtool {name}"), &["best_common_mbit_per_s"], &|said, text, subject| {
        subject.number("best_common_mbit_per_s", best_common(said), text);
    });
    take(format!("ethtool -a {name}"), &["pause_rx", "pause_tx"], &|said, text, subject| {
        words(said, &[("pause_rx", "RX"), ("pause_tx", "TX")], text, subject);
    });
    take(format!("ethtool -c {name}"), &["adaptive_rx", "rx_interrupt_us"], &|said, text, subject| {
        words(said, &[("rx_interrupt_us", "rx-usecs")], text, subject);
        if let Some(word) = said.split("Adaptive RX:").nth(1).and_then(|rest| rest.split_whitespace().next())
        {
            subject.word("adaptive_rx", word);
        }
    });
    take(format!("ethtool -k {name}"), &OFFLOADS.map(|(fact, _)| fact), &|said, text, subject| {
        words(said, &OFFLOADS, text, subject);
    });
    take(format!("ethtool -g {name}"), &["rx_ring", "rx_ring_max"], &|said, text, subject| {
        twice(said, "RX", ("rx_ring_max", "rx_ring"), text, subject);
    });
    take(format!("ethtool -l {name}"), &["queues", "queues_max"], &|said, text, subject| {
        // Some cards have only receive queues.
        twice(said, "RX", ("queues_max", "queues"), text, subject);
        twice(said, "Combined", ("queues_max", "queues"), text, subject);
    });
    take(format!("ethtool --show-eee {name}"), &["eee"], &|said, text, subject| {
        words(said, &[("eee", "EEE status")], text, subject);
    });
}

/// Facts from lines `Key: value`.
fn words(said: &str, wanted: &[(&str, &str)], text: &str, subject: &mut FactSubject) {
    for (key, value) in said.lines().filter_map(|line| pair(line, ':')) {
        if let Some((fact, _)) = wanted.iter().find(|(_, word)| *word == key) {
            subject.told(*fact, value, text);
        }
    }
}

/// A value that occurs first among the supported ones, and then among the current ones.
fn twice(said: &str, word: &str, (most, set): (&str, &str), text: &str, subject: &mut FactSubject) {
    let mut values = said.lines().filter_map(|line| pair(line, ':')).filter(|(key, _)| *key == word);
    for fact in [most, set] {
        if let Some(number) = values.next().and_then(|(_, value)| strict(value)) {
            subject.number(fact, Some(number), text);
        }
    }
}

/// The fastest mode that both ends of a cable offer.
fn best_common(said: &str) -> Option<f64> {
    let (own, partner) =
        (modes(said, "Supported link modes"), modes(said, "Link partner advertised link modes"));
    own.into_iter().filter(|mode| partner.contains(mode)).filter_map(rate).reduce(f64::max)
}

/// The words after a heading, and on the lines below it without a heading.
fn modes<'a>(said: &'a str, heading: &str) -> Vec<&'a str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in said.lines() {
        let (key, value) = pair(line, ':').map_or((None, line), |(key, value)| (Some(key), value));
        inside = key.map_or(inside, |key| key == heading);
        if inside {
            found.extend(value.split_whitespace());
        }
    }
    found
}

/// `10000baseT/Full` is 10,000.
fn rate(mode: &str) -> Option<f64> {
    strict(mode.split_once("base")?.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn seen(texts: &[(&str, Result<&str, NotKnown>)]) -> FactSubject {
        let mut all = Texts::default();
        all.put("/sys/class/net/eth0/device/uevent", Ok("DRIVER=ixgbe".to_owned()));
        texts.iter().for_each(|(name, text)| all.put(*name, text.clone().map(str::to_owned)));
        card("eth0", &all).unwrap()
    }

    /// As ethtool 6.1 printed it for a card of a virtual machine.
    #[test]
    fn missing_card_feature_is_absent_not_unknown() {
        let failed = NotKnown::Failed("netlink error: Operation not supported".to_owned());
        let channels = "Channel parameters for eth0:\nPre-set maximums:\nRX:\t\tn/a\nTX:\t\tn/a\nOther:\t\tn/a\n\
                        Combined:\t1\nCurrent hardware settings:\nRX:\t\tn/a\nTX:\t\tn/a\nOther:\t\tn/a\nCombined:\t1\n";
        let card = seen(&[
            ("ethtool --show-eee eth0", Err(failed.clone())),
            ("ethtool -a eth0", Err(failed)),
            ("ethtool -l eth0", Ok(channels)),
            (
                "ethtool eth0",
                Ok("Settings for eth0:\n\tSupported link modes:   Not reported\n\tSpeed: Unknown!\n"),
            ),
        ]);
        assert_eq!(card.fact("eee"), Some(&Ok(super::super::Value::Nothing)));
        assert_eq!((card.number_of("queues"), card.number_of("queues_max")), (Some(1.0), Some(1.0)));
        assert!(
            matches!(card.fact("best_common_mbit_per_s"), Some(Err(gap)) if gap.why == NotKnown::NotTold)
        );
        assert!(matches!(card.fact("rx_ring"), Some(Err(gap)) if gap.why == NotKnown::NotCollected));
    }

    #[test]
    fn receive_only_queues_count() {
        let card = seen(&[(
            "ethtool -l eth0",
            Ok("Pre-set maximums:\nRX:\t8\nCurrent hardware settings:\nRX:\t1\n"),
        )]);
        assert_eq!((card.number_of("queues"), card.number_of("queues_max")), (Some(1.0), Some(8.0)));
    }
}
