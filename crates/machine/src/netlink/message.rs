//! Netlink messages and attributes. Lengths are trusted only as far as there are bytes. See netlink(7).

/// Bytes of a message's head: length, type, flags, number, sender.
const HEAD: usize = 16;
/// Bytes of an attribute's head: length and type.
const ATTRIBUTE_HEAD: usize = 4;
/// Two bits of an attribute's type are flags.
const TYPE_MASK: u16 = 0x3fff;

/// The last message of an answer, and an error message.
const DONE: u16 = 3;
const ERROR: u16 = 2;

/// A message: its type, and its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Its type, as numbered by the family.
    pub kind: u16,
    pub body: &'a [u8],
}

impl Message<'_> {
    /// Whether it is the last message.
    pub fn is_last(&self) -> bool {
        matches!(self.kind, DONE | ERROR)
    }

    /// The kernel's error, as an `errno`. `None` if there is none.
    pub fn error(&self) -> Option<i32> {
        let code = i32::from_ne_bytes(*self.body.first_chunk()?);
        (self.kind == ERROR && code != 0).then(|| code.saturating_neg())
    }
}

/// The messages in the received bytes, up to the first incomplete one.
pub fn messages(mut bytes: &[u8]) -> impl Iterator<Item = Message<'_>> {
    std::iter::from_fn(move || {
        let length = u32_at(bytes, 0)? as usize;
        let kind = u16_at(bytes, 4)?;
        let body = bytes.get(HEAD..length)?;
        bytes = bytes.get(aligned(length)..).unwrap_or_default();
        Some(Message { kind, body })
    })
}

/// The attributes in a message's body, by type, up to the first incomplete one.
pub fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16_at(bytes, 0)?);
        let kind = u16_at(bytes, 2)? & TYPE_MASK;
        let value = bytes.get(ATTRIBUTE_HEAD..length)?;
        bytes = bytes.get(aligned(length)..).unwrap_or_default();
        Some((kind, value))
    })
}

/// An attribute of this type, for tests that build answers.
#[cfg(test)]
pub fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = value.len() as u16 + 4;
    let mut bytes = [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), value].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// A question: a head of this type that requests all matching objects, and the body.
pub fn question(kind: u16, body: &[u8]) -> Vec<u8> {
    /// The flags of a question for all objects.
    const REQUEST_AND_DUMP: u16 = 0x1 | 0x300;
    let mut bytes = Vec::with_capacity(HEAD + body.len());
    bytes.extend(((HEAD + body.len()) as u32).to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(REQUEST_AND_DUMP.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes.extend(body);
    bytes
}

/// A number of two bytes at this position, in native byte order.
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// A number of four bytes.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// A number of eight bytes.
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Heads are aligned to four bytes.
fn aligned(length: usize) -> usize {
    length.saturating_add(3) & !3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u16, length: u32, body: &[u8]) -> Vec<u8> {
        let mut bytes = question(kind, body);
        bytes[..4].copy_from_slice(&length.to_ne_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    #[test]
    fn messages_follow_one_another_and_end_where_one_does_not_fit() {
        let mut bytes = message(20, 21, b"first");
        bytes.extend(message(DONE, 20, &[0; 4]));
        let found: Vec<_> = messages(&bytes).collect();
        assert_eq!(found[0], Message { kind: 20, body: b"first" });
        assert!(found.len() == 2 && found[1].is_last() && found[1].error().is_none());
        let refused = message(ERROR, 20, &(-2_i32).to_ne_bytes());
        assert_eq!(messages(&refused).next().and_then(|message| message.error()), Some(2));
        for length in [0, 3, 15, 22, u32::MAX] {
            assert_eq!(messages(&message(20, length, b"first")[..21]).count(), 0, "{length}");
        }
        assert_eq!(messages(&[1, 2]).count(), 0);
    }

    #[test]
    fn attributes_end_where_one_does_not_fit() {
        let bytes = |length: u16| [&length.to_ne_bytes()[..], &[2, 0x80], b"info", &[4, 0, 9, 0]].concat();
        let found: Vec<_> = attributes(&bytes(8)).map(|(kind, value)| (kind, value.to_vec())).collect();
        assert_eq!(found, [(2, b"info".to_vec()), (9, Vec::new())]);
        for length in [0, 3, 13, u16::MAX] {
            assert_eq!(attributes(&bytes(length)).count(), 0, "{length}");
        }
    }
}
