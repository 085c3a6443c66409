//! The number of bytes of a run of uncompressed sound samples.
//!
//! QuickTime's size table does not help here: for sound it may contain 1 for a sample of six bytes. The
//! sample description is reliable (Apple, "QuickTime File Format", sound sample descriptions versions 0,
//! 1, 2).

use super::boxes::Cursor;

/// This many bytes for this many samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packing {
    bytes: u32,
    samples: u32,
}

impl Packing {
    /// This many bytes for each sample.
    pub(super) const fn plain(bytes: u32) -> Packing {
        Packing { bytes, samples: 1 }
    }

    /// From the sample descriptions (`stsd`), of which the first counts, and the value in the size
    /// table.
    pub(super) fn read(stsd: &[u8], bytes_in_table: u32) -> Packing {
        described(stsd, bytes_in_table).unwrap_or(Packing::plain(bytes_in_table))
    }

    /// Bytes of `samples` samples.
    pub(super) fn bytes_of(self, samples: u64) -> u64 {
        // Both are counts of 32 bits, so their product fits.
        samples.saturating_mul(u64::from(self.bytes)) / u64::from(self.samples.max(1))
    }
}

/// `None` if the description has no answer.
fn described(stsd: &[u8], bytes_in_table: u32) -> Option<Packing> {
    let mut cursor = Cursor::new(stsd);
    // Version, flags, count; then the first description: its size, format, reserved bytes, data reference.
    cursor.skip(8 + 16)?;
    let version = cursor.u16()?;
    cursor.skip(6)?;
    let (channels, bits) = (cursor.u16()?, cursor.u16()?);
    // Compression, packet size, sample rate.
    cursor.skip(8)?;
    let packing = match version {
        0 if bytes_in_table == 1 => Packing::plain(u32::from(channels) * u32::from(bits) / 8),
        1 => {
            let samples = cursor.u32()?;
            cursor.skip(4)?;
            Packing { bytes: cursor.u32()?, samples }
        }
        2 => {
            // Size, sample rate, channels, a constant, bits, flags.
            cursor.skip(28)?;
            Packing { bytes: cursor.u32()?, samples: cursor.u32()? }
        }
        _ => return None,
    };
    (packing.bytes > 0 && packing.samples > 0).then_some(packing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stsd(version: u16, channels: u16, bits: u16, rest: &[u32]) -> Vec<u8> {
        let mut bytes = vec![0; 24];
        for number in [version, 0, 0, 0, channels, bits, 0, 0, 0, 0] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(rest.iter().flat_map(|number| number.to_be_bytes()));
        bytes
    }

    #[test]
    fn the_description_overrules_the_table() {
        assert_eq!(Packing::read(&stsd(0, 2, 24, &[]), 1), Packing::plain(6));
        assert_eq!(Packing::read(&stsd(0, 2, 24, &[]), 6), Packing::plain(6));
        let ima = Packing::read(&stsd(1, 2, 16, &[64, 34, 68, 2]), 1);
        assert_eq!(ima.bytes_of(640), 680);
        let lpcm = Packing::read(&stsd(2, 3, 16, &[72, 0, 0, 8, 0x7f00_0000, 24, 12, 24, 1]), 1);
        assert_eq!(lpcm.bytes_of(100), 2400);
    }

    #[test]
    fn a_description_without_sense_leaves_the_table() {
        assert_eq!(Packing::read(&[], 4), Packing::plain(4));
        assert_eq!(Packing::read(&stsd(1, 2, 16, &[0, 0, 0, 0]), 4), Packing::plain(4));
        assert_eq!(Packing::read(&stsd(9, 2, 16, &[]), 4), Packing::plain(4));
    }
}
