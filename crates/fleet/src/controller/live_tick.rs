//! The state of a run of a fleet for its `live.jsonl`: all hosts together, and each of them. Pure.
//!
//! Not here: writing it to disk ([`super::live_log`]), and the terminal.

use std::cmp::Reverse;

use reelgauge_report::fleet_run::why_missing;
use reelgauge_report::text::plain_short;
use reelgauge_results::live::{LiveHosts, LiveStreams, LiveTick};
use reelgauge_runner::remote_control::messages::{LiveReport, StreamReport};

use super::conduct::{Conduct, Member, Stage};

/// Above this number, hosts are not listed individually.
const HOSTS_MOST: usize = 64;
/// Above this number, streams are not listed individually.
const STREAMS_MOST: usize = 64;
/// An agent's label of a load point is cut to this length.
const LABEL_CHARS_MAX: usize = 120;

/// The activity between load points, and before and after them; `None` during one.
pub fn phase(conduct: &Conduct, now_ns: i64) -> Option<String> {
    match conduct.stage {
        Stage::Preparing { point: 0 } => Some("preparing".to_owned()),
        Stage::Preparing { point } => Some(format!("waiting for load point {}", u32::from(point) + 1)),
        Stage::Point { point, at_ns } => {
            let begins = || format!("starting load point {}", u32::from(point) + 1);
            let is_silent = || nobody_is_heard(conduct, now_ns).then(|| "no agent is responding".to_owned());
            if now_ns < at_ns { Some(begins()) } else { is_silent() }
        }
        Stage::Paused { .. } => Some("paused".to_owned()),
        Stage::Stopping => Some("stopping".to_owned()),
        Stage::Over => Some("fetching results".to_owned()),
    }
}

/// Whether every agent that takes part is silent: the server hangs, or the network path to it is broken.
fn nobody_is_heard(conduct: &Conduct, now_ns: i64) -> bool {
    let mut present = conduct.measuring().filter(|member| member.missing.is_none()).peekable();
    present.peek().is_some() && present.all(|member| !member.is_heard(now_ns))
}

/// On the run's clock: since its first load point began, and 0 before that.
pub fn at_s(conduct: &Conduct, now_ns: i64) -> f64 {
    let begun_ns = conduct.starts_ns.first().copied().unwrap_or(now_ns);
    whole_ms_s(now_ns.saturating_sub(begun_ns).max(0))
}

/// The load point in progress; `None` between load points, before any agent has reported on it, or if
/// all are silent.
pub fn tick(conduct: &Conduct, now_ns: i64) -> Option<LiveTick> {
    let Stage::Point { point, at_ns } = conduct.stage else { return None };
    let members: Vec<HostNow<'_>> =
        conduct.measuring().map(|member| HostNow::of(member, point, now_ns)).collect();
    let is_untold = members.iter().all(|host| host.live.is_none());
    if now_ns < at_ns || is_untold || nobody_is_heard(conduct, now_ns) {
        return None;
    }
    let told = || members.iter().filter_map(|host| host.live);
    let going = || members.iter().filter(|host| host.goes_on()).filter_map(|host| host.live);
    let labels = told().map(|live| live.label.as_str()).find(|label| !label.is_empty());
    let sums = Sums::of(&members);
    Some(LiveTick {
        at_s: at_s(conduct, now_ns),
        label: label(conduct, point, labels),
        elapsed_s: whole_ms_s(now_ns - at_ns),
        warmup_s: told().map(|live| live.warmup_ms).max().map_or(0.0, seconds),
        total_s: told().map(|live| live.total_ms).max().flatten().map(seconds),
        read_bytes_per_s: sums.read_bytes_per_s,
        write_bytes_per_s: sums.write_bytes_per_s,
        late_frames: sums.late_frames,
        margin_ms: going().filter_map(|live| live.margin_ms).min(),
        longest_in_flight_s: going().filter_map(|live| live.longest_in_flight_ms).max().map(seconds),
        no_answer_s: sums.no_answer_s,
        incidents: None,
        incident: None,
        streams: streams(&members),
        hosts: hosts(&members),
    })
}

