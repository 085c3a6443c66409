//! Every counter by name: its layer, its unit, its display text, and its importance.
//!
//! The names are used in files and in the rules of diagnosis, so they never change. The last part of a
//! name is its unit.

use super::Layer;

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterUnit {
    /// 0 to 100. Reelgauge's own processor time may exceed 100 with several processors.
    Percent,
    /// Bytes per second; charts show MB/s.
    BytesPerS,
    /// Events or objects per second.
    PerS,
    /// Microseconds, for times.
    Us,
    /// Bytes; charts show MB.
    Bytes,
    /// A number of objects, such as requests.
    Count,
}

impl CounterUnit {
    /// The unit's name in files.
    pub const fn name(self) -> &'static str {
        match self {
            CounterUnit::Percent => "percent",
            CounterUnit::BytesPerS => "bytes_per_s",
            CounterUnit::PerS => "per_s",
            CounterUnit::Us => "us",
            CounterUnit::Bytes => "bytes",
            CounterUnit::Count => "count",
        }
    }

    /// The unit on a chart's axis. Values are unscaled, except bytes, which are in MB (10^6).
    const fn sign(self) -> &'static str {
        match self {
            CounterUnit::Percent => ", %",
            CounterUnit::BytesPerS => ", MB/s",
            CounterUnit::PerS => ", per s",
            CounterUnit::Us => ", µs",
            CounterUnit::Bytes => ", MB",
            CounterUnit::Count => "",
        }
    }
}

/// The importance of a counter if there is no room for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The throughput or the latency of a layer.
    Main,
    /// More detail about it.
    Detail,
    /// Is 0 in normal operation, and is shown only if it is not 0.
    Fault,
}

/// One kind of counter.
#[derive(Clone, Copy, Debug)]
pub struct CounterKind {
    /// The layer that it belongs to.
    pub layer: Layer,
    /// Its name in files, unique in its layer.
    pub name: &'static str,
    /// The unit of its values.
    pub unit: CounterUnit,
    /// The text that charts and tables show.
    pub words: &'static str,
    /// Its importance among the counters of its layer.
    pub weight: Weight,
}

impl CounterKind {
    /// Display text with its device: "eth0 received".
    pub fn words(&self, device: &str) -> String {
        match (device, self.words) {
            ("", words) => words.to_owned(),
            (_, "") => device.to_owned(),
            (_, words) => format!("{device} {words}"),
        }
    }

    /// The same with its unit: "eth0 received, MB/s".
    pub fn label(&self, device: &str) -> String {
        format!("{}{}", self.words(device), self.unit.sign())
    }
}

/// The kind of this layer and name.
pub fn kind(layer: Layer, name: &str) -> Option<&'static CounterKind> {
    KINDS.iter().find(|kind| kind.layer == layer && kind.name == name)
}

macro_rules! kinds {
    ($($layer:ident $weight:ident $unit:ident $name:literal $words:literal;)*) => {
        &[$(CounterKind {
            layer: Layer::$layer,
            name: $name,
            unit: CounterUnit::$unit,
            words: $words,
            weight: Weight::$weight,
        }),*]
    };
}

