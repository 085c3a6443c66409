//! Whether each step of a procedure has enough space, before the first one starts. Only what cannot fit
//! counts: test files may exist already, and those of earlier runs are removed for new ones.
//!
//! Not here: keeping the space free while ballast is written (the engine).

use std::path::Path;

use reelgauge_analysis::forecast::Forecast;
use reelgauge_engine::area::{AREA_DIR, BALLAST_DIR};
use reelgauge_engine::space::{KeepFree, Space, space};
use reelgauge_workload::procedure::Action;

use super::push_out_bytes;
use crate::session::space_making::folder_bytes;

/// The space that a step needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Test files, and files of the load.
    Files {
        /// The least size of its test files.
        bytes: u64,
        /// Additional writes of its load.
        load_bytes: u64,
    },
    /// Ballast up to this percentage of the usable space.
    Fill(u8),
    /// Ballast of this size, which is removed at once.
    PushOut(u64),
    /// The ballast is removed.
    Empty,
    /// Unknown in advance.
    Unknown,
}

impl Need {
    /// The need of an action. The need of a run is known from its plan.
    pub fn of(action: &Action) -> Need {
        match action {
            Action::Fill { percent } => Need::Fill(*percent),
            Action::Cool { command: None, server_memory: Some(size) } => {
                Need::PushOut(push_out_bytes(size.bytes()))
            }
            Action::Empty => Need::Empty,
            _ => Need::Unknown,
        }
    }

    /// The need of a run.
    pub fn of_run(forecast: &Forecast) -> Need {
        Need::Files { bytes: forecast.least_files_bytes, load_bytes: forecast.new_files_bytes }
    }
}

/// A step without enough space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// Its index among the steps.
    pub at: usize,
    pub needed_bytes: u64,
    /// The largest size that may be written then.
    pub left_bytes: u64,
    pub kept_bytes: u64,
}

/// The first step without enough space on this target; `None` also if the target does not report its
/// space.
pub fn lack(needs: &[Need], target: &Path, keep_free: KeepFree) -> Option<Lack> {
    let space = space(target).ok().flatten()?;
    // Reading every file is seldom needed.
    first_lack(needs, &Found { space, area_bytes: 0, ballast_bytes: 0 }, keep_free)?;
    let area = target.join(AREA_DIR);
    let ballast_bytes = folder_bytes(&area.join(BALLAST_DIR));
    first_lack(needs, &Found { space, area_bytes: folder_bytes(&area), ballast_bytes }, keep_free)
}

/// The state before the first step.
struct Found {
    space: Space,
    /// The size of the whole area.
    area_bytes: u64,
    /// The size of its ballast, which the first step removes.
    ballast_bytes: u64,
}

fn first_lack(needs: &[Need], found: &Found, keep_free: KeepFree) -> Option<Lack> {
    let kept_bytes = found.space.kept_bytes(keep_free);
    let usable = found.space.total_bytes.saturating_sub(kept_bytes);
    let used = found.space.total_bytes.saturating_sub(found.space.available_bytes);
    let others = used.saturating_sub(found.area_bytes);
    let there = found.area_bytes.saturating_sub(found.ballast_bytes);
    let (mut files, mut level) = (0_u64, 0_u64);
    for (at, need) in needs.iter().enumerate() {
        let (needed_bytes, taken) = match *need {
            Need::Files { bytes, load_bytes } if level > 0 => {
                let new_bytes = bytes.saturating_sub(files.max(there));
                (new_bytes.saturating_add(load_bytes), level)
            }
            Need::Files { bytes, load_bytes } => (bytes.saturating_add(load_bytes), others),
            Need::PushOut(bytes) => (bytes, level.max(others.saturating_add(files.max(there)))),
            Need::Fill(_) | Need::Empty | Need::Unknown => (0, 0),
        };
        let left_bytes = usable.saturating_sub(taken);
        if needed_bytes > left_bytes {
            return Some(Lack { at, needed_bytes, left_bytes, kept_bytes });
        }
        match *need {
            Need::Files { bytes, .. } => files = files.max(bytes),
            Need::Fill(percent) => {
                let wanted = u128::from(usable) * u128::from(percent) / 100;
                let wanted = u64::try_from(wanted).unwrap_or(u64::MAX);
                level = level.max(wanted).max(others.saturating_add(files));
            }
            Need::Empty => level = 0,
            Need::PushOut(_) | Need::Unknown => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use reelgauge_workload::units::Size;

    use super::*;

    fn lacking(needs: &[Need], area_bytes: u64) -> Option<(usize, u64, u64)> {
        // 600 of 1,000 may be written, 100 of which stay free.
        let space = Space { available_bytes: 600, total_bytes: 1000 };
        let found = Found { space, area_bytes, ballast_bytes: 0 };
        let lack = first_lack(needs, &found, KeepFree::Bytes(100))?;
        assert_eq!(lack.kept_bytes, 100);
        Some((lack.at, lack.needed_bytes, lack.left_bytes))
    }

    fn files(bytes: u64) -> Need {
        Need::Files { bytes, load_bytes: 0 }
    }

    #[test]
    fn evicting_data_must_fit_next_to_the_files() {
        assert_eq!(lacking(&[Need::PushOut(500)], 0), None);
        assert_eq!(lacking(&[Need::PushOut(501)], 0), Some((0, 501, 500)));
        assert_eq!(lacking(&[files(100), Need::PushOut(401)], 0), Some((1, 401, 400)));
        // Existing test files are used again, and not removed for ballast.
        assert_eq!(lacking(&[files(100), Need::PushOut(500)], 300), None);
        assert_eq!(lacking(&[Need::Fill(90), Need::PushOut(91)], 0), Some((1, 91, 90)));
        assert_eq!(lacking(&[Need::Fill(90), Need::Empty, Need::PushOut(500)], 0), None);
    }

    #[test]
    fn files_that_cannot_fit_are_refused_and_those_that_are_there_are_not() {
        assert_eq!(lacking(&[files(501)], 0), Some((0, 501, 500)));
        assert_eq!(lacking(&[files(501)], 100), None);
        // Files that were made before the ballast take no more space after it.
        assert_eq!(lacking(&[files(200), Need::Fill(95), files(200)], 0), None);
        assert_eq!(lacking(&[Need::Fill(95), files(200)], 0), Some((1, 200, 45)));
        let recorded = Need::Files { bytes: 0, load_bytes: 91 };
        assert_eq!(lacking(&[recorded, Need::Fill(90), recorded], 0), Some((2, 91, 90)));
    }

    #[test]
    fn a_server_that_a_command_makes_cold_needs_no_space() {
        let cool = |command: Option<&str>| Action::Cool {
            command: command.map(str::to_owned),
            server_memory: Some(Size(1000)),
        };
        assert_eq!(Need::of(&cool(None)), Need::PushOut(1250));
        assert_eq!(Need::of(&cool(Some("true"))), Need::Unknown);
        let nothing = Action::Cool { command: None, server_memory: None };
        assert_eq!(Need::of(&nothing), Need::Unknown);
    }
}
