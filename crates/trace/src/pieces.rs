//! Splits an operation that is too long for one record into consecutive pieces. Their lengths and
//! durations add up to those of the operation.
//!
//! Not here: which operations are too long (importers, the recorder).

/// Length of each piece but the last.
pub const PIECE_BYTES: u64 = 1 << 30;

/// A piece of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its offset in bytes from the beginning of the operation.
    pub from: u64,
    /// Its length in bytes.
    pub len: u32,
    /// The time at which it starts.
    pub start_ns: u64,
    pub end_ns: u64,
}

/// The pieces of an operation on `len` bytes; one empty piece for length 0.
pub fn pieces(len: u64, start_ns: u64, end_ns: u64) -> impl Iterator<Item = Piece> {
    let took_ns = u128::from(end_ns.saturating_sub(start_ns));
    let at_ns = move |bytes: u64| match bytes == len {
        true => end_ns.max(start_ns),
        // Does not overflow: it is less than the whole duration.
        false => start_ns + (took_ns * u128::from(bytes) / u128::from(len)) as u64,
    };
    (0..len.div_ceil(PIECE_BYTES).max(1)).map(move |number| {
        let from = number * PIECE_BYTES;
        let piece = PIECE_BYTES.min(len - from);
        let start_ns = if number == 0 { start_ns } else { at_ns(from) };
        Piece { from, len: piece as u32, start_ns, end_ns: at_ns(from + piece) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join_in_place_and_time() {
        for len in [0, 1, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES + 1, 7 * PIECE_BYTES] {
            let all: Vec<Piece> = pieces(len, 100, 703).collect();
            assert_eq!((all[0].from, all[0].start_ns), (0, 100));
            assert_eq!(
                all.last().map(|last| (last.from + u64::from(last.len), last.end_ns)),
                Some((len, 703))
            );
            for pair in all.windows(2) {
                assert_eq!(pair[0].from + u64::from(pair[0].len), pair[1].from);
                assert_eq!(pair[0].end_ns, pair[1].start_ns);
            }
        }
        assert_eq!(pieces(2 * PIECE_BYTES, 100, 700).next().map(|piece| piece.end_ns), Some(400));
        // The source's clock went backwards.
        assert_eq!(pieces(5, 700, 100).next().map(|piece| (piece.start_ns, piece.end_ns)), Some((700, 700)));
    }
}
