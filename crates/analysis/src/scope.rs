//! From counts to figures: the sums of one worker or of many, and what is computed from them.

use reelgauge_record::OpKind;

use crate::figures::{
    ErrorFigures, Figures, FirstError, LatenessFigures, OpsByKind, PointTiming, TimeFigures, TimesByKind,
    in_point_s, per_second, seconds, us,
};

use crate::response_counts::ResponseCounts;
use crate::rounding::round_to;
use crate::spread::{PairRecorder, Spread};
use crate::tally::{ErrorTally, Peak, WorkerTally, add_error, comes_before};

/// The service times or the response times of operations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    sum_ns: u64,
    max: Option<Peak>,
    spread: Spread,
}

impl Times {
    pub(crate) fn add(&mut self, other: &Times) {
        // Times in logs are untrusted input: the sum of absurd values must not wrap.
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.spread.add(&other.spread);
        self.max = match (self.max, other.max) {
            (Some(mut one), Some(two)) => {
                one.take(two.ns, two.began_ns);
                Some(one)
            }
            (one, two) => one.or(two),
        };
    }

    /// The counts of all buckets.
    pub(crate) fn counts(&self) -> ResponseCounts {
        let mut counts = ResponseCounts::default();
        self.spread.buckets().for_each(|(ns, count)| counts.add(ns, count));
        counts
    }

    pub(crate) fn figures(&self, point_started_ns: u64) -> Option<TimeFigures> {
        let max = self.max?;
        let count = self.spread.count();
        let quantile_us = |quantile| us(self.spread.quantile_ns(quantile, max.ns));
        let mean_ns = self.sum_ns as f64 / count as f64;
        Some(TimeFigures {
            count,
            mean_us: round_to(mean_ns / 1e3, 3),
            deviation_us: self.spread.deviation_ns(mean_ns).map(|ns| round_to(ns / 1e3, 3)),
            p50_us: quantile_us(0.5),
            p95_us: quantile_us(0.95),
            p99_us: quantile_us(0.99),
            p99_9_us: quantile_us(0.999),
            max_us: us(max.ns),
            max_began_s: seconds(max.began_ns),
            max_began_in_point_s: in_point_s(max.began_ns, point_started_ns),
        })
    }
}

/// The scheduling delay of Reelgauge.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lateness {
    spread: Spread,
    max_ns: u64,
}

impl Lateness {
    pub(crate) fn add(&mut self, other: &Lateness) {
        self.spread.add(&other.spread);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    pub(crate) fn count(&self) -> u64 {
        self.spread.count()
    }

    pub(crate) fn figures(&self) -> Option<LatenessFigures> {
        let quantile_us = |quantile| us(self.spread.quantile_ns(quantile, self.max_ns));
        (self.spread.count() > 0).then(|| LatenessFigures {
            p50_us: quantile_us(0.5),
            p99_us: quantile_us(0.99),
            max_us: us(self.max_ns),
        })
    }
}

/// The sums of a scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScopeSums {
    ops: [u64; OpKind::ALL.len()],
    service: [Times; OpKind::ALL.len()],
    response: [Times; OpKind::ALL.len()],
    pub(crate) lateness: Lateness,
    errors: Vec<ErrorTally>,
    warmup_ops: u64,
    transfers: u64,
    transfers_left_out: u64,
    short_transfers: u64,
    short_writes: u64,
    read_bytes: u64,
    written_bytes: u64,
}

impl ScopeSums {
    /// The sums of one worker.
    pub(crate) fn of(worker: &WorkerTally) -> ScopeSums {
        let mut scope = ScopeSums {
            errors: worker.errors.clone(),
            warmup_ops: worker.warmup_ops,
            transfers: worker.transfers.complete,
            transfers_left_out: worker.transfers.left_out(),
            short_transfers: worker.short_transfers,
            short_writes: worker.short_writes,
            read_bytes: worker.bytes(OpKind::Read),
            written_bytes: worker.bytes(OpKind::Write),
            ..ScopeSums::default()
        };
        worker.lateness.late.add_to(&mut scope.lateness.spread);
        scope.lateness.spread.record_n(0, worker.lateness.on_time);
        scope.lateness.max_ns = worker.lateness.max_ns;
        for (index, kind) in OpKind::ALL.into_iter().enumerate() {
            scope.ops[index] = worker.ops(kind);
            let Some(kind) = worker.kind(kind) else {
                continue;
            };
            let (service, response) = (&mut scope.service[index], &mut scope.response[index]);
            service.sum_ns = kind.service_sum_ns;
            service.max = Some(kind.service_max);
            kind.times.add_to(PairRecorder::SERVICE, &mut service.spread);
            response.sum_ns = kind.response_sum_ns;
            response.max = Some(kind.response_max);
            kind.times.add_to(PairRecorder::RESPONSE, &mut response.spread);
        }
        scope
    }

