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

/// The number of waits for processors to keep. A host with more cannot measure at all.
const WAITS_KEPT: usize = 10_000;

/// A shorter time without a completed operation does not count as silence: a few slow operations can
/// cause it.
const SILENCE_MIN_NS: u64 = 100_000_000;

/// The objects to judge. Counting begins with the first record or query: only then is the start of the
/// load point known.
#[derive(Debug)]
pub struct Judging {
    context: Arc<Context>,
    specs: Vec<StreamSpec>,
    rates: Vec<RateSpec>,
    tallies: Option<(LateTally, RateTally, FlowTally)>,
    cut_ns: Option<u64>,
    /// The times in which Reelgauge did not run, since the load point was announced.
    pauses: Vec<Pause>,
    pauses_taken: usize,
    /// The times in which measuring threads waited for a processor: the first [`WAITS_KEPT`] waits.
    waits: Vec<ProcessorWait>,
    /// For an abandoned operation: when it was issued, and when it was abandoned.
    unanswered: Option<(u64, u64)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// Late frames, stream by stream.
    pub late: LateFigures,
    /// The rates of the workers with a requested rate.
    pub rates: Vec<ProcessRate>,
    /// Mean response of their transfers.
    pub rates_mean_response_ms: Option<f64>,
    /// The times in which operations were in flight and none was answered.
    pub silences: Vec<Silence>,
    /// The times in which Reelgauge did not run.
    pub pauses: Vec<Pause>,
    /// The times in which its threads waited for a processor, as far as they were kept.
    pub waits: Vec<ProcessorWait>,
    /// Frames with a deadline before this were judged: the end of the load point, or the time it was
    /// stopped.
    pub until_ns: u64,
    /// Bytes moved in each whole second, warm-up included.
    pub flow: Vec<f64>,
}

impl Judging {
    /// For these streams and workers, in the load point of this context.
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

    /// Reelgauge did not run for a while. Call this before taking the records that arrived since.
    pub fn paused(&mut self, pause: Pause) {
        self.pauses.push(pause);
    }

    /// The thread of an operation waited for a processor. Call this before taking the operation's
    /// record.
    pub fn waited(&mut self, wait: ProcessorWait) {
        if self.waits.len() < WAITS_KEPT {
            self.waits.push(wait);
        }
        self.begun().0.waited(wait);
    }

    /// An operation that had been in flight since `issued_ns` was abandoned.
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

    /// The state of the streams at this time, after every record until then was taken; `None` without
    /// streams that have frames.
    pub fn at(&mut self, now_ns: u64) -> Option<LateNow> {
        // Before the start of the load point, no frame has a deadline.
        if self.tallies.is_none() && self.context.window.begun_ns() == 0 {
            return (!self.specs.is_empty()).then(LateNow::default);
        }
        self.look_for_cut();
        let (late, ..) = self.begun();
        late.has_streams().then(|| late.at(now_ns))
    }

    /// A load point that was stopped ended at that time, which must be known before records in flight
    /// are taken.
    fn look_for_cut(&mut self) {
        if self.cut_ns.is_none()
            && let Some(cut_ns) = self.context.window.cut_ns()
        {
            self.cut_ns = Some(cut_ns);
            self.begun().0.end_at(cut_ns);
        }
    }

    /// The results. Nothing after the end of the load point is judged.
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
