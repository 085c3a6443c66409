//! Watching a run: its events as they are written, from the beginning, for any number of browsers.
//!
//! Every watcher reads the run's file itself. The run does not know of them, so they cannot affect it.
//! Each event has the place after it as its number, so a browser whose connection broke continues from
//! there.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use axum::response::sse::Event;
use futures_util::Stream;
use futures_util::stream::unfold;
use reelgauge_results::live::{LiveEvent, LiveOutcome};
use serde::Serialize;

use crate::events::{Begin, Life, Tail, begin, life};
use crate::shares::Share;

/// The interval of reads of the file.
const EVERY: Duration = Duration::from_millis(200);
/// The interval of checks of a run without new events.
const LOOK_AFTER: Duration = Duration::from_secs(1);
/// About this much of the earlier events is sent to a new watcher. If there is more, only every n-th
/// live state is sent, and every one in which the count of late frames changed.
const HISTORY_BYTES: u64 = 4 << 20;

/// The next item for a watcher.
pub type Told = Result<Event, Infallible>;

/// A watcher of a run.
#[derive(Debug)]
pub struct Watcher {
    run_dir: PathBuf,
    tail: Tail,
    history: History,
    begin: Option<Begin>,
    looked_after: Option<Instant>,
    last_s: f64,
    has_ended: bool,
}

/// A run's events since a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EventsTold {
    /// In the order in which they happened.
    pub events: Vec<LiveEvent>,
    /// The place after them: continue from here.
    pub next: u64,
}

impl EventsTold {
    /// Everything since this place, which must be one from an earlier answer; otherwise from the
    /// beginning.
    ///
    /// # Errors
    /// If the run writes no events.
    pub fn since(run_dir: &Path, from: u64) -> io::Result<EventsTold> {
        let mut watcher = Watcher::new(run_dir, from)?;
        // This watcher has made no check before.
        watcher.looked_after = None;
        let batch = watcher.look();
        let next = batch.last().map_or(from, |(place, _)| *place);
        Ok(EventsTold { events: batch.into_iter().map(|(_, event)| event).collect(), next })
    }
}

/// Events to send, with their places.
type Batch = Vec<(u64, LiveEvent)>;

impl Watcher {
    /// Watches the run in this directory from this place on.
    ///
    /// # Errors
    /// If it writes no events.
    pub fn new(run_dir: &Path, from: u64) -> io::Result<Watcher> {
        let tail = Tail::open(run_dir, from)?;
        Ok(Watcher {
            history: History::new(tail.len()),
            tail,
            begin: begin(run_dir),
            run_dir: run_dir.to_owned(),
            looked_after: Some(Instant::now()),
            last_s: 0.0,
            has_ended: false,
        })
    }

    /// Whether all events are before this place, so there is nothing to watch.
    pub fn is_over(run_dir: &Path, from: u64) -> bool {
        from > 0
            && matches!(life(run_dir), Life::Ended(..))
            && Tail::open(run_dir, from).is_ok_and(|tail| tail.len() == from)
    }

    /// The events since the last call. A run whose process no longer exists has ended, whether it
    /// reported that or not.
    fn look(&mut self) -> Batch {
        // In this order: events that it writes just before its end are read below.
        let is_gone = self.looked_after.is_none_or(|at| at.elapsed() >= LOOK_AFTER) && {
            self.looked_after = Some(Instant::now());
            !self.begin.as_ref().is_some_and(|begin| begin.is_alive(&self.run_dir))
        };
        let events = self.tail.read();
        let failed = events.is_err();
        let mut events = events.unwrap_or_default();
        let was_told = !events.is_empty();
        events.retain(|(place, event)| self.history.keeps(*place, event));
        for (_, event) in &events {
            match event {
                LiveEvent::Live(tick) => self.last_s = tick.at_s,
                LiveEvent::End { .. } => self.has_ended = true,
                _ => {}
            }
        }
        if !self.has_ended && (failed || is_gone && !was_told) {
            self.has_ended = true;
            let end = LiveEvent::End {
                at_s: self.last_s,
                outcome: LiveOutcome::BrokeOff,
                reason: Some("the run's process was killed".to_owned()),
                late_frames: None,
                incidents: None,
            };
            events.push((self.tail.len(), end));
        }
        events
    }

    /// Everything from here on, as server-sent events, until the run has ended. `place` is released when
    /// the watcher disconnects.
    pub fn events(self, place: Share) -> impl Stream<Item = Told> {
        let state = (self, Vec::new().into_iter(), place);
        unfold(state, |(mut watcher, mut batch, share)| async move {
            loop {
                if let Some((place, event)) = batch.next() {
                    return Some((Ok(told(place, &event)), (watcher, batch, share)));
                }
                if watcher.has_ended {
                    return None;
                }
                let looked = tokio::task::spawn_blocking(move || {
                    let events = watcher.look();
                    (watcher, events)
                });
                let events: Batch;
                (watcher, events) = looked.await.ok()?;
                if events.is_empty() {
                    tokio::time::sleep(EVERY).await;
                }
                batch = events.into_iter();
            }
        })
    }
}

