//! The load of a quick check: scripts for the plain rates, and players and recorders that share the few
//! test files.
//!
//! Several play from one file, or record over it, each at another position, so that a check needs no
//! file per stream.

use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::late::StreamSpec;
use reelgauge_engine::driver::{DriverKind, Worker};
use reelgauge_formats::Format;
use reelgauge_results::load_points::TriedFormat;
use reelgauge_workload::media::Media;
use reelgauge_workload::mix::{MixFile, MixScript, SyncPolicy};
use reelgauge_workload::pace::{Policy, ReadAhead};
use reelgauge_workload::plan::MixPlan;
use reelgauge_workload::player::PlayerPlan;
use reelgauge_workload::random::Dice;
use reelgauge_workload::range::Sizes;
use reelgauge_workload::recorder::RecorderPlan;
use reelgauge_workload::script::Script;
use reelgauge_workload::streams::actor::{ActorScript, Instance, InstanceFiles};
use reelgauge_workload::streams::{Buffer, Footage, Frames};
use reelgauge_workload::units::{Percent, Size, Span};

use super::budget::TRIAL_TIMES;
use super::target_setup::CheckTarget;
use crate::error::RunError;
use crate::session::allowance::Demand;
use crate::streams::actor::Actor;
use crate::streams::actors::ActorsError;

/// The number of parallel readers or writers for a plain rate: a single one seldom saturates a fast
/// link.
const RATE_WORKERS: u32 = 4;
/// The length of each player's buffer. It is short, because the trials of a check are short: a buffer of
/// a full second would hide the stalls in half of a trial.
pub(super) const BUFFER_NS: u64 = 400_000_000;
/// All players begin within this time.
pub(super) const STAGGER_NS: u64 = 80_000_000;
/// Bytes that are transferred between opening and closing.
const TRANSFER: Size = Size::mib(8);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Reads of 1 MiB, one after another.
    SequentialRead,
    SequentialWrite,
    /// Reads of 64 KiB at random positions.
    RandomRead,
}

impl Rate {
    /// The label of its load point.
    pub fn label(self) -> &'static str {
        match self {
            Rate::SequentialRead => "sequential reads",
            Rate::SequentialWrite => "sequential writes",
            Rate::RandomRead => "random reads",
        }
    }

    pub fn workers(self, place: &CheckTarget, seed: u64) -> Vec<Worker<MixScript>> {
        let is_random = self == Rate::RandomRead;
        let writes = self == Rate::SequentialWrite;
        let mix = MixPlan {
            max_length: None,
            lengths: Some(Sizes(vec![TRANSFER])),
            blocks: Sizes(vec![if is_random { Size::kib(64) } else { Size::mib(1) }]),
            writes: Percent::whole(if writes { 100 } else { 0 }),
            random: Percent::whole(if is_random { 100 } else { 0 }),
            // Sync before the end: data in the client's cache does not count as written.
            sync: if writes && !place.direct { SyncPolicy::Transfer } else { SyncPolicy::None },
            direct: place.direct,
            ..MixPlan::default()
        };
        let files = place.data_set.files.len() as u32;
        let files = files.max(1);
        // Uses all files, so that a cache of the storage would have to hold all of them.
        let worker = |id| {
            let own = (id % files..files).step_by(RATE_WORKERS as usize);
            let own = own.map(|file| MixFile { file, size_bytes: place.file_bytes() });
            Worker { id, script: MixScript::new(id, seed, mix.shape(), &own.collect::<Vec<_>>()) }
        };
        (0..RATE_WORKERS).map(worker).collect()
    }
}

/// Players or recorders of one format.
#[derive(Clone, Debug)]
pub struct PointLoad {
    actor: Actor,
    media: Media,
    direct: bool,
    files: u32,
    seed: u64,
}

impl PointLoad {
    /// The load of one format on the test files. Recorders overwrite them. New files, as in `streams`,
    /// would exceed the space of a check: six seconds at 1 GB/s take 6 GB.
    ///
    /// # Errors
    /// If the format cannot be played.
    pub fn new(
        format: &Format,
        records: bool,
        place: &CheckTarget,
        seed: u64,
    ) -> Result<PointLoad, RunError> {
        let seconds = place.file_bytes() as f64 / format.mean_bytes_per_s().max(1.0);
        let clip = Span::secs(seconds.ceil() as u64 + 1);
        let (footage, buffer) = (Footage::listed(&format.id), Buffer::Time(Span(BUFFER_NS)));
        let mut media = Media::of(&footage, clip, place.direct, "player").map_err(ActorsError::from)?;
        let fits = |&(offset, len): &(u64, u32)| offset + u64::from(len) <= place.file_bytes();
        media.frames.retain(fits);
        media.head.retain(fits);
        let frames = Frames { clip, buffer, policy: Policy::Drop };
        let plan = match records {
            true => RecorderPlan { footage, frames, sync_every: None, preallocated: true }.into(),
            false => PlayerPlan { footage, frames, read_ahead: ReadAhead::Closed }.into(),
        };
        let (criteria, files) = (Criteria::default(), Vec::new());
        Ok(PointLoad {
            actor: Actor { plan, media: Some(media.clone()), criteria, files },
            media,
            direct: place.direct,
            files: place.data_set.files.len().max(1) as u32,
            seed,
        })
    }

    /// The rate that each needs, in bytes per second, with the padding of direct I/O.
    pub fn bytes_per_s(&self) -> f64 {
        self.media.bytes_per_s
    }

    /// The format's facts for a log that was cut off.
    pub fn tried(&self, format: &Format) -> TriedFormat {
        TriedFormat {
            id: format.id.clone(),
            name: format.title(),
            needed_bytes_per_s_each: self.bytes_per_s().round() as u64,
        }
    }

    /// The demand of this many of them on the local host.
    pub fn demand(&self, count: u32) -> Demand {
        let one = self.workers(1, 0);
        let needs = one.iter().map(|worker| (worker.script.needs(), u64::from(count)));
        Demand::of(DriverKind::Threads, needs, 0)
    }

    /// This many of them for a load point; none if not even one frame fits into a file.
    pub fn workers(&self, count: u32, point: u16) -> Vec<Worker<Box<dyn ActorScript>>> {
        let worker = |id| {
            let mut dice = Dice::new(self.seed ^ u64::from(point).rotate_left(40), id);
            let mut media = self.media.clone();
            if media.frames.is_empty() {
                return None;
            }
            // Starts at a random frame of one file.
            let first = dice.below(media.frames.len() as u64) as usize;
            media.frames.rotate_left(first);
            let files = InstanceFiles { prepared: vec![id % self.files], ..InstanceFiles::default() };
            let script = self.actor.script(&Instance {
                media: Some(&media),
                files: &files,
                first_stream: id,
                start_after_ns: dice.below(STAGGER_NS),
                seed: 0,
                direct: self.direct,
                length_ns: (TRIAL_TIMES.warmup + TRIAL_TIMES.measured).as_nanos() as u64,
            });
            Some(Worker { id, script })
        };
        (0..count).map_while(worker).collect()
    }

    /// The criteria for their frames.
    pub fn specs(&self, count: u32) -> Vec<StreamSpec> {
        let specs = (0..count).flat_map(|stream| self.actor.specs(stream, 0));
        specs.map(|spec| StreamSpec { begins: None, ..spec }).collect()
    }
}
