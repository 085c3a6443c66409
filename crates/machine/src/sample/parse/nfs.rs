//! `/proc/self/mountstats`: the requests of the target's NFS mount to its server, and their times.
//!
//! Reading it contacts no server. For each operation it contains, since the mount was made: requests,
//! transmissions, major timeouts, bytes sent and received, milliseconds in the queue, for the round trip
//! to the server, and in total, and (since version 1.1) errors. See mountstats(8) and nfsiostat(8).

use std::path::Path;

use super::{add, put};
use crate::mountstats;
use crate::sample::counter::{Layer, Look, Reading};

/// The values after an operation's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Op {
    requests: u64,
    transmissions: u64,
    timeouts: u64,
    bytes_sent: u64,
    bytes_received: u64,
    queue_ms: u64,
    rtt_ms: u64,
    execution_ms: u64,
    errors: u64,
}

impl Op {
    fn of_line(numbers: &str) -> Option<Op> {
        let mut numbers = super::numbers(numbers.split_ascii_whitespace());
        let mut next = || numbers.next();
        Some(Op {
            requests: next()?,
            transmissions: next()?,
            timeouts: next()?,
            bytes_sent: next()?,
            bytes_received: next()?,
            queue_ms: next()?,
            rtt_ms: next()?,
            execution_ms: next()?,
            errors: next().unwrap_or(0),
        })
    }

    /// The sum of both kinds of an operation.
    fn plus(self, other: Op) -> Op {
        Op {
            requests: self.requests.saturating_add(other.requests),
            transmissions: self.transmissions.saturating_add(other.transmissions),
            timeouts: self.timeouts.saturating_add(other.timeouts),
            bytes_sent: self.bytes_sent.saturating_add(other.bytes_sent),
            bytes_received: self.bytes_received.saturating_add(other.bytes_received),
            queue_ms: self.queue_ms.saturating_add(other.queue_ms),
            rtt_ms: self.rtt_ms.saturating_add(other.rtt_ms),
            execution_ms: self.execution_ms.saturating_add(other.execution_ms),
            errors: self.errors.saturating_add(other.errors),
        }
    }

    fn mean(self, sum: u64) -> Reading {
        Reading::Mean { sum: sum as f64, count: self.requests }
    }

    fn mean_us(self, sum_ms: u64) -> Reading {
        Reading::Mean { sum: sum_ms as f64 * 1e3, count: self.requests }
    }

    fn retransmissions(self) -> Reading {
        Reading::PerSecond(self.transmissions.saturating_sub(self.requests))
    }
}

/// The sums over the connections.
#[derive(Clone, Copy, Debug, Default)]
struct Connections {
    count: u64,
    connects: u64,
    sends: u64,
    backlog: u64,
}

/// All values of a mount.
#[derive(Clone, Copy, Debug, Default)]
struct Mount {
    /// Bytes received from the server, and sent to it.
    server_bytes: Option<(u64, u64)>,
    connections: Connections,
    read: Option<Op>,
    write: Option<Op>,
    commit: Option<Op>,
    metadata: u64,
    timeouts: u64,
    errors: u64,
}

/// The counters of the NFS mounted at `mount_point`.
pub fn parse(text: &str, mount_point: &Path, look: &mut Look) {
    if let Some(lines) = mountstats::lines_of(text, mount_point) {
        let mut mount = Mount { server_bytes: mountstats::server_bytes(&lines), ..Mount::default() };
        lines.iter().for_each(|line| mount.read_line(line));
        mount.put(look);
    }
}

impl Mount {
    fn read_line(&mut self, line: &str) {
        let Some((name, rest)) = line.split_once(':') else {
            return;
        };
        match name {
            "xprt" => self.connections.add(rest),
            _ => self.read_op(name, rest),
        }
    }

