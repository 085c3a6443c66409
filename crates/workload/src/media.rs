//! Media: the data that a stream reads or writes, as the storage sees it. It is from a format of the
//! catalogue, from the user's own format, or from the user's own media, of which only headers and sizes
//! are read.
//!
//! Not here: the files on the target that contain it (the runner).

use std::path::PathBuf;

use reelgauge_formats::format::{ClipLayout, Format};
use reelgauge_formats::reference_media::{self, Basis, ReferenceMedia, ReferenceMediaError};
use reelgauge_formats::user_format::OwnFormatError;
use reelgauge_formats::{FindError, FrameRate, catalogue};

use crate::clip::{Clip, FramePlace};
use crate::pace::Pace;
use crate::streams::{Footage, Frames};
use crate::units::Span;

/// The alignment that direct I/O requires of offsets and lengths, almost everywhere.
pub const DIRECT_QUANTUM_BYTES: u64 = 4096;
/// The maximum frame size: operations have 32-bit lengths.
const FRAME_BYTES_MAX: u64 = u32::MAX as u64 - DIRECT_QUANTUM_BYTES;
/// The seed for the frame sizes of a variable format. It does not depend on the run's seed: a clip of a
/// format is the same in every run, so that a run finds the test files of the previous one.
const CLIP_SEED: u64 = 1;
/// The maximum size of the clip that represents a stream: 16 GiB.
const CLIP_BYTES_MAX: u64 = 16 << 30;

/// A clip without a position on the target.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// The name in plain words: `Apple ProRes 422 HQ UHD`.
    pub name: String,
    /// Frames per second.
    pub rate: FrameRate,
    /// Whether every frame is a separate file.
    pub is_sequence: bool,
    /// Offset and length of each frame in its file. In a sequence every offset is 0.
    pub frames: Vec<(u64, u32)>,
    /// The ranges that a player reads after it has opened the movie: its header, and its index.
    pub head: Vec<(u64, u32)>,
    /// The size of the movie file, or of the largest frame file.
    pub file_bytes: u64,
    /// Mean data rate.
    pub bytes_per_s: f64,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Why the media is not usable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MediaError {
    /// The format does not exist.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The user's own format is invalid.
    #[error(transparent)]
    Own(#[from] OwnFormatError),
    /// The user's own media is not usable.
    #[error(transparent)]
    Like(#[from] ReferenceMediaError),
    /// No format or media was specified.
    #[error("{actor} needs a format. Add --format ID ('reelgauge formats WORDS' finds one) or --like FILE")]
    Nothing { actor: String },
    /// A frame is too large for one operation.
    #[error("a frame of {bytes} bytes is too large for one operation. Use a smaller format")]
    FrameTooLarge { bytes: u64 },
    /// A format with frames in separate files cannot be combined with footage that is not frame files.
    #[error(
        "{name} has one file per frame, which --read-from cannot play. Use a format with all frames in one \
         file, or omit --read-from"
    )]
    SequenceFromOwnFiles { name: String },
    /// The frames of the media are not in playing order.
    #[error(
        "the frames of '{path}' are not stored in playing order, so it cannot be read sequentially. Copy it \
         with 'ffmpeg -i IN -c copy OUT.mov'"
    )]
    OutOfOrder { path: PathBuf },
}

/// Mean size of a format's frames in bytes.
///
/// # Errors
/// If the format is not in the catalogue.
pub fn mean_frame_bytes(id: &str) -> Result<u32, MediaError> {
    frame_len(catalogue().find(id)?.mean_bytes_per_frame() as u64)
}

impl Media {
    /// The rate and the buffer of its streams.
    pub fn pace(&self, frames: &Frames) -> Pace {
        Pace { rate: self.rate, buffer_frames: frames.buffer.frames(self.rate), policy: frames.policy }
    }

