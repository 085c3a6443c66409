//! The engine: all access to the target.
//!
//! * [`area`]: the marked directory, the only one that is ever written to, and its lock. `beneath`:
//!   access to paths in it that is safe even if other users change them at the same time.
//! * [`dataset`]: files prepared in the area, reused if they already exist. [`space`]: free space for
//!   them. [`user_files`]: old files of the user, which are only read. [`scratch`]: a folder in the area
//!   for files that a run creates. [`ballast`]: files that take up space on purpose.
//! * [`buffer`]: memory for I/O. [`pattern`]: write data, unique per unit and incompressible.
//!   [`verify`]: reading it back. [`extents`]: the number of extents of a file on its disk. [`cold_read`]:
//!   reads a file as if for the first time, and makes a fresh copy of it.
//! * [`mod@direct`]: whether direct I/O works there. [`cache`]: which parts of a file are in the
//!   client's memory. [`roots`]: the paths that a remote user may name.
//! * `probe`: the behaviour of the target's file system for operations of media programs.
//! * [`clock`]: the run's clock. [`driver`]: performs the operations that scripts request.
//! * [`simulated`]: runs the same scripts against a fake store in virtual time. [`internal_store`] and
//!   [`clock_quality`]: the self-test of a host in real time.
//!
//! Not here: the workload (the workload crate), the mount and its network path (machine), the record of
//! a run (record) and its meaning (analysis). This crate depends on neither tokio nor arrow.

pub mod area;
mod area_path;
pub mod ballast;
pub mod buffer;
pub mod cache;
pub mod clock;
pub mod clock_quality;
pub mod cold_read;
pub mod dataset;
pub mod direct;
pub mod driver;
mod driver_error;
pub mod extents;
pub mod internal_store;
mod io;
pub mod link_support;
pub mod machine_clock;
pub mod pattern;
#[cfg(target_os = "linux")]
pub mod probe;
pub mod roots;
pub mod scratch;
#[cfg(any(windows, test))]
mod sectors;
mod set_names;
pub mod simulated;
pub mod space;
mod target_file;
pub mod throttle;
pub mod user_files;
pub mod verify;
