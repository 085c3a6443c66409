//! The positions of a clip's frames: one after the other in a movie file, or each in a separate file.
//! Streams loop over a clip, so it may be shorter than a run.
//!
//! Not here: headers and indexes of real files (the formats crate), and creating the files (the runner).

use std::sync::Arc;

/// The position of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePlace {
    /// Index into the run's file table.
    pub file: u32,
    /// Offset in bytes.
    pub offset: u64,
    /// Length in bytes.
    pub len: u32,
}

/// The frames of a movie file or of a sequence of files. Cheap to clone: the positions are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clip {
    /// In playing order. Never empty.
    places: Arc<[FramePlace]>,
    is_sequence: bool,
    max_len: u32,
}

impl Clip {
    /// Frames at these positions; `None` if there are none. If they are in different files, it is a
    /// sequence: every frame is assumed to be a separate file.
    pub fn new(places: Vec<FramePlace>) -> Option<Clip> {
        let first = places.first()?.file;
        let is_sequence = places.iter().any(|place| place.file != first);
        Clip::of(places, is_sequence)
    }

    /// Frames of one size, one after the other from the start of a movie file, as many as fit; `None` if
    /// not even one fits.
    pub fn constant(file: u32, file_bytes: u64, frame_bytes: u32) -> Option<Clip> {
        let frames = file_bytes.checked_div(u64::from(frame_bytes))?;
        let place = |frame| FramePlace { file, offset: frame * u64::from(frame_bytes), len: frame_bytes };
        Clip::of((0..frames).map(place).collect(), false)
    }

    /// One file per frame, all of one size, at consecutive indexes of the file table. `None` without
    /// frames, or if the table cannot have that many files.
    pub fn sequence(first_file: u32, frames: u32, frame_bytes: u32) -> Option<Clip> {
        let end = first_file.checked_add(frames)?;
        let place = |file| FramePlace { file, offset: 0, len: frame_bytes };
        Clip::of((first_file..end).map(place).collect(), true)
    }

    fn of(places: Vec<FramePlace>, is_sequence: bool) -> Option<Clip> {
        let max_len = places.iter().map(|place| place.len).max()?;
        Some(Clip { places: places.into(), is_sequence, max_len })
    }

    /// The position of a frame of the stream, which loops over the clip.
    pub fn place(&self, frame: u64) -> FramePlace {
        self.places[(frame % self.frames()) as usize]
    }

    /// The number of frames, at least 1.
    pub fn frames(&self) -> u64 {
        self.places.len() as u64
    }

    /// The largest frame, in bytes.
    pub fn max_len(&self) -> u32 {
        self.max_len
    }

    /// Whether every frame is a separate file.
    pub fn is_sequence(&self) -> bool {
        self.is_sequence
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_stream_loops_over_its_clip() {
        let clip = Clip::constant(3, 1050, 100).unwrap();
        assert_eq!(clip.place(9), FramePlace { file: 3, offset: 900, len: 100 });
        assert_eq!(clip.place(10), clip.place(0));
        assert_eq!((clip.frames(), clip.is_sequence()), (10, false));
        assert_eq!(Clip::constant(3, 99, 100), None);
        assert_eq!(Clip::constant(3, 99, 0), None);
    }

    #[test]
    fn a_sequence_has_a_file_per_frame() {
        let clip = Clip::sequence(5, 3, 100).unwrap();
        assert!(clip.is_sequence());
        assert_eq!((0..4).map(|frame| clip.place(frame).file).collect::<Vec<_>>(), [5, 6, 7, 5]);
        assert!(Clip::sequence(5, 1, 100).unwrap().is_sequence());
        assert_eq!(Clip::sequence(5, 0, 100), None);
        assert_eq!(Clip::sequence(u32::MAX, 2, 100), None);
    }

    #[test]
    fn layouts_distinguish_movies_from_sequences() {
        let at = |file, len| FramePlace { file, offset: 0, len };
        assert!(!Clip::new(vec![at(1, 5), at(1, 9), at(1, 7)]).unwrap().is_sequence());
        let sequence = Clip::new(vec![at(1, 5), at(2, 9), at(3, 7)]).unwrap();
        assert!(sequence.is_sequence());
        assert_eq!(sequence.max_len(), 9);
        assert_eq!(Clip::new(Vec::new()), None);
    }
}
