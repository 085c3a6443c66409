//! Formats that the user describes: from flags, or from a table of a plan.
//!
//! ```toml
//! [format]
//! name = "house mezzanine"
//! mbit_per_s = 220          # or: bytes_per_frame = 1100000
//! fps = 25                  # or: "24000/1001"
//! files = "movie"           # or: "frames", one file for every frame
//! rate_control = "intra"    # or: "cbr" (the default), "vbr"
//! audio = { tracks = 8 }    # sample_rate_hz = 48000, bits = 24
//! ```

use serde::{Deserialize, Serialize};

use crate::audio::AudioTracks;
use crate::catalogue::half_a_second;
use crate::format::{ClipLayout, Format, NoRoomForAudio, RateControl};
use crate::frame_sizes::{PictureSize, SizeModel};
use crate::id;
use crate::mean::MeanBytes;
use crate::raster::Raster;
use crate::rate::FrameRate;

/// The user's description of a format. [`OwnFormat::into_format`] checks it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnFormat {
    /// The name for screens; the id is made from it.
    pub name: String,
    /// Bytes of the picture per frame; the headers too, where each frame is a file.
    pub bytes_per_frame: Option<u64>,
    /// Rate of the picture in 10^6 bit/s, instead of `bytes_per_frame`.
    pub mbit_per_s: Option<f64>,
    pub fps: FrameRate,
    /// How frames are stored in files.
    #[serde(default)]
    pub files: FrameFiles,
    /// How the codec holds its rate: `cbr`, `intra` or `vbr`.
    #[serde(default)]
    pub rate_control: Control,
    /// Frames in a group of pictures, for `vbr`; half a second by default.
    pub gop_frames: Option<u16>,
    /// Pixels per row, for screens alone.
    pub width: Option<u16>,
    /// Rows, for screens alone.
    pub height: Option<u16>,
    /// Sound in addition to the picture.
    pub audio: Option<AudioTracks>,
}

/// How frames are stored in files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FrameFiles {
    #[default]
    Movie,
    /// One for every frame.
    Frames,
}

/// How the codec holds its rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Control {
    /// Every frame has the same size, to within a byte.
    #[default]
    Cbr,
    /// Frames spread around the rate.
    Intra,
    Vbr,
}

/// A description that is not valid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnFormatError {
    /// The text is no such table.
    #[error("the format can't be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// A format needs a name, because streams and data sets are named after it.
    #[error("the format's name must contain a letter or digit")]
    Name,
    /// Both rates, or none.
    #[error("format '{name}': give either bytes_per_frame or mbit_per_s")]
    OneRate { name: String },
    /// The rate is 0, negative, endless or too large.
    #[error(
        "format '{name}': {what} must be between 1 byte and {} MB per frame",
        FRAME_BYTES.end() / 1_000_000
    )]
    Rate { name: String, what: &'static str },
    /// Only one of width and height, or 0.
    #[error("format '{name}': set both width and height, or neither")]
    Raster { name: String },
    /// `gop_frames` is 0, or has no effect on the format.
    #[error("format '{name}': gop_frames must be at least 1, and has an effect only on VBR movies")]
    Gop { name: String },
    /// Sound in files of single frames.
    #[error(transparent)]
    Audio(#[from] NoRoomForAudio),
}

/// The mean frames that are accepted: up to 4 GB, sixteen times a frame of 16K in 16 bits.
pub const FRAME_BYTES: std::ops::RangeInclusive<u64> = 1..=4_000_000_000;

/// The file around a `[format]` table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: OwnFormat,
}

impl OwnFormat {
    /// Reads a file with one `[format]` table.
    ///
    /// # Errors
    /// [`OwnFormatError::Toml`], which names the line.
    pub fn from_toml(text: &str) -> Result<OwnFormat, OwnFormatError> {
        Ok(toml::from_str::<Document>(text)?.format)
    }

    /// Checks the description and makes the format of it.
    ///
    /// # Errors
    /// See [`OwnFormatError`].
    pub fn into_format(self) -> Result<Format, OwnFormatError> {
        let id = id::slug(&self.name);
        if id.is_empty() {
            return Err(OwnFormatError::Name);
        }
        let picture = self.picture()?;
        let format = Format {
            id,
            family: "own".into(),
            kind: match self.files {
                FrameFiles::Movie => ClipLayout::MovieFile,
                FrameFiles::Frames => ClipLayout::FramePerFile,
            },
            raster: self.raster()?,
            bits: None,
            chroma: String::new(),
            frame_rate: self.fps,
            rate_control: match self.rate_control {
                Control::Cbr => RateControl::Cbr,
                Control::Intra => RateControl::Intra,
                Control::Vbr => RateControl::Vbr,
            },
            picture,
            audio: None,
            key: String::new(),
            source_url: String::new(),
            note: "described by the user".into(),
            name: self.name,
        };
        match self.audio {
            Some(audio) => Ok(format.with_audio(audio)?),
            None => Ok(format),
        }
    }

    fn picture(&self) -> Result<PictureSize, OwnFormatError> {
        let mean = self.mean()?;
        let model = self.model()?;
        if self.bytes_per_frame.is_some() && model == SizeModel::Even {
            return Ok(PictureSize::Constant { bytes: mean.floor() });
        }
        Ok(PictureSize::Variable { mean, model })
    }

