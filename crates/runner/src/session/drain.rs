//! The drain: one thread that empties every ring into the meter and the log.
//!
//! It is the only place where records are counted and encoded, and it never delays a measuring thread.
//! If the log can't be written any more (a full disk), or falls so far behind that rings fill up, the
//! drain gives the rows up, keeps the figures and reports it.

use std::collections::BTreeSet;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use reelgauge_analysis::late::LateNow;
use reelgauge_analysis::pause::Pause;
use reelgauge_analysis::rereads::{RereadTally, Rereads};
use reelgauge_analysis::self_cost::PausedTotal;
use reelgauge_analysis::warning::LogTrouble;
use reelgauge_analysis::{
    Counts, Meter, PointFigures, PointTiming, ResponseCounts, RunTotals, Series, ShortOps,
};
use reelgauge_engine::clock::Clock;
use reelgauge_record::OpRecord;
use reelgauge_record::identity;
use reelgauge_record::log::{FileEntry, LogError, LogWriter};

use crate::session::live_verdict::{Judged, Judging};
use crate::session::sink::RingSource;
use crate::session::watchdog::Watchdog;

#[cfg(test)]
mod virtual_time;

/// How long the drain sleeps between two rounds: short compared with the time that a ring holds.
const NAP: Duration = Duration::from_millis(5);
/// Records reach the drain within this time even on a busy host. Lateness is judged against a clock
/// delayed by it, so that a frame whose record is still in flight is not counted as late.
const HANDED_OVER_NS: u64 = 20_000_000;
/// The fill level of a ring at which the log counts as too slow.
const TOO_FULL: f64 = 0.9;

/// The state of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFate {
    /// Whether rows were requested.
    pub wanted: bool,
    /// Rows on disk.
    pub rows: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// Operations that are in the figures but not in the log, although rows were requested.
    pub unlogged_ops: u64,
    /// Why rows were given up, if they were.
    pub given_up: Option<GivenUp>,
    /// Why the log has more and smaller files than usual, if it has. Nothing is lost by that.
    pub many_parts: Option<String>,
}

/// Why the log has no more rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// The kind of trouble, which determines the remedy.
    pub trouble: LogTrouble,
    /// The reason, as text.
    pub why: String,
}

impl From<LogError> for GivenUp {
    fn from(error: LogError) -> GivenUp {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        let is_full = |source: &io::Error| matches!(source.kind(), StorageFull | QuotaExceeded);
        let trouble = match &error {
            LogError::Io { source, .. } if is_full(source) => LogTrouble::DiskFull,
            _ => LogTrouble::Failed,
        };
        GivenUp { trouble, why: error.to_string() }
    }
}

/// The drain's results at the end of the run.
#[derive(Debug)]
pub struct Drained {
    /// All load points together.
    pub totals: RunTotals,
    /// The figures of every second.
    pub series: Series,
    /// The state of the log.
    pub log: LogFate,
    /// Operations lost because their ring was full; they are in no figure.
    pub missed_ops: u64,
    /// Operations that completed after their load point was over: they are in the log, but in no figure.
    pub stragglers: u64,
    /// The time in which Reelgauge did not run while it was measuring.
    pub paused: PausedTotal,
}

/// The counts during a load point.
#[derive(Clone, Debug)]
pub struct LiveCounts {
    /// Operations and bytes.
    pub counts: Counts,
    /// The time up to which everything that completed is counted, on the run's clock: slightly in the
    /// past.
    pub at_ns: u64,
    /// The state of the streams at that time; `None` without frames.
    pub late: Option<LateNow>,
    /// Response times of reads and writes; `None` unless requested.
    pub response_counts: Option<ResponseCounts>,
    /// When the latest operation completed; `None` before the first.
    pub answered_ns: Option<u64>,
}

/// When a load point ran, on the run's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointRan {
    /// When it began, warm-up included.
    pub started_ns: u64,
    /// When its warm-up was over.
    pub measured_from_ns: u64,
    /// When the last of its threads had ended, or was left behind.
    pub over_ns: u64,
}

