//! What the questions are asked of: the counters of the measured time, the load point, and what lies between
//! this machine and the storage.

use reelgauge_record::counters::Layer;

use crate::counters::means::Means;
use crate::facts::{LinkFacts, MemoryFacts};
use crate::figures::TimeFigures;
use crate::summary::LoadPoint;

/// A load point and what was sampled while it was measured.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Means over exactly the measured time.
    pub means: &'a Means,
    /// The load point.
    pub point: &'a LoadPoint,
    /// The link to the storage; `None` where there is none, or it could not be found out.
    pub link: Option<&'a LinkFacts>,
    /// The memories on the way.
    pub memory: Option<&'a MemoryFacts>,
    /// Whether the storage is behind a network.
    pub on_network: bool,
    /// How many processors this machine has.
    pub processors: u32,
    /// Whether the load was no larger than it was asked to be: frames have their times, so that a load that
    /// was met says nothing of what could have been carried.
    pub is_paced: bool,
}

/// A TCP connection to the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection<'a> {
    pub(super) name: &'a str,
    means: &'a Means,
}

impl Connection<'_> {
    /// One of its counters, `connection_` left out.
    pub(super) fn of(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Network, &format!("connection_{name}"), self.name)
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

    /// Of the link's interface.
    pub(super) fn interface(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Network, name, &self.link?.interface)
    }

    /// Of the whole machine.
    pub(super) fn host(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Host, name, "")
    }

    /// Of the mount.
    pub(super) fn mount(&self, name: &str) -> Option<f64> {
        self.means.of(Layer::Mount, name, "")
    }

    /// Of the tool.
    pub(super) fn tool(&self, name: &str) -> Option<f64> {
        self.means.largest(Layer::Tool, name).map(|(_, value)| value)
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