    fn read_op(&mut self, name: &str, rest: &str) {
        // Lines of settings have other numbers after their colon, and names in lower case.
        let is_op = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        let Some(op) = Op::of_line(rest).filter(|_| is_op) else {
            return;
        };
        add(&mut self.timeouts, op.timeouts);
        match name {
            // NFS 4.2 may read with either.
            "READ" | "READ_PLUS" => self.read = Some(self.read.unwrap_or_default().plus(op)),
            "WRITE" => self.write = Some(op),
            "COMMIT" => self.commit = Some(op),
            "GETATTR" | "ACCESS" | "LOOKUP" => add(&mut self.metadata, op.requests),
            _ => return,
        }
        // A lookup of a missing file is an error, too, but not a relevant one.
        if matches!(name, "READ" | "READ_PLUS" | "WRITE" | "COMMIT") {
            add(&mut self.errors, op.errors);
        }
    }

    fn put(&self, look: &mut Look) {
        let mut all: Vec<(&'static str, Reading)> = Vec::new();
        if let Some((read, written)) = self.server_bytes {
            all.push(("read_bytes_per_s", Reading::PerSecond(read)));
            all.push(("written_bytes_per_s", Reading::PerSecond(written)));
        }
        if let Some(op) = self.read {
            all.push(("reads_per_s", Reading::PerSecond(op.requests)));
            all.push(("mean_read_bytes", op.mean(op.bytes_received)));
            all.push(("mean_read_us", op.mean_us(op.execution_ms)));
            all.push(("read_rtt_us", op.mean_us(op.rtt_ms)));
            all.push(("read_queue_us", op.mean_us(op.queue_ms)));
            all.push(("read_retransmissions_per_s", op.retransmissions()));
        }
        if let Some(op) = self.write {
            all.push(("writes_per_s", Reading::PerSecond(op.requests)));
            all.push(("mean_write_bytes", op.mean(op.bytes_sent)));
            all.push(("mean_write_us", op.mean_us(op.execution_ms)));
            all.push(("write_rtt_us", op.mean_us(op.rtt_ms)));
            all.push(("write_queue_us", op.mean_us(op.queue_ms)));
            all.push(("write_retransmissions_per_s", op.retransmissions()));
        }
        if let Some(op) = self.commit {
            all.push(("mean_commit_us", op.mean_us(op.execution_ms)));
        }
        if self.read.is_some() || self.write.is_some() {
            all.push(("metadata_per_s", Reading::PerSecond(self.metadata)));
            all.push(("timeouts_per_s", Reading::PerSecond(self.timeouts)));
            all.push(("failed_requests_per_s", Reading::PerSecond(self.errors)));
        }
        for (name, reading) in all {
            put(look, Layer::Mount, name, reading);
        }
        self.connections.put(look);
    }
}

impl Connections {
    /// `tcp PORT BINDS CONNECTS SECONDS IDLE SENDS RECEIVES BAD IN-FLIGHT BACKLOG …`: the last two are
    /// accumulated at every request. RDMA's line has the same start; UDP has no connection.
    fn add(&mut self, rest: &str) {
        let mut words = rest.split_ascii_whitespace();
        if !matches!(words.next(), Some("tcp" | "rdma")) {
            return;
        }
        // The idle time may be negative, so it is not parsed as a number.
        let words: Vec<&str> = words.collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
        if let (Some(connects), Some(sends), Some(backlog)) = (number(2), number(5), number(9)) {
            self.count += 1;
            add(&mut self.connects, connects);
            add(&mut self.sends, sends);
            add(&mut self.backlog, backlog);
        }
    }

