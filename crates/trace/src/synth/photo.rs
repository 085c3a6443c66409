//! The photo album: a program that shows pictures, first as thumbnails, then one after the other.
//!
//! For the thumbnails it reads each file's metadata (2 to 700 bytes at a time, in two regions of the
//! file) and the embedded thumbnail (568 bytes at a time, in order). A displayed picture is read
//! completely, in pieces of several kB of varying length. Occasionally the program reads a few bytes
//! elsewhere in the same file; the frequency is fitted to the published sequential share. In the middle
//! of the trace, when other pictures are scrolled into view, it starts over (paper, section 2.2).
//!
//! The paper counts 169 files and 110 pictures and does not describe the others; here all are pictures.

use reelgauge_record::OpenBits;
use reelgauge_workload::random::Dice;

use crate::error::TraceError;
use crate::synth::draw::{Pieces, around_one, between, chance};
use crate::synth::tape::{Handle, SyntheticWriter};

const FILES: usize = 169;
/// Size of all pictures: the published 0.81 GB minus the bytes that are read twice.
const PICTURE_BYTES: f64 = 806.7e6;
/// The published 0.81 GB at the published 1.2 MB/s.
const SPAN_NS: f64 = 675e9;
/// Share of the time for the thumbnails; the rest is spent on viewing pictures.
const OVERVIEW_SHARE: f64 = 0.12;
const PHOTO: u32 = 5;

/// Size of the reads of a thumbnail.
const THUMBNAIL_PIECE: u32 = 568;
/// Offset of the thumbnail, after the file's metadata.
const THUMBNAIL_AT: u64 = 4096;
const LOOK_UP: Pieces = Pieces(&[(1, 2, 12), (1, 13, 120), (1, 121, 700)]);
/// Size of the reads of a picture.
const PIECE: Pieces = Pieces(&[(2, 4096, 4096), (3, 4097, 16_384), (5, 16_385, 61_440)]);

pub(super) fn play(tape: &mut SyntheticWriter<'_>, seed: u64, look_ups: f64) -> Result<(), TraceError> {
    let mut dice = Dice::new(seed, PHOTO);
    let weights: Vec<f64> = (0..FILES).map(|_| around_one(&mut dice, 0.4)).collect();
    let scale = PICTURE_BYTES / weights.iter().sum::<f64>();
    let mut files = Vec::with_capacity(FILES);
    for (at, weight) in weights.iter().enumerate() {
        files.push(tape.found(format!("album/picture-{:03}.jpg", at + 1), (weight * scale) as u64)?);
    }
    let half = FILES / 2;
    let mut start_ns = 0.0;
    for shown in [&files[..half], &files[half..]] {
        let span_ns = SPAN_NS * shown.len() as f64 / FILES as f64;
        for (at, &file) in shown.iter().enumerate() {
            tape.wait_until((start_ns + span_ns * OVERVIEW_SHARE * at as f64 / shown.len() as f64) as u64);
            overview(tape, &mut dice, file)?;
        }
        let rest_ns = span_ns * (1.0 - OVERVIEW_SHARE);
        for (at, &file) in shown.iter().enumerate() {
            // The last picture ends with the trace.
            let begin_ns = span_ns * OVERVIEW_SHARE + rest_ns * at as f64 / shown.len() as f64;
            tape.wait_until((start_ns + begin_ns) as u64);
            look_at(tape, &mut dice, file, look_ups, rest_ns / shown.len() as f64)?;
        }
        start_ns += span_ns;
    }
    Ok(())
}

/// Reads the data for a thumbnail.
fn overview(tape: &mut SyntheticWriter<'_>, dice: &mut Dice, file: u32) -> Result<(), TraceError> {
    let handle = tape.open(file, OpenBits::READ)?;
    let before = between(dice, 3, 14);
    for _ in 0..before {
        look_up(tape, dice, handle, file)?;
    }
    let mut offset = THUMBNAIL_AT;
    for _ in 0..between(dice, 8, 24) {
        tape.pause(500_000);
        tape.read(handle, offset, THUMBNAIL_PIECE)?;
        offset += u64::from(THUMBNAIL_PIECE);
    }
    for _ in 0..between(dice, 2, 6) {
        look_up(tape, dice, handle, file)?;
    }
    tape.close(handle)
}

/// Reads a picture completely, over most of this time.
fn look_at(
    tape: &mut SyntheticWriter<'_>,
    dice: &mut Dice,
    file: u32,
    look_ups: f64,
    time_ns: f64,
) -> Result<(), TraceError> {
    let handle = tape.open(file, OpenBits::READ)?;
    let (begin_ns, size) = (tape.now_ns(), tape.size(file));
    let mut offset = 0;
    while offset < size {
        if offset > 0 && chance(dice, look_ups) {
            look_up(tape, dice, handle, file)?;
        }
        let len = u64::from(PIECE.draw(dice)).min(size - offset) as u32;
        tape.wait_until(begin_ns + (time_ns * 0.98 * offset as f64 / size as f64) as u64);
        tape.read(handle, offset, len)?;
        offset += u64::from(len);
    }
    tape.close(handle)
}

/// Reads a few bytes at one of two places of the file: the head, or just after the middle.
fn look_up(
    tape: &mut SyntheticWriter<'_>,
    dice: &mut Dice,
    handle: Handle,
    file: u32,
) -> Result<(), TraceError> {
    let len = LOOK_UP.draw(dice);
    let base = if dice.below(3) == 0 { tape.size(file) / 2 } else { 0 };
    let offset = base + dice.below(THUMBNAIL_AT - u64::from(len));
    tape.pause(500_000);
    tape.read(handle, offset, len)
}
