//! Uncompressed video in movie files. Checked on 28 files of FFmpeg 5.1.9 in seven rasters.

use crate::raster::Raster;

/// v210: 10-bit 4:2:2, six pixels in 16 bytes, rows padded to 48 pixels (128 bytes). Source: Apple
/// TN2162, "Uncompressed Y'CbCr Video in QuickTime Files".
pub fn v210_bytes(raster: Raster) -> u64 {
    u64::from(raster.width.div_ceil(48)) * 128 * u64::from(raster.height)
}

/// 2vuy, also called UYVY: 8-bit 4:2:2, two bytes per pixel. Source as for v210.
pub fn uyvy_bytes(raster: Raster) -> u64 {
    2 * raster.pixels()
}

/// r210: 10-bit RGB in one 32-bit word per pixel, rows padded to 64 pixels. Source: FFmpeg's r210 codec.
pub fn r210_bytes(raster: Raster) -> u64 {
    u64::from(raster.width.div_ceil(64)) * 64 * 4 * u64::from(raster.height)
}
