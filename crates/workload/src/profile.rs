//! The paper's procedures by name (EBU Tech 3362 §5.2 and §5.4).

use crate::plan::MixPlan;
use crate::range::{Ramp, Sizes};
use crate::units::{Percent, Size};

/// A named access profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name for `--profile`.
    pub name: &'static str,
    /// What it represents, in one line.
    pub what: &'static str,
    /// Percentage of transfers that write.
    writes: u32,
    /// Percentage of transfers that are random.
    random: u32,
    /// Smallest and largest block in KiB; each size between doubles.
    blocks_kib: (u64, u64),
}

pub const PROFILES: [Profile; 3] = [
    Profile {
        name: "production-edit",
        what: "several editors with render files and metadata: half writes, a tenth random, 4 KiB to 1 MiB",
        writes: 50,
        random: 10,
        blocks_kib: (4, 1024),
    },
    Profile {
        name: "seq-read",
        what: "all workers read: 1 MiB blocks, all sequential",
        writes: 0,
        random: 0,
        blocks_kib: (1024, 1024),
    },
    Profile {
        name: "seq-write",
        what: "all workers write: 1 MiB blocks, all sequential",
        writes: 100,
        random: 0,
        blocks_kib: (1024, 1024),
    },
];

impl Profile {
    /// The profile with this name.
    pub fn named(name: &str) -> Option<Profile> {
        PROFILES.into_iter().find(|profile| profile.name == name)
    }

    /// The profile as a plan: transfers of up to 10,240 KiB without delay, direct I/O.
    pub fn plan(&self) -> MixPlan {
        let (low, high) = self.blocks_kib;
        let doubling = std::iter::successors(Some(low), |kib| Some(kib * 2));
        let sizes = doubling.take_while(|kib| *kib <= high).map(Size::kib);
        MixPlan {
            profile: self.name.to_owned(),
            writes: Percent::whole(self.writes),
            random: Percent::whole(self.random),
            blocks: Sizes(sizes.collect()),
            ..MixPlan::default()
        }
    }
}

/// A named ramp: the numbers of workers, and whether they share one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedRamp {
    /// The name for `--ramp`.
    pub name: &'static str,
    /// A one-line description of its result.
    pub what: &'static str,
    /// First, last and step of the number of workers.
    workers: (u32, u32, u32),
    /// Whether all workers use one file.
    pub shared_file: bool,
}

/// Every named ramp. The paper measures one hour at each load point.
pub const RAMPS: [NamedRamp; 2] = [
    NamedRamp {
        name: "single-file",
        what: "1 to 10 workers on one file: the server's cache and the network",
        workers: (1, 10, 1),
        shared_file: true,
    },
    NamedRamp {
        name: "multi-file",
        what: "4 to 40 workers, each on its own file: the disks",
        workers: (4, 40, 4),
        shared_file: false,
    },
];

impl NamedRamp {
    /// The ramp with this name.
    pub fn named(name: &str) -> Option<NamedRamp> {
        RAMPS.into_iter().find(|ramp| ramp.name == name)
    }

    /// Its numbers of workers.
    pub fn ramp(&self) -> Ramp {
        let (first, last, step) = self.workers;
        Ramp((first..=last).step_by(step as usize).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn production_edit_is_the_papers() {
        let plan = Profile::named("production-edit").unwrap().plan();
        assert_eq!((plan.writes, plan.random), (Percent::whole(50), Percent::whole(10)));
        assert_eq!(plan.blocks, "4KiB..1MiB".parse().unwrap());
        assert_eq!(plan.max_length, Some(Size::kib(10_240)));
        assert_eq!((plan.max_delay.ns(), plan.direct), (0, true));
    }

    #[test]
    fn the_ramps_are_the_papers() {
        assert_eq!(NamedRamp::named("single-file").unwrap().ramp().0, (1..=10).collect::<Vec<_>>());
        assert_eq!(NamedRamp::named("multi-file").unwrap().ramp().0, [4, 8, 12, 16, 20, 24, 28, 32, 36, 40]);
        assert_eq!(NamedRamp::named("up"), None);
    }
}
