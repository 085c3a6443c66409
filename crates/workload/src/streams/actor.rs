//! The interface of an actor: its requirements, streams, transfers and script. Each actor's file
//! implements it for its settings; [`super::catalogue`] lists them.
//!
//! Not here: judging streams and rates (analysis), and creating the files (the runner).

use super::validation::{Check, Checked};
use super::{Footage, Frames};
use crate::media::Media;
use crate::script::{Done, Needs, Script, Step};
use crate::units::{Size, Span};

/// Facts about a kind of actor, independent of its settings.
#[derive(Debug, PartialEq, Eq)]
pub struct ActorFacts {
    /// The kind's name in plans and flags.
    pub word: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// Whether it reads existing footage, and never changes it.
    pub reads_footage: bool,
    /// Whether it writes, or may write.
    pub writes: bool,
    /// The name prefix of the files that it creates.
    pub makes: &'static str,
    /// The noun for its streams, if it has several.
    pub parts: Option<&'static str>,
    /// Whether forms for a single kind of stream offer this actor.
    pub is_offered: bool,
}

/// An actor, implemented by its settings.
pub trait Actor {
    /// Checks its settings.
    ///
    /// # Errors
    /// The first problem, with its remedy.
    fn check(&self, check: &Check) -> Checked;

    /// Its description. `media` is its resolved footage. Without it, figures that depend on footage are
    /// computed for no frames.
    fn outline(&self, media: Option<&Media>) -> Outline<'_>;

    /// Its script; `None` if it has nothing to do, for example because a folder of the user is empty.
    fn script(&self, instance: &Instance<'_>) -> Option<Box<dyn ActorScript>>;
}

/// The script of an actor.
pub trait ActorScript: Script {
    /// The pool of files in its state at the end, for the next load point.
    fn stock(&self) -> Option<&[ScratchFile]> {
        None
    }
}

/// The description of an actor, from its settings.
#[derive(Clone, Debug, Default)]
pub struct Outline<'a> {
    /// The number of streams as users count them: a camera and its companion are one, a pure data mover
    /// is none.
    pub streams: u32,
    /// Its footage, and the duration of each clip.
    pub footage: Option<(&'a Footage, Span)>,
    /// The id of another format in which it writes.
    pub output_format: Option<&'a str>,
    /// Its streams with deadlines.
    pub frames: Option<FrameStreams<'a>>,
    /// Requested transfers per second, if it has a rate but no frames.
    pub ops_per_s: Option<f64>,
    /// Its files on the target.
    pub needs: InstanceNeeds,
    /// Size of the files that it creates, however long it runs.
    pub made_bytes: u64,
    /// The growth of these bytes per second.
    pub made_bytes_per_s: f64,
    /// The maximum write rate; `None` if only the storage limits it.
    pub written_bytes_per_s: Option<f64>,
    /// Keys of its settings that have no effect with its other settings, and why.
    pub idle: Vec<(&'static str, &'static str)>,
}

/// Streams whose frames have deadlines.
#[derive(Clone, Copy, Debug)]
pub struct FrameStreams<'a> {
    /// The order and timing of their frames.
    pub frames: &'a Frames,
    /// Whether they are written.
    pub writes: bool,
    /// Whether playback may stop and restart at another position.
    pub may_jump: bool,
}

impl ActorFacts {
    /// An actor that writes.
    pub(crate) const fn of(word: &'static str, about: &'static str) -> ActorFacts {
        let (reads_footage, writes, is_offered) = (false, true, true);
        ActorFacts { word, about, reads_footage, writes, makes: "file", parts: None, is_offered }
    }

    /// The plural: `players`, `mixes`.
    pub fn plural(&self) -> String {
        let ending = if self.word.ends_with('x') { "es" } else { "s" };
        format!("{}{ending}", self.word)
    }

    /// The name in a sentence: `a player`, `an editor`.
    pub fn with_article(&self) -> String {
        let article = if self.word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("{article} {}", self.word)
    }
}

/// The files of one actor, as indexes into the run's file table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceFiles {
    /// Files prepared before the run.
    pub prepared: Vec<u32>,
    /// The offset of its material in each of these: not 0 in the user's own files.
    pub begins: Vec<u64>,
    /// Files that the actor creates.
    pub made: Vec<u32>,
    /// The pool of empty files among these, in the state after the last load point. Only companions have
    /// one.
    pub stock: Vec<ScratchFile>,
    /// A separate folder.
    pub folder: Option<u32>,
}

/// A file of a pool of empty ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchFile {
    /// Its index in the run's file table.
    pub file: u32,
    /// Whether it exists.
    pub is_there: bool,
}

/// The files and folders that an actor needs on the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstanceNeeds {
    /// The number of prepared files.
    pub prepared_files: u32,
    /// The size of each.
    pub prepared_file_bytes: u64,
    /// The number of files that it creates.
    pub made_files: u32,
    /// The number of these that exist as empty files at the start.
    pub empty_files: u32,
    /// Whether they are in a separate folder.
    pub folder: bool,
}

impl InstanceNeeds {
    /// The needs of `clips` prepared clips.
    pub(crate) fn clips(media: Option<&Media>, clips: u32) -> InstanceNeeds {
        InstanceNeeds {
            prepared_files: media.map_or(1, Media::files).saturating_mul(clips),
            prepared_file_bytes: media.map_or(0, |media| media.file_bytes),
            ..InstanceNeeds::default()
        }
    }

    /// The needs of `prepared_files` files of this size.
    pub(crate) fn files(prepared_files: u32, size: Size) -> InstanceNeeds {
        InstanceNeeds { prepared_files, prepared_file_bytes: size.bytes(), ..InstanceNeeds::default() }
    }

    /// Adds files that the actor creates in a separate folder.
    pub(crate) fn making(self, made_files: u32) -> InstanceNeeds {
        InstanceNeeds { made_files, folder: true, ..self }
    }
}

/// One actor of a load point: its files and its settings.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// The media that it plays, records or reads.
    pub media: Option<&'a Media>,
    pub files: &'a InstanceFiles,
    /// The number of its first stream.
    pub first_stream: u32,
    /// When it begins, after the beginning of the load point.
    pub start_after_ns: u64,
    /// The seed of its random draws.
    pub seed: u64,
    /// Whether it bypasses the client's cache.
    pub direct: bool,
    /// The duration of the load point, including its warm-up.
    pub length_ns: u64,
}

impl Instance<'_> {
    pub(crate) fn prepared(&self) -> u32 {
        self.files.prepared.first().copied().unwrap_or(0)
    }

    /// The offset of the material in the file with this index.
    pub(crate) fn begin(&self, index: usize) -> u64 {
        self.files.begins.get(index).copied().unwrap_or(0)
    }

    pub(crate) fn made(&self) -> Option<u32> {
        self.files.made.first().copied()
    }
}

/// The script of an actor that has nothing to do.
pub struct Idle;

impl ActorScript for Idle {}

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
