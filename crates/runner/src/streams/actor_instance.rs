//! What one actor of each kind needs and does: its files, its script, its streams, its rate.

use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::forecast::LoadAhead;
use reelgauge_analysis::late::{Beginning, StreamKind, StreamSpec};
use reelgauge_analysis::rates::RateSpec;
use reelgauge_workload::camera::{Camera, CameraShape};
use reelgauge_workload::companion::{Companion, CompanionShape, ScratchFile};
use reelgauge_workload::copier::{Copier, CopierShape};
use reelgauge_workload::editor::{Editor, EditorShape};
use reelgauge_workload::mix::{MixFile, MixScript};
use reelgauge_workload::plan::MixPlan;
use reelgauge_workload::player::{Player, PlayerShape};
use reelgauge_workload::profile::Profile;
use reelgauge_workload::recorder::{Recorder, RecorderShape};
use reelgauge_workload::script::{Done, Needs, Script, Step};
use reelgauge_workload::streams::{ActorKind, ActorPlan};
use reelgauge_workload::transcoder::{Transcoder, TranscoderShape};
use reelgauge_workload::vda_table::{COMPANION_MIX, CompanionOp, READ_SIZES, WRITE_SIZES, mean_bytes};

use super::media::{DIRECT_QUANTUM_BYTES, Media, output_frame_bytes};

/// Writes of a camera of the published benchmark that are made durable at once: 5 %.
const COMMIT_SHARE_PPM: u32 = 50_000;
/// Operations of the published benchmark's camera per second.
const CAMERA_OPS_PER_S: f64 = 9.0;
/// Operations of its companion per second.
const COMPANION_OPS_PER_S: f64 = 1.0;
/// Empty files that a companion finds in its folder.
pub(super) const EMPTY_FILES: u32 = 20;
/// Names that it may use there.
const EMPTY_FILE_NAMES: u32 = 40;
/// An editor plays on for so long, in seconds.
const PLAY_S: (f64, f64) = (2.0, 8.0);
/// And looks at so many frames when looking for a place.
const SCRUB_READS: (u32, u32) = (5, 25);

/// The files of one actor, as numbers in the run's file table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceFiles {
    /// That are there before the run.
    pub prepared: Vec<u32>,
    /// Where in each of these its material begins: not at 0 in files of the user's own.
    pub begins: Vec<u64>,
    /// That the actor makes itself.
    pub made: Vec<u32>,
    /// Of these, the stock of empty ones as the last load point left it; only companions have one.
    pub stock: Vec<ScratchFile>,
    /// A folder of its own.
    pub folder: Option<u32>,
}

/// One actor.
#[derive(Clone, Copy, Debug)]
pub struct ActorInstance<'a> {
    pub(super) plan: &'a ActorPlan,
    pub(super) media: Option<&'a Media>,
}

/// What is told to one actor for a load point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceSettings {
    /// When it begins, from the beginning of the load point.
    pub start_after_ns: u64,
    /// Where its draws start.
    pub seed: u64,
    /// Past the client's cache.
    pub direct: bool,
    /// How long the load point is, its warm-up included.
    pub length_ns: u64,
}

/// What an actor needs on the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstanceNeeds {
    /// How many prepared files.
    pub prepared_files: u32,
    /// The size of each.
    pub prepared_file_bytes: u64,
    /// How many files it makes itself.
    pub made_files: u32,
    /// How many of these are there at the beginning, empty.
    pub empty_files: u32,
    /// Whether they lie in a folder of its own.
    pub folder: bool,
}

