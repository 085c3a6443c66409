//! Settings that several actors share: their footage, and the buffering of its frames.

use std::path::PathBuf;

use reelgauge_formats::format::ClipLayout;
use reelgauge_formats::user_format::FrameFiles;
use reelgauge_formats::{Format, FrameRate, OwnFormat, catalogue};

use super::setting::settings;
use super::validation::Check;
use super::{Buffer, StreamsError};
use crate::pace::Policy;
use crate::units::Span;

/// The default duration of a clip.
pub(crate) const CLIP: Span = Span::secs(10);

/// The longest buffer in frames: ten minutes at 60 frames per second.
const BUFFER_FRAMES_MAX: u32 = 36_000;

settings! {
    /// The footage of an actor: one of `format`, `own_format` and `like`.
    pub struct Footage {
        /// Media format, by its ID; find it with 'reelgauge formats WORDS'
        format: Option<String> = None => option(ID, String),
        /// A format that the catalogue does not have.
        own_format: Option<OwnFormat> = None,
        /// Use the frame sizes of this movie file or folder of frames
        like: Option<PathBuf> = None => option(PATH, PathBuf),
        /// Frames per second [default: as in the format or footage]
        fps: Option<FrameRate> = None => option(RATE, FrameRate),
    }
}

settings! {
    /// How a stream loops over its clip, buffers its frames, and handles late ones.
    pub struct Frames {
        /// Length of each stream's clip; streams loop over it
        clip: Span = CLIP => option(TIME, Span),
        /// Buffer of each stream, as time or frames: 1s or 12frames
        buffer: Buffer = Buffer::default() => option(BUFFER, Buffer),
        /// Handling of frames that miss their deadline: drop or stall
        policy: Policy = Policy::default() => option(POLICY, Policy),
    }
}

impl Footage {
    /// The footage of a format in the catalogue.
    pub fn listed(id: &str) -> Footage {
        Footage { format: Some(id.to_owned()), ..Footage::default() }
    }

    /// The name: a format's name, or `footage like PATH`.
    pub fn name(&self) -> Option<String> {
        let like = self.like.as_ref().map(|path| format!("footage like {}", path.display()));
        let own = || self.own_format.as_ref().map(|format| format.name.clone());
        like.or_else(own).or_else(|| self.format.clone())
    }

    /// The name for users: `Apple ProRes 422 HQ UHD, 25 fps` for a format of the catalogue.
    pub fn title(&self) -> Option<String> {
        self.in_catalogue().map(Format::title).or_else(|| self.name())
    }

    fn in_catalogue(&self) -> Option<&'static Format> {
        self.format.as_ref().and_then(|id| catalogue().find(id).ok())
    }

    /// Settings that have no effect in combination with it.
    pub(crate) fn idle(&self) -> Vec<(&'static str, &'static str)> {
        let clip = ("clip", "with your own files, which are played whole");
        self.like.iter().map(|_| clip).collect()
    }

    /// Whether every frame is known to be a file. For the user's own footage this is unknown until it is
    /// read.
    pub(crate) fn is_sequence(&self) -> bool {
        self.in_catalogue().is_some_and(|format| format.kind == ClipLayout::FramePerFile)
            || self.own_format.as_ref().is_some_and(|format| format.files == FrameFiles::Frames)
    }

    pub(crate) fn check(&self, check: &Check) -> Result<(), StreamsError> {
        let (kind, spelling) = (check.kind, check.spelling);
        let given = [self.format.is_some(), self.own_format.is_some(), self.like.is_some()];
        match given.into_iter().filter(|&given| given).count() {
            0 => Err(StreamsError::NoFormat { kind, spelling }),
            1 => Ok(()),
            _ => Err(StreamsError::TwoFormats { kind }),
        }
    }
}

/// Checks that a clip is not empty.
pub(crate) fn check_clip(clip: Span, check: &Check) -> Result<(), StreamsError> {
    check.not_zero("clip", clip.ns() == 0, "set a time, like 10s")
}

impl Frames {
    pub(crate) fn check(&self, check: &Check) -> Result<(), StreamsError> {
        let remedy = "use at least one frame, like 1s or 12frames";
        check.not_zero("buffer", self.buffer.is_zero(), remedy)?;
        check_clip(self.clip, check)?;
        match self.buffer {
            Buffer::Frames(frames) => check.at_most("buffer", frames, BUFFER_FRAMES_MAX, " frames"),
            Buffer::Time(_) => Ok(()),
        }
    }
}
