//! Rows in memory, in columns, as the encoders expect them.

use crate::op::OpRecord;

use super::schema::cell;

/// Records in column layout. All columns have the same length.
#[derive(Debug)]
pub(super) struct Rows {
    /// 64-bit columns, by [`cell`].
    pub wide: [Vec<u64>; cell::WIDE_COUNT],
    /// 32-bit columns, by [`cell`]. Narrower fields are widened, so that two encoders are enough.
    pub narrow: [Vec<u32>; cell::NARROW_COUNT],
}

impl Rows {
    /// Empty, with capacity for `capacity` rows.
    pub fn with_capacity(capacity: usize) -> Rows {
        Rows {
            wide: std::array::from_fn(|_| Vec::with_capacity(capacity)),
            narrow: std::array::from_fn(|_| Vec::with_capacity(capacity)),
        }
    }

    /// Number of rows in memory.
    pub fn len(&self) -> usize {
        self.wide[cell::DONE].len()
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.wide.iter_mut().for_each(Vec::clear);
        self.narrow.iter_mut().for_each(Vec::clear);
    }

    /// Appends rows. Returns whether their offsets and times are below 2^63, the limit of the files.
    #[must_use]
    pub fn push(&mut self, ops: &[OpRecord]) -> bool {
        let start = self.len();
        // Chunks small enough to stay in the L1 cache while fourteen columns are extracted.
        for piece in ops.chunks(256) {
            let [offset, due, issued, done] = &mut self.wide;
            offset.extend(piece.iter().map(|op| op.offset));
            due.extend(piece.iter().map(|op| op.due_ns));
            issued.extend(piece.iter().map(|op| op.issued_ns));
            done.extend(piece.iter().map(|op| op.done_ns));
            let [worker, stream, transfer, kind, file, len, done_len, errno, flags, point] = &mut self.narrow;
            worker.extend(piece.iter().map(|op| op.worker));
            stream.extend(piece.iter().map(|op| op.stream));
            transfer.extend(piece.iter().map(|op| op.transfer));
            kind.extend(piece.iter().map(|op| op.kind as u32));
            file.extend(piece.iter().map(|op| op.file));
            len.extend(piece.iter().map(|op| op.len));
            done_len.extend(piece.iter().map(|op| op.done_len));
            errno.extend(piece.iter().map(|op| op.errno as u32));
            flags.extend(piece.iter().map(|op| u32::from(op.flags.0)));
            point.extend(piece.iter().map(|op| u32::from(op.point)));
        }
        let len = start + ops.len();
        let is_even =
            self.wide.iter().map(Vec::len).chain(self.narrow.iter().map(Vec::len)).all(|rows| rows == len);
        assert!(is_even, "all columns of a row group have as many rows");
        let bits = |column: &Vec<u64>| column[start..].iter().fold(0, |bits, value| bits | value);
        self.wide.iter().fold(0, |all, column| all | bits(column)) >> 63 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_records::read;

    #[test]
    #[should_panic(expected = "all columns of a row group have as many rows")]
    fn a_longer_column_is_a_defect() {
        let mut rows = Rows::with_capacity(0);
        rows.narrow[cell::FILE].push(3);
        let _ = rows.push(&[read(0, 0, 4096)]);
    }
}
