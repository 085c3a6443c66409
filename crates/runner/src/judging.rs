//! Judging a load point while it runs: late frames and rates, taken from the same records as the figures.

use std::sync::Arc;

use reelgauge_analysis::late::{LateFigures, LateTally, MeasuredPart, StreamSpec};
use reelgauge_analysis::rates::{RateSpec, RateTally};
use reelgauge_analysis::vda::ProcessRate;
use reelgauge_engine::driver::Context;
use reelgauge_record::OpRecord;

/// What is to be judged. The counting begins with the first record: only then is it known when the load
/// point began.
#[derive(Debug)]
pub struct Judging {
    context: Arc<Context>,
    specs: Vec<StreamSpec>,
    rates: Vec<RateSpec>,
    tallies: Option<(LateTally, RateTally)>,
    cut_ns: Option<u64>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// Late frames, stream by stream.
    pub late: LateFigures,
    /// What the workers that have a rate achieved.
    pub rates: Vec<ProcessRate>,
    /// Mean response of their transfers.
    pub rates_mean_response_ms: Option<f64>,
    /// Frames with a deadline before this were judged: the end of the load point, or when it was cut short.
    pub until_ns: u64,
}

impl Judging {
    /// Of these streams and workers, in the load point of this context.
    pub fn new(context: Arc<Context>, specs: Vec<StreamSpec>, rates: Vec<RateSpec>) -> Judging {
        Judging { context, specs, rates, tallies: None, cut_ns: None }
    }

    /// Takes records.
    pub fn take(&mut self, records: &[OpRecord]) {
        let (late, rates) = self.begun();
        for record in records {
            late.add(record);
            rates.add(record);
        }
    }

    /// Frames known to be late by now; `None` where there are no streams that have frames.
    pub fn late_so_far(&self) -> Option<u64> {
        match &self.tallies {
            Some((late, _)) => late.has_streams().then(|| late.late_so_far()),
            None => (!self.specs.is_empty()).then_some(0),
        }
    }

    /// The load point ends at this time, before its time.
    pub fn cut(&mut self, now_ns: u64) {
        self.cut_ns.get_or_insert(now_ns);
        self.begun().0.end_at(now_ns);
    }

    /// What was found. Nothing is judged behind the end of the load point.
    pub fn finish(mut self) -> Judged {
        self.begun();
        let end_ns = self.cut_ns.unwrap_or(u64::MAX).min(self.context.window.end_ns());
        match self.tallies {
            Some((late, rates)) => Judged {
                late: late.finish(end_ns),
                rates_mean_response_ms: rates.mean_response_ms(),
                rates: rates.finish(end_ns),
                until_ns: end_ns,
            },
            None => Judged::default(),
        }
    }

    fn begun(&mut self) -> &mut (LateTally, RateTally) {
        let Judging { context, specs, rates, tallies, .. } = self;
        tallies.get_or_insert_with(|| {
            let part = measured_part(context);
            (LateTally::new(std::mem::take(specs), part), RateTally::new(std::mem::take(rates), part))
        })
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
