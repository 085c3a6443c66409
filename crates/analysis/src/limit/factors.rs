//! Other influences on the local host during the load. They are reported, with the name of a program,
//! but not blamed: [`crate::culprit`] decides whether they did harm.

use super::finding::{LimitFinding, LimitStep, Measure, Seen};
use super::input::LimitInput;

/// From this share of all processors on, in percent, other programs are reported.
const OTHERS_PERCENT: f64 = 50.0;

/// From this share on, in percent, no processor counts as idle; then other programs are reported from
/// `OTHERS_OF_FULL_PERCENT` on.
const FULL_PERCENT: f64 = 95.0;
const OTHERS_OF_FULL_PERCENT: f64 = 33.0;

/// From this share of one processor on, in percent, a single-threaded program is at its limit.
const PROGRAM_PERCENT: f64 = 90.0;

/// Processor time that was wanted and not available, or time spent waiting for memory, in percent.
const TAKEN_PERCENT: f64 = 5.0;

/// From this many pause frames per second on, flow control is reported. One of them can stop a port for
/// up to 34 ms at 1 Gbit/s and 3.4 ms at 10 Gbit/s; a link without congestion has none.
const PAUSES_PER_S: f64 = 10.0;

/// The contributing factors, the most important first.
pub(super) fn factors(scene: &LimitInput<'_>) -> Vec<LimitFinding> {
    let of_host = |name: &str| scene.host(name);
    let taken = [
        (Measure::StealPercent, of_host("cpu_steal_percent"), "host.vm_steal"),
        (Measure::ThrottledPercent, scene.tool("throttled_percent"), "cpu.single_core_bound"),
        (Measure::MemoryPressurePercent, of_host("pressure_memory_some_percent"), "mem.pressure_or_swap"),
    ];
    let taken = taken.into_iter().filter_map(|(measure, percent, rule)| {
        let seen =
            Seen::against(measure, percent.filter(|percent| *percent >= TAKEN_PERCENT)?, TAKEN_PERCENT);
        Some(LimitFinding::new(LimitStep::Client, vec![seen], &[rule]))
    });
    taken.chain(others(scene)).chain(pauses(scene)).collect()
}

/// Flow control on the link, and which side held back the other.
fn pauses(scene: &LimitInput<'_>) -> Option<LimitFinding> {
    let of = |measure, name: &str| {
        let per_s = scene.interface(name).filter(|per_s| *per_s >= PAUSES_PER_S)?;
        Some(Seen::against(measure, per_s, PAUSES_PER_S))
    };
    let received = of(Measure::PausesReceivedPerS, "rx_pause_frames_per_s");
    let sent = of(Measure::PausesSentPerS, "tx_pause_frames_per_s");
    let seen: Vec<Seen> = received.into_iter().chain(sent).collect();
    let link = scene.link.filter(|_| !seen.is_empty())?;
    Some(LimitFinding::new(LimitStep::LinkFull, seen, &["net.pause.storm"]).at(&link.interface))
}

/// Other programs, and the one that used most.
fn others(scene: &LimitInput<'_>) -> Option<LimitFinding> {
    let own = scene.tool("cpu_percent").map(|percent| percent / f64::from(scene.processors.max(1)));
    // Kernel threads do the I/O of other processes; those of a loop device may do it for this run.
    let kernel = scene.host("kernel_threads_percent").unwrap_or(0.0) / f64::from(scene.processors.max(1));
    let (busy, own) = scene.host("cpu_busy_percent").zip(own)?;
    let program = scene.largest_program();
    // The shares of Reelgauge and the kernel are sampled at other times, so the share of one program is
    // a lower bound.
    let least = program.map_or(0.0, |program| program.percent / f64::from(scene.processors.max(1)));
    let others = (busy - own - kernel).max(least);
    let worth_percent = if busy >= FULL_PERCENT { OTHERS_OF_FULL_PERCENT } else { OTHERS_PERCENT };
    let fills_one = program.is_some_and(|program| program.percent >= PROGRAM_PERCENT);
    if !fills_one && others < worth_percent {
        return None;
    }
    let mut seen = vec![Seen::against(Measure::OthersPercent, others, worth_percent)];
    if let Some(program) = program {
        seen.push(Seen::against(Measure::ProgramPercent, program.percent, PROGRAM_PERCENT));
        seen.extend(program.processes_seen());
    }
    let finding = LimitFinding::new(LimitStep::Client, seen, &["cpu.single_core_bound"]);
    Some(match program {
        Some(program) => finding.at(program.name),
        None => finding,
    })
}
