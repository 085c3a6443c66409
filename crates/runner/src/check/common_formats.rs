//! The five formats whose streams a quick check counts: those edited from shared storage every day, from
//! a camera's HD to the most demanding UHD. Ids of the catalogue, so that the count can be measured
//! exactly afterwards with the same name.

use reelgauge_formats::{Format, catalogue};

/// Sorted by the rate that they need.
pub const EVERYDAY: [&str; 5] = [
    "xavc-intra-class-100-1080-25",
    "prores-422-hq-hd-25",
    "xavc-intra-class-300-qfhd-50",
    "dnxhr-hq-uhd-25",
    "prores-422-hq-uhd-25",
];

pub fn common_formats() -> Vec<&'static Format> {
    let formats = EVERYDAY.iter().filter_map(|id| catalogue().find(id).ok());
    formats.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_five_are_in_the_catalogue_lightest_first() {
        let formats = common_formats();
        assert_eq!(formats.len(), EVERYDAY.len());
        assert!(formats.windows(2).all(|pair| pair[0].mb_per_s() < pair[1].mb_per_s()));
        assert_eq!(formats[4].title(), "Apple ProRes 422 HQ UHD, 25 fps");
    }
}
