//! The instruments of a session: its clock, the path of the records, the disk of its log. All runs use
//! the same set; a simulation has others.
//!
//! Not here: the object of the measurement.

use std::sync::Arc;

use reelgauge_engine::clock::Clock;
use reelgauge_record::log::{Disk, LogOptions, SystemDisk};

use crate::session::sink::RingRoom;

#[derive(Debug)]
pub(crate) struct Instruments {
    /// The run's clock, which begins now.
    pub(crate) clock: Clock,
    /// The number of records that may wait for the drain.
    pub(crate) rings: RingRoom,
    /// The disk of the log.
    pub(crate) disk: Arc<dyn Disk>,
    /// Sizes and times of the log.
    pub(crate) log: LogOptions,
    /// Whether this host's counters and processor time are those of the run.
    pub(crate) samples: bool,
}

impl Instruments {
    /// The instruments of a real run on the local host.
    pub(crate) fn real() -> Instruments {
        Instruments {
            clock: Clock::start(),
            rings: RingRoom::default(),
            disk: Arc::new(SystemDisk),
            log: LogOptions::default(),
            samples: true,
        }
    }
}
