//! How long it takes to read a log, as far as its size shows it before it is read.

use std::fs;
use std::path::PathBuf;

/// The size of a log that is read in a moment: about a million operations.
const SMALL_BYTES: u64 = 8 << 20;
/// The limit for the number of its files and directories; each takes time to open.
const SMALL_FILES: usize = 256;
/// Operations of a small trace, whose log may still have to be made.
const SMALL_OPS: u64 = 500_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Small,
    Large,
}

impl Weight {
    /// The weight of the logs below these directories together; each agent's log is in a separate
    /// directory.
    pub fn of_logs(dirs: impl IntoIterator<Item = PathBuf>) -> Weight {
        let (mut bytes, mut files) = (0, 0);
        let mut ahead: Vec<PathBuf> = dirs.into_iter().collect();
        while let Some(dir) = ahead.pop() {
            // A missing log takes no time.
            for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
                files += 1;
                // The metadata of the entry itself: symbolic links are not followed.
                match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => ahead.push(entry.path()),
                    metadata => bytes += metadata.map_or(0, |metadata| metadata.len()),
                }
                if bytes > SMALL_BYTES || files > SMALL_FILES {
                    return Weight::Large;
                }
            }
        }
        Weight::Small
    }

    /// The weight of a trace with this many operations.
    pub fn of_ops(ops: u64) -> Weight {
        if ops > SMALL_OPS { Weight::Large } else { Weight::Small }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn log_weight_is_the_sum_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let log = |name: &str, sizes: &[u64]| {
            let log = folder.path().join(name);
            let dir = log.join("agent-1");
            fs::create_dir_all(&dir).unwrap();
            for (number, size) in sizes.iter().enumerate() {
                fs::File::create(dir.join(number.to_string())).unwrap().set_len(*size).unwrap();
            }
            log
        };
        let (half, more) = (log("half", &[SMALL_BYTES / 2]), log("more", &[SMALL_BYTES / 2, 1]));
        let many = log("many", &[0; SMALL_FILES + 1]);
        let missing = folder.path().join("missing");
        for (dirs, wanted) in [
            (vec![], Weight::Small),
            (vec![&missing], Weight::Small),
            (vec![&half, &half], Weight::Small),
            (vec![&more], Weight::Small),
            (vec![&half, &more], Weight::Large),
            (vec![&many], Weight::Large),
        ] {
            assert_eq!(Weight::of_logs(dirs.into_iter().cloned()), wanted);
        }
    }
}