fn told(place: u64, event: &LiveEvent) -> Event {
    Event::default().id(place.to_string()).data(event.to_line())
}

/// Omits live states from before the watcher connected, if there are many.
#[derive(Debug)]
struct History {
    until: u64,
    every: u64,
    ticks: u64,
    late_frames: Option<u64>,
}

impl History {
    fn new(until: u64) -> History {
        History { until, every: until.div_ceil(HISTORY_BYTES).max(1), ticks: 0, late_frames: None }
    }

    fn keeps(&mut self, place: u64, event: &LiveEvent) -> bool {
        let LiveEvent::Live(tick) = event else { return true };
        self.ticks += 1;
        let is_news = tick.late_frames != self.late_frames;
        self.late_frames = tick.late_frames;
        is_news || place > self.until || self.ticks.is_multiple_of(self.every)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs::{self, File};
    use std::io::Write;

    use futures_util::StreamExt;
    use reelgauge_results::live::{LiveTick, path_in, process::own_mark};

    use super::*;
    use crate::events::tests::{begin_line, end_line};
    use crate::requester::Client;
    use crate::shares::Shares;

    fn tick(at_s: f64, late_frames: Option<u64>) -> LiveEvent {
        LiveEvent::Live(Box::new(LiveTick {
            at_s,
            label: "p".to_owned(),
            elapsed_s: at_s,
            read_bytes_per_s: 1.0,
            late_frames,
            ..LiveTick::default()
        }))
    }

    async fn all(watcher: Watcher) -> usize {
        let place = Shares::new(1, 1).take(Client::Session(1)).unwrap();
        watcher.events(place).count().await
    }

    fn in_time<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap();
        runtime.block_on(async { tokio::time::timeout(Duration::from_secs(30), work).await }).unwrap()
    }

    #[test]
    fn all_events_are_sent_while_the_file_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = File::create(path_in(dir.path())).unwrap();
        file.write_all(begin_line(std::process::id(), &own_mark()).as_bytes()).unwrap();
        let watcher = Watcher::new(dir.path(), 0).unwrap();
        let late = Watcher::new(dir.path(), 0).unwrap();
        let run = std::thread::spawn(move || {
            for second in 0..5 {
                file.write_all((tick(f64::from(second), None).to_line() + "\n").as_bytes()).unwrap();
                std::thread::sleep(Duration::from_millis(50));
            }
            file.write_all(end_line().as_bytes()).unwrap();
        });
        assert_eq!(in_time(all(watcher)), 7);
        run.join().unwrap();
        assert_eq!(in_time(all(late)), 7);
    }

    #[test]
    fn a_killed_run_ends_too() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(path_in(dir.path()), begin_line(std::process::id(), "before/1")).unwrap();
        assert_eq!(in_time(all(Watcher::new(dir.path(), 0).unwrap())), 2);
    }

    #[test]
    fn a_watcher_at_the_end_receives_nothing_again() {
        let dir = tempfile::tempdir().unwrap();
        let text = begin_line(std::process::id(), "before/1");
        fs::write(path_in(dir.path()), &text).unwrap();
        assert!(!Watcher::is_over(dir.path(), text.len() as u64));
        let text = text + &end_line();
        fs::write(path_in(dir.path()), &text).unwrap();
        let len = text.len() as u64;
        let over: Vec<bool> =
            [0, 1, len - 1, len, len + 1].map(|from| Watcher::is_over(dir.path(), from)).to_vec();
        assert_eq!(over, [false, false, false, true, false]);
    }

    #[test]
    fn a_long_history_omits_seconds_but_no_late_frame() {
        let mut history = History::new(10 * HISTORY_BYTES);
        let begin = LiveEvent::Phase { at_s: 0.0, name: "measuring".to_owned() };
        assert!(history.keeps(1, &begin));
        let late = |second: u64| Some(u64::from(second >= 55));
        let kept = (1..=100).filter(|&second| history.keeps(second, &tick(0.0, late(second))));
        assert_eq!(kept.collect::<Vec<_>>(), [1, 10, 20, 30, 40, 50, 55, 60, 70, 80, 90, 100]);
        assert!(history.keeps(10 * HISTORY_BYTES + 1, &tick(0.0, late(99))));
        let mut short = History::new(HISTORY_BYTES);
        assert!((1..=100).all(|second| short.keeps(second, &tick(0.0, None))));
    }
}
