//! The state of the local host in a period, from its sampled counters and from Reelgauge's own pauses.
//!
//! A counter's value covers the time since the sample before it. So a period takes the mean over the
//! samples that overlap it, weighted by the overlap. Counters that were not sampled are `None`.

use serde::{Deserialize, Serialize};

use crate::counters::{CounterSeries, Counters};
use crate::facts::LinkFacts;

/// The local host in a period. Percentages are 0 to 100.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MachineThen {
    /// The longest time that an operation waited in Reelgauge although it was due and its worker was
    /// free.
    pub own_delay_max_us: Option<f64>,
    /// The longest time that a measuring thread was runnable and had no processor. 0 if the system does
    /// not report it (Linux does).
    #[serde(default)]
    pub processor_wait_max_us: Option<f64>,
    /// The total time in which Reelgauge did not run.
    pub paused_s: Option<f64>,
    /// The longest of these pauses.
    pub longest_pause_s: Option<f64>,
    /// Utilization of all processors.
    pub processors_busy_percent: Option<f64>,
    /// Share of all processors that Reelgauge used.
    pub own_processors_percent: Option<f64>,
    /// Share of all processors that other programs used.
    pub others_processors_percent: Option<f64>,
    /// Processor time that the hypervisor took.
    pub steal_percent: Option<f64>,
    /// Share of the time in which Reelgauge's control group was throttled because its quota was used up.
    pub throttled_percent: Option<f64>,
    /// Share of the time in which some task waited for memory.
    pub memory_waiting_percent: Option<f64>,
    /// Utilization of the link in its busier direction, as a share; may be slightly above 1.
    pub link_share: Option<f64>,
    /// Utilization of the busiest disk below the target.
    pub disk_busy_percent: Option<f64>,
}

impl MachineThen {
    /// These values; missing ones are taken from the other.
    #[must_use]
    pub fn or(self, other: MachineThen) -> MachineThen {
        MachineThen {
            own_delay_max_us: self.own_delay_max_us.or(other.own_delay_max_us),
            processor_wait_max_us: self.processor_wait_max_us.or(other.processor_wait_max_us),
            paused_s: self.paused_s.or(other.paused_s),
            longest_pause_s: self.longest_pause_s.or(other.longest_pause_s),
            processors_busy_percent: self.processors_busy_percent.or(other.processors_busy_percent),
            own_processors_percent: self.own_processors_percent.or(other.own_processors_percent),
            others_processors_percent: self.others_processors_percent.or(other.others_processors_percent),
            steal_percent: self.steal_percent.or(other.steal_percent),
            throttled_percent: self.throttled_percent.or(other.throttled_percent),
            memory_waiting_percent: self.memory_waiting_percent.or(other.memory_waiting_percent),
            link_share: self.link_share.or(other.link_share),
            disk_busy_percent: self.disk_busy_percent.or(other.disk_busy_percent),
        }
    }
}

/// The values from the counters in a period; `None` if none was sampled in it.
///
/// `processors` is the number of processors of the local host, `link` the link to the storage: traffic
/// of other interfaces does not count.
pub fn from_counters(
    counters: &Counters,
    from_s: f64,
    until_s: f64,
    processors: u32,
    link: Option<&LinkFacts>,
) -> Option<MachineThen> {
    let series = || counters.agents.iter().flat_map(|agent| &agent.series);
    let means = |layer: &'static str, name: &'static str| {
        let alike = series().filter(move |series| series.layer == layer && series.name == name);
        alike.filter_map(move |series| Some((series, mean_over(series, from_s, until_s)?)))
    };
    let largest = |layer, name| means(layer, name).map(|(_, mean)| mean).reduce(f64::max);
    let busy = largest("host", "cpu_busy_percent");
    let own = largest("tool", "cpu_percent").map(|percent| percent / f64::from(processors.max(1)));
    let on_link = |name| {
        let of_link = means("network", name)
            .find(|(series, _)| Some(&series.device) == link.map(|link| &link.interface));
        of_link.map(|(_, mean)| mean)
    };
    let carried =
        [on_link("rx_bytes_per_s"), on_link("tx_bytes_per_s")].into_iter().flatten().reduce(f64::max);
    let line_bytes_per_s = link.and_then(|link| link.line_bytes_per_s);
    let machine = MachineThen {
        processors_busy_percent: busy,
        own_processors_percent: own,
        others_processors_percent: busy.zip(own).map(|(busy, own)| (busy - own).max(0.0)),
        steal_percent: largest("host", "cpu_steal_percent"),
        throttled_percent: largest("tool", "throttled_percent"),
        memory_waiting_percent: largest("host", "pressure_memory_some_percent"),
        link_share: carried.zip(line_bytes_per_s).map(|(carried, line)| carried / line),
        disk_busy_percent: largest("disk", "util_percent"),
        ..MachineThen::default()
    };
    (machine != MachineThen::default()).then_some(machine)
}