impl PointRan {
    /// How long it was measured. Operations that came back from abandoned threads are in the figures, so
    /// their time must be included, too.
    fn timing(&self, answered_ns: Option<u64>) -> PointTiming {
        assert!(self.started_ns <= self.measured_from_ns, "a load point begins before it is measured");
        assert!(self.started_ns <= self.over_ns, "a load point ends after it began");
        let over_ns = self.over_ns.max(answered_ns.unwrap_or(self.over_ns));
        // A load point that ended in its warm-up was not measured at all.
        let measured_ns = over_ns.saturating_sub(self.measured_from_ns);
        PointTiming { started_ns: self.started_ns, measured_ns }
    }
}

enum Order {
    Attach(u16, Vec<RingSource>),
    FinishPoint(u16, PointRan, Sender<PointFigures>),
    /// New entries for the end of the file table.
    Files(Vec<FileEntry>),
    Judge(Box<Judging>),
    ShortOps(ShortOps),
    HasLimit,
    Unanswered(u64, u64),
    FinishJudging(Sender<Option<Judged>>),
    FinishRereads(u16, Sender<Option<Rereads>>),
    /// Requests live counts; the flag requests response times, too.
    Live(bool, Sender<LiveCounts>),
}

/// The handle on the drain thread. Dropping it ends the thread without waiting for it.
#[derive(Debug)]
pub struct Drain {
    worker: DrainWorker,
    first_failure: Arc<OnceLock<OpRecord>>,
    tolerated: Arc<OnceLock<Tolerated>>,
}

#[derive(Debug)]
enum DrainWorker {
    Thread {
        orders: Sender<Order>,
        thread: JoinHandle<Drained>,
    },
    /// A part of a simulated world.
    #[cfg(test)]
    Part(virtual_time::SimulatedDrain),
}

impl DrainWorker {
    fn order(&self, order: Order) -> Result<(), DrainDied> {
        match self {
            DrainWorker::Thread { orders, .. } => orders.send(order).map_err(|_| DrainDied),
            #[cfg(test)]
            DrainWorker::Part(seat) => seat.order(order),
        }
    }

    fn finish(self) -> Result<Drained, DrainDied> {
        match self {
            DrainWorker::Thread { orders, thread } => {
                drop(orders);
                thread.join().map_err(|_| DrainDied)
            }
            #[cfg(test)]
            DrainWorker::Part(seat) => seat.finish(),
        }
    }
}

/// Errors that are results like any other, where failures are expected.
#[derive(Debug)]
struct Tolerated {
    expected: BTreeSet<i32>,
}

impl Tolerated {
    /// Whether an error may happen without ending the run: it was expected, or is no evidence about the
    /// storage as a whole.
    fn is_tolerated(&self, errno: i32) -> bool {
        use io::ErrorKind as Kind;
        let is_end = matches!(
            io::Error::from_raw_os_error(errno).kind(),
            Kind::StorageFull
                | Kind::QuotaExceeded
                | Kind::ReadOnlyFilesystem
                | Kind::StaleNetworkFileHandle
                | Kind::NotConnected
                | Kind::HostUnreachable
                | Kind::TimedOut
        );
        // The same number on every Unix; Windows has a kind for each of these.
        const EIO: i32 = 5;
        const ENODEV: i32 = 19;
        let is_broken = cfg!(unix) && matches!(errno, EIO | ENODEV);
        self.expected.contains(&errno) || !(is_end || is_broken)
    }
}

/// The drain thread ended early, which only a defect can cause.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "the thread that stores the results died. This is a bug in Reelgauge: please report it with the run \
     directory"
)]
pub struct DrainDied;

