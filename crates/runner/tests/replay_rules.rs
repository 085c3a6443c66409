//! The replay script on a store in virtual time: when operations begin with every pacing, what waits for
//! what in every order, and that nothing is lost, for any trace and however slow the store.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;
use reelgauge_engine::driver::Worker;
use reelgauge_engine::simulated::{Outcome, SimulatedTimes, simulate};
use reelgauge_record::log::{CaptureLevel, LogMeta};
use reelgauge_record::test_records::op;
use reelgauge_record::{OpFlags, OpKind, OpRecord, OpenBits};
use reelgauge_trace::replay::{Outcomes, ReplayError, ReplayScript, Setting, Wanted, load};
use reelgauge_trace::{TraceInfo, TraceWriter};
use reelgauge_workload::replay::{Pacing, ReplayOrder};
use reelgauge_workload::script::{Done, Op, Script, Step};
use reelgauge_workload::units::Span;

const EVER: u64 = u64::MAX / 4;

/// An operation of a trace, in short.
#[derive(Clone, Copy, Debug)]
struct Told {
    thread: u32,
    kind: OpKind,
    name: usize,
    new_name: usize,
    handle: u32,
    offset: u64,
    issued_ns: u64,
    done_ns: u64,
    errno: i32,
}

const NAMES: [&str; 6] = ["a", "b", "dir", "dir/x", "dir/y", "c"];

impl Told {
    fn new(thread: u32, kind: OpKind, issued_ns: u64, took_ns: u64) -> Told {
        let done_ns = issued_ns + took_ns;
        Told { thread, kind, name: 0, new_name: 5, handle: 0, offset: 0, issued_ns, done_ns, errno: 0 }
    }

    fn record(&self, files: &[u32]) -> OpRecord {
        let what = match self.kind {
            OpKind::Open => op(self.kind).with_bits(OpenBits::READ.with(OpenBits::WRITE).0),
            OpKind::Create => {
                let bits = OpenBits::WRITE.with(OpenBits::CREATE).with(OpenBits::READ);
                op(self.kind).with_bits(bits.0)
            }
            kind if kind.moves_data() => op(kind).of_len(100),
            kind => op(kind),
        };
        let is_rename = self.kind == OpKind::Rename;
        let what = OpRecord { errno: self.errno, ..what };
        what.on_file(files[self.name])
            .at_offset(if is_rename { u64::from(files[self.new_name]) } else { self.offset })
            .on_stream(self.thread)
            .of_transfer(self.handle)
            .at_ns(self.issued_ns)
            .done_at_ns(self.done_ns)
    }
}

/// The result of a replay.
struct Replayed {
    /// The records in order of issue.
    records: Vec<OpRecord>,
    outcomes: Outcomes,
    stuck: Vec<u32>,
    finished: u32,
}

/// Replays a trace on a store that takes `service_ns` for an operation.
fn replay(trace: &[Told], wanted: Wanted, setting: Setting, service_ns: impl FnMut(&Op) -> u64) -> Replayed {
    try_replay(trace, wanted, setting, service_ns).unwrap()
}

/// The script that replays it.
fn script(trace: &[Told], wanted: Wanted, setting: Setting) -> Result<ReplayScript, ReplayError> {
    let dir = tempfile::tempdir().unwrap();
    let meta = LogMeta {
        run_ns: 0,
        agent: "test".to_owned(),
        capture: CaptureLevel::Application,
        blind_to: Vec::new(),
    };
    let mut writer = TraceWriter::create(dir.path(), "t", meta).unwrap();
    let files: Vec<u32> = NAMES.iter().map(|name| writer.file(name).unwrap()).collect();
    trace.iter().for_each(|told| writer.push(told.record(&files)).unwrap());
    let trace = writer.finish(TraceInfo::default()).unwrap();
    let replayable = load(&trace, wanted)?;
    Ok(ReplayScript::new(Arc::new(replayable.packed), setting))
}