    /// The media that an actor of this kind plays or records. With `direct`, every frame begins and ends
    /// at a multiple of 4 KiB.
    ///
    /// # Errors
    /// See [`MediaError`].
    pub fn of(footage: &Footage, clip: Span, direct: bool, actor: &str) -> Result<Media, MediaError> {
        let media = match (&footage.like, &footage.own_format, &footage.format) {
            (Some(path), _, _) => like_media(&reference_media::from_path(path, footage.fps)?)?,
            (None, Some(own), _) => of_format(&own.clone().into_format()?, footage.fps, clip)?,
            (None, None, Some(id)) => of_format(catalogue().find(id)?, footage.fps, clip)?,
            (None, None, None) => return Err(MediaError::Nothing { actor: actor.to_owned() }),
        };
        Ok(if direct { media.aligned() } else { media })
    }

    /// The number of files of a clip.
    pub fn files(&self) -> u32 {
        if self.is_sequence { self.frames.len() as u32 } else { 1 }
    }

    /// Total size of the clip's files.
    pub fn clip_bytes(&self) -> u64 {
        match self.is_sequence {
            true => self.file_bytes.saturating_mul(self.frames.len() as u64),
            false => self.file_bytes,
        }
    }

    /// The size of the frames, if all have the same size.
    pub fn constant_frame_bytes(&self) -> Option<u64> {
        let (_, first) = self.frames.first()?;
        self.frames.iter().all(|(_, len)| len == first).then_some(u64::from(*first))
    }

    /// The clip in these files; `None` if it has no frames.
    pub fn clip(&self, files: &[u32]) -> Option<Clip> {
        self.clip_from(files, 0)
    }

    /// Like [`Media::clip`], for a movie that begins at this offset of its file.
    pub fn clip_from(&self, files: &[u32], begin: u64) -> Option<Clip> {
        match (self.is_sequence, self.frames.as_slice(), files) {
            // By its positions alone, a sequence of one frame looks like a movie.
            (true, &[(_, len)], &[file, ..]) => Clip::sequence(file, 1, len),
            _ => {
                let mut places = self.places(files);
                places.iter_mut().for_each(|place| place.offset += begin);
                Clip::new(places)
            }
        }
    }

    /// The frames in these files, one after the other: one file, or one file per frame.
    pub fn places(&self, files: &[u32]) -> Vec<FramePlace> {
        let file = |frame: usize| files.get(if self.is_sequence { frame } else { 0 }).copied().unwrap_or(0);
        let frames = self.frames.iter().enumerate();
        frames.map(|(frame, &(offset, len))| FramePlace { file: file(frame), offset, len }).collect()
    }

    /// The head reads in this file, for a movie that begins at this offset in it.
    pub fn head_places(&self, file: u32, begin: u64) -> Vec<FramePlace> {
        self.head.iter().map(|&(offset, len)| FramePlace { file, offset: begin + offset, len }).collect()
    }

    /// The media with every offset and length aligned for direct I/O.
    fn aligned(mut self) -> Media {
        let up = |bytes: u64| bytes.next_multiple_of(DIRECT_QUANTUM_BYTES);
        let exact: u64 = self.frames.iter().map(|&(_, len)| u64::from(len)).sum();
        let mut end = 0;
        for (offset, len) in &mut self.frames {
            *len = up(u64::from(*len)) as u32;
            if !self.is_sequence {
                *offset = up((*offset).max(end));
                end = *offset + u64::from(*len);
            }
        }
        let padded: u64 = self.frames.iter().map(|&(_, len)| u64::from(len)).sum();
        self.head.retain_mut(|(offset, len)| {
            let begin = *offset / DIRECT_QUANTUM_BYTES * DIRECT_QUANTUM_BYTES;
            *len = up(*offset + u64::from(*len) - begin) as u32;
            *offset = begin;
            *len > 0
        });
        let head_end = self.head.iter().map(|&(offset, len)| offset + u64::from(len)).max().unwrap_or(0);
        self.file_bytes = up(self.file_bytes).max(end).max(head_end);
        if padded > exact {
            self.bytes_per_s *= padded as f64 / exact.max(1) as f64;
            let share = 100.0 * (padded - exact) as f64 / exact.max(1) as f64;
            if share >= 0.5 {
                self.notes.push(format!(
                    "Direct I/O transfers whole 4 KiB blocks, so every frame of {} is {share:.1} % longer.",
                    self.name
                ));
            }
        }
        self
    }
}

