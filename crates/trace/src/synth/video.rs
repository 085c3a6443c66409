//! The five HD video workloads: a player, a recorder, and merges of copies of them.
//!
//! A player reads 256 KiB at a time, usually with a long gap and occasionally twice in rapid succession.
//! Only these bursts make a merged trace sequential (paper, section 4.1). Their frequency is not
//! published: it is fitted to the published sequential shares. The published sizes of one, two and four
//! players agree only if the film starts slowly, so it does: 1.44 MB/s until 225 s, 2.78 MB/s until 360
//! s, then 2.50 MB/s.

use reelgauge_record::OpenBits;
use reelgauge_workload::random::Dice;

use crate::error::TraceError;
use crate::synth::draw::{around_one, chance};
use crate::synth::tape::SyntheticWriter;

/// Size of the accesses of players and recorders.
const PIECE: u32 = 256 << 10;
/// Time between two accesses of a burst.
const BURST_NS: u64 = 5_000_000;
/// Deviation of the long gaps from their mean.
const SPREAD: f64 = 0.10;
/// Start delay of each merged stream after the previous one.
const SHIFT_NS: u64 = 50_000_000;
/// The streams of random draws for players and for recorders.
const PLAYER: u32 = 1;
const RECORDER: u32 = 2;

/// The film's rate: end of each part in seconds, and MB/s.
const FILM: [(f64, f64); 3] = [(225.0, 1.44), (360.0, 2.78), (600.0, 2.50)];
/// The film in a merge with a recorder: the rest of the published 1 GB after the recorder's 1.78 MB/s.
const STEADY_FILM: [(f64, f64); 1] = [(260.0, 2.068)];
const BROADCAST: [(f64, f64); 1] = [(900.0, 1.7777)];

/// One stream of a merge: its accesses and their times.
struct Stream {
    name: &'static str,
    writes: bool,
    /// Pieces of the file, in order of access.
    pieces: Vec<u64>,
    /// When each is accessed, in nanoseconds.
    times_ns: Vec<u64>,
    /// Size of the file that is played.
    size_bytes: u64,
}

pub(super) fn one_play(tape: &mut SyntheticWriter<'_>, seed: u64, bursts: f64) -> Result<(), TraceError> {
    merge(tape, vec![player(seed, "video/film.mpg", 4959, &FILM, 600.0, bursts)])
}

pub(super) fn two_play(tape: &mut SyntheticWriter<'_>, seed: u64, bursts: f64) -> Result<(), TraceError> {
    merge(tape, copies(&["video/film-1.mpg", "video/film-2.mpg"], seed, 2670, 360.0, bursts))
}

pub(super) fn four_play(tape: &mut SyntheticWriter<'_>, seed: u64, bursts: f64) -> Result<(), TraceError> {
    let names = ["video/film-1.mpg", "video/film-2.mpg", "video/film-3.mpg", "video/film-4.mpg"];
    merge(tape, copies(&names, seed, 1240, 225.0, bursts))
}

pub(super) fn one_record(tape: &mut SyntheticWriter<'_>, seed: u64, bursts: f64) -> Result<(), TraceError> {
    merge(tape, vec![recorder(seed, 6103, 900.0, bursts)])
}

pub(super) fn play_and_record(
    tape: &mut SyntheticWriter<'_>,
    seed: u64,
    bursts: f64,
) -> Result<(), TraceError> {
    let player = player(seed, "video/film.mpg", 2051, &STEADY_FILM, 260.0, bursts);
    merge(tape, vec![player, recorder(seed, 1763, 260.0, bursts)])
}

