//! Echo requests and their answers (ICMP and ICMPv6), as bytes. See RFC 792 and RFC 4443.
//!
//! Not here: sockets and times ([`crate::sample::pings`]).

/// Type, code, checksum, identifier, number.
const HEAD: usize = 8;

/// A request of a family, and its answer.
const TYPES: [(u8, u8); 2] = [(8, 0), (128, 129)];

fn types(is_ipv6: bool) -> (u8, u8) {
    TYPES[usize::from(is_ipv6)]
}

/// An echo request with this many bytes of payload. The kernel inserts the checksum of ICMPv6 itself.
pub fn request(is_ipv6: bool, identifier: u16, number: u16, carried_bytes: usize) -> Vec<u8> {
    let mut packet = vec![types(is_ipv6).0, 0, 0, 0];
    packet.extend(identifier.to_be_bytes());
    packet.extend(number.to_be_bytes());
    packet.resize(HEAD + carried_bytes, 0x52);
    if !is_ipv6 {
        let sum = checksum(&packet).to_be_bytes();
        packet[2..4].copy_from_slice(&sum);
    }
    packet
}

/// The identifier and the number of a reply; `None` if it is not a reply. Packets from a raw IPv4 socket
/// include the IP header.
pub fn answer(is_ipv6: bool, packet: &[u8]) -> Option<(u16, u16)> {
    let has_header = !is_ipv6 && packet.first().is_some_and(|byte| byte >> 4 == 4);
    let header = if has_header { usize::from(packet[0] & 15) * 4 } else { 0 };
    let head: &[u8; HEAD] = packet.get(header..)?.first_chunk()?;
    let is_answer = head[0] == types(is_ipv6).1 && head[1] == 0;
    let number = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    is_answer.then(|| (number(4), number(6)))
}

/// The internet checksum (RFC 1071), of a packet whose own field is 0.
fn checksum(packet: &[u8]) -> u16 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |low| u32::from(*low));
    let mut sum: u32 = packet.chunks(2).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn echo_request_has_requested_length_and_valid_checksum() {
        let packet = request(false, 0x1234, 7, 1472);
        assert_eq!(packet.len(), 1480);
        assert_eq!(checksum(&packet), 0, "a packet with its sum in it sums up to nothing");
        assert_eq!(request(true, 0x1234, 7, 11).len(), 19);
    }

    #[test]
    fn echo_replies_are_distinguished_from_other_packets() {
        let mut packet = request(false, 0x1234, 7, 3);
        assert_eq!(answer(false, &packet), None, "a request is no answer");
        packet[0] = 0;
        assert_eq!(answer(false, &packet), Some((0x1234, 7)));
        let header = [0x46, 0, 0, 0, 0, 0, 0, 0, 64, 1, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1, 0, 0, 0, 0];
        assert_eq!(answer(false, &[&header[..], &packet].concat()), Some((0x1234, 7)), "options of IP");
        let mut packet = request(true, 9, 8, 3);
        packet[0] = 129;
        assert_eq!(answer(true, &packet), Some((9, 8)));
        // Unreachable.
        packet[0] = 1;
        assert_eq!(answer(true, &packet), None);
        for length in 0..HEAD {
            assert_eq!(answer(false, &packet[..length]), None);
            assert_eq!(answer(false, &header[..length]), None);
        }
    }
}