/// One host in a load point.
#[derive(Clone, Copy)]
struct HostNow<'a> {
    member: &'a Member,
    live: Option<&'a LiveReport>,
    /// Whether it was heard a moment ago.
    is_heard: bool,
}

impl<'a> HostNow<'a> {
    fn of(member: &'a Member, point: u16, now_ns: i64) -> HostNow<'a> {
        HostNow { member, live: member.live_of(point), is_heard: member.is_heard(now_ns) }
    }

    /// Whether its last report still holds.
    fn goes_on(&self) -> bool {
        self.is_heard && self.member.missing.is_none() && self.live.is_some_and(|live| !live.is_over)
    }

    fn name(&self) -> &'a str {
        &self.member.part.agent
    }

    fn silent_ms(&self) -> Option<u64> {
        self.live.filter(|_| self.goes_on())?.no_answer_ms
    }

    fn bytes_per_s(&self, of: impl Fn(&LiveReport) -> f64) -> Option<f64> {
        let is_over = |live: &LiveReport| live.is_over;
        let live = self.live.filter(|_| self.is_heard && self.member.missing.is_none())?;
        Some(if is_over(live) { 0.0 } else { of(live) })
    }
}

/// In a search every host knows only its own share; the total is known here.
fn label(conduct: &Conduct, point: u16, said: Option<&str>) -> String {
    let tried = conduct.search.as_ref().and_then(|search| search.label(point));
    let said =
        said.filter(|_| conduct.measuring().count() == 1).map(|said| plain_short(said, LABEL_CHARS_MAX));
    tried.or(said).unwrap_or_else(|| format!("load point {}", u32::from(point) + 1))
}

/// All hosts together in a load point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums {
    /// The read rate of the hosts that still measure, in bytes per second.
    pub read_bytes_per_s: f64,
    /// Their write rate.
    pub write_bytes_per_s: f64,
    /// Late frames of all hosts. Frames of hosts that are missing by now still count. `None` without
    /// frames.
    pub late_frames: Option<u64>,
    /// How long no host has been answered by its storage; `None` while any is.
    pub no_answer_s: Option<f64>,
}

impl Sums {
    /// The sums at this time.
    pub fn now(conduct: &Conduct, point: u16, now_ns: i64) -> Sums {
        let members = conduct.measuring().map(|member| HostNow::of(member, point, now_ns));
        Sums::of(&members.collect::<Vec<_>>())
    }

    fn of(members: &[HostNow<'_>]) -> Sums {
        let going = || members.iter().filter(|host| host.goes_on()).filter_map(|host| host.live);
        let late_frames = members.iter().filter_map(|host| host.live?.late_frames);
        Sums {
            read_bytes_per_s: going().map(|live| live.read_bytes_per_s).sum(),
            write_bytes_per_s: going().map(|live| live.write_bytes_per_s).sum(),
            late_frames: late_frames.reduce(|sum, frames| sum + frames),
            no_answer_s: nobody_is_answered_s(going()),
        }
    }
}

fn nobody_is_answered_s<'a>(going: impl Iterator<Item = &'a LiveReport>) -> Option<f64> {
    let silent: Option<Vec<u64>> = going.map(|live| live.no_answer_ms).collect();
    silent?.into_iter().min().map(seconds)
}

/// The worst streams of all hosts.
fn streams(members: &[HostNow<'_>]) -> LiveStreams {
    let of_host = |host: &HostNow<'_>| {
        let (name, live) = (host.member.part.agent.clone(), host.live);
        let streams = live.filter(|_| host.goes_on()).map(|live| live.streams.clone()).unwrap_or_default();
        streams.into_iter().map(move |stream| (name.clone(), stream))
    };
    let mut all: Vec<(String, StreamReport)> = members.iter().flat_map(of_host).collect();
    all.sort_by_key(|(_, stream)| (Reverse(stream.late_frames), stream.margin_ms.unwrap_or(i64::MAX)));
    all.truncate(STREAMS_MOST);
    let mut columns = LiveStreams::default();
    for (host, stream) in all {
        columns.stream.push(stream.stream);
        columns.late_frames.push(stream.late_frames);
        columns.margin_ms.push(stream.margin_ms);
        columns.buffer_ms.push(stream.buffer_ms);
        columns.host.push(host);
    }
    columns
}