impl ActorInstance<'_> {
    /// What it needs on the target.
    pub fn needs(&self) -> InstanceNeeds {
        let frames = self.media.map_or(0, |media| media.frames.len() as u32);
        let clip_files = match self.media {
            Some(media) if media.is_sequence => frames,
            _ => 1,
        };
        let clip_bytes = self.media.map_or(0, |media| media.file_bytes);
        let none = InstanceNeeds::default();
        match self.plan.kind {
            ActorKind::Player => {
                InstanceNeeds { prepared_files: clip_files, prepared_file_bytes: clip_bytes, ..none }
            }
            ActorKind::Editor => InstanceNeeds {
                prepared_files: clip_files.saturating_mul(self.plan.cameras),
                prepared_file_bytes: clip_bytes,
                ..none
            },
            ActorKind::Recorder if self.writes_over() => {
                InstanceNeeds { prepared_files: 1, prepared_file_bytes: clip_bytes, ..none }
            }
            ActorKind::Recorder => InstanceNeeds { made_files: clip_files, folder: true, ..none },
            ActorKind::Transcoder => InstanceNeeds {
                prepared_files: clip_files,
                prepared_file_bytes: clip_bytes,
                made_files: 1,
                folder: true,
                ..none
            },
            ActorKind::Copier => InstanceNeeds {
                prepared_files: 1,
                prepared_file_bytes: self.plan.file_size.bytes(),
                made_files: 1,
                folder: true,
                ..none
            },
            ActorKind::Camera => InstanceNeeds {
                prepared_files: self.plan.files,
                prepared_file_bytes: self.plan.file_size.bytes(),
                ..none
            },
            ActorKind::Companion => InstanceNeeds {
                prepared_files: self.plan.files,
                prepared_file_bytes: self.plan.file_size.bytes(),
                made_files: EMPTY_FILE_NAMES,
                empty_files: EMPTY_FILES,
                folder: true,
            },
            ActorKind::Mix => {
                InstanceNeeds { prepared_files: 1, prepared_file_bytes: self.mix_file_bytes(), ..none }
            }
        }
    }

    /// Bytes of the files that it makes in so many seconds.
    pub fn made_bytes(&self, seconds: f64) -> u64 {
        match (self.plan.kind, self.media) {
            (ActorKind::Recorder, Some(media)) if media.is_sequence => media.clip_bytes(),
            (ActorKind::Recorder, Some(media)) if !self.writes_over() => {
                (media.bytes_per_s * (seconds + 1.0)) as u64
            }
            (ActorKind::Transcoder, Some(media)) => {
                u64::from(self.output_frame_bytes()) * media.frames.len() as u64
            }
            (ActorKind::Copier, _) => self.plan.file_size.bytes(),
            _ => 0,
        }
    }

    /// What it writes in so many seconds.
    pub fn load_ahead(&self, seconds: f64) -> LoadAhead {
        let paced = |bytes_per_s: f64| LoadAhead::AtMost((bytes_per_s * seconds) as u64);
        let ops_per_s = |usual: f64| self.plan.ops_per_s.unwrap_or(usual);
        match self.plan.kind {
            ActorKind::Player | ActorKind::Editor => LoadAhead::AtMost(0),
            ActorKind::Recorder => paced(self.media.map_or(0.0, |media| media.bytes_per_s)),
            ActorKind::Camera => paced(ops_per_s(CAMERA_OPS_PER_S) * mean_bytes(WRITE_SIZES)),
            ActorKind::Companion => {
                let shares = COMPANION_MIX.iter().filter(|(_, op)| *op == CompanionOp::ReadModifyWrite);
                let share = shares.map(|&(percent, _)| f64::from(percent) / 100.0).sum::<f64>();
                paced(ops_per_s(COMPANION_OPS_PER_S) * share * mean_bytes(READ_SIZES))
            }
            ActorKind::Mix if self.mix_plan().writes.ppm() == 0 => LoadAhead::AtMost(0),
            ActorKind::Transcoder | ActorKind::Copier | ActorKind::Mix => LoadAhead::Unbounded,
        }
    }

    /// How many streams it is in the log.
    pub fn streams(&self) -> u32 {
        if self.plan.kind == ActorKind::Editor { self.plan.cameras } else { 1 }
    }

    /// What its frames are held to; nothing where it has none.
    pub fn specs(&self, first_stream: u32, start_after_ns: u64, criteria: &Criteria) -> Vec<StreamSpec> {
        let (Some(media), true) = (self.media, self.has_frames()) else {
            return Vec::new();
        };
        let pace = media.pace(self.plan);
        let camera = |number: u32| StreamSpec {
            stream: first_stream + number,
            name: format!("{}, {}", self.plan.kind, media.name),
            kind: stream_kind(self.plan.kind),
            format: Some(media.name.clone()),
            writes: self.plan.kind == ActorKind::Recorder,
            policy: pace.policy,
            rate_num: pace.rate.num(),
            rate_den: pace.rate.den(),
            prebuffer_ns: pace.prebuffer_ns(),
            frame_bytes: media.constant_frame_bytes(),
            frames_total: None,
            throughput_needed_bytes_per_s: criteria
                .min_throughput_over_buffer_mb_per_s
                .map(|mb_per_s| mb_per_s * 1e6),
            begins: Some(Beginning {
                after_ns: start_after_ns,
                may_jump: self.plan.kind == ActorKind::Editor,
            }),
        };
        (0..self.streams()).map(camera).collect()
    }

    /// The rate that it is held to, if it has one.
    pub fn rate(&self, worker: u32) -> Option<RateSpec> {
        let usual = match self.plan.kind {
            ActorKind::Camera => CAMERA_OPS_PER_S,
            ActorKind::Companion => COMPANION_OPS_PER_S,
            _ => return None,
        };
        let requested_ops_per_s = self.plan.ops_per_s.unwrap_or(usual);
        Some(RateSpec { worker, component: self.plan.kind.to_string(), requested_ops_per_s })
    }

    /// Its script. Without frames (an empty folder of the user's, say) it has nothing to do.
    pub fn script(
        &self,
        first_stream: u32,
        files: &InstanceFiles,
        settings: InstanceSettings,
    ) -> ActorScript {
        let InstanceSettings { start_after_ns, seed, direct, length_ns } = settings;
        let place = InstanceSetting { first_stream, files, start_after_ns, seed, direct, length_ns };
        let script = match self.plan.kind {
            ActorKind::Player => self.player(&place),
            ActorKind::Recorder => self.recorder(&place),
            ActorKind::Editor => self.editor(&place),
            ActorKind::Transcoder => self.transcoder(&place),
            ActorKind::Copier => self.copier(&place),
            ActorKind::Camera => Some(self.camera(&place)),
            ActorKind::Companion => return self.companion(&place),
            ActorKind::Mix => Some(self.mix(&place)),
        };
        ActorScript::of(script)
    }

    /// What its script needs of a driver, before it has any files.
    pub fn driver_needs(&self) -> Needs {
        let needs = self.needs();
        let files = InstanceFiles {
            prepared: (0..needs.prepared_files).collect(),
            begins: vec![0; needs.prepared_files as usize],
            made: (0..needs.made_files).collect(),
            ..InstanceFiles::default()
        };
        let settings = InstanceSettings { start_after_ns: 0, seed: 0, direct: false, length_ns: 1 };
        self.script(0, &files, settings).needs()
    }

    /// The largest file that it reads or writes in a load point of so many seconds.
    pub fn largest_file_bytes(&self, seconds: f64) -> u64 {
        let needs = self.needs();
        let made = self.made_bytes(seconds) / u64::from(needs.made_files.max(1));
        needs.prepared_file_bytes.max(made)
    }

    /// Bytes of each frame that a transcoder writes, in whole blocks of 4 KiB.
    fn output_frame_bytes(&self) -> u32 {
        let frames = self.media.map_or(&[] as &[_], |media| &media.frames);
        let longest = frames.iter().map(|&(_, len)| len).max().unwrap_or(0);
        // A format that is not in the catalogue is refused before any actor runs.
        let bytes = output_frame_bytes(self.plan, longest).unwrap_or(longest);
        bytes.max(1).next_multiple_of(DIRECT_QUANTUM_BYTES as u32)
    }

    fn has_frames(&self) -> bool {
        matches!(self.plan.kind, ActorKind::Player | ActorKind::Recorder | ActorKind::Editor)
    }

    /// A recorder that writes over a file that is there already. A frame per file is always made anew.
    fn writes_over(&self) -> bool {
        self.plan.preallocated && self.media.is_some_and(|media| !media.is_sequence)
    }

    fn mix_file_bytes(&self) -> u64 {
        self.plan.mix.as_ref().map_or(self.plan.file_size.bytes(), |mix| mix.file_size.bytes())
    }
}

