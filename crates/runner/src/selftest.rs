//! The self-test: whether Reelgauge on this host can be trusted to measure, in some ten seconds.
//!
//! * [`load`]: runs scripts in the driver of every run, with a store in memory in place of the storage.
//!   [`unpaced_reads`]: the script that no actor has. [`discarding_disk`]: the disk of the log.
//! * [`wait_lateness`]: how late players begin, and the requests in flight. [`one_core`]: the work that a
//!   processor does. [`known_answer`]: late frames whose number is known. [`fsync_cost`]: the tests of a
//!   path.
//!
//! Not here: the limits of a fit host ([`reelgauge_analysis::selftest`]), and sentences (report).

mod discarding_disk;
mod fsync_cost;
mod known_answer;
mod load;
mod one_core;
mod unpaced_reads;
mod wait_lateness;

use std::path::PathBuf;
use std::time::Duration;

use reelgauge_analysis::selftest::{ClockFigures, FORMAT, FrozenTimeline, SelfTest, judged_mb_per_s};
use reelgauge_engine::area::Terms;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::clock_quality::ClockQuality;
use reelgauge_formats::{Format, catalogue};
use reelgauge_machine::host;
use reelgauge_machine::system::processors;

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;

/// How long all processors read the clock.
const CLOCK_FOR: Duration = Duration::from_millis(300);

/// The request for a self-test.
#[derive(Clone, Debug)]
pub struct SelfTestRequest {
    /// The directory whose storage is tested, too.
    pub target: Option<PathBuf>,
    /// The terms for it.
    pub terms: Terms,
    /// The version of Reelgauge.
    pub version: String,
}

/// Tests this host, and the storage of a path.
///
/// # Errors
/// If it was stopped, or the path cannot be used. An unfit host is no error.
pub fn selftest(
    request: &SelfTestRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<SelfTest, RunError> {
    observer.phase("measuring");
    let tested = tested(request, interrupt);
    observer.finished();
    tested
}

fn tested(request: &SelfTestRequest, interrupt: &Interrupt) -> Result<SelfTest, RunError> {
    // The storage comes first, because a wrong path is the most likely error.
    let storage = match &request.target {
        Some(target) => Some(fsync_cost::on_storage(target, request.terms, interrupt)?),
        None => None,
    };
    let facts = host::gather(None);
    let format = judged_format();
    let mut test = SelfTest {
        version: request.version.clone(),
        system: facts.os,
        kernel: facts.kernel,
        processor: facts.cpu_model,
        processors: facts.cpu_count,
        clock: clock_figures(facts.cpu_count),
        waits: wait_lateness::lateness(interrupt)?,
        in_flight: wait_lateness::depths(interrupt)?,
        core: one_core::figures(format, interrupt)?,
        known_answer: known_answer::known_answer(&FrozenTimeline::USUAL, interrupt)?,
        storage,
        ..SelfTest::default()
    };
    test.judge(format);
    Ok(test)
}

/// The highest rate that this host can judge, measured in less than a second, before there is any load.
/// `None` if it is unmeasured.
pub(crate) fn judged_rate(interrupt: &Interrupt) -> Option<f64> {
    // The caller notices an interruption itself.
    let core = one_core::frames_mb_per_s(judged_format(), interrupt).ok().flatten()?;
    Some(judged_mb_per_s(core, processors()))
}

/// The format of the streams that a host can judge.
fn judged_format() -> &'static Format {
    catalogue().find(FORMAT).expect("the format of self-tests is in the catalogue")
}

fn clock_figures(processors: usize) -> ClockFigures {
    let ClockQuality { readings, backward_steps, resolution_ns, reading_ns } =
        ClockQuality::measure(&Clock::start(), processors, CLOCK_FOR);
    ClockFigures { readings, backward_steps, resolution_ns, reading_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_judged_format_is_that_of_a_quick_check() {
        assert!(crate::check::common_formats::EVERYDAY.contains(&judged_format().id.as_str()));
    }
}
