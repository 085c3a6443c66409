//! A worker's settings, `-p PATH -n N -l KB …`, and the folders that it may use.
//!
//! The original overwrites all files named `test000`, `test001`, … in its folder, without asking. So the
//! folder must be given twice: in the script, and by the user who runs it.

/// The longest message that a worker reads: it reads 255 bytes at a time, and discards them if the
/// buffer is full (the original's fault 17). "start" and both NULs, which follow immediately, must also
/// fit.
pub const BYTES_MAX: usize = 255 - 1 - "start\0\0".len();

/// Number of block sizes: 1 KiB to 1 MiB.
const BLOCK_SIZES: usize = 11;

/// The settings of one worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The folder with its test files, as a path on the worker's host.
    pub path: String,
    /// Number of test files; 0: all existing ones.
    pub files: u32,
    /// The longest operation, in KiB.
    pub length_kib: u32,
    /// The longest delay before each operation, in ms.
    pub delay_ms: u32,
    /// Percentage of operations that are writes.
    pub write_percent: u32,
    /// Percentage of operations at random offsets.
    pub random_percent: u32,
    /// Whether it reports each operation. Otherwise it is not measured.
    pub verbose: bool,
    /// Stored, but not used by the original.
    pub sharing: bool,
    /// Whether operations bypass the cache of the worker's host.
    pub direct: bool,
    /// The block sizes, as exponents: 1 is 1 KiB, 11 is 1 MiB.
    pub blocks: Vec<u8>,
}

/// The reason why settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A flag is missing or misplaced.
    #[error("{expected} is missing. A line has -p -n -l -d -w -r -v -f -dio -bn -bs, in this order")]
    Order {
        /// The flag that is missing here.
        expected: &'static str,
    },
    /// A value is no number, or out of range.
    #[error("{flag} is {value}, but must be {range}")]
    Value {
        /// The flag before the value.
        flag: &'static str,
        /// The value as given.
        value: String,
        /// The range of valid values, as text.
        range: String,
    },
    /// There is text after the end.
    #[error("extra text after the 11 block sizes: {rest}")]
    Rest {
        /// The text after the block sizes.
        rest: String,
    },
    /// The message is too long for a worker.
    #[error(
        "the line has {bytes} bytes, but a worker of the original reads only {BYTES_MAX}. Use a shorter path"
    )]
    TooLong {
        /// Length of the message, in bytes.
        bytes: usize,
    },
}

impl Settings {
    /// Parses the settings in a script.
    ///
    /// # Errors
    /// If a flag is missing or out of order, a value is out of range, or the message is too long for a
    /// worker.
    pub fn from_words(words: &[&str]) -> Result<Settings, SettingsError> {
        let mut words = Arguments { rest: words };
        let settings = Settings {
            path: words.text("-p")?,
            files: words.number("-n", 0, 999)?,
            length_kib: words.number("-l", 2, 2_097_151)?,
            delay_ms: words.number("-d", 0, 10_000)?,
            write_percent: words.number("-w", 0, 100)?,
            random_percent: words.number("-r", 0, 100)?,
            verbose: words.switch("-v", "-v-")?,
            sharing: words.switch("-f", "-f-")?,
            direct: words.number("-dio", 0, 1)? == 1,
            blocks: words.blocks()?,
        };
        if let Some(rest) = words.rest.first() {
            return Err(SettingsError::Rest { rest: (*rest).to_owned() });
        }
        match settings.message().len() {
            bytes if bytes > BYTES_MAX => Err(SettingsError::TooLong { bytes }),
            _ => Ok(settings),
        }
    }

    /// The message to a worker.
    pub fn message(&self) -> String {
        let switch = |name: &str, on: bool| if on { name.to_owned() } else { format!("{name}-") };
        let padded = self.blocks.iter().copied().chain(std::iter::repeat(0)).take(BLOCK_SIZES);
        let blocks: Vec<String> = padded.map(|block| block.to_string()).collect();
        format!(
            "-p {} -n {} -l {} -d {} -w {} -r {} {} {} -dio {} -bn {} -bs {}",
            self.path,
            self.files,
            self.length_kib,
            self.delay_ms,
            self.write_percent,
            self.random_percent,
            switch("-v", self.verbose),
            switch("-f", self.sharing),
            u8::from(self.direct),
            self.blocks.len(),
            blocks.join(" ")
        )
    }

    /// Whether its folder is one of these, or below one. Compares text only, because the paths are on
    /// another host.
    pub fn is_below(&self, roots: &[String]) -> bool {
        let parts: Vec<&str> = parts(&self.path).collect();
        let is_below = |root: &String| {
            let root: Vec<&str> = crate::settings::parts(root).collect();
            root.iter().any(|part| !part.is_empty()) && parts.starts_with(&root)
        };
        !parts.contains(&"..") && roots.iter().any(is_below)
    }
}

/// The components of a path of any system. The first one of an absolute Unix path is empty.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let parts = path.trim_end_matches(['/', '\\']).split(['/', '\\']);
    parts.enumerate().filter(|(at, part)| *at == 0 || !matches!(*part, "" | ".")).map(|(_, part)| part)
}