fn hosts(members: &[HostNow<'_>]) -> LiveHosts {
    let weight = |host: &HostNow<'_>| {
        let late = host.live.and_then(|live| live.late_frames).unwrap_or(0);
        (host.member.missing.is_some(), late, host.silent_ms().unwrap_or(0))
    };
    let mut worst: Vec<usize> = (0..members.len()).collect();
    worst.sort_by_key(|&at| Reverse(weight(&members[at])));
    worst.truncate(HOSTS_MOST);
    worst.sort_unstable();
    let left_out = u32::try_from(members.len() - worst.len()).unwrap_or(u32::MAX);
    let mut columns = LiveHosts { left_out, ..LiveHosts::default() };
    for host in worst.into_iter().map(|at| members[at]) {
        columns.name.push(host.name().to_owned());
        columns.read_bytes_per_s.push(host.bytes_per_s(|live| live.read_bytes_per_s));
        columns.write_bytes_per_s.push(host.bytes_per_s(|live| live.write_bytes_per_s));
        columns.late_frames.push(host.live.and_then(|live| live.late_frames));
        columns.no_answer_s.push(host.silent_ms().map(seconds));
        columns.missing.push(host.member.missing.as_ref().map(|missing| why_missing(&missing.why)));
    }
    columns
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1e3
}