/// Replays a trace that may be invalid.
fn try_replay(
    trace: &[Told],
    wanted: Wanted,
    setting: Setting,
    mut service_ns: impl FnMut(&Op) -> u64,
) -> Result<Replayed, ReplayError> {
    let script = script(trace, wanted, setting)?;
    let mut records = Vec::new();
    let mut store = |_: u32, op: &Op, issued_ns: u64| Outcome::whole(op, issued_ns + service_ns(op));
    let span = SimulatedTimes { start_ns: 1_000, end_ns: EVER, ..SimulatedTimes::default() };
    let mut left = simulate(vec![Worker { id: 0, script }], &mut store, span, |record| records.push(*record));
    records.sort_by_key(|record| record.issued_ns);
    Ok(Replayed {
        records,
        outcomes: left.workers.remove(0).script.outcomes().clone(),
        stuck: left.stuck,
        finished: left.finished_scripts,
    })
}

fn issued(replayed: &Replayed) -> Vec<u64> {
    replayed.records.iter().map(|record| record.issued_ns - 1_000).collect()
}

/// Three reads of one thread through a handle: 1 ms apart, each took 0.1 ms.
fn steady() -> Vec<Told> {
    let mut told = vec![Told { handle: 1, ..Told::new(0, OpKind::Open, 0, 100_000) }];
    for at in 1..4u64 {
        let read = Told::new(0, OpKind::Read, at * 1_000_000, 100_000);
        told.push(Told { handle: 1, offset: at * 100, ..read });
    }
    told
}

fn paced(pace: Pacing, scale: f64, service_ns: u64) -> Replayed {
    let wanted = Wanted { pace, ..Wanted::default() };
    let setting = Setting { pace, scale, ..Setting::default() };
    replay(&steady(), wanted, setting, |_| service_ns)
}

#[test]
fn recorded_pace_is_an_absolute_schedule() {
    let in_time = paced(Pacing::Recorded, 1.0, 400_000);
    assert_eq!(issued(&in_time), [0, 1_000_000, 2_000_000, 3_000_000]);
    assert_eq!(in_time.outcomes.held_up_ops, 0);
    assert_eq!(in_time.outcomes.ended_ns - in_time.outcomes.begun_ns, 3_400_000);
    // Half the time, and a store that can't follow: late operations catch up, and are counted.
    let late = paced(Pacing::Recorded, 0.5, 600_000);
    assert_eq!(issued(&late), [0, 600_000, 1_200_000, 1_800_000]);
    assert_eq!((late.outcomes.held_up_ops, late.outcomes.held_up_most_ns), (3, 300_000));
    assert!(late.records.iter().all(|record| (record.due_ns - 1_000) % 500_000 == 0));
}

/// An open and three reads of one thread, a millisecond apart. Each of them waits for the limit on bytes per
/// second, is begun late by Reelgauge and takes some time, as `stalls` has it for its number.
fn stalled(stalls: impl Fn(usize) -> (u64, u64, u64)) -> Outcomes {
    let setting = Setting { late_after_ns: 1_000_000, ..Setting::default() };
    let mut script = script(&steady(), Wanted::default(), setting).unwrap();
    let (mut now_ns, mut number) = (0, 0);
    loop {
        match script.next(now_ns) {
            Step::Do(op) => {
                let (limit_ns, delay_ns, service_ns) = stalls(number);
                let due_ns = if limit_ns > 0 { op.due_ns.max(now_ns) + limit_ns } else { op.due_ns };
                let issued_ns = due_ns.max(now_ns) + delay_ns;
                now_ns = issued_ns + service_ns;
                number += 1;
                script.done(&Done {
                    token: op.token,
                    due_ns,
                    issued_ns,
                    done_ns: now_ns,
                    done_len: op.len,
                    errno: 0,
                });
            }
            Step::Wait { until_ns } => now_ns = until_ns,
            Step::Finished => return script.outcomes().clone(),
            Step::Blocked => panic!("nothing is in flight"),
        }
    }
}

