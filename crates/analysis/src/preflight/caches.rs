//! Compares the memory of the reading hosts with the size of their files. Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The files that one agent reads, and its host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    pub agent: String,
    /// Its host: agents of one host share its memory.
    pub machine: String,
    /// The host's memory; `None` if it is unknown.
    pub memory_bytes: Option<u64>,
    /// The size of the files that it reads; `None` if unknown.
    pub files_bytes: Option<u64>,
    /// Whether it reads with direct I/O.
    pub is_direct: bool,
}

/// A run's data set, compared with the memory of its hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheLine {
    /// The step; `None` if there is only one run.
    pub step: Option<String>,
    /// The number of reading hosts.
    pub machines: u64,
    /// The sum of their memory; `None` if one is unknown.
    pub memory_bytes: Option<u64>,
    /// The size of the data set; `None` if unknown.
    pub files_bytes: Option<u64>,
    /// Whether all of them read with direct I/O.
    pub is_direct: bool,
    /// Agents whose files fit into the memory of their host.
    pub fitting: Vec<String>,
}

impl CacheLine {
    /// Whether all files fit into the hosts' memory; `None` if unknown. `false` with direct I/O.
    pub fn fits(&self) -> Option<bool> {
        if self.is_direct { Some(false) } else { Some(self.files_bytes? <= self.memory_bytes?) }
    }
}

/// Compares the two.
pub fn caches(step: Option<String>, readers: &[Reader]) -> CacheLine {
    let mut machines: BTreeMap<&str, (Option<u64>, Option<u64>)> = BTreeMap::new();
    for reader in readers {
        let known = machines.entry(&reader.machine).or_insert((reader.memory_bytes, Some(0)));
        known.1 = sum(known.1, reader.files_bytes);
    }
    let fits = |reader: &&Reader| {
        let known = machines.get(reader.machine.as_str());
        let fits = known.and_then(|(memory, files)| Some((*files)? <= (*memory)?));
        !reader.is_direct && fits == Some(true)
    };
    CacheLine {
        step,
        machines: machines.len() as u64,
        memory_bytes: machines.values().try_fold(0, |all, (memory, _)| sum(Some(all), *memory)),
        files_bytes: machines.values().try_fold(0, |all, (_, files)| sum(Some(all), *files)),
        is_direct: !readers.is_empty() && readers.iter().all(|reader| reader.is_direct),
        fitting: readers.iter().filter(fits).map(|reader| reader.agent.clone()).collect(),
    }
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    // Sizes from other hosts are untrusted input.
    Some(one?.saturating_add(other?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(agent: &str, machine: &str, files_bytes: Option<u64>) -> Reader {
        let (agent, machine) = (agent.to_owned(), machine.to_owned());
        Reader { agent, machine, memory_bytes: Some(10), files_bytes, is_direct: false }
    }

    #[test]
    fn agents_of_one_host_share_its_memory() {
        let two = caches(None, &[reader("a", "m", Some(8)), reader("b", "m", Some(8))]);
        assert_eq!((two.machines, two.memory_bytes, two.files_bytes), (1, Some(10), Some(16)));
        assert_eq!((two.fits(), two.fitting.len()), (Some(false), 0));
        let apart = caches(None, &[reader("a", "m", Some(8)), reader("b", "n", Some(12))]);
        assert_eq!((apart.fits(), apart.fitting), (Some(true), vec!["a".to_owned()]));
    }

    #[test]
    fn unknown_memory_makes_fit_unknown() {
        let line = caches(None, &[reader("a", "m", Some(8)), reader("b", "n", None)]);
        assert_eq!((line.files_bytes, line.fits()), (None, None));
        assert_eq!(line.fitting, ["a"]);
    }

    #[test]
    fn direct_io_files_never_fit() {
        let direct = Reader { is_direct: true, ..reader("a", "m", Some(1)) };
        let line = caches(None, &[direct]);
        assert_eq!((line.is_direct, line.fits(), line.fitting.len()), (true, Some(false), 0));
    }
}