    /// Adds another scope's sums.
    pub(crate) fn add(&mut self, other: &ScopeSums) {
        for index in 0..OpKind::ALL.len() {
            self.ops[index] += other.ops[index];
            self.service[index].add(&other.service[index]);
            self.response[index].add(&other.response[index]);
        }
        self.lateness.add(&other.lateness);
        for failure in &other.errors {
            add_error(&mut self.errors, failure);
        }
        self.warmup_ops += other.warmup_ops;
        self.transfers += other.transfers;
        self.transfers_left_out += other.transfers_left_out;
        self.short_transfers += other.short_transfers;
        self.short_writes += other.short_writes;
        self.read_bytes += other.read_bytes;
        self.written_bytes += other.written_bytes;
    }

    /// The response times of reads and writes together.
    pub(crate) fn data_response(&self) -> Times {
        data_of(&self.response)
    }

    pub(crate) fn figures(&self, timing: PointTiming) -> Figures {
        let count = |kind: OpKind| self.ops[kind as usize];
        let rate = |bytes| per_second(bytes, timing.measured_ns);
        let response = times_by_kind(&self.response, timing.started_ns);
        let data_ops = response.data.as_ref().map_or(0, |times| times.count);
        let mut errors = self.errors.clone();
        errors.sort_by(|a, b| b.count.cmp(&a.count).then(a.first.errno.cmp(&b.first.errno)));
        let first = errors.iter().reduce(|a, b| if comes_before(&b.first, &a.first) { b } else { a });
        Figures {
            ops: self.ops.iter().sum(),
            failed_ops: errors.iter().map(|failure| failure.count).sum(),
            ops_by_kind: OpsByKind {
                open: count(OpKind::Open),
                read: count(OpKind::Read),
                write: count(OpKind::Write),
                sync: count(OpKind::Sync),
                close: count(OpKind::Close),
                create: count(OpKind::Create),
                unlink: count(OpKind::Unlink),
                stat: count(OpKind::Stat),
                access: count(OpKind::Access),
                readdir: count(OpKind::ReadDir),
                truncate: count(OpKind::Truncate),
                allocate: count(OpKind::Allocate),
                rename: count(OpKind::Rename),
                mkdir: count(OpKind::MakeDir),
                rmdir: count(OpKind::RemoveDir),
                setattr: count(OpKind::SetAttr),
                other: count(OpKind::Other),
                link: count(OpKind::Link),
                symlink: count(OpKind::SymLink),
                readlink: count(OpKind::ReadLink),
            },
            warmup_ops: self.warmup_ops,
            transfers: self.transfers,
            transfers_left_out: self.transfers_left_out,
            short_transfers: self.short_transfers,
            short_writes: Some(self.short_writes),
            read_bytes: self.read_bytes,
            written_bytes: self.written_bytes,
            read_bytes_per_s: rate(self.read_bytes),
            written_bytes_per_s: rate(self.written_bytes),
            bytes_per_s: rate(self.read_bytes + self.written_bytes),
            data_ops_per_s: rate(data_ops),
            response,
            service: times_by_kind(&self.service, timing.started_ns),
            lateness: self.lateness.figures(),
            first_error: first.map(|failure| first_error(failure, timing)),
            errors: errors.iter().map(|failure| error_figures(failure, timing)).collect(),
        }
    }
}

fn data_of(kinds: &[Times; OpKind::ALL.len()]) -> Times {
    let mut data = kinds[OpKind::Read as usize].clone();
    data.add(&kinds[OpKind::Write as usize]);
    data
}

fn times_by_kind(kinds: &[Times; OpKind::ALL.len()], point_started_ns: u64) -> TimesByKind {
    let figures = |kind: OpKind| kinds[kind as usize].figures(point_started_ns);
    TimesByKind {
        data: data_of(kinds).figures(point_started_ns),
        read: figures(OpKind::Read),
        write: figures(OpKind::Write),
        open: figures(OpKind::Open),
        close: figures(OpKind::Close),
        sync: figures(OpKind::Sync),
        create: figures(OpKind::Create),
        unlink: figures(OpKind::Unlink),
        stat: figures(OpKind::Stat),
        access: figures(OpKind::Access),
        readdir: figures(OpKind::ReadDir),
        truncate: figures(OpKind::Truncate),
        allocate: figures(OpKind::Allocate),
        rename: figures(OpKind::Rename),
        mkdir: figures(OpKind::MakeDir),
        rmdir: figures(OpKind::RemoveDir),
        setattr: figures(OpKind::SetAttr),
        other: figures(OpKind::Other),
        link: figures(OpKind::Link),
        symlink: figures(OpKind::SymLink),
        readlink: figures(OpKind::ReadLink),
    }
}

fn error_figures(failure: &ErrorTally, timing: PointTiming) -> ErrorFigures {
    let errno = failure.first.errno;
    ErrorFigures {
        errno,
        message: std::io::Error::from_raw_os_error(errno).to_string(),
        count: failure.count,
        max_response_us: us(failure.max_response_ns),
        first: first_error(failure, timing),
    }
}

fn first_error(failure: &ErrorTally, timing: PointTiming) -> FirstError {
    let op = &failure.first;
    FirstError {
        errno: op.errno,
        kind: op.kind,
        worker: op.worker,
        file: op.file,
        offset_bytes: op.offset,
        failed_at_s: seconds(op.done_ns),
        failed_at_in_point_s: in_point_s(op.done_ns, timing.started_ns),
    }
}
