//! The engine room: everything that touches the target.
//!
//! * [`area`]: the marked directory that is the only place ever written to, and its lock.
//!   `beneath`: how what lies in it is reached, whatever others do there meanwhile.
//! * [`dataset`]: files prepared in the area, reused when they are already there. [`space`]: room for them.
//!   [`material`]: old files of the user's own, to be read and nothing else. [`scratch`]: a folder in the
//!   area for what a run makes itself. [`ballast`]: files that are in the way on purpose.
//! * [`buffer`]: memory for I/O. [`pattern`]: write data, unique per unit and incompressible.
//!   [`verify`]: reading it back. [`extents`]: in how many pieces a file lies on its disk. [`cold`]: a file
//!   read as if for the first time, and a copy of it written anew.
//! * [`mod@direct`]: whether direct I/O works there. [`cache`]: what of a file lies in the client's memory.
//!   [`roots`]: which paths somebody else may name.
//! * `probe`: what the target's file system does with what media programs ask of it.
//! * [`clock`]: the run's clock. [`driver`]: performs the operations that scripts ask for.
//! * [`simulated`]: runs the same scripts against a fake store in virtual time.
//!
//! Not here: what to do (the workload room decides), what is mounted and over what it is reached (machine),
//! how a run is kept (record) and what it means (analysis). This crate knows neither tokio nor arrow.

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