fn of_format(format: &Format, fps: Option<FrameRate>, clip: Span) -> Result<Media, MediaError> {
    let sizes = format.sizes(CLIP_SEED);
    // Another frame rate plays the same frames faster or slower.
    let rate = fps.unwrap_or(format.frame_rate);
    let wanted = rate.frames_in(clip.ns()).max(1);
    let per_frame = sizes.frame_bytes_max().max(1);
    let count = wanted.min((CLIP_BYTES_MAX / per_frame).max(1));
    let is_sequence = format.kind == ClipLayout::FramePerFile;
    let mut frames = Vec::with_capacity(count as usize);
    let mut end = 0;
    for frame in 0..count {
        let len = frame_len(sizes.frame_bytes(frame))?;
        frames.push((if is_sequence { 0 } else { end }, len));
        end += u64::from(len);
    }
    let longest = frames.iter().map(|&(_, len)| u64::from(len)).max().unwrap_or(0);
    let file_bytes = if is_sequence { longest } else { end };
    Ok(Media {
        name: format.name.clone(),
        rate,
        is_sequence,
        head: if is_sequence { Vec::new() } else { usual_head(file_bytes) },
        frames,
        file_bytes,
        bytes_per_s: format.mean_bytes_per_frame() * rate.per_s(),
        notes: Vec::new(),
    })
}

/// The ranges that FFmpeg reads of a MOV that was not made for the web: 32 KiB at its beginning, and its
/// index at the end (measured; a few kilobytes for a clip of seconds).
fn usual_head(file_bytes: u64) -> Vec<(u64, u32)> {
    const BEGIN_BYTES: u64 = 32 << 10;
    const INDEX_BYTES: u64 = 4 << 10;
    let begin = file_bytes.min(BEGIN_BYTES);
    let index = file_bytes.min(INDEX_BYTES);
    vec![(0, begin as u32), (file_bytes - index, index as u32)]
}

fn like_media(like: &ReferenceMedia) -> Result<Media, MediaError> {
    let name = like.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut media = Media {
        name: format!("like {name}"),
        rate: like.frame_rate,
        is_sequence: false,
        frames: Vec::new(),
        head: Vec::new(),
        file_bytes: 0,
        bytes_per_s: 0.0,
        notes: like.notes.clone(),
    };
    match &like.basis {
        Basis::Movie(movie) => {
            let spans = movie.forward_spans().ok_or(MediaError::OutOfOrder { path: like.path.clone() })?;
            for span in spans {
                media.frames.push((span.offset, frame_len(span.bytes)?));
            }
            media.head = vec![(0, 32 << 10), (movie.index.offset, frame_len(movie.index.bytes)?)];
            media.file_bytes = movie.file_bytes;
            media.head.retain(|&(offset, len)| offset + u64::from(len) <= movie.file_bytes);
        }
        Basis::Sequence(sequence) => {
            media.is_sequence = true;
            for frame in &sequence.frames {
                media.frames.push((0, frame_len(frame.bytes)?));
            }
            media.file_bytes = sequence.frames.iter().map(|frame| frame.bytes).max().unwrap_or(0);
        }
        Basis::Mean(mean) => {
            let mut end = 0;
            for frame in 0..mean.frames {
                let len = frame_len(mean.frame_bytes(frame).unwrap_or(0))?;
                media.frames.push((end, len));
                end += u64::from(len);
            }
            media.file_bytes = mean.file_bytes;
            media.head = usual_head(mean.file_bytes);
        }
    }
    media.frames.retain(|&(_, len)| len > 0);
    let bytes: u64 = media.frames.iter().map(|&(_, len)| u64::from(len)).sum();
    media.bytes_per_s = bytes as f64 * like.frame_rate.per_s() / media.frames.len().max(1) as f64;
    Ok(media)
}

