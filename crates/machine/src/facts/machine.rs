//! The host as a whole: TCP, memory, processors.

use super::interfaces::ROUND_TRIP_S;
use super::number::{can_be, strict, whole};
use super::{FactKind, FactSubject, Gap, is_one_word, no_such_word, pair};
use super::{path_mtu, run_measurements};
use crate::texts::{NotKnown, Texts};

/// TCP switches. Each fact has the name of its setting.
const TCP: [&str; 7] = [
    "tcp_congestion_control",
    "tcp_moderate_rcvbuf",
    "tcp_mtu_probing",
    "tcp_sack",
    "tcp_slow_start_after_idle",
    "tcp_timestamps",
    "tcp_window_scaling",
];

/// The ports of NFS and SMB.
const STORAGE_PORTS: [&str; 2] = ["2049", "445"];

pub(super) fn machine(texts: &Texts, interfaces: &[FactSubject]) -> FactSubject {
    let mut machine = FactSubject::new(FactKind::Machine, "this machine");
    for name in TCP {
        setting(&mut machine, name, texts, &format!("net.ipv4.{name}"));
    }
    for (fact, name) in [("tcp_rmem_max_bytes", "tcp_rmem"), ("tcp_wmem_max_bytes", "tcp_wmem")] {
        let (text, said) = sysctl(texts, &format!("net.ipv4.{name}"));
        match said {
            Ok(said) => {
                let all: Vec<&str> = said.split_whitespace().collect();
                machine.word(name, all.join(" "));
                machine.told(fact, all.get(2).copied().unwrap_or_default(), &text);
            }
            Err(why) => machine.gap(fact, &text, why),
        }
    }
    setting(&mut machine, "rpc_slots_max", texts, "sunrpc.tcp_max_slot_table_entries");
    let largest = interfaces.iter().filter_map(|one| one.number_of("mtu_bytes")).reduce(f64::max);
    machine.number("largest_mtu_bytes", largest, "/sys/class/net");
    let is_virtual = |one: &FactSubject| one.word_of("is_virtual") == Some("yes");
    let window = interfaces.iter().filter_map(|one| one.number_of("window_needed_bytes")).reduce(f64::max);
    match window {
        None if !interfaces.is_empty() && interfaces.iter().all(is_virtual) => {
            machine.gap("window_needed_bytes", "/sys/class/net", NotKnown::Virtual);
        }
        window => machine.number("window_needed_bytes", window, "/sys/class/net/*/speed"),
    }
    run_measurements::complete(&mut machine, texts, ROUND_TRIP_S);
    memory(&mut machine, texts);
    processors(&mut machine, texts);
    connections(&mut machine, texts);
    path_mtu::of(&mut machine, texts);
    machine
}

/// A kernel setting: from its file, or its line of `sysctl -a`.
fn sysctl(texts: &Texts, name: &str) -> (String, Result<String, NotKnown>) {
    let text = format!("/proc/sys/{}", name.replace('.', "/"));
    match texts.get(&text) {
        Ok(said) => (text, Ok(said.trim().to_owned())),
        Err(why) => {
            let all = texts.get("sysctl -a").unwrap_or_default();
            let lines = all.lines().filter_map(|line| pair(line, '=').or_else(|| pair(line, ':')));
            let line = lines.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next();
            (text, line.ok_or(why))
        }
    }
}

fn setting(machine: &mut FactSubject, fact: &str, texts: &Texts, name: &str) {
    let (text, said) = sysctl(texts, name);
    match said {
        Ok(said) if !is_one_word(&said) => machine.gap(fact, &text, no_such_word(&said)),
        Ok(said) => machine.told(fact, &said, &text),
        Err(why) => machine.gap(fact, &text, why),
    }
}

/// A kernel setting that is a number.
fn number(texts: &Texts, name: &str, unit: &str) -> Result<f64, Gap> {
    let (text, said) = sysctl(texts, name);
    let said = said.map_err(|why| Gap::new(&text, why))?;
    let not_understood = || NotKnown::NotUnderstood(format!("'{said}' is not a number"));
    let number = whole(&said).ok_or_else(not_understood).and_then(|number| can_be(unit, number));
    number.map_err(|why| Gap::new(&text, why))
}

