//! Uncompressed camera raw, one picture per file: 12 bits per photosite, packed.

use crate::raster::Raster;

/// The length of an ARRIRAW header is a field of the file. This one is assumed: RawSpeed refuses shorter
/// files, and the sizes that ARRI publishes (7.0, 9.3, 11.3 MB) match it.
pub const ARRIRAW_HEADER_BYTES_ASSUMED: u64 = 4096;

/// Bytes of 12-bit photosites without gaps: 1.5 per pixel. These are the pixels of CinemaDNG, whose
/// header of about 1 kB the catalogue omits.
pub fn packed_12_bit_bytes(raster: Raster) -> u64 {
    (raster.pixels() * 3).div_ceil(2)
}

/// Bytes of an ARRIRAW file (.ari). Source: ARRI's table for the ALEXA XT/XR module.
pub fn arriraw_bytes(raster: Raster, header_bytes: u64) -> u64 {
    header_bytes + packed_12_bit_bytes(raster)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_pictures_have_these_sizes() {
        assert_eq!(packed_12_bit_bytes(Raster::new(2880, 1620)), 6_998_400);
        assert_eq!(packed_12_bit_bytes(Raster::new(2880, 2160)), 9_331_200);
        assert_eq!(packed_12_bit_bytes(Raster::new(3414, 2198)), 11_255_958);
        assert_eq!(packed_12_bit_bytes(Raster::new(3, 1)), 5);
    }
}
