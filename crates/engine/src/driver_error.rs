//! Why a driver could not start or go on.

/// Why a driver could not start or go on. I/O errors on the target are not here: they are results of
/// operations and stand in the records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The platform lacks it.
    #[error("the {0} driver is not available on this platform; use --driver threads")]
    Unavailable(&'static str),
    /// The kernel refused to set up io_uring.
    #[error(
        "io_uring is not available ({source}); likely cause: it is disabled by sysctl or by a container's \
         seccomp profile. Try 'sysctl -w kernel.io_uring_disabled=0', or use --driver threads"
    )]
    UringSetup {
        /// The kernel's error.
        source: std::io::Error,
    },
    /// The kernel broke off an io_uring that worked before.
    #[error("io_uring failed while running ({source}); use --driver threads")]
    UringEnter {
        /// The kernel's error.
        source: std::io::Error,
    },
    /// A script waits for an operation, but has none in flight: it would wait for ever.
    #[error(
        "worker {worker} waits for an operation that it never began; this is a fault of the tool, \
         please report it"
    )]
    Stuck { worker: u32 },
    /// A thread could not be started.
    #[error("cannot start a driver thread: {source}; use fewer workers")]
    Thread {
        /// The system's error.
        source: std::io::Error,
    },
    /// Memory for buffers could not be had.
    #[error("cannot allocate {bytes} bytes of I/O buffers; use smaller blocks or fewer workers")]
    Buffers {
        /// How much was asked for.
        bytes: u64,
    },
}