    fn put(&self, look: &mut Look) {
        if self.count == 0 {
            return;
        }
        let mean = Reading::Mean { sum: self.backlog as f64, count: self.sends };
        put(look, Layer::Mount, "connections", Reading::Level(self.count as f64));
        put(look, Layer::Mount, "reconnects_per_s", Reading::PerSecond(self.connects));
        put(look, Layer::Mount, "mean_backlog", mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    /// From Debian's cloud kernel 6.1 with an NFS 4.2 mount of nfs-ganesha 4.3, in the project's test
    /// guest, after 80 MiB were read and 32 MiB were written.
    const CAPTURED: &str = include_str!("../../../tests/captured/mountstats.txt");

    fn look(text: &str, mount_point: &str) -> Look {
        let mut look = Look::new();
        parse(text, Path::new(mount_point), &mut look);
        look
    }

    #[test]
    fn recorded_text_is_parsed() {
        let look = look(CAPTURED, "/mnt/nfs");
        all_known(&look);
        let mean = |sum: f64, count| Reading::Mean { sum, count };
        for (name, expected) in [
            ("read_bytes_per_s", Reading::PerSecond(84_934_656)),
            ("written_bytes_per_s", Reading::PerSecond(33_554_432)),
            ("reads_per_s", Reading::PerSecond(81)),
            ("writes_per_s", Reading::PerSecond(32)),
            ("mean_read_bytes", mean(84_943_080.0, 81)),
            ("mean_write_bytes", mean(33_560_960.0, 32)),
            ("mean_read_us", mean(1_717e3, 81)),
            ("read_rtt_us", mean(1_372e3, 81)),
            ("read_queue_us", mean(213e3, 81)),
            ("mean_write_us", mean(6_991e3, 32)),
            ("write_rtt_us", mean(1_791e3, 32)),
            ("write_queue_us", mean(4_963e3, 32)),
            ("mean_commit_us", mean(38e3, 1)),
            ("metadata_per_s", Reading::PerSecond(1 + 2 + 1)),
            ("connections", Reading::Level(1.0)),
            ("reconnects_per_s", Reading::PerSecond(2)),
            ("mean_backlog", mean(0.0, 145)),
            ("timeouts_per_s", Reading::PerSecond(0)),
        ] {
            assert_eq!(reading(&look, name, ""), &expected, "{name}");
        }
    }

    #[test]
    fn reads_of_either_kind_are_reads() {
        let text = "\
device nas1:/m mounted on /mnt/nas with fstype nfs4 statvers=1.1
\t        READ: 2 2 0 300 2000 1 20 30 0
\t   READ_PLUS: 8 9 0 1200 800000 4 80 90 1
";
        let look = look(text, "/mnt/nas");
        assert_eq!(reading(&look, "reads_per_s", ""), &Reading::PerSecond(10));
        assert_eq!(reading(&look, "mean_read_bytes", ""), &Reading::Mean { sum: 802_000.0, count: 10 });
        assert_eq!(reading(&look, "read_rtt_us", ""), &Reading::Mean { sum: 100e3, count: 10 });
        assert_eq!(reading(&look, "read_retransmissions_per_s", ""), &Reading::PerSecond(1));
        assert_eq!(reading(&look, "failed_requests_per_s", ""), &Reading::PerSecond(1));
    }

    #[test]
    fn other_mounts_are_ignored() {
        for mount_point in ["/", "/mnt/smb", "/mnt", "/mnt/nfs/below", "/tmp"] {
            assert_eq!(look(CAPTURED, mount_point), Look::new(), "{mount_point}");
        }
    }

    #[test]
    fn connections_are_added_up_and_names_may_hold_spaces() {
        let text = "\
device nas1:/two\\040words mounted on /mnt/two\\040words with fstype nfs statvers=1.1
\txprt:\ttcp 872 0 2 0 -11 46 46 0 46 3 2 0 0
\txprt:\ttcp 873 0 1 0 11 54 54 0 46 4 2 0 0
\txprt:\tudp 873 0 1 11 54
\tper-op statistics
\t        READ: 10 14 3 1 2 3 4 5
\t       WRITE: 10 10 0 1 2 3 4
\t      ACCESS: 5 5 1 1 2 3 4 5 9
";
        let look = look(text, "/mnt/two words");
        assert_eq!(reading(&look, "connections", ""), &Reading::Level(2.0));
        assert_eq!(reading(&look, "reconnects_per_s", ""), &Reading::PerSecond(3));
        assert_eq!(reading(&look, "mean_backlog", ""), &Reading::Mean { sum: 7.0, count: 100 });
        assert_eq!(reading(&look, "read_retransmissions_per_s", ""), &Reading::PerSecond(4));
        assert_eq!(reading(&look, "timeouts_per_s", ""), &Reading::PerSecond(4));
        assert_eq!(reading(&look, "failed_requests_per_s", ""), &Reading::PerSecond(0));
        assert!(!look.keys().any(|key| key.name == "writes_per_s"), "a line cut short is no line");
    }
}
