//! What an actor is to everything around it: what it needs, which streams it is, what it moves, and its
//! script. Each actor's own file says so of its settings; [`super::catalogue`] lists them.
//!
//! Not here: how streams and rates are judged (analysis), and making files (the runner).

use super::validation::{Check, Checked};
use super::{Footage, Frames};
use crate::media::Media;
use crate::script::{Done, Needs, Script, Step};
use crate::units::{Size, Span};

/// What is so of every actor of a kind.
#[derive(Debug, PartialEq, Eq)]
pub struct ActorFacts {
    /// Its word in plans and flags.
    pub word: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// It reads footage that is there before, and never changes it.
    pub reads_footage: bool,
    /// It writes, or may.
    pub writes: bool,
    /// What a file that it makes is called.
    pub makes: &'static str,
    /// What its streams are called, where it is several.
    pub parts: Option<&'static str>,
    /// A form with one kind of stream offers it.
    pub is_offered: bool,
}

/// An actor, by its settings.
pub trait Actor {
    /// What is wrong with its settings.
    ///
    /// # Errors
    /// The first thing that is wrong, and its remedy.
    fn check(&self, check: &Check) -> Checked;

    /// What it is and does. `media` is its resolved footage; without it, figures that follow from that
    /// are for no frames.
    fn outline(&self, media: Option<&Media>) -> Outline<'_>;

    /// Its script; `None` where there is nothing to do, because a folder of the user's is empty, say.
    fn script(&self, instance: &Instance<'_>) -> Option<Box<dyn ActorScript>>;
}

/// The script of an actor.
pub trait ActorScript: Script {
    /// The stock of files that it leaves behind, of which the next load point must know.
    fn stock(&self) -> Option<&[ScratchFile]> {
        None
    }
}

/// What an actor is and does, by its settings.
#[derive(Clone, Debug, Default)]
pub struct Outline<'a> {
    /// How many streams users count: a camera and its companion are one, a pure data mover is none.
    pub streams: u32,
    /// What it plays, records or reads, and how long each one's clip plays.
    pub footage: Option<(&'a Footage, Span)>,
    /// Another format, by its id, in which it writes.
    pub output_format: Option<&'a str>,
    /// How its streams are held to deadlines.
    pub frames: Option<FrameStreams<'a>>,
    /// Transfers per second that it is asked for, where it has no frames but a rate.
    pub ops_per_s: Option<f64>,
    /// What it needs on the target.
    pub needs: InstanceNeeds,
    /// Bytes of the files that it makes, however long it goes on.
    pub made_bytes: u64,
    /// By how much these grow.
    pub made_bytes_per_s: f64,
    /// What it writes at most; `None` where that is as much as the storage takes.
    pub written_bytes_per_s: Option<f64>,
    /// Keys of its settings that have no effect with its other settings, and why.
    pub idle: Vec<(&'static str, &'static str)>,
}

/// Streams whose frames have deadlines.
#[derive(Clone, Copy, Debug)]
pub struct FrameStreams<'a> {
    /// How they go through their frames.
    pub frames: &'a Frames,
    /// They are written.
    pub writes: bool,
    /// Play stops now and then, and restarts elsewhere.
    pub may_jump: bool,
}

impl ActorFacts {
    /// An actor that writes.
    pub(crate) const fn of(word: &'static str, about: &'static str) -> ActorFacts {
        let (reads_footage, writes, is_offered) = (false, true, true);
        ActorFacts { word, about, reads_footage, writes, makes: "file", parts: None, is_offered }
    }

    /// Several of them: `players`, `mixes`.
    pub fn plural(&self) -> String {
        let ending = if self.word.ends_with('x') { "es" } else { "s" };
        format!("{}{ending}", self.word)
    }

    /// Its word in a sentence: `a player`, `an editor`.
    pub fn with_article(&self) -> String {
        let article = if self.word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("{article} {}", self.word)
    }
}

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
    /// A separate folder.
    pub folder: Option<u32>,
}

/// A file of a stock of empty ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchFile {
    /// Its index in the run's file table.
    pub file: u32,
    /// Whether it exists.
    pub is_there: bool,
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
    /// Whether they are in a separate folder.
    pub folder: bool,
}

impl InstanceNeeds {
    /// So many clips that are there before.
    pub(crate) fn clips(media: Option<&Media>, clips: u32) -> InstanceNeeds {
        InstanceNeeds {
            prepared_files: media.map_or(1, Media::files).saturating_mul(clips),
            prepared_file_bytes: media.map_or(0, |media| media.file_bytes),
            ..InstanceNeeds::default()
        }
    }

    /// So many files of this size that are there before.
    pub(crate) fn files(prepared_files: u32, size: Size) -> InstanceNeeds {
        InstanceNeeds { prepared_files, prepared_file_bytes: size.bytes(), ..InstanceNeeds::default() }
    }

    /// The same, with files that the actor makes in a separate folder.
    pub(crate) fn making(self, made_files: u32) -> InstanceNeeds {
        InstanceNeeds { made_files, folder: true, ..self }
    }
}

/// One actor of a load point: its files and its settings.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// What it plays, records or reads.
    pub media: Option<&'a Media>,
    /// Its files.
    pub files: &'a InstanceFiles,
    /// The number of its first stream.
    pub first_stream: u32,
    /// When it begins, from the beginning of the load point.
    pub start_after_ns: u64,
    /// Where its draws start.
    pub seed: u64,
    /// Past the client's cache.
    pub direct: bool,
    /// How long the load point is, its warm-up included.
    pub length_ns: u64,
}

impl Instance<'_> {
    pub(crate) fn prepared(&self) -> u32 {
        self.files.prepared.first().copied().unwrap_or(0)
    }

    /// Where the material of the file with this index begins.
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
