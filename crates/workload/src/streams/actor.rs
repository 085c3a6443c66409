//! One kind of worker in a plan: what it is, how many of it there are, and what they do.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use reelgauge_formats::{FrameRate, OwnFormat};
use serde::{Deserialize, Serialize};

use super::Buffer;
use crate::pace::{Policy, ReadAhead};
use crate::plan::MixPlan;
use crate::units::{Size, Span};

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActorKind {
    /// Plays a clip in real time.
    Player,
    /// Records a clip in real time.
    Recorder,
    /// Plays several cameras side by side, with cuts and scrubs.
    Editor,
    /// Reads a clip and writes another, as fast as it gets.
    Transcoder,
    /// Copies a file, as fast as it gets.
    Copier,
    /// The data stream of the VDA-like pair.
    Camera,
    /// The other component of the VDA-like pair: applications beside a camera.
    Companion,
    /// The EBU access profile.
    Mix,
}

/// Some workers of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActorPlan {
    /// What they do.
    pub kind: ActorKind,
    /// How many there are in each unit of scale.
    #[serde(default = "one")]
    pub count: u32,
    /// The media format, by the id of the catalogue. Either this, `own_format` or `like`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// A format that the catalogue does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_format: Option<OwnFormat>,
    /// Footage whose frame sizes are taken: a movie file, or a folder of numbered frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<PathBuf>,
    /// Frames per second, instead of the rate of `format` or `like`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<FrameRate>,
    /// What a transcoder writes, by the id of the catalogue; without it, the format that it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_format: Option<String>,
    /// How long each one's clip plays; a stream loops over it.
    #[serde(default = "default_clip")]
    pub clip: Span,
    /// What a stream holds in hand: how far it may fall behind before a frame is late.
    #[serde(default)]
    pub buffer: Buffer,
    /// What becomes of frames that are too late to be asked for.
    #[serde(default)]
    pub policy: Policy,
    /// How many frames a player asks for at once.
    #[serde(default = "default_read_ahead")]
    pub read_ahead: ReadAhead,
    /// How often a recorder makes its frames durable; without it, never where it goes past the client's
    /// cache, and else each time that its buffer has gone round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_every: Option<Span>,
    /// A recorder writes over a file that exists, instead of growing a new one.
    #[serde(default)]
    pub preallocated: bool,
    /// How many cameras an editor plays side by side.
    #[serde(default = "default_cameras")]
    pub cameras: u32,
    /// How much a copier reads and writes at once.
    #[serde(default = "default_block")]
    pub block: Size,
    /// Size of each file of a copier, camera or companion.
    #[serde(default = "default_file_size")]
    pub file_size: Size,
    /// How many files each camera or companion has.
    #[serde(default = "default_files")]
    pub files: u32,
    /// Transfers per second of a camera (9 without it) or companion (1), from 0.001 to 100 000
    /// ([`super::check::OPS_PER_S`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ops_per_s: Option<f64>,
    /// What they are held to, beyond the defaults of their kind: `late=0,p99=40ms`. Read by the runner.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub criteria: String,
    /// The access profile of a mix; without it, `production-edit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mix: Option<MixPlan>,
}

const fn one() -> u32 {
    1
}

const fn default_clip() -> Span {
    Span::secs(10)
}

const fn default_read_ahead() -> ReadAhead {
    ReadAhead::Closed
}

const fn default_cameras() -> u32 {
    4
}

const fn default_block() -> Size {
    Size::mib(1)
}

const fn default_file_size() -> Size {
    Size::mib(1024)
}

/// Ten with data and one more, as the published data set sizes imply.
const fn default_files() -> u32 {
    11
}

