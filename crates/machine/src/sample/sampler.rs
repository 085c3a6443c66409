//! Samples counters during a run: a separate thread, once a second, never in the path of an operation.
//!
//! Runs of days do not need a sample per second: after an hour, it samples every ten seconds. Rates
//! cover the whole time since the previous sample, so no counts are lost.
//!
//! The run never waits for it, except up to two seconds at its end: if a read or the disk for results
//! hangs, only the counters are lost.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use reelgauge_record::identity;

use crate::sample::counter::{Look, values};
use crate::sample::parse::own_process;
use crate::sample::proc_reader::{ProcReader, Target};
use reelgauge_record::counters::{CountersError, Sample, StoreMeta, StoreWriter};

/// The initial sample interval, and the time after which it is longer.
const EVERY_NS: u64 = 1_000_000_000;
const LONGER_AFTER_NS: u64 = 3_600_000_000_000;
const EVERY_LATER_NS: u64 = 10_000_000_000;

/// The interval at which samples are written to disk.
const SEAL_EVERY_NS: u64 = 2_000_000_000;

/// The shortest useful time between two sample rounds, for an additional one.
const WORTH_A_LOOK_NS: u64 = 100_000_000;

/// The number of consecutive write errors after which sampling is given up.
const FAILURES_MAX: u32 = 5;

/// The longest wait at the end of a run.
const PATIENCE: Duration = Duration::from_secs(2);

/// The target and the destination of sampling.
#[derive(Clone, Debug)]
pub struct SamplingTarget {
    /// `counters/agent=NAME` in the run directory.
    pub dir: PathBuf,
    /// The run, and the agent that samples.
    pub meta: StoreMeta,
    /// The target of the I/O.
    pub target: Target,
}

/// The result of sampling.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SamplingReport {
    /// The number of sample rounds.
    pub looks: u64,
    /// Processor time of the sampling thread, including writing, in microseconds; `None` if it is not
    /// available.
    pub cpu_us: Option<f64>,
    /// What could not be read, as text.
    pub unread: Vec<String>,
    /// Why counters are missing, as a sentence for the reader; `None` if there was no error.
    pub trouble: Option<String>,
}

/// A thread that samples. It ends when this is finished or dropped.
#[derive(Debug)]
pub struct Sampling {
    /// The channels to the thread and back. The thread samples when it receives a message, and ends when
    /// the sender is dropped.
    thread: Option<(Sender<()>, Receiver<SamplingReport>)>,
    /// Why there is no thread.
    trouble: Option<String>,
}

impl Sampling {
    /// Starts to sample. `now_ns` is the run's clock. If it fails, the report at the end has the reason.
    pub fn start(watch: SamplingTarget, now_ns: impl Fn() -> u64 + Send + 'static) -> Sampling {
        if !cfg!(target_os = "linux") {
            let why = "This run has no counters: they are sampled on Linux only.";
            return Sampling { thread: None, trouble: Some(why.to_owned()) };
        }
        let (stop, stopped) = channel();
        let (sender, report) = channel();
        let work = move || {
            // The thread opens nothing on the target, so it may keep its own identity.
            let _own = identity::own();
            // If it took too long to end, there is no receiver any more.
            let _ = sender.send(sample(watch, &now_ns, &stopped));
        };
        match std::thread::Builder::new().name("counters".to_owned()).spawn(work) {
            Ok(_) => Sampling { thread: Some((stop, report)), trouble: None },
            Err(error) => {
                let why = format!("Cannot sample counters: cannot start a thread ({error}).");
                Sampling { thread: None, trouble: Some(why) }
            }
        }
    }

    /// Starts a sample round now, and does not wait for it. Values for a period that starts or ends here
    /// then cover only that period.
    pub fn look_now(&self) {
        if let Some((asked, _)) = &self.thread {
            // If the thread has given up, there is no receiver.
            let _ = asked.send(());
        }
    }

    /// Samples a last time and ends. Waits at most two seconds.
    pub fn finish(mut self) -> SamplingReport {
        self.end()
    }

    fn end(&mut self) -> SamplingReport {
        let trouble = |trouble| SamplingReport { trouble, ..SamplingReport::default() };
        let Some((stop, report)) = self.thread.take() else {
            return trouble(self.trouble.take());
        };
        drop(stop);
        let early = |why| trouble(Some(format!("Counters of this run end early: {why}.")));
        match report.recv_timeout(PATIENCE) {
            Ok(report) => report,
            Err(RecvTimeoutError::Timeout) => early("reading a counter or writing the file hung"),
            Err(RecvTimeoutError::Disconnected) => early("the thread that samples them failed"),
        }
    }
}

