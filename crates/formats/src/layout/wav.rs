//! Broadcast Wave (EBU Tech 3285): a header, then the samples of all channels interleaved.
//!
//! The headers are those of FFmpeg 5.1.9. Recorders write longer ones, up to some kB of iXML.

use crate::audio::AudioTracks;

/// The header of a file with a `bext` chunk: a Broadcast Wave file in the narrow sense.
pub const HEADER_BYTES_BEXT: u64 = 712;

/// The header of a plain file of more than two channels (`WAVE_FORMAT_EXTENSIBLE`).
pub const HEADER_BYTES_EXTENSIBLE: u64 = 102;

/// Bytes of a file with `samples` samples in each track.
pub fn file_bytes(audio: AudioTracks, samples: u64, header_bytes: u64) -> u64 {
    let data = audio.bytes_per_sample().saturating_mul(samples);
    data.saturating_add(header_bytes)
}
