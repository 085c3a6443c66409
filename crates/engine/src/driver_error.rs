//! Why a driver could not start or continue.

/// Why a driver could not start or continue. I/O errors on the target are not included: they are results
/// of operations and are in the records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The platform does not support it.
    #[error("the {0} driver is not available on this platform. Use --driver threads")]
    Unavailable(&'static str),
    /// The kernel refused to set up io_uring.
    #[error(
        "io_uring is not available ({source}). Probably a sysctl or a container's seccomp profile disables \
         it. Try 'sysctl -w kernel.io_uring_disabled=0', or use --driver threads"
    )]
    UringSetup {
        /// The kernel's error.
        source: std::io::Error,
    },
    /// The kernel returned an error for an io_uring that worked before.
    #[error("io_uring failed during the run ({source}). Use --driver threads")]
    UringEnter {
        /// The kernel's error.
        source: std::io::Error,
    },
    /// A script waits for an operation, but has none in flight: it would wait forever.
    #[error(
        "worker {worker} waits for an operation that it never issued. This is a bug in Reelgauge: please \
         report it"
    )]
    Stuck { worker: u32 },
    /// A thread could not be started.
    #[error("cannot start a driver thread: {source}. Use fewer workers")]
    Thread {
        /// The system's error.
        source: std::io::Error,
    },
    /// Memory for buffers could not be allocated.
    #[error("cannot allocate {bytes} bytes of I/O buffers. Use smaller blocks or fewer workers")]
    Buffers { bytes: u64 },
}
