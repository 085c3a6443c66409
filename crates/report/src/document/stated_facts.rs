//! The stated facts about a site, with a name for each one, and the facts that are missing.
//!
//! A fact that is not stated is missing. There are no defaults.

use std::fmt::Display;

use reelgauge_analysis::path::site::{
    BackplaneSite, DisksSite, DocumentSite, PartSite, ServerSite, Site, SwitchSite, SystemSite,
};
use serde::Serialize;

use super::Table;
use crate::text::plain;
use crate::units::{count, number};

/// The text of a cell whose fact is not stated.
const NOT_STATED: &str = "not stated";

/// Facts below a heading, each with its stated value.
pub(crate) struct Stated {
    /// The table of `site.toml`, as a heading.
    pub(crate) heading: &'static str,
    /// The table's name in the file.
    table: &'static str,
    facts: Vec<Fact>,
}

struct Fact {
    name: &'static str,
    key: &'static str,
    value: Option<String>,
}

impl Stated {
    pub(crate) fn rows(&self) -> Vec<(String, String)> {
        let stated = |fact: &Fact| Some((fact.name.to_owned(), fact.value.clone()?));
        self.facts.iter().filter_map(stated).collect()
    }

    /// The missing facts, and where to state each of them.
    pub(crate) fn missing(&self) -> impl Iterator<Item = String> + '_ {
        let missing = self.facts.iter().filter(|fact| fact.value.is_none());
        missing.map(|fact| format!("{}: {} ({} in [{}])", self.heading, fact.name, fact.key, self.table))
    }
}

fn fact(name: &'static str, key: &'static str, value: Option<String>) -> Fact {
    Fact { name, key, value }
}

fn with_unit(value: Option<f64>, unit: &str) -> Option<String> {
    value.map(|value| format!("{} {unit}", number(value)))
}

fn whole(value: Option<u32>, unit: &str) -> Option<String> {
    value.map(|value| format!("{} {unit}", count(u64::from(value))).trim_end().to_owned())
}

fn yes_or_no(value: Option<bool>) -> Option<String> {
    value.map(|is_so| if is_so { "yes" } else { "no" }.to_owned())
}

/// A word as it is written in the file.
fn word(value: Option<impl Serialize>) -> Option<String> {
    serde_json::to_value(value?).ok()?.as_str().map(plain)
}

fn text(value: Option<&String>) -> Option<String> {
    value.map(|text| plain(text))
}

/// Everything that can be stated, except the title and the parts. A new field needs its name here.
pub(crate) fn stated(site: &Site) -> Vec<Stated> {
    let Site { server, switch, backplane, disks, system, document: _, parts: _ } = site;
    vec![of_system(system), of_server(server), of_switch(switch), of_backplane(backplane), of_disks(disks)]
}

fn of_system(system: &SystemSite) -> Stated {
    let SystemSite { nodes, cores, clients, rack_units, price, currency } = system;
    let in_currency = |price: f64| {
        let currency = currency.as_deref().map(plain).unwrap_or_default();
        format!("{} {currency}", money(price)).trim_end().to_owned()
    };
    let facts = vec![
        fact("storage nodes", "nodes", whole(*nodes, "")),
        fact("processor cores of all nodes", "cores", whole(*cores, "")),
        fact("clients that generate the load", "clients", whole(*clients, "")),
        fact("rack units", "rack_units", whole(*rack_units, "U")),
        fact("price", "price", price.map(in_currency)),
        fact("currency", "currency", text(currency.as_ref())),
    ];
    Stated { heading: "System", table: "system", facts }
}

/// A price with all its digits; prices are not rounded to three.
fn money(price: f64) -> String {
    let decimals = if price.fract() == 0.0 { 0 } else { 2 };
    crate::units::fixed(price, decimals)
}

fn of_server(server: &ServerSite) -> Stated {
    let ServerSite { link_mbit_per_s, link_kind, mtu_bytes, memory_gib } = server;
    let facts = vec![
        fact("link speed", "link_mbit_per_s", with_unit(*link_mbit_per_s, "Mbit/s")),
        fact("kind of link", "link_kind", word(*link_kind)),
        fact("MTU", "mtu_bytes", whole(*mtu_bytes, "bytes")),
        fact("memory", "memory_gib", with_unit(*memory_gib, "GiB")),
    ];
    Stated { heading: "Server", table: "server", facts }
}

