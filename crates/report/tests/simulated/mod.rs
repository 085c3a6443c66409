//! A simulated share with workers of the EBU profile: realistic and reproducible records.

use std::collections::BTreeMap;

use reelgauge_analysis::summary::{DataSet, EffectiveMode, LoadPointFacts, LogFacts, Target};
use reelgauge_analysis::{LoadPoint, Meter, Outcome, PointTiming, SelfCost, Summary, Warning};
use reelgauge_record::test_records::op;
use reelgauge_record::{OpFlags, OpKind, OpRecord};
use reelgauge_report::self_cost::self_cost_sentence;
use reelgauge_report::warning_note;

const SECOND_NS: u64 = 1_000_000_000;

/// A share with 110 MB/s per worker and 330 MB/s in total, which freezes once.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub worker_bytes_per_s: u64,
    pub all_bytes_per_s: u64,
    pub freezes_at_ns: u64,
    pub freezes_for_ns: u64,
    /// One in this many reads fails; 0 for none.
    pub every_fails: u64,
    /// This worker gets a fifth of the others' rate.
    pub slow_worker: Option<u32>,
}

impl Default for Share {
    fn default() -> Share {
        Share {
            worker_bytes_per_s: 110_000_000,
            all_bytes_per_s: 330_000_000,
            freezes_at_ns: 37 * SECOND_NS,
            freezes_for_ns: 412_000_000,
            every_fails: 0,
            slow_worker: None,
        }
    }
}

/// The workload of the workers.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub writes_percent: u64,
    pub random_percent: u64,
    pub blocks_log2: (u64, u64),
    pub warmup_s: u64,
    pub measured_s: u64,
}

impl Default for Load {
    fn default() -> Load {
        Load { writes_percent: 50, random_percent: 10, blocks_log2: (12, 20), warmup_s: 5, measured_s: 60 }
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) % limit
    }
}

struct Worker<'a> {
    share: &'a Share,
    load: &'a Load,
    dice: Dice,
    template: OpRecord,
    now_ns: u64,
    rate: u64,
    until_ns: u64,
    measured_from_ns: u64,
    reads: u64,
}

impl Worker<'_> {
    /// Simulates one operation after the other; each begins up to 3 µs late.
    fn op(&mut self, kind: OpKind, len: u32, log: &mut Vec<OpRecord>) -> bool {
        if self.now_ns >= self.until_ns {
            return false;
        }
        let due_ns = self.now_ns;
        let issued_ns = due_ns + 200 + self.dice.below(2_800);
        let setup_ns = match kind {
            OpKind::Read | OpKind::Write => 250_000 + self.dice.below(400_000),
            OpKind::Open => 600_000 + self.dice.below(1_500_000),
            _ => 100_000 + self.dice.below(200_000),
        };
        let mut done_ns = issued_ns + setup_ns + u64::from(len) * SECOND_NS / self.rate;
        let thaws_ns = self.share.freezes_at_ns + self.share.freezes_for_ns;
        if issued_ns < thaws_ns && done_ns > self.share.freezes_at_ns {
            done_ns += thaws_ns - issued_ns.max(self.share.freezes_at_ns);
        }
        self.reads += u64::from(kind == OpKind::Read);
        let fails = kind == OpKind::Read
            && self.share.every_fails > 0
            && self.reads.is_multiple_of(self.share.every_fails);
        let flags = self.template.flags.with_if(OpFlags::LAST, kind == OpKind::Close);
        let warmup = due_ns < self.measured_from_ns;
        log.push(OpRecord {
            due_ns,
            issued_ns,
            done_ns,
            len,
            done_len: if fails { 0 } else { len },
            errno: if fails { 5 } else { 0 },
            kind,
            flags: flags.with_if(OpFlags::WARMUP, warmup),
            ..self.template
        });
        self.template.offset += u64::from(len);
        self.now_ns = done_ns;
        true
    }

    fn transfer(&mut self, log: &mut Vec<OpRecord>) -> bool {
        let writing = self.dice.below(100) < self.load.writes_percent;
        let random = self.dice.below(100) < self.load.random_percent;
        let (low, high) = self.load.blocks_log2;
        let block = 1_u64 << (low + self.dice.below(high - low + 1));
        let mut left = 4096 * (1 + self.dice.below(2560));
        let flags = OpFlags::NONE.with_if(OpFlags::WRITING, writing);
        self.template.flags = flags.with_if(OpFlags::RANDOM, random);
        let place = self.dice.below(100) << 20;
        let kind = if writing { OpKind::Write } else { OpKind::Read };
        // For an open, the offset field holds the chosen block size.
        self.template.offset = block;
        let mut going = self.op(OpKind::Open, 0, log);
        self.template.offset = place;
        while going && left > 0 {
            let len = block.min(1 << left.ilog2());
            left -= len;
            going = self.op(kind, len as u32, log);
        }
        going = going && self.op(OpKind::Close, 0, log);
        self.template.transfer += 1;
        going
    }
}