/// One copy of the same film for each name.
fn copies(names: &[&'static str], seed: u64, count: usize, seconds: f64, bursts: f64) -> Vec<Stream> {
    names.iter().map(|name| player(seed, name, count, &FILM, seconds, bursts)).collect()
}

/// Reads a film in order. Twelve times in 4,959 accesses it reads the index at the end of the file, and
/// continues where it was. With the first access, 25 accesses are not sequential, or 0.5 %.
fn player(
    seed: u64,
    name: &'static str,
    count: usize,
    film: &[(f64, f64)],
    seconds: f64,
    bursts: f64,
) -> Stream {
    let mut dice = Dice::new(seed, PLAYER);
    let look_ups = count * 12 / 4959;
    let film_pieces = (count - look_ups) as u64;
    let mut pieces: Vec<u64> = (0..film_pieces).collect();
    for part in (1..=look_ups).rev() {
        let at = count / (look_ups + 1) * part;
        pieces.insert(at.min(pieces.len() - 1), film_pieces - 1 - part as u64);
    }
    let times_ns = schedule(&mut dice, pieces.len(), film, seconds, bursts);
    Stream { name, writes: false, pieces, times_ns, size_bytes: film_pieces * u64::from(PIECE) }
}

/// Writes a broadcast in order, and its header again: twice on the way and at the end. With the first
/// access, six accesses are not sequential, or 0.1 % of 6,103.
fn recorder(seed: u64, count: usize, seconds: f64, bursts: f64) -> Stream {
    let mut dice = Dice::new(seed, RECORDER);
    let mut pieces: Vec<u64> = (0..count as u64 - 3).collect();
    pieces.insert(count * 2 / 3, 0);
    pieces.insert(count / 3, 0);
    pieces.push(0);
    let times_ns = schedule(&mut dice, pieces.len(), &BROADCAST, seconds, bursts);
    Stream { name: "video/broadcast.mpg", writes: true, pieces, times_ns, size_bytes: 0 }
}

/// The times of `count` accesses; the last is at the end of `seconds`. The mean gap follows the film's
/// rate; a gap is short with probability `bursts`.
fn schedule(dice: &mut Dice, count: usize, film: &[(f64, f64)], seconds: f64, bursts: f64) -> Vec<u64> {
    let mut now_s = 0.0;
    let mut gaps_s = Vec::with_capacity(count);
    for at in 0..count {
        // Both are always drawn, so that another probability changes nothing else.
        let jitter = around_one(dice, SPREAD);
        let is_burst = chance(dice, bursts);
        let burst_s = BURST_NS as f64 / 1e9;
        let rate = film.iter().find(|(until_s, _)| now_s < *until_s).or(film.last());
        let mean_s = f64::from(PIECE) / 1e6 / rate.map_or(1.0, |(_, mb_per_s)| *mb_per_s);
        let long_s = jitter * (mean_s - bursts * burst_s).max(burst_s) / (1.0 - bursts);
        let gap_s = if is_burst { burst_s } else { long_s };
        gaps_s.push(if at == 0 { 0.0 } else { gap_s });
        now_s += gap_s;
    }
    let scale = seconds / gaps_s.iter().sum::<f64>();
    let times = gaps_s.iter().scan(0.0, |at_s, gap_s| {
        *at_s += gap_s * scale;
        Some((*at_s * 1e9) as u64)
    });
    times.collect()
}

/// Merges streams, each shifted against the previous one. One request is outstanding at a time, as in
/// the original.
fn merge(tape: &mut SyntheticWriter<'_>, streams: Vec<Stream>) -> Result<(), TraceError> {
    let mut open = Vec::new();
    for (number, stream) in streams.iter().enumerate() {
        let name = stream.name.to_owned();
        tape.as_stream(number as u32);
        open.push(if stream.writes {
            let file = tape.absent(name)?;
            tape.create(file)?
        } else {
            let file = tape.found(name, stream.size_bytes)?;
            tape.open(file, OpenBits::READ)?
        });
    }
    let start_ns = tape.now_ns();
    let mut next = vec![0_usize; streams.len()];
    let due = |next: &[usize], number: usize| {
        let time_ns = streams[number].times_ns.get(next[number])?;
        Some((time_ns + number as u64 * SHIFT_NS, number))
    };
    while let Some((time_ns, number)) = (0..streams.len()).filter_map(|number| due(&next, number)).min() {
        let (stream, handle) = (&streams[number], open[number]);
        let offset = stream.pieces[next[number]] * u64::from(PIECE);
        next[number] += 1;
        tape.as_stream(number as u32);
        tape.wait_until(start_ns + time_ns);
        if stream.writes { tape.write(handle, offset, PIECE)? } else { tape.read(handle, offset, PIECE)? }
    }
    for (number, handle) in open.into_iter().enumerate() {
        tape.as_stream(number as u32);
        tape.close(handle)?;
    }
    Ok(())
}
