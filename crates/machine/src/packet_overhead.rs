//! The overhead of Ethernet, IP and TCP, in one place: the capacity of a link, the size of a segment and
//! that of a probe follow from it.
//!
//! Not here: the speed of a line (engine), and its utilization (analysis).

/// Bytes that Ethernet adds to each packet: preamble and start 8, header 14, checksum 4, gap 12.
const ETHERNET_BYTES: u32 = 38;
/// The header of TCP, without options.
const TCP_BYTES: u32 = 20;
/// TCP timestamps, which are enabled on every system.
const TIMESTAMP_BYTES: u32 = 12;
/// The header of an echo request.
const ECHO_BYTES: u32 = 8;
/// No network for files has a smaller MTU.
const MTU_BYTES_MIN: u32 = 576;

/// The longest packet of plain Ethernet.
pub const ETHERNET_MTU_BYTES: u32 = 1500;

/// The header of IP: that of version 6 has twenty bytes more.
pub fn ip_header_bytes(is_ipv6: bool) -> u32 {
    if is_ipv6 { 40 } else { 20 }
}

/// The payload of a full TCP segment with an MTU.
pub fn segment_bytes(mtu_bytes: u32, is_ipv6: bool) -> u32 {
    mtu_bytes.max(MTU_BYTES_MIN) - ip_header_bytes(is_ipv6) - TCP_BYTES - TIMESTAMP_BYTES
}

/// The share of a line's rate that is left for TCP payload.
pub fn payload_share(mtu_bytes: u32, is_ipv6: bool) -> f64 {
    let mtu_bytes = mtu_bytes.max(MTU_BYTES_MIN);
    f64::from(segment_bytes(mtu_bytes, is_ipv6)) / f64::from(mtu_bytes + ETHERNET_BYTES)
}

/// The payload of an echo request of the maximum packet size.
pub fn longest_echo_bytes(mtu_bytes: u32, is_ipv6: bool) -> u32 {
    mtu_bytes.max(MTU_BYTES_MIN) - ip_header_bytes(is_ipv6) - ECHO_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv6_takes_twenty_bytes_more_of_each_packet() {
        assert_eq!((segment_bytes(1500, false), segment_bytes(1500, true)), (1448, 1428));
        assert_eq!((segment_bytes(9000, false), segment_bytes(9000, true)), (8948, 8928));
        assert_eq!((longest_echo_bytes(1500, false), longest_echo_bytes(1500, true)), (1472, 1452));
        assert!((payload_share(1500, false) - 0.9415).abs() < 0.0001);
        assert!((payload_share(1500, true) - 0.9285).abs() < 0.0001);
        assert!((payload_share(9000, false) - 0.9900).abs() < 0.0001);
    }

    #[test]
    fn impossible_mtu_has_no_overhead() {
        assert!(segment_bytes(0, true) > 0 && longest_echo_bytes(7, true) > 0);
    }
}
