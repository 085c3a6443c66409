//! Connects a run and its controlling process: waits for starts, reports the progress, and stops the
//! load when no message arrives.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reelgauge_analysis::late::StreamNow;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::machine_clock::machine_ns;

use super::load_permit::{Load, LoadPermit};
use super::messages::{
    JudgedTrial, LiveReport, ReadyPoint, RemoteOrder, RemoteReport, RequestedTrial, StartRefusal,
    StreamReport,
};
use super::outbox::Outbox;
use crate::error::RunError;
use crate::interrupt::{Interrupt, StoppedBy};
use crate::observer::{Live, NextTrial, Observer, PointAhead, RunBegin, Start, TrialAhead, TrialJudged};
use crate::session::finished_run::Finished;
use crate::session::live_log::FORECAST_MAX;
use crate::session::margins::Margins;

/// The interval of checks of the leash.
const BEAT: Duration = Duration::from_millis(50);
/// The interval of figures. Slightly less than a second, as the run reports four times a second.
const EVERY: Duration = Duration::from_millis(950);
/// From this long before a start it can no longer be postponed: the threads are already preparing.
pub const CALLED_AHEAD_NS: u64 = 600_000_000;
/// A start whose time passed longer ago than this is ignored.
const LATE_MOST_NS: i64 = 1_000_000_000;
/// A start further ahead comes from a wrong clock.
const AHEAD_MOST_NS: i64 = 60_000_000_000;
/// The number of streams in a message: the worst of each host.
const STREAMS_REPORTED: usize = 8;
/// The number of attempts at reading two clocks next to each other.
const CLOCK_READINGS: usize = 5;
/// A longer line is not a message.
const LINE_MAX: u64 = 64 << 10;

/// Controls a run, as its observer.
#[derive(Debug)]
pub struct Pilot {
    shared: Arc<Shared>,
    outbox: Outbox,
    clock: Option<Clock>,
    /// Its time 0, on the host's clock.
    zero_machine_ns: i64,
    run_dir: Option<String>,
    point: u16,
    /// The ordered start of the next load point, on the run's clock.
    start_ns: Option<u64>,
    told: Option<Instant>,
    prepared_told: Option<Instant>,
    margins: Margins,
}

#[derive(Debug)]
struct Shared {
    clock: Clock,
    interrupt: Interrupt,
    orders: Mutex<Orders>,
    changed: Condvar,
}

#[derive(Debug)]
struct Orders {
    leash: LoadPermit,
    /// The load point that is ready, and its start, once ordered.
    awaited: Option<u16>,
    start_machine_ns: Option<i64>,
    /// The load point that waits for a trial, and the trial, once ordered.
    asked: Option<u16>,
    trial: Option<NextTrial>,
}

impl Orders {
    fn new(leash: LoadPermit) -> Orders {
        Orders { leash, awaited: None, start_machine_ns: None, asked: None, trial: None }
    }

    /// Takes the requested trial; only the first answer counts.
    fn answer(&mut self, point: u16, next: NextTrial) {
        if self.asked == Some(point) && self.trial.is_none() {
            self.trial = Some(next);
        }
    }
}

impl Shared {
    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn load(&self, load: Load) {
        self.orders().leash.load(load);
    }
}

