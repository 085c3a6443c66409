//! Width and height of a picture, and the usual names for them.

use std::fmt;
use std::str::FromStr;

/// Width and height in pixels. At most 65,535 each, so that no size formula can overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Raster {
    pub width: u16,
    pub height: u16,
}

/// The names of the usual rasters; the first is the one that is shown.
const NAMES: &[(Raster, &[&str])] = &[
    (Raster::new(720, 576), &["sd576", "576"]),
    (Raster::new(1280, 720), &["hd720", "720p"]),
    (Raster::new(1920, 1080), &["hd", "1080", "1080p"]),
    (Raster::new(2048, 1080), &["2k-dci", "2k"]),
    (Raster::new(2048, 1556), &["2k-full-aperture"]),
    (Raster::new(3840, 2160), &["uhd", "qfhd", "2160p"]),
    (Raster::new(4096, 2160), &["4k-dci", "4k"]),
    (Raster::new(4096, 3112), &["4k-full-aperture"]),
    (Raster::new(6144, 3240), &["6k"]),
    (Raster::new(7680, 4320), &["8k-uhd"]),
    (Raster::new(8192, 4320), &["8k-dci", "8k"]),
];

/// A text that is not a raster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a resolution; write it like 1920x1080, or use one of: {}", known())]
pub struct RasterError {
    text: String,
}

fn known() -> String {
    let first: Vec<&str> = NAMES.iter().filter_map(|(_, names)| names.first().copied()).collect();
    first.join(", ")
}

impl Raster {
    /// A raster of this size.
    pub const fn new(width: u16, height: u16) -> Raster {
        Raster { width, height }
    }

    /// Pixels in the picture.
    pub const fn pixels(self) -> u64 {
        self.width as u64 * self.height as u64
    }

    /// Usual names in the field (`uhd`, `qfhd`); empty for unusual rasters.
    pub fn names(self) -> &'static [&'static str] {
        NAMES.iter().find(|(raster, _)| *raster == self).map_or(&[], |(_, names)| names)
    }
}

impl fmt::Display for Raster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Raster {
    type Err = RasterError;

    fn from_str(text: &str) -> Result<Raster, RasterError> {
        let lower = text.trim().to_ascii_lowercase();
        let named =
            NAMES.iter().find(|(_, names)| names.contains(&lower.as_str())).map(|(raster, _)| *raster);
        let sized = || {
            let (width, height) = lower.split_once('x')?;
            let raster = Raster::new(width.parse().ok()?, height.parse().ok()?);
            (raster.pixels() > 0).then_some(raster)
        };
        named.or_else(sized).ok_or_else(|| RasterError { text: text.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rasters_are_read_by_name_and_by_size() {
        assert_eq!("UHD".parse(), Ok(Raster::new(3840, 2160)));
        assert_eq!("qfhd".parse(), Ok(Raster::new(3840, 2160)));
        assert_eq!("1998x1080".parse(), Ok(Raster::new(1998, 1080)));
        assert_eq!(Raster::new(1998, 1080).to_string(), "1998x1080");
        assert!(Raster::new(1998, 1080).names().is_empty());
    }

    #[test]
    fn invalid_raster_is_refused() {
        for text in ["", "0x1080", "1920x", "70000x1", "4:3", "x"] {
            assert!(text.parse::<Raster>().is_err_and(|error| error.to_string().contains("uhd")), "{text}");
        }
    }

    #[test]
    fn raster_names_are_unambiguous() {
        let mut names: Vec<&str> = NAMES.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
