//! The actors of a load point. From a plan it determines the files of every actor, assigns them, and
//! makes the workers and everything needed to judge them.
//!
//! They grow with the search for the largest count: an actor keeps its files, and further ones follow
//! the existing ones, so that a file's number in the log means one file for the whole run.
//!
//! Not here: making the files ([`super::files`]).

use std::collections::BTreeMap;
use std::ops::Range;

use reelgauge_analysis::criteria::{Criteria, CriteriaChange, CriteriaError};
use reelgauge_analysis::forecast::LoadAhead;
use reelgauge_analysis::late::StreamSpec;
use reelgauge_analysis::rates::RateSpec;
use reelgauge_engine::driver::{DriverKind, Worker};
use reelgauge_report::units::span;
use reelgauge_workload::media::{Media, MediaError, mean_frame_bytes};
use reelgauge_workload::random::Dice;
use reelgauge_workload::streams::actor::{ActorScript, Instance};
use reelgauge_workload::streams::{ActorPlan, ActorWork, StreamsPlan};
use reelgauge_workload::units::Span;

use super::actor::Actor;
use crate::session::allowance::Demand;

/// All streams begin within this time, or within half of the warm-up if that is shorter than twice this
/// time.
const STAGGER_NS: u64 = 1_000_000_000;

/// The starts of the streams are spread over at least this time: longer than a frame at 24 frames per
/// second or more, so that their frames have deadlines at different moments.
const PHASES_NS: u64 = 42_000_000;

/// Why a plan's actors can't run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActorsError {
    /// Nothing to read or write.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The criteria are invalid.
    #[error("cannot use the criteria '{text}' of {actor}: {source}")]
    Criteria {
        /// The text of the setting.
        text: String,
        actor: String,
        source: CriteriaError,
    },
}

/// All actors of a plan.
#[derive(Debug)]
pub struct Actors {
    /// The actors of the plan, in its order.
    pub actors: Vec<Actor>,
    seed: u64,
    direct: bool,
    /// 0 if all begin at once.
    stagger_ns: u64,
    warmup_ns: u64,
    /// Whether media is read from the user's own files.
    reads_own: bool,
    /// The length of a load point, warm-up included.
    length_ns: u64,
    /// A note for the user on the start.
    note: Option<String>,
    /// A note for the user on recordings through the cache.
    synced_note: Option<&'static str>,
}

/// The streams and workers of one actor in a load point, and their criteria.
#[derive(Clone, Debug)]
pub struct Group {
    pub criteria: Criteria,
    /// Its streams that have frames, by number.
    pub streams: Range<u32>,
    /// Its workers, by number.
    pub workers: Range<u32>,
}

/// What runs in one load point, and how it is judged.
#[derive(Default)]
pub struct PointLoad {
    pub workers: Vec<Worker<Box<dyn ActorScript>>>,
    /// The streams that have frames.
    pub specs: Vec<StreamSpec>,
    /// The workers that have a rate.
    pub rates: Vec<RateSpec>,
    /// The groups and their criteria.
    pub groups: Vec<Group>,
}

impl Actors {
    /// The actors of a plan; none has files yet.
    ///
    /// # Errors
    /// See [`ActorsError`].
    pub fn new(plan: &StreamsPlan) -> Result<Actors, ActorsError> {
        let actor = |actor: &ActorPlan| {
            let kind = actor.kind();
            let outline = actor.outline(None);
            outline.output_format.map_or(Ok(0), mean_frame_bytes)?;
            let media = match outline.footage {
                Some((footage, clip)) => Some(Media::of(footage, clip, plan.direct, kind.word)?),
                None => None,
            };
            let from_own = plan.read_from.is_some() && kind.reads_footage;
            if let Some(media) = media.as_ref().filter(|media| from_own && media.is_sequence) {
                return Err(MediaError::SequenceFromOwnFiles { name: media.name.clone() }.into());
            }
            Ok(Actor { media, criteria: criteria(actor)?, plan: actor.clone(), files: Vec::new() })
        };
        let actors = plan.actors.iter().map(actor).collect::<Result<Vec<_>, ActorsError>>()?;
        let stagger_ns = if plan.staggered { stagger_ns(plan, &actors) } else { 0 };
        let (warmup_ns, note) = warmup(plan, &actors);
        let length_ns = warmup_ns.saturating_add(plan.duration.ns());
        let synced_note = synced_note(plan);
        let (seed, direct) = (plan.seed, plan.direct);
        let reads_own = plan.read_from.is_some();
        Ok(Actors { actors, seed, direct, stagger_ns, warmup_ns, reads_own, length_ns, note, synced_note })
    }

