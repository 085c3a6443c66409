//! Boxes: a length, a name of four letters, and a content. And the numbers in them, which are
//! big-endian.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use super::MovieError;

/// The name of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxType(pub [u8; 4]);

impl BoxType {
    pub(super) const MOOV: BoxType = BoxType(*b"moov");
    pub(super) const CMOV: BoxType = BoxType(*b"cmov");
    pub(super) const MVHD: BoxType = BoxType(*b"mvhd");
    pub(super) const MVEX: BoxType = BoxType(*b"mvex");
    pub(super) const MEHD: BoxType = BoxType(*b"mehd");
    pub(super) const TRAK: BoxType = BoxType(*b"trak");
    pub(super) const MDIA: BoxType = BoxType(*b"mdia");
    pub(super) const MDHD: BoxType = BoxType(*b"mdhd");
    pub(super) const HDLR: BoxType = BoxType(*b"hdlr");
    pub(super) const MINF: BoxType = BoxType(*b"minf");
    pub(super) const DINF: BoxType = BoxType(*b"dinf");
    pub(super) const DREF: BoxType = BoxType(*b"dref");
    pub(super) const STBL: BoxType = BoxType(*b"stbl");
    pub(super) const STSD: BoxType = BoxType(*b"stsd");
    pub(super) const STTS: BoxType = BoxType(*b"stts");
    pub(super) const STSC: BoxType = BoxType(*b"stsc");
    pub(super) const STSZ: BoxType = BoxType(*b"stsz");
    pub(super) const STZ2: BoxType = BoxType(*b"stz2");
    pub(super) const STCO: BoxType = BoxType(*b"stco");
    pub(super) const CO64: BoxType = BoxType(*b"co64");

    /// This box is damaged.
    pub(super) const fn damaged(self, why: &'static str) -> MovieError {
        MovieError::Damaged { kind: self, why }
    }
}

impl fmt::Display for BoxType {
    /// The letters; other bytes are written as numbers, so that a message stays on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

/// The position of a top-level box of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: BoxType,
    /// Start of its content.
    pub(super) content: u64,
    /// Its end; may be after the end of the file.
    pub(super) end: u64,
}

/// Reads the head of the box at a position; `None` at the end of the file, or if there is no box.
pub(super) fn read_head<R: Read + Seek>(file: &mut R, at: u64, file_bytes: u64) -> io::Result<Option<Head>> {
    if at.saturating_add(8) > file_bytes {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(at))?;
    let mut head = Vec::with_capacity(16);
    file.take(16).read_to_end(&mut head)?;
    Ok(parse_head(&mut Cursor::new(&head), file_bytes - at).map(|(kind, head_bytes, bytes)| Head {
        kind,
        content: at + head_bytes,
        end: at.saturating_add(bytes),
    }))
}

/// Name, bytes of the head and bytes of the whole box, which can have at most `rest` bytes.
fn parse_head(cursor: &mut Cursor<'_>, rest: u64) -> Option<(BoxType, u64, u64)> {
    let short = cursor.u32()?;
    let kind = BoxType(cursor.array()?);
    let (head_bytes, bytes) = match short {
        // To the end of the file or of the enclosing box.
        0 => (8, rest),
        1 => (16, cursor.u64()?),
        bytes => (8, u64::from(bytes)),
    };
    (bytes >= head_bytes).then_some((kind, head_bytes, bytes))
}

/// The boxes in the content of a box.
pub(super) struct Boxes<'a> {
    parent: BoxType,
    rest: &'a [u8],
}

