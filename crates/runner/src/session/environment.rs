//! What a session measures with: its clock, the way of the records, the disk of its log. There is one set of
//! means for all runs; a simulation has others.
//!
//! Not here: what is measured.

use std::sync::Arc;

use reelgauge_engine::clock::Clock;
use reelgauge_record::log::{Disk, LogOptions, SystemDisk};

use crate::session::sink::RingRoom;

#[derive(Debug)]
pub(crate) struct Means {
    /// The run's clock, which begins now.
    pub(crate) clock: Clock,
    /// How many records wait for the drain.
    pub(crate) rings: RingRoom,
    /// What the log is written to.
    pub(crate) disk: Arc<dyn Disk>,
    /// Sizes and times of the log.
    pub(crate) log: LogOptions,
    /// Whether this machine's counters and processor time are those of the run.
    pub(crate) samples: bool,
}

impl Means {
    /// Those of this machine.
    pub(crate) fn real() -> Means {
        Means {
            clock: Clock::start(),
            rings: RingRoom::default(),
            disk: Arc::new(SystemDisk),
            log: LogOptions::default(),
            samples: true,
        }
    }
}