fn frame_len(bytes: u64) -> Result<u32, MediaError> {
    match bytes <= FRAME_BYTES_MAX {
        true => Ok(bytes as u32),
        false => Err(MediaError::FrameTooLarge { bytes }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn played(format: &str, seconds: u64, direct: bool) -> Result<Media, MediaError> {
        Media::of(&Footage::listed(format), Span::secs(seconds), direct, "player")
    }

    #[test]
    fn movie_frames_are_contiguous() {
        let media = played("prores-422-hq-uhd-25", 2, false).unwrap();
        assert_eq!((media.frames.len(), media.is_sequence), (50, false));
        assert!(media.frames.windows(2).all(|pair| pair[0].0 + u64::from(pair[0].1) == pair[1].0));
        assert_eq!(media.clip_bytes(), media.frames.iter().map(|&(_, len)| u64::from(len)).sum::<u64>());
        assert!(media.head.iter().all(|&(offset, len)| offset + u64::from(len) <= media.file_bytes));
    }

    #[test]
    fn direct_footage_is_block_aligned_with_reported_overhead() {
        let plain = played("dnxhr-lb-uhd-25", 2, false).unwrap();
        let direct = played("dnxhr-lb-uhd-25", 2, true).unwrap();
        let whole = |bytes: u64| bytes.is_multiple_of(DIRECT_QUANTUM_BYTES);
        assert!(direct.frames.iter().all(|&(offset, len)| whole(offset) && whole(u64::from(len))));
        assert!(direct.head.iter().all(|&(offset, len)| whole(offset) && whole(u64::from(len))));
        assert!(direct.frames.windows(2).all(|pair| pair[0].0 + u64::from(pair[0].1) <= pair[1].0));
        assert!(whole(direct.file_bytes) && direct.bytes_per_s >= plain.bytes_per_s);
    }

    #[test]
    fn a_variable_format_is_the_same_clip_in_every_run() {
        let media = played("prores-422-hq-uhd-25", 2, false).unwrap();
        let sizes: Vec<u32> = media.frames.iter().map(|&(_, len)| len).collect();
        assert!(sizes.iter().any(|len| *len != sizes[0]), "{sizes:?}");
        assert_eq!(played("prores-422-hq-uhd-25", 2, false).unwrap(), media);
    }

    #[test]
    fn a_sequence_has_a_file_for_every_frame() {
        let media = played("dpx-10-bit-rgb-uhd-24", 1, false).unwrap();
        assert_eq!((media.frames.len(), media.is_sequence), (24, true));
        assert_eq!(media.clip_bytes(), 24 * media.constant_frame_bytes().unwrap());
        let places = media.places(&(100..124).collect::<Vec<_>>());
        assert_eq!((places[23].file, places[23].offset), (123, 0));
    }

    #[test]
    fn another_rate_moves_the_same_frames_faster() {
        let faster = Footage { fps: Some("50".parse().unwrap()), ..Footage::listed("prores-422-hq-uhd-25") };
        let fast = Media::of(&faster, Span::secs(2), false, "player").unwrap();
        let plain = played("prores-422-hq-uhd-25", 2, false).unwrap();
        assert_eq!(fast.frames.len(), 100);
        assert!((fast.bytes_per_s / plain.bytes_per_s - 2.0).abs() < 1e-9);
    }

    #[test]
    fn unknown_format_is_reported_with_similar_names() {
        let error = played("prores-422-hq-uhd-26", 2, false).unwrap_err();
        assert!(error.to_string().contains("prores-422-hq-uhd-25"), "{error}");
    }
}