    /// The warm-up of a load point: as in the plan, or longer in a search if its buffers need that.
    pub fn warmup_ns(&self) -> u64 {
        self.warmup_ns
    }

    /// Notes for the user on the media and on the start, each once.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.note.iter().cloned().collect();
        notes.extend(self.synced_note.map(str::to_owned));
        for note in self.actors.iter().filter_map(|actor| actor.media.as_ref()).flat_map(|shot| &shot.notes) {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        notes
    }

    /// Bytes of each piece of the user's own files that is read at this scale, beyond those already
    /// assigned; empty if test files are read.
    pub fn own_pieces(&self, scale: u32) -> Vec<u64> {
        let mut pieces = Vec::new();
        for actor in self.actors.iter().filter(|actor| self.reads_own(actor)) {
            let needs = actor.needs();
            let count = needs.prepared_files.saturating_mul(actor.count(scale)) as usize;
            pieces.extend((actor.pieces()..count).map(|_| needs.prepared_file_bytes));
        }
        pieces
    }

    /// Whether an actor reads the user's own files.
    pub fn reads_own(&self, actor: &Actor) -> bool {
        self.reads_own && actor.plan.kind().reads_footage
    }

    /// The number of prepared files of each size for all actors at this scale.
    pub fn prepared_files(&self, scale: u32) -> BTreeMap<u64, u32> {
        let mut wanted = BTreeMap::new();
        for actor in self.actors.iter().filter(|actor| !self.reads_own(actor)) {
            let needs = actor.needs();
            let files = needs.prepared_files.saturating_mul(actor.count(scale));
            if files > 0 {
                let known: &mut u32 = wanted.entry(needs.prepared_file_bytes).or_default();
                *known = known.saturating_add(files);
            }
        }
        wanted
    }

    /// Bytes of the files that are made during a load point of this length.
    pub fn made_bytes(&self, scale: u32, seconds: f64) -> u64 {
        let bytes = |actor: &Actor| actor.made_bytes(seconds).saturating_mul(u64::from(actor.count(scale)));
        self.actors.iter().map(bytes).fold(0, u64::saturating_add)
    }

    /// The demand of a load point of this length on the local host.
    pub fn demand(&self, kind: DriverKind, scale: u32, seconds: f64) -> Demand {
        let workers = self.actors.iter().map(|actor| (actor.driver_needs(), u64::from(actor.count(scale))));
        let largest = self.actors.iter().map(|actor| actor.largest_file_bytes(seconds)).max();
        Demand::of(kind, workers, largest.unwrap_or(0))
    }

    /// The writes of all actors in this time at this scale.
    pub fn load_ahead(&self, scale: u32, seconds: f64) -> LoadAhead {
        let of_actor = |actor: &Actor| match actor.load_ahead(seconds) {
            LoadAhead::AtMost(bytes) => {
                LoadAhead::AtMost(bytes.saturating_mul(u64::from(actor.count(scale))))
            }
            LoadAhead::Unbounded => LoadAhead::Unbounded,
        };
        self.actors.iter().map(of_actor).fold(LoadAhead::AtMost(0), LoadAhead::and)
    }

    /// Bytes that one unit of scale needs on the target, in total.
    pub fn bytes_per_scale(&self, seconds: f64) -> u64 {
        let prepared = self.prepared_files(1);
        let prepared = prepared.iter().map(|(bytes, &files)| bytes.saturating_mul(u64::from(files)));
        prepared.fold(self.made_bytes(1, seconds), u64::saturating_add)
    }

    pub fn writes(&self) -> bool {
        self.actors.iter().any(|actor| actor.plan.kind().writes)
    }

