//! Formats taken from real media: the frame sizes of a file, or of a folder of numbered frames.
//!
//! * MOV, MP4, M4V: the sample table contains the real size and position of every frame ([`movie`]).
//! * A folder of numbered frames: the files' real sizes, in order ([`sequence`]).
//! * Everything else: the mean rate, if the file states its duration (MXF, fragmented MP4); the result
//!   is marked as a mean ([`Basis::Mean`]).
//!
//! All input is untrusted: files may be damaged or malicious. Memory is bounded by the size of the
//! file's index (at most 256 MiB) and by a limit on the samples; impossible numbers are errors.
//!
//! The box reader is our own, for these reasons. mp4parse has the MPL, a licence that the project does
//! not accept. mp4 is no longer maintained. re_mp4 panics on files without chunk offsets, allocates
//! whatever a length field states, and needs an `ftyp` box, which QuickTime files may lack. Only seven
//! tables of the format are needed.

pub mod mean_size;
pub mod movie;
mod mxf;
pub mod sequence;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::rate::FrameRate;

use mean_size::{Found, Length, MeanClip};
use movie::{Movie, MovieError, Unlisted};
use sequence::{Sequence, SequenceError};

/// The properties of real media that matter for the storage.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceMedia {
    /// The file or folder.
    pub path: PathBuf,
    /// Frames per second: the file's own, or the user's.
    pub frame_rate: FrameRate,
    /// The known facts about its frames.
    pub basis: Basis,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
}

/// How much is known of the frames.
#[derive(Clone, Debug, PartialEq)]
pub enum Basis {
    /// Every frame's size and position in the file.
    Movie(Movie),
    /// Every frame's file and its size.
    Sequence(Sequence),
    Mean(MeanClip),
}

/// Why media cannot be used as a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceMediaError {
    #[error("cannot read '{}': {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The index of a movie file makes no sense.
    #[error("'{}' cannot be used: {fault}", path.display())]
    Movie {
        path: PathBuf,
        /// The fault, and the remedy.
        fault: MovieError,
    },
    /// No numbered frames in a folder.
    #[error("'{}' cannot be used: {fault}", path.display())]
    Sequence {
        path: PathBuf,
        /// The fault, and the remedy.
        fault: SequenceError,
    },
    /// The frame rate is unknown.
    #[error("'{}' does not contain its frame rate ({why}); set it with --fps", path.display())]
    NoFrameRate {
        /// The file or folder.
        path: PathBuf,
        why: &'static str,
    },
    /// Neither frame sizes nor the length are known.
    #[error(
        "'{}' does not contain its duration ({why}). Rewrap it without re-encoding ('ffmpeg -i IN -c copy \
         OUT.mov'), or describe a custom format with --mbit-per-s and --fps",
        path.display()
    )]
    NoDuration { path: PathBuf, why: &'static str },
}

/// Reads a file or folder. `fps` overrides the frame rate that it states, and is required if it states
/// none: a folder of frames never does.
///
/// # Errors
/// See [`ReferenceMediaError`]; every message contains a remedy.
pub fn from_path(path: &Path, fps: Option<FrameRate>) -> Result<ReferenceMedia, ReferenceMediaError> {
    let io_error = |source| ReferenceMediaError::Io { path: path.into(), source };
    let metadata = std::fs::metadata(path).map_err(io_error)?;
    if metadata.is_dir() {
        return from_folder(path, fps);
    }
    let mut file = File::open(path).map_err(io_error)?;
    let file_bytes = file.seek(SeekFrom::End(0)).map_err(io_error)?;
    let head = read_head(&mut file).map_err(io_error)?;
    if movie::looks_like_one(&head) {
        return from_movie(path, &mut file, file_bytes, fps);
    }
    match mxf::find(&mut file).map_err(io_error)? {
        Some(found) => from_mean(path, file_bytes, found, fps, "frame sizes are not read from MXF files"),
        None => from_mean(path, file_bytes, Found::NOTHING, fps, "this type of file is not read"),
    }
}

/// The first bytes of a file, or fewer if it is shorter.
fn read_head(file: &mut File) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut head = Vec::new();
    file.by_ref().take(16).read_to_end(&mut head)?;
    Ok(head)
}

