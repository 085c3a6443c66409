//! One row of the catalogue file: checked, and turned into a format.

use serde::Deserialize;

use crate::audio::{AudioError, AudioTracks};
use crate::format::{AUDIO_BLOCKS_PER_S, ClipLayout, Format, RateControl};
use crate::frame_sizes::{PictureSize, SizeModel};
use crate::id;
use crate::mean::MeanBytes;
use crate::raster::Raster;
use crate::rate::{FrameRate, FrameRateError};

/// A row as written in the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CatalogueRow {
    /// The row's own key, for messages and for searching.
    pub(super) id: String,
    family: String,
    name: String,
    kind: String,
    width: Option<u16>,
    height: Option<u16>,
    bits: Option<u8>,
    chroma: String,
    fps: String,
    bytes_per_frame: Option<u64>,
    mbit_per_s: String,
    rate_control: String,
    source_url: String,
    note: String,
}

/// A fault of a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowFault {
    /// A column contains an unknown word.
    #[error("'{word}' in column {column} is unknown")]
    Word { column: &'static str, word: String },
    #[error(transparent)]
    FrameRate(#[from] FrameRateError),
    /// The rate is no decimal number, or has more than six decimals.
    #[error("'{0}' in column mbit_per_s is not a rate like 737 or 1.152")]
    Rate(String),
    /// A rate that is too large.
    #[error("the rate is larger than 64 bits can hold")]
    TooLarge,
    /// Frame size times frame rate gives another rate.
    #[error(
        "{bytes_per_frame} bytes per frame at {rate} fps does not match {mbit_per_s} Mbit/s; correct one of \
         them"
    )]
    Contradiction {
        /// Column bytes_per_frame.
        bytes_per_frame: u64,
        rate: FrameRate,
        mbit_per_s: String,
    },
    /// A frame or a stream of 0 bytes.
    #[error("the frame size or the rate is 0")]
    Nothing,
    /// Only one of width and height, or 0.
    #[error("width and height must both be given, or neither")]
    Raster,
    /// The name of an audio row contains the sample rate.
    #[error(
        "the name of an audio format must contain the sample rate, such as '48 kHz', and the bits per sample \
         must be set"
    )]
    SampleRate,
    /// The rate of an audio row is no multiple of a track's.
    #[error("{bits_per_s} bit/s is not a whole number of tracks of {track_bits_per_s} bit/s")]
    Tracks {
        /// Column mbit_per_s, in bit/s.
        bits_per_s: u64,
        /// Sample rate times bits.
        track_bits_per_s: u64,
    },
    /// The audio tracks make no sense.
    #[error(transparent)]
    Audio(#[from] AudioError),
}

/// A format without a sourced rate or frame rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Incomplete {
    /// Unique and stable, without a frame rate at its end.
    pub id: String,
    /// The same as in a format.
    pub name: String,
    /// The same as in a format.
    pub family: String,
    /// The same as in a format.
    pub kind: ClipLayout,
    /// The same as in a format.
    pub raster: Option<Raster>,
    /// The rate in bit/s, if a source states it.
    pub bits_per_s: Option<u64>,
    /// Where a source mentions it.
    pub source_url: String,
    /// What is missing, and why.
    pub note: String,
    key: String,
    bits: Option<u8>,
    chroma: String,
    rate_control: RateControl,
}

/// The result of a valid row.
pub(super) enum Read {
    Complete(Format),
    Incomplete(Incomplete),
}