#[test]
fn operations_queued_after_a_late_start_count_as_late_by_reelgauge() {
    let begun_late = |stalls: fn(usize) -> (u64, u64)| {
        let outcomes = stalled(|number| {
            let (delay_ns, service_ns) = stalls(number);
            (0, delay_ns, service_ns)
        });
        (outcomes.begun_late_ops, outcomes.held_up_ops)
    };
    assert_eq!(begun_late(|_| (0, 100_000)), (0, 0));
    // The open at 0, reads at 1, 2 and 3 ms. The first read begins at 4.5 ms: so the second could begin at
    // 4.6 and the third at 4.7 instead of at 2 and 3.
    assert_eq!(begun_late(|number| (if number == 1 { 3_500_000 } else { 0 }, 100_000)), (3, 2));
    // The storage takes 3.5 ms for it: they wait as long, and none of it is Reelgauge's.
    assert_eq!(begun_late(|number| (0, if number == 1 { 3_500_000 } else { 100_000 })), (0, 2));
}

#[test]
fn operations_queued_after_a_wait_for_the_rate_limit_are_late_by_the_limit() {
    let late = |number_of_limit: usize, storage_ns: u64| {
        let outcomes = stalled(|number| {
            let limit_ns = if number == number_of_limit { 3_500_000 } else { 0 };
            (limit_ns, 0, if number == 1 { storage_ns } else { 100_000 })
        });
        (outcomes.limit_late_ops, outcomes.begun_late_ops, outcomes.storage_late_ops)
    };
    assert_eq!(late(9, 100_000), (0, 0, 0));
    assert_eq!(late(1, 100_000), (3, 0, 0));
    // The storage takes 3.5 ms in addition, and both following reads wait for both.
    assert_eq!(late(1, 3_500_000), (3, 0, 2));
}

#[test]
fn think_times_follow_the_completion_before() {
    assert_eq!(issued(&paced(Pacing::Think, 1.0, 400_000)), [0, 1_300_000, 2_600_000, 3_900_000]);
    assert_eq!(issued(&paced(Pacing::Think, 2.0, 100_000)), [0, 1_900_000, 3_800_000, 5_700_000]);
}

#[test]
fn max_and_fixed_wait_for_nothing_else() {
    assert_eq!(issued(&paced(Pacing::Max, 1.0, 400_000)), [0, 400_000, 800_000, 1_200_000]);
    let fixed = Pacing::Fixed(Span(5_000_000));
    assert_eq!(issued(&paced(fixed, 1.0, 400_000)), [5_000_000, 10_400_000, 15_800_000, 21_200_000]);
}

#[test]
fn later_user_is_shifted_in_all_operations() {
    let setting = Setting { delay_ns: 7_000, ..Setting::default() };
    let replayed = replay(&steady(), Wanted::default(), setting, |_| 1);
    assert_eq!(issued(&replayed), [7_000, 1_007_000, 2_007_000, 3_007_000]);
    assert_eq!(replayed.outcomes.begun_ns, 8_000);
}

#[test]
fn parallel_operations_of_a_thread_are_parallel_again() {
    let mut told = vec![Told { handle: 1, ..Told::new(0, OpKind::Open, 0, 10) }];
    for at in 0..4 {
        told.push(Told { handle: 1, offset: at * 100, ..Told::new(0, OpKind::Read, 100 + at, 1_000) });
    }
    told.push(Told { handle: 1, ..Told::new(0, OpKind::Close, 5_000, 10) });
    let replayed = replay(&told, Wanted::default(), Setting::default(), |op| match op.kind {
        OpKind::Read => 50_000,
        _ => 10,
    });
    assert_eq!(issued(&replayed), [0, 100, 101, 102, 103, 50_103]);
    let serial = Wanted { order: ReplayOrder::Serial, ..Wanted::default() };
    let replayed = replay(&told, serial, Setting::default(), |_| 50_000);
    assert_eq!(issued(&replayed), [0, 50_000, 100_000, 150_000, 200_000, 250_000]);
}

#[test]
fn files_that_were_open_before_are_opened_before_the_clock_starts() {
    let told: Vec<Told> = (0..3)
        .map(|at| Told { handle: 9, offset: 50, ..Told::new(0, OpKind::Read, 5_000 + at * 1_000, 10) })
        .collect();
    let replayed = replay(&told, Wanted::default(), Setting::default(), |_| 300);
    assert_eq!(issued(&replayed), [0, 300, 1_300, 2_300]);
    assert!(replayed.records[0].flags.has(OpFlags::WARMUP));
    assert_eq!(replayed.outcomes.begun_ns, 1_300);
    assert_eq!(replayed.outcomes.done_ops, 3);
}

