//! File-size formulas of formats whose frames have the same size whatever they show.
//!
//! Each was checked byte for byte against files that real programs wrote (FFmpeg 5.1.9, OpenImageIO 3.2.2,
//! GraphicsMagick), and a test checks each against every row of the catalogue that it explains. Where
//! writers differ, the difference is an argument with the known values as constants.
//!
//! Sizes are bytes. No formula can overflow: a raster has at most 65,535 x 65,535 pixels.

pub mod dnxhr;
pub mod dpx;
pub mod exr;
pub mod raw;
pub mod tiff;
pub mod wav;
pub mod yuv;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::audio::AudioTracks;
    use crate::catalogue::catalogue;
    use crate::format::Format;
    use crate::frame_sizes::PictureSize;
    use crate::raster::Raster;

    fn dpx_size(key: &str, raster: Raster) -> Option<u64> {
        let packing = match key.split_once('_')?.0 {
            "dpx10" => dpx::Packing::Rgb10Filled,
            "dpx10p" => dpx::Packing::Rgb10Packed,
            "dpx12" => dpx::Packing::Rgb12Packed,
            "dpx16" | "dpx12w16" => dpx::Packing::Rgb16,
            _ => return None,
        };
        // The rows of 12 bits in 16 are FFmpeg's, which has its own header.
        let header = match key.starts_with("dpx12w16") {
            true => dpx::HEADER_BYTES_FFMPEG,
            false => dpx::HEADER_BYTES_ALIGNED,
        };
        Some(dpx::frame_bytes(raster, packing, header))
    }

    fn exr_size(key: &str, raster: Raster) -> Option<u64> {
        let rgb = exr::HEADER_BYTES_OIIO_RGB;
        if key.starts_with("exr_half_rgb_none") {
            Some(exr::uncompressed_bytes(raster, 3, rgb))
        } else if key.starts_with("exr_half_rgba_none") {
            Some(exr::uncompressed_bytes(raster, 4, exr::HEADER_BYTES_OIIO_RGBA))
        } else if key.starts_with("exr_half_rgb_b44") {
            Some(exr::b44_bytes(raster, 3, rgb))
        } else {
            None
        }
    }

    fn dnxhr_size(key: &str, raster: Raster) -> Option<u64> {
        let profile = match key.strip_prefix("dnxhr_")?.split_once('_')?.0 {
            "lb" => dnxhr::Profile::Lb,
            "sq" => dnxhr::Profile::Sq,
            "hq" | "hqx" => dnxhr::Profile::Hq,
            "444" => dnxhr::Profile::FourFourFour,
            _ => return None,
        };
        Some(dnxhr::frame_bytes(raster, profile, dnxhr::Rows::Exact))
    }

    fn formula(format: &Format) -> Option<u64> {
        let (key, raster) = (format.key.as_str(), format.raster?);
        match key.split('_').next()? {
            "v210" => Some(yuv::v210_bytes(raster)),
            "2vuy" => Some(yuv::uyvy_bytes(raster)),
            "r210" => Some(yuv::r210_bytes(raster)),
            "arriraw" => Some(raw::arriraw_bytes(raster, raw::ARRIRAW_HEADER_BYTES_ASSUMED)),
            "cdng12" if format.rate_control.name() == "cbr" => Some(raw::packed_12_bit_bytes(raster)),
            "tiff" if key.starts_with("tiff_rgb8") => Some(tiff::ffmpeg_bytes(raster, 3, 1)),
            "tiff" => Some(tiff::ffmpeg_bytes(raster, 3, 2)),
            "dnxhr" => dnxhr_size(key, raster),
            "exr" => exr_size(key, raster),
            _ => dpx_size(key, raster),
        }
    }

    #[test]
    fn every_formula_explains_its_rows() {
        let mut explained = std::collections::BTreeMap::<&str, usize>::new();
        for format in catalogue().formats() {
            let (Some(bytes), PictureSize::Constant { bytes: stated }) = (formula(format), format.picture)
            else {
                continue;
            };
            assert_eq!(bytes, stated, "{}", format.id);
            *explained.entry(format.family.as_str()).or_default() += 1;
        }
        let explained: Vec<(&str, usize)> = explained.into_iter().collect();
        assert_eq!(
            explained,
            [
                ("ARRIRAW", 13),
                ("CinemaDNG", 4),
                ("DNxHR", 95),
                ("DPX", 57),
                ("OpenEXR", 22),
                ("TIFF", 12),
                ("Uncompressed", 36),
            ]
        );
    }

    #[test]
    fn sound_files_have_the_catalogue_rate() {
        let tracks = AudioTracks::new(8, 48_000, 24).unwrap();
        let second = wav::file_bytes(tracks, 48_000, wav::HEADER_BYTES_BEXT) - wav::HEADER_BYTES_BEXT;
        let format = catalogue().find("bwf-48-khz-24-bit-8-channels").unwrap();
        assert_eq!(second as f64, format.mean_bytes_per_s());
    }

    #[test]
    fn nothing_overflows() {
        let most = Raster::new(u16::MAX, u16::MAX);
        assert!(dpx::frame_bytes(most, dpx::Packing::Rgb16, u64::from(u32::MAX)) > most.pixels());
        assert!(exr::uncompressed_bytes(most, u16::MAX, 0) > most.pixels());
        assert!(exr::b44_bytes(most, u16::MAX, 0) > most.pixels());
        assert!(tiff::ffmpeg_bytes(most, u16::MAX, 8) > most.pixels());
        assert!(
            dnxhr::frame_bytes(most, dnxhr::Profile::FourFourFour, dnxhr::Rows::Whole) > most.pixels() / 2
        );
    }
}
