//! Samples counters beside a run: one thread of its own, once a second, never on the way of an operation.
//!
//! Runs of days need not be seen second by second: after an hour it looks every ten seconds. Rates hold for
//! all of the time since the look before, so nothing that is counted gets lost by that.
//!
//! The run never waits for it, but for two seconds at its end: a read that hangs, or a disk for results that
//! does, costs the counters and no more.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use reelgauge_record::identity;

use crate::sample::counter::{Look, values};
use crate::sample::parse::own_process;
use crate::sample::proc_reader::{ProcReader, Target};
use reelgauge_record::counters::{CountersError, Sample, StoreMeta, StoreWriter};

/// How often it looks at first, and from when on more rarely.
const EVERY_NS: u64 = 1_000_000_000;
const AN_HOUR_NS: u64 = 3_600_000_000_000;
const EVERY_LATER_NS: u64 = 10_000_000_000;

/// Samples are put on disk when this much time has passed.
const SEAL_EVERY_NS: u64 = 2_000_000_000;

/// A look out of turn is worth having when the one before is this long ago.
const WORTH_A_LOOK_NS: u64 = 100_000_000;

/// How often writing may fail in a row before the counters are given up.
const FAILURES_MAX: u32 = 5;

/// How long the end of a run may wait.
const PATIENCE: Duration = Duration::from_secs(2);

/// What to sample, and where to.
#[derive(Clone, Debug)]
pub struct Watch {
    /// `counters/agent=NAME` in the run directory.
    pub dir: PathBuf,
    /// Which run, and who samples.
    pub meta: StoreMeta,
    /// What carries the I/O.
    pub target: Target,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SamplingReport {
    /// How often it looked.
    pub looks: u64,
    /// Processor time of the sampling thread, writing included, in microseconds; `None` where nothing tells
    /// it.
    pub cpu_us: Option<f64>,
    /// What could not be read, in words.
    pub unread: Vec<String>,
    /// Why counters are missing, as a sentence for the reader; `None` where all went well.
    pub trouble: Option<String>,
}

/// A thread that samples. It ends when this is finished or dropped.
#[derive(Debug)]
pub struct Sampling {
    /// Its way here and back. The thread looks when it is sent something, and ends when the sender is
    /// dropped.
    thread: Option<(Sender<()>, Receiver<SamplingReport>)>,
    /// Why there is no thread.
    trouble: Option<String>,
}

impl Sampling {
    /// Starts to sample. `now_ns` is the run's clock. Where it can't, the report at the end says why.
    pub fn start(watch: Watch, now_ns: impl Fn() -> u64 + Send + 'static) -> Sampling {
        if !cfg!(target_os = "linux") {
            let why = "This run has no counters: they are sampled on Linux only.";
            return Sampling { thread: None, trouble: Some(why.to_owned()) };
        }
        let (stop, stopped) = channel();
        let (sender, report) = channel();
        let work = move || {
            // It opens nothing on the target.
            let _own = identity::own();
            // Nobody listens any more if it took too long to end.
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

    /// Looks now, and does not wait for it: what is said of a stretch that begins or ends here is then said
    /// of it alone.
    pub fn look_now(&self) {
        if let Some((asked, _)) = &self.thread {
            // Nobody listens where the thread has given up.
            let _ = asked.send(());
        }
    }

    /// Takes a last look and ends. Waits two seconds at most.
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

/// The thread's work, from its first look to its last.
fn sample(watch: Watch, now_ns: &dyn Fn() -> u64, stopped: &Receiver<()>) -> SamplingReport {
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

/// When to look next. Beats that were missed are left out.
fn next_due_ns(due_ns: u64, now_ns: u64) -> u64 {
    let every_ns = if due_ns < AN_HOUR_NS { EVERY_NS } else { EVERY_LATER_NS };
    let missed = now_ns.saturating_sub(due_ns) / every_ns;
    due_ns + (missed + 1) * every_ns
}

/// Looks, and remembers the look before.
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
    fn it_looks_every_second_then_every_ten_and_makes_up_for_nothing() {
        let second = 1_000_000_000;
        for (due, now, next) in [
            (0, 0, second),
            (5 * second, 5 * second + 999, 6 * second),
            (5 * second, 9 * second, 10 * second),
            (AN_HOUR_NS, AN_HOUR_NS, AN_HOUR_NS + 10 * second),
            (AN_HOUR_NS, AN_HOUR_NS + 25 * second, AN_HOUR_NS + 30 * second),
        ] {
            assert_eq!(next_due_ns(due, now), next, "{due} {now}");
        }
    }
}