    /// The load of a load point. Every actor must have its files.
    pub fn point_load(&self, scale: u32, point: u16) -> PointLoad {
        let mut point_load = PointLoad::default();
        let mut stream = 0;
        for actor in &self.actors {
            let (first_stream, first_worker) = (stream, point_load.workers.len() as u32);
            for files in actor.files.iter().take(actor.count(scale) as usize) {
                let id = point_load.workers.len() as u32;
                // Different phases in every load point, so that no trial repeats the luck of another.
                let mut dice = Dice::new(self.seed ^ u64::from(point).rotate_left(40), id);
                let start_after_ns = dice.below(self.stagger_ns.max(1));
                let script = actor.script(&Instance {
                    media: actor.media.as_ref(),
                    files,
                    first_stream: stream,
                    start_after_ns,
                    seed: dice.below(u64::MAX),
                    direct: self.direct,
                    length_ns: self.length_ns,
                });
                point_load.workers.push(Worker { id, script });
                point_load.specs.extend(actor.specs(stream, start_after_ns));
                point_load.rates.extend(actor.rate(id));
                stream += actor.streams();
            }
            point_load.groups.push(Group {
                criteria: actor.criteria,
                streams: first_stream..stream,
                workers: first_worker..point_load.workers.len() as u32,
            });
        }
        point_load
    }

    /// Takes back the workers, so that the next load point knows their remaining files. `groups` are
    /// those of their load.
    pub fn take_back(&mut self, groups: &[Group], workers: &[Worker<Box<dyn ActorScript>>]) {
        for (actor, group) in self.actors.iter_mut().zip(groups) {
            for worker in workers.iter().filter(|worker| group.workers.contains(&worker.id)) {
                let instance = (worker.id - group.workers.start) as usize;
                if let (Some(stock), Some(files)) = (worker.script.stock(), actor.files.get_mut(instance)) {
                    files.stock = stock.to_vec();
                }
            }
        }
    }
}

/// The criteria of an actor.
pub(super) fn criteria(actor: &ActorPlan) -> Result<Criteria, ActorsError> {
    let outline = actor.outline(None);
    let criteria = match (outline.frames, outline.ops_per_s) {
        (Some(frames), _) => Criteria::of_frames(frames.may_jump),
        (None, Some(_)) => Criteria::of_rates(),
        (None, None) => Criteria::nothing_failed(),
    };
    if actor.criteria.trim().is_empty() {
        return Ok(criteria);
    }
    let (text, kind) = (actor.criteria.clone(), actor.kind().to_string());
    let wrong = |source| ActorsError::Criteria { text, actor: kind, source };
    let change: CriteriaChange = actor.criteria.parse().map_err(wrong)?;
    Ok(change.apply_to(criteria))
}

/// The length of the longest player buffer, which is filled before playback; 0 without players.
fn longest_filled_ns(actors: &[Actor]) -> u64 {
    actors.iter().map(Actor::filled_ns).max().unwrap_or(0)
}

/// The time within which streams begin. In a search every buffer should be filled for the first time
/// before the measured part, because only then is it visible whether margins fall
/// ([`reelgauge_analysis::late::MarginTrend`]). If the warm-up is too short for that, they begin
/// together: otherwise the first would fill their buffers with the rate that the others do not use yet,
/// and live on it.
fn stagger_ns(plan: &StreamsPlan, actors: &[Actor]) -> u64 {
    let warmup_ns = plan.warmup.ns();
    let room_ns = if warmup_ns > 0 { warmup_ns / 2 } else { plan.duration.ns() / 4 };
    let usual_ns = STAGGER_NS.min(room_ns);
    match plan.find_max {
        Some(_) => usual_ns.min(warmup_ns.saturating_sub(longest_filled_ns(actors)).max(PHASES_NS)),
        None => usual_ns,
    }
}

/// The warm-up of a load point, in nanoseconds, and a note on it. A search whose warm-up ends while
/// buffers are still filling would see less of how they run empty again. Without any warm-up a trial is
/// judged from the start of filling.
fn warmup(plan: &StreamsPlan, actors: &[Actor]) -> (u64, Option<String>) {
    let longest_ns = longest_filled_ns(actors);
    let asked_ns = plan.warmup.ns();
    let hides = plan.find_max.is_some() && asked_ns > 0 && asked_ns.saturating_add(PHASES_NS) < longest_ns;
    if !hides {
        return (asked_ns, None);
    }
    let longest = Span(longest_ns.next_multiple_of(1_000_000));
    let warmup = Span(longest.ns().saturating_add(PHASES_NS));
    let words = |length: Span| span(length.ns() as f64 / 1e3);
    let note = format!(
        "Each trial warmed up for {} instead of {}, so that the buffers of {} were full. Delays that a full \
         buffer hides are not measured.",
        words(warmup),
        words(plan.warmup),
        words(longest)
    );
    (warmup.ns(), Some(note))
}