#[test]
fn other_outcomes_are_counted_and_the_first_are_kept() {
    let mut told = steady();
    told[2].errno = 5;
    let replayed = replay(&told, Wanted::default(), Setting::default(), |_| 10);
    assert_eq!((replayed.outcomes.done_ops, replayed.outcomes.different_ops), (4, 1));
    let first = replayed.outcomes.first[0];
    assert_eq!((first.op, first.kind, first.recorded.errno, first.now.errno), (2, OpKind::Read, 5, 0));
}

#[test]
fn an_open_that_should_have_failed_is_closed_again() {
    let opens =
        (0..200).map(|at| Told { handle: at + 1, errno: 13, ..Told::new(0, OpKind::Open, at.into(), 0) });
    let replayed = replay(&opens.collect::<Vec<_>>(), Wanted::default(), Setting::default(), |_| 10);
    assert_eq!(replayed.finished, 1);
    assert_eq!((replayed.outcomes.different_ops, replayed.outcomes.extra_closes), (200, 200));
}

/// Steps of a random application: thread, what it does, name, other name, pause before, time it takes.
type Steps = Vec<(u32, u8, usize, usize, u64, u64)>;

fn steps() -> impl Strategy<Value = Steps> {
    proptest::collection::vec((0u32..4, 0u8..12, 0usize..6, 0usize..6, 0u64..50, 0u64..200), 1..80)
}

/// A trace in which nothing is used before it is open or after it is closed.
fn told(steps: &Steps) -> Vec<Told> {
    let mut clocks = [0u64; 4];
    // Name, number, usable from, in use until; closed at.
    let mut handles: Vec<(usize, u64, u64, bool)> = Vec::new();
    let mut trace: Vec<Told> = Vec::new();
    for &(thread, what, name, other, pause_ns, took_ns) in steps {
        let clock = &mut clocks[thread as usize];
        let issued_ns = *clock + pause_ns;
        let usable = handles.iter().rposition(|&(_, from_ns, _, open)| open && from_ns <= issued_ns);
        let kind = match what {
            0 => OpKind::Open,
            1 => OpKind::Create,
            2..=4 => OpKind::Read,
            5..=6 => OpKind::Write,
            7 => OpKind::Close,
            8 => OpKind::Unlink,
            9 => OpKind::Stat,
            10 => OpKind::Rename,
            _ => OpKind::MakeDir,
        };
        // Only operations that a directory supports.
        let is_directory = name == 2 && !matches!(kind, OpKind::Rename | OpKind::Stat | OpKind::MakeDir);
        let name = if is_directory { 0 } else { name };
        let mut step = Told { name, new_name: other, ..Told::new(thread, kind, issued_ns, took_ns) };
        match (kind, usable) {
            (OpKind::Open | OpKind::Create, _) => {
                handles.push((name, step.done_ns, step.done_ns, true));
                step.handle = handles.len() as u32;
            }
            (OpKind::Read | OpKind::Write | OpKind::Close, None) => continue,
            (OpKind::Read | OpKind::Write | OpKind::Close, Some(at)) => {
                let handle = &mut handles[at];
                step.name = handle.0;
                step.handle = at as u32 + 1;
                if kind == OpKind::Close {
                    if handle.2 > issued_ns {
                        continue;
                    }
                    handle.3 = false;
                } else {
                    handle.2 = handle.2.max(step.done_ns);
                }
            }
            _ => {}
        }
        *clock = step.done_ns;
        trace.push(step);
    }
    trace.sort_by_key(|step| step.issued_ns);
    // Closed by one thread while another, whose clock is behind, still used it: no application does
    // that.
    let mut closed_ns = std::collections::HashMap::new();
    for step in &trace {
        if step.kind == OpKind::Close {
            closed_ns.insert(step.handle, step.issued_ns);
        }
    }
    trace.retain(|step| {
        let is_use = step.kind.moves_data();
        !is_use || closed_ns.get(&step.handle).is_none_or(|&closed_ns| step.done_ns <= closed_ns)
    });
    trace
}

