//! The scenario drawn from a seed: the workers of a world, its length, and its faults.

use reelgauge_record::log::LogOptions;
use reelgauge_workload::random::Dice;

use crate::session::sink::RingRoom;

const MS: u64 = 1_000_000;
/// No fault comes before this: a run begins normally.
const FIRST_FAULT_NS: u64 = MS;

/// A drawn scenario; the module describes it. Times are those of the world, which begins at 0.
#[derive(Clone, Debug)]
pub(super) struct Scenario {
    pub(super) seed: u64,
    pub(super) work: Work,
    pub(super) points: Vec<Point>,
    pub(super) threads: u16,
    pub(super) hang_after_ns: u64,
    /// Whether rows are kept.
    pub(super) log: bool,
    pub(super) log_options: LogOptions,
    pub(super) rings: RingRoom,
    pub(super) store: Store,
    pub(super) faults: Faults,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// One transfer after another. If `tolerant`, errors are results.
    Mix {
        tolerant: bool,
    },
    Streams {
        frame_rate: u32,
        buffer_frames: u32,
        stall: bool,
        open: bool,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) workers: u32,
    pub(super) warmup_ns: u64,
    pub(super) measured_ns: u64,
}

/// The store's response times without a fault: uniform between these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    pub(super) answer_ns: (u64, u64),
}

/// The faults. `None` and 0: no fault of that kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults {
    /// (time, error, percent): the first operation at or after this time fails with this error, and each
    /// later one with this probability in percent.
    pub(super) error: Option<(u64, i32, u64)>,
    /// The first read or write at or after this time moves less than requested.
    pub(super) short_ns: Option<u64>,
    /// (time, duration): the first operation at or after this time takes this long; `u64::MAX`: forever.
    pub(super) hang: Option<(u64, u64)>,
    /// (time, duration): the storage answers nothing for this long.
    pub(super) stall: Option<(u64, u64)>,
    /// At this time, one of the threads of the load point in progress panics.
    pub(super) death_ns: Option<u64>,
    /// At this time, the driver of one thread fails.
    pub(super) failure_ns: Option<u64>,
    /// A thread takes this long to close its files at its end.
    pub(super) closing_ns: u64,
    /// The threads of this load point can't be started.
    pub(super) no_start: Option<usize>,
    /// A script is finished after this many operations.
    pub(super) ops_max: Option<u32>,
    /// The script returns that it is blocked instead.
    pub(super) gets_stuck: bool,
    /// At this time, the user interrupts the run.
    pub(super) interrupt_ns: Option<u64>,
    /// (time, duration): the process is suspended.
    pub(super) pause: Option<(u64, u64)>,
    /// The longest sleep of the drain between two rounds.
    pub(super) nap_most_ns: u64,
    /// The longest delay before the drain executes an order.
    pub(super) obeys_most_ns: u64,
    /// The longest time between the last load point and the end of the drain.
    pub(super) end_most_ns: u64,
    /// The drain panics at its first write to the log's disk after this time.
    pub(super) drain_dies_ns: Option<u64>,
    pub(super) disk: DiskFaults,
    /// (time, file): from this time on, this file of the run directory cannot be written.
    pub(super) small_file: Option<(u64, &'static str)>,
}

/// The faults of the log's disk.
#[derive(Clone, Debug, Default)]
pub(super) struct DiskFaults {
    /// The longest duration of a call.
    pub(super) call_most_ns: u64,
    /// (time, error, count): from this time on, this many calls fail with this error.
    pub(super) fails: Option<(u64, i32, u32)>,
    /// Only calls of this kind fail.
    pub(super) fails_only: Option<Call>,
    /// (time, duration): the first call at or after this time takes this long.
    pub(super) hiccup: Option<(u64, u64)>,
    /// Its capacity in bytes.
    pub(super) room_bytes: Option<u64>,
}

/// A kind of call to a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Create,
    Write,
    Rename,
    Remove,
    Sync,
}

const EIO: i32 = 5;
const ENOSPC: i32 = 28;

impl Scenario {
    pub(super) fn draw(seed: u64) -> Scenario {
        let mut dice = Dice::new(seed, 0);
        let dice = &mut dice;
        let streams = dice.below(100) < 45;
        let work = if streams {
            Work::Streams {
                frame_rate: [25, 50][dice.below(2) as usize],
                buffer_frames: 1 + dice.below(6) as u32,
                stall: dice.below(2) == 0,
                open: dice.below(2) == 0,
            }
        } else {
            Work::Mix { tolerant: dice.below(5) == 0 }
        };
        let points: Vec<Point> = (0..1 + dice.below(3)).map(|_| Point::draw(dice)).collect();
        let total_ns = points.iter().map(|point| point.warmup_ns + point.measured_ns).sum();
        let least_ns = MS + dice.below(6 * MS);
        let is_calm = dice.below(4) == 0;
        let faults = if is_calm { Faults::default() } else { Faults::draw(dice, total_ns, points.len()) };
        let is_small = !is_calm && dice.below(3) == 0;
        let mut scenario = Scenario {
            seed,
            work,
            threads: 1 + dice.below(5) as u16,
            hang_after_ns: 200 * MS + dice.below(1500 * MS),
            log: dice.below(12) > 0,
            log_options: LogOptions {
                seal_every_ns: 50 * MS + dice.below(400 * MS),
                group_rows: 8 << dice.below(6),
                segment_rows: 4 << dice.below(6),
                large_segment_bytes: 2048 << dice.below(6),
                table_segments: 2 + dice.below(6) as u32,
                table_groups: 2 + dice.below(6) as usize,
            },
            rings: match is_small {
                true => {
                    let records = 2 + dice.below(30) as usize;
                    RingRoom { total: records, least: records, most: records }
                }
                false => RingRoom { total: 4096, least: 256, most: 4096 },
            },
            store: Store { answer_ns: (least_ns, least_ns + dice.below(12 * MS)) },
            points,
            faults,
        };
        if !is_calm && dice.below(2) == 0 {
            scenario.faults.end_most_ns = dice.below(800 * MS);
        }
        scenario
    }