/// A note on how recorders that write through the client's cache are held to the speed of the storage;
/// `None` without such recorders ([`reelgauge_workload::recorder::RecorderShape::synced`]).
fn synced_note(plan: &StreamsPlan) -> Option<&'static str> {
    let recorder = |actor: &ActorPlan| match &actor.work {
        ActorWork::Recorder(recorder) => Some(recorder.sync_every),
        _ => None,
    };
    let mut rhythms = plan.actors.iter().filter_map(recorder).peekable();
    if plan.direct || rhythms.peek().is_none() {
        return None;
    }
    Some(match rhythms.all(|rhythm| rhythm.is_some()) {
        true => {
            "Recordings went through this client's cache. Recorders called fsync as often as the plan \
             requires, and again before the end of each load point."
        }
        false => {
            "Recordings went through this client's cache. Each recorder called fsync after every buffer \
             length, and before the end of each load point. Frames that the storage could not take in time \
             count as late."
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_workload::spelling::Spelling;
    use reelgauge_workload::streams::ActorKind;
    use reelgauge_workload::streams::actor::InstanceFiles;

    use super::*;

    fn plan(actors: Vec<ActorPlan>) -> StreamsPlan {
        StreamsPlan { actors, direct: false, ..StreamsPlan::default() }
    }

    /// This many actors of a kind, with these settings.
    fn actor_with(kind: &str, count: u32, settings: &str) -> ActorPlan {
        let usual = match (kind, kind.parse::<ActorKind>().unwrap().has_media()) {
            (_, true) => "format = 'xavc-intra-class-100-1080-25'",
            ("camera" | "companion", _) => "files = 2",
            _ => "",
        };
        let text = format!("kind = '{kind}'\ncount = {count}\n{usual}\n{settings}");
        ActorPlan::from_settings(text.parse::<toml::Table>().unwrap(), Spelling::File).unwrap()
    }

    fn actor(kind: &str, count: u32) -> ActorPlan {
        actor_with(kind, count, "")
    }

    /// Assigns numbers of files that do not exist to all actors.
    fn furnished(actors: &mut Actors, scale: u32) {
        let mut next = 0;
        let mut take = |count: u32| {
            next += count;
            (next - count..next).collect::<Vec<_>>()
        };
        for actor in &mut actors.actors {
            for _ in 0..actor.plan.count * scale {
                let needs = actor.needs();
                let files = InstanceFiles {
                    prepared: take(needs.prepared_files),
                    begins: Vec::new(),
                    made: take(needs.made_files),
                    folder: needs.folder.then(|| take(1)[0]),
                    stock: Vec::new(),
                };
                actor.files.push(files);
            }
        }
    }

    #[test]
    fn streams_and_workers_are_numbered_through() {
        let editor = actor_with("editor", 1, "cameras = 3");
        let mut actors = Actors::new(&plan(vec![actor("recorder", 2), editor])).unwrap();
        furnished(&mut actors, 2);
        let point_load = actors.point_load(2, 0);
        assert_eq!(point_load.workers.len(), 4 + 2);
        let streams: Vec<u32> = point_load.specs.iter().map(|spec| spec.stream).collect();
        assert_eq!(streams, (0..4 + 6).collect::<Vec<_>>());
        assert_eq!(
            (point_load.groups[1].streams.clone(), point_load.groups[1].workers.clone()),
            (4..10, 4..6)
        );
        assert!(point_load.specs[..4].iter().all(|spec| spec.writes));
        assert_eq!(actors.point_load(1, 0).specs.len(), 2 + 3);
    }

    #[test]
    fn cameras_have_rates_and_no_frames() {
        let mut actors = Actors::new(&plan(vec![actor("camera", 1), actor("companion", 1)])).unwrap();
        furnished(&mut actors, 3);
        let point_load = actors.point_load(3, 0);
        assert!(point_load.specs.is_empty());
        let rates: Vec<f64> = point_load.rates.iter().map(|rate| rate.requested_ops_per_s).collect();
        assert_eq!(rates, [9.0, 9.0, 9.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn open_files_of_companions_are_counted_before_the_start() {
        let actors = Actors::new(&plan(vec![actor("companion", 1)])).unwrap();
        let needs = actors.actors[0].driver_needs();
        // Its two files, and the one that it makes.
        assert_eq!((needs.handles, needs.max_len), (2 + 1, 1 << 20));
    }

    #[test]
    fn files_of_one_size_are_counted_together() {
        let actors = Actors::new(&plan(vec![actor("camera", 1), actor("companion", 2)])).unwrap();
        assert_eq!(actors.prepared_files(5), BTreeMap::from([(1 << 30, 5 * (2 + 4))]));
    }

    #[test]
    fn a_variable_format_is_the_same_clip_in_every_run() {
        let seeded = |seed| {
            let player = actor_with("player", 1, "clip = '2s'");
            Actors::new(&StreamsPlan { seed, ..plan(vec![player]) }).unwrap().prepared_files(1)
        };
        assert!((2..6).all(|seed| seeded(seed) == seeded(1)));
    }

    #[test]
    fn space_of_a_growing_recording_depends_on_its_duration() {
        let actors = Actors::new(&plan(vec![actor("recorder", 1)])).unwrap();
        let rate = actors.actors[0].media.as_ref().unwrap().bytes_per_s;
        assert!(actors.prepared_files(1).is_empty());
        assert_eq!(actors.made_bytes(2, 9.0), 2 * (rate * 10.0) as u64);
    }

    /// The time in milliseconds within which streams with this warm-up and buffer begin, and the note on
    /// that.
    fn begins(warmup_ms: u64, buffer: &str, find_max: bool) -> (u64, Option<String>) {
        let player = actor_with("player", 1, &format!("buffer = '{buffer}'"));
        let recorder = actor_with("recorder", 1, "buffer = '9s'");
        let actors = Actors::new(&StreamsPlan {
            warmup: Span(warmup_ms * 1_000_000),
            find_max: find_max.then(Default::default),
            ..plan(vec![player, recorder])
        });
        let actors = actors.unwrap();
        assert!(actors.note.iter().all(|note| actors.notes().contains(note)));
        assert_eq!(actors.note.is_some(), actors.warmup_ns() != warmup_ms * 1_000_000);
        (actors.stagger_ns / 1_000_000, actors.note)
    }

    #[test]
    fn buffers_are_filled_before_a_trial_is_measured() {
        let quiet = |stagger_ms: u64| (stagger_ms, None);
        assert_eq!(begins(3000, "1s", true), quiet(1000));
        assert_eq!(begins(1000, "12frames", true), quiet(500));
        assert_eq!(begins(1500, "1s", true), quiet(500));
        assert_eq!(begins(1000, "1s", true), quiet(42));
        // A stream that fills its buffer in the measured part is judged from its beginning.
        assert_eq!(begins(0, "1s", true), quiet(42));
        assert_eq!(begins(0, "1s", false), quiet(1000));
        // Without a search, only late frames count, so nothing is hidden.
        assert_eq!(begins(1000, "2s", false), quiet(500));
    }

    #[test]
    fn a_warm_up_too_short_for_the_buffers_is_extended_and_reported() {
        let (stagger_ms, note) = begins(1000, "2s", true);
        assert_eq!(stagger_ms, 42);
        let note = note.unwrap();
        assert!(note.contains(" 2.04 s instead of 1 s, ") && note.contains(" 2 s "), "{note}");
    }

    #[test]
    fn buffered_recordings_are_marked_as_synced() {
        let noted = |direct, recorder| {
            let plan = StreamsPlan { direct, ..plan(vec![actor("player", 1), recorder]) };
            Actors::new(&plan).unwrap().notes().into_iter().find(|note| note.contains("fsync"))
        };
        let recorder = actor("recorder", 1);
        assert!(noted(false, recorder.clone()).unwrap().contains("after every buffer length"));
        let often = actor_with("recorder", 1, "sync_every = '1s'");
        assert!(noted(false, often).unwrap().contains("as often as the plan requires"));
        assert_eq!(noted(true, recorder), None);
        assert_eq!(noted(false, actor("player", 1)), None);
    }

    #[test]
    fn criteria_are_those_of_the_actor_changed_by_the_plan() {
        let strict = ActorPlan { criteria: "p99=40ms".to_owned(), ..actor("player", 1) };
        let actors = Actors::new(&plan(vec![strict])).unwrap();
        let criteria = actors.actors[0].criteria;
        assert_eq!((criteria.late_frames_max, criteria.p99_response_ms), (Some(0), Some(40.0)));
        let wrong = ActorPlan { criteria: "beauty=1".to_owned(), ..actor("player", 1) };
        assert!(Actors::new(&plan(vec![wrong])).unwrap_err().to_string().contains("beauty=1"));
    }
}