/// Whether the rules forbid to exchange these two.
fn are_bound(a: &Told, b: &Told, order: ReplayOrder) -> bool {
    let changes =
        |told: &Told| matches!(told.kind, OpKind::Create | OpKind::Unlink | OpKind::Rename | OpKind::MakeDir);
    let names = |told: &Told| match told.kind {
        OpKind::Rename => vec![told.name, told.new_name],
        _ => vec![told.name],
    };
    let same_handle = a.handle != 0 && a.handle == b.handle;
    let ends = |told: &Told| matches!(told.kind, OpKind::Open | OpKind::Create | OpKind::Close);
    match order {
        ReplayOrder::Serial => true,
        _ if a.thread == b.thread => true,
        ReplayOrder::Streams => same_handle && (ends(a) || ends(b)),
        ReplayOrder::Resources => {
            let shared = names(a).iter().any(|name| names(b).contains(name));
            let data = |x: &Told, y: &Told| x.kind == OpKind::Read && y.kind == OpKind::Write;
            // `dir` is above `dir/x` and `dir/y`.
            let by_path = |told: &Told| ends(told) && told.kind != OpKind::Close || told.handle == 0;
            let above = |x: &Told, y: &Told| {
                changes(x)
                    && names(x).contains(&2)
                    && by_path(y)
                    && names(y).iter().any(|name| matches!(name, 3 | 4))
            };
            same_handle
                || shared && (changes(a) || changes(b) || data(a, b) || data(b, a))
                || above(a, b)
                || above(b, a)
        }
    }
}

fn key(record: &OpRecord) -> (OpKind, u32, u64, u32) {
    (record.kind, record.file, record.offset, record.len)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_rules_are_kept_and_nothing_is_lost(
        steps in steps(),
        services in proptest::collection::vec(1u64..2_000, 1..20),
        order in prop_oneof![
            Just(ReplayOrder::Serial),
            Just(ReplayOrder::Streams),
            Just(ReplayOrder::Resources),
        ],
        pace in prop_oneof![Just(Pacing::Recorded), Just(Pacing::Think), Just(Pacing::Max)],
    ) {
        let trace = told(&steps);
        prop_assume!(!trace.is_empty());
        let wanted = Wanted { order, pace, ..Wanted::default() };
        let setting = Setting { pace, ..Setting::default() };
        let mut asked = 0;
        let replayed = try_replay(&trace, wanted, setting, |_| {
            asked += 1;
            services[asked % services.len()]
        });
        // A file at the path of a required directory.
        prop_assume!(!matches!(replayed, Err(ReplayError::Contradiction { .. })));
        let replayed = replayed.unwrap();
        prop_assert!(replayed.stuck.is_empty());
        prop_assert_eq!(replayed.finished, 1);
        prop_assert_eq!(replayed.records.len(), trace.len());

        // Every thread did its own operations in order, so a record is identified by thread and number.
        // Streams are numbered again, in the order of the threads.
        let mut threads: Vec<u32> = trace.iter().map(|told| told.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let files: Vec<u32> = (0..6).collect();
        let mut at = vec![None; trace.len()];
        for (stream, &thread) in threads.iter().enumerate() {
            let records = replayed.records.iter().filter(|record| record.stream == stream as u32);
            let own = trace.iter().enumerate().filter(|(_, told)| told.thread == thread);
            for ((number, told), record) in own.zip(records) {
                prop_assert_eq!(key(record), key(&told.record(&files)));
                at[number] = Some(*record);
            }
        }
        for (later, b) in trace.iter().enumerate() {
            for (earlier, a) in trace[..later].iter().enumerate() {
                if a.done_ns > b.issued_ns || !are_bound(a, b, order) {
                    continue;
                }
                let (first, second) = (at[earlier].unwrap(), at[later].unwrap());
                prop_assert!(
                    first.done_ns <= second.issued_ns,
                    "{:?} {a:?} before {b:?}: {first:?} {second:?}", order
                );
            }
        }
    }
}