/// Rounded down to whole milliseconds.
fn whole_ms_s(ns: i64) -> f64 {
    (ns / 1_000_000) as f64 / 1e3
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_report::fleet_run::WhyMissing;

    use super::super::conduct::{AgentTask, Missing, OnLoss};
    use super::*;
    use crate::protocol::{Beat, PROTOCOL};

    fn conduct(names: &[String]) -> Conduct {
        let part = |name: &String| AgentTask {
            agent: name.clone(),
            plan_sha256: String::new(),
            plan_toml: String::new(),
        };
        let parts = names.iter().map(part).collect();
        let mut conduct = Conduct::new("run", OnLoss::GoOn, parts, 1);
        conduct.starts_ns = vec![1_000_000_000, 11_000_000_000];
        conduct.stage = Stage::Point { point: 1, at_ns: 11_000_000_000 };
        conduct
    }

    fn names(many: &[&str]) -> Vec<String> {
        many.iter().map(|&name| name.to_owned()).collect()
    }

    fn said(read: f64, late: u64, silent_ms: Option<u64>, margin_ms: i64) -> LiveReport {
        LiveReport {
            point: 1,
            read_bytes_per_s: read,
            late_frames: Some(late),
            no_answer_ms: silent_ms,
            margin_ms: Some(margin_ms),
            warmup_ms: 2_000,
            total_ms: Some(12_000),
            streams: vec![StreamReport {
                stream: 0,
                late_frames: late,
                margin_ms: Some(margin_ms),
                buffer_ms: 500,
            }],
            ..LiveReport::default()
        }
    }

    #[test]
    fn all_hosts_are_added_with_a_row_each() {
        let mut conduct = conduct(&names(&["a", "b"]));
        assert_eq!(tick(&conduct, 15_000_000_000), None, "nobody has told anything");
        conduct.live("a", said(100.0, 0, None, 480));
        conduct.live("b", said(50.0, 3, Some(700), -20));
        let tick = tick(&conduct, 15_500_000_000).unwrap();
        assert_eq!((tick.at_s, tick.elapsed_s, tick.warmup_s, tick.total_s), (14.5, 4.5, 2.0, Some(12.0)));
        assert_eq!((tick.read_bytes_per_s, tick.late_frames, tick.margin_ms), (150.0, Some(3), Some(-20)));
        assert_eq!(tick.no_answer_s, None, "a is answered");
        assert_eq!((tick.streams.host, tick.streams.late_frames), (names(&["b", "a"]), vec![3, 0]));
        assert_eq!(tick.hosts.name, names(&["a", "b"]));
        assert_eq!(tick.hosts.no_answer_s, [None, Some(0.7)]);
        assert_eq!(tick.label, "load point 2");
    }

    #[test]
    fn a_missing_host_has_no_rate_and_its_late_frames_still_count() {
        let mut conduct = conduct(&names(&["a", "b", "c"]));
        conduct.live("a", said(100.0, 0, Some(900), 480));
        conduct.live("b", said(50.0, 3, Some(700), -20));
        conduct.members[1].missing = Some(Missing { from_ns: 0, why: WhyMissing::NotHeard });
        let tick = tick(&conduct, 15_000_000_000).unwrap();
        assert_eq!((tick.read_bytes_per_s, tick.late_frames, tick.margin_ms), (100.0, Some(3), Some(480)));
        assert_eq!(tick.no_answer_s, Some(0.9), "nobody that is left is answered");
        assert_eq!(tick.hosts.read_bytes_per_s, [Some(100.0), None, None]);
        assert_eq!(tick.hosts.missing, [None, Some("contact was lost".to_owned()), None]);
        assert_eq!(tick.hosts.late_frames, [Some(0), Some(3), None]);
    }

    #[test]
    fn a_silent_host_has_no_rate_and_a_silent_fleet_has_no_tick() {
        let mut conduct = conduct(&names(&["a", "b"]));
        let beat = |number| Beat { session: 7, beat: number, protocol: PROTOCOL, ..Beat::default() };
        for (name, read) in [("a", 100.0), ("b", 50.0)] {
            conduct.beat(12_000_000_000, name, beat(1));
            conduct.live(name, said(read, 0, Some(900), 480));
        }
        conduct.beat(16_000_000_000, "b", beat(2));
        let now = tick(&conduct, 16_500_000_000).unwrap();
        assert_eq!((now.read_bytes_per_s, now.no_answer_s), (50.0, Some(0.9)));
        assert_eq!(now.hosts.read_bytes_per_s, [None, Some(50.0)]);
        assert_eq!(phase(&conduct, 16_500_000_000), None);
        assert_eq!(tick(&conduct, 20_000_000_000), None);
        assert_eq!(phase(&conduct, 20_000_000_000).unwrap(), "no agent is responding");
    }

    #[test]
    fn worst_hosts_are_listed_and_the_rest_counted() {
        let all: Vec<String> = (0..200).map(|number| format!("h{number:03}")).collect();
        let mut conduct = conduct(&all);
        for name in &all {
            conduct.live(name, said(1.0, u64::from(name == "h170"), None, 9));
        }
        conduct.members[199].missing = Some(Missing { from_ns: 0, why: WhyMissing::NotHeard });
        let hosts = tick(&conduct, 15_000_000_000).unwrap().hosts;
        assert_eq!((hosts.name.len(), hosts.left_out), (64, 136));
        assert!(["h170", "h199"].iter().all(|name| hosts.name.iter().any(|one| one == name)));
        assert!(hosts.name.is_sorted());
        let line =
            reelgauge_results::live::LiveEvent::Live(Box::new(tick(&conduct, 15_000_000_000).unwrap()))
                .to_line();
        assert!(line.len() < reelgauge_results::live::liveness::LINE_MAX, "{}", line.len());
    }

    #[test]
    fn between_load_points_there_is_a_phase_and_no_tick() {
        let mut conduct = conduct(&names(&["a"]));
        assert_eq!(phase(&conduct, 12_000_000_000), None);
        assert_eq!(phase(&conduct, 10_900_000_000).unwrap(), "starting load point 2");
        conduct.stage = Stage::Paused { point: 2 };
        conduct.live("a", said(100.0, 0, None, 480));
        assert_eq!((phase(&conduct, 0).unwrap().as_str(), tick(&conduct, 15_000_000_000)), ("paused", None));
    }
}
