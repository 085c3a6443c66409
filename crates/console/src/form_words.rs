//! Titles and help of form fields in a browser, where the command line's help is about flags. A field
//! without an entry here has its name as title, and the command line's help.

/// The title and help of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldWords {
    /// Its verb; empty for every verb.
    verb: &'static str,
    name: &'static str,
    title: &'static str,
    /// Replaces the command line's help if that is about flags.
    pub(crate) help: Option<&'static str>,
    /// The effect of an empty field, if the command line has no default value.
    pub(crate) unset: &'static str,
}

const fn words(
    name: &'static str,
    title: &'static str,
    help: Option<&'static str>,
    unset: &'static str,
) -> FieldWords {
    FieldWords { verb: "", name, title, help, unset }
}

const fn of(verb: &'static str, words: FieldWords) -> FieldWords {
    FieldWords { verb, ..words }
}

const TARGET: &str = "The directory to measure. Test files go into its subdirectory reelgauge-area/.";

/// The entries of a verb come before those of every verb.
const WORDS: &[FieldWords] = &[
    words("path", "Storage", Some(TARGET), ""),
    words("target", "Storage", Some(TARGET), ""),
    words("plan", "What runs", Some("A plan that ships with Reelgauge, or the plan of an earlier run."), ""),
    words("trace", "Trace", Some("A trace from the library, or an earlier run."), ""),
    words("format", "Format", Some("Search by codec, picture size or frames per second."), ""),
    // Each choice has a separate line.
    words("actor", "What each stream does", Some(""), ""),
    words("count", "How many streams", Some("A number, or a series of load points: 8 or 1..10"), "1"),
    words(
        "buffer",
        "Buffer",
        Some("How far each stream buffers ahead, as time or frames: 1s or 12frames"),
        "1s",
    ),
    words("find-max", "Search for the largest number", None, ""),
    of(
        "mix",
        words(
            "duration",
            "Measured time",
            Some("Measured time of a load point, without the warm-up."),
            "30s",
        ),
    ),
    of("vda", words("duration", "Measured time", None, "")),
    words(
        "duration",
        "Measured time",
        Some("Measured time of each load point or trial, without the warm-up."),
        "30s; in a search 10s",
    ),
    of("mix", words("warmup", "Warm-up", Some(WARMUP), "5s; 0s if every block is visited once")),
    of("vda", words("warmup", "Warm-up", None, "")),
    words("warmup", "Warm-up", Some(WARMUP), "5s; in a search 3s"),
    words("step", "Time of each step", Some("Measured time of each load point of a ramp or sweep."), "60s"),
    words("time-max", "Search no longer than", None, ""),
    of("streams", words("file-size", "File size", Some("Size of the file that a copier copies."), "1GiB")),
    words("file-size", "Size of the test files", Some("Size of each file."), "1GiB"),
    words("mbit-per-s", "Mbit/s", Some("Custom format: rate. Also set frames per second."), ""),
    words(
        "frame-size",
        "Frame size",
        Some("Custom format: bytes per frame. Also set frames per second."),
        "",
    ),
    words("fps", "Frames per second", Some("Overrides the frame rate of the format or footage."), ""),
    words("policy", "Late frames", Some("What happens to frames that miss their deadline."), "drop"),
    words(
        "read-ahead",
        "Read-ahead",
        Some("Frames a player requests at once: one (closed) or its whole buffer (open)."),
        "closed",
    ),
    words("clip", "Clip", Some("How long the clip of each stream plays; streams loop over it."), "10s"),
    words("sync-every", "Sync every", Some("How often recorders call fsync."), "never"),
    words("cameras", "Cameras", Some("How many cameras an editor plays side by side."), "4"),
    words(
        "copiers",
        "Copiers",
        Some("Number of file copies that run at the same time as the streams, like a backup."),
        "0",
    ),
    words("block", "Block", Some("Size of each read and write of a copier."), "1MiB"),
    words("together", "Start together", Some("Start all streams at once instead of staggered."), ""),
    words("criteria", "Pass criteria", None, "no late frame"),
    of(
        "mix",
        words(
            "files",
            "Files",
            Some("Number of files; every transfer picks one at random."),
            "one for each worker",
        ),
    ),
    words("workers", "Workers", Some("How many workers at once."), "4"),
    words("seed", "Seed", Some("Random seed; the same seed gives the same operations."), "random"),
    words(
        "keep-free",
        "Keep free",
        Some("Space on the target to leave free."),
        "5% of the volume, at most 10 GB",
    ),
    words("max-rate", "Largest rate", Some(MAX_RATE), "unlimited"),
    words("stagger", "Stagger", Some("Delay between the starts of users."), "1s; 0s with pace max"),
    of(
        "run",
        words("batch", "Passes", Some("Passes of each workload, each on fresh files (suites only)."), "5"),
    ),
    of("run", words("workloads", "Workloads", Some(WORKLOADS), "naspt")),
    of(
        "run",
        words(
            "access-time",
            "Time per kind of access",
            Some("Measured time per kind of IOMeter access (suites only)."),
            "30s",
        ),
    ),
    words("server-memory", "Memory of the server", None, ""),
    of("procedure", words("name", "Procedure", Some("A series of runs with one report."), "")),
    of("procedure", words("short", "Short variant", None, "")),
    of("procedure", words("set", "Settings", Some(SETTINGS), "")),
];

const SETTINGS: &str = "Change a setting: duration=10s. One on each line. Commands are not accepted here.";

const WORKLOADS: &str = "Workloads of the suite (suites only). Groups: naspt, own (your traces), iometer (4 \
                         and 128 KiB accesses, 1 and 32 in flight). Also names, patterns (HDVideo*), and \
                         traces by name or path.";

const MAX_RATE: &str = "Limit I/O to this many bytes per second (reads, writes and creating test files \
                        together), so that other users can still work.";
const WARMUP: &str = "Warm-up before each load point, excluded from the figures.";

/// The entry of a field, if it has one.
pub(crate) fn words_of(verb: &str, name: &str) -> Option<&'static FieldWords> {
    let named = || WORDS.iter().filter(|words| words.name == name);
    named().find(|words| words.verb == verb).or_else(|| named().find(|words| words.verb.is_empty()))
}

/// The title of a field: `How many streams`; without an entry, its name as words.
pub fn title_of(verb: &str, name: &str) -> String {
    if let Some(words) = words_of(verb, name) {
        return words.title.to_owned();
    }
    let mut letters = name.replace('-', " ");
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_verb_come_before_those_of_all() {
        assert_eq!(title_of("streams", "count"), "How many streams");
        assert_eq!(title_of("streams", "file-size"), "File size");
        assert_eq!(title_of("mix", "file-size"), "Size of the test files");
        assert_eq!(title_of("mix", "no-repeat"), "No repeat");
        assert_eq!(words_of("vda", "duration").map(|words| words.help), Some(None));
        assert_eq!(words_of("vda", "files"), None);
    }

    #[test]
    fn no_words_are_those_of_a_terminal() {
        for words in WORDS {
            let all = [words.title, words.help.unwrap_or_default(), words.unset].join("\n");
            assert!(!all.contains("--") && !all.contains('['), "{words:?}");
        }
    }
}