impl Drain {
    /// Starts the thread. `log` receives the rows, if they are kept.
    pub fn start(log: Option<LogWriter>, clock: Clock) -> io::Result<Drain> {
        let mut work = Work::new(log, clock, Watchdog::start(clock)?);
        let (first_failure, tolerated) = (Arc::clone(&work.first_failure), Arc::clone(&work.tolerated));
        #[cfg(test)]
        if let Some(world) = clock.world() {
            let worker = DrainWorker::Part(virtual_time::SimulatedDrain::take(world, work));
            return Ok(Drain { worker, first_failure, tolerated });
        }
        let (orders, inbox) = channel();
        let builder = std::thread::Builder::new().name("drain".to_owned());
        let thread = builder.spawn(move || {
            // It opens only results.
            let _own = identity::own();
            work.serve(&inbox);
            work.end()
        })?;
        Ok(Drain { worker: DrainWorker::Thread { orders, thread }, first_failure, tolerated })
    }

    /// Takes over the rings of a load point; those of the earlier one are emptied a last time.
    pub fn attach(&self, point: u16, sources: Vec<RingSource>) -> Result<(), DrainDied> {
        self.worker.order(Order::Attach(point, sources))
    }

    /// Empties the rings and returns the figures of the load point.
    pub fn finish_point(&self, point: u16, ran: PointRan) -> Result<PointFigures, DrainDied> {
        self.ask(|reply| Order::FinishPoint(point, ran, reply))
    }

    /// Adds files to the run's table.
    pub fn add_files(&self, files: Vec<FileEntry>) -> Result<(), DrainDied> {
        self.worker.order(Order::Files(files))
    }

    /// Judges the records that come from now on, until [`Drain::finish_judging`].
    pub fn judge(&self, judging: Judging) -> Result<(), DrainDied> {
        self.worker.order(Order::Judge(Box::new(judging)))
    }

    /// An operation that has been in flight since `issued_ns` is given up now and will be in no record.
    pub fn unanswered(&self, issued_ns: u64, now_ns: u64) -> Result<(), DrainDied> {
        self.worker.order(Order::Unanswered(issued_ns, now_ns))
    }

    /// Empties the rings and returns the results since [`Drain::judge`].
    pub fn finish_judging(&self) -> Result<Option<Judged>, DrainDied> {
        self.ask(Order::FinishJudging)
    }

    /// Empties the rings and returns the first and later reads since the last call.
    pub fn finish_rereads(&self, point: u16) -> Result<Option<Rereads>, DrainDied> {
        self.ask(|reply| Order::FinishRereads(point, reply))
    }

    /// Counts of the load point in progress, and its response times if they are wanted.
    pub fn live(&self, wants_response_counts: bool) -> Result<LiveCounts, DrainDied> {
        self.ask(|reply| Order::Live(wants_response_counts, reply))
    }

    /// From now on a failed operation is a result like any other, unless it means that the storage is
    /// unreachable or full, and is not `expected`. A short operation then counts as a result, too.
    pub fn errors_are_results(&self, expected: BTreeSet<i32>) -> Result<(), DrainDied> {
        // Called once, before the first load point; a second call changes nothing.
        let _ = self.tolerated.set(Tolerated { expected });
        self.worker.order(Order::ShortOps(ShortOps::Answers))
    }

    /// From now on the time in which a rate limit delays operations is not latency.
    pub fn has_limit(&self) -> Result<(), DrainDied> {
        self.worker.order(Order::HasLimit)
    }

    /// The first operation that failed or was short, and should not have been; available as soon as
    /// there is one.
    pub fn first_failure(&self) -> Option<&OpRecord> {
        self.first_failure.get()
    }

    /// Ends the log and returns the results.
    pub fn finish(self) -> Result<Drained, DrainDied> {
        self.worker.finish()
    }

    fn ask<T>(&self, order: impl FnOnce(Sender<T>) -> Order) -> Result<T, DrainDied> {
        let (reply, answer) = channel();
        self.worker.order(order(reply))?;
        answer.recv().map_err(|_| DrainDied)
    }
}