    /// Whether the drain has enough time for everything.
    pub(super) fn is_quick(&self) -> bool {
        let Faults { nap_most_ns, obeys_most_ns, pause, .. } = self.faults;
        let disk = &self.faults.disk;
        let is_slow = nap_most_ns > 0 || obeys_most_ns > 0 || disk.call_most_ns > 0;
        !is_slow && disk.hiccup.is_none() && pause.is_none() && self.rings.total == 4096
    }

    /// Whether there is no fault at all.
    pub(super) fn is_calm(&self) -> bool {
        let Faults { nap_most_ns, obeys_most_ns, closing_ns, ops_max, .. } = self.faults;
        let quiet = [nap_most_ns, obeys_most_ns, closing_ns] == [0; 3] && ops_max.is_none();
        quiet && self.rings.total == 4096 && !self.faults.has_any()
    }
}

impl Point {
    fn draw(dice: &mut Dice) -> Point {
        let warmup_ns = if dice.below(2) == 0 { 0 } else { 20 * MS + dice.below(150 * MS) };
        Point { workers: 1 + dice.below(5) as u32, warmup_ns, measured_ns: 100 * MS + dice.below(700 * MS) }
    }
}

impl Faults {
    /// Draws one to three faults, and often a slow host.
    fn draw(dice: &mut Dice, total_ns: u64, points: usize) -> Faults {
        let mut faults = Faults::default();
        for _ in 0..1 + dice.below(3) {
            faults.add(dice, total_ns, points);
        }
        if dice.below(3) == 0 {
            faults.nap_most_ns = dice.below(400 * MS);
        }
        if dice.below(3) == 0 {
            faults.obeys_most_ns = dice.below(60 * MS);
        }
        if dice.below(4) == 0 {
            faults.disk.call_most_ns = dice.below(150 * MS);
        }
        faults
    }

    fn add(&mut self, dice: &mut Dice, total_ns: u64, points: usize) {
        let at_ns = FIRST_FAULT_NS + dice.below(total_ns);
        let most_ns = [40 * MS, 400 * MS, 4000 * MS][dice.below(3) as usize];
        let long_ns = MS + dice.below(most_ns);
        match dice.below(20) {
            0 | 1 => {
                let errno = [EIO, ENOSPC, 2, 13][dice.below(4) as usize];
                self.error = Some((at_ns, errno, [0, 10, 100][dice.below(3) as usize]));
            }
            2 => self.short_ns = Some(at_ns),
            3 => self.hang = Some((at_ns, u64::MAX)),
            4 | 18 => self.hang = Some((at_ns, long_ns)),
            5 => self.stall = Some((at_ns, long_ns)),
            6 => self.death_ns = Some(at_ns),
            7 => self.failure_ns = Some(at_ns),
            8 => self.closing_ns = if dice.below(3) == 0 { u64::MAX } else { long_ns },
            9 => self.no_start = Some(dice.below(points as u64) as usize),
            10 => {
                self.ops_max = Some(1 + dice.below(120) as u32);
                self.gets_stuck = dice.below(3) == 0;
            }
            11 | 12 => self.interrupt_ns = Some(at_ns),
            13 => self.pause = Some((at_ns, long_ns.min(800 * MS))),
            14 => self.drain_dies_ns = Some(at_ns),
            15..=17 => self.disk.add(dice, at_ns),
            _ => {
                let name = ["summary.json", "load-points.json", "streams.json"][dice.below(3) as usize];
                self.small_file = Some((at_ns, name));
            }
        }
    }

    /// Whether any fault may change how a run ends, or what is kept of it.
    fn has_any(&self) -> bool {
        let times = [self.short_ns, self.death_ns, self.failure_ns, self.interrupt_ns, self.drain_dies_ns];
        let spans = [self.hang, self.stall, self.pause];
        let disk = &self.disk;
        times.iter().any(Option::is_some)
            || spans.iter().any(Option::is_some)
            || self.error.is_some()
            || self.no_start.is_some()
            || self.small_file.is_some()
            || disk.fails.is_some()
            || disk.hiccup.is_some()
            || disk.room_bytes.is_some()
            || disk.call_most_ns > 0
    }
}

impl DiskFaults {
    fn add(&mut self, dice: &mut Dice, at_ns: u64) {
        match dice.below(4) {
            0 => return self.room_bytes = Some(dice.below(60_000)),
            1 => return self.hiccup = Some((at_ns, MS + dice.below(400 * MS))),
            _ => {}
        }
        let many = [1, 2, u32::MAX][dice.below(3) as usize];
        self.fails = Some((at_ns, [EIO, ENOSPC, 13][dice.below(3) as usize], many));
        let calls = [Call::Create, Call::Write, Call::Rename, Call::Remove, Call::Sync];
        self.fails_only = (dice.below(3) > 0).then(|| calls[dice.below(5) as usize]);
    }
}
