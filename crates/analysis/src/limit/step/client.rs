//! Was it the local host? Requests that wait in its queue for longer than the server takes, received
//! data that were not read, or workers that were always computing and never waited for the storage.
//!
//! Busy processors alone are no reason. The share of runnable workers is: if all workers have or want a
//! processor, none of them waits for storage. A worker's thread is one that does operations.

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::input::{Connection, LimitInput};

/// Unread data in a receive buffer, in percent of its size.
const RECEIVE_QUEUE_PERCENT: f64 = 50.0;

/// Share of the workers, in percent.
const AT_WORK_PERCENT: f64 = 80.0;

/// A shorter wait in the queue does not matter.
const QUEUE_US_MIN: f64 = 1_000.0;

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    let asked = [queue(scene), receive_queue(scene), at_work(scene)];
    let mut nearest: Option<LimitFinding> = None;
    let mut is_measured = false;
    for tested in asked {
        match tested {
            Tested::Found(finding) => return Tested::Found(finding),
            Tested::Below(finding) => {
                is_measured = true;
                let nearness = |finding: &LimitFinding| finding.seen.first().and_then(Seen::nearness);
                if nearest.as_ref().is_none_or(|other| nearness(other) < nearness(&finding)) {
                    nearest = Some(finding);
                }
            }
            Tested::No => is_measured = true,
            Tested::NotMeasured => {}
        }
    }
    match (nearest, is_measured) {
        (Some(finding), _) => Tested::Below(finding),
        (None, true) => Tested::No,
        (None, false) => Tested::NotMeasured,
    }
}

/// A request waits in this client's queue for longer than on the network path and at the server.
fn queue(scene: &LimitInput<'_>) -> Tested {
    let names = if scene.mostly_reads() {
        ("read_queue_us", "read_rtt_us")
    } else {
        ("write_queue_us", "write_rtt_us")
    };
    let (Some(queue_us), Some(rtt_us)) = (scene.mount(names.0), scene.mount(names.1)) else {
        return Tested::NotMeasured;
    };
    let seen = vec![
        Seen::against(Measure::QueueUs, queue_us, rtt_us.max(QUEUE_US_MIN)),
        Seen::beside(Measure::RequestRttUs, rtt_us),
    ];
    let rules = ["nfs.rpc.queue_vs_rtt", "nfs.nconnect_missing"];
    Tested::by_first(LimitFinding::new(LimitStep::Client, seen, &rules))
}

/// The connection whose data are read most slowly.
fn receive_queue(scene: &LimitInput<'_>) -> Tested {
    let percent = |connection: &Connection<'_>| {
        let buffer = connection.of("receive_buffer_bytes").filter(|bytes| *bytes > 0.0)?;
        Some(connection.of("receive_queue_bytes")? / buffer * 100.0)
    };
    let connections = scene.connections();
    let known = connections.iter().filter_map(|connection| Some((connection.name, percent(connection)?)));
    let Some((name, percent)) = known.max_by(|one, two| one.1.total_cmp(&two.1)) else {
        return Tested::NotMeasured;
    };
    let seen = vec![Seen::against(Measure::ReceiveQueuePercent, percent, RECEIVE_QUEUE_PERCENT)];
    Tested::by_first(LimitFinding::new(LimitStep::Client, seen, &["net.tcp.receiver_slow"]).at(name))
}

/// The workers always had, or wanted, a processor. Only without a pace: at a pace, lateness decides.
fn at_work(scene: &LimitInput<'_>) -> Tested {
    if scene.is_paced {
        return Tested::No;
    }
    let Some(threads) = scene.point.threads.filter(|threads| *threads > 0) else {
        return Tested::NotMeasured;
    };
    let (Some(cpu_percent), Some(waiting)) = (scene.tool("cpu_percent"), scene.tool("threads_waiting"))
    else {
        return Tested::NotMeasured;
    };
    let at_work = (cpu_percent / 100.0 + waiting) / f64::from(threads);
    let mut seen =
        vec![Seen::against(Measure::WorkersAtWorkPercent, (at_work * 100.0).min(100.0), AT_WORK_PERCENT)];
    let program = scene.largest_program().filter(|program| program.percent >= 50.0);
    if let Some(program) = program {
        seen.push(Seen::beside(Measure::ProgramPercent, program.percent));
        seen.extend(program.processes_seen());
    }
    let finding = LimitFinding::new(LimitStep::Client, seen, &["cpu.single_core_bound"]);
    Tested::by_first(match program {
        Some(program) => finding.at(program.name),
        None => finding,
    })
}
