//! The systems side by side, to compare vendors: make, model, firmware, protocol, mount and client.
//! Unknown values are shown as `-`.

use std::collections::BTreeSet;

use reelgauge_analysis::compare::{ComparedSystem, Comparison};
use reelgauge_machine::settings::default_of;

use crate::tables::not_measured;
use crate::text::plain;

/// One property of all systems.
pub(super) struct Property {
    pub(super) name: String,
    pub(super) values: Vec<Option<String>>,
}

impl Property {
    pub(super) fn differs(&self) -> bool {
        self.values.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// The text to show for a run.
    pub(super) fn shown(&self, run: usize) -> String {
        self.values[run].as_deref().map_or_else(not_measured, plain)
    }

    fn is_known(&self) -> bool {
        self.values.iter().any(Option::is_some)
    }
}

/// The known facts about the systems, if they differ anywhere or `all` is set; else nothing. For mount
/// options, only those that are not common to all systems.
pub(super) fn properties(comparison: &Comparison, all: bool) -> Vec<Property> {
    let systems: Vec<&ComparedSystem> = comparison.runs.iter().map(|run| &run.system).collect();
    type Field = fn(&ComparedSystem) -> &Option<String>;
    let fields: [(&'static str, Field); 10] = [
        ("make", |system| &system.make),
        ("model", |system| &system.model),
        ("firmware", |system| &system.firmware),
        ("protocol", |system| &system.protocol),
        ("file system", |system| &system.fs_type),
        ("source", |system| &system.source),
        ("client", |system| &system.client),
        ("client system", |system| &system.client_system),
        ("client hardware", |system| &system.client_hardware),
        ("client links", |system| &system.client_links),
    ];
    let mut properties: Vec<Property> = fields
        .iter()
        .map(|(name, of)| Property {
            name: (*name).to_owned(),
            values: systems.iter().map(|system| of(system).clone()).collect(),
        })
        .collect();
    let options: Vec<&str> =
        systems.iter().map(|system| system.mount_options.as_deref().unwrap_or_default()).collect();
    properties.insert(6, Property { name: "mount options".to_owned(), values: own_options(&options) });
    let others: BTreeSet<&String> = systems.iter().flat_map(|system| system.other.keys()).collect();
    properties.extend(others.into_iter().map(|name| Property {
        name: name.clone(),
        values: systems.iter().map(|system| system.other.get(name).cloned()).collect(),
    }));
    properties.extend(settings(&systems));
    let tags = comparison.runs.iter().map(|run| (!run.tags.is_empty()).then(|| run.tags.join(", ")));
    properties.push(Property { name: "tags".to_owned(), values: tags.collect() });
    if !all && !properties.iter().any(Property::differs) {
        return Vec::new();
    }
    properties.retain(Property::is_known);
    properties
}

/// Client settings that differ. A setting unknown for one client is no difference.
fn settings(systems: &[&ComparedSystem]) -> Vec<Property> {
    let names: BTreeSet<&String> = systems.iter().flat_map(|system| system.client_settings.keys()).collect();
    let of = |name: &String| Property {
        name: name.clone(),
        values: systems.iter().map(|system| system.client_settings.get(name).cloned()).collect(),
    };
    let is_told = |property: &Property| property.values.iter().all(Option::is_some);
    let differing = names.into_iter().map(of).filter(|property| is_told(property) && property.differs());
    differing.map(with_default).collect()
}

/// Adds the kernel's default to each changed setting, if known.
fn with_default(property: Property) -> Property {
    let Some(default) = default_of(&property.name) else { return property };
    let mark = |value: Option<String>| match value {
        Some(value) if value != default => Some(format!("{value} (default {default})")),
        value => value,
    };
    Property { values: property.values.into_iter().map(mark).collect(), ..property }
}

/// For each system, the options that not all systems have.
fn own_options(all: &[&str]) -> Vec<Option<String>> {
    let has = |options: &str, wanted: &str| options.split(',').any(|option| option == wanted);
    let is_own = |option: &&str| !option.is_empty() && !all.iter().all(|other| has(other, option));
    all.iter()
        .map(|options| {
            let own: Vec<&str> = options.split(',').filter(is_own).collect();
            (!own.is_empty()).then(|| own.join(","))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use reelgauge_analysis::compare::ComparedRun;

    fn system(make: &str, options: &str) -> ComparedRun {
        let system = ComparedSystem {
            make: Some(make.to_owned()),
            fs_type: Some("nfs4".to_owned()),
            mount_options: Some(options.to_owned()),
            ..ComparedSystem::default()
        };
        ComparedRun { system, ..ComparedRun::default() }
    }

    #[test]
    fn differing_settings_are_shown_and_unknown_ones_are_not() {
        let with = |settings: &[(&str, &str)]| {
            let mut run = system("Acme", "rw");
            let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            run.system.client_settings = settings.collect();
            run
        };
        let runs = vec![
            with(&[("eth0 mtu", "1500"), ("vm.swappiness", "60"), ("sda nr_requests", "64")]),
            with(&[("eth0 mtu", "9000"), ("vm.swappiness", "60")]),
        ];
        let told = properties(&Comparison { runs, ..Comparison::default() }, false);
        let set: Vec<&str> = told.iter().map(|property| property.name.as_str()).collect();
        assert_eq!(set, ["make", "file system", "eth0 mtu"]);
        let frames = [Some("1500".to_owned()), Some("9000 (default 1500)".to_owned())];
        assert_eq!(told[2].values, frames, "what was changed from the default is marked");
    }

    #[test]
    fn differing_systems_are_shown_in_full() {
        let runs = vec![system("Acme", "rw,vers=4.2,nconnect=4"), system("Bolt", "rw,vers=4.2")];
        let comparison = Comparison { runs, ..Comparison::default() };
        let told = properties(&comparison, false);
        let names: Vec<&str> = told.iter().map(|property| property.name.as_str()).collect();
        assert_eq!(names, ["make", "file system", "mount options"]);
        assert_eq!(told[2].values, [Some("nconnect=4".to_owned()), None]);
        let alike = Comparison { runs: vec![system("Acme", "rw"); 2], ..Comparison::default() };
        assert!(properties(&alike, false).is_empty());
        assert_eq!(properties(&alike, true).len(), 2);
    }
}
