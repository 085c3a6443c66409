//! The ground that a run stands on: a target that was taken for it. Its area is locked, and it is known what
//! is mounted there and whether direct I/O is real.
//!
//! Not here: the files of the run, which every kind of run makes by its own rules.

use std::path::Path;
use std::sync::Arc;

use reelgauge_engine::area::{Area, AreaLock};
use reelgauge_engine::mount::direct::{DirectProbe, probe};
use reelgauge_engine::mount::{Mount, MountId};

use crate::error::RunError;

/// A target that belongs to one run.
#[derive(Debug)]
pub struct Ground {
    /// The area.
    pub area: Area,
    /// Held until the run is over.
    pub lock: Arc<AreaLock>,
    /// What is mounted there.
    pub mount: Mount,
    /// To notice when it is gone.
    pub mount_id: MountId,
    /// What is known about direct I/O there.
    pub direct: DirectProbe,
}

impl Ground {
    /// Takes the area.
    ///
    /// # Errors
    /// When another run has it, or the target does not answer as it should.
    pub fn take(area: &Area) -> Result<Ground, RunError> {
        let lock = Arc::new(area.lock()?);
        let root = area.root();
        Ok(Ground {
            mount: Mount::at(root).map_err(RunError::io("find out what is mounted at the target"))?,
            mount_id: MountId::capture(root).map_err(RunError::io("identify the target's mount"))?,
            direct: probe(area.dir()).map_err(RunError::io("try direct I/O in the area"))?,
            area: area.clone(),
            lock,
        })
    }

    /// The directory that is measured, absolute.
    pub fn target(&self) -> &Path {
        self.area.target()
    }

    /// What the user should know of it: how far the lock reaches.
    pub fn notes(&self) -> Vec<String> {
        self.lock.note().map(str::to_owned).into_iter().collect()
    }
}