impl CatalogueRow {
    /// Checks the row and turns it into a format.
    pub(super) fn read(&self) -> Result<Read, RowFault> {
        let kind = self.kind()?;
        let rate = match self.fps.as_str() {
            "" => None,
            fps => Some(fps.parse::<FrameRate>()?),
        };
        let incomplete = Incomplete {
            id: id::of_row(&self.family, &self.name, rate),
            name: self.name.clone(),
            family: self.family.clone(),
            kind,
            raster: self.raster()?,
            bits_per_s: self.bits_per_s()?,
            source_url: self.source_url.clone(),
            note: self.note.clone(),
            key: self.id.clone(),
            bits: self.bits,
            chroma: self.chroma.clone(),
            rate_control: self.rate_control()?,
        };
        let Some(bits_per_s) = incomplete.bits_per_s else {
            return Ok(Read::Incomplete(incomplete));
        };
        if kind == ClipLayout::Audio {
            let audio = self.audio_tracks(bits_per_s)?;
            return Ok(Read::Complete(incomplete.sound(audio)));
        }
        let Some(rate) = rate else {
            return Ok(Read::Incomplete(incomplete));
        };
        let format = match self.bytes_per_frame {
            Some(bytes) => {
                self.check_rate(bytes, rate, bits_per_s)?;
                incomplete.picture(rate, MeanBytes::whole(bytes), true)
            }
            None => {
                let mean = MeanBytes::from_bits_per_s(bits_per_s, rate).ok_or(RowFault::TooLarge)?;
                incomplete.picture(rate, mean, false)
            }
        };
        Ok(Read::Complete(format))
    }

    fn kind(&self) -> Result<ClipLayout, RowFault> {
        match self.kind.as_str() {
            "movie_file" => Ok(ClipLayout::MovieFile),
            "frame_sequence" => Ok(ClipLayout::FramePerFile),
            "audio" => Ok(ClipLayout::Audio),
            word => Err(unknown("kind", word)),
        }
    }

    fn rate_control(&self) -> Result<RateControl, RowFault> {
        let word = self.rate_control.as_str();
        RateControl::from_name(word).ok_or_else(|| unknown("rate_control", word))
    }

    fn raster(&self) -> Result<Option<Raster>, RowFault> {
        match (self.width, self.height) {
            (None, None) => Ok(None),
            (Some(width), Some(height)) if width > 0 && height > 0 => Ok(Some(Raster::new(width, height))),
            _ => Err(RowFault::Raster),
        }
    }

    fn bits_per_s(&self) -> Result<Option<u64>, RowFault> {
        if self.mbit_per_s.is_empty() {
            return Ok(None);
        }
        let bits = millionths(&self.mbit_per_s).ok_or_else(|| RowFault::Rate(self.mbit_per_s.clone()))?;
        if bits == 0 { Err(RowFault::Nothing) } else { Ok(Some(bits)) }
    }

    /// The rate is rounded to kbit/s if the frame size is given as well.
    fn check_rate(&self, bytes: u64, rate: FrameRate, bits_per_s: u64) -> Result<(), RowFault> {
        if bytes == 0 {
            return Err(RowFault::Nothing);
        }
        let den = u128::from(rate.den());
        let exact_over_den = u128::from(bytes) * 8 * u128::from(rate.num());
        let stated_over_den = u128::from(bits_per_s) * den;
        if exact_over_den.abs_diff(stated_over_den) > 500 * den {
            return Err(RowFault::Contradiction {
                bytes_per_frame: bytes,
                rate,
                mbit_per_s: self.mbit_per_s.clone(),
            });
        }
        Ok(())
    }

    fn audio_tracks(&self, bits_per_s: u64) -> Result<AudioTracks, RowFault> {
        let words: Vec<&str> = self.name.split_whitespace().collect();
        let khz = words.windows(2).find(|pair| pair[1] == "kHz").and_then(|pair| pair[0].parse::<u32>().ok());
        let hz = khz.and_then(|khz| khz.checked_mul(1000)).ok_or(RowFault::SampleRate)?;
        let bits = self.bits.ok_or(RowFault::SampleRate)?;
        let track_bits_per_s = u64::from(hz) * u64::from(bits);
        let not_whole = RowFault::Tracks { bits_per_s, track_bits_per_s };
        if track_bits_per_s == 0 || !bits_per_s.is_multiple_of(track_bits_per_s) {
            return Err(not_whole);
        }
        let tracks = u16::try_from(bits_per_s / track_bits_per_s).map_err(|_| not_whole)?;
        Ok(AudioTracks::new(tracks, hz, bits)?)
    }
}

