//! Where the frames of a movie file lie. Streams loop over it, so a clip may be shorter than a run.

use std::sync::Arc;

/// A frame's place in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePlace {
    /// Byte position.
    pub offset: u64,
    /// Bytes.
    pub len: u32,
}

/// The frames of a movie file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clip {
    /// Index into the run's file table.
    pub file: u32,
    /// Where they lie, in the order in which they are shown. Never empty.
    places: Arc<[FramePlace]>,
}

impl Clip {
    /// Frames at these places; `None` when there are none.
    pub fn new(file: u32, places: Vec<FramePlace>) -> Option<Clip> {
        (!places.is_empty()).then(|| Clip { file, places: places.into() })
    }

    /// Frames of one size, one behind the other from the start of the file, as many as fit; `None` when
    /// not even one does.
    pub fn constant(file: u32, file_bytes: u64, frame_bytes: u32) -> Option<Clip> {
        let frames = file_bytes.checked_div(u64::from(frame_bytes))?;
        let place = |frame| FramePlace { offset: frame * u64::from(frame_bytes), len: frame_bytes };
        Clip::new(file, (0..frames).map(place).collect())
    }

    /// The place of a frame of the stream, which loops over the clip.
    pub fn place(&self, frame: u64) -> FramePlace {
        self.places[(frame % self.places.len() as u64) as usize]
    }

    /// The largest frame, in bytes.
    pub fn max_len(&self) -> u32 {
        self.places.iter().map(|place| place.len).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_stream_loops_over_its_clip() {
        let clip = Clip::constant(3, 1050, 100).unwrap();
        assert_eq!(clip.place(9), FramePlace { offset: 900, len: 100 });
        assert_eq!(clip.place(10), clip.place(0));
        assert_eq!(Clip::constant(3, 99, 100), None);
        assert_eq!(Clip::constant(3, 99, 0), None);
    }
}
