//! Reading back a run's writes, on a thread that may be abandoned.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use reelgauge_analysis::summary::VerifyFacts;
use reelgauge_engine::area::Area;
use reelgauge_engine::driver::TargetFile;
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_engine::throttle::Pace;
use reelgauge_engine::verify::{self, Patterns, VerifyError, WriteMap, verify_files};

use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::drive::Ending;

/// The interval of progress reports and of checks for interruptions.
const BEAT: Duration = Duration::from_millis(100);

/// The result of a verification.
#[derive(Debug)]
pub enum Verified {
    Done(VerifyFacts),
    /// It was not begun, and why.
    Skipped(String),
    /// The user stopped it; how far it was.
    Stopped(String),
    /// It could not be completed, and why.
    Failed(String),
}

impl Verified {
    /// Why it was not done, or not completed.
    pub fn why_not(&self) -> Option<&str> {
        match self {
            Verified::Done(_) => None,
            Verified::Skipped(why) | Verified::Stopped(why) | Verified::Failed(why) => Some(why),
        }
    }

    /// Its effect on the outcome of a run: one whose verification was not completed is incomplete.
    /// `None` without an effect.
    pub fn ending(&self) -> Option<Ending> {
        let not_read_back =
            |why: &String, is_interrupted| Ending::NotReadBack { why: why.clone(), is_interrupted };
        match self {
            Verified::Done(_) | Verified::Skipped(_) => None,
            Verified::Stopped(why) => Some(not_read_back(why, true)),
            Verified::Failed(why) => Some(not_read_back(why, false)),
        }
    }
}

/// Reads back and compares every unit that the run wrote into these files. Gives up when nothing was
/// read for `hang_after`, the time limit of every operation of the run.
pub fn read_back(
    area: &Area,
    files: &[TargetFile],
    patterns: Patterns,
    map: &Arc<WriteMap>,
    hang_after: Duration,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Verified {
    let checked = Arc::new(AtomicU64::new(0));
    let (sender, result) = channel();
    let work = {
        let (dir, files) = (area.dir().clone(), files.to_vec());
        let pace = area.throttle().map(Pace::new);
        let (map, checked, interrupt) = (Arc::clone(map), Arc::clone(&checked), interrupt.clone());
        move || {
            let mut go_on = |bytes| {
                let before = checked.swap(bytes, Ordering::Relaxed);
                if let Some(pace) = &pace {
                    pace.wait_for(bytes - before, || interrupt.asked());
                }
                !interrupt.asked()
            };
            // The receiver is dropped if reading back was abandoned.
            let _ = sender.send(verify_files(Some(&dir), &files, patterns, &map, &mut go_on));
        }
    };
    if let Err(error) = std::thread::Builder::new().name("verify".to_owned()).spawn(work) {
        return Verified::Failed(format!("cannot start a thread that reads back the data ({error})"));
    }
    let mut progress = (Instant::now(), 0);
    loop {
        match result.recv_timeout(BEAT) {
            Ok(outcome) => return judge(outcome, patterns.run),
            Err(RecvTimeoutError::Disconnected) => {
                return Verified::Failed(
                    "the thread that reads back the data died. This is a bug in Reelgauge: please report it"
                        .to_owned(),
                );
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let bytes = checked.load(Ordering::Relaxed);
        if bytes > progress.1 {
            progress = (Instant::now(), bytes);
        }
        observer.verified(bytes);
        if progress.0.elapsed() > hang_after {
            return Verified::Failed("the storage did not respond while reading back".to_owned());
        }
    }
}

fn judge(outcome: Result<verify::Verified, VerifyError>, pattern: PatternSpec) -> Verified {
    let found = match outcome {
        Ok(found) => found,
        Err(error) => return Verified::Failed(error.to_string()),
    };
    if found.stopped {
        return Verified::Stopped(format!(
            "stopped after {} bytes; all of these were correct",
            found.checked_bytes
        ));
    }
    let unit_bytes = u64::from(pattern.unit_bytes);
    Verified::Done(VerifyFacts {
        checked_bytes: found.checked_bytes,
        different_bytes: found.differing_units * unit_bytes,
        first_difference: found
            .first_difference
            .map(|first| format!("{} at byte {}: {}", first.path.display(), first.offset_bytes, first.what)),
    })
}