/// The thread's own state.
struct Work {
    clock: Clock,
    meter: Meter,
    log: Option<LogWriter>,
    fate: LogFate,
    sources: Vec<RingSource>,
    /// The load point of the rings.
    point: u16,
    /// Records taken from them, and before.
    taken_ops: u64,
    missed_before: u64,
    judging: Option<Box<Judging>>,
    watchdog: Watchdog,
    /// Pauses since the earlier load point was over: their measured part is known when this one is over.
    /// At most about thirty per second occur, on an overloaded host, so the list stays short.
    pauses: Vec<Pause>,
    paused: PausedTotal,
    answered_ns: Option<u64>,
    rereads: RereadTally,
    first_failure: Arc<OnceLock<OpRecord>>,
    tolerated: Arc<OnceLock<Tolerated>>,
}

impl Work {
    fn new(log: Option<LogWriter>, clock: Clock, watchdog: Watchdog) -> Work {
        Work {
            clock,
            meter: Meter::new(),
            fate: LogFate { wanted: log.is_some(), ..LogFate::default() },
            log,
            sources: Vec::new(),
            point: 0,
            taken_ops: 0,
            missed_before: 0,
            judging: None,
            watchdog,
            pauses: Vec::new(),
            paused: PausedTotal::default(),
            answered_ns: None,
            rereads: RereadTally::default(),
            first_failure: Arc::default(),
            tolerated: Arc::default(),
        }
    }

