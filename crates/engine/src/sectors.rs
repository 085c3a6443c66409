//! The rule of unbuffered I/O on Windows: offsets, lengths and buffers are multiples of a sector.
//!
//! Windows refuses other requests on a local disk. Network file systems and emulators accept some of them and
//! then use a cache. So the rule is applied before a request reaches the system. It depends only on numbers
//! that the system reports, so that it is tested everywhere.

use crate::buffer::ALIGNMENT;

/// Unbuffered I/O is impossible with these sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "its sectors have {bytes} bytes, and Reelgauge supports powers of two up to {ALIGNMENT}. Format the disk \
     with 512 or 4096 bytes per sector, or use --buffered"
)]
pub(crate) struct OddSectors {
    bytes: u32,
}

/// The size of a volume's sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sectors {
    bytes: u32,
}

impl Sectors {
    /// A multiple of every supported size, for volumes that report none.
    pub(crate) const LARGEST: Sectors = Sectors { bytes: ALIGNMENT as u32 };

    /// From the reported sizes, the most reliable first. A size of 0 is not reported.
    pub(crate) fn new(reported: impl IntoIterator<Item = Option<u32>>) -> Result<Sectors, OddSectors> {
        match reported.into_iter().flatten().find(|&bytes| bytes > 0) {
            None => Ok(Sectors::LARGEST),
            Some(bytes) if bytes.is_power_of_two() && bytes <= Sectors::LARGEST.bytes => {
                Ok(Sectors { bytes })
            }
            Some(bytes) => Err(OddSectors { bytes }),
        }
    }

    pub(crate) fn bytes(self) -> u32 {
        self.bytes
    }

    /// Whether Windows accepts an unbuffered transfer of this memory at this position. `None` is the end of
    /// the file, which only the system knows.
    #[inline]
    pub(crate) fn fit(self, memory: &[u8], position: Option<u64>) -> bool {
        let is_multiple = |number: u64| number.is_multiple_of(u64::from(self.bytes));
        is_multiple(memory.as_ptr() as u64)
            && is_multiple(memory.len() as u64)
            && position.is_none_or(is_multiple)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::buffer::AlignedBuffer;

    #[test]
    fn sizes_of_real_disks_are_taken_and_others_refused() {
        let of = |reported: [Option<u32>; 2]| Sectors::new(reported).map(Sectors::bytes);
        // A disk with 512 bytes, or 4096 that are emulated as 512; one with 4096; a share.
        assert_eq!(of([Some(512), Some(512)]), Ok(512));
        assert_eq!(of([Some(4096), Some(4096)]), Ok(4096));
        assert_eq!(of([None, Some(512)]), Ok(512));
        assert_eq!(of([Some(0), Some(4096)]), Ok(4096));
        assert_eq!(of([None, None]), Ok(4096));
        // Disks of arrays keep 8 to 64 more bytes per sector for checksums.
        for bytes in [520, 4160, 8192] {
            assert_eq!(of([Some(bytes), Some(512)]), Err(OddSectors { bytes }));
        }
    }

    #[test]
    fn offset_length_and_memory_are_multiples_of_a_sector() {
        let buffer = AlignedBuffer::new(16_384).unwrap();
        let memory = buffer.as_slice();
        for bytes in [512_u32, 4096] {
            let sectors = Sectors::new([Some(bytes)]).unwrap();
            let sector = bytes as usize;
            assert!(sectors.fit(&memory[..sector], Some(0)));
            assert!(sectors.fit(&memory[sector..3 * sector], Some(7 * u64::from(bytes))));
            assert!(sectors.fit(&memory[..sector], None));
            assert!(!sectors.fit(&memory[..sector], Some(u64::from(bytes) / 2)));
            assert!(!sectors.fit(&memory[..sector - 1], Some(0)));
            assert!(!sectors.fit(&memory[sector / 2..sector / 2 + sector], Some(0)));
        }
        let large = Sectors::new([Some(4096)]).unwrap();
        assert!(!large.fit(&memory[..4096], Some(512)));
    }
}
