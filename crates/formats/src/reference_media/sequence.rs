//! A folder of numbered frames: the files, their order, and their sizes.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use super::ReferenceMediaError;

/// Files that are checked, at most: 77 hours at 60 frames per second.
const FILES_MAX: usize = 1 << 24;

/// Extensions of files that contain one picture.
const ENDINGS: &[&str] = &[
    "ari", "arx", "bmp", "cin", "dng", "dpx", "exr", "hdr", "iff", "j2c", "j2k", "jp2", "jpeg", "jpg", "jxl",
    "jxs", "pic", "png", "rgb", "sgi", "tga", "tif", "tiff", "webp",
];

/// Frames in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    pub frames: Vec<FrameFile>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameFile {
    pub path: PathBuf,
    pub bytes: u64,
    /// The number in its name.
    pub number: u64,
}

/// Why a folder cannot be used as a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SequenceError {
    /// No file looks like a frame.
    #[error(
        "no numbered frames (such as shot.0001.dpx) in this folder, among {files} files; \
         name the folder that holds them, or a movie file"
    )]
    NoFrames {
        /// How many files there are.
        files: usize,
    },
    /// All frames are empty files.
    #[error("all {frames} frames are empty files")]
    Empty {
        /// How many frames there are.
        frames: usize,
    },
    #[error("more than {FILES_MAX} files; name a folder with fewer frames")]
    TooMany,
}

impl Sequence {
    /// Bytes of all frames.
    pub fn total_bytes(&self) -> u64 {
        self.frames.iter().fold(0, |sum, frame| sum.saturating_add(frame.bytes))
    }

    /// The number of gaps: numbers between the first and the last without a frame.
    pub fn missing(&self) -> u64 {
        match (self.frames.first(), self.frames.last()) {
            (Some(first), Some(last)) => {
                (last.number - first.number).saturating_add(1).saturating_sub(self.frames.len() as u64)
            }
            _ => 0,
        }
    }
}

/// Finds the numbered frames of a folder: the largest group of names that differ only in their last
/// number. Also returns notes for the user.
pub(super) fn scan(folder: &Path) -> Result<(Sequence, Vec<String>), ReferenceMediaError> {
    let io_error = |source| ReferenceMediaError::Io { path: folder.into(), source };
    let fault = |fault| ReferenceMediaError::Sequence { path: folder.into(), fault };
    let mut groups: BTreeMap<Pattern, Vec<FrameFile>> = BTreeMap::new();
    let mut files = 0;
    for entry in std::fs::read_dir(folder).map_err(io_error)? {
        files += 1;
        if files > FILES_MAX {
            return Err(fault(SequenceError::TooMany));
        }
        if let Some((pattern, frame)) = frame_of(&entry.map_err(io_error)?).map_err(io_error)? {
            groups.entry(pattern).or_default().push(frame);
        }
    }
    let sequences = groups.len();
    let largest = groups.into_iter().max_by_key(|(_, frames)| frames.len());
    let Some((pattern, mut frames)) = largest else {
        return Err(fault(SequenceError::NoFrames { files }));
    };
    frames.sort_by(|a, b| (a.number, &a.path).cmp(&(b.number, &b.path)));
    let sequence = Sequence { frames };
    if sequence.total_bytes() == 0 {
        let frames = sequence.frames.len();
        return Err(fault(SequenceError::Empty { frames }));
    }
    let notes = notes(&sequence, &pattern, sequences, files);
    Ok((sequence, notes))
}

fn notes(sequence: &Sequence, pattern: &Pattern, sequences: usize, files: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if sequences > 1 {
        let Pattern { before, after } = pattern;
        notes.push(format!(
            "{sequences} sequences in the folder; used the longest, '{before}#{after}', {} of {files} files",
            sequence.frames.len()
        ));
    }
    let missing = sequence.missing();
    if missing > 0 {
        notes.push(format!(
            "{missing} numbers of the sequence have no file; the existing frames are played back to back"
        ));
    }
    notes
}

