//! MXF: the duration of a file's picture, from its header metadata (SMPTE ST 377-1).
//!
//! A file is a sequence of keys (16 bytes), lengths and values. Only the track of pictures is used, with
//! its rate and length in frames. Frame sizes are in index tables that every vendor fills in
//! differently; they are not read.

use std::io::{self, Read, Seek, SeekFrom};

use super::mean_size::{Found, Length};
use crate::rate::FrameRate;

/// How much of the start of the file is read. Header metadata takes tens of kB, or a few MB
/// with padding.
const HEAD_BYTES_MAX: u64 = 8 << 20;

/// How much foreign data may come before the first key.
const RUN_IN_BYTES_MAX: usize = 64 << 10;

/// How many keys are read. Files have a few hundred before their media.
const SETS_MAX: usize = 4096;

/// The key of a header partition pack, up to its kind.
const HEADER_PARTITION: [u8; 14] = [6, 14, 43, 52, 2, 5, 1, 1, 13, 1, 2, 1, 1, 2];

/// The beginning of the keys of local sets: rows of (tag, length, value).
const LOCAL_SET: [u8; 6] = [6, 14, 43, 52, 2, 0x53];

/// A set's own name, which others refer to.
const TAG_INSTANCE: u16 = 0x3c0a;

/// Properties of a track: its sequence, and the number of its units per second.
const TAG_SEQUENCE: u16 = 0x4803;
const TAG_EDIT_RATE: u16 = 0x4b01;

/// Properties of a sequence: the kind of its data, and its length in units.
const TAG_DATA_DEFINITION: u16 = 0x0201;
const TAG_DURATION: u16 = 0x0202;

/// The data definition of pictures, from its ninth byte: the first eight differ by version.
const PICTURES: [u8; 5] = [1, 3, 2, 2, 1];

/// The duration of an MXF file's picture; `None` for other files.
pub(super) fn find<R: Read + Seek>(file: &mut R) -> io::Result<Option<Found>> {
    file.seek(SeekFrom::Start(0))?;
    let mut head = Vec::new();
    file.take(RUN_IN_BYTES_MAX as u64).read_to_end(&mut head)?;
    let Some(begin) = head.windows(HEADER_PARTITION.len()).position(|key| key == HEADER_PARTITION) else {
        return Ok(None);
    };
    file.take(HEAD_BYTES_MAX).read_to_end(&mut head)?;
    Ok(Some(parse(&head[begin..])))
}

fn parse(rest: &[u8]) -> Found {
    let sets: Vec<Set<'_>> = sets(rest).map(Set::read).collect();
    let lengths = sets.iter().filter_map(|set| Some((set.instance?, set.pictures?)));
    for (instance, frames) in lengths {
        let track = sets.iter().find(|set| set.sequence == Some(instance) && set.edit_rate.is_some());
        if let Some(track) = track {
            return Found { frame_rate: track.edit_rate, length: Some(Length::Frames(frames)) };
        }
    }
    Found::NOTHING
}

/// The values of all local sets.
fn sets(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (key, value, behind) = split(rest)?;
        rest = behind;
        Some(key.starts_with(&LOCAL_SET).then_some(value))
    })
    .take(SETS_MAX)
    .flatten()
}

/// The values of a track or a sequence that are used.
#[derive(Default)]
struct Set<'a> {
    instance: Option<&'a [u8]>,
    sequence: Option<&'a [u8]>,
    edit_rate: Option<FrameRate>,
    /// The length of a sequence of pictures.
    pictures: Option<u64>,
}