impl<'a> Boxes<'a> {
    pub(super) fn of(parent: BoxType, content: &'a [u8]) -> Boxes<'a> {
        Boxes { parent, rest: content }
    }
}

impl<'a> Iterator for Boxes<'a> {
    type Item = Result<(BoxType, &'a [u8]), MovieError>;

    fn next(&mut self) -> Option<Self::Item> {
        // QuickTime ends some lists with four zero bytes.
        if self.rest.len() < 8 {
            return None;
        }
        let head = parse_head(&mut Cursor::new(self.rest), self.rest.len() as u64);
        let found = head.and_then(|(kind, head_bytes, bytes)| {
            let (this, rest) = self.rest.split_at_checked(usize::try_from(bytes).ok()?)?;
            self.rest = rest;
            Some((kind, this.get(usize::try_from(head_bytes).ok()?..)?))
        });
        if found.is_none() {
            self.rest = &[];
        }
        Some(found.ok_or_else(|| self.parent.damaged("contains a box that does not fit into it")))
    }
}

/// The first box of this name in the content of a box.
pub(super) fn child(parent: BoxType, content: &[u8], kind: BoxType) -> Result<Option<&[u8]>, MovieError> {
    for found in Boxes::of(parent, content) {
        let (found, content) = found?;
        if found == kind {
            return Ok(Some(content));
        }
    }
    Ok(None)
}

/// Like [`child`], but the box must exist.
pub(super) fn needed(parent: BoxType, content: &[u8], kind: BoxType) -> Result<&[u8], MovieError> {
    child(parent, content, kind)?.ok_or_else(|| kind.damaged("is missing"))
}

/// Reads numbers from the front of a content; `None` at its end.
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(content: &'a [u8]) -> Cursor<'a> {
        Cursor { rest: content }
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*array)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(super) fn skip(&mut self, bytes: usize) -> Option<()> {
        self.rest = self.rest.get(bytes..)?;
        Some(())
    }

    /// The next `count` entries of `width` bytes.
    pub(super) fn table(&mut self, count: u32, width: usize) -> Option<&'a [u8]> {
        let bytes = usize::try_from(count).ok()?.checked_mul(width)?;
        self.rest.get(..bytes)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn boxes_are_read_one_after_another() {
        let mut content = Vec::new();
        content.extend([0, 0, 0, 10, b'a', b'b', b'c', b'd', 1, 2]);
        content.extend([0, 0, 0, 1, b'l', b'o', b'n', b'g', 0, 0, 0, 0, 0, 0, 0, 17, 3]);
        content.extend([0, 0, 0, 0, b'r', b'e', b's', b't', 4, 5, 6]);
        let found: Vec<(BoxType, &[u8])> = Boxes::of(BoxType::MOOV, &content).map(Result::unwrap).collect();
        assert_eq!(found[0], (BoxType(*b"abcd"), &[1, 2][..]));
        assert_eq!(found[1], (BoxType(*b"long"), &[3][..]));
        assert_eq!(found[2], (BoxType(*b"rest"), &[4, 5, 6][..]));
        assert_eq!(found.len(), 3);
        assert_eq!(child(BoxType::MOOV, &content, BoxType(*b"rest")).unwrap(), Some(&[4, 5, 6][..]));
        insta::assert_snapshot!(needed(BoxType::MOOV, &content, BoxType::TRAK).unwrap_err());
    }

    #[test]
    fn four_zero_bytes_end_a_list() {
        let content = [0, 0, 0, 8, b'a', b'b', b'c', b'd', 0, 0, 0, 0];
        assert_eq!(Boxes::of(BoxType::MOOV, &content).count(), 1);
    }

    #[test]
    fn boxes_that_do_not_fit_are_an_error_once() {
        for content in [
            [0, 0, 0, 9, b'a', b'b', b'c', b'd'],
            [0, 0, 0, 7, b'a', b'b', b'c', b'd'],
            [0, 0, 0, 1, b'a', b'b', b'c', b'd'],
        ] {
            let found: Vec<_> = Boxes::of(BoxType::STBL, &content).collect();
            assert!(matches!(found.as_slice(), [Err(MovieError::Damaged { .. })]));
        }
    }

    #[test]
    fn names_are_shown_on_one_line() {
        assert_eq!(BoxType(*b"a\n\xffz").to_string(), "a\\n\\xffz");
    }
}
