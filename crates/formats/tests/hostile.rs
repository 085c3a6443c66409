//! Damaged and synthetic files: reading any bytes ends with a result or an error.
//!
//! The files under `tests/data` are real ones from FFmpeg (`testsrc2` in 16x16, `sine`), small enough to
//! be damaged at every position.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use reelgauge_formats::reference_media::{self, Basis, ReferenceMedia, ReferenceMediaError};

const MOV: &[u8] = include_bytes!("data/tiny.mov");
const MP4: &[u8] = include_bytes!("data/tiny.mp4");

thread_local! {
    /// One folder for each test thread: a new one for each of tens of thousands of files takes too long.
    static FOLDER: tempfile::TempDir = tempfile::tempdir().unwrap();
}

/// Reads a file with this content and checks the invariants of every result.
fn look(content: &[u8]) -> Result<ReferenceMedia, ReferenceMediaError> {
    let path = FOLDER.with(|folder| folder.path().join("file"));
    fs::write(&path, content).unwrap();
    let like = reference_media::from_path(&path, None)?;
    assert!(like.frames() > 0);
    assert!(like.frame_bytes(like.frames()).is_none());
    if let Basis::Movie(movie) = &like.basis {
        let size = content.len() as u64;
        for span in movie.tracks.iter().flat_map(|track| &track.spans) {
            assert!(span.offset + span.bytes <= size, "{span:?} in {size} bytes");
        }
        if let Some(spans) = movie.forward_spans() {
            assert!(spans.windows(2).all(|pair| pair[0].end() == pair[1].offset));
            assert!(spans.last().unwrap().end() <= size);
        }
    }
    Ok(like)
}

#[test]
fn the_files_are_good_before_they_are_damaged() {
    for content in [MOV, MP4] {
        let like = look(content).unwrap();
        assert_eq!((like.frames(), like.frame_rate.to_string().as_str()), (5, "25"));
        assert!(!matches!(like.basis, Basis::Mean(_)) && like.notes.is_empty(), "{:?}", like.notes);
    }
}

#[test]
fn every_byte_may_be_wrong() {
    for original in [MOV, MP4] {
        let begin = original.windows(4).position(|kind| kind == b"moov").unwrap() - 4;
        let end = original.len().min(begin + 2500);
        for at in begin..end {
            for value in [0, 0x7f, 0xff] {
                let mut content = original.to_vec();
                content[at] = value;
                let _ = look(&content);
            }
        }
    }
}

#[test]
fn a_file_may_end_anywhere() {
    for original in [MOV, MP4] {
        for end in 0..original.len() {
            assert!(look(&original[..end]).is_err(), "cut to {end} bytes");
        }
    }
}

#[test]
fn truncated_files_are_reported_as_truncated() {
    let said = |content: &[u8]| look(content).unwrap_err().to_string();
    // The index comes last in the one and first in the other.
    assert!(said(&MOV[..MOV.len() - 1]).contains("truncated"));
    assert!(said(&MOV[..MOV.len() / 3]).contains("no index"));
    assert!(said(&MP4[..MP4.len() - 1]).contains("truncated"));
    assert!(said(b"").contains("duration"));
}

#[test]
fn a_path_that_does_not_exist_is_an_error() {
    let said = reference_media::from_path(Path::new("no/such/clip.mov"), None).unwrap_err().to_string();
    assert!(said.contains("no/such/clip.mov"), "{said}");
}

/// Extreme values for a count or a length.
fn extreme() -> impl Strategy<Value = u32> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(7),
        Just(8),
        Just(0x7fff_ffff),
        Just(u32::MAX),
        0_u32..100_000,
        any::<u32>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn numbers_may_be_anything(
        mov: bool,
        damage in prop::collection::vec((any::<prop::sample::Index>(), extreme()), 1..6),
    ) {
        let mut content = if mov { MOV.to_vec() } else { MP4.to_vec() };
        for (at, number) in damage {
            let at = at.index(content.len() - 4);
            content[at..at + 4].copy_from_slice(&number.to_be_bytes());
        }
        let _ = look(&content);
    }

    #[test]
    fn pieces_may_be_moved(
        mov: bool,
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        bytes in 1_usize..400,
    ) {
        let mut content = if mov { MOV.to_vec() } else { MP4.to_vec() };
        let from = from.index(content.len());
        let piece: Vec<u8> = content.drain(from..(from + bytes).min(content.len())).collect();
        let to = to.index(content.len() + 1);
        content.splice(to..to, piece);
        let _ = look(&content);
    }

    #[test]
    fn bytes_may_be_anything(head in 0_usize..8, noise: Vec<u8>) {
        let heads: [&[u8]; 8] = [
            b"", b"\0\0\0\x08ftyp", b"\0\0\0\0moov", b"\0\0\0\x01moov\0\0\0\0\0\0\0\x40", b"\0\0\0\x08wide",
            b"\0\0\0\x10moov\0\0\0\0trak", b"\0\0\0\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff",
            &[6, 14, 43, 52, 2, 5, 1, 1, 13, 1, 2, 1, 1, 2, 4, 0, 0x88, 255],
        ];
        let content = [heads[head], &noise].concat();
        prop_assert!(look(&content).is_err());
    }
}
