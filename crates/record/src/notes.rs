//! The user's description of a run and its storage: from flags at the start, or later in its notes.
//!
//! Not here: storing notes and the permission to change them (the results and console crates).

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Limit of tags of a run.
pub const TAGS_MAX: usize = 20;
/// Limit of characters of a tag.
pub const TAG_CHARS_MAX: usize = 64;
/// Limit of characters of a make, a model, a firmware, and of the name and the value of other facts.
pub const FIELD_CHARS_MAX: usize = 200;
/// Limit of facts about the storage, in addition to make, model and firmware.
pub const OTHER_MAX: usize = 20;

/// Facts about storage that have their own fields.
const KNOWN: [&str; 3] = ["make", "model", "firmware"];

/// `notes.json` in a run directory: the user's notes about a run and its storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct RunNotes {
    /// The user's name for the run.
    pub name: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Anything.
    pub note: String,
    /// Who made the storage.
    pub storage_make: String,
    /// Which storage it is.
    pub storage_model: String,
    /// Its firmware or version.
    pub storage_firmware: String,
    /// Anything else about it, by name: `raid`, `protocol`, …
    pub storage_other: BTreeMap<String, String>,
}

/// The user's description of the storage. Missing facts are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct StorageDetails {
    /// Who made it.
    pub make: Option<String>,
    /// Which one it is.
    pub model: Option<String>,
    /// Its firmware or version.
    pub firmware: Option<String>,
    /// Anything else about it, by name: `raid`, `protocol`, …
    pub other: BTreeMap<String, String>,
}

/// An invalid description of the storage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotesError {
    /// A part without a value.
    #[error("'{0}' is not KEY=VALUE. Write make=Acme,model=FS2,firmware=7.2 or your own keys such as raid=6")]
    NoValue(String),
    /// A name without a value.
    #[error("'{0}=' has no value. Add one after the '=', or omit the key")]
    EmptyValue(String),
    /// Two values for one name.
    #[error("'{name}' is given twice, as '{first}' and as '{second}'. Give it once")]
    Twice {
        /// The name that was given twice.
        name: String,
        /// The value given first.
        first: String,
        /// The value given second.
        second: String,
    },
    /// A name that is close to a known one.
    #[error("'{said}' is almost '{known}'. Write {known}=..., or a key that differs more")]
    NearlyKnown {
        /// The name as given.
        said: String,
        /// The known name that was probably meant.
        known: &'static str,
    },
    /// A text is too long.
    #[error("{what} is too long: {chars} characters, at most {most}")]
    TooLong {
        /// The kind of text.
        what: &'static str,
        /// Its length, in characters.
        chars: usize,
        /// The limit, in characters.
        most: usize,
    },
    /// There are too many entries.
    #[error("too many {what}: {count}, at most {most}")]
    TooMany {
        /// The kind of entries.
        what: &'static str,
        /// Number of given entries.
        count: usize,
        /// The limit for such entries.
        most: usize,
    },
    /// A tag is empty.
    #[error("a tag cannot be empty. Write a word, such as --tag before-update")]
    EmptyTag,
}

impl RunNotes {
    /// Notes with the description given at the start of a run.
    pub fn new(storage: &StorageDetails, tags: &[String]) -> RunNotes {
        // The form has an empty field for a missing fact.
        let text = |of: &Option<String>| of.clone().unwrap_or_default();
        RunNotes {
            name: String::new(),
            tags: tags.to_vec(),
            note: String::new(),
            storage_make: text(&storage.make),
            storage_model: text(&storage.model),
            storage_firmware: text(&storage.firmware),
            storage_other: storage.other.clone(),
        }
    }

    /// The storage that these notes describe.
    pub fn storage(&self) -> StorageDetails {
        let known = |text: &String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        StorageDetails {
            make: known(&self.storage_make),
            model: known(&self.storage_model),
            firmware: known(&self.storage_firmware),
            other: self.storage_other.clone(),
        }
    }

    /// # Errors
    /// If a text is too long, or there are too many entries.
    pub fn check(&self) -> Result<(), NotesError> {
        let short = |what, text: &str, most| match text.chars().count() {
            chars if chars > most => Err(NotesError::TooLong { what, chars, most }),
            _ => Ok(()),
        };
        let few = |what, count, most| match count {
            count if count > most => Err(NotesError::TooMany { what, count, most }),
            _ => Ok(()),
        };
        few("tags", self.tags.len(), TAGS_MAX)?;
        few("storage details", self.storage_other.len(), OTHER_MAX)?;
        self.tags.iter().try_for_each(|tag| short("a tag", tag, TAG_CHARS_MAX))?;
        let fields = [
            ("the name", &self.name),
            ("the make", &self.storage_make),
            ("the model", &self.storage_model),
            ("the firmware", &self.storage_firmware),
        ];
        let other = self.storage_other.iter().flat_map(|(name, value)| [name, value]);
        let other = other.map(|text| ("a storage detail", text));
        fields.into_iter().chain(other).try_for_each(|(what, text)| short(what, text, FIELD_CHARS_MAX))
    }
}

impl StorageDetails {
    /// Whether there are no notes at all.
    pub fn is_empty(&self) -> bool {
        *self == StorageDetails::default()
    }

