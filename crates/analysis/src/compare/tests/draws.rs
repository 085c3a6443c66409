//! Random numbers, the same for the same seed.

/// SplitMix64: small, seeded, good enough here.
pub struct Draws(u64);

impl Draws {
    /// The draws of this seed.
    pub fn new(seed: u64) -> Draws {
        Draws(seed)
    }

    /// The next draw, of 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Above 0, at most 1.
    pub fn share(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }
}
