//! What stood out in one layer: which question it answers, where, what was measured, and which rules of the
//! doctor tell more.

use serde::{Deserialize, Serialize};

/// The questions, in the order in which they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LimitStep {
    /// The limit on bytes a second that was set: no layer, and no question to a counter.
    MaxRate,
    /// A cache answered.
    Cache,
    /// The link carried what it can.
    LinkFull,
    /// The way is broken: errors on the wire, half duplex, long packets that are swallowed.
    PathBroken,
    /// Packets were lost.
    NetworkLoss,
    /// The receiver's TCP window was too small for the way.
    TcpWindow,
    /// This machine: its program, its processors, or too few requests at a time.
    Client,
    /// The sender's TCP buffer was too small for the way.
    SendBuffer,
    /// The server waited for its disks, as somebody saw who sampled there.
    ServerDisk,
    /// The server took its time, and the network did not.
    Server,
    /// The server had too few threads.
    ServerThreads,
    /// The disks were at work all the time.
    Disk,
    /// Round trips: too small requests, or too few at a time.
    Latency,
}

impl LimitStep {
    /// Every question that is asked of counters, in order.
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
    /// Whether it lies on the way to the storage, and not in the storage itself.
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

/// What was measured, its unit in its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LimitMeasure"))]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The limit on bytes a second that was set.
    MaxBytesPerS,
    /// Of the operations, those that had to wait for it.
    HeldBackPercent,
    /// Share of the reads that a cache answered.
    CachedPercent,
    /// What was read through the link.
    ReadBytesPerS,
    /// What was written through the link.
    WrittenBytesPerS,
    /// The busier direction, of what the link can carry.
    LinkPercent,
    /// What waited in the interface's sending queue, on average.
    QueueBytes,
    /// What a ping to the server takes there and back under the load.
    PingUs,
    /// Errors of the interface.
    InterfaceErrorsPerS,
    /// Of the pings that were as long as a packet may be, lost while the connections stood still.
    LongPingsLostPercent,
    /// Of the short pings beside them, answered.
    ShortPingsAnsweredPercent,
    /// The longest packet, as this machine has it.
    PacketBytes,
    /// Of what this machine sent to the server, sent again.
    RetransmittedPercent,
    /// TCP timeouts of the connections to the server.
    TimeoutsPerS,
    /// Of what came from the server, out of order: something before it had been lost or overtaken.
    OutOfOrderPercent,
    /// Received packets that this machine dropped.
    ReceiveDropsPerS,
    /// Packets that this machine's sending queue dropped.
    QueueDropsPerS,
    /// Pause frames that the other end of the link sent: it held this machine back.
    PausesReceivedPerS,
    /// Pause frames that this machine sent: it could not take what came.
    PausesSentPerS,
    /// Of the time with something to send, spent waiting for the receiver's window.
    WindowLimitedPercent,
    /// What one connection carried, of what is usual for those to the same server.
    OfLikeConnectionsPercent,
    /// Connections to the server.
    Connections,
    /// Those of them without window scaling.
    ConnectionsWithoutScaling,
    /// The window that the receiver offered.
    WindowBytes,
    /// Of the window, filled by what is on the way.
    WindowFilledPercent,
    /// The shortest round trip of TCP.
    RttUs,
    /// Of this machine's receive buffer, received and not yet taken.
    ReceiveQueuePercent,
    /// A request's wait in this client's queue.
    QueueUs,
    /// A request's way to the server and back.
    RequestRttUs,
    /// Of the workers, those that were computing or waiting for a processor and not for the storage.
    WorkersAtWorkPercent,
    /// The tool's largest own delay.
    OwnDelayUs,
    /// Of the time with something to send, spent waiting for room in the send buffer.
    SendBufferLimitedPercent,
    /// Of this machine's send buffer, in percent, what was on the way and not yet acknowledged.
    SendBufferInFlightPercent,
    /// What a connection had sent and the server had not yet acknowledged, on average.
    InFlightBytes,
    /// What the congestion control would have allowed to be on the way.
    CongestionWindowBytes,
    /// The send buffer of the connection.
    SendBufferBytes,
    /// How often the link went down or came up.
    LinkChanges,
    /// The finding is that of the incidents, which lasted so long together.
    IncidentsS,
    /// How long an operation took at the storage.
    OperationUs,
    /// Time in which the busiest disk had something to do.
    DiskBusyPercent,
    /// Requests that it had at a time.
    DiskRequests,
    /// How long a request took at a disk.
    DiskUs,
    /// Of the time of an operation, what a request of the server's disk takes.
    DiskOfOperationPercent,
    /// Time in which some task waited for a disk, of this machine or of the server that is named.
    DiskPressurePercent,
    /// Requests to the disk that a read of the tool was cut into.
    RequestsPerRead,
    /// What a disk below the target carried, whoever moved it.
    DiskBytesPerS,
    /// What this run moved meanwhile.
    OwnBytesPerS,
    /// Of an operation's time, what the way there and back takes.
    OnTheWayPercent,
    /// Bytes of a request.
    RequestBytes,
    /// Requests in flight at a time.
    RequestsAtATime,
    /// Of all processors, busy with other programs.
    OthersPercent,
    /// Of one processor, taken by the program that took most; by all its processes, if it has several.
    ProgramPercent,
    /// How many processes of that name took it, on average.
    ProgramProcesses,
    /// Of all processors, taken by the hypervisor.
    StealPercent,
    /// Time in which a quota kept the tool from running.
    ThrottledPercent,
    /// Time in which some task waited for memory.
    MemoryPressurePercent,
}