    /// Adds a later description, whose values take precedence.
    pub fn add(&mut self, later: StorageDetails) {
        let StorageDetails { make, model, firmware, other } = later;
        self.make = make.or(self.make.take());
        self.model = model.or(self.model.take());
        self.firmware = firmware.or(self.firmware.take());
        self.other.extend(other);
    }
}

impl FromStr for StorageDetails {
    type Err = NotesError;

    /// `make=Acme,model=FS2,raid=6`: each name once, with a value.
    fn from_str(text: &str) -> Result<StorageDetails, NotesError> {
        let mut said: BTreeMap<String, String> = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((name, value)) = part.split_once('=') else {
                return Err(NotesError::NoValue(part.to_owned()));
            };
            let (name, value) = (name.trim(), value.trim());
            if name.is_empty() {
                return Err(NotesError::NoValue(part.to_owned()));
            }
            if value.is_empty() {
                return Err(NotesError::EmptyValue(name.to_owned()));
            }
            let name = known_name(name)?;
            if let Some(first) = said.insert(name.clone(), value.to_owned()) {
                return Err(NotesError::Twice { name, first, second: value.to_owned() });
            }
        }
        let [make, model, firmware] = KNOWN.map(|name| said.remove(name));
        let storage = StorageDetails { make, model, firmware, other: said };
        RunNotes::new(&storage, &[]).check()?;
        Ok(storage)
    }
}

/// The key of a field in lower case; other names unchanged, unless they are close to such a key.
fn known_name(name: &str) -> Result<String, NotesError> {
    let lower = name.to_ascii_lowercase();
    let is_near = |known: &&str| strsim::damerau_levenshtein(known, &lower) == 1;
    match KNOWN.into_iter().find(is_near) {
        _ if KNOWN.contains(&lower.as_str()) => Ok(lower),
        Some(known) => Err(NotesError::NearlyKnown { said: name.to_owned(), known }),
        None => Ok(name.to_owned()),
    }
}

/// The given tags, without duplicates, in their order.
///
/// # Errors
/// If one is empty or too long, or there are too many.
pub fn tags_of(given: &[String]) -> Result<Vec<String>, NotesError> {
    let mut seen = BTreeSet::new();
    let tags = given.iter().map(|tag| tag.trim().to_owned()).filter(|tag| seen.insert(tag.clone()));
    let tags: Vec<String> = tags.collect();
    if tags.iter().any(String::is_empty) {
        return Err(NotesError::EmptyTag);
    }
    RunNotes { tags: tags.clone(), ..RunNotes::default() }.check()?;
    Ok(tags)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn storage(text: &str) -> StorageDetails {
        text.parse().unwrap()
    }

    #[test]
    fn storage_details_are_named_and_the_last_flag_wins() {
        let mut said = storage("make=Acme, Model=FS 2 ,raid=10,");
        assert_eq!(said.make.as_deref(), Some("Acme"));
        assert_eq!(said.model.as_deref(), Some("FS 2"));
        assert_eq!(said.firmware, None);
        assert_eq!(said.other, BTreeMap::from([("raid".to_owned(), "10".to_owned())]));
        said.add(storage("make=Bolt,protocol=smb"));
        assert_eq!((said.make.as_deref(), said.model.as_deref()), (Some("Bolt"), Some("FS 2")));
        assert_eq!(said.other.len(), 2);
        assert!(storage("").is_empty());
    }

    #[test]
    fn notes_from_the_start_are_read_back() {
        let said = storage("make=Acme,firmware=7.2=b,raid=6");
        let tags = tags_of(&["a".to_owned(), " b ".to_owned(), "a".to_owned()]).unwrap();
        let notes = RunNotes::new(&said, &tags);
        assert_eq!(notes.storage(), said);
        assert_eq!(notes.tags, ["a", "b"]);
    }

    #[test]
    fn empty_or_overlong_notes_are_refused() {
        let no_value = |text: &str| matches!(text.parse::<StorageDetails>(), Err(NotesError::NoValue(_)));
        assert!(no_value("nas1") && no_value("make=A,nas1") && no_value("=6"));
        let why = |text: &str| text.parse::<StorageDetails>().unwrap_err().to_string();
        assert_eq!(why("make=A,Make=B"), "'make' is given twice, as 'A' and as 'B'. Give it once");
        assert!(why("raid=6,raid=6").starts_with("'raid' is given twice"));
        assert_eq!(why("make="), "'make=' has no value. Add one after the '=', or omit the key");
        assert!(why("modle=FS2").starts_with("'modle' is almost 'model'"));
        assert!(why("frimware=7").starts_with("'frimware' is almost 'firmware'"));
        assert_eq!(storage("media=hdd,raid=6").other.len(), 2);
        let long = format!("make={}", "x".repeat(FIELD_CHARS_MAX + 1)).parse::<StorageDetails>();
        assert!(long.unwrap_err().to_string().contains("201 characters"));
        let many: Vec<String> = (0..=OTHER_MAX).map(|at| format!("k{at}=1")).collect();
        assert!(matches!(many.join(",").parse::<StorageDetails>(), Err(NotesError::TooMany { .. })));
        assert_eq!(tags_of(&[" ".to_owned()]), Err(NotesError::EmptyTag));
        assert!(tags_of(&["x".repeat(TAG_CHARS_MAX + 1)]).is_err());
        assert!(tags_of(&(0..=TAGS_MAX).map(|at| at.to_string()).collect::<Vec<_>>()).is_err());
    }
}