/// A name without its number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pattern {
    before: String,
    after: String,
}

/// The frame of a directory entry, if it is one.
fn frame_of(entry: &DirEntry) -> io::Result<Option<(Pattern, FrameFile)>> {
    let name = entry.file_name();
    let Some((pattern, number)) = name.to_str().and_then(split_name) else {
        return Ok(None);
    };
    let path = entry.path();
    // Follows links: frames are often linked together from several places.
    let metadata = match std::fs::metadata(&path) {
        Ok(metadata) => metadata,
        // A dangling link is no frame.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let frame = FrameFile { path, bytes: metadata.len(), number };
    Ok(metadata.is_file().then_some((pattern, frame)))
}

/// The last number of a name before a known extension.
fn split_name(name: &str) -> Option<(Pattern, u64)> {
    let (stem, ending) = name.rsplit_once('.')?;
    // Hidden files are no frames: macOS creates a `._frame.0001.dpx` for every frame on a server.
    if name.starts_with('.') || !ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) {
        return None;
    }
    let end = stem.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let begin = stem[..end].rfind(|letter: char| !letter.is_ascii_digit()).map_or(0, |at| {
        // The letter before the number may be longer than a byte.
        at + stem[at..].chars().next().map_or(1, char::len_utf8)
    });
    let pattern = Pattern { before: stem[..begin].into(), after: format!("{}.{ending}", &stem[end..]) };
    Some((pattern, stem[begin..end].parse().ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_split_at_their_last_number() {
        let split = |name| split_name(name).map(|(pattern, number)| (pattern.before, number, pattern.after));
        assert_eq!(split("A001_0042.dpx"), Some(("A001_".into(), 42, ".dpx".into())));
        assert_eq!(split("0001.EXR"), Some((String::new(), 1, ".EXR".into())));
        assert_eq!(split("shot.0007_left.tif"), Some(("shot.".into(), 7, "_left.tif".into())));
        assert_eq!(split("bücher3.png"), Some(("bücher".into(), 3, ".png".into())));
        assert_eq!(split("clip0001.mov"), None);
        assert_eq!(split("._A001_0042.dpx"), None);
        assert_eq!(split("frame.dpx"), None);
        assert_eq!(split("99999999999999999999.dpx"), None);
    }

    #[test]
    fn frames_come_in_the_order_of_their_numbers() {
        let mut printed = Vec::<String>::new();
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("f10.dpx", 30), ("f9.dpx", 20), ("f8.dpx", 10), ("g1.dpx", 5), ("f.xml", 1)] {
            fs::write(folder.path().join(name), vec![0; bytes]).unwrap();
        }
        fs::create_dir(folder.path().join("f11.dpx")).unwrap();
        let (sequence, notes) = scan(folder.path()).unwrap();
        let sizes: Vec<(u64, u64)> =
            sequence.frames.iter().map(|frame| (frame.number, frame.bytes)).collect();
        assert_eq!(sizes, [(8, 10), (9, 20), (10, 30)]);
        assert_eq!(sequence.total_bytes(), 60);
        printed.extend(notes.iter().map(|text| text.to_string()));
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn gaps_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["f1.exr", "f2.exr", "f5.exr"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let (sequence, notes) = scan(folder.path()).unwrap();
        assert_eq!(sequence.missing(), 2);
        assert!(notes[0].starts_with("2 numbers"), "{notes:?}");
    }

    #[test]
    fn folder_without_frames_has_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("clip1.mov"), "x").unwrap();
        let said = scan(folder.path()).unwrap_err().to_string();
        assert!(said.contains("shot.0001.dpx") && said.contains("among 1 files"), "{said}");
        fs::write(folder.path().join("f1.exr"), "").unwrap();
        assert!(scan(folder.path()).unwrap_err().to_string().contains("empty"));
        assert!(scan(&folder.path().join("none")).is_err());
    }

    proptest! {
        #[test]
        fn any_name_is_split_or_not(name in "\\PC{0,20}(\\.dpx)?") {
            let _ = split_name(&name);
        }
    }
}
