//! The leftovers of earlier runs at an agent: runs that were not fetched, and test files on the targets
//! that it remembers. Test files are removed if the owner lets the agent write; runs only by
//! [`Order::Kept`].
//!
//! [`Order::Kept`]: crate::protocol::Order::Kept
//!
//! Not here: the order to do so ([`super::host_checks`]).

use std::path::Path;

use reelgauge_engine::area::{AreaError, Sharing};
use reelgauge_engine::roots::Roots;
use reelgauge_report::fleet_clean::{LEFTOVERS_MAX, Leftover, LeftoverKind};
use reelgauge_runner::clean::{Removed, clean, look};
use reelgauge_workload::streams::AnyPlan;

use super::run_store::AgentDisk;

/// Settings for leftovers.
#[derive(Clone, Debug)]
pub struct LeftoverTerms {
    /// The stored runs, and the targets that were used.
    pub disk: AgentDisk,
    /// Only directories below these are inspected.
    pub roots: Roots,
    /// Whether the owner does not let the agent write.
    pub read_only: bool,
}

/// The target of a plan; `None` if the plan does not parse.
pub fn target_of(plan_toml: &str) -> Option<String> {
    let target = match AnyPlan::from_toml(plan_toml).ok()? {
        AnyPlan::Mix(plan) => plan.target,
        AnyPlan::Streams(plan) => plan.target,
        AnyPlan::Replay(plan) => plan.target,
    };
    target.to_str().map(str::to_owned)
}

impl LeftoverTerms {
    /// The leftovers; test files are removed on request. Blocks while the storage does not respond.
    pub fn leftovers(&self, removes: bool) -> Vec<Leftover> {
        let runs = self.disk.states().into_iter().map(|state| Leftover {
            kind: LeftoverKind::Run,
            bytes: self.disk.run_bytes(&state.run),
            name: state.run,
            is_removed: false,
            why_not: None,
        });
        let mut all: Vec<Leftover> = runs.collect();
        let targets = self.disk.targets();
        all.extend(targets.into_iter().filter_map(|target| self.test_files(&target, removes)));
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all.truncate(LEFTOVERS_MAX);
        all
    }

    /// The test files of a target, if there are any.
    fn test_files(&self, target: &str, removes: bool) -> Option<Leftover> {
        let mut leftover = Leftover {
            kind: LeftoverKind::TestFiles,
            name: target.to_owned(),
            bytes: None,
            is_removed: false,
            why_not: None,
        };
        let may_remove = removes && !self.read_only;
        let found = self.roots.admit(target).map_err(|error| error.to_string()).and_then(|path| {
            let act = if may_remove { clean } else { look };
            found(&path, act).map_err(|error| error.to_string())
        });
        match found {
            // Its storage may just not be mounted now, so it is kept in the list.
            Ok(None) => return None,
            Ok(Some((bytes, stays))) => {
                leftover.bytes = Some(bytes);
                leftover.is_removed = may_remove && stays == 0;
                leftover.why_not = match removes {
                    true if self.read_only => {
                        Some("this agent's owner allows only reads (--read-only)".to_owned())
                    }
                    true if stays > 0 => Some("it contains files that Reelgauge did not create".to_owned()),
                    _ => None,
                };
            }
            Err(why) => leftover.why_not = Some(why),
        }
        if leftover.is_removed {
            let _ = self.disk.forget_target(target);
        }
        Some(leftover)
    }
}

/// Bytes of the test files of a target, and how many of the files would be kept; `None` if there are
/// none.
fn found(
    target: &Path,
    act: impl Fn(&Path, Sharing) -> Result<Removed, AreaError>,
) -> Result<Option<(u64, u64)>, AreaError> {
    if !target.is_dir() {
        return Ok(None);
    }
    Ok(act(target, Sharing::Unsaid)?.area.map(|(_, cleaned)| (cleaned.bytes, cleaned.left_count)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use reelgauge_engine::area::Area;

    use super::*;

    #[test]
    fn test_files_are_removed_only_if_the_owner_allows_writes() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().canonicalize().unwrap().join("nas");
        fs::create_dir(&target).unwrap();
        let area = Area::open_or_create(&target).unwrap();
        fs::create_dir_all(area.data_dir()).unwrap();
        let foreign = area.data_dir().join("holiday.mov");
        fs::write(&foreign, vec![1; 1000]).unwrap();
        let root = area.root().to_path_buf();
        drop(area);
        let disk = AgentDisk::open(&folder.path().join("kept")).unwrap();
        let name = target.display().to_string();
        for path in [name.as_str(), name.as_str(), "/somewhere/else", &format!("{name}/gone")] {
            disk.remember_target(path).unwrap();
        }
        let roots = Roots::new(&[folder.path().to_path_buf()]).unwrap();
        let mut terms = LeftoverTerms { disk, roots, read_only: false };
        let listed = terms.leftovers(false);
        assert_eq!(listed.len(), 2, "{listed:?}");
        let of = |all: &[Leftover]| all.iter().find(|left| left.name == name).cloned();
        let files = of(&listed).unwrap();
        assert!(files.bytes.is_some() && !files.is_removed && root.is_dir(), "{files:?}");
        let elsewhere = listed.iter().find(|left| left.name == "/somewhere/else").unwrap();
        assert!(elsewhere.why_not.is_some(), "{elsewhere:?}");
        terms.read_only = true;
        let files = of(&terms.leftovers(true)).unwrap();
        assert!(files.why_not.unwrap().contains("--read-only") && root.is_dir());
        terms.read_only = false;
        let files = of(&terms.leftovers(true)).unwrap();
        assert!(files.why_not.unwrap().contains("did not create") && foreign.is_file());
        fs::remove_file(foreign).unwrap();
        assert!(of(&terms.leftovers(true)).unwrap().is_removed && !root.exists());
        assert_eq!(of(&terms.leftovers(true)), None);
    }
}
