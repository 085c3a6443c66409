//! OpenEXR: one picture per file, a table of chunk offsets, and chunks of some lines each.
//!
//! Covers single-part scan-line files with half-float channels. Source:
//! <https://github.com/AcademySoftwareFoundation/openexr/blob/main/website/OpenEXRFileLayout.rst>; for
//! the compressions, `TechnicalIntroduction.rst` in the same directory. Checked on 24 files of
//! OpenImageIO and on FFmpeg's.

use crate::raster::Raster;

/// The header that OpenImageIO 3.2.2 writes for RGB.
pub const HEADER_BYTES_OIIO_RGB: u64 = 351;

/// The header that OpenImageIO 3.2.2 writes for RGBA.
pub const HEADER_BYTES_OIIO_RGBA: u64 = 369;

/// The header that FFmpeg 5.1.9 writes for RGB.
pub const HEADER_BYTES_FFMPEG_RGB: u64 = 392;

/// Bytes of an entry in the table of chunk offsets.
const OFFSET_BYTES: u64 = 8;

/// Bytes before the data of a chunk: its first line and its length.
const CHUNK_HEAD_BYTES: u64 = 8;

/// How chunks are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    None,
    Rle,
    /// Deflate, a line at a time.
    Zips,
    /// Deflate, 16 lines at a time.
    Zip,
    /// Rounded 24-bit floats, then deflate.
    Pxr24,
    /// Wavelets; usual for grainy pictures.
    Piz,
    B44,
    /// Lossy cosine transform, 32 lines.
    Dwaa,
    /// Lossy cosine transform, 256 lines.
    Dwab,
}

impl Compression {
    /// Lines in a chunk, the last one of a picture excepted.
    pub const fn lines_per_chunk(self) -> u16 {
        match self {
            Compression::None | Compression::Rle | Compression::Zips => 1,
            Compression::Zip | Compression::Pxr24 => 16,
            Compression::Piz | Compression::B44 | Compression::Dwaa => 32,
            Compression::Dwab => 256,
        }
    }
}

/// Bytes of everything but the header and the pixels: the offset table and the heads of the chunks.
pub fn chunk_overhead_bytes(height: u16, compression: Compression) -> u64 {
    let chunks = u64::from(height.div_ceil(compression.lines_per_chunk()));
    chunks * (OFFSET_BYTES + CHUNK_HEAD_BYTES)
}

/// Bytes of an uncompressed file with `channels` half-float channels.
pub fn uncompressed_bytes(raster: Raster, channels: u16, header_bytes: u64) -> u64 {
    let pixels = 2 * u64::from(channels) * raster.pixels();
    header_bytes + chunk_overhead_bytes(raster.height, Compression::None) + pixels
}

/// Bytes of a B44 file with `channels` half-float channels: 14 for every 4 x 4 pixels, whatever they show.
pub fn b44_bytes(raster: Raster, channels: u16, header_bytes: u64) -> u64 {
    let blocks = u64::from(raster.width.div_ceil(4)) * u64::from(raster.height.div_ceil(4));
    let pixels = 14 * u64::from(channels) * blocks;
    header_bytes + chunk_overhead_bytes(raster.height, Compression::B44) + pixels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_files_have_these_sizes() {
        let hd = uncompressed_bytes(Raster::new(1920, 1080), 3, HEADER_BYTES_FFMPEG_RGB);
        assert_eq!(hd, 12_459_272);
        let dci = uncompressed_bytes(Raster::new(4096, 2160), 3, HEADER_BYTES_FFMPEG_RGB);
        assert_eq!(dci, 53_119_112);
    }

    #[test]
    fn chunks_are_counted_with_the_last_one() {
        assert_eq!(chunk_overhead_bytes(1080, Compression::Piz), 34 * 16);
        assert_eq!(chunk_overhead_bytes(1080, Compression::Zip), 68 * 16);
        assert_eq!(chunk_overhead_bytes(1080, Compression::Dwab), 5 * 16);
        assert_eq!(chunk_overhead_bytes(1080, Compression::Zips), 1080 * 16);
    }
}
