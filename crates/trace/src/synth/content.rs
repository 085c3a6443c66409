//! Content creation: video and photo editing programs make one video of many sources.
//!
//! One very large file, the video, is created during the test and written "in bits and pieces": bursts
//! of 512 and 1,024 bytes at random positions, and larger pieces that skip beyond its end or fill the
//! gaps. These are only occasionally sequential (11 % of the video's accesses). Many smaller files are
//! read and written mostly in order. The length of their runs is fitted to the published sequential
//! share.
//!
//! Not published, and chosen here: the size of the video (1 GB, most of it never written), and how many
//! of the other 97 files are sources.

use reelgauge_record::OpenBits;
use reelgauge_workload::random::Dice;

use crate::error::TraceError;
use crate::synth::draw::{Pieces, between, chance, log_normal, unit};
use crate::synth::tape::{Handle, SyntheticWriter};

const SOURCES: usize = 60;
const OUTPUTS: usize = 37;
/// Bytes that the trace transfers (paper, section 4.1).
const BYTES: u64 = 155_000_000;
/// At Table 1's rate, 0.054 MB/s.
const SPAN_NS: f64 = 155e9 / 0.054;
/// The largest size of the video.
const VIDEO_BYTES: u64 = 1_000_000_000;
/// The largest jump beyond the end of the video, in bytes.
const JUMP_BYTES: u64 = 1 << 20;
/// Share of all accesses that are to the video.
const VIDEO_SHARE: f64 = 0.555;
/// Share of the video's accesses that are sequential.
const VIDEO_SEQUENTIAL: f64 = 0.11;
/// Share of all accesses that are reads.
const READ_SHARE: f64 = 0.10;
/// Share of all writes that are small writes to the video.
const BUSY_SHARE: f64 = 0.30;
const CONTENT: u32 = 6;

const BUSY: Pieces = Pieces(&[(1, 512, 512), (1, 1024, 1024)]);
/// All other writes. Together with the small writes to the video, half of all writes are below 12 kB.
const WRITE: Pieces = Pieces(&[(16, 1025, 11_749), (8, 11_750, 12_250), (46, 12_251, 65_536)]);
/// Half of the reads are below 1,300 bytes.
const READ: Pieces = Pieces(&[
    (22, 16, 1023),
    (20, 1024, 1024),
    (2, 1025, 1249),
    (12, 1250, 1350),
    (16, 1351, 4095),
    (20, 4096, 4096),
    (8, 4097, 16_384),
]);

struct EditingJob<'t, 'a> {
    tape: &'t mut SyntheticWriter<'a>,
    dice: Dice,
    run_mean: f64,
    video: Handle,
    video_file: u32,
    /// The end of the last access to the video.
    video_at: u64,
    sources: Vec<u32>,
    /// Each output's file number, and whether it was created.
    outputs: Vec<(u32, bool)>,
    source_at: usize,
    output_at: usize,
    busy_writes: u64,
}

pub(super) fn play(tape: &mut SyntheticWriter<'_>, seed: u64, run_mean: f64) -> Result<(), TraceError> {
    let mut dice = Dice::new(seed, CONTENT);
    let mut sources = Vec::with_capacity(SOURCES);
    for at in 0..SOURCES {
        let bytes = log_normal(&mut dice, 600_000.0, 1.5).clamp(400_000, 20_000_000);
        sources.push(tape.found(format!("sources/clip-{:02}.dat", at + 1), bytes)?);
    }
    let mut outputs = Vec::with_capacity(OUTPUTS);
    for at in 0..OUTPUTS {
        outputs.push((tape.absent(format!("project/part-{:02}.dat", at + 1))?, false));
    }
    let video_file = tape.absent("project/video.avi".to_owned())?;
    tape.watch(video_file);
    let video = tape.create(video_file)?;
    let mut session = EditingJob {
        tape,
        dice,
        run_mean,
        video,
        video_file,
        video_at: 0,
        sources,
        outputs,
        source_at: 0,
        output_at: 0,
        busy_writes: 0,
    };
    session.work()?;
    session.tape.close(video)
}

