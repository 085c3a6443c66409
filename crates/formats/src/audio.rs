//! Uncompressed sound with the picture: how many bytes of it belong to each frame.
//!
//! At 29.97 frames per second a frame holds 1601.6 samples of 48 kHz. Samples are distributed as a
//! whole, so a frame has 1601 or 1602 of them, and the sum is exact at every frame.

use serde::{Deserialize, Serialize};

use crate::rate::FrameRate;

/// Tracks that are accepted, at most.
pub const TRACKS_MAX: u16 = 1024;

/// Tracks of uncompressed (PCM) sound, one channel each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct AudioTracks {
    tracks: u16,
    sample_rate_hz: u32,
    bits: u8,
}

/// Audio tracks as written in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    tracks: u16,
    #[serde(default = "default_sample_rate_hz")]
    sample_rate_hz: u32,
    #[serde(default = "default_bits")]
    bits: u8,
}

const fn default_sample_rate_hz() -> u32 {
    48_000
}

const fn default_bits() -> u8 {
    24
}

/// Why audio tracks are not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AudioError {
    /// None, or more than [`TRACKS_MAX`].
    #[error("invalid number of audio tracks {0}; use 1 to {TRACKS_MAX}, or omit the audio")]
    Tracks(u16),
    /// Out of the range of audio sample rates.
    #[error("invalid audio sample rate {0} Hz; use 8000 to 768000, such as 48000")]
    SampleRate(u32),
    /// Not a whole number of bytes per sample, or out of range.
    #[error("invalid audio sample size {0} bits; use 8, 16, 24 or 32")]
    Bits(u8),
}

impl AudioTracks {
    /// `tracks` tracks of `bits` bits per sample.
    ///
    /// # Errors
    /// See [`AudioError`].
    pub fn new(tracks: u16, sample_rate_hz: u32, bits: u8) -> Result<AudioTracks, AudioError> {
        if tracks == 0 || tracks > TRACKS_MAX {
            return Err(AudioError::Tracks(tracks));
        }
        if !(8_000..=768_000).contains(&sample_rate_hz) {
            return Err(AudioError::SampleRate(sample_rate_hz));
        }
        if !matches!(bits, 8 | 16 | 24 | 32) {
            return Err(AudioError::Bits(bits));
        }
        Ok(AudioTracks { tracks, sample_rate_hz, bits })
    }

    /// How many tracks, of one channel each.
    pub const fn tracks(self) -> u16 {
        self.tracks
    }

    /// Samples per second in each track.
    pub const fn sample_rate_hz(self) -> u32 {
        self.sample_rate_hz
    }

    /// Bits per sample: 8, 16, 24 or 32.
    pub const fn bits(self) -> u8 {
        self.bits
    }

    /// Bytes of one sample in every track.
    pub const fn bytes_per_sample(self) -> u64 {
        self.tracks as u64 * (self.bits / 8) as u64
    }

    /// Bytes per second, exactly.
    pub const fn bytes_per_s(self) -> u64 {
        self.bytes_per_sample() * self.sample_rate_hz as u64
    }

    /// Whole samples of one track that come before a frame.
    pub fn samples_before(self, frame: u64, rate: FrameRate) -> u64 {
        let samples_over_s = u128::from(frame) * u128::from(rate.den()) * u128::from(self.sample_rate_hz);
        u64::try_from(samples_over_s / u128::from(rate.num())).unwrap_or(u64::MAX)
    }

    /// Bytes of all tracks that come before a frame. Saturates.
    pub fn bytes_before(self, frame: u64, rate: FrameRate) -> u64 {
        self.samples_before(frame, rate).saturating_mul(self.bytes_per_sample())
    }

    /// The most bytes that one frame can hold.
    pub fn bytes_per_frame_max(self, rate: FrameRate) -> u64 {
        let samples_over_s = u64::from(rate.den()) * u64::from(self.sample_rate_hz);
        samples_over_s.div_ceil(u64::from(rate.num())) * self.bytes_per_sample()
    }
}

impl TryFrom<Written> for AudioTracks {
    type Error = AudioError;

    fn try_from(written: Written) -> Result<AudioTracks, AudioError> {
        AudioTracks::new(written.tracks, written.sample_rate_hz, written.bits)
    }
}

impl From<AudioTracks> for Written {
    fn from(audio: AudioTracks) -> Written {
        Written { tracks: audio.tracks, sample_rate_hz: audio.sample_rate_hz, bits: audio.bits }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn samples_are_dealt_out_whole_and_exactly() {
        let audio = AudioTracks::new(8, 48_000, 24).unwrap();
        let rate = "29.97".parse().unwrap();
        let in_frames: Vec<u64> = (0..5)
            .map(|frame| audio.samples_before(frame + 1, rate) - audio.samples_before(frame, rate))
            .collect();
        assert_eq!(in_frames, [1601, 1602, 1601, 1602, 1602]);
        assert_eq!(audio.samples_before(5, rate), 8008);
        // 30,000 frames last 1001 s.
        assert_eq!(audio.bytes_before(30_000, rate), 1001 * 48_000 * 8 * 3);
        assert_eq!(audio.bytes_per_frame_max(rate), 1602 * 24);
        assert_eq!(audio.bytes_per_s(), 1_152_000);
    }

    #[test]
    fn tracks_that_make_no_sense_are_refused() {
        assert_eq!(AudioTracks::new(0, 48_000, 24), Err(AudioError::Tracks(0)));
        assert_eq!(AudioTracks::new(2, 100, 24), Err(AudioError::SampleRate(100)));
        assert_eq!(AudioTracks::new(2, 48_000, 20), Err(AudioError::Bits(20)));
    }

    #[test]
    fn a_file_may_leave_out_the_usual() {
        let audio: AudioTracks = toml::from_str("tracks = 16").unwrap();
        assert_eq!(audio, AudioTracks::new(16, 48_000, 24).unwrap());
        assert!(toml::from_str::<AudioTracks>("tracks = 16\nbit = 24").is_err());
    }
}
