//! Texts of Windows: PowerShell lists (`Name : Value`, a blank line between objects).
//!
//! The names are those of the cmdlets' objects in Microsoft's reference (`NetAdapter`, `SmbShare`,
//! `NetTCPIP`); PowerShell does not translate them.

use super::mounts::dialect;
use super::number::strict;
use super::{FactKind, FactSubject, Facts, fact_name, pair};
use crate::texts::{NotKnown, Texts};

/// Texts with settings of the whole host, and the prefixes of their facts' names.
const SETTINGS: [(&str, &str); 2] =
    [("Get-SmbClientConfiguration", "smb_client"), ("Get-SmbServerConfiguration", "smb_server")];

const ADAPTERS: &str = "Get-NetAdapter";
const CONNECTIONS: &str = "Get-SmbConnection";
const CHANNELS: &str = "Get-SmbMultichannelConnection";
const TUNING: &str = "Get-NetTCPSetting";

/// The settings of a card's driver that rules use.
const SET: [&str; 4] = ["set_receive_buffers", "set_transmit_buffers", "set_rss", "set_eee"];

type Object<'a> = Vec<(&'a str, &'a str)>;

/// The objects of a list.
fn objects(said: &str) -> Vec<Object<'_>> {
    let mut found: Vec<Object<'_>> = vec![Vec::new()];
    for line in said.lines() {
        match (pair(line, ':'), found.last_mut()) {
            (Some(pair), Some(object)) => object.push(pair),
            (None, Some(object)) if !object.is_empty() => found.push(Vec::new()),
            _ => {}
        }
    }
    found.retain(|object| !object.is_empty());
    found
}

fn value<'a>(object: &Object<'a>, key: &str) -> Option<&'a str> {
    object.iter().find(|(found, _)| *found == key).map(|(_, value)| *value)
}

