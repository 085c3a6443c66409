//! DPX: one picture per file, a header of fixed length and uncompressed rows.
//!
//! Source: SMPTE ST 268 (<https://standards.globalspec.com/std/9991669/smpte-st-268>); checked on 36 files
//! of OpenImageIO 3.2.2 and on files of GraphicsMagick and FFmpeg 5.1.9.

use crate::raster::Raster;

/// Where the picture begins in files of OpenImageIO and GraphicsMagick: aligned to 8 KiB. The catalogue's.
pub const HEADER_BYTES_ALIGNED: u64 = 8192;

/// Where the picture begins in files of FFmpeg.
pub const HEADER_BYTES_FFMPEG: u64 = 1664;

/// How the three components of a pixel are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// 8 bits each; rows are not padded (OpenImageIO).
    Rgb8,
    /// 10 bits each in one 32-bit word per pixel ("filled", method A). The usual one.
    Rgb10Filled,
    /// 10 bits each, 30 bits per pixel without gaps; rows end on 32-bit words.
    Rgb10Packed,
    /// 12 bits each, 36 bits per pixel without gaps; rows end on 32-bit words.
    Rgb12Packed,
    /// 16 bits each, or 12 bits each in 16-bit words (FFmpeg).
    Rgb16,
}

/// Bytes of one row of `width` pixels.
pub fn row_bytes(width: u16, packing: Packing) -> u64 {
    let width = u64::from(width);
    match packing {
        Packing::Rgb8 => 3 * width,
        Packing::Rgb10Filled => 4 * width,
        Packing::Rgb10Packed => 4 * (30 * width).div_ceil(32),
        Packing::Rgb12Packed => 4 * (36 * width).div_ceil(32),
        Packing::Rgb16 => 6 * width,
    }
}

/// Bytes of a file: `header_bytes` is its "offset to image data", one of this file's constants.
pub fn frame_bytes(raster: Raster, packing: Packing, header_bytes: u64) -> u64 {
    header_bytes + row_bytes(raster.width, packing) * u64::from(raster.height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_files_have_these_sizes() {
        let (hd, dci) = (Raster::new(1920, 1080), Raster::new(4096, 2160));
        let of = |raster, packing, header| frame_bytes(raster, packing, header);
        assert_eq!(of(hd, Packing::Rgb10Filled, HEADER_BYTES_ALIGNED), 8_302_592);
        assert_eq!(of(dci, Packing::Rgb10Filled, HEADER_BYTES_ALIGNED), 35_397_632);
        assert_eq!(of(hd, Packing::Rgb10Filled, HEADER_BYTES_FFMPEG), 8_296_064);
        assert_eq!(of(dci, Packing::Rgb10Filled, HEADER_BYTES_FFMPEG), 35_391_104);
        assert_eq!(of(hd, Packing::Rgb12Packed, HEADER_BYTES_ALIGNED), 9_339_392);
        assert_eq!(of(hd, Packing::Rgb16, HEADER_BYTES_FFMPEG), 12_443_264);
    }

    #[test]
    fn packed_rows_end_on_words_and_8_bit_rows_do_not() {
        assert_eq!(row_bytes(1998, Packing::Rgb8), 5994);
        assert_eq!(row_bytes(1998, Packing::Rgb10Packed), 7496);
        assert_eq!(row_bytes(1, Packing::Rgb12Packed), 8);
    }
}
