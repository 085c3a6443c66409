//! The throughput of the network between hosts without any storage, and the slow lines. Pure.

use serde::{Deserialize, Serialize};

/// A line with less than this share of the others' throughput is slow.
const SLOW_SHARE: f64 = 0.5;
/// With fewer lines it is unknown which of them is normal.
const LINES_MIN: usize = 3;

/// The network measurements, or why there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NetworkFindings {
    /// Why it was not measured at all; `None` if it was.
    pub why_not: Option<String>,
    /// How long each measurement took, in seconds.
    pub each_s: f64,
    /// Every measurement, in its order.
    pub lines: Vec<NetworkLine>,
}

/// One measurement: bytes over TCP from one host's memory to another's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkLine {
    /// The agent that sent.
    pub from: String,
    /// The agent that received.
    pub to: String,
    /// Connections at once.
    pub connections: u32,
    /// Whether every agent sent at the same time.
    pub is_together: bool,
    /// The received rate, by the receiver's clock; `None` if it was not measured.
    pub bytes_per_s: Option<f64>,
    /// Why it was not measured.
    pub why_not: Option<String>,
    /// The address of the receiver.
    pub address: Option<String>,
    /// The limit that the owner of one of the two agents set, if it was reached: the network may allow
    /// more.
    pub owner_bytes_per_s: Option<u64>,
}

/// A line that is much slower than the others.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowLine<'a> {
    pub line: &'a NetworkLine,
    pub bytes_per_s: f64,
    /// The throughput of one of the other lines.
    pub others_bytes_per_s: f64,
}

/// All agents sending at once, compared with each of them alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Together {
    /// Connections per agent.
    pub connections: u32,
    /// The sum of all at once.
    pub together_bytes_per_s: f64,
    /// The sum of each alone.
    pub alone_bytes_per_s: f64,
}

impl NetworkFindings {
    /// The slow lines, from the measurements of single senders with the most connections.
    pub fn slow(&self) -> Vec<SlowLine<'_>> {
        let most = self.lines.iter().map(|line| line.connections).max().unwrap_or(0);
        let alone = self.lines.iter().filter(|line| !line.is_together && line.connections == most);
        let known: Vec<(&NetworkLine, f64)> =
            alone.filter_map(|line| Some((line, line.bytes_per_s?))).collect();
        if known.len() < LINES_MIN {
            return Vec::new();
        }
        let mut rates: Vec<f64> = known.iter().map(|(_, rate)| *rate).collect();
        rates.sort_by(f64::total_cmp);
        // In a ring, one slow host has two slow lines, so of three lines the fastest shows the normal
        // throughput.
        let others_bytes_per_s = rates[(rates.len() * 2 / 3).min(rates.len() - 1)];
        let slow = known.into_iter().filter(|(_, rate)| *rate < SLOW_SHARE * others_bytes_per_s);
        slow.map(|(line, bytes_per_s)| SlowLine { line, bytes_per_s, others_bytes_per_s }).collect()
    }

    /// The one host that all slow lines have in common, if there are several.
    pub fn slow_machine(&self) -> Option<&str> {
        let slow = self.slow();
        let (first, rest) = slow.split_first()?;
        let is_in_all = |name: &&str| {
            !rest.is_empty() && rest.iter().all(|slow| slow.line.from == **name || slow.line.to == **name)
        };
        [first.line.from.as_str(), first.line.to.as_str()].into_iter().find(is_in_all)
    }

    /// All agents at once compared with each of them alone, for every number of connections with
    /// complete measurements.
    pub fn together(&self) -> Vec<Together> {
        let mut counts: Vec<u32> = self.lines.iter().map(|line| line.connections).collect();
        counts.sort_unstable();
        counts.dedup();
        let sum = |connections: u32, is_together: bool| {
            let lines = self.lines.iter();
            let mut these =
                lines.filter(|line| line.connections == connections && line.is_together == is_together);
            these.try_fold((0.0, 0), |(sum, count), line| Some((sum + line.bytes_per_s?, count + 1)))
        };
        let of = |connections| {
            let (alone, one_by_one) = sum(connections, false)?;
            let (together, at_once) = sum(connections, true)?;
            (one_by_one == at_once && at_once > 1).then_some(Together {
                connections,
                together_bytes_per_s: together,
                alone_bytes_per_s: alone,
            })
        };
        counts.into_iter().filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(from: &str, to: &str, is_together: bool, bytes_per_s: Option<f64>) -> NetworkLine {
        NetworkLine {
            from: from.to_owned(),
            to: to.to_owned(),
            connections: 4,
            is_together,
            bytes_per_s,
            why_not: None,
            address: None,
            owner_bytes_per_s: None,
        }
    }

    fn findings(lines: Vec<NetworkLine>) -> NetworkFindings {
        NetworkFindings { why_not: None, each_s: 1.0, lines }
    }

    #[test]
    fn slow_host_in_a_ring_is_found_by_both_its_links() {
        let found = findings(vec![
            line("a", "b", false, Some(24e6)),
            line("b", "slow", false, Some(1e6)),
            line("slow", "a", false, Some(1.1e6)),
            line("slow", "a", true, Some(1.0)),
        ]);
        assert_eq!(found.slow().len(), 2);
        assert_eq!(found.slow_machine(), Some("slow"));
    }

    #[test]
    fn to_one_server_the_slow_line_is_one_and_equal_lines_are_none() {
        let rates = |rates: [f64; 4]| {
            findings(
                rates
                    .iter()
                    .zip(["a", "b", "c", "d"])
                    .map(|(rate, from)| line(from, "nas", false, Some(*rate)))
                    .collect(),
            )
        };
        let one = rates([100.0, 98.0, 30.0, 102.0]);
        assert_eq!(one.slow().iter().map(|slow| slow.line.from.as_str()).collect::<Vec<_>>(), ["c"]);
        assert_eq!(one.slow_machine(), None, "the server has a part in all, and the line is named");
        assert!(rates([100.0, 90.0, 80.0, 70.0]).slow().is_empty());
        assert!(
            findings(vec![line("a", "b", false, Some(1.0)), line("b", "a", false, Some(9.0))])
                .slow()
                .is_empty()
        );
    }

    #[test]
    fn unknown_throughput_is_in_no_sum() {
        let all = vec![
            line("a", "n", false, Some(10.0)),
            line("b", "n", false, Some(10.0)),
            line("a", "n", true, Some(6.0)),
            line("b", "n", true, Some(5.0)),
        ];
        let whole = findings(all.clone()).together();
        assert_eq!(whole.len(), 1);
        assert_eq!((whole[0].together_bytes_per_s, whole[0].alone_bytes_per_s), (11.0, 20.0));
        let mut gap = all;
        gap[3].bytes_per_s = None;
        assert_eq!(findings(gap).together(), []);
    }
}
