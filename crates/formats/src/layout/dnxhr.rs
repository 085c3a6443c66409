//! DNxHR (SMPTE ST 2019-1): every frame of a raster and profile has the same, rounded size.
//!
//! Source: Avid's table (<https://www.root6technology.com/products/dnxhr-format-support/>, whose MB/s are
//! MiB/s), matched exactly by the sizes that FFmpeg 5.1.9 writes, apart from [`Rows`].

use crate::raster::Raster;

/// The quality of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Low bandwidth, 8-bit 4:2:2.
    Lb,
    /// Standard quality, 8-bit 4:2:2.
    Sq,
    /// High quality, 8-bit 4:2:2; and HQX, 12-bit 4:2:2, of the same size.
    Hq,
    /// 12-bit 4:4:4.
    FourFourFour,
}

/// How rows of macroblocks are counted if the height is no multiple of 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// 67.5 rows for 1080 lines: Avid's table, and the catalogue.
    Exact,
    /// 68 rows for 1080 lines: FFmpeg. 0.9 % more at HD before rounding.
    Whole,
}

/// Sizes are rounded to the nearest multiple of this.
const UNIT_BYTES: u64 = 4096;

/// No frame is smaller.
const FRAME_BYTES_MIN: u64 = 8192;

/// Side of a macroblock, in pixels.
const MACROBLOCK: u64 = 16;

impl Profile {
    /// Bytes of 255 macroblocks.
    const fn bytes_per_255_macroblocks(self) -> u64 {
        match self {
            Profile::Lb => 5888,
            Profile::Sq => 18_944,
            Profile::Hq => 28_672,
            Profile::FourFourFour => 57_344,
        }
    }
}

/// Bytes of a frame.
pub fn frame_bytes(raster: Raster, profile: Profile, rows: Rows) -> u64 {
    let columns = u64::from(raster.width).div_ceil(MACROBLOCK);
    let height = u64::from(raster.height);
    // In sixteenths of a row, so that Avid's half rows stay whole numbers.
    let row_lines = match rows {
        Rows::Exact => height,
        Rows::Whole => height.div_ceil(MACROBLOCK) * MACROBLOCK,
    };
    let bytes = columns * row_lines * profile.bytes_per_255_macroblocks() / (255 * MACROBLOCK);
    let rounded = (bytes + UNIT_BYTES / 2) / UNIT_BYTES * UNIT_BYTES;
    rounded.max(FRAME_BYTES_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_differ_only_where_rows_are_halved() {
        let uhd = Raster::new(3840, 2160);
        assert_eq!(frame_bytes(uhd, Profile::Hq, Rows::Exact), 3_641_344);
        assert_eq!(frame_bytes(uhd, Profile::Hq, Rows::Whole), 3_641_344);
        let hd = Raster::new(1920, 1080);
        assert_eq!(frame_bytes(hd, Profile::Hq, Rows::Exact), 909_312);
        assert_eq!(frame_bytes(hd, Profile::Hq, Rows::Whole), 917_504);
        assert_eq!(frame_bytes(Raster::new(64, 64), Profile::Lb, Rows::Exact), 8192);
    }
}
