//! Judging a load point while it runs: late frames and rates, taken from the same records as the figures.

use std::sync::Arc;

use reelgauge_analysis::flow::FlowTally;
use reelgauge_analysis::incident::Silence;
use reelgauge_analysis::late::{LateFigures, LateNow, LateTally, MeasuredPart, StreamSpec};
use reelgauge_analysis::pause::Pause;
use reelgauge_analysis::rates::{RateSpec, RateTally};
use reelgauge_analysis::vda::ProcessRate;
use reelgauge_engine::driver::Context;
use reelgauge_record::{OpRecord, ProcessorWait};

/// So many waits for processors are handed on, to be written down. A machine with more has nothing to measure
/// with.
const WAITS_KEPT: usize = 10_000;

/// A shorter time without an answer is no silence: a few slow operations look like that.
const SILENCE_MIN_NS: u64 = 100_000_000;

/// What is to be judged. The counting begins with the first record or question: only then is it known when
/// the load point began.
#[derive(Debug)]
pub struct Judging {
    context: Arc<Context>,
    specs: Vec<StreamSpec>,
    rates: Vec<RateSpec>,
    tallies: Option<(LateTally, RateTally, FlowTally)>,
    cut_ns: Option<u64>,
    /// When the tool did not run, since the load point was announced.
    pauses: Vec<Pause>,
    pauses_taken: usize,
    /// When measuring threads waited for a processor: the first [`WAITS_KEPT`] waits.
    waits: Vec<ProcessorWait>,
    /// Since when an operation has been in flight that was given up, and when that was.
    unanswered: Option<(u64, u64)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// Late frames, stream by stream.
    pub late: LateFigures,
    /// What the workers that have a rate achieved.
    pub rates: Vec<ProcessRate>,
    /// Mean response of their transfers.
    pub rates_mean_response_ms: Option<f64>,
    /// When operations were in flight and none was answered.
    pub silences: Vec<Silence>,
    /// When the tool did not run.
    pub pauses: Vec<Pause>,
    /// When its threads waited for a processor, as far as that was kept.
    pub waits: Vec<ProcessorWait>,
    /// Frames with a deadline before this were judged: the end of the load point, or when it was cut short.
    pub until_ns: u64,
    /// Bytes that were moved in each whole second, warm-up included.
    pub flow: Vec<f64>,
}

impl Judging {
    /// Of these streams and workers, in the load point of this context.
    pub fn new(context: Arc<Context>, specs: Vec<StreamSpec>, rates: Vec<RateSpec>) -> Judging {
        Judging {
            context,
            specs,
            rates,
            tallies: None,
            cut_ns: None,
            pauses: Vec::new(),
            pauses_taken: 0,
            waits: Vec::new(),
            unanswered: None,
        }
    }

    /// The tool did not run for a while. To be told before the records are taken that came back since.
    pub fn paused(&mut self, pause: Pause) {
        self.pauses.push(pause);
    }

    /// The thread of an operation waited for a processor. To be told before the operation's record is taken.
    pub fn waited(&mut self, wait: ProcessorWait) {
        if self.waits.len() < WAITS_KEPT {
            self.waits.push(wait);
        }
        self.begun().0.waited(wait);
    }

    /// An operation that had been in flight since `issued_ns` was given up.
    pub fn unanswered(&mut self, issued_ns: u64, given_up_ns: u64) {
        self.unanswered = Some((issued_ns, given_up_ns));
    }

    pub fn take(&mut self, records: &[OpRecord]) {
        if records.is_empty() {
            return;
        }
        self.look_for_cut();
        let (late, rates, flow) = self.begun();
        for record in records {
            late.add(record);
            rates.add(record);
            flow.add(record);
        }
    }

    /// How the streams stand at this time, when every record was taken of what was done until then; `None`
    /// where there are no streams that have frames.
    pub fn at(&mut self, now_ns: u64) -> Option<LateNow> {
        // Until the load point has begun nobody knows when its frames are due.
        if self.tallies.is_none() && self.context.window.begun_ns() == 0 {
            return (!self.specs.is_empty()).then(LateNow::default);
        }
        self.look_for_cut();
        let (late, ..) = self.begun();
        late.has_streams().then(|| late.at(now_ns))
    }

    /// A load point that was cut short ended then: to be known before anything is taken that was in flight.
    fn look_for_cut(&mut self) {
        if self.cut_ns.is_none()
            && let Some(cut_ns) = self.context.window.cut_ns()
        {
            self.cut_ns = Some(cut_ns);
            self.begun().0.end_at(cut_ns);
        }
    }

    /// What was found. Nothing is judged behind the end of the load point.
    pub fn finish(mut self) -> Judged {
        self.begun();
        self.look_for_cut();
        if let (Some((issued_ns, given_up_ns)), Some((late, ..))) = (self.unanswered, &mut self.tallies) {
            late.unanswered(issued_ns, given_up_ns);
        }
        let end_ns = self.cut_ns.unwrap_or(u64::MAX).min(self.context.window.end_ns());
        match self.tallies {
            Some((late, rates, flow)) => Judged {
                silences: late.silences(SILENCE_MIN_NS),
                late: late.finish(end_ns),
                rates_mean_response_ms: rates.mean_response_ms(),
                rates: rates.finish(end_ns),
                pauses: self.pauses,
                waits: self.waits,
                until_ns: end_ns,
                flow: flow.finish(end_ns),
            },
            None => Judged::default(),
        }
    }

    fn begun(&mut self) -> &mut (LateTally, RateTally, FlowTally) {
        let Judging { context, specs, rates, tallies, pauses, pauses_taken, .. } = self;
        let tallies = tallies.get_or_insert_with(|| {
            let part = measured_part(context);
            let late = LateTally::new(std::mem::take(specs), part);
            (late, RateTally::new(std::mem::take(rates), part), FlowTally::new(part.started_ns))
        });
        for pause in &pauses[*pauses_taken..] {
            tallies.0.paused(*pause);
        }
        *pauses_taken = pauses.len();
        tallies
    }
}

/// The part of a load point that is judged.
pub fn measured_part(context: &Context) -> MeasuredPart {
    MeasuredPart {
        point: context.point,
        started_ns: context.window.begun_ns(),
        from_ns: context.window.warmup_until_ns(),
        until_ns: context.window.end_ns(),
    }
}
