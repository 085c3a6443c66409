//! The order of the rows in a row group.
//!
//! Rows arrive as the workers' buffers are drained. If operations take milliseconds, that is a row or
//! two of each worker in turn, and the values of every column alternate. Sorted by worker, each in its
//! own order, the same rows take half the space. Readers are guaranteed no order between workers.
//!
//! Sorting costs a few nanoseconds per row, so it is done only at low rates.

use std::ops::Range;

use super::rows::Rows;
use super::schema::cell;

/// Rows with a smaller interval than this, in nanoseconds, are not sorted.
const FAST_ROWS_NS: u64 = 5_000;
/// If a worker has at least this many consecutive rows, sorting gains nothing.
const LONG_RUN_ROWS: usize = 64;

/// An order of rows: their positions in order of arrival, or `None` for the order of arrival itself.
pub(super) struct RowOrder(Option<Vec<u32>>);

/// The order in which to encode these rows.
pub(super) fn worth_while(rows: &Rows, range: Range<usize>) -> RowOrder {
    let workers = &rows.narrow[cell::WORKER][range.clone()];
    let done_ns = &rows.wide[cell::DONE][range];
    let (Some(first_ns), Some(last_ns)) = (done_ns.first(), done_ns.last()) else {
        return RowOrder(None);
    };
    // The times of several workers' rows may be unordered.
    let rows_ns = last_ns.saturating_sub(*first_ns);
    let runs = workers.windows(2).filter(|pair| pair[0] != pair[1]).count() + 1;
    if rows_ns / (workers.len() as u64) < FAST_ROWS_NS || workers.len() / runs >= LONG_RUN_ROWS {
        return RowOrder(None);
    }
    let mut order: Vec<u32> = (0..workers.len() as u32).collect();
    order.sort_by_key(|&row| workers[row as usize]); // Stable: each worker keeps its order.
    RowOrder(Some(order))
}

impl RowOrder {
    /// A column in this order. `room` is the buffer for a sorted copy.
    pub fn arrange<'a, T: Copy>(&self, values: &'a [T], room: &'a mut Vec<T>) -> &'a [T] {
        match &self.0 {
            None => values,
            Some(order) => {
                assert_eq!(order.len(), values.len(), "each row of a column has its place in the order");
                room.clear();
                room.extend(order.iter().map(|&row| values[row as usize]));
                room
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_records::read;

    /// Rows of three workers in turn, one every `every_ns`.
    fn rows(every_ns: u64, run: u64) -> Rows {
        let mut rows = Rows::with_capacity(0);
        for at in 0..600 {
            let op = read(0, at, 0).at_ns(at * every_ns).by_worker(2 - (at / run % 3) as u32);
            assert!(rows.push(&[op]));
        }
        rows
    }

    #[test]
    fn slow_rows_are_grouped_by_worker() {
        let rows = rows(1_000_000, 1);
        let order = worth_while(&rows, 1..600);
        let (mut wide, mut narrow) = (Vec::new(), Vec::new());
        let offsets = order.arrange(&rows.wide[cell::OFFSET][1..], &mut wide);
        let workers = order.arrange(&rows.narrow[cell::WORKER][1..], &mut narrow);
        let mut pairs: Vec<_> = workers.iter().zip(offsets).collect();
        assert_eq!(offsets.len(), 599);
        assert!(pairs.is_sorted());
        pairs.dedup();
        assert_eq!(pairs.len(), 599);
    }

    #[test]
    #[should_panic(expected = "each row of a column has its place in the order")]
    fn a_column_of_another_length_is_a_defect() {
        RowOrder(Some(vec![1, 0])).arrange(&[7, 8, 9], &mut Vec::new());
    }

    #[test]
    fn fast_rows_and_long_runs_keep_their_order() {
        for rows in [rows(1_000, 1), rows(1_000_000, 100)] {
            assert!(worth_while(&rows, 0..600).0.is_none());
        }
    }
}