/// The records of one load point, worker by worker.
pub fn records(share: &Share, load: &Load, point: u16, workers: u32, started_ns: u64) -> Vec<OpRecord> {
    let mut log = Vec::new();
    for worker in 0..workers {
        let slower = if share.slow_worker == Some(worker) { 5 } else { 1 };
        let rate = share.worker_bytes_per_s.min(share.all_bytes_per_s / u64::from(workers)) / slower;
        let measured_from_ns = started_ns + load.warmup_s * SECOND_NS;
        let mut worker = Worker {
            share,
            load,
            dice: Dice(0x9e37_79b9_7f4a_7c15 ^ (u64::from(worker) << 40) ^ (u64::from(point) << 20)),
            template: op(OpKind::Open).on_file(worker).by_worker(worker).in_point(point),
            now_ns: started_ns,
            rate,
            until_ns: measured_from_ns + load.measured_s * SECOND_NS,
            measured_from_ns,
            reads: 0,
        };
        while worker.transfer(&mut log) {}
    }
    log
}

/// A summary of load points with these numbers of workers, computed like that of a run.
pub fn summary(share: &Share, load: &Load, ramp: &[u32]) -> Summary {
    let target = Target {
        path: "/mnt/nas".to_owned(),
        fs_type: Some("cifs".to_owned()),
        description: Some("SMB 3.1.1 from nas1".to_owned()),
        source: Some("//nas1/media".to_owned()),
        server: Some("nas1".to_owned()),
        mount_options: Some("rw,vers=3.1.1,cache=strict".to_owned()),
        is_shared: false,
    };
    let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", target);
    let mut meter = Meter::new();
    let mut rows = 0;
    let length_ns = (load.warmup_s + load.measured_s) * SECOND_NS;
    for (point, &workers) in (0_u16..).zip(ramp) {
        let started_ns = u64::from(point) * length_ns;
        let log = records(share, load, point, workers, started_ns);
        log.iter().for_each(|op| meter.add(op));
        rows += log.len() as u64;
        let measured_ns = load.measured_s * SECOND_NS;
        let figures = meter.finish_point(point, PointTiming { started_ns, measured_ns });
        let plural = if workers == 1 { "" } else { "s" };
        let facts = LoadPointFacts {
            label: format!("{workers} worker{plural}"),
            workers,
            ..LoadPointFacts::default()
        };
        summary.load_points.push(LoadPoint::new(facts, figures));
    }
    summary.series = meter.series();
    summary.seed = 7;
    summary.plan = BTreeMap::from([("writes".to_owned(), "50".to_owned())]);
    summary.data_set = DataSet { files: 10, file_size_bytes: 1 << 30, reused: true };
    summary.effective_mode =
        EffectiveMode { asked: "direct".to_owned(), found: "direct".to_owned(), ..EffectiveMode::default() };
    summary.log =
        LogFacts { complete: true, rows, bytes: rows * 14, bytes_per_op: Some(14.0), ..LogFacts::default() };
    let totals = meter.run_totals();
    summary.self_cost = {
        let cpu_s = Some((rows as f64 * 3e-6, rows as f64 * 41e-6));
        SelfCost::new(cpu_s, &totals, &summary.load_points, None)
    };
    summary.self_cost.sentence = self_cost_sentence(&summary.self_cost, &summary.load_points);
    let warnings = Warning::from_figures(&summary.load_points, &summary.self_cost, &totals);
    summary.notes = warnings.iter().map(warning_note).collect();
    summary.outcome = Outcome::Complete;
    summary
}