/// The words of the settings that are not parsed yet.
struct Arguments<'a> {
    rest: &'a [&'a str],
}

impl Arguments<'_> {
    fn next(&mut self) -> Option<&str> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn flag(&mut self, flag: &'static str) -> Result<(), SettingsError> {
        match self.next() {
            Some(word) if word == flag => Ok(()),
            _ => Err(SettingsError::Order { expected: flag }),
        }
    }

    fn text(&mut self, flag: &'static str) -> Result<String, SettingsError> {
        self.flag(flag)?;
        self.next().map(str::to_owned).ok_or(SettingsError::Order { expected: flag })
    }

    fn number(&mut self, flag: &'static str, least: u32, most: u32) -> Result<u32, SettingsError> {
        let text = self.text(flag)?;
        in_range(flag, &text, least, most)
    }

    fn switch(&mut self, on: &'static str, off: &'static str) -> Result<bool, SettingsError> {
        match self.next() {
            Some(word) if word == on => Ok(true),
            Some(word) if word == off => Ok(false),
            _ => Err(SettingsError::Order { expected: on }),
        }
    }

    /// The block sizes. The zeros up to the eleventh are optional.
    fn blocks(&mut self) -> Result<Vec<u8>, SettingsError> {
        let count = self.number("-bn", 1, BLOCK_SIZES as u32)?;
        self.flag("-bs")?;
        let mut blocks = Vec::new();
        for at in 0..BLOCK_SIZES as u32 {
            match self.next().map(str::to_owned) {
                Some(text) if at < count => {
                    // In range, so it fits.
                    blocks.push(in_range("-bs", &text, 1, BLOCK_SIZES as u32)? as u8);
                }
                Some(text) => {
                    in_range("-bs", &text, 0, BLOCK_SIZES as u32)?;
                }
                None if at < count => {
                    return Err(SettingsError::Order {
                        expected: "one size for each of the -bn block sizes",
                    });
                }
                None => {}
            }
        }
        Ok(blocks)
    }
}

fn in_range(flag: &'static str, text: &str, least: u32, most: u32) -> Result<u32, SettingsError> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| SettingsError::Value {
        flag,
        value: text.to_owned(),
        range: format!("{least} to {most}"),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const LINE: &str = "-p /mnt/x -n 1 -l 1024 -d 0 -w 0 -r 0 -v -f- -dio 1 -bn 7 -bs 1 2 3 4 5 6 7 0 0 0 0";

    fn read(line: &str) -> Result<Settings, SettingsError> {
        Settings::from_words(&line.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn settings_round_trip_to_the_worker() {
        let settings = read(LINE).unwrap();
        assert_eq!(settings.message(), LINE);
        assert_eq!((settings.blocks.len(), settings.verbose, settings.sharing), (7, true, false));
        // The zeros at the end are optional, but are always sent: a worker reads eleven values.
        assert_eq!(read(LINE.trim_end_matches(" 0 0 0 0")).unwrap(), settings);
    }

    #[test]
    fn settings_out_of_order_or_range_are_refused_by_name() {
        for (from, to, said) in [
            ("-n 1 ", "", "-n is missing"),
            ("-l 1024", "-l 1", "-l is 1, but must be 2 to 2097151"),
            ("-w 0", "-w 101", "-w is 101, but must be 0 to 100"),
            ("-v ", "", "-v is missing"),
            ("-bn 7", "-bn 12", "-bn is 12, but must be 1 to 11"),
            ("1 2 3", "1 0 3", "-bs is 0, but must be 1 to 11"),
            ("0 0 0 0", "0 0 0 0 5", "after the 11 block sizes: 5"),
        ] {
            let error = read(&LINE.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_line_that_a_worker_would_lose_is_refused() {
        let fitting = BYTES_MAX - LINE.len();
        let path = |more: usize| LINE.replace("/mnt/x", &format!("/mnt/x{}", "y".repeat(more)));
        assert!(read(&path(fitting)).is_ok());
        assert_eq!(read(&path(fitting + 1)), Err(SettingsError::TooLong { bytes: BYTES_MAX + 1 }));
    }

    #[test]
    fn folders_lie_below_a_root_or_are_refused() {
        let below = |path: &str, root: &str| {
            read(&LINE.replace("/mnt/x", path)).unwrap().is_below(&[root.to_owned()])
        };
        assert!(below("/mnt/x", "/mnt/x") && below("/mnt/x/y", "/mnt/x/") && below("/mnt//x/./y", "/mnt/x"));
        assert!(below("D:\\media\\test", "D:\\media") && below("\\\\nas\\share\\a", "\\\\nas\\share"));
        assert!(!below("/mnt/xy", "/mnt/x") && !below("/mnt/x/../y", "/mnt/x") && !below("mnt/x", "/mnt/x"));
        assert!(!below("/etc", "/mnt") && !below("D:\\media\\..\\x", "D:\\media") && !below("/mnt", ""));
    }
}