/// The files of one actor, and when it begins.
struct InstanceSetting<'a> {
    first_stream: u32,
    files: &'a InstanceFiles,
    start_after_ns: u64,
    seed: u64,
    direct: bool,
    length_ns: u64,
}

impl InstanceSetting<'_> {
    fn prepared(&self) -> u32 {
        self.files.prepared.first().copied().unwrap_or(0)
    }

    /// Where the material of the file with this index begins.
    fn begin(&self, index: usize) -> u64 {
        self.files.begins.get(index).copied().unwrap_or(0)
    }

    fn made(&self) -> Option<u32> {
        self.files.made.first().copied()
    }
}

impl ActorInstance<'_> {
    fn player(&self, place: &InstanceSetting<'_>) -> Option<Box<dyn Script>> {
        let media = self.media?;
        let shape = PlayerShape {
            clip: media.clip_from(&place.files.prepared, place.begin(0))?,
            pace: media.pace(self.plan),
            read_ahead: self.plan.read_ahead,
            direct: place.direct,
            start_after_ns: place.start_after_ns,
            head: media.head_places(place.prepared(), place.begin(0)),
        };
        Some(Box::new(Player::new(place.first_stream, shape)))
    }

    fn recorder(&self, place: &InstanceSetting<'_>) -> Option<Box<dyn Script>> {
        let media = self.media?;
        let over = self.writes_over();
        let files = if over { &place.files.prepared } else { &place.files.made };
        let pace = media.pace(self.plan);
        let frames = |span: reelgauge_workload::units::Span| {
            u32::try_from(pace.rate.frames_in(span.ns()).max(1)).unwrap_or(u32::MAX)
        };
        let shape = RecorderShape {
            clip: media.clip(files)?,
            pace,
            sync_every_frames: self.plan.sync_every.map(frames),
            end_after_ns: None,
            direct: place.direct,
            start_after_ns: place.start_after_ns,
            growing: !over,
        };
        // What lies in this machine's memory is on no storage yet.
        let shape = if place.direct { shape } else { shape.synced(place.length_ns) };
        Some(Box::new(Recorder::new(place.first_stream, shape)))
    }

    fn editor(&self, place: &InstanceSetting<'_>) -> Option<Box<dyn Script>> {
        let media = self.media?;
        let per_camera = if media.is_sequence { media.frames.len() } else { 1 };
        let cameras = place.files.prepared.chunks(per_camera).enumerate();
        let clip =
            |(camera, files): (usize, &[u32])| media.clip_from(files, place.begin(camera * per_camera));
        let pace = media.pace(self.plan);
        let frames = |seconds: f64| ((seconds * pace.rate.per_s()) as u32).max(1);
        let shape = EditorShape {
            cameras: cameras.map(clip).collect::<Option<_>>()?,
            pace,
            direct: place.direct,
            start_after_ns: place.start_after_ns,
            seed: place.seed,
            play_frames: (frames(PLAY_S.0), frames(PLAY_S.1)),
            scrub_reads: SCRUB_READS,
        };
        Some(Box::new(Editor::new(place.first_stream, shape)))
    }

    fn transcoder(&self, place: &InstanceSetting<'_>) -> Option<Box<dyn Script>> {
        let media = self.media?;
        let shape = TranscoderShape {
            source: media.clip_from(&place.files.prepared, place.begin(0))?,
            output_file: place.made()?,
            output_bytes_per_frame: self.output_frame_bytes(),
            // One clip: then it begins anew.
            output_bytes_max: u64::from(self.output_frame_bytes()) * media.frames.len() as u64,
            direct: place.direct,
            start_after_ns: place.start_after_ns,
        };
        Some(Box::new(Transcoder::new(place.first_stream, shape)))
    }

    fn copier(&self, place: &InstanceSetting<'_>) -> Option<Box<dyn Script>> {
        let shape = CopierShape {
            source_file: place.prepared(),
            source_bytes: self.plan.file_size.bytes(),
            block_bytes: u32::try_from(self.plan.block.bytes()).ok()?,
            output_file: place.made()?,
            direct: place.direct,
            sync_at_end: true,
            start_after_ns: place.start_after_ns,
        };
        Some(Box::new(Copier::new(place.first_stream, shape)))
    }

    fn camera(&self, place: &InstanceSetting<'_>) -> Box<dyn Script> {
        let shape = CameraShape {
            files: place.files.prepared.clone(),
            file_bytes: self.plan.file_size.bytes(),
            ops_per_s: self.plan.ops_per_s.unwrap_or(CAMERA_OPS_PER_S),
            commit_share_ppm: COMMIT_SHARE_PPM,
            seed: place.seed,
            start_after_ns: place.start_after_ns,
        };
        Box::new(Camera::new(place.first_stream, shape))
    }

    fn companion(&self, place: &InstanceSetting<'_>) -> ActorScript {
        let Some(scratch_dir) = place.files.folder else {
            return ActorScript::of(None);
        };
        let shape = CompanionShape {
            files: place.files.prepared.clone(),
            file_bytes: self.plan.file_size.bytes(),
            ops_per_s: self.plan.ops_per_s.unwrap_or(COMPANION_OPS_PER_S),
            scratch_dir,
            scratch_files: place.files.stock.clone(),
            seed: place.seed,
            start_after_ns: place.start_after_ns,
        };
        ActorScript::Companion(Box::new(Companion::new(place.first_stream, shape)))
    }

    fn mix_plan(&self) -> MixPlan {
        let usual = || Profile::named("production-edit").map(|profile| profile.plan()).unwrap_or_default();
        self.plan.mix.clone().unwrap_or_else(usual)
    }

    fn mix(&self, place: &InstanceSetting<'_>) -> Box<dyn Script> {
        let mut mix = self.mix_plan();
        mix.direct = place.direct;
        let file = MixFile { file: place.prepared(), size_bytes: self.mix_file_bytes() };
        Box::new(MixScript::new(place.first_stream, place.seed, mix.shape(), &[file]))
    }
}

