//! The input of the questions: the counters of the measured time, the load point, and the layers between
//! the local host and the storage.

use reelgauge_machine::packet_overhead;
use reelgauge_record::counters::Layer;

use crate::counters::means::CounterMeans;
use crate::facts::{LinkFacts, MemoryFacts};
use crate::figures::TimeFigures;
use crate::limit::finding::{Measure, Seen};
use crate::summary::LoadPoint;

/// A load point, and the counters that were sampled during its measurement.
#[derive(Clone, Copy, Debug)]
pub struct LimitInput<'a> {
    /// Means over exactly the measured time.
    pub means: &'a CounterMeans,
    pub point: &'a LoadPoint,
    /// The link to the storage; `None` if there is none, or it could not be determined.
    pub link: Option<&'a LinkFacts>,
    /// The memories between the run and the disks.
    pub memory: Option<&'a MemoryFacts>,
    /// The observers of the run, with means over the same time.
    pub observed: &'a [Observed<'a>],
    /// Whether the storage is behind a network.
    pub on_network: bool,
    /// The number of processors of the local host.
    pub processors: u32,
    /// The duration of the incidents, if the means and the load point cover only its incidents.
    pub incidents_s: Option<f64>,
    /// Whether the load was limited by its own pace: frames have due times, so a load that met its
    /// criteria does not show how much more is possible.
    pub is_paced: bool,
}

/// Another host whose counters are known: the server, or an array.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    pub name: &'a str,
    /// Means over exactly the measured time.
    pub means: &'a CounterMeans,
}

/// A TCP connection to the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection<'a> {
    pub(super) name: &'a str,
    means: &'a CounterMeans,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Program<'a> {
    pub(super) name: &'a str,
    /// Share of one processor, over all its processes.
    pub(super) percent: f64,
    /// The number of its processes; `None` if they were not counted.
    pub(super) processes: Option<f64>,
}

impl Program<'_> {
    /// The number of its processes, as a value.
    pub(super) fn processes_seen(&self) -> Option<Seen> {
        self.processes.map(|processes| Seen::beside(Measure::ProgramProcesses, processes))
    }
}

impl Connection<'_> {
    /// One of its counters; the name is given without `connection_`.
    pub(super) fn of(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Network, &format!("connection_{name}"), self.name)
    }

    /// The payload of a full segment: as the kernel reports it, otherwise the usual one. An IPv6 address
    /// is written in brackets.
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

impl<'a> LimitInput<'a> {
    /// The connections to the server; empty if there are none or they were not sampled.
    pub(super) fn connections(&self) -> Vec<Connection<'a>> {
        let names = self.means.each(Layer::Network, "connection_sent_bytes_per_s");
        names.map(|(name, _)| Connection { name, means: self.means }).collect()
    }

    /// The sum over all connections.
    pub(super) fn connections_sum(&self, name: &str) -> Option<f64> {
        self.means.sum(Layer::Network, &format!("connection_{name}"))
    }

    /// The shortest TCP round trip of all connections.
    pub(super) fn shortest_rtt_us(&self) -> Option<f64> {
        self.connections().iter().filter_map(|connection| connection.of("min_rtt_us")).reduce(f64::min)
    }

    /// A counter of the local host's whole network.
    pub(super) fn network(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Network, name, "")
    }

    /// A counter of the link's interface.
    pub(super) fn interface(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Network, name, &self.link?.interface)
    }

    /// A counter of the whole host.
    pub(super) fn host(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Host, name, "")
    }

    pub(super) fn mount(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Mount, name, "")
    }

    pub(super) fn tool(&self, name: &str) -> Option<f64> {
        self.means.largest(Layer::Tool, name).map(|(_, value)| value)
    }

    /// The other program that used the most processor time.
    pub(super) fn largest_program(&self) -> Option<Program<'a>> {
        let (name, percent) = self.means.largest(Layer::Host, "program_percent")?;
        // Runs of earlier versions do not have it.
        let processes = self.means.of(Layer::Host, "program_processes", name);
        Some(Program { name, percent, processes })
    }

    /// Whether more was read than written.
    pub(super) fn mostly_reads(&self) -> bool {
        self.point.total.read_bytes >= self.point.total.written_bytes
    }

    /// The service times of reads and writes.
    pub(super) fn operation(&self) -> Option<TimeFigures> {
        self.point.total.service.data
    }
}
