//! TIFF: uncompressed strips, and a directory that most writers put at the end of the file.
//!
//! Source: TIFF 6.0; the overhead is that of FFmpeg 5.1.9, checked on four files. Other writers differ by a
//! few kB.

use crate::raster::Raster;

/// Bytes that FFmpeg writes besides the pixels and 8 bytes for every strip.
pub const OTHER_BYTES_FFMPEG: u64 = 218;

/// Bytes for a strip in the directory: its offset and its length.
const STRIP_BYTES: u64 = 8;

/// Bytes of a file with `strips` strips and `other_bytes` of headers and directory.
pub fn frame_bytes(
    raster: Raster,
    components: u16,
    bytes_per_component: u8,
    strips: u16,
    other_bytes: u64,
) -> u64 {
    let pixels = raster.pixels() * u64::from(components) * u64::from(bytes_per_component);
    pixels + STRIP_BYTES * u64::from(strips) + other_bytes
}

/// Bytes of a file that FFmpeg writes: a strip for every row.
pub fn ffmpeg_bytes(raster: Raster, components: u16, bytes_per_component: u8) -> u64 {
    frame_bytes(raster, components, bytes_per_component, raster.height, OTHER_BYTES_FFMPEG)
}