impl Drop for Sampling {
    fn drop(&mut self) {
        self.end();
    }
}

/// The thread's work, from the first sample round to the last.
fn sample(watch: SamplingTarget, now_ns: &dyn Fn() -> u64, stopped: &Receiver<()>) -> SamplingReport {
    let mut store = match StoreWriter::create(&watch.dir, watch.meta) {
        Ok(store) => store,
        Err(error) => {
            let trouble = Some(format!("Cannot sample counters: {error}."));
            return SamplingReport { trouble, ..SamplingReport::default() };
        }
    };
    let mut watcher = Watcher { proc_reader: ProcReader::open(watch.target), before: None, looks: 0 };
    let (mut due_ns, mut seal_due_ns, mut failures) = (now_ns(), now_ns() + SEAL_EVERY_NS, 0);
    let mut trouble = None;
    loop {
        let wait = Duration::from_nanos(due_ns.saturating_sub(now_ns()));
        let asked = stopped.recv_timeout(wait);
        let (ending, is_due) = (asked == Err(RecvTimeoutError::Disconnected), asked != Ok(()));
        let now = now_ns();
        if !ending && is_due || watcher.is_worth_a_look(now) {
            store.append(watcher.look(now));
        }
        if ending || now >= seal_due_ns {
            seal_due_ns = now + SEAL_EVERY_NS;
            trouble = store.seal(&watcher.proc_reader.unread()).err();
            failures = if trouble.is_some() { failures + 1 } else { 0 };
        }
        if ending || failures == FAILURES_MAX {
            return watcher.report(trouble);
        }
        if is_due {
            due_ns = next_due_ns(due_ns, now);
        }
    }
}

/// The time of the next sample round. Missed rounds are skipped.
fn next_due_ns(due_ns: u64, now_ns: u64) -> u64 {
    let every_ns = if due_ns < LONGER_AFTER_NS { EVERY_NS } else { EVERY_LATER_NS };
    let missed = now_ns.saturating_sub(due_ns) / every_ns;
    due_ns + (missed + 1) * every_ns
}

/// Samples, and keeps the previous round.
struct Watcher {
    proc_reader: ProcReader,
    before: Option<(u64, Look)>,
    looks: u64,
}

impl Watcher {
    fn is_worth_a_look(&self, now_ns: u64) -> bool {
        self.before.as_ref().is_none_or(|(before_ns, _)| now_ns.saturating_sub(*before_ns) >= WORTH_A_LOOK_NS)
    }

    fn look(&mut self, now_ns: u64) -> Vec<Sample> {
        let mut look = self.proc_reader.look(now_ns);
        self.looks += 1;
        if let Some(cpu_ns) = own_process::thread_cpu_ns() {
            own_process::put_sampling(cpu_ns, self.looks, &mut look);
        }
        let before = self.before.take();
        let elapsed_ns = before.as_ref().map_or(0, |(before_ns, _)| now_ns.saturating_sub(*before_ns));
        let values = values(before.as_ref().map(|(_, look)| look), &look, elapsed_ns);
        self.before = Some((now_ns, look));
        values.into_iter().map(|(key, value)| Sample { at_ns: now_ns, key, value }).collect()
    }

    fn report(&self, trouble: Option<CountersError>) -> SamplingReport {
        SamplingReport {
            looks: self.looks,
            cpu_us: own_process::thread_cpu_ns().map(|ns| ns as f64 / 1e3),
            unread: self.proc_reader.unread(),
            trouble: trouble.map(|error| format!("Counters of this run end early: {error}.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampling_slows_to_10s_and_missed_rounds_are_skipped() {
        let second = 1_000_000_000;
        for (due, now, next) in [
            (0, 0, second),
            (5 * second, 5 * second + 999, 6 * second),
            (5 * second, 9 * second, 10 * second),
            (LONGER_AFTER_NS, LONGER_AFTER_NS, LONGER_AFTER_NS + 10 * second),
            (LONGER_AFTER_NS, LONGER_AFTER_NS + 25 * second, LONGER_AFTER_NS + 30 * second),
        ] {
            assert_eq!(next_due_ns(due, now), next, "{due} {now}");
        }
    }
}