/// `True` or `False`; a blank or any other word is neither.
fn truth(word: &str) -> Option<bool> {
    match word.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

pub(super) fn windows(texts: &Texts, facts: &mut Facts) {
    for (text, kind) in [(ADAPTERS, FactKind::Interface), (CONNECTIONS, FactKind::SmbConnection)] {
        if let Err(why) = texts.get(text) {
            facts.cannot_see(&[kind], text, &why);
        }
    }
    if let Ok(said) = texts.get(ADAPTERS) {
        facts.subjects.extend(objects(said).iter().filter_map(|object| adapter(object, texts)));
    }
    if let Ok(said) = texts.get(CONNECTIONS) {
        facts.subjects.extend(objects(said).iter().filter_map(|object| connection(object, texts)));
    }
    let Some(machine) = facts.machine_mut() else { return };
    for (text, begin) in SETTINGS {
        for (key, value) in objects(texts.get(text).unwrap_or_default()).into_iter().flatten() {
            let value = value.to_ascii_lowercase();
            machine.told(format!("{begin}_{}", fact_name(key)), &value, text);
        }
    }
    match texts.get(TUNING) {
        Ok(said) => {
            let objects = objects(said);
            let internet = objects.iter().find(|object| value(object, "SettingName") == Some("Internet"));
            match internet.and_then(|object| value(object, "AutoTuningLevelLocal")) {
                Some(level) => machine.word("autotuning_level", level.to_ascii_lowercase()),
                None => machine.gap("autotuning_level", TUNING, NotKnown::NotTold),
            }
        }
        Err(why) => machine.gap("autotuning_level", TUNING, why),
    }
}

/// A card that is up, with the settings of its driver.
fn adapter(object: &Object, texts: &Texts) -> Option<FactSubject> {
    let name =
        value(object, "Name").filter(|_| value(object, "Status").is_none_or(|status| status == "Up"))?;
    let mut adapter = FactSubject::new(FactKind::Interface, name);
    // Drivers report the largest possible number if the speed is unknown.
    let bits = value(object, "Speed").and_then(strict);
    let bits = bits.filter(|bits| *bits != f64::from(u32::MAX) && *bits < i64::MAX as f64);
    adapter.number("speed_mbit_per_s", bits.map(|bits| bits / 1e6), ADAPTERS);
    match value(object, "FullDuplex").and_then(truth) {
        Some(is_full) => adapter.word("duplex", if is_full { "full" } else { "half" }),
        None => adapter.gap("duplex", ADAPTERS, NotKnown::NotTold),
    }
    // The driver's version. No text of the host shows whether there is a newer one.
    for (fact, key) in [
        ("driver_provider", "DriverProvider"),
        ("driver_version", "DriverVersion"),
        ("driver_date", "DriverDate"),
    ] {
        match value(object, key).filter(|word| super::is_one_word(word) && !word.is_empty()) {
            Some(word) => adapter.word(fact, word.to_ascii_lowercase()),
            None => adapter.gap(fact, ADAPTERS, NotKnown::NotTold),
        }
    }
    let text = "Get-NetAdapterAdvancedProperty";
    match texts.get(text) {
        Ok(said) => {
            for object in objects(said).iter().filter(|object| value(object, "Name") == Some(name)) {
                if let (Some(key), Some(set)) =
                    (value(object, "RegistryKeyword"), value(object, "RegistryValue"))
                {
                    let set = set.trim_matches(['{', '}']);
                    adapter.told(format!("set{}", fact_name(key)), set, text);
                }
            }
            // If the list of the driver's settings does not contain it, there is no such setting.
            if SET.iter().any(|key| adapter.fact(key).is_some()) && texts.damaged(text).is_none() {
                for key in SET {
                    if adapter.fact(key).is_none() {
                        adapter.nothing(key);
                    }
                }
            }
        }
        Err(why) => {
            for key in SET {
                adapter.gap(key, text, why.clone());
            }
        }
    }
    let text = "Get-NetAdapterLso";
    let said = texts.get(text).map(objects);
    match said {
        Ok(list) => {
            let own = list.iter().find(|object| value(object, "Name") == Some(name));
            match own.and_then(|object| value(object, "IPv4Enabled")).and_then(truth) {
                Some(is_on) => adapter.word("lso", if is_on { "on" } else { "off" }),
                None => adapter.gap("lso", text, NotKnown::NotTold),
            }
        }
        Err(why) => adapter.gap("lso", text, why),
    }
    Some(adapter)
}

fn connection(object: &Object, texts: &Texts) -> Option<FactSubject> {
    let server = value(object, "ServerName")?;
    let share = value(object, "ShareName").unwrap_or_default();
    let mut connection = FactSubject::new(FactKind::SmbConnection, format!("\\\\{server}\\{share}"));
    connection.number("dialect", value(object, "Dialect").and_then(dialect), CONNECTIONS);
    for (fact, key) in [("is_encrypted", "Encrypted"), ("is_signed", "Signed")] {
        match value(object, key).and_then(truth) {
            Some(is) => connection.yes_no(fact, is),
            None => connection.gap(fact, CONNECTIONS, NotKnown::NotTold),
        }
    }
    let channels = texts.get(CHANNELS).map(objects);
    match &channels {
        Ok(list) => {
            let own: Vec<&Object> =
                list.iter().filter(|one| value(one, "ServerName") == Some(server)).collect();
            connection.number("channels", Some(own.len() as f64), CHANNELS);
            for (fact, key) in
                [("client_has_rdma", "ClientRdmaCapable"), ("server_has_rdma", "ServerRdmaCapable")]
            {
                match own.is_empty() {
                    true => connection.gap(fact, CHANNELS, NotKnown::NotTold),
                    false => connection.yes_no(fact, own.iter().any(|one| value(one, key) == Some("True"))),
                }
            }
        }
        Err(why) => {
            for fact in ["channels", "client_has_rdma", "server_has_rdma"] {
                connection.gap(fact, CHANNELS, why.clone());
            }
        }
    }
    Some(connection)
}