fn of_switch(switch: &SwitchSite) -> Stated {
    let SwitchSite {
        model,
        buffer_per_port_kib,
        buffer_is_shared,
        flow_control_at_server,
        flow_control_at_clients,
    } = switch;
    let facts = vec![
        fact("maker and model", "model", text(model.as_ref())),
        fact("buffer per port", "buffer_per_port_kib", with_unit(*buffer_per_port_kib, "KiB")),
        fact("buffer shared by all ports", "buffer_is_shared", yes_or_no(*buffer_is_shared)),
        fact(
            "flow control at the server's port",
            "flow_control_at_server",
            yes_or_no(*flow_control_at_server),
        ),
        fact(
            "flow control at clients' ports",
            "flow_control_at_clients",
            yes_or_no(*flow_control_at_clients),
        ),
    ];
    Stated { heading: "Switch", table: "switch", facts }
}

fn of_backplane(backplane: &BackplaneSite) -> Stated {
    let BackplaneSite { bus, generation, lanes } = backplane;
    let facts = vec![
        fact("bus", "bus", word(*bus)),
        fact("generation", "generation", whole(*generation, "")),
        fact("lanes to the server", "lanes", whole(*lanes, "")),
    ];
    Stated { heading: "Backplane", table: "backplane", facts }
}

fn of_disks(disks: &DisksSite) -> Stated {
    let DisksSite { kind, count, each_mb_per_s, raid, groups, each_random_reads_per_s: random } = disks;
    let facts = vec![
        fact("kind", "kind", word(*kind)),
        fact("number of disks, without spares", "count", whole(*count, "")),
        fact("rate of one disk", "each_mb_per_s", with_unit(*each_mb_per_s, "MB/s")),
        fact("RAID", "raid", word(*raid)),
        fact("RAID groups", "groups", whole(*groups, "")),
        fact("random read IOPS of one disk", "each_random_reads_per_s", with_unit(*random, "per second")),
    ];
    Stated { heading: "Disks", table: "disks", facts }
}

/// The head of a document: a name and a text each.
pub(crate) fn about(document: &DocumentSite) -> Vec<(String, String)> {
    let DocumentSite { title: _, customer, place, author, note } = document;
    let facts = [("Customer", customer), ("Place", place), ("Author", author), ("Note", note)];
    facts.into_iter().filter_map(|(name, said)| Some((name.to_owned(), plain(said.as_ref()?)))).collect()
}

/// The bill of materials; `None` if it is not stated.
pub(crate) fn bill_of_materials(parts: &[PartSite]) -> Option<Table> {
    let column = |of: &dyn Fn(&PartSite) -> Option<String>| -> Vec<String> {
        parts.iter().map(|part| of(part).unwrap_or_else(|| NOT_STATED.to_owned())).collect()
    };
    let mut table = Table::default();
    table.words("part", column(&|part| Some(plain(&part.name))));
    table.column("", "count", column(&|part| part.count.map(shown)));
    table.words("maker", column(&|part| text(part.maker.as_ref())));
    table.words("model", column(&|part| text(part.model.as_ref())));
    table.words("version", column(&|part| text(part.version.as_ref())));
    if parts.iter().any(|part| part.note.is_some()) {
        table.words("note", parts.iter().map(|part| text(part.note.as_ref()).unwrap_or_default()).collect());
    }
    (!parts.is_empty()).then_some(table)
}

fn shown(value: impl Display) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_either_stated_or_missing_and_has_no_usual_value() {
        let all = |site: &Site| {
            let stated = stated(site);
            let rows: usize = stated.iter().map(|of| of.rows().len()).sum();
            (rows, stated.iter().flat_map(Stated::missing).collect::<Vec<_>>())
        };
        let (rows, missing) = all(&Site::default());
        assert_eq!((rows, missing.len()), (0, 24));
        insta::assert_snapshot!(missing[6]);
        let disks = DisksSite { count: Some(12), ..DisksSite::default() };
        let (rows, missing) = all(&Site { disks, ..Site::default() });
        assert_eq!((rows, missing.len()), (1, 23));
    }

    #[test]
    fn a_price_is_not_rounded() {
        let system =
            SystemSite { price: Some(745_123.0), currency: Some("EUR".to_owned()), ..SystemSite::default() };
        assert_eq!(of_system(&system).rows()[0].1, "745,123 EUR");
        assert_eq!(money(12.5), "12.50");
    }

    #[test]
    fn unstated_bill_of_materials_cells_are_marked() {
        assert_eq!(bill_of_materials(&[]), None);
        let part = PartSite { name: "server".to_owned(), ..PartSite::default() };
        let lines = bill_of_materials(&[part]).map(|table| table.lines(100)).unwrap_or_default();
        insta::assert_snapshot!(lines[1]);
    }
}
