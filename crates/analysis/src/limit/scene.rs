//! What the questions are asked of: the counters of the measured time, the load point, and what lies between
//! this machine and the storage.

use reelgauge_machine::packet_overhead;
use reelgauge_record::counters::Layer;

use crate::counters::means::Means;
use crate::facts::{LinkFacts, MemoryFacts};
use crate::figures::TimeFigures;
use crate::limit::finding::{Measure, Seen};
use crate::summary::LoadPoint;

/// A load point and what was sampled while it was measured.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Means over exactly the measured time.
    pub means: &'a Means,
    pub point: &'a LoadPoint,
    /// The link to the storage; `None` where there is none, or it could not be found out.
    pub link: Option<&'a LinkFacts>,
    /// The memories on the way.
    pub memory: Option<&'a MemoryFacts>,
    /// Who else sampled meanwhile, with means over the same time.
    pub observed: &'a [Observed<'a>],
    /// Whether the storage is behind a network.
    pub on_network: bool,
    /// How many processors this machine has.
    pub processors: u32,
    /// How long the incidents were, where the means and the load point are those of its incidents alone.
    pub incidents_s: Option<f64>,
    /// Whether the load was no larger than it was asked to be: frames have their times, so that a load that
    /// was met says nothing of what could have been carried.
    pub is_paced: bool,
}

/// Another machine of which the counters are known: the server, or an array.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Means over exactly the measured time.
    pub means: &'a Means,
}

/// A TCP connection to the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection<'a> {
    pub(super) name: &'a str,
    means: &'a Means,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Program<'a> {
    pub(super) name: &'a str,
    /// Of one processor, all its processes together.
    pub(super) percent: f64,
    /// How many they are; `None` where that was not counted.
    pub(super) processes: Option<f64>,
}

impl Program<'_> {
    /// How many processes took what it took.
    pub(super) fn processes_seen(&self) -> Option<Seen> {
        self.processes.map(|processes| Seen::beside(Measure::ProgramProcesses, processes))
    }
}

impl Connection<'_> {
    /// One of its counters, `connection_` left out.
    pub(super) fn of(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Network, &format!("connection_{name}"), self.name)
    }

    /// What a full segment carries: as the kernel says, else what is usual. An address of IPv6 stands in
    /// brackets.
    pub(super) fn segment_bytes(&self) -> f64 {
        let usual = || {
            f64::from(packet_overhead::segment_bytes(
                packet_overhead::ETHERNET_MTU_BYTES,
                self.name.starts_with('['),
            ))
        };
        self.of("mss_bytes").filter(|bytes| *bytes > 0.0).unwrap_or_else(usual)
    }
}

impl<'a> Scene<'a> {
    /// The connections to the server; empty where there are none or they were not sampled.
    pub(super) fn connections(&self) -> Vec<Connection<'a>> {
        let names = self.means.each(Layer::Network, "connection_sent_bytes_per_s");
        names.map(|(name, _)| Connection { name, means: self.means }).collect()
    }

    /// All connections together.
    pub(super) fn connections_sum(&self, name: &str) -> Option<f64> {
        self.means.sum(Layer::Network, &format!("connection_{name}"))
    }

    /// The shortest round trip of TCP over all connections.
    pub(super) fn shortest_rtt_us(&self) -> Option<f64> {
        self.connections().iter().filter_map(|connection| connection.of("min_rtt_us")).reduce(f64::min)
    }

    /// Of all of this machine's network.
    pub(super) fn network(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Network, name, "")
    }

    /// Of the link's interface.
    pub(super) fn interface(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Network, name, &self.link?.interface)
    }

    /// Of the whole machine.
    pub(super) fn host(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Host, name, "")
    }

    pub(super) fn mount(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Mount, name, "")
    }

    pub(super) fn tool(&self, name: &str) -> Option<f64> {
        self.means.largest(Layer::Tool, name).map(|(_, value)| value)
    }

    /// The other program that took most, by name.
    pub(super) fn largest_program(&self) -> Option<Program<'a>> {
        let (name, percent) = self.means.largest(Layer::Host, "program_percent")?;
        // Runs of earlier versions don't have it.
        let processes = self.means.of(Layer::Host, "program_processes", name);
        Some(Program { name, percent, processes })
    }

    /// Whether more was read than written.
    pub(super) fn mostly_reads(&self) -> bool {
        self.point.total.read_bytes >= self.point.total.written_bytes
    }

    /// How long an operation that moved data took, as the storage's.
    pub(super) fn operation(&self) -> Option<TimeFigures> {
        self.point.total.service.data
    }
}
