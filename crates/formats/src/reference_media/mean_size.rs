//! A file of which only the size and the duration are known.

use crate::mean::MeanBytes;
use crate::rate::FrameRate;

/// The duration that a file states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) frame_rate: Option<FrameRate>,
    pub(super) length: Option<Length>,
}

impl Found {
    pub(super) const NOTHING: Found = Found { frame_rate: None, length: None };
}

/// The duration of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Frames(u64),
    Nanoseconds(u64),
}

/// A clip of frames of one size: the file's size over its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeanClip {
    /// Size of the file, including everything in it.
    pub file_bytes: u64,
    /// Frames, at the frame rate; at least 1.
    pub frames: u64,
    pub mean: MeanBytes,
}

impl MeanClip {
    /// `None` for a clip without frames.
    pub(super) fn new(file_bytes: u64, length: Length, rate: FrameRate) -> Option<MeanClip> {
        let frames = match length {
            Length::Frames(frames) => frames,
            Length::Nanoseconds(ns) => nearest_frames(ns, rate),
        };
        Some(MeanClip { file_bytes, frames, mean: MeanBytes::over(file_bytes, frames)? })
    }

    /// Bytes of a frame; `None` after the last one.
    pub fn frame_bytes(&self, frame: u64) -> Option<u64> {
        let after = frame.checked_add(1).filter(|after| *after <= self.frames)?;
        Some(self.mean.times(after) - self.mean.times(frame))
    }
}

/// Durations are rounded to the file's clock, so the nearest number of frames is the right one.
fn nearest_frames(ns: u64, rate: FrameRate) -> u64 {
    let half_frame_ns = rate.frame_due_ns(1) / 2;
    rate.frames_in(ns.saturating_sub(half_frame_ns))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn frames_share_the_file() {
        let clip = MeanClip::new(1000, Length::Frames(3), FrameRate::whole(25)).unwrap();
        let sizes: Vec<Option<u64>> = (0..4).map(|frame| clip.frame_bytes(frame)).collect();
        assert_eq!(sizes, [Some(333), Some(333), Some(334), None]);
        assert_eq!(MeanClip::new(1000, Length::Frames(0), FrameRate::whole(25)), None);
        assert_eq!(MeanClip::new(1000, Length::Nanoseconds(0), FrameRate::whole(25)), None);
    }

    #[test]
    fn a_length_in_time_is_rounded_to_frames() {
        let rate: FrameRate = "29.97".parse().unwrap();
        for frames in [1, 2, 300, 107_892] {
            let exact_ns = rate.frame_due_ns(frames);
            for ns in [exact_ns - 1_000_000, exact_ns, exact_ns + 1_000_000] {
                assert_eq!(nearest_frames(ns, rate), frames);
            }
        }
    }
}
