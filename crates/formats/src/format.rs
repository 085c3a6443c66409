//! One media format: the properties of a clip that matter for the storage.

use std::fmt;
use std::str::FromStr;

use crate::audio::AudioTracks;
use crate::frame_sizes::{ClipSizes, PictureSize, SizeModel};
use crate::raster::Raster;
use crate::rate::FrameRate;

/// How a clip is stored in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClipLayout {
    /// One file with all frames in sequence (MOV, MXF, MP4 …).
    MovieFile,
    /// One file for every frame (DPX, OpenEXR, TIFF …).
    FramePerFile,
    /// One file of sound without pictures.
    Audio,
}

impl ClipLayout {
    pub const ALL: [ClipLayout; 3] = [ClipLayout::MovieFile, ClipLayout::FramePerFile, ClipLayout::Audio];

    /// The word for it in flags, files and on screens.
    pub const fn name(self) -> &'static str {
        match self {
            ClipLayout::MovieFile => "movie",
            ClipLayout::FramePerFile => "frames",
            ClipLayout::Audio => "audio",
        }
    }
}

impl fmt::Display for ClipLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a kind of format; give movie, frames or audio")]
pub struct KindError(String);

impl FromStr for ClipLayout {
    type Err = KindError;

    fn from_str(text: &str) -> Result<ClipLayout, KindError> {
        let found = ClipLayout::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| KindError(text.into()))
    }
}

/// How the codec holds its rate, as the source states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateControl {
    /// Constant bytes per frame or per group of pictures; uncompressed.
    Cbr,
    /// Every frame is coded independently and aims at a target.
    Intra,
    /// The rate follows the content.
    Vbr,
}

impl RateControl {
    pub const ALL: [RateControl; 3] = [RateControl::Cbr, RateControl::Intra, RateControl::Vbr];

    /// The word for it in files and on screens.
    pub const fn name(self) -> &'static str {
        match self {
            RateControl::Cbr => "cbr",
            RateControl::Intra => "intra",
            RateControl::Vbr => "vbr",
        }
    }

    /// The rate control with this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<RateControl> {
        RateControl::ALL.into_iter().find(|control| control.name() == name)
    }
}

/// A media format. Frames of sound alone are blocks of [`AUDIO_BLOCKS_PER_S`].
#[derive(Clone, Debug, PartialEq)]
pub struct Format {
    /// Unique and stable: `prores-422-hq-uhd-25`.
    pub id: String,
    /// For screens: `Apple ProRes 422 HQ UHD`.
    pub name: String,
    /// The codec or file family: `ProRes`.
    pub family: String,
    /// How a clip is stored in files.
    pub kind: ClipLayout,
    /// Width and height, if the source states them.
    pub raster: Option<Raster>,
    /// Bits per component or audio sample, if the source states them.
    pub bits: Option<u8>,
    /// Chroma sampling (`4:2:2`, `bayer`); empty if the source does not state it.
    pub chroma: String,
    pub frame_rate: FrameRate,
    /// The rate control that the source states.
    pub rate_control: RateControl,
    /// Bytes of the picture per frame.
    pub picture: PictureSize,
    /// Sound that is interleaved with the picture, or is all there is.
    pub audio: Option<AudioTracks>,
    /// The key of its row in the catalogue file, for searching; empty for a user's own format.
    pub key: String,
    /// Where the figures come from; empty for a user's own format.
    pub source_url: String,
    /// How the figures were made, and what is uncertain about them.
    pub note: String,
}

/// A file of sound has no frames. It is paced in blocks of 1/25 s, about what applications ask for.
pub const AUDIO_BLOCKS_PER_S: FrameRate = FrameRate::whole(25);

/// Sound was asked for in files that can hold none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{id} has one file per frame and no audio. Play the audio as a separate stream, in a format such as \
     bwf-48-khz-24-bit-8-channels"
)]
pub struct NoRoomForAudio {
    pub id: String,
}

impl Format {
    /// The name with the frame rate: `Apple ProRes 422 HQ UHD, 25 fps`.
    pub fn title(&self) -> String {
        format!("{}, {} fps", self.name, self.frame_rate)
    }

    /// The frame sizes of the clip with this seed.
    pub fn sizes(&self, seed: u64) -> ClipSizes {
        ClipSizes::new(self.picture, self.audio, self.frame_rate, seed)
    }

    /// The same format with this sound in addition to the picture, or instead of other sound.
    ///
    /// # Errors
    /// Every frame is a separate file.
    pub fn with_audio(mut self, audio: AudioTracks) -> Result<Format, NoRoomForAudio> {
        if self.kind == ClipLayout::FramePerFile {
            return Err(NoRoomForAudio { id: self.id });
        }
        self.audio = Some(audio);
        Ok(self)
    }

    /// How many files a clip of `frames` frames has.
    pub const fn files(&self, frames: u64) -> u64 {
        match self.kind {
            ClipLayout::FramePerFile => frames,
            ClipLayout::MovieFile | ClipLayout::Audio => 1,
        }
    }

    /// Bytes per frame on average, sound included.
    pub fn mean_bytes_per_frame(&self) -> f64 {
        self.mean_bytes_per_s() / self.frame_rate.per_s()
    }

    /// Bytes per second on average, sound included.
    pub fn mean_bytes_per_s(&self) -> f64 {
        let audio = self.audio.map_or(0, AudioTracks::bytes_per_s);
        self.picture.mean().as_f64() * self.frame_rate.per_s() + audio as f64
    }

    /// The mean rate in MB/s, with MB = 10^6 bytes.
    pub fn mb_per_s(&self) -> f64 {
        self.mean_bytes_per_s() / 1e6
    }

    /// Whether frames differ in size by more than rounding.
    pub fn varies(&self) -> bool {
        self.picture.varies()
    }

    /// The model of the frame sizes, as text; `None` if every size is sourced.
    pub fn model_in_words(&self) -> Option<String> {
        let PictureSize::Variable { model, .. } = self.picture else {
            return None;
        };
        Some(match model {
            SizeModel::Even => "every frame has the mean size (model)".into(),
            SizeModel::Spread => "frame sizes vary from 7/8 to 9/8 of the mean (model)".into(),
            SizeModel::LongGop { frames } => {
                format!("groups of {frames} pictures, I : P : B = 16 : 6 : 3 (model)")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::catalogue::catalogue;

    #[test]
    fn sound_goes_into_movies_only() {
        let audio = AudioTracks::new(8, 48_000, 24).unwrap();
        let movie = catalogue().find("dnxhr-hqx-uhd-50").unwrap().clone();
        let silent = movie.mean_bytes_per_s();
        let movie = movie.with_audio(audio).unwrap();
        assert_eq!(movie.mean_bytes_per_s() - silent, 1_152_000.0);
        let frames = catalogue().find("dpx-10-bit-rgb-uhd-24").unwrap().clone();
        assert!(frames.with_audio(audio).unwrap_err().to_string().contains("bwf"));
        assert!(catalogue().find("bwf-48-khz-24-bit-8-channels").is_ok());
    }

    #[test]
    fn kinds_are_read_by_their_names() {
        for kind in ClipLayout::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("file".parse::<ClipLayout>().is_err());
    }
}