    fn mean(&self) -> Result<MeanBytes, OwnFormatError> {
        let (mean, what) = match (self.bytes_per_frame, self.mbit_per_s) {
            (Some(bytes), None) => (Some(MeanBytes::whole(bytes)), "bytes_per_frame"),
            (None, Some(mbit)) => {
                // Out of range, a float becomes 0 or the largest number: both are refused below.
                let bits_per_s = (mbit * 1e6).round() as u64;
                (MeanBytes::from_bits_per_s(bits_per_s, self.fps), "mbit_per_s")
            }
            _ => {
                return Err(OwnFormatError::OneRate { name: self.name.clone() });
            }
        };
        mean.filter(|mean| FRAME_BYTES.contains(&mean.floor()) && FRAME_BYTES.contains(&mean.ceil()))
            .ok_or_else(|| OwnFormatError::Rate { name: self.name.clone(), what })
    }

    fn model(&self) -> Result<SizeModel, OwnFormatError> {
        let frames = match (self.rate_control, self.gop_frames) {
            (Control::Vbr, Some(frames)) if frames > 0 && self.files == FrameFiles::Movie => frames,
            (Control::Vbr, None) => half_a_second(self.fps),
            (_, Some(_)) => {
                return Err(OwnFormatError::Gop { name: self.name.clone() });
            }
            (Control::Cbr, None) => return Ok(SizeModel::Even),
            (Control::Intra, None) => return Ok(SizeModel::Spread),
        };
        // Frames in separate files depend on no others.
        Ok(match self.files {
            FrameFiles::Movie => SizeModel::LongGop { frames },
            FrameFiles::Frames => SizeModel::Spread,
        })
    }

    fn raster(&self) -> Result<Option<Raster>, OwnFormatError> {
        match (self.width, self.height) {
            (None, None) => Ok(None),
            (Some(width), Some(height)) if width > 0 && height > 0 => Ok(Some(Raster::new(width, height))),
            _ => Err(OwnFormatError::Raster { name: self.name.clone() }),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn format(body: &str) -> Result<Format, OwnFormatError> {
        OwnFormat::from_toml(&format!("[format]\n{body}"))?.into_format()
    }

    #[test]
    fn a_description_becomes_a_format() {
        let own = format(
            "name = \"House Mezzanine\"\nmbit_per_s = 220\nfps = 25\nrate_control = \"intra\"\n\
             width = 1920\nheight = 1080\naudio = { tracks = 8 }",
        )
        .unwrap();
        assert_eq!(own.id, "house-mezzanine");
        assert_eq!(own.kind, ClipLayout::MovieFile);
        assert_eq!(own.mean_bytes_per_s(), 27_500_000.0 + 1_152_000.0);
        assert!(own.varies());
        assert_eq!(own.sizes(1).total_bytes(25 * 16), 16 * (27_500_000 + 1_152_000));
    }

    #[test]
    fn bytes_per_frame_are_constant_by_default() {
        let frames =
            format("name = \"x\"\nbytes_per_frame = 8302592\nfps = \"24\"\nfiles = \"frames\"").unwrap();
        assert_eq!(frames.picture, PictureSize::Constant { bytes: 8_302_592 });
        assert_eq!(frames.kind, ClipLayout::FramePerFile);
        let gop =
            format("name = \"x\"\nbytes_per_frame = 100000\nfps = 29.97\nrate_control = \"vbr\"").unwrap();
        assert_eq!(
            gop.picture,
            PictureSize::Variable {
                mean: MeanBytes::whole(100_000),
                model: SizeModel::LongGop { frames: 15 }
            }
        );
    }

    #[test]
    fn invalid_format_has_a_reason() {
        for (body, said) in [
            ("name = \"x\"\nfps = 25", "either bytes_per_frame or mbit_per_s"),
            ("name = \"x\"\nfps = 25\nmbit_per_s = 1\nbytes_per_frame = 1", "either bytes_per_frame"),
            ("name = \"x\"\nfps = 25\nbytes_per_frame = 0", "bytes_per_frame must be between"),
            ("name = \"x\"\nfps = 25\nmbit_per_s = -5", "mbit_per_s must be between"),
            ("name = \"x\"\nfps = 25\nmbit_per_s = nan", "mbit_per_s must be between"),
            ("name = \"x\"\nfps = 25\nmbit_per_s = inf", "mbit_per_s must be between"),
            ("name = \"--\"\nfps = 25\nmbit_per_s = 5", "letter or digit"),
            ("name = \"x\"\nfps = 0\nmbit_per_s = 5", "not a frame rate"),
            ("name = \"x\"\nfps = 25\nmbit_per_s = 5\nwidth = 9", "width and height"),
            ("name = \"x\"\nfps = 25\nmbit_per_s = 5\ngop_frames = 9", "gop_frames"),
            ("name = \"x\"\nfps = 25\nmbit_per_s = 5\nbitrate = 9", "unknown field `bitrate`"),
            ("name = \"x\"\nfps = 25\nmbit_per_s = 5\nfiles = \"folder\"", "unknown variant `folder`"),
            ("name = \"x\"\nfps = 25\nmbit_per_s = 5\naudio = { tracks = 0 }", "audio tracks 0"),
            (
                "name = \"x\"\nfps = 25\nmbit_per_s = 5\nfiles = \"frames\"\naudio = { tracks = 2 }",
                "one file per frame",
            ),
        ] {
            let message = format(body).unwrap_err().to_string();
            assert!(message.contains(said), "{body}: {message}");
        }
    }

    #[test]
    fn a_description_survives_a_file() {
        let own = OwnFormat::from_toml("[format]\nname = \"x\"\nmbit_per_s = 0.5\nfps = 59.94").unwrap();
        let text = toml::to_string(&own).unwrap();
        assert_eq!(toml::from_str::<OwnFormat>(&text).unwrap(), own, "{text}");
    }
}
