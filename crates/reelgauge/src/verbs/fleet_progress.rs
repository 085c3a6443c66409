//! Converts the state of a fleet's run into the lines of its progress screen.

use reelgauge_analysis::ResponseCounts;
use reelgauge_analysis::figures::CARRY_P99;
use reelgauge_fleet::controller::clock::now_ns;
use reelgauge_fleet::controller::conduct::{Conduct, Member, Stage};
use reelgauge_fleet::controller::fleet_run::FleetRun;
use reelgauge_fleet::controller::live_tick;
use reelgauge_fleet::controller::run_lifecycle::time_of_day;
use reelgauge_fleet::protocol::Phase;
use reelgauge_report::fleet_run::{FleetDoes, FleetNow, FleetTries, MissingLine, SoFarLine};

/// A shorter time without an answer from the storage, on all hosts, is not shown.
const NO_ANSWER_TOLD_S: f64 = 2.0;

/// The state of a run.
pub fn now(run: &FleetRun) -> FleetNow {
    let conduct = &run.conduct;
    let present: Vec<&Member> = conduct.measuring().filter(|member| member.missing.is_none()).collect();
    let does = match conduct.stage {
        Stage::Preparing { point } => {
            let is_ready = |member: &&&Member| {
                let phase = member.state.as_ref().map(|state| &state.phase);
                phase == Some(&Phase::Ready { point })
            };
            FleetDoes::Readying { point, ready: present.iter().filter(is_ready).count() as u64 }
        }
        Stage::Point { point, at_ns } => match now_ns() {
            now_ns if now_ns < at_ns => FleetDoes::Starting { point, in_s: (at_ns - now_ns) as f64 / 1e9 },
            now_ns => measuring(conduct, point, (at_ns, now_ns)),
        },
        Stage::Paused { point } => FleetDoes::Paused { point },
        Stage::Stopping => FleetDoes::Stopping,
        Stage::Over => {
            let (done_bytes, all_bytes) = run.fetched_bytes();
            FleetDoes::Fetching { done_bytes, all_bytes }
        }
    };
    let may_pause = matches!(conduct.stage, Stage::Preparing { .. } | Stage::Point { .. });
    FleetNow {
        present: present.len() as u64,
        agents: conduct.measuring().count() as u64,
        does,
        will_pause: may_pause && conduct.pauses.wants(),
        tries: tries(conduct),
    }
}

/// The current trial, in a search.
fn tries(conduct: &Conduct) -> Option<FleetTries> {
    let search = conduct.search.as_ref().filter(|search| !search.is_over())?;
    let point = match conduct.stage {
        Stage::Preparing { point } | Stage::Paused { point } | Stage::Point { point, .. } => point,
        Stage::Stopping | Stage::Over => return None,
    };
    let (passed, fell) = search.bounds();
    Some(FleetTries { label: search.label(point)?, passed, fell })
}

/// The merged figures of all connected agents in a load point.
fn measuring(conduct: &Conduct, point: u16, (at_ns, now_ns): (i64, i64)) -> FleetDoes {
    let present = || conduct.measuring().filter(|member| member.missing.is_none());
    let mut counts = ResponseCounts::default();
    let heard = present().filter(|member| member.is_heard(now_ns));
    heard.filter_map(|member| member.live_of(point)).for_each(|live| counts.merge(&live.response_counts));
    let sums = live_tick::Sums::now(conduct, point, now_ns);
    let unheard = || present().filter(|member| !member.is_heard(now_ns));
    let longest_ns = unheard().map(|member| member.silent_for_ns(now_ns)).max();
    FleetDoes::Measuring {
        point,
        elapsed_s: (now_ns - at_ns) as f64 / 1e9,
        read_bytes_per_s: sums.read_bytes_per_s,
        write_bytes_per_s: sums.write_bytes_per_s,
        p99_ms: p99_ms(&counts),
        late_frames: sums.late_frames,
        no_answer_s: sums.no_answer_s.filter(|s| *s >= NO_ANSWER_TOLD_S),
        unheard: longest_ns.map(|ns| (unheard().count() as u64, ns as f64 / 1e9)),
    }
}

/// The earlier load points, as far as agents have reported them to this process.
pub fn finished_points(conduct: &Conduct, before: u16) -> Vec<SoFarLine> {
    let agents = conduct.measuring().count() as u64;
    let line = |point: u16| {
        let mut line = SoFarLine { point, agents, ..SoFarLine::default() };
        let mut counts = ResponseCounts::default();
        for live in conduct.members.iter().filter_map(|member| member.live_of(point)) {
            let measured_s = live.measured_ms.max(1) as f64 / 1e3;
            line.told += 1;
            line.ops += live.ops;
            line.failed_ops += live.failed_ops;
            line.read_bytes_per_s += live.read_bytes as f64 / measured_s;
            line.write_bytes_per_s += live.written_bytes as f64 / measured_s;
            line.late_frames =
                live.late_frames.map(|frames| frames + line.late_frames.unwrap_or(0)).or(line.late_frames);
            counts.merge(&live.response_counts);
        }
        line.p99_ms = p99_ms(&counts);
        line
    };
    (0..before).map(line).collect()
}

pub fn missing(conduct: &Conduct) -> Vec<MissingLine> {
    let line = |member: &Member| {
        let missing = member.missing.as_ref()?;
        Some(MissingLine {
            agent: member.part.agent.clone(),
            from: time_of_day(missing.from_ns),
            why: missing.why.clone(),
            is_fetched: member.is_fetched,
        })
    };
    conduct.members.iter().filter_map(line).collect()
}

/// `None` if there are too few operations for this percentile.
fn p99_ms(counts: &ResponseCounts) -> Option<f64> {
    let p99_ns = counts.quantile_ns(0.99).filter(|_| counts.count() >= CARRY_P99);
    p99_ns.map(|ns| ns as f64 / 1e6)
}