impl<'a> Set<'a> {
    fn read(mut items: &'a [u8]) -> Set<'a> {
        let mut set = Set::default();
        let mut carries_pictures = false;
        let mut duration = None;
        while let Some((tag, value, behind)) = split_item(items) {
            items = behind;
            match tag {
                TAG_INSTANCE => set.instance = Some(value),
                TAG_SEQUENCE => set.sequence = Some(value),
                TAG_EDIT_RATE => set.edit_rate = rate(value),
                TAG_DATA_DEFINITION => carries_pictures = value.get(8..13) == Some(&PICTURES),
                TAG_DURATION => duration = length(value),
                _ => {}
            }
        }
        set.pictures = duration.filter(|_| carries_pictures);
        set
    }
}

/// A length; `None` for minus one, which is written until the recording ends, and for 0.
fn length(value: &[u8]) -> Option<u64> {
    let length = i64::from_be_bytes(value.try_into().ok()?);
    u64::try_from(length).ok().filter(|length| *length > 0)
}

/// Key, value and the rest; `None` at the end of the data that was read.
fn split(rest: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (key, rest) = rest.split_at_checked(16)?;
    let (first, rest) = rest.split_first()?;
    // Lengths up to 127 are one byte; for longer ones, that byte is the number of bytes that follow.
    let (length, rest) = match first {
        0..=0x7f => (u64::from(*first), rest),
        0x81..=0x88 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
            (big_endian(digits), rest)
        }
        _ => return None,
    };
    let (value, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    Some((key, value, behind))
}

fn split_item(set: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let (tag, rest) = set.split_first_chunk::<2>()?;
    let (length, rest) = rest.split_first_chunk::<2>()?;
    let (value, behind) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    Some((u16::from_be_bytes(*tag), value, behind))
}

fn rate(value: &[u8]) -> Option<FrameRate> {
    let (num, den) = value.split_at_checked(4)?;
    FrameRate::new(u32::try_from(big_endian(num)).ok()?, u32::try_from(big_endian(den)).ok()?)
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn item(tag: u16, value: &[u8]) -> Vec<u8> {
        let mut item = tag.to_be_bytes().to_vec();
        item.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        item.extend(value);
        item
    }

    fn set(items: &[Vec<u8>]) -> Vec<u8> {
        let value = items.concat();
        let mut set = LOCAL_SET.to_vec();
        set.extend([1, 1, 13, 1, 1, 1, 1, 1, 0x0f, 0]);
        set.extend([0x83, 0]);
        set.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        set.extend(value);
        set
    }

    fn file(duration: i64) -> Vec<u8> {
        let rate = |num: u32, den: u32| item(TAG_EDIT_RATE, &[num.to_be_bytes(), den.to_be_bytes()].concat());
        let carries =
            |what: u8| item(TAG_DATA_DEFINITION, &[6, 14, 43, 52, 4, 1, 1, 1, 1, 3, 2, 2, what, 0, 0, 0]);
        let mut file = b"run-in".to_vec();
        file.extend(HEADER_PARTITION);
        file.extend([4, 0, 3, 1, 2, 3]);
        file.extend(set(&[item(TAG_SEQUENCE, &[1; 16]), rate(48_000, 1)]));
        file.extend(set(&[
            item(TAG_INSTANCE, &[1; 16]),
            carries(2),
            item(TAG_DURATION, &7_i64.to_be_bytes()),
        ]));
        file.extend(set(&[
            item(TAG_DURATION, &duration.to_be_bytes()),
            carries(1),
            item(TAG_INSTANCE, &[2; 16]),
        ]));
        file.extend(set(&[rate(30_000, 1001), item(TAG_SEQUENCE, &[2; 16])]));
        file
    }

    #[test]
    fn duration_is_that_of_the_picture_track() {
        let found = find(&mut Cursor::new(file(250))).unwrap().unwrap();
        assert_eq!(found.frame_rate.unwrap().to_string(), "29.97");
        assert_eq!(found.length, Some(Length::Frames(250)));
    }

    #[test]
    fn an_open_length_is_no_length() {
        for duration in [-1, 0] {
            let found = find(&mut Cursor::new(file(duration))).unwrap().unwrap();
            assert_eq!(found.length, None);
        }
        assert_eq!(find(&mut Cursor::new(b"RIFF".to_vec())).unwrap(), None);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(noise: Vec<u8>, cut in 0_usize..500, at in 0_usize..500, byte: u8) {
            let _ = find(&mut Cursor::new(noise)).unwrap();
            let mut file = file(250);
            let at = at % file.len();
            file[at] = byte;
            file.truncate(file.len() - cut % file.len());
            let _ = find(&mut Cursor::new(file)).unwrap();
        }
    }
}