/// Every kind, in the order of display.
pub const KINDS: &[CounterKind] = kinds! {
    // Shares of the time of all processors together; waiting for I/O is idle time, not busy time.
    Host Main Percent "cpu_busy_percent" "processors busy";
    Host Main Percent "cpu_busiest_core_percent" "busiest processor";
    Host Detail Percent "cpu_iowait_percent" "processors in I/O wait";
    Host Detail Percent "cpu_softirq_percent" "processors in softirq";
    Host Detail Percent "cpu_busiest_core_softirq_percent" "busiest processor in softirq";
    Host Fault Percent "cpu_steal_percent" "steal time of all processors";
    Host Fault Percent "cpu_busiest_core_steal_percent" "steal time of the worst processor";
    // The programs with the most processor time, by name: all processes of a name together, and their
    // number. Excludes the measuring process. In percent of one processor, so with several it may exceed
    // 100.
    Host Detail Percent "program_percent" "processor time of the program";
    Host Detail Count "program_processes" "processes that took processor time";
    // Kernel threads are not programs: they do the I/O of all processes, including the run.
    Host Detail Percent "kernel_threads_percent" "processor time of the kernel's threads";
    Host Detail Bytes "memory_available_bytes" "memory available";
    Host Main Bytes "memory_dirty_bytes" "dirty memory";
    Host Detail Bytes "memory_writeback_bytes" "memory in writeback";
    // Share of the time in which at least one task, or all tasks that were not idle, waited for it.
    Host Main Percent "pressure_io_some_percent" "some tasks waiting for I/O";
    Host Detail Percent "pressure_io_full_percent" "all tasks waiting for I/O";
    Host Detail Percent "pressure_cpu_some_percent" "some tasks waiting for a processor";
    Host Fault Percent "pressure_memory_some_percent" "some tasks waiting for memory";
    Host Fault Percent "pressure_memory_full_percent" "all tasks waiting for memory";
    Host Fault PerS "swapped_pages_per_s" "pages swapped";
    Host Fault PerS "swapped_in_pages_per_s" "pages swapped in";
    Host Fault PerS "allocation_stalls_per_s" "allocation stalls";

    // Changes of an interface's link state.
    Network Fault PerS "link_changes_per_s" "link up or down";

    Network Main BytesPerS "rx_bytes_per_s" "received";
    Network Main BytesPerS "tx_bytes_per_s" "sent";
    Network Fault PerS "rx_errors_per_s" "receive errors";
    Network Fault PerS "tx_errors_per_s" "send errors";
    Network Fault PerS "rx_drops_per_s" "received packets dropped";
    Network Fault PerS "tx_drops_per_s" "packets dropped before sending";
    Network Fault PerS "rx_overruns_per_s" "received packets missed by the card";
    // Pause frames from the other end of the link, and to it: active flow control.
    Network Fault PerS "rx_pause_frames_per_s" "pause frames received";
    Network Fault PerS "tx_pause_frames_per_s" "pause frames sent";
    Network Fault PerS "queue_drops_per_s" "packets dropped by the send queue";
    Network Detail Bytes "queue_backlog_bytes" "waiting in the send queue";
    Network Fault PerS "softnet_drops_per_s" "packets dropped from the backlog";
    Network Fault PerS "softnet_squeezes_per_s" "receive budget exhausted";
    Network Detail PerS "tcp_data_segments_per_s" "TCP data segments sent";
    Network Fault PerS "tcp_retransmitted_segments_per_s" "TCP segments retransmitted";
    // Segments that had already arrived: retransmitted needlessly.
    Network Fault PerS "tcp_sent_twice_segments_per_s" "spurious TCP retransmissions";
    Network Fault PerS "tcp_received_twice_segments_per_s" "duplicate TCP segments received";
    Network Fault PerS "tcp_timeouts_per_s" "TCP timeouts";
    Network Fault PerS "tcp_zero_windows_per_s" "TCP zero windows";
    Network Fault PerS "tcp_receive_drops_per_s" "TCP segments dropped by full receive buffers";

    // For each TCP connection to the target's server. The window is the free space that the receiver
    // advertises: this client for reads, the server ("peer") for writes. "busy" is the time with data to
    // send. The limited shares of it were spent waiting for the window, or for space in the own send
    // buffer.
    Network Main BytesPerS "connection_sent_bytes_per_s" "sent";
    Network Main BytesPerS "connection_received_bytes_per_s" "received";
    Network Main Us "connection_rtt_us" "TCP round trip";
    Network Detail Us "connection_min_rtt_us" "shortest TCP round trip";
    Network Detail Bytes "connection_cwnd_bytes" "congestion window";
    Network Detail Bytes "connection_mss_bytes" "longest segment";
    Network Detail Bytes "connection_path_mtu_bytes" "path MTU";
    Network Detail BytesPerS "connection_delivery_bytes_per_s" "delivery rate";
    Network Detail Bytes "connection_peer_window_bytes" "receive window of the server";
    Network Detail Bytes "connection_window_bytes" "receive window of this client";
    // 1 if both ends agreed on it, otherwise 0.
    Network Detail Count "connection_window_scaling" "window scaling";
    Network Detail Count "connection_peer_window_shift" "window scale of the server";
    Network Detail Count "connection_window_shift" "window scale of this client";
    Network Detail Percent "connection_busy_percent" "time with data to send";
    Network Fault Percent "connection_window_limited_percent" "limited by the server's window";
    Network Fault Percent "connection_send_buffer_limited_percent" "limited by the send buffer";
    Network Fault BytesPerS "connection_retransmitted_bytes_per_s" "retransmitted";
    Network Fault PerS "connection_sent_twice_segments_per_s" "spurious retransmissions";
    Network Fault PerS "connection_timeouts_per_s" "TCP timeouts of the connection";
    Network Detail PerS "connection_segments_received_per_s" "data segments received";
    Network Fault PerS "connection_out_of_order_segments_per_s" "segments received out of order";
    Network Detail Bytes "connection_receive_queue_bytes" "waiting in the receive queue";
    Network Detail Bytes "connection_receive_buffer_bytes" "receive buffer";
    Network Detail Bytes "connection_send_buffer_bytes" "send buffer";
    // The fastest ping to the server of each sample. If no data moves on its connections, more pings are
    // sent, some of them of the maximum packet size; these count the sent and the answered ones of each
    // size.
    Network Detail Us "ping_us" "ping to the server";
    Network Fault PerS "still_pings_per_s" "pings while no data moved";
    Network Fault PerS "still_pings_answered_per_s" "small pings answered while no data moved";
    Network Fault PerS "still_long_pings_answered_per_s" "large pings answered while no data moved";

    // 1 while it is active; the device names the array and the kind of work: "md0 resync", "tank
    // scrub", "vdb balance".
    Disk Fault Count "background_work_count" "active";
    Disk Detail Count "snapshots_count" "snapshots of volumes";
    Disk Main BytesPerS "read_bytes_per_s" "read";
    Disk Main BytesPerS "written_bytes_per_s" "written";
    Disk Main Us "mean_read_us" "time per read";
    Disk Main Us "mean_write_us" "time per write";
    Disk Main Percent "util_percent" "busy";
    Disk Detail PerS "reads_per_s" "reads";
    Disk Detail PerS "writes_per_s" "writes";
    // At the time of the sample, and on average since the previous one.
    Disk Detail Count "in_flight" "requests in flight";
    Disk Detail Count "mean_in_flight" "mean requests in flight";

    // How often another mount appeared at the mount point, or its options changed.
    Mount Fault PerS "remounts_per_s" "mount changed";
    // Bytes as transferred to the server. Times of NFS requests: on the network and at the server (RTT),
    // in this client's queue before that, and in total (execution).
    Mount Main BytesPerS "read_bytes_per_s" "mount read";
    Mount Main BytesPerS "written_bytes_per_s" "mount written";
    Mount Detail PerS "reads_per_s" "mount read requests";
    Mount Detail PerS "writes_per_s" "mount write requests";
    Mount Detail PerS "metadata_per_s" "mount metadata requests";
    Mount Detail Bytes "mean_read_bytes" "mount read request size";
    Mount Detail Bytes "mean_write_bytes" "mount write request size";
    Mount Main Us "mean_read_us" "mount read time";
    Mount Main Us "mean_write_us" "mount write time";
    Mount Detail Us "mean_commit_us" "mount commit time";
    Mount Main Us "read_rtt_us" "mount read round trip";
    Mount Main Us "write_rtt_us" "mount write round trip";
    Mount Detail Us "read_queue_us" "mount read queue time";
    Mount Detail Us "write_queue_us" "mount write queue time";
    Mount Detail Count "mean_backlog" "mount requests waiting for a slot";
    Mount Detail Count "connections" "mount connections";
    Mount Fault PerS "reconnects_per_s" "mount reconnects";
    Mount Fault PerS "read_retransmissions_per_s" "mount reads retransmitted";
    Mount Fault PerS "write_retransmissions_per_s" "mount writes retransmitted";
    Mount Fault PerS "timeouts_per_s" "mount requests timed out";
    Mount Fault PerS "failed_requests_per_s" "mount requests failed";
    Mount Fault PerS "slow_responses_per_s" "mount responses that took over a second";

    // In percent of one processor: with several it may exceed 100.
    Tool Main Percent "cpu_percent" "processor time of Reelgauge";
    // Average number of its threads that were runnable but had no processor.
    Tool Fault Count "threads_waiting" "Reelgauge threads waiting for a processor";
    Tool Detail Bytes "memory_bytes" "memory of Reelgauge";
    Tool Fault Percent "throttled_percent" "Reelgauge throttled by its CPU quota";
    Tool Detail Us "sampling_us" "processor time of one sample";

    // A series of an array, a switch or another source, merged into a run. The device is its name in
    // that source.
    Other Main Percent "series_percent" "";
    Other Main BytesPerS "series_bytes_per_s" "";
    Other Main PerS "series_per_s" "";
    Other Main Us "series_us" "";
    Other Main Bytes "series_bytes" "";
    Other Main Count "series_count" "";
};

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_end_in_their_unit() {
        let names: BTreeSet<_> = KINDS.iter().map(|kind| (kind.layer, kind.name)).collect();
        assert_eq!(names.len(), KINDS.len());
        for kind in KINDS {
            let unit = kind.unit.name();
            assert!(kind.name.ends_with(unit) || kind.unit == CounterUnit::Count, "{}: {unit}", kind.name);
            let in_s = kind.name.ends_with("bytes_per_s");
            assert_eq!(in_s, kind.unit == CounterUnit::BytesPerS, "{}", kind.name);
        }
    }

    #[test]
    fn labels_are_readable() {
        let label = |layer, name, device| kind(layer, name).unwrap().label(device);
        assert_eq!(label(Layer::Network, "rx_bytes_per_s", "eth0"), "eth0 received, MB/s");
        assert_eq!(label(Layer::Host, "cpu_busy_percent", ""), "processors busy, %");
        assert_eq!(label(Layer::Disk, "in_flight", "vda"), "vda requests in flight");
        assert_eq!(kind(Layer::Network, "rx_bytes_per_s").unwrap().words("eth0"), "eth0 received");
        assert!(kind(Layer::Disk, "rx_bytes_per_s").is_none());
    }
}
