//! `/proc/net/softnet_stat`: packets that the local host itself dropped, and how often the time for
//! receiving ran out. One line per processor, hexadecimal: processed, dropped, squeezed, …

use super::{add, put};
use crate::sample::counter::{Layer, Look, Reading};

/// The counters in this text.
pub fn parse(text: &str, look: &mut Look) {
    let (mut drops, mut squeezes, mut lines) = (0, 0, 0);
    for line in text.lines() {
        let mut numbers = line.split_ascii_whitespace().map(|word| u64::from_str_radix(word, 16).ok());
        let mut next = || numbers.next().flatten();
        if let (Some(_), Some(dropped), Some(squeezed)) = (next(), next(), next()) {
            add(&mut drops, dropped);
            add(&mut squeezes, squeezed);
            lines += 1;
        }
    }
    if lines > 0 {
        put(look, Layer::Network, "softnet_drops_per_s", Reading::PerSecond(drops));
        put(look, Layer::Network, "softnet_squeezes_per_s", Reading::PerSecond(squeezes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    #[test]
    fn processors_are_added_up_and_hexadecimal() {
        // Linux 6.18; the second and third numbers are invented.
        let text = "\
000b472a 0000000f 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
000b694a 00000010 0000000a 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000001 00000000
odd
";
        let mut look = Look::new();
        parse(text, &mut look);
        all_known(&look);
        assert_eq!(reading(&look, "softnet_drops_per_s", ""), &Reading::PerSecond(31));
        assert_eq!(reading(&look, "softnet_squeezes_per_s", ""), &Reading::PerSecond(11));
    }

    #[test]
    fn odd_text_gives_nothing() {
        let mut look = Look::new();
        parse("\nx y z\n1\n", &mut look);
        assert_eq!(look, Look::new());
    }
}
