//! MOV, MP4 and M4V: the position of every sample of every track in the file.
//!
//! A file is a sequence of boxes (ISO/IEC 14496-12; Apple's "QuickTime File Format"). One of them,
//! `moov`, is the index; it may be before or after the media. Only the index is read, as a whole, and
//! parsed from memory. Edit lists are ignored: they change what is shown, not the positions in the file.

mod boxes;
mod index;
mod samples;
mod sound;

use std::io::{self, Read, Seek, SeekFrom};

use crate::rate::FrameRate;

use boxes::BoxType;

/// The largest index that is read. A day at 60 frames per second with eight tracks stays below it.
pub const INDEX_BYTES_MAX: u64 = 256 << 20;

/// The most samples and chunks, of all tracks together. A day at 60 frames per second with compressed sound
/// has 9.2 million. They take 256 MiB of memory.
pub const SPANS_MAX: usize = 1 << 24;

/// The most boxes on the file's first level. Files have about five.
const BOXES_MAX: u32 = 1 << 16;

pub const TRACKS_MAX: usize = 128;

/// A piece of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteRange {
    /// Its first byte.
    pub offset: u64,
    /// Its length.
    pub bytes: u64,
}

impl ByteRange {
    pub const fn end(self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }
}

/// The kind of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    Picture,
    Sound,
    /// Timecode, subtitles, metadata: the file's word for it.
    Other([u8; 4]),
}

/// The unit of a track's spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleUnit {
    /// A frame of pictures, or a packet of compressed sound.
    Sample,
    /// A run of adjacent samples: uncompressed sound, whose samples are a few bytes.
    Chunk,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    pub kind: TrackKind,
    /// The unit of its spans.
    pub unit: SampleUnit,
    /// Its samples or chunks, in the order in which they are decoded.
    pub spans: Vec<ByteRange>,
    /// The timing of its samples.
    pub timing: Timing,
}

/// The timing of a track's samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    pub timescale: u32,
    /// Samples in the time table.
    pub samples: u64,
    /// Ticks of all samples together.
    pub ticks: u64,
    /// Ticks of one sample, if 98 in 100 have the same; the last one is ignored.
    pub regular: Option<u32>,
}

/// A movie file with its samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movie {
    /// The tracks that have samples.
    pub tracks: Vec<Track>,
    /// The index box (`moov`). If it is after the media, a player first seeks to the end of the file.
    pub index: ByteRange,
    /// Size of the file.
    pub file_bytes: u64,
    picture: usize,
}

/// A movie whose samples the index does not list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unlisted {
    pub(super) why: &'static str,
    pub(super) duration_ns: Option<u64>,
}

/// Why a movie file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MovieError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it has no index (moov): the recording or the copy did not finish. Use a complete file")]
    NoIndex,
    /// The index does not fit into the file.
    #[error("its index (moov) extends beyond the end of the file: the file is truncated. Copy it again")]
    CutShort,
    /// The index is larger than any film's.
    #[error("its index (moov) has {bytes} bytes; the maximum is {INDEX_BYTES_MAX}. Use a shorter clip")]
    IndexTooLarge { bytes: u64 },
    /// More samples than are supported.
    #[error("it has more than {SPANS_MAX} samples; use a shorter clip")]
    TooManySamples,
    /// More boxes or tracks than any film has.
    #[error("it has more than {max} {what}, so it is damaged; take another file")]
    TooMany {
        /// The kind of things that are too many.
        what: &'static str,
        max: u64,
    },
    /// A box contradicts itself or another.
    #[error("its index is damaged (box '{kind}' {why}); {REWRAP}")]
    Damaged {
        /// The box, or the box that should be there.
        kind: BoxType,
        why: &'static str,
    },
    /// Media that should exist are missing.
    #[error(
        "a sample of {bytes} bytes at byte {offset} is beyond the end of the file ({file_bytes} bytes): the \
         file is truncated. Copy it again"
    )]
    OutsideFile {
        /// The expected position of the sample.
        offset: u64,
        /// The expected length of the sample.
        bytes: u64,
        /// The size of the file.
        file_bytes: u64,
    },
    /// No track of pictures.
    #[error("it has no video track. For audio only, use an audio format such as bwf-48-khz-24-bit-stereo")]
    NoPicture,
    /// The samples are in other files.
    #[error("its media is in other files (a reference movie). Name the file that contains it, or {REWRAP}")]
    Elsewhere,
}

/// The remedy for most damage.
const REWRAP: &str = "rewrap it with 'ffmpeg -i IN -c copy OUT.mov'";