/// The limit of dirty data, and the size of the memory.
fn memory(machine: &mut FactSubject, texts: &Texts) {
    let bytes = |wanted: &str| -> Result<f64, Gap> {
        let said = texts.get(MEMORY).map_err(|why| Gap::new(MEMORY, why))?;
        let own = said.lines().filter_map(|line| pair(line, ':')).find(|(key, _)| *key == wanted);
        let word = own.and_then(|(_, value)| value.split_whitespace().next());
        let word = word.ok_or_else(|| Gap::new(MEMORY, NotKnown::NotTold))?;
        let wrong = || NotKnown::NotUnderstood(format!("{wanted} is '{word}', which is not a number"));
        let none = || NotKnown::NotUnderstood(format!("{wanted} has the impossible value {word}"));
        let kib = whole(word).ok_or_else(wrong).and_then(|kib| can_be("memory_kib", kib));
        let kib = kib.and_then(|kib| if kib > 0.0 { Ok(kib) } else { Err(none()) });
        kib.map(|kib| kib * 1024.0).map_err(|why| Gap::new(MEMORY, why))
    };
    let all = bytes("MemTotal");
    put(machine, "memory_bytes", all.clone());
    put(machine, "dirty_limit_bytes", dirty_limit(texts, &all));
    for (fact, of) in [("dirty_setting", "vm.dirty"), ("dirty_background_setting", "vm.dirty_background")] {
        let (in_bytes, in_percent) = (format!("{of}_bytes"), format!("{of}_ratio"));
        // Only one of the two is active; the other is 0.
        let set = match number(texts, &in_bytes, "_bytes") {
            Ok(bytes) if bytes > 0.0 => Ok(format!("{in_bytes}={bytes}")),
            Ok(_) => number(texts, &in_percent, "_percent").map(|percent| format!("{in_percent}={percent}")),
            Err(gap) => Err(gap),
        };
        machine.facts.insert(fact.to_owned(), set.map(super::Value::Word));
    }
}

const MEMORY: &str = crate::meminfo::FILE;

/// In bytes if it was set in bytes, otherwise a share of the memory. The share of total memory is used,
/// so that the same settings give the same result; it is an upper bound, because the kernel applies the
/// share to available memory.
fn dirty_limit(texts: &Texts, all: &Result<f64, Gap>) -> Result<f64, Gap> {
    // Reading the percentage first shows whether the kernel has this setting.
    let percent = number(texts, "vm.dirty_ratio", "_percent")?;
    match number(texts, "vm.dirty_bytes", "_bytes") {
        Ok(bytes) if bytes > 0.0 => match all {
            Ok(all) if bytes > *all => {
                let what = format!("{bytes} bytes exceed the memory");
                Err(Gap::new("/proc/sys/vm/dirty_bytes", NotKnown::NotUnderstood(what)))
            }
            _ => Ok(bytes),
        },
        Err(gap) if matches!(gap.why, NotKnown::NotUnderstood(_)) => Err(gap),
        _ => Ok(percent / 100.0 * all.clone()?),
    }
}

fn put(machine: &mut FactSubject, fact: &str, number: Result<f64, Gap>) {
    match number {
        Ok(number) => machine.number(fact, Some(number), MEMORY),
        Err(gap) => machine.gap(fact, &gap.text, gap.why),
    }
}

fn processors(machine: &mut FactSubject, texts: &Texts) {
    let folder = "/sys/devices/system/cpu/cpu0/cpufreq";
    machine.whole_where_there("governor", texts, &format!("{folder}/scaling_governor"));
    machine.whole_where_there("governor_driver", texts, &format!("{folder}/scaling_driver"));
    machine.whole_where_there("energy_preference", texts, &format!("{folder}/energy_performance_preference"));
    let text = "/proc/cpuinfo";
    match texts.get(text) {
        Ok(said) => {
            let flags = said.lines().filter_map(|line| pair(line, ':'));
            let flags =
                flags.filter(|(key, _)| matches!(*key, "flags" | "Features")).map(|(_, flags)| flags).next();
            match flags {
                Some(flags) => machine.yes_no("has_aes", flags.split(' ').any(|flag| flag == "aes")),
                None => machine.gap("has_aes", text, NotKnown::NotTold),
            }
        }
        Err(why) => machine.gap("has_aes", text, why),
    }
    let text = "/sys/devices/system/node/online";
    match texts.get(text) {
        Ok(nodes) => match texts.damaged(text) {
            None => machine.yes_no("has_several_nodes", nodes.trim().contains(['-', ','])),
            Some(why) => machine.gap("has_several_nodes", text, why),
        },
        Err(why) => machine.gap("has_several_nodes", text, why),
    }
}

