//! What this machine went through beside the load. Told, with the program's name, and blamed for nothing:
//! whether it harmed anything is what [`crate::culprit`] knows.

use super::finding::{LimitFinding, LimitStep, Measure, Seen};
use super::scene::Scene;

/// Of all processors, in percent, from when on other programs are worth a word.
const OTHERS_PERCENT: f64 = 50.0;

/// From when on no processor is idle, in percent of all, and what others take is worth a word from here on.
const FULL_PERCENT: f64 = 95.0;
const OTHERS_OF_FULL_PERCENT: f64 = 33.0;

/// Of one processor, in percent, from when on a program fills it: its one thread can't do more.
const PROGRAM_PERCENT: f64 = 90.0;

/// Processor time that was wanted and not had, or time in want of memory, in percent.
const TAKEN_PERCENT: f64 = 5.0;

/// Pause frames a second from which on flow control is worth a word. A pair of them stops a port for up to
/// 34 ms at 1 Gbit/s and 3.4 ms at 10; a link that keeps up has none.
const PAUSES_PER_S: f64 = 10.0;

/// What contributed, the weightiest first.
pub(super) fn factors(scene: &Scene<'_>) -> Vec<LimitFinding> {
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

/// Flow control at work on the link: who held whom back.
fn pauses(scene: &Scene<'_>) -> Option<LimitFinding> {
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

/// Other programs, and the one that took most.
fn others(scene: &Scene<'_>) -> Option<LimitFinding> {
    let own = scene.tool("cpu_percent").map(|percent| percent / f64::from(scene.processors.max(1)));
    // The kernel's threads do the I/O of whoever asked for it, as those of a loop device do the run's.
    let kernel = scene.host("kernel_threads_percent").unwrap_or(0.0) / f64::from(scene.processors.max(1));
    let (busy, own) = scene.host("cpu_busy_percent").zip(own)?;
    let program = scene.largest_program();
    // The tool's and the kernel's share are sampled at other moments: what one program took was taken.
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