impl EditingJob<'_, '_> {
    /// Repeatedly does the kind of access that is furthest below its share, until all bytes are
    /// transferred.
    fn work(&mut self) -> Result<(), TraceError> {
        while self.tape.tally().bytes() < BYTES {
            let progress = self.tape.tally().bytes() as f64 / BYTES as f64;
            self.tape.wait_until((SPAN_NS * progress) as u64);
            let tally = self.tape.tally();
            let accesses = tally.accesses() as f64;
            if (tally.watched.0 as f64) < VIDEO_SHARE * accesses {
                self.video_burst()?;
            } else if (tally.reads as f64) < READ_SHARE * accesses {
                self.read_source()?;
            } else {
                self.write_output()?;
            }
        }
        Ok(())
    }

    /// A few dozen writes to the video: small ones at random positions, or larger ones.
    fn video_burst(&mut self) -> Result<(), TraceError> {
        let is_busy = (self.busy_writes as f64) < BUSY_SHARE * self.tape.tally().writes as f64;
        for _ in 0..between(&mut self.dice, 20, 60) {
            if self.tape.tally().bytes() >= BYTES {
                break;
            }
            let len = if is_busy { BUSY.draw(&mut self.dice) } else { WRITE.draw(&mut self.dice) };
            let (accesses, sequential) = self.tape.tally().watched;
            let behind = ((sequential + 1) as f64) < VIDEO_SEQUENTIAL * (accesses + 1) as f64;
            let offset = if behind && chance(&mut self.dice, 0.3) {
                self.video_at
            } else if is_busy {
                self.anywhere()
            } else {
                self.jump()
            };
            self.pause();
            self.tape.write(self.video, offset, len)?;
            self.video_at = offset + u64::from(len);
            self.busy_writes += u64::from(is_busy);
        }
        Ok(())
    }

    /// A random sector-aligned position in the existing part of the video.
    fn anywhere(&mut self) -> u64 {
        let sectors = self.tape.size(self.video_file) / 512;
        self.dice.below(sectors.max(1)) * 512
    }

    /// A position beyond the end of the video or, with probability 1/3 if it is long enough, before the
    /// end.
    fn jump(&mut self) -> u64 {
        let end = self.tape.size(self.video_file);
        if end >= VIDEO_BYTES - 2 * JUMP_BYTES || self.dice.below(3) == 0 {
            self.anywhere()
        } else {
            end + between(&mut self.dice, 1, JUMP_BYTES / 512) * 512
        }
    }

    /// A run of reads in the next source. Each source is first read from its beginning.
    fn read_source(&mut self) -> Result<(), TraceError> {
        let (file, is_first) = (self.sources[self.source_at % SOURCES], self.source_at < SOURCES);
        self.source_at += 1;
        let pieces: Vec<u32> = (0..self.run()).map(|_| READ.draw(&mut self.dice)).collect();
        let room = self.tape.size(file).saturating_sub(pieces.iter().map(|&len| u64::from(len)).sum());
        let mut offset = if is_first { 0 } else { self.dice.below(room.max(1)) };
        let handle = self.tape.open(file, OpenBits::READ)?;
        for len in pieces {
            self.pause();
            self.tape.read(handle, offset, len)?;
            offset += u64::from(len);
        }
        self.tape.close(handle)
    }

    /// A run of writes at the end of the next output, which is created first.
    fn write_output(&mut self) -> Result<(), TraceError> {
        let (file, is_made) = self.outputs[self.output_at % OUTPUTS];
        self.outputs[self.output_at % OUTPUTS].1 = true;
        self.output_at += 1;
        let handle = if is_made { self.tape.open(file, OpenBits::WRITE)? } else { self.tape.create(file)? };
        for _ in 0..self.run() {
            let len = WRITE.draw(&mut self.dice);
            self.pause();
            self.tape.write(handle, self.tape.size(file), len)?;
        }
        self.tape.close(handle)
    }

    /// The length of the next run, drawn at random around the mean.
    fn run(&mut self) -> u64 {
        1 + ((self.run_mean - 1.0) * 2.0 * unit(&mut self.dice) + 0.5) as u64
    }

    /// The think time between two accesses.
    fn pause(&mut self) {
        let ns = between(&mut self.dice, 200_000, 3_000_000);
        self.tape.pause(ns);
    }
}