/// The share of a period that samples must cover for a mean of the whole period.
const COVERED_SHARE_MIN: f64 = 0.5;

/// The mean of a series over a period; `None` if samples cover too little of it. Counters start again if
/// they are reset, or if the process is moved to another group.
fn mean_over(series: &CounterSeries, from_s: f64, until_s: f64) -> Option<f64> {
    let (mut sum, mut seconds) = (0.0, 0.0);
    let mut before_s: Option<f64> = None;
    for (&at_s, value) in series.at_s.iter().zip(&series.value) {
        let since_s = before_s.replace(at_s).unwrap_or(at_s);
        let covered_s = at_s.min(until_s) - since_s.max(from_s);
        if let Some(value) = value.filter(|_| covered_s > 0.0) {
            sum += value * covered_s;
            seconds += covered_s;
        }
    }
    let wanted_s = (until_s - from_s).max(0.0) * COVERED_SHARE_MIN;
    (seconds > 0.0 && seconds >= wanted_s).then(|| sum / seconds)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::counters::CounterAgent;

    fn series(layer: &str, name: &str, points: &[(f64, Option<f64>)]) -> CounterSeries {
        CounterSeries {
            layer: layer.to_owned(),
            name: name.to_owned(),
            device: String::new(),
            words: String::new(),
            label: String::new(),
            unit: "percent".to_owned(),
            at_s: points.iter().map(|point| point.0).collect(),
            value: points.iter().map(|point| point.1).collect(),
        }
    }

    fn counters(series: Vec<CounterSeries>) -> Counters {
        let agent = CounterAgent { agent: "local".to_owned(), series, ..CounterAgent::default() };
        Counters { agents: vec![agent] }
    }

    #[test]
    fn a_value_holds_for_the_time_before_it() {
        let busy = series("host", "cpu_busy_percent", &[(0.0, None), (1.0, Some(10.0)), (2.0, Some(90.0))]);
        assert_eq!(mean_over(&busy, 0.0, 1.0), Some(10.0));
        assert_eq!(mean_over(&busy, 1.0, 2.0), Some(90.0));
        assert_eq!(mean_over(&busy, 0.5, 1.5), Some(50.0));
        assert_eq!(mean_over(&busy, 2.0, 3.0), None);
    }

    #[test]
    fn mean_of_the_smaller_part_is_not_used_for_the_whole() {
        // The process was in another group at the second sample, whose counter has no earlier value.
        let throttled = series("tool", "throttled_percent", &[(2.0, None), (3.0, Some(4.0))]);
        assert_eq!(mean_over(&throttled, 0.2, 3.0), None);
        assert_eq!(mean_over(&throttled, 1.5, 3.0), Some(4.0));
    }

    #[test]
    fn unsampled_period_is_unknown() {
        let found = from_counters(&counters(Vec::new()), 0.0, 1.0, 2, None);
        assert_eq!(found, None);
        let busy = series("host", "cpu_busy_percent", &[(0.0, None), (1.0, Some(60.0))]);
        let own = series("tool", "cpu_percent", &[(0.0, None), (1.0, Some(40.0))]);
        let sent = |device: &str, rate| CounterSeries {
            device: device.to_owned(),
            ..series("network", "tx_bytes_per_s", &[(0.0, None), (1.0, Some(rate))])
        };
        let link =
            LinkFacts { interface: "eth0".to_owned(), line_bytes_per_s: Some(100e6), ..LinkFacts::default() };
        // Traffic through the loopback interface does not fill a link.
        let sampled = vec![busy, own, sent("lo", 900e6), sent("eth0", 50e6)];
        let found = from_counters(&counters(sampled), 0.0, 1.0, 2, Some(&link)).unwrap();
        assert_eq!(found.own_processors_percent, Some(20.0));
        assert_eq!(found.others_processors_percent, Some(40.0));
        assert_eq!(found.link_share, Some(0.5));
        assert_eq!((found.steal_percent, found.disk_busy_percent), (None, None));
    }
}
