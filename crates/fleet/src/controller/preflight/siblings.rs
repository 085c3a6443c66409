//! Converts an agent's presence to the properties by which hosts are compared, and to the data it reads.
//! Pure.

use std::path::Path;

use reelgauge_analysis::preflight::caches::Reader;
use reelgauge_analysis::preflight::differences::{HostTrait, HostTraits};
use reelgauge_record::host::NicFacts;
use reelgauge_workload::streams::AnyPlan;

use crate::agent::presence::{Presence, RootFacts};
use crate::controller::fleet_plan::Placed;

/// The properties of a host, for its part in a plan.
pub fn traits(presence: &Presence, placed: &Placed) -> HostTraits {
    traits_at(presence, placed.group.clone(), root_of(&presence.roots, &placed.target))
}

/// The properties of a host on the path to one of its roots.
pub fn traits_at(presence: &Presence, group: Option<String>, root: Option<&RootFacts>) -> HostTraits {
    let mut host = HostTraits { agent: presence.agent.to_string(), group, ..HostTraits::default() };
    let way = root.and_then(|root| root.way.as_ref());
    let nics = &presence.host.nics;
    let of_way = way.and_then(|way| nics.iter().find(|nic| nic.name == way.interface));
    let mut put = |what: HostTrait, value: Option<String>| {
        if let Some(value) = value {
            host.traits.insert(what, value);
        }
    };
    put(HostTrait::Version, Some(presence.version.clone()));
    put(HostTrait::Os, Some(presence.host.os.clone()));
    put(HostTrait::Kernel, presence.host.kernel.clone());
    // If it is unknown which interface leads there, all that are up are compared.
    let of_nics = |of: fn(&NicFacts) -> Option<String>| match of_way {
        Some(nic) => of(nic),
        None => every(nics, of),
    };
    let mtu_bytes = way.and_then(|way| way.mtu_bytes).map(|mtu| mtu.to_string());
    let speed = way.and_then(|way| way.speed_mbit_per_s).map(|speed| speed.to_string());
    put(HostTrait::Driver, of_nics(|nic| nic.driver.clone()));
    put(HostTrait::MtuBytes, mtu_bytes.or_else(|| of_nics(|nic| Some(nic.mtu_bytes?.to_string()))));
    put(HostTrait::LinkMbitPerS, speed.or_else(|| of_nics(|nic| Some(nic.speed_mbit_per_s?.to_string()))));
    let mount = root.and_then(|root| root.mount.as_ref());
    put(HostTrait::MountType, mount.map(|mount| mount.fs_type.clone()));
    if let Some(mount) = mount {
        host.take_options(&mount.options);
    }
    host
}

/// The values of all interfaces that are up, each value once.
fn every(nics: &[NicFacts], of: fn(&NicFacts) -> Option<String>) -> Option<String> {
    let mut values: Vec<String> = nics.iter().filter(|nic| nic.state == "up").filter_map(of).collect();
    values.sort();
    values.dedup();
    (!values.is_empty()).then(|| values.join(" and "))
}

/// The root that a target is below; or the only root, if a symbolic link leads there.
fn root_of<'a>(roots: &'a [RootFacts], target: &Path) -> Option<&'a RootFacts> {
    let above = roots.iter().filter(|root| target.starts_with(&root.path));
    let only = || if let [root] = roots { Some(root) } else { None };
    above.max_by_key(|root| root.path.len()).or_else(only)
}

/// The data that an agent reads; `None` if it reads no existing data.
pub fn reader(presence: &Presence, placed: &Placed) -> Option<Reader> {
    let plan = AnyPlan::from_toml(&placed.part.plan_toml).ok()?;
    let (is_known, is_direct) = match &plan {
        AnyPlan::Mix(plan) if plan.mix.writes.ppm() >= 1_000_000 => return None,
        AnyPlan::Mix(plan) => (plan.read_from.is_none(), plan.mix.direct),
        AnyPlan::Streams(plan) => (plan.read_from.is_none(), plan.direct),
        // Only the agent knows what a trace reads.
        AnyPlan::Replay(_) => (false, false),
    };
    let ahead = is_known.then(|| reelgauge_runner::estimate::of_plan(plan).ok()).flatten();
    let files_bytes = ahead.map(|ahead| ahead.most_files_bytes);
    (files_bytes != Some(0)).then(|| Reader {
        agent: placed.part.agent.clone(),
        machine: presence.host.name.clone(),
        memory_bytes: presence.host.memory_bytes,
        files_bytes,
        is_direct,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nic(name: &str, state: &str, mtu_bytes: u64) -> NicFacts {
        NicFacts {
            name: name.to_owned(),
            state: state.to_owned(),
            speed_mbit_per_s: None,
            mtu_bytes: Some(mtu_bytes),
            driver: None,
        }
    }

    #[test]
    fn all_interfaces_that_are_up_are_compared_if_the_path_is_unknown() {
        let of = |nic: &NicFacts| Some(nic.mtu_bytes?.to_string());
        let nics = [nic("eth0", "up", 9000), nic("eth1", "up", 1500), nic("eth2", "down", 42)];
        assert_eq!(every(&nics, of).as_deref(), Some("1500 and 9000"));
        assert_eq!(every(&nics[2..], of), None);
    }

    #[test]
    fn the_root_nearest_to_a_target_is_its_own() {
        let root =
            |path: &str| RootFacts { path: path.to_owned(), mount: None, available_bytes: None, way: None };
        let roots = [root("/mnt"), root("/mnt/nas"), root("/srv")];
        let of = |roots: &'static [RootFacts], target: &str| {
            root_of(roots, Path::new(target)).map(|root| root.path.clone())
        };
        let roots: &'static [RootFacts] = Box::leak(Box::new(roots));
        assert_eq!(of(roots, "/mnt/nas/edit").as_deref(), Some("/mnt/nas"));
        assert_eq!(of(roots, "/mnt/nasty").as_deref(), Some("/mnt"));
        assert_eq!(of(roots, "/elsewhere"), None);
        assert_eq!(of(&roots[2..], "/link/to/srv").as_deref(), Some("/srv"));
    }
}
