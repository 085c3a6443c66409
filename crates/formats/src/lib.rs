//! The media format crate: how many bytes a frame of a format has, when it is due, and which file
//! contains it.
//!
//! * [`mod@catalogue`]: the built-in formats (`catalogue/formats.csv`), found by id or by words.
//! * [`mod@format`]: one format, built-in or the user's [`user_format`].
//! * [`rate`]: frame rates as exact fractions, and the due times of frames.
//! * [`frame_sizes`]: the bytes of every frame of a clip. It states which values are sourced and which
//!   are a model.
//! * [`layout`]: file-size formulas of uncompressed and fixed-size formats.
//! * [`reference_media`]: the frame sizes and offsets of a real file or folder.
//!
//! Not here: which reads and writes a player makes for a frame (scripts decide that), and any I/O except
//! reading the file or folder that [`reference_media`] is given.

pub mod audio;
pub mod catalogue;
pub mod format;
pub mod frame_sizes;
mod id;
pub mod layout;
pub mod lookup;
pub mod mean;
pub mod policy;
pub mod raster;
pub mod rate;
pub mod reference_media;
pub mod user_format;

pub use audio::AudioTracks;
pub use catalogue::{Catalogue, FindError, catalogue};
pub use format::{ClipLayout, Format, RateControl};
pub use frame_sizes::{ClipSizes, PictureSize, SizeModel};
pub use lookup::Filter;
pub use policy::Policy;
pub use raster::Raster;
pub use rate::FrameRate;
pub use reference_media::{ReferenceMedia, ReferenceMediaError};
pub use user_format::{OwnFormat, OwnFormatError};
