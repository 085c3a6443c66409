//! Files with the same name in different crates must mean the same noun.
//!
//! A search for `session.rs` should find one thing, or parts of one thing. Within a crate, folders
//! distinguish files.

use std::collections::{BTreeMap, BTreeSet};

use super::Fault;
use super::product::Product;

/// Names of files in several crates, and their common meaning.
const NOUNS: &[(&str, &str)] = &[
    ("actor", "a kind of worker that a plan has"),
    ("agent", "a machine of a fleet that measures"),
    ("apple", "macOS"),
    ("cache", "a memory that answers in place of the storage"),
    ("catalogue", "what comes with the program, by name"),
    ("check", "the verb `check`, a quick measurement of a target"),
    ("clean", "removing what runs left, and the verb `clean`"),
    ("clock", "a clock that times are read from or converted to"),
    ("cold_read", "a file read as if for the first time"),
    ("command", "a program that Reelgauge starts"),
    ("compare", "the verb `compare`, runs side by side"),
    ("conduct", "what many machines or workers are ordered to do next"),
    ("copy_comparison", "a file read alternately with a copy of it"),
    ("counters", "counters that were sampled during a run"),
    ("disk", "a disk"),
    ("doctor", "the verb `doctor`"),
    ("document", "facts as blocks that renderers draw"),
    ("drain", "the thread that takes records out of memory"),
    ("errno", "error numbers of system calls"),
    ("error", "the error types of a crate or module"),
    ("estimate", "what a plan would take, asked before it is started"),
    ("event", "an event of the user's own during a run"),
    ("export", "traces written for other programs, and the verb `export`"),
    ("extents", "the pieces that a file has on its disk, and the verb `extents`"),
    ("facts", "what was found out, as data"),
    ("figures", "figures: numbers with their units in their names"),
    ("files", "the files that the parent module works on"),
    ("fio", "fio's iolog"),
    ("fleet", "the verb `fleet`, many machines"),
    ("fleet_clean", "the verb `fleet clean`"),
    ("fleet_doctor", "the verb `fleet doctor`"),
    ("fleet_prepare", "the verb `fleet prepare`"),
    ("fleet_run", "the verb `fleet run`"),
    ("fleet_site", "a fleet's directory of keys and settings, and the verbs that make it"),
    ("forecast", "how long a run will take and how much it writes"),
    ("fragments", "signs that files are fragmented"),
    ("handles", "open files"),
    ("hints", "single bytes written ahead, which announce a file's size"),
    ("host", "what a run records of its host"),
    ("hosts", "the hosts of a run"),
    ("import", "an import, and the verb `import`"),
    ("latency", "how long operations took"),
    ("limit", "the layer that limited a run"),
    ("limits", "what the operating system lets a process have"),
    ("lines", "lines of text that another program wrote"),
    ("link", "the link to the storage"),
    ("links", "symbolic links"),
    ("linux", "Linux"),
    ("live", "a run while it is in progress"),
    ("live_log", "`live.jsonl` as it is written"),
    ("load_point", "one load point of a run"),
    ("margins", "margins of streams"),
    ("marks", "marks: events that disturb storage"),
    ("memory", "memory"),
    ("messages", "what processes send each other"),
    ("mix", "reads and writes of the EBU access profile, and the verb `mix`"),
    ("mix_fit", "the mix that is nearest to a trace"),
    ("mount", "mounts"),
    ("msmeter", "the original Media Storage Meter"),
    ("names", "names of files"),
    ("naspt", "Intel's NAS Performance Toolkit"),
    ("network", "the network between the machines of a fleet"),
    ("next_step", "what to do next"),
    ("nfs", "NFS"),
    ("note", "a note: a fact with its sentence"),
    ("notes", "what the user writes about a run"),
    ("number", "numbers as text has them"),
    ("observers", "hosts that sampled counters and made no load"),
    ("ops", "single operations, and the verb `ops`"),
    ("order", "the order in which things are done or kept"),
    ("other", "systems without an implementation of their own"),
    ("page", "an HTML page"),
    ("path", "the network and storage path from the client to the disks"),
    ("plan", "what is going to be carried out"),
    ("points", "load points"),
    ("preflight", "what is checked on a fleet before it measures"),
    ("probe", "trying what a file system does"),
    ("procedure", "procedures, and the verb `procedure`"),
    ("process", "a process of the operating system"),
    ("process_group", "a command with all processes that it starts"),
    ("profile", "an access profile"),
    ("proof", "a change proven by runs with and without it"),
    ("prove", "the verb `prove`"),
    ("rates", "rates of workers"),
    ("reason", "why something was not met or is unknown"),
    ("removal", "deleting what Reelgauge made"),
    ("replay", "replays of traces, and the verb `replay`"),
    ("rows", "rows of a table"),
    ("run", "one run, and the verb `run`"),
    ("run_delay", "how long a thread waited for a processor"),
    ("run_event", "what an event of the user's own did to a run"),
    ("samba", "Samba"),
    ("screen", "what a verb prints"),
    ("script", "what one worker does next"),
    ("search", "the search for the largest number of streams"),
    ("self_cost", "what Reelgauge itself cost"),
    ("selftest", "the verb `selftest`, whether a host can be trusted to measure"),
    ("series", "values in the order of time"),
    ("session", "a measurement from its start to its last record"),
    ("settings", "settings of a program or a system"),
    ("siblings", "machines of a fleet that should be alike"),
    ("sink", "the end that takes what another part produces"),
    ("site", "the customer's site, as `site.toml` describes it"),
    ("slots", "numbered places in a list of fixed length"),
    ("source", "where text comes from"),
    ("space", "free space of a file system"),
    ("statement", "verdict, number and cause of a run"),
    ("states", "states of storage that procedures go through"),
    ("step", "one of several steps"),
    ("stornext", "StorNext"),
    ("streams", "streams, and the verb `streams`"),
    ("suite", "a suite of workloads"),
    ("suites", "suites side by side"),
    ("sums", "how a recommended number is calculated"),
    ("tally", "counting while operations pass"),
    ("tape", "the operations of a trace in their order"),
    ("throughput", "bytes per second"),
    ("trace", "a trace"),
    ("traces", "the library of traces"),
    ("tune", "the verb `tune`, configuration for a site"),
    ("units", "numbers with units, read and written"),
    ("validation", "whether what the user wrote can be"),
    ("vda", "VDA-like load points"),
    ("vda_curve", "the curve of a VDA-like run"),
    ("verdict", "whether criteria were met"),
    ("verify", "reading back what was written"),
    ("warning", "what to know before believing figures"),
    ("watch", "the verb `watch`"),
    ("watch_summary", "the counters of a watch"),
    ("windows", "Windows"),
    ("worker_threads", "threads that carry out requests"),
    ("workers", "the workers of a load point"),
    ("writer", "writing records to a file"),
    ("zfs", "ZFS"),
];