fn from_folder(path: &Path, fps: Option<FrameRate>) -> Result<ReferenceMedia, ReferenceMediaError> {
    let (sequence, notes) = sequence::scan(path)?;
    let frame_rate = fps.ok_or_else(|| ReferenceMediaError::NoFrameRate {
        path: path.into(),
        why: "numbered frames contain no frame rate",
    })?;
    Ok(ReferenceMedia { path: path.into(), frame_rate, basis: Basis::Sequence(sequence), notes })
}

fn from_movie(
    path: &Path,
    file: &mut File,
    file_bytes: u64,
    fps: Option<FrameRate>,
) -> Result<ReferenceMedia, ReferenceMediaError> {
    let fault = |fault| match fault {
        MovieError::Io(source) => ReferenceMediaError::Io { path: path.into(), source },
        fault => ReferenceMediaError::Movie { path: path.into(), fault },
    };
    let movie = match movie::read(file, file_bytes).map_err(fault)? {
        Ok(movie) => movie,
        Err(unlisted) => return from_unlisted(path, file_bytes, unlisted, fps),
    };
    let mut notes = movie.notes();
    let stated = movie.frame_rate();
    if let (Some(fps), Some(stated)) = (fps, stated)
        && fps != stated
    {
        notes.push(format!("paced at {fps} fps as requested; the file has {stated} fps"));
    }
    let frame_rate = fps.or(stated).ok_or_else(|| ReferenceMediaError::NoFrameRate {
        path: path.into(),
        why: "its sample times (stts) are invalid",
    })?;
    Ok(ReferenceMedia { path: path.into(), frame_rate, basis: Basis::Movie(movie), notes })
}

fn from_unlisted(
    path: &Path,
    file_bytes: u64,
    unlisted: Unlisted,
    fps: Option<FrameRate>,
) -> Result<ReferenceMedia, ReferenceMediaError> {
    let found = Found { frame_rate: None, length: unlisted.duration_ns.map(Length::Nanoseconds) };
    from_mean(path, file_bytes, found, fps, unlisted.why)
}

/// The mean rate, if the duration is known. `why` is the reason why there is no more.
fn from_mean(
    path: &Path,
    file_bytes: u64,
    found: Found,
    fps: Option<FrameRate>,
    why: &'static str,
) -> Result<ReferenceMedia, ReferenceMediaError> {
    let no_duration = || ReferenceMediaError::NoDuration { path: path.into(), why };
    let length = found.length.ok_or_else(no_duration)?;
    let frame_rate = fps
        .or(found.frame_rate)
        .ok_or_else(|| ReferenceMediaError::NoFrameRate { path: path.into(), why })?;
    let clip = MeanClip::new(file_bytes, length, frame_rate).ok_or_else(no_duration)?;
    Ok(ReferenceMedia {
        path: path.into(),
        frame_rate,
        notes: vec![format!("only the mean rate is used, not the real frame sizes: {why}")],
        basis: Basis::Mean(clip),
    })
}

impl ReferenceMedia {
    /// How many frames there are.
    pub fn frames(&self) -> u64 {
        match &self.basis {
            Basis::Movie(movie) => movie.picture().spans.len() as u64,
            Basis::Sequence(sequence) => sequence.frames.len() as u64,
            Basis::Mean(clip) => clip.frames,
        }
    }

    /// Bytes of the media: all tracks, or all frame files, or the whole file if only the mean is known.
    pub fn total_bytes(&self) -> u64 {
        match &self.basis {
            Basis::Movie(movie) => movie.media_bytes(),
            Basis::Sequence(sequence) => sequence.total_bytes(),
            Basis::Mean(clip) => clip.file_bytes,
        }
    }

    /// Bytes of the picture of a frame (from 0), or of the whole frame if only the mean is known; `None`
    /// after the last frame.
    pub fn frame_bytes(&self, frame: u64) -> Option<u64> {
        let index = usize::try_from(frame).ok()?;
        match &self.basis {
            Basis::Movie(movie) => movie.picture().spans.get(index).map(|span| span.bytes),
            Basis::Sequence(sequence) => sequence.frames.get(index).map(|frame| frame.bytes),
            Basis::Mean(clip) => clip.frame_bytes(frame),
        }
    }
}
