//! ZFS: pools, datasets, and the memory limit of its cache. The output of `zpool status` is parsed in
//! [`super::zpool`].

use std::collections::BTreeMap;

use super::number::strict;
use super::zpool::{STATUS, pools};
use super::{FactKind, FactSubject, Facts};
use crate::mountinfo::FILE;
use crate::texts::required_texts::ZFS_PROPERTIES;
use crate::texts::{NotKnown, Texts};

const CACHE: &str = "/proc/spl/kstat/zfs/arcstats";

pub(super) fn zfs(texts: &Texts, facts: &mut Facts) {
    let datasets_text = format!("zfs get -Hp -t filesystem -o name,property,value {ZFS_PROPERTIES}");
    let mut pools = match texts.get(STATUS) {
        Ok(said) => pools(said),
        // The message of zpool if the kernel has no ZFS.
        Err(NotKnown::Failed(said)) if said.contains("modprobe zfs") => Vec::new(),
        Err(why) => {
            facts.cannot_see(&[FactKind::ZfsPool], STATUS, &why);
            Vec::new()
        }
    };
    for (text, fact) in
        [("zpool list -Hp -o name,cap", "used_percent"), ("zpool get -Hp -o name,value ashift", "ashift")]
    {
        for pool in &mut pools {
            match texts.get(text) {
                Ok(said) => {
                    let mut lines = said.lines().filter_map(|line| line.split_once('\t'));
                    let own = lines.find(|(name, _)| *name == pool.name).map(|(_, value)| value.trim());
                    pool.number(fact, own.and_then(|value| strict(value.trim_end_matches('%'))), text);
                }
                Err(why) => pool.gap(fact, text, why),
            }
        }
    }
    let with_log: Vec<String> = pools
        .iter()
        .filter(|pool| pool.word_of("has_log") == Some("yes"))
        .map(|pool| pool.name.clone())
        .collect();
    match texts.get(&datasets_text) {
        Ok(said) => facts.subjects.extend(datasets(said, &datasets_text, &with_log)),
        Err(why) => facts.cannot_see(&[FactKind::ZfsDataset], &datasets_text, &why),
    }
    facts.subjects.extend(pools);
    if let Some(machine) = facts.machine_mut() {
        cache(machine, texts);
    }
}

/// `pool/media`, `recordsize` and `131072`, separated by tabs.
fn datasets(said: &str, text: &str, with_log: &[String]) -> Vec<FactSubject> {
    let mut found: BTreeMap<&str, FactSubject> = BTreeMap::new();
    for line in said.lines() {
        let mut columns = line.split('\t');
        let (Some(name), Some(property), Some(value)) = (columns.next(), columns.next(), columns.next())
        else {
            continue;
        };
        let subject = found.entry(name).or_insert_with(|| FactSubject::new(FactKind::ZfsDataset, name));
        let property = match property {
            "recordsize" => "record_bytes",
            "used" => "used_bytes",
            other => other,
        };
        subject.told(property, value, text);
    }
    let with_pool = |mut subject: FactSubject| {
        let pool = subject.name.split('/').next().unwrap_or_default().to_owned();
        subject.yes_no("pool_has_log", with_log.contains(&pool));
        subject
    };
    found.into_values().map(with_pool).collect()
}

/// The largest size of the cache.
fn cache(machine: &mut FactSubject, texts: &Texts) {
    match texts.get(CACHE) {
        Ok(said) => {
            let line = said
                .lines()
                .map(str::split_whitespace)
                .find_map(|mut words| (words.next() == Some("c_max")).then(|| words.nth(1))?);
            machine.told("arc_max_bytes", line.unwrap_or_default(), CACHE);
            machine.yes_no("has_zfs", true);
        }
        Err(NotKnown::NotThere) => machine.yes_no("has_zfs", false),
        Err(why) => {
            match mounts_zfs(texts) {
                Some(has) => machine.yes_no("has_zfs", has),
                None => machine.gap("has_zfs", CACHE, why.clone()),
            }
            machine.gap("arc_max_bytes", CACHE, why);
        }
    }
}

/// Whether a pool is mounted, if the table of mounts is complete.
fn mounts_zfs(texts: &Texts) -> Option<bool> {
    let is_whole = texts.get(FILE).is_ok() && texts.damaged(FILE).is_none();
    is_whole.then(|| texts.mounts().iter().any(|mount| mount.fs_type == "zfs"))
}
