//! How much of a fetch is on its way at once, and when a piece counts as lost: pure.
//!
//! A link may be fast, slow, or shared with twenty other agents, so neither value is a constant. The
//! window grows while pieces arrive soon after their requests, and shrinks when they wait in a queue.
//! The time-out follows the measured response times (Jacobson and Karels; RFC 6298), so a piece that a
//! slow link is still sending is not requested again.
//!
//! Not here: which pieces there are ([`super::Fetch`]).

/// A window is never smaller: one piece is sent while the request for the next one travels.
const FEWEST: usize = 2;
/// A window is never larger: 16 MiB of whole pieces, more than a link of 1 Gbit/s holds in 100 ms.
const MOST: usize = 64;
/// A piece that takes longer than this waits in a queue that this fetch helps to fill.
const QUEUED_NS: i64 = 600_000_000;
/// Pieces have their full size if they take no longer than this; smaller ones keep beats from waiting
/// behind them.
const WHOLE_NS: i64 = 150_000_000;
/// The time-out before anything was measured: twenty agents may answer through one slow link at once.
const FIRST_TIMEOUT_NS: i64 = 5_000_000_000;
/// Bounds of the time-out. The first pieces of twenty agents measure a link that is still empty.
const TIMEOUT_NS: std::ops::RangeInclusive<i64> = 5_000_000_000..=30_000_000_000;

#[derive(Clone, Debug)]
pub struct FetchWindow {
    pieces: usize,
    /// The smoothed response time and its deviation; `None` before the first piece.
    response_ns: Option<(i64, i64)>,
    /// The shortest response time: what the path takes without a queue.
    shortest_ns: i64,
    /// How often the time-out was doubled since the last piece arrived.
    doublings: u32,
}

impl Default for FetchWindow {
    /// The state before the first request.
    fn default() -> FetchWindow {
        FetchWindow { pieces: FEWEST, response_ns: None, shortest_ns: i64::MAX, doublings: 0 }
    }
}

impl FetchWindow {
    /// The number of pieces that may be in flight.
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// Whether pieces arrive so fast that they may have their full size.
    pub fn takes_whole_pieces(&self) -> bool {
        self.response_ns.is_some_and(|(smooth_ns, _)| smooth_ns <= WHOLE_NS)
    }

    /// If nothing arrives for this long, the pieces in flight are lost.
    pub fn timeout_ns(&self) -> i64 {
        let base_ns = match self.response_ns {
            None => FIRST_TIMEOUT_NS,
            Some((smooth_ns, deviation_ns)) => {
                // In a steady queue the deviation is near 0. Twice the mean keeps one more agent in the queue
                // from counting as a lost piece.
                (2 * smooth_ns + 4 * deviation_ns).clamp(*TIMEOUT_NS.start(), *TIMEOUT_NS.end())
            }
        };
        (base_ns << self.doublings).min(*TIMEOUT_NS.end())
    }

    /// Takes the response time of a piece that was requested only once.
    pub fn came(&mut self, took_ns: i64) {
        let took_ns = took_ns.clamp(0, 10 * *TIMEOUT_NS.end());
        self.doublings = 0;
        self.shortest_ns = self.shortest_ns.min(took_ns);
        self.response_ns = Some(match self.response_ns {
            None => (took_ns, took_ns / 2),
            Some((smooth_ns, deviation_ns)) => (
                smooth_ns + (took_ns - smooth_ns) / 8,
                deviation_ns + ((took_ns - smooth_ns).abs() - deviation_ns) / 4,
            ),
        });
        let is_queued = took_ns > QUEUED_NS.max(self.shortest_ns + self.shortest_ns / 2);
        self.pieces = match is_queued {
            true => (self.pieces - 1).max(FEWEST),
            false => (self.pieces + 1).min(MOST),
        };
    }

    /// Nothing arrived within the time-out.
    pub fn timed_out(&mut self) {
        self.pieces = FEWEST;
        self.doublings = (self.doublings + 1).min(4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn after(times_ms: impl IntoIterator<Item = i64>) -> FetchWindow {
        let mut window = FetchWindow::default();
        times_ms.into_iter().for_each(|ms| window.came(ms * MS));
        window
    }

    #[test]
    fn a_fast_link_gets_a_wide_window_of_whole_pieces() {
        let window = after([2; 100]);
        assert_eq!(window.pieces(), MOST);
        assert!(window.takes_whole_pieces());
        assert_eq!(window.timeout_ns(), *TIMEOUT_NS.start());
    }

    #[test]
    fn a_slow_link_keeps_two_small_pieces_on_their_way() {
        // 64 KiB at 1 Mbit/s take 0.52 s, and the second waits for the first.
        let window = after([530, 1050, 1050, 1570, 1050, 1050, 1570, 1570]);
        assert!(window.pieces() <= 3, "{window:?}");
        assert!(!window.takes_whole_pieces());
    }

    #[test]
    fn a_long_path_without_a_queue_is_no_slow_link() {
        assert_eq!(after([700; 80]).pieces(), MOST);
    }

    #[test]
    fn timeout_follows_round_trips_and_doubles_without_answers() {
        let mut window = after([6_000; 20]);
        assert!(window.timeout_ns() > 6_000 * MS, "{window:?}");
        let before_ns = window.timeout_ns();
        window.timed_out();
        assert_eq!(window.timeout_ns(), 2 * before_ns);
        window.came(6_000 * MS);
        assert!(window.timeout_ns() <= before_ns);
        // No measured time makes the time-out endless.
        (0..50).for_each(|_| window.came(i64::MAX));
        (0..50).for_each(|_| window.timed_out());
        assert_eq!(window.timeout_ns(), *TIMEOUT_NS.end());
    }
}