/// Whether a file's first bytes are a movie's.
pub(super) fn looks_like_one(head: &[u8]) -> bool {
    head.get(4..8).is_some_and(|kind| {
        [&b"ftyp"[..], b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"].contains(&kind)
    })
}

/// Reads the index of a movie file of this size.
pub(super) fn read<R: Read + Seek>(
    file: &mut R,
    file_bytes: u64,
) -> Result<Result<Movie, Unlisted>, MovieError> {
    let (index, content) = find_index(file, file_bytes)?;
    if content.bytes > INDEX_BYTES_MAX {
        return Err(MovieError::IndexTooLarge { bytes: content.bytes });
    }
    file.seek(SeekFrom::Start(content.offset))?;
    // The memory grows with the data that exists, not with the stated length.
    let mut bytes = Vec::new();
    file.take(content.bytes).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < content.bytes {
        return Err(MovieError::CutShort);
    }
    let tracks = match index::parse(&bytes, file_bytes)? {
        Ok(tracks) => tracks,
        Err(unlisted) => return Ok(Err(unlisted)),
    };
    let picture = tracks
        .iter()
        .enumerate()
        .filter(|(_, track)| track.kind == TrackKind::Picture)
        .max_by_key(|(_, track)| track.spans.len())
        .map(|(number, _)| number)
        .ok_or(MovieError::NoPicture)?;
    Ok(Ok(Movie { tracks, index, file_bytes, picture }))
}

/// The index box, and its content.
fn find_index<R: Read + Seek>(file: &mut R, file_bytes: u64) -> Result<(ByteRange, ByteRange), MovieError> {
    let mut at = 0;
    for _ in 0..BOXES_MAX {
        let Some(head) = boxes::read_head(file, at, file_bytes)? else {
            return Err(MovieError::NoIndex);
        };
        if head.kind == BoxType::MOOV {
            if head.end > file_bytes {
                return Err(MovieError::CutShort);
            }
            let whole = ByteRange { offset: at, bytes: head.end - at };
            let content = ByteRange { offset: head.content, bytes: head.end - head.content };
            return Ok((whole, content));
        }
        at = head.end;
    }
    Err(MovieError::TooMany { what: "boxes", max: u64::from(BOXES_MAX) })
}

impl Movie {
    /// The track of pictures; the one with the most frames, if there are several.
    pub fn picture(&self) -> &Track {
        &self.tracks[self.picture]
    }

    /// The frame rate of the pictures; the mean if it varies; `None` if the time table is not valid.
    pub fn frame_rate(&self) -> Option<FrameRate> {
        self.picture().timing.rate()
    }

    /// Bytes of the samples of all tracks.
    pub fn media_bytes(&self) -> u64 {
        self.tracks.iter().flat_map(|track| &track.spans).fold(0, |sum, span| sum.saturating_add(span.bytes))
    }

    /// The bytes that a sequential reader passes from each frame to the next: the frame, and the sound
    /// and gaps before the next one. The first span begins with the media, the last one ends with them,
    /// so that all spans together are contiguous.
    ///
    /// `None` if the frames are not in order in the file, so that sequential reading is impossible.
    pub fn forward_spans(&self) -> Option<Vec<ByteRange>> {
        let frames = &self.picture().spans;
        let in_order = frames.windows(2).all(|pair| pair[0].end() <= pair[1].offset);
        let spans = || self.tracks.iter().flat_map(|track| &track.spans);
        let begin = spans().map(|span| span.offset).min()?;
        let end = spans().map(|span| span.end()).max()?;
        if !in_order {
            return None;
        }
        let mut begins: Vec<u64> = frames.iter().map(|span| span.offset).collect();
        *begins.first_mut()? = begin;
        let ends = begins.iter().copied().skip(1).chain([end]);
        let span = |(offset, end): (&u64, u64)| ByteRange { offset: *offset, bytes: end - offset };
        Some(begins.iter().zip(ends).map(span).collect())
    }

    /// Notes for the user.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.picture().timing.regular.is_none()
            && let Some(rate) = self.frame_rate()
        {
            notes.push(format!("it has a variable frame rate; paced at its mean of {rate} fps"));
        }
        notes
    }
}

impl Timing {
    pub fn rate(&self) -> Option<FrameRate> {
        match self.regular {
            Some(ticks) => FrameRate::new(self.timescale, ticks),
            None => {
                let per_s = self.samples as f64 * f64::from(self.timescale) / self.ticks as f64;
                // Three decimals: 23.976 then means the exact fraction.
                format!("{per_s:.3}").parse().ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn track(kind: TrackKind, spans: &[(u64, u64)]) -> Track {
        Track {
            kind,
            unit: SampleUnit::Sample,
            spans: spans.iter().map(|&(offset, bytes)| ByteRange { offset, bytes }).collect(),
            timing: Timing::default(),
        }
    }

    fn movie(frames: &[(u64, u64)], sound: &[(u64, u64)]) -> Movie {
        Movie {
            tracks: vec![track(TrackKind::Sound, sound), track(TrackKind::Picture, frames)],
            index: ByteRange::default(),
            file_bytes: 1000,
            picture: 1,
        }
    }

    #[test]
    fn sequential_reading_covers_everything_once() {
        let movie = movie(&[(110, 50), (160, 40), (220, 30)], &[(100, 10), (200, 20), (250, 20)]);
        let spans = movie.forward_spans().unwrap();
        let spans: Vec<(u64, u64)> = spans.iter().map(|span| (span.offset, span.bytes)).collect();
        assert_eq!(spans, [(100, 60), (160, 60), (220, 50)]);
        assert_eq!(movie.media_bytes(), 170);
    }

    #[test]
    fn frames_out_of_order_can_not_be_read_straight_on() {
        assert_eq!(movie(&[(160, 40), (110, 50)], &[]).forward_spans(), None);
    }

    #[test]
    fn varying_times_have_a_mean_rate() {
        let timing = |timescale, samples, ticks, regular| Timing { timescale, samples, ticks, regular };
        let rate = |timing: Timing| timing.rate().map(|rate| rate.to_string());
        assert_eq!(rate(timing(30_000, 10, 10_010, Some(1001))), Some("29.97".into()));
        // Milliseconds: 41 and 42 alternately.
        assert_eq!(rate(timing(1000, 24_000, 1_001_000, None)), Some("23.976".into()));
        assert_eq!(rate(timing(1000, 5, 0, None)), None);
        assert_eq!(rate(timing(0, 5, 5, Some(1))), None);
        assert_eq!(rate(timing(1000, 0, 0, None)), None);
    }
}