impl Incomplete {
    /// The missing value, as text.
    pub const fn missing(&self) -> &'static str {
        match self.bits_per_s {
            Some(_) => "frame rate",
            None => "rate",
        }
    }

    /// The format with a frame rate that the user states. `None` if the rate in bit/s is missing too.
    pub fn at(&self, rate: FrameRate) -> Option<Format> {
        let mean = MeanBytes::from_bits_per_s(self.bits_per_s?, rate)?;
        let mut complete = self.clone();
        complete.id = id::of_row(&self.family, &self.name, Some(rate));
        Some(complete.picture(rate, mean, false))
    }

    fn picture(self, rate: FrameRate, mean: MeanBytes, frame_size_is_stated: bool) -> Format {
        let constant = frame_size_is_stated && self.rate_control == RateControl::Cbr;
        let picture = match constant {
            true => PictureSize::Constant { bytes: mean.floor() },
            false => {
                PictureSize::Variable { mean, model: model(&self.family, self.kind, self.rate_control, rate) }
            }
        };
        self.format(rate, picture, None)
    }

    fn sound(self, audio: AudioTracks) -> Format {
        self.format(AUDIO_BLOCKS_PER_S, PictureSize::None, Some(audio))
    }

    fn format(self, frame_rate: FrameRate, picture: PictureSize, audio: Option<AudioTracks>) -> Format {
        Format {
            id: self.id,
            name: self.name,
            family: self.family,
            kind: self.kind,
            raster: self.raster,
            bits: self.bits,
            chroma: self.chroma,
            frame_rate,
            rate_control: self.rate_control,
            picture,
            audio,
            key: self.key,
            source_url: self.source_url,
            note: self.note,
        }
    }
}

/// The model of the frame sizes of a format whose frame size is not constant. See
/// [`crate::frame_sizes`].
fn model(family: &str, kind: ClipLayout, control: RateControl, rate: FrameRate) -> SizeModel {
    match (family, control) {
        // Its rows are upper bounds (DCP, IMF) or constant.
        ("JPEG 2000", _) => SizeModel::Even,
        // Constant rate over a group of pictures, not over a frame.
        ("XDCAM" | "MPEG-2", _) => SizeModel::LongGop { frames: half_a_second(rate) },
        (_, RateControl::Cbr) => SizeModel::Even,
        (_, RateControl::Intra) => SizeModel::Spread,
        (_, RateControl::Vbr) if kind == ClipLayout::FramePerFile => SizeModel::Spread,
        (_, RateControl::Vbr) => SizeModel::LongGop { frames: half_a_second(rate) },
    }
}

/// Frames in half a second, a half rounded down: 12 at 25, 15 at 29.97, 25 at 50. The groups of pictures of
/// XAVC Long (12 at 25, 25 at 50) and of broadcast MPEG-2 (12 and 15) have this length.
pub(crate) fn half_a_second(rate: FrameRate) -> u16 {
    let (num, den) = (u64::from(rate.num()), u64::from(rate.den()));
    let frames = (num + den - 1) / (2 * den);
    u16::try_from(frames.max(1)).unwrap_or(u16::MAX)
}

fn unknown(column: &'static str, word: &str) -> RowFault {
    RowFault::Word { column, word: word.into() }
}

/// A decimal number with at most six decimals, times a million.
fn millionths(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction:0<6}");
    let good = !whole.is_empty() && fraction.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    good.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        assert_eq!(millionths("737"), Some(737_000_000));
        assert_eq!(millionths("1.152"), Some(1_152_000));
        assert_eq!(millionths("0.000001"), Some(1));
        for text in ["", ".5", "1.0000001", "1e3", "-1", "1,5", "99999999999999999999"] {
            assert_eq!(millionths(text), None, "{text}");
        }
    }

    #[test]
    fn a_group_of_pictures_lasts_half_a_second() {
        for (rate, frames) in
            [("24", 12), ("25", 12), ("29.97", 15), ("50", 25), ("59.94", 30), ("1", 1), ("0.1", 1)]
        {
            assert_eq!(half_a_second(rate.parse().unwrap()), frames, "{rate}");
        }
    }
}
