//! The engine: everything that touches the target.
//!
//! * [`area`]: the marked directory that is the only place ever written to, and its lock. `beneath`: how
//!   paths in it are reached safely, even if other users change them at the same time.
//! * [`dataset`]: files prepared in the area, reused when they are already there. [`space`]: room for
//!   them. [`material`]: old files of the user's own, to be read and nothing else. [`scratch`]: a folder
//!   in the area for what a run makes itself. [`ballast`]: files that take up space on purpose.
//! * [`buffer`]: memory for I/O. [`pattern`]: write data, unique per unit and incompressible.
//!   [`verify`]: reading it back. [`extents`]: in how many pieces a file lies on its disk. [`cold`]:
//!   reads a file as if for the first time, and makes a fresh copy of it.
//! * [`mod@direct`]: whether direct I/O works there. [`cache`]: what of a file lies in the client's
//!   memory. [`roots`]: the paths that a remote user may name.
//! * `probe`: what the target's file system does with what media programs ask of it.
//! * [`clock`]: the run's clock. [`driver`]: performs the operations that scripts ask for.
//! * [`simulated`]: runs the same scripts against a fake store in virtual time.
//!
//! Not here: what to do (the workload crate), what is mounted and how it is reached (machine), how a run
//! is kept (record) and what it means (analysis). This crate knows neither tokio nor arrow.

pub mod area;
pub mod ballast;
mod beneath;
pub mod buffer;
pub mod cache;
pub mod clock;
pub mod cold;
pub mod dataset;
pub mod direct;
pub mod driver;
mod driver_error;
pub mod extents;
mod io;
pub mod link_support;
pub mod machine_clock;
pub mod material;
pub mod pattern;
#[cfg(target_os = "linux")]
pub mod probe;
pub mod roots;
pub mod scratch;
mod set_names;
pub mod simulated;
pub mod space;
mod target_file;
pub mod throttle;
pub mod verify;
