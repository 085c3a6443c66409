//! `/proc/net/snmp` and `/proc/net/netstat`: TCP's sent and retransmitted segments, and its waits. For
//! this process's network namespace, all connections together.
//!
//! A line of names is followed by one of numbers. The whole first word has to be compared: `MPTcpExt:`
//! ends like `TcpExt:`.

use super::put;
use crate::sample::counter::{Layer, Look, Reading};

/// The counters in `/proc/net/snmp`.
pub fn parse_snmp(text: &str, look: &mut Look) {
    let total = |name| value(text, "Tcp:", name);
    put_total(look, "tcp_retransmitted_segments_per_s", total("RetransSegs"));
}

/// The counters in `/proc/net/netstat`.
pub fn parse_netstat(text: &str, look: &mut Look) {
    let total = |name| value(text, "TcpExt:", name);
    let both = |one, other| Some(u64::saturating_add(total(one)?, total(other)?));
    // Without acknowledgements, as the base for the share of retransmissions.
    put_total(look, "tcp_data_segments_per_s", total("TCPOrigDataSent"));
    // Data that the other end reported as received twice, and data that was received twice here.
    put_total(look, "tcp_sent_twice_segments_per_s", both("TCPDSACKRecv", "TCPDSACKOfoRecv"));
    put_total(look, "tcp_received_twice_segments_per_s", both("TCPDSACKOldSent", "TCPDSACKOfoSent"));
    put_total(look, "tcp_timeouts_per_s", total("TCPTimeouts"));
    put_total(look, "tcp_zero_windows_per_s", both("TCPToZeroWindowAdv", "TCPWantZeroWindowAdv"));
    put_total(look, "tcp_receive_drops_per_s", both("TCPBacklogDrop", "TCPRcvQDrop"));
}

fn put_total(look: &mut Look, name: &'static str, total: Option<u64>) {
    if let Some(total) = total {
        put(look, Layer::Network, name, Reading::PerSecond(total));
    }
}

/// The number below a name.
fn value(text: &str, protocol: &str, name: &str) -> Option<u64> {
    let of_protocol = |line: &&str| line.split_ascii_whitespace().next() == Some(protocol);
    let mut lines = text.lines().filter(of_protocol);
    let (names, numbers) = (lines.next()?, lines.next()?);
    let at = names.split_ascii_whitespace().position(|word| word == name)?;
    numbers.split_ascii_whitespace().nth(at)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    /// Linux 6.18.
    const SNMP: &str = "\
Ip: Forwarding DefaultTTL InReceives
Ip: 1 64 244986
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts InCsumErrors
Tcp: 1 200 120000 -1 247 88 91 40 0 244845 232650 24 0 177 0
";
    const NETSTAT: &str = "\
TcpExt: SyncookiesSent TCPTimeouts TCPBacklogDrop TCPToZeroWindowAdv TCPWantZeroWindowAdv TCPOrigDataSent TCPRcvQDrop TCPDSACKOldSent TCPDSACKOfoSent TCPDSACKRecv TCPDSACKOfoRecv
TcpExt: 0 3 4 2 5 165165 6 11 2 21 3
IpExt: InNoRoutes TCPTimeouts
IpExt: 0 99
MPTcpExt: MPCapableSYNRX TCPTimeouts
MPTcpExt: 0 98
";

    #[test]
    fn values_are_matched_with_the_header_line() {
        let mut look = Look::new();
        parse_snmp(SNMP, &mut look);
        parse_netstat(NETSTAT, &mut look);
        all_known(&look);
        for (name, total) in [
            ("tcp_retransmitted_segments_per_s", 24),
            ("tcp_data_segments_per_s", 165_165),
            ("tcp_sent_twice_segments_per_s", 24),
            ("tcp_received_twice_segments_per_s", 13),
            ("tcp_timeouts_per_s", 3),
            ("tcp_zero_windows_per_s", 7),
            ("tcp_receive_drops_per_s", 10),
        ] {
            assert_eq!(reading(&look, name, ""), &Reading::PerSecond(total), "{name}");
        }
    }

    #[test]
    fn odd_text_gives_nothing() {
        let mut look = Look::new();
        parse_snmp("Tcp: RetransSegs\n", &mut look);
        parse_netstat("MPTcpExt: TCPTimeouts\nMPTcpExt: 98\nTcpExt: TCPTimeouts\nTcpExt: -1\n", &mut look);
        assert_eq!(look, Look::new());
    }
}
