//! The media format room: how many bytes a frame of a format has, when it is due, and in which files it lies.
//!
//! * [`mod@catalogue`]: the built-in formats (`catalogue/formats.csv`), found by id or by words.
//! * [`mod@format`]: one format, built-in or the user's [`own`].
//! * [`rate`]: frame rates as exact fractions, and the due times of frames.
//! * [`sizes`]: the bytes of every frame of a clip. Here stands what is sourced and what is a model.
//! * [`layout`]: file-size formulas of uncompressed and fixed-size formats.
//! * [`like`]: the frame sizes and offsets of a real file or folder.
//!
//! Not here: which reads and writes a player makes of a frame (scripts decide that), and any I/O besides
//! looking at the file or folder that [`like`] is given.

pub mod audio;
pub mod catalogue;
pub mod format;
mod id;
pub mod layout;
pub mod like;
pub mod mean;
pub mod own;
pub mod policy;
pub mod raster;
pub mod rate;
pub mod search;
pub mod sizes;

pub use audio::AudioTracks;
pub use catalogue::{Catalogue, FindError, catalogue};
pub use format::{ClipLayout, Format, RateControl};
pub use like::{Like, LikeError};
pub use own::{OwnFormat, OwnFormatError};
pub use policy::Policy;
pub use raster::Raster;
pub use rate::FrameRate;
pub use search::Filter;
pub use sizes::{ClipSizes, PictureSize, SizeModel};
