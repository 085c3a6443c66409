//! ZFS: pools, datasets, and how much memory its cache may take.

use std::collections::BTreeMap;

use super::number::strict;
use super::{FactKind, Facts, Subject, pair};
use crate::texts::wanted::ZFS_PROPERTIES;
use crate::texts::{NotKnown, Texts};

const STATUS: &str = "zpool status";
const CACHE: &str = "/proc/spl/kstat/zfs/arcstats";

pub(super) fn zfs(texts: &Texts, facts: &mut Facts) {
    let datasets_text = format!("zfs get -Hp -t filesystem -o name,property,value {ZFS_PROPERTIES}");
    let mut pools = match texts.get(STATUS) {
        Ok(said) => pools(said),
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

/// The sections of `zpool status`.
fn pools(said: &str) -> Vec<Subject> {
    let mut found: Vec<(Subject, Vdevs)> = Vec::new();
    for line in said.lines() {
        match pair(line, ':') {
            Some(("pool", name)) => {
                let mut pool = Subject::new(FactKind::ZfsPool, name);
                pool.word("activity", "none");
                found.push((pool, Vdevs::default()));
            }
            Some((key @ ("state" | "scan"), value)) => {
                let Some((pool, _)) = found.last_mut() else { continue };
                let activity = ["scrub", "resilver"].into_iter().find(|name| value.starts_with(name));
                match (key, activity.filter(|_| value.contains("in progress"))) {
                    ("state", _) => pool.word("state", value),
                    (_, Some(activity)) => pool.word("activity", activity),
                    _ => {}
                }
            }
            _ => {
                if let Some((_, vdevs)) = found.last_mut() {
                    vdevs.line(line);
                }
            }
        }
    }
    let told = |(mut pool, vdevs): (Subject, Vdevs)| {
        pool.yes_no("has_log", vdevs.has_log);
        pool.number("widest_raidz_disks", Some(vdevs.widest as f64), STATUS);
        pool
    };
    found.into_iter().map(told).collect()
}

/// What a pool is made of, line by line.
#[derive(Default)]
struct Vdevs {
    has_log: bool,
    widest: usize,
    /// The depth of the raidz whose disks come, and how many came.
    inside: Option<(usize, usize)>,
}

impl Vdevs {
    fn line(&mut self, line: &str) {
        let depth = line.chars().take_while(|c| c.is_whitespace()).count();
        let name = line.split_whitespace().next().unwrap_or_default();
        self.has_log |= name == "logs";
        match self.inside {
            Some((own, disks)) if depth > own && !name.is_empty() => {
                self.inside = Some((own, disks + 1));
                self.widest = self.widest.max(disks + 1);
            }
            _ => self.inside = name.starts_with("raidz").then_some((depth, 0)),
        }
    }
}

/// `pool/media`, `recordsize` and `131072`, with tabs between them.
fn datasets(said: &str, text: &str, with_log: &[String]) -> Vec<Subject> {
    let mut found: BTreeMap<&str, Subject> = BTreeMap::new();
    for line in said.lines() {
        let mut columns = line.split('\t');
        let (Some(name), Some(property), Some(value)) = (columns.next(), columns.next(), columns.next())
        else {
            continue;
        };
        let subject = found.entry(name).or_insert_with(|| Subject::new(FactKind::ZfsDataset, name));
        let property = match property {
            "recordsize" => "record_bytes",
            "used" => "used_bytes",
            other => other,
        };
        subject.told(property, value, text);
    }
    let with_pool = |mut subject: Subject| {
        let pool = subject.name.split('/').next().unwrap_or_default().to_owned();
        subject.yes_no("pool_has_log", with_log.contains(&pool));
        subject
    };
    found.into_values().map(with_pool).collect()
}

/// How large the cache may become.
fn cache(machine: &mut Subject, texts: &Texts) {
    match texts.get(CACHE) {
        Ok(said) => {
            let line = said
                .lines()
                .map(str::split_whitespace)
                .find_map(|mut words| (words.next() == Some("c_max")).then(|| strict(words.nth(1)?))?);
            machine.number("arc_max_bytes", line, CACHE);
            machine.yes_no("has_zfs", true);
        }
        Err(NotKnown::NotThere) => machine.yes_no("has_zfs", false),
        Err(why) => {
            machine.gap("has_zfs", CACHE, why.clone());
            machine.gap("arc_max_bytes", CACHE, why);
        }
    }
}