impl ActorPlan {
    /// One worker of this kind, with the default of every field.
    pub fn new(kind: ActorKind) -> ActorPlan {
        ActorPlan {
            kind,
            count: one(),
            format: None,
            own_format: None,
            like: None,
            fps: None,
            output_format: None,
            clip: default_clip(),
            buffer: Buffer::default(),
            policy: Policy::default(),
            read_ahead: default_read_ahead(),
            sync_every: None,
            preallocated: false,
            cameras: default_cameras(),
            block: default_block(),
            file_size: default_file_size(),
            files: default_files(),
            ops_per_s: None,
            criteria: String::new(),
            mix: None,
        }
    }
}

/// A word that is no kind of actor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not an actor; there are {}", ActorKind::ALL.map(ActorKind::word).join(", "))]
pub struct ActorKindError {
    text: String,
}

impl ActorKind {
    /// Every kind.
    pub const ALL: [ActorKind; 8] = [
        ActorKind::Player,
        ActorKind::Recorder,
        ActorKind::Editor,
        ActorKind::Transcoder,
        ActorKind::Copier,
        ActorKind::Camera,
        ActorKind::Companion,
        ActorKind::Mix,
    ];

    /// Its word in plans and flags.
    pub const fn word(self) -> &'static str {
        match self {
            ActorKind::Player => "player",
            ActorKind::Recorder => "recorder",
            ActorKind::Editor => "editor",
            ActorKind::Transcoder => "transcoder",
            ActorKind::Copier => "copier",
            ActorKind::Camera => "camera",
            ActorKind::Companion => "companion",
            ActorKind::Mix => "mix",
        }
    }
}

impl ActorKind {
    /// What it is, in a line.
    pub const fn about(self) -> &'static str {
        match self {
            ActorKind::Player => "plays a clip in real time, as playout or a viewer does",
            ActorKind::Recorder => "records a clip in real time, as an ingest channel does",
            ActorKind::Editor => "plays several cameras side by side, with cuts and scrubs",
            ActorKind::Transcoder => "reads a clip and writes another, as fast as it gets",
            ActorKind::Copier => "copies a file, as fast as it gets",
            ActorKind::Camera => "records like a surveillance camera (VDA-like)",
            ActorKind::Companion => "reads beside a surveillance camera (VDA-like)",
            ActorKind::Mix => "reads and writes at random, as the EBU access profile does",
        }
    }

    /// Whether a clock says when it asks for what, so that it moves as much as it should and no more.
    pub const fn is_paced(self) -> bool {
        match self {
            ActorKind::Player
            | ActorKind::Recorder
            | ActorKind::Editor
            | ActorKind::Camera
            | ActorKind::Companion => true,
            ActorKind::Transcoder | ActorKind::Copier | ActorKind::Mix => false,
        }
    }

    /// Several of it: `players`, `mixes`.
    pub const fn plural(self) -> &'static str {
        match self {
            ActorKind::Player => "players",
            ActorKind::Recorder => "recorders",
            ActorKind::Editor => "editors",
            ActorKind::Transcoder => "transcoders",
            ActorKind::Copier => "copiers",
            ActorKind::Camera => "cameras",
            ActorKind::Companion => "companions",
            ActorKind::Mix => "mixes",
        }
    }

    /// Its word in a sentence: `a player`, `an editor`.
    pub fn with_article(self) -> String {
        let article = if self == ActorKind::Editor { "an" } else { "a" };
        format!("{article} {}", self.word())
    }

    /// Whether it plays, records or reads footage.
    pub const fn has_media(self) -> bool {
        matches!(self, ActorKind::Player | ActorKind::Recorder | ActorKind::Editor | ActorKind::Transcoder)
    }

    /// Whether it reads footage that is there before, and never changes it.
    pub const fn reads_footage(self) -> bool {
        matches!(self, ActorKind::Player | ActorKind::Editor | ActorKind::Transcoder)
    }
}

impl fmt::Display for ActorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for ActorKind {
    type Err = ActorKindError;

    fn from_str(text: &str) -> Result<ActorKind, ActorKindError> {
        let kind = ActorKind::ALL.into_iter().find(|kind| kind.word() == text.trim());
        kind.ok_or_else(|| ActorKindError { text: text.to_owned() })
    }
}