/// One thing that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LimitSeen"))]
pub struct Seen {
    /// What.
    pub measure: Measure,
    /// How much.
    pub value: f64,
    /// The threshold above which it is reported. `None` where it is only informative.
    pub threshold: Option<f64>,
}

impl Seen {
    /// Held against a threshold.
    pub(super) fn against(measure: Measure, value: f64, threshold: f64) -> Seen {
        Seen { measure, value: rounded(value), threshold: Some(rounded(threshold)) }
    }

    /// Told beside.
    pub(super) fn beside(measure: Measure, value: f64) -> Seen {
        Seen { measure, value: rounded(value), threshold: None }
    }

    /// How near it is to its threshold: 1 is there.
    pub fn nearness(&self) -> Option<f64> {
        Some(self.value / self.threshold.filter(|threshold| *threshold > 0.0)?)
    }

    pub(super) fn stands_out(&self) -> bool {
        self.threshold.is_some_and(|threshold| self.value > threshold)
    }
}

/// Without the digits that say nothing, so that a screen and the file show the same.
fn rounded(value: f64) -> f64 {
    let places = if value.abs() >= 1_000.0 { 0 } else { 4 };
    let scale = 10_f64.powi(places);
    (value * scale).round() / scale
}

/// What was seen of one layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LimitFinding {
    /// Which question it answers.
    pub step: LimitStep,
    /// Where: an interface, a connection, a disk, a program. `None` where there is one.
    pub at: Option<String>,
    /// What was measured; the first weighs most.
    pub seen: Vec<Seen>,
    /// Rules of the doctor that tell more, and what to change.
    pub rules: Vec<String>,
}

impl LimitFinding {
    pub(super) fn new(step: LimitStep, seen: Vec<Seen>, rules: &[&str]) -> LimitFinding {
        LimitFinding { step, at: None, seen, rules: rules.iter().map(|rule| (*rule).to_owned()).collect() }
    }

    /// At a device.
    pub(super) fn at(self, device: &str) -> LimitFinding {
        LimitFinding { at: Some(device.to_owned()).filter(|device| !device.is_empty()), ..self }
    }

    /// What was measured of this.
    pub fn value(&self, measure: Measure) -> Option<f64> {
        self.seen.iter().find(|seen| seen.measure == measure).map(|seen| seen.value)
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tested {
    /// Yes.
    Found(LimitFinding),
    /// No: what was measured, below its threshold.
    Below(LimitFinding),
    /// No, and no figure is near to anything.
    No,
    /// Nothing was sampled for it.
    NotMeasured,
}

impl Tested {
    /// Yes, where its first figure stands out.
    pub(super) fn by_first(finding: LimitFinding) -> Tested {
        match finding.seen.first() {
            Some(seen) if seen.stands_out() => Tested::Found(finding),
            Some(_) => Tested::Below(finding),
            None => Tested::NotMeasured,
        }
    }
}
