//! How much a stream buffers, in text form: a time, or a number of frames.

use std::fmt;
use std::str::FromStr;

use reelgauge_formats::FrameRate;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units::{Span, as_text};

/// The buffer of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// As many frames as last this long: `1s`, `500ms`.
    Time(Span),
    /// This many frames: `12frames`, `12 frames`.
    Frames(u32),
}

/// The error of an invalid buffer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' is not a buffer. Write a time with its unit or a number of frames, like 1s, 500ms or 12frames"
)]
pub struct BufferError {
    text: String,
}

impl Default for Buffer {
    /// One second, like the read-ahead of mpv.
    fn default() -> Buffer {
        Buffer::Time(Span::secs(1))
    }
}

impl Buffer {
    /// The number of frames at this rate: as many as are needed for the duration, and at least one.
    pub fn frames(self, rate: FrameRate) -> u32 {
        match self {
            Buffer::Time(span) => u32::try_from(rate.frames_in(span.ns())).unwrap_or(u32::MAX).max(1),
            Buffer::Frames(frames) => frames.max(1),
        }
    }

    /// Whether the buffer is empty.
    pub fn is_zero(self) -> bool {
        matches!(self, Buffer::Time(Span(0)) | Buffer::Frames(0))
    }
}

impl FromStr for Buffer {
    type Err = BufferError;

    fn from_str(text: &str) -> Result<Buffer, BufferError> {
        let not_a_buffer = || BufferError { text: text.to_owned() };
        let trimmed = text.trim();
        let frames = trimmed.strip_suffix("frames").or_else(|| trimmed.strip_suffix("frame"));
        match frames {
            Some(number) => number.trim_end().parse().map(Buffer::Frames).map_err(|_| not_a_buffer()),
            None => trimmed.parse().map(Buffer::Time).map_err(|_| not_a_buffer()),
        }
    }
}

impl fmt::Display for Buffer {
    /// In a form that parses to the same buffer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Buffer::Time(span) => span.fmt(f),
            Buffer::Frames(1) => f.write_str("1frame"),
            Buffer::Frames(frames) => write!(f, "{frames}frames"),
        }
    }
}

as_text!(Buffer);
