//! A finding about one layer: the question that it answers, the place, the measured values, and the
//! doctor rules with more details.

use serde::{Deserialize, Serialize};

/// The questions, in the order in which they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LimitStep {
    /// The byte rate limit that the user set. It is not a layer, and no counter question.
    MaxRate,
    /// A cache answered.
    Cache,
    /// The link was saturated.
    LinkFull,
    /// The network path is broken: errors on the wire, half duplex, large packets that are dropped.
    PathBroken,
    /// Packets were lost.
    NetworkLoss,
    /// The receiver's TCP window was too small for the network path.
    TcpWindow,
    /// The local host: its program, its processors, or too few requests in flight.
    Client,
    /// The sender's TCP buffer was too small for the network path.
    SendBuffer,
    /// The server waited for its disks, as an observer on the server measured.
    ServerDisk,
    /// The server was slow, and the network was not.
    Server,
    /// The server had too few threads.
    ServerThreads,
    /// The disks were always busy.
    Disk,
    /// Round trips: requests are too small, or too few are in flight.
    Latency,
}

impl LimitStep {
    /// All questions about counters, in order.
    pub const ALL: [LimitStep; 12] = [
        LimitStep::Cache,
        LimitStep::LinkFull,
        LimitStep::PathBroken,
        LimitStep::NetworkLoss,
        LimitStep::TcpWindow,
        LimitStep::Client,
        LimitStep::SendBuffer,
        LimitStep::ServerDisk,
        LimitStep::Server,
        LimitStep::ServerThreads,
        LimitStep::Disk,
        LimitStep::Latency,
    ];
}

impl LimitStep {
    /// Whether it concerns the path to the storage, and not the storage itself.
    pub fn is_on_the_way(self) -> bool {
        matches!(
            self,
            LimitStep::LinkFull
                | LimitStep::PathBroken
                | LimitStep::NetworkLoss
                | LimitStep::TcpWindow
                | LimitStep::SendBuffer
        )
    }
}

/// A measured quantity, with its unit in its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LimitMeasure"))]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The byte rate limit that the user set.
    MaxBytesPerS,
    /// Share of the operations that waited for it.
    HeldBackPercent,
    /// Share of the reads that a cache answered.
    CachedPercent,
    /// Bytes read through the link.
    ReadBytesPerS,
    /// Bytes written through the link.
    WrittenBytesPerS,
    /// Utilization of the link in its busier direction.
    LinkPercent,
    /// Mean length of the interface's send queue.
    QueueBytes,
    /// Round trip of a ping to the server under load.
    PingUs,
    /// Errors of the interface.
    InterfaceErrorsPerS,
    /// Lost share of the pings with the maximum packet size, while the connections hung.
    LongPingsLostPercent,
    /// Answered share of the short pings at the same time.
    ShortPingsAnsweredPercent,
    /// The largest packet that the local host sends.
    PacketBytes,
    /// Retransmitted share of the data that the local host sent to the server.
    RetransmittedPercent,
    /// TCP timeouts of the connections to the server.
    TimeoutsPerS,
    /// Share of the data from the server that arrived out of order: something before it was lost or
    /// overtaken.
    OutOfOrderPercent,
    /// Received packets that the local host dropped.
    ReceiveDropsPerS,
    /// Packets that the local host's send queue dropped.
    QueueDropsPerS,
    /// Pause frames from the other end of the link, which held the local host back.
    PausesReceivedPerS,
    /// Pause frames from the local host, which could not receive fast enough.
    PausesSentPerS,
    /// Share of the time with data to send that was spent waiting for the receiver's window.
    WindowLimitedPercent,
    /// Throughput of one connection, as a share of the usual one to the same server.
    OfLikeConnectionsPercent,
    /// Connections to the server.
    Connections,
    /// How many of these have no window scaling.
    ConnectionsWithoutScaling,
    /// The receiver's advertised window.
    WindowBytes,
    /// Share of the window that is in flight.
    WindowFilledPercent,
    /// The shortest TCP round trip.
    RttUs,
    /// Share of the local host's receive buffer with data that were received but not read.
    ReceiveQueuePercent,
    /// Time of a request in this client's queue.
    QueueUs,
    /// Round trip of a request to the server.
    RequestRttUs,
    /// Share of the workers that were computing or waiting for a processor, and not for the storage.
    WorkersAtWorkPercent,
    /// The largest scheduling delay of Reelgauge.
    OwnDelayUs,
    /// Share of the time with data to send that was spent waiting for space in the send buffer.
    SendBufferLimitedPercent,
    /// Share of the local host's send buffer that is in flight and not yet acknowledged.
    SendBufferInFlightPercent,
    /// Mean number of bytes that a connection had sent and the server had not yet acknowledged.
    InFlightBytes,
    /// Bytes that the congestion control allows in flight.
    CongestionWindowBytes,
    /// The send buffer of the connection.
    SendBufferBytes,
    /// How often the link went down or came up.
    LinkChanges,
    /// The finding is from the incidents, with this total duration.
    IncidentsS,
    /// Service time of an operation.
    OperationUs,
    /// Share of the time in which the busiest disk was busy.
    DiskBusyPercent,
    /// Mean number of requests in flight at the disk.
    DiskRequests,
    /// Time of a request at a disk.
    DiskUs,
    /// Time of a request at the server's disk, as a share of the operation's time.
    DiskOfOperationPercent,
    /// Share of the time in which some task waited for a disk, on the local host or the named server.
    DiskPressurePercent,
    /// Disk requests for each read of Reelgauge.
    RequestsPerRead,
    /// Throughput of a disk below the target, including all programs.
    DiskBytesPerS,
    /// Throughput of this run in the same time.
    OwnBytesPerS,
    /// Share of an operation's time that is spent on the network path.
    OnTheWayPercent,
    /// Bytes of a request.
    RequestBytes,
    /// Requests in flight.
    RequestsAtATime,
    /// Share of all processors that other programs used.
    OthersPercent,
    /// Share of one processor that the busiest program used, over all its processes.
    ProgramPercent,
    /// Mean number of processes with that name.
    ProgramProcesses,
    /// Share of all processors that the hypervisor took.
    StealPercent,
    /// Share of the time in which a quota kept Reelgauge from running.
    ThrottledPercent,
    /// Share of the time in which some task waited for memory.
    MemoryPressurePercent,
}