impl Pilot {
    /// Reads `input`, and sends all messages on standard output. `plan` is the plan's file.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(
        input: Box<dyn Read + Send>,
        plan_sha256: String,
        interrupt: &Interrupt,
    ) -> io::Result<Pilot> {
        let outbox = Outbox::on(io::stdout())?;
        let clock = Clock::start();
        let orders = Mutex::new(Orders::new(LoadPermit::new(clock.now_ns())));
        let shared =
            Arc::new(Shared { clock, interrupt: interrupt.clone(), orders, changed: Condvar::new() });
        let (listens, watches) = (Arc::clone(&shared), Arc::clone(&shared));
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        named("steering").spawn(move || listen(input, &listens))?;
        named("leash").spawn(move || watch(&watches))?;
        outbox.say(RemoteReport::Hello { version: env!("CARGO_PKG_VERSION").to_owned(), plan_sha256 });
        Ok(Pilot {
            shared,
            outbox,
            clock: None,
            zero_machine_ns: 0,
            run_dir: None,
            point: 0,
            start_ns: None,
            told: None,
            prepared_told: None,
            margins: Margins::default(),
        })
    }

    /// The run is over. Returns its exit status.
    pub fn done(self, result: &Result<Finished, RunError>) -> u8 {
        self.shared.load(Load::Over);
        let (code, reason) = match result {
            Ok(finished) => (finished.exit_code(), finished.summary.outcome_reason.clone()),
            Err(error) => (error.exit_code(), Some(error.to_string())),
        };
        self.outbox.finish(RemoteReport::Done { code, run_dir: self.run_dir, reason });
        code
    }

    /// An ordered start on the run's clock.
    fn on_run_clock(&self, at_machine_ns: i64) -> Result<u64, StartRefusal> {
        let now_ns = self.clock.as_ref().map_or(0, Clock::now_ns);
        start_on(at_machine_ns, machine_ns(), now_ns)
    }

    /// Whether a start is so near that its threads must prepare.
    fn is_near(&self, run_ns: u64) -> bool {
        let now_ns = self.clock.as_ref().map_or(0, Clock::now_ns);
        run_ns.saturating_sub(now_ns) <= CALLED_AHEAD_NS
    }
}

impl Observer for Pilot {
    fn begun(&mut self, begin: &RunBegin<'_>) {
        let run_dir = std::path::absolute(begin.run_dir).unwrap_or_else(|_| begin.run_dir.to_path_buf());
        let run_dir = run_dir.display().to_string();
        self.run_dir = Some(run_dir.clone());
        self.outbox.say(RemoteReport::Begun { run_dir });
    }

    fn clock_began(&mut self, clock: Clock) {
        self.clock = Some(clock);
        // This thread may wait for a processor between the two readings: the closest of several attempts
        // counts.
        let reading = || {
            let before_ns = machine_ns();
            let run_ns = clock.now_ns().cast_signed();
            (machine_ns() - before_ns, before_ns - run_ns)
        };
        let closest = (0..CLOCK_READINGS).map(|_| reading()).min_by_key(|(apart_ns, _)| *apart_ns);
        if let Some((_, zero_machine_ns)) = closest {
            self.zero_machine_ns = zero_machine_ns;
            self.outbox.say(RemoteReport::Clock { zero_machine_ns });
        }
    }

    fn phase(&mut self, name: &str) {
        if name == "reporting" {
            self.shared.load(Load::Over);
        }
        self.outbox.say(RemoteReport::Phase { name: name.to_owned() });
    }

    fn prepared(&mut self, done_bytes: u64, total_bytes: u64) {
        if done_bytes >= total_bytes || self.prepared_told.is_none_or(|at| at.elapsed() >= EVERY) {
            self.prepared_told = Some(Instant::now());
            self.outbox.say(RemoteReport::Prepared { done_bytes, total_bytes });
        }
    }

