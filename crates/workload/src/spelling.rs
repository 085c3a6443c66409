//! The names of a plan's settings in messages: flags of the command line, or keys of a file.
//!
//! Not here: the settings themselves ([`crate::plan`], [`crate::streams::setting`]).

/// The source of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// From flags: `--file-size 1GiB`.
    Flags,
    /// From a file: `file_size = "1GiB"`.
    File,
}

impl Spelling {
    /// The name of a setting, by its key in a plan.
    pub fn name(self, key: &str) -> String {
        match (self, key) {
            (Spelling::File, key) => key.to_owned(),
            (Spelling::Flags, "lengths") => "--length".to_owned(),
            (Spelling::Flags, "kind") => "--actor".to_owned(),
            (Spelling::Flags, "own_format") => "--frame-size or --mbit-per-s".to_owned(),
            (Spelling::Flags, key) => format!("--{}", key.replace('_', "-")),
        }
    }

    /// A setting with a value, in the syntax of the source.
    pub fn set(self, key: &str, value: &str) -> String {
        let is_number = value.parse::<f64>().is_ok();
        match self {
            Spelling::File if is_number => format!("{key} = {value}"),
            Spelling::File => format!("{key} = \"{value}\""),
            Spelling::Flags => format!("{} {value}", self.name(key)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_written_as_they_were_given() {
        assert_eq!(Spelling::Flags.set("file_size", "1GiB"), "--file-size 1GiB");
        assert_eq!(Spelling::File.set("file_size", "1GiB"), "file_size = \"1GiB\"");
        assert_eq!(Spelling::File.set("count", "0"), "count = 0");
        assert_eq!((Spelling::Flags.name("lengths"), Spelling::File.name("lengths")), {
            ("--length".to_owned(), "lengths".to_owned())
        });
    }
}