/// One measured value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LimitSeen"))]
pub struct Seen {
    /// The quantity.
    pub measure: Measure,
    /// The value.
    pub value: f64,
    /// The threshold above which it is reported. `None` if it is only informative.
    pub threshold: Option<f64>,
}

impl Seen {
    /// A value that is compared with a threshold.
    pub(super) fn against(measure: Measure, value: f64, threshold: f64) -> Seen {
        Seen { measure, value: rounded(value), threshold: Some(rounded(threshold)) }
    }

    /// A value that is only informative.
    pub(super) fn beside(measure: Measure, value: f64) -> Seen {
        Seen { measure, value: rounded(value), threshold: None }
    }

    /// Its value as a share of its threshold: 1 is at the threshold.
    pub fn nearness(&self) -> Option<f64> {
        Some(self.value / self.threshold.filter(|threshold| *threshold > 0.0)?)
    }

    pub(super) fn stands_out(&self) -> bool {
        self.threshold.is_some_and(|threshold| self.value > threshold)
    }
}

/// Rounds to the digits that matter, so that a screen and the file show the same.
fn rounded(value: f64) -> f64 {
    let places = if value.abs() >= 1_000.0 { 0 } else { 4 };
    let scale = 10_f64.powi(places);
    (value * scale).round() / scale
}

/// The finding about one layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LimitFinding {
    /// The question that it answers.
    pub step: LimitStep,
    /// The place: an interface, a connection, a disk, a program. `None` if there is only one.
    pub at: Option<String>,
    /// The measured values, the most important first.
    pub seen: Vec<Seen>,
    /// Rules of the doctor with more details and advice.
    pub rules: Vec<String>,
}

impl LimitFinding {
    pub(super) fn new(step: LimitStep, seen: Vec<Seen>, rules: &[&str]) -> LimitFinding {
        LimitFinding { step, at: None, seen, rules: rules.iter().map(|rule| (*rule).to_owned()).collect() }
    }

    /// Sets the device.
    pub(super) fn at(self, device: &str) -> LimitFinding {
        LimitFinding { at: Some(device.to_owned()).filter(|device| !device.is_empty()), ..self }
    }

    /// The value of this quantity.
    pub fn value(&self, measure: Measure) -> Option<f64> {
        self.seen.iter().find(|seen| seen.measure == measure).map(|seen| seen.value)
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tested {
    /// Yes.
    Found(LimitFinding),
    /// No: the measured values are below their thresholds.
    Below(LimitFinding),
    /// No, and no value is near its threshold.
    No,
    /// No counter was sampled for it.
    NotMeasured,
}

impl Tested {
    /// Yes, if the first value reaches its threshold.
    pub(super) fn by_first(finding: LimitFinding) -> Tested {
        match finding.seen.first() {
            Some(seen) if seen.stands_out() => Tested::Found(finding),
            Some(_) => Tested::Below(finding),
            None => Tested::NotMeasured,
        }
    }
}