    fn serve(&mut self, inbox: &Receiver<Order>) {
        loop {
            match inbox.recv_timeout(NAP) {
                Ok(order) => self.execute(order),
                Err(RecvTimeoutError::Timeout) => self.round(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    // A reply without a receiver is dropped.
    fn execute(&mut self, order: Order) {
        let asked_ns = self.clock.now_ns();
        self.round();
        match order {
            Order::Attach(point, sources) => {
                assert!(point >= self.point, "load points come in the order of their numbers");
                self.missed_before += missed(&self.sources);
                self.sources = sources;
                self.point = point;
            }
            Order::FinishPoint(point, ran, reply) => {
                assert_eq!(point, self.point, "the load point that ends is the one that runs");
                let timing = ran.timing(self.answered_ns);
                self.count_pauses(ran.measured_from_ns, timing.measured_ns);
                // A reply without a receiver is dropped, here and below.
                let _ = reply.send(self.meter.finish_point(point, timing));
            }
            Order::Files(entries) => {
                if let Some(log) = &mut self.log {
                    log.files_mut().extend(entries);
                }
            }
            Order::Judge(judging) => self.judging = Some(judging),
            Order::ShortOps(short_ops) => self.meter.take_short(short_ops),
            Order::HasLimit => self.meter.take_limit(),
            Order::Unanswered(issued_ns, now_ns) => {
                if let Some(judging) = &mut self.judging {
                    judging.unanswered(issued_ns, now_ns);
                }
            }
            Order::FinishJudging(reply) => {
                // A reply without a receiver is dropped.
                let _ = reply.send(self.judging.take().map(|judging| judging.finish()));
            }
            Order::FinishRereads(point, reply) => {
                // A reply without a receiver is dropped.
                let _ = reply.send(self.rereads.finish_point(point));
            }
            Order::Live(wants_response_counts, reply) => {
                // Just after the start of the run nothing is known yet.
                let at_ns = asked_ns.saturating_sub(HANDED_OVER_NS);
                let late = self.judging.as_mut().and_then(|judging| judging.at(at_ns));
                let counts = self.meter.counts();
                let response_counts = wants_response_counts.then(|| self.meter.response_counts());
                let answered_ns = self.answered_ns;
                // A reply without a receiver is dropped.
                let _ = reply.send(LiveCounts { counts, at_ns, late, response_counts, answered_ns });
            }
        }
    }

    /// Counts the measured pauses of a load point that is over: pauses during the warm-up are in no
    /// figure.
    fn count_pauses(&mut self, from_ns: u64, measured_ns: u64) {
        for pause in std::mem::take(&mut self.pauses) {
            // A load point without an end extends to the end of the clock's range.
            self.paused.add_within(pause, from_ns, from_ns.saturating_add(measured_ns));
        }
    }

    /// Empties every ring once, as far as it is filled now.
    fn round(&mut self) {
        for pause in self.watchdog.take() {
            self.paused(pause);
        }
        let mut sources = std::mem::take(&mut self.sources);
        for source in &mut sources {
            self.empty(source);
        }
        self.sources = sources;
        let now_ns = self.clock.now_ns();
        self.with_log(|log| log.tick(now_ns));
    }

    /// Reelgauge did not run for a while.
    fn paused(&mut self, pause: Pause) {
        let follows = |last: &Pause| last.until_ns <= pause.from_ns;
        assert!(self.pauses.last().is_none_or(follows), "pauses do not overlap and are in order of time");
        self.pauses.push(pause);
        if let Some(judging) = &mut self.judging {
            judging.paused(pause);
        }
    }

    fn empty(&mut self, source: &mut RingSource) {
        while let Ok(missed) = source.failures.pop() {
            self.check_failure(&missed);
        }
        let filled = source.ring.slots();
        if filled == 0 {
            return;
        }
        let capacity = source.ring.buffer().capacity();
        if self.log.is_some() && filled as f64 > TOO_FULL * capacity as f64 {
            let why = "writing it took longer than the operations themselves".to_owned();
            self.give_up(GivenUp { trouble: LogTrouble::TooSlow, why });
        }
        while let Ok(wait) = source.waits.pop() {
            if let Some(judging) = &mut self.judging {
                judging.waited(wait);
            }
        }
        let chunk = source.ring.read_chunk(filled).expect("records stay in a ring until they are taken");
        let (first, second) = chunk.as_slices();
        for records in [first, second] {
            self.take(records);
        }
        chunk.commit_all();
    }

    fn take(&mut self, records: &[OpRecord]) {
        self.taken_ops += records.len() as u64;
        for record in records {
            assert_eq!(record.point, self.point, "a ring's records are those of its load point");
            self.meter.add(record);
            self.answered_ns = self.answered_ns.max(Some(record.done_ns));
            self.rereads.add(record);
            self.check_failure(record);
        }
        if let Some(judging) = &mut self.judging {
            judging.take(records);
        }
        let had_log = self.log.is_some();
        self.with_log(|log| log.append(records));
        if self.log.is_some() {
            self.fate.rows += records.len() as u64;
        } else if self.fate.wanted && !had_log {
            self.fate.unlogged_ops += records.len() as u64;
        }
        // If the log was given up just now, its own count of lost rows includes these.
    }

    fn check_failure(&self, record: &OpRecord) {
        if self.breaks_off(record) {
            // Only the first ends the run; later ones are in the figures.
            let _ = self.first_failure.set(*record);
        }
    }

    /// Whether the run must end after this. If errors are no results, files have a known size, so an
    /// operation that moves less than requested is an error, whatever the system returns.
    fn breaks_off(&self, record: &OpRecord) -> bool {
        match self.tolerated.get() {
            Some(tolerated) => record.errno != 0 && !tolerated.is_tolerated(record.errno),
            None => record.errno != 0 || record.is_short(),
        }
    }

    fn with_log(&mut self, work: impl FnOnce(&mut LogWriter) -> Result<(), LogError>) {
        let Some(log) = &mut self.log else {
            return;
        };
        if let Err(error) = work(log) {
            self.give_up(error.into());
        }
    }

    /// Continues without rows. Sealed parts on disk stay.
    fn give_up(&mut self, why: GivenUp) {
        if let Some(log) = self.log.take() {
            self.fate.given_up.get_or_insert(why);
            self.close(log);
        }
    }

    fn close(&mut self, log: LogWriter) {
        let (appended, sealed) = (log.appended_rows(), log.sealed_rows());
        match log.finish() {
            Ok(done) => {
                self.fate.rows = done.rows;
                self.fate.unlogged_ops += done.lost_rows;
                self.fate.bytes = done.bytes;
                self.fate.many_parts = done.table_error.map(|error| error.to_string());
            }
            Err(error) => {
                // A part without its final name may not be on disk: it counts as lost.
                self.fate.rows = sealed;
                assert!(sealed <= appended, "rows that are sealed were appended");
                self.fate.unlogged_ops += appended - sealed;
                self.fate.given_up.get_or_insert(error.into());
            }
        }
    }

    fn end(mut self) -> Drained {
        self.round();
        if let Some(log) = self.log.take() {
            self.close(log);
        }
        self.balance();
        Drained {
            totals: self.meter.run_totals(),
            series: self.meter.series(),
            stragglers: self.meter.stragglers(),
            missed_ops: self.missed_before + missed(&self.sources),
            paused: self.paused,
            log: self.fate,
        }
    }

    /// Compares the counts with the records taken: each operation is in the log or counted as not in it,
    /// and in the figures, or counted as a straggler.
    fn balance(&self) {
        let LogFate { wanted, rows, unlogged_ops, .. } = self.fate;
        assert!(
            !wanted || rows + unlogged_ops == self.taken_ops,
            "rows written plus rows reported lost equal rows taken"
        );
        // A load point that was not finished still has its figures.
        if self.meter.unfinished_points().is_empty() {
            let counted = self.meter.run_totals().ops + self.meter.stragglers();
            assert_eq!(counted, self.taken_ops, "the number of operations counted equals the number taken");
        }
    }
}

fn missed(sources: &[RingSource]) -> u64 {
    sources.iter().map(RingSource::missed_ops).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_record::log::{CaptureLevel, LogMeta};
    use reelgauge_record::test_records::read;

    use super::*;

    /// Every operation is on disk or counted as lost, once, whenever the log's folder vanishes.
    #[test]
    fn abandoned_log_counts_each_operation_once() {
        const OPS: u64 = 90;
        for gone_at in [0, 30, 60, OPS] {
            let folder = tempfile::tempdir().unwrap();
            let dir = folder.path().join("ops/agent=local");
            let meta = LogMeta {
                run_ns: 0,
                agent: "local".to_owned(),
                capture: CaptureLevel::Application,
                blind_to: Vec::new(),
            };
            let log = LogWriter::create(&dir, meta, Vec::new()).unwrap();
            let clock = Clock::start();
            let mut work = Work::new(Some(log), clock, Watchdog::start(clock).unwrap());
            for at in 0..=OPS {
                if at == gone_at {
                    std::fs::remove_dir_all(folder.path()).unwrap();
                }
                if at < OPS {
                    work.take(&[read(0, 0, 4096).at_ns(at).took_ns(1)]);
                }
                // A second later each time: existing rows are sealed.
                work.with_log(|log| log.tick(at * 1_000_000_000));
            }
            let fate = work.end().log;
            assert_eq!(fate.rows + fate.unlogged_ops, OPS, "gone at {gone_at}: {fate:?}");
            assert!(fate.given_up.is_some(), "gone at {gone_at}");
        }
    }

    /// The counting part, without a log.
    fn work() -> Work {
        let clock = Clock::start();
        Work::new(None, clock, Watchdog::start(clock).unwrap())
    }

    fn ran(started_ns: u64, measured_from_ns: u64, over_ns: u64) -> PointRan {
        PointRan { started_ns, measured_from_ns, over_ns }
    }

    #[test]
    #[should_panic(expected = "a load point begins before it is measured")]
    fn a_load_point_that_is_measured_before_it_begins_is_a_defect() {
        ran(5, 4, 9).timing(None);
    }

    #[test]
    #[should_panic(expected = "a load point ends after it began")]
    fn a_load_point_that_is_over_before_it_begins_is_a_defect() {
        ran(5, 6, 4).timing(None);
    }

    #[test]
    #[should_panic(expected = "load points come in the order of their numbers")]
    fn an_earlier_load_point_is_a_defect() {
        let mut work = work();
        work.execute(Order::Attach(3, Vec::new()));
        work.execute(Order::Attach(2, Vec::new()));
    }

    #[test]
    #[should_panic(expected = "the load point that ends is the one that runs")]
    fn ending_another_load_point_is_a_defect() {
        let mut work = work();
        work.execute(Order::Attach(3, Vec::new()));
        work.execute(Order::FinishPoint(2, ran(0, 0, 1), channel().0));
    }

    #[test]
    #[should_panic(expected = "pauses do not overlap and are in order of time")]
    fn a_pause_before_the_last_one_is_a_defect() {
        let mut work = work();
        work.paused(Pause { from_ns: 10, until_ns: 20 });
        work.paused(Pause { from_ns: 15, until_ns: 30 });
    }

    #[test]
    #[should_panic(expected = "a ring's records are those of its load point")]
    fn a_record_of_another_load_point_is_a_defect() {
        work().take(&[read(0, 0, 4096).in_point(1)]);
    }

    #[test]
    #[should_panic(expected = "the number of operations counted equals the number taken")]
    fn an_operation_in_no_figure_is_a_defect() {
        let mut work = work();
        work.take(&[read(0, 0, 4096)]);
        work.taken_ops += 1;
        work.meter.finish_point(0, PointTiming::default());
        work.end();
    }

    #[test]
    #[should_panic(expected = "rows written plus rows reported lost equal rows taken")]
    fn a_row_that_is_neither_written_nor_lost_is_a_defect() {
        let mut work = work();
        work.fate.wanted = true;
        work.fate.rows = 1;
        work.end();
    }

    /// Pauses count only as far as they overlap the measured time, so their sum cannot exceed it.
    #[test]
    fn pauses_count_only_within_the_measured_time() {
        const S: u64 = 1_000_000_000;
        let clock = Clock::start();
        let mut work = Work::new(None, clock, Watchdog::start(clock).unwrap());
        let mut point = |pauses: &[(u64, u64)], measured_from_s: u64, over_s: u64| {
            // Ignore pauses of the busy test host itself.
            work.pauses =
                pauses.iter().map(|(from, until)| Pause { from_ns: from * S, until_ns: until * S }).collect();
            let ran = PointRan { started_ns: 0, measured_from_ns: measured_from_s * S, over_ns: over_s * S };
            work.count_pauses(ran.measured_from_ns, ran.timing(None).measured_ns);
            let PausedTotal { count, total_ns, longest } = work.paused;
            (count, total_ns / S, longest.map(|pause| (pause.from_ns / S, pause.until_ns / S)))
        };
        assert_eq!(point(&[(1, 3)], 5, 10), (0, 0, None), "all in the warm-up");
        assert_eq!(point(&[(11, 16), (19, 25)], 15, 20), (2, 2, Some((15, 16))));
        // A load point that ended in its warm-up measured nothing.
        assert_eq!(point(&[(30, 36)], 40, 36).1, 2);
        assert_eq!(point(&[(51, 54)], 50, 60), (3, 5, Some((51, 54))));
    }

    #[test]
    fn a_full_disk_is_distinguished_from_a_slow_one() {
        let trouble = |kind: io::ErrorKind| {
            let error = LogError::Io { action: "write", path: "/x".into(), source: kind.into() };
            GivenUp::from(error).trouble
        };
        assert_eq!(trouble(io::ErrorKind::StorageFull), LogTrouble::DiskFull);
        assert_eq!(trouble(io::ErrorKind::QuotaExceeded), LogTrouble::DiskFull);
        assert_eq!(trouble(io::ErrorKind::PermissionDenied), LogTrouble::Failed);
    }
}
