//! The machine as a whole: TCP, memory, processors.

use super::{Kind, Subject, pair, value_of};
use crate::texts::{NotKnown, Texts};

/// Switches of TCP: their facts have their names.
const TCP: [&str; 7] = [
    "tcp_congestion_control",
    "tcp_moderate_rcvbuf",
    "tcp_mtu_probing",
    "tcp_sack",
    "tcp_slow_start_after_idle",
    "tcp_timestamps",
    "tcp_window_scaling",
];

/// Ports of storage: NFS and SMB.
const STORAGE_PORTS: [&str; 2] = ["2049", "445"];

pub(super) fn machine(texts: &Texts, interfaces: &[Subject]) -> Subject {
    let mut machine = Subject::new(Kind::Machine, "this machine");
    for name in TCP {
        setting(&mut machine, name, texts, &format!("net.ipv4.{name}"));
    }
    for (fact, name) in [("tcp_rmem_max_bytes", "tcp_rmem"), ("tcp_wmem_max_bytes", "tcp_wmem")] {
        let (text, said) = sysctl(texts, &format!("net.ipv4.{name}"));
        match said {
            Ok(said) => {
                let third = said.split_whitespace().nth(2).and_then(|word| word.parse().ok());
                machine.number(fact, third, &text);
            }
            Err(why) => machine.gap(fact, &text, why),
        }
    }
    setting(&mut machine, "rpc_slots_max", texts, "sunrpc.tcp_max_slot_table_entries");
    let largest = interfaces.iter().filter_map(|one| one.number_of("mtu_bytes")).reduce(f64::max);
    machine.number("largest_mtu_bytes", largest, "/sys/class/net");
    let is_virtual = |one: &Subject| one.word_of("is_virtual") == Some("yes");
    let window = interfaces.iter().filter_map(|one| one.number_of("window_needed_bytes")).reduce(f64::max);
    match window {
        None if !interfaces.is_empty() && interfaces.iter().all(is_virtual) => {
            machine.gap("window_needed_bytes", "/sys/class/net", NotKnown::Virtual);
        }
        window => machine.number("window_needed_bytes", window, "/sys/class/net/*/speed"),
    }
    memory(&mut machine, texts);
    processors(&mut machine, texts);
    round_trip(&mut machine, texts);
    machine
}

/// A setting of the kernel: its file, or its line of `sysctl -a`.
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

fn setting(machine: &mut Subject, fact: &str, texts: &Texts, name: &str) {
    let (text, said) = sysctl(texts, name);
    match said {
        Ok(said) => {
            machine.facts.insert(fact.to_owned(), Ok(value_of(&said)));
        }
        Err(why) => machine.gap(fact, &text, why),
    }
}

/// How much written data may wait in memory, and how much memory there is.
fn memory(machine: &mut Subject, texts: &Texts) {
    let text = "/proc/meminfo";
    let kib = |wanted: &str| {
        let said = texts.get(text).ok()?;
        let (_, value) = said.lines().filter_map(|line| pair(line, ':')).find(|(key, _)| *key == wanted)?;
        value.split_whitespace().next()?.parse::<f64>().ok()
    };
    machine.number("memory_bytes", kib("MemTotal").map(|kib| kib * 1024.0), text);
    let number = |name: &str| sysctl(texts, name).1.ok().and_then(|said| said.parse::<f64>().ok());
    let bytes = number("vm.dirty_bytes").filter(|bytes| *bytes > 0.0);
    let ratio = number("vm.dirty_ratio").zip(kib("MemAvailable"));
    let limit = bytes.or_else(|| ratio.map(|(percent, kib)| percent / 100.0 * kib * 1024.0));
    match sysctl(texts, "vm.dirty_ratio") {
        (_, Ok(_)) => machine.number("dirty_limit_bytes", limit, text),
        (text, Err(why)) => machine.gap("dirty_limit_bytes", &text, why),
    }
}

fn processors(machine: &mut Subject, texts: &Texts) {
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
        Ok(nodes) => machine.yes_no("has_several_nodes", nodes.trim().contains(['-', ','])),
        Err(why) => machine.gap("has_several_nodes", text, why),
    }
}

/// The shortest round trip that a connection to storage has seen.
fn round_trip(machine: &mut Subject, texts: &Texts) {
    let text = "ss -tinHO";
    let said = match texts.get(text) {
        Ok(said) => said,
        Err(why) => return machine.gap("storage_round_trip_ms", text, why),
    };
    let of_storage = said.lines().filter(|line| {
        let ends = line.split_whitespace().skip(3).take(2).filter_map(|end| end.rsplit(':').next());
        ends.into_iter().any(|port| STORAGE_PORTS.contains(&port))
    });
    let trips =
        of_storage.filter_map(|line| line.split_whitespace().find_map(|word| word.strip_prefix("minrtt:")));
    match trips.filter_map(|trip| trip.parse::<f64>().ok()).reduce(f64::min) {
        Some(shortest) => machine.number("storage_round_trip_ms", Some(shortest), text),
        None => machine.nothing("storage_round_trip_ms"),
    }
}