    fn begins(&mut self, ahead: &PointAhead<'_>, interrupt: &Interrupt) -> Start {
        let point = ahead.index;
        let shared = Arc::clone(&self.shared);
        let mut orders = shared.orders();
        orders.leash.load(Load::Waits);
        orders.awaited = Some(point);
        orders.start_machine_ns = None;
        self.outbox.say(RemoteReport::Ready(ReadyPoint {
            point,
            label: ahead.label.to_owned(),
            workers: ahead.workers,
            warmup_ns: ahead.warmup_ns,
            measured_ns: ahead.measured_ns,
        }));
        loop {
            if interrupt.asked() {
                orders.awaited = None;
                return Start::Never;
            }
            if let Some(at_machine_ns) = orders.start_machine_ns {
                match self.on_run_clock(at_machine_ns) {
                    // Until its threads prepare, the start can still be postponed.
                    Ok(run_ns) if self.is_near(run_ns) => {
                        orders.awaited = None;
                        orders.leash.load(Load::Active);
                        self.start_ns = Some(run_ns);
                        return Start::At { run_ns };
                    }
                    Ok(_) => {}
                    Err(why) => {
                        orders.start_machine_ns = None;
                        self.outbox.say(RemoteReport::Refused { point, why });
                    }
                }
            }
            let waited = shared.changed.wait_timeout(orders, BEAT);
            orders = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn next_trial(&mut self, ahead: &TrialAhead, interrupt: &Interrupt) -> NextTrial {
        let TrialAhead { point, most, most_confirmed, limited_by } = *ahead;
        let shared = Arc::clone(&self.shared);
        let mut orders = shared.orders();
        orders.leash.load(Load::Waits);
        orders.asked = Some(point);
        orders.trial = None;
        self.outbox.say(RemoteReport::Asks(RequestedTrial { point, most, most_confirmed, limited_by }));
        loop {
            if interrupt.asked() {
                orders.asked = None;
                return NextTrial::Never;
            }
            if let Some(next) = orders.trial.take() {
                orders.asked = None;
                // Its files are being made now.
                orders.leash.load(Load::Active);
                return next;
            }
            let waited = shared.changed.wait_timeout(orders, BEAT);
            orders = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn trial_judged(&mut self, judged: TrialJudged) {
        let TrialJudged { point, passed, limited_by_client } = judged;
        self.outbox.say(RemoteReport::Judged(JudgedTrial { point, passed, limited_by_client }));
    }

    fn point_began(&mut self, index: u16, begun_ns: u64) {
        self.point = index;
        self.told = None;
        if let Some(start_ns) = self.start_ns.take() {
            let skew_ns = begun_ns.cast_signed() - start_ns.cast_signed();
            let begun_machine_ns = self.zero_machine_ns.saturating_add_unsigned(begun_ns);
            self.outbox.say(RemoteReport::Started { point: index, skew_ns, begun_machine_ns });
        }
    }

    fn point_over(&mut self, index: u16, is_complete: bool) {
        self.outbox.say(RemoteReport::PointOver { point: index, is_complete });
    }

    fn wants_response_counts(&mut self, is_over: bool) -> bool {
        is_over || self.told.is_none_or(|told| told.elapsed() >= EVERY)
    }

    fn live(&mut self, live: &Live) {
        self.margins.note(live);
        let Some(response_counts) = live.response_counts.clone() else { return };
        let margins = std::mem::take(&mut self.margins);
        self.told = Some(Instant::now());
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.outbox.say(RemoteReport::Live(LiveReport {
            point: self.point,
            elapsed_ms: ms(live.elapsed),
            measured_ms: ms(live.elapsed.saturating_sub(live.warmup)),
            is_warming_up: live.elapsed < live.warmup,
            read_bytes_per_s: live.read_bytes_per_s,
            write_bytes_per_s: live.write_bytes_per_s,
            ops: live.ops,
            failed_ops: live.failed_ops,
            read_bytes: live.read_bytes,
            written_bytes: live.written_bytes,
            late_frames: live.late_frames,
            no_answer_ms: live.waiting.silence().map(ms),
            label: live.label.clone(),
            warmup_ms: ms(live.warmup),
            total_ms: (live.total <= FORECAST_MAX).then(|| ms(live.total)),
            longest_in_flight_ms: live.waiting.longest_in_flight.map(ms),
            margin_ms: margins.least_ms(),
            streams: streams(live, &margins),
            response_counts,
            is_over: live.is_over,
        }));
    }
}

fn streams(live: &Live, margins: &Margins) -> Vec<StreamReport> {
    let said = |stream: &StreamNow| StreamReport {
        stream: stream.stream,
        late_frames: stream.late_frames,
        margin_ms: margins.of_stream_ms(stream.stream),
        buffer_ms: stream.buffer_ns / 1_000_000,
    };
    live.streams.iter().take(STREAMS_REPORTED).map(said).collect()
}

/// Converts a start on the host's clock to the run's clock.
///
/// # Errors
/// If it is too far in the past or the future.
pub fn start_on(at_machine_ns: i64, now_machine_ns: i64, now_run_ns: u64) -> Result<u64, StartRefusal> {
    let ahead_ns = at_machine_ns.saturating_sub(now_machine_ns);
    if ahead_ns < -LATE_MOST_NS {
        return Err(StartRefusal::Late { by_ns: ahead_ns.saturating_neg() });
    }
    if ahead_ns > AHEAD_MOST_NS {
        return Err(StartRefusal::FarAhead { by_ns: ahead_ns });
    }
    Ok(now_run_ns.saturating_add_signed(ahead_ns))
}

/// Executes orders until the other end closes.
fn listen(input: Box<dyn Read + Send>, shared: &Shared) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        match Read::by_ref(&mut input).take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) => break,
            // An invalid line has no effect, and is no permission either.
            Ok(_) => {
                if let Ok(order) = serde_json::from_slice(&line) {
                    obey(order, shared);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    let is_over = shared.orders().leash.is_over();
    if !is_over {
        shared.interrupt.ask(StoppedBy::AgentGone);
        shared.changed.notify_all();
    }
}

fn obey(order: RemoteOrder, shared: &Shared) {
    let now_ns = shared.clock.now_ns();
    let mut orders = shared.orders();
    match order {
        RemoteOrder::Start { point, at_machine_ns } => {
            if orders.awaited == Some(point) {
                orders.start_machine_ns = orders.start_machine_ns.max(Some(at_machine_ns));
            }
        }
        RemoteOrder::Trial { point, scale, confirms } => {
            orders.answer(point, NextTrial::Try { scale, confirms });
        }
        RemoteOrder::Enough { point } => orders.answer(point, NextTrial::Enough),
        RemoteOrder::Hold { for_ms, silent_ms } => {
            let ms = Duration::from_millis;
            orders.leash.hold(now_ns, ms(for_ms), ms(silent_ms));
        }
        RemoteOrder::Stop => shared.interrupt.ask(StoppedBy::Controller),
        RemoteOrder::Lapse { silent_ms } => {
            shared.interrupt.ask(StoppedBy::Silence(Duration::from_millis(silent_ms)));
        }
    }
    shared.changed.notify_all();
}

/// Stops the run when its permission has expired.
fn watch(shared: &Shared) {
    loop {
        std::thread::sleep(BEAT);
        let lapsed = shared.orders().leash.lapsed(shared.clock.now_ns());
        if let Some(silence) = lapsed {
            shared.interrupt.ask(StoppedBy::Silence(silence));
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_time_is_converted_to_the_run_clock() {
        let year_ns = 365 * 86_400 * 1_000_000_000;
        for now_ns in [0, year_ns, 50 * year_ns] {
            assert_eq!(start_on(now_ns + 3_000, now_ns, 10_000), Ok(13_000));
            assert_eq!(start_on(now_ns - 3_000, now_ns, 10_000), Ok(7_000));
        }
        assert_eq!(start_on(0, 900_000_000, 500), Ok(0), "before the run's own beginning");
    }

    #[test]
    fn a_start_that_is_long_over_or_far_ahead_is_refused() {
        assert_eq!(start_on(0, 2_000_000_000, 5), Err(StartRefusal::Late { by_ns: 2_000_000_000 }));
        assert_eq!(start_on(i64::MAX, 0, 5), Err(StartRefusal::FarAhead { by_ns: i64::MAX }));
        assert!(start_on(i64::MIN, i64::MAX, 5).is_err());
    }
}