/// The script of an actor.
pub enum ActorScript {
    /// Of a companion, which leaves files behind that the next load point must know of.
    Companion(Box<Companion>),
    /// Of anybody else.
    Other(Box<dyn Script>),
}

/// What the streams of an actor are; nothing where they have no frames.
fn stream_kind(kind: ActorKind) -> Option<StreamKind> {
    match kind {
        ActorKind::Player => Some(StreamKind::Player),
        ActorKind::Recorder => Some(StreamKind::Recorder),
        ActorKind::Editor => Some(StreamKind::Editor),
        _ => None,
    }
}

impl ActorScript {
    /// Nothing to do where there is none.
    fn of(script: Option<Box<dyn Script>>) -> ActorScript {
        ActorScript::Other(script.unwrap_or_else(|| Box::new(Idle)))
    }
}

impl Script for ActorScript {
    fn needs(&self) -> Needs {
        match self {
            ActorScript::Companion(companion) => companion.needs(),
            ActorScript::Other(script) => script.needs(),
        }
    }

    fn next(&mut self, now_ns: u64) -> Step {
        match self {
            ActorScript::Companion(companion) => companion.next(now_ns),
            ActorScript::Other(script) => script.next(now_ns),
        }
    }

    fn done(&mut self, done: &Done) {
        match self {
            ActorScript::Companion(companion) => companion.done(done),
            ActorScript::Other(script) => script.done(done),
        }
    }

    fn resume(&mut self, now_ns: u64) {
        match self {
            ActorScript::Companion(companion) => companion.resume(now_ns),
            ActorScript::Other(script) => script.resume(now_ns),
        }
    }
}

/// Does nothing.
struct Idle;

impl Script for Idle {
    fn needs(&self) -> Needs {
        Needs { handles: 0, in_flight: 1, max_len: 0, writes: false }
    }

    fn next(&mut self, _now_ns: u64) -> Step {
        Step::Finished
    }

    fn done(&mut self, _done: &Done) {}

    fn resume(&mut self, _now_ns: u64) {}
}