/// Names required by cargo or the language.
const GIVEN: &[&str] = &["lib", "main", "mod"];

pub fn check(product: &[Product<'_>]) -> Vec<Fault> {
    faults(product, NOUNS)
}

fn faults(product: &[Product<'_>], nouns: &[(&str, &str)]) -> Vec<Fault> {
    let mut files: BTreeMap<&str, Vec<&Product<'_>>> = BTreeMap::new();
    for file in product {
        let name = file.path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or_default();
        files.entry(name).or_default().push(file);
    }
    let is_shared = |files: &Vec<&Product<'_>>| {
        files.iter().map(|file| file.crate_name()).collect::<BTreeSet<_>>().len() > 1
    };
    files.retain(|name, files| !GIVEN.contains(name) && is_shared(files));
    let mut faults = Vec::new();
    for (name, files) in &files {
        if !nouns.iter().any(|(noun, _)| noun == name) {
            let paths: Vec<&str> = files.iter().map(|file| file.path).collect();
            let what = format!(
                "several crates have this name: {}; rename one, or say in xtask/src/tidy/names.rs what it means in all",
                paths.join(", ")
            );
            faults.push(Fault::of(format!("{name}.rs"), what));
        }
    }
    let unneeded = nouns.iter().filter(|(noun, _)| !files.contains_key(noun));
    faults.extend(unneeded.map(|(noun, _)| {
        Fault::of(format!("{noun}.rs"), "is in one crate at most; remove it from xtask/src/tidy/names.rs")
    }));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Page;

    fn found(paths: &[&str], nouns: &[(&str, &str)]) -> Vec<String> {
        let pages: Vec<Page> = paths.iter().map(|path| Page::made_up(path, "")).collect();
        faults(&Product::of(&pages), nouns).into_iter().map(|fault| fault.place).collect()
    }

    const TWO: [&str; 2] = ["crates/a/src/turn.rs", "crates/b/src/deep/turn.rs"];

    #[test]
    fn a_name_in_two_crates_is_a_fault_unless_its_noun_is_listed() {
        assert_eq!(found(&TWO, &[]), ["turn.rs"]);
        assert_eq!(found(&TWO, &[("turn", "a turn at the processor")]), [""; 0]);
        assert_eq!(found(&TWO[..1], &[("turn", "a turn at the processor")]), ["turn.rs"], "not needed");
    }

    #[test]
    fn one_crate_tests_and_heads_may_repeat_a_name() {
        for good in [
            ["crates/a/src/turn.rs", "crates/a/src/deep/turn.rs"],
            ["crates/a/src/lib.rs", "crates/b/src/lib.rs"],
            ["crates/a/src/tests.rs", "crates/b/src/c/tests.rs"],
        ] {
            assert_eq!(found(&good, &[]), [""; 0], "{good:?}");
        }
    }
}