/// Facts from `ss -ti` (iproute2's `misc/ss.c`) about connections to storage: the shortest round trip,
/// whether a sender waited for its own buffer, and the packet sizes of both ends.
fn connections(machine: &mut FactSubject, texts: &Texts) {
    const FACTS: [&str; 4] =
        ["storage_round_trip_ms", "send_buffer_limited_percent", "own_packet_bytes", "common_packet_bytes"];
    let text = "ss -tinHO";
    let said = texts.damaged(text).map_or_else(|| texts.get(text), Err);
    let said = match said {
        Ok(said) => said,
        Err(why) => return FACTS.into_iter().for_each(|fact| machine.gap(fact, text, why.clone())),
    };
    let of_storage: Vec<&str> = said
        .lines()
        .filter(|line| {
            let ends = line.split_whitespace().skip(3).take(2).filter_map(|end| end.rsplit(':').next());
            ends.into_iter().any(|port| STORAGE_PORTS.contains(&port))
        })
        .collect();
    FACTS.into_iter().for_each(|fact| machine.nothing(fact));
    let trips = of_storage.iter().filter_map(|line| strict(field(line, "minrtt:")?));
    if let Some(shortest) = trips.reduce(f64::min) {
        machine.number("storage_round_trip_ms", Some(shortest), text);
    }
    let limited = of_storage.iter().filter_map(|line| share(field(line, "sndbuf_limited:")?));
    if let Some(most) = limited.reduce(f64::max) {
        machine.number("send_buffer_limited_percent", Some(most), text);
    }
    // This end announced one packet size, and both agreed on a smaller one.
    let packets = of_storage
        .iter()
        .filter_map(|line| strict(field(line, "advmss:")?).zip(strict(field(line, " mss:")?)))
        .max_by(|one, other| (one.0 - one.1).total_cmp(&(other.0 - other.1)));
    if let Some((own, common)) = packets {
        machine.number("own_packet_bytes", Some(own), text);
        machine.number("common_packet_bytes", Some(common), text);
    }
}

/// The text after a name, up to the next blank.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_once(name)?.1.split_whitespace().next()
}

/// `12.3` of `480ms(12.3%)`.
fn share(word: &str) -> Option<f64> {
    strict(word.split_once('(')?.1.trim_end_matches(')').trim_end_matches('%'))
}

#[cfg(test)]
mod tests {
    use super::super::{Facts, Value};
    use super::*;

    #[test]
    fn connection_facts_are_read_from_ss() {
        let mut texts = Texts::default();
        let line = "ESTAB 0 0 10.0.0.2:801 10.0.0.5:2049 cubic rtt:0.3/0.1 mss:1448 pmtu:9000 rcvmss:1448 advmss:8948 \
                    busy:900ms sndbuf_limited:480ms(53.3%) minrtt:0.104\n";
        texts.put("ss -tinHO", Ok(line.replace('\n', "") + "\n"));
        let facts = Facts::of(&texts);
        let told = |fact: &str| facts.machine().and_then(|machine| machine.number_of(fact));
        assert_eq!(told("storage_round_trip_ms"), Some(0.104));
        assert_eq!(told("send_buffer_limited_percent"), Some(53.3));
        assert_eq!((told("own_packet_bytes"), told("common_packet_bytes")), (Some(8948.0), Some(1448.0)));
    }

    /// On a host without connections, nothing is printed: that is a valid result, not a damaged text.
    #[test]
    fn no_connections_at_all_are_an_answer() {
        let round_trip = |said: Result<String, NotKnown>| {
            let mut texts = Texts::default();
            texts.put("ss -tinHO", said);
            let facts = Facts::of(&texts);
            let is_damaged = facts.damaged().next().is_some();
            (facts.machine().and_then(|machine| machine.fact("storage_round_trip_ms").cloned()), is_damaged)
        };
        for blank in ["", "\n"] {
            assert_eq!(round_trip(Ok(blank.to_owned())), (Some(Ok(Value::Nothing)), false));
        }
        assert!(matches!(round_trip(Ok("x\n".to_owned())), (Some(Err(_)), true)));
        assert!(matches!(round_trip(Err(NotKnown::NotThere)), (Some(Err(_)), false)));
    }
}
