//! The accesses of IOMeter tests with which the NASPT paper compares its workloads (Table 2): small
//! random and large sequential ones, with one and with 32 in flight. Each is a mix of one worker.
//!
//! They equal the procedure `iometer`, for use in a suite.

use std::path::PathBuf;

use crate::plan::{DriverChoice, MixPlan, PLAN_VERSION, Plan};
use crate::range::{Ramp, Sizes};
use crate::units::{Percent, Size, Span};

/// The measured time of each. The paper does not specify one.
pub const TIME: Span = Span::secs(30);
const WARMUP: Span = Span::secs(5);
/// A target that completes nothing for this long is abandoned.
const HANG_AFTER: Span = Span::secs(30);
const FILE_SIZE: Size = Size::mib(1024);
const LENGTH: Size = Size::mib(64);

/// An access of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// `4k-random-read-qd1`.
    pub name: &'static str,
    /// Whether blocks are written rather than read.
    pub writes: bool,
    /// Whether blocks are 4 KiB at random positions, rather than 128 KiB in order.
    pub is_small: bool,
    /// Blocks in flight at a time.
    pub in_flight: u16,
}

const fn access(name: &'static str, writes: bool, is_small: bool, in_flight: u16) -> Access {
    Access { name, writes, is_small, in_flight }
}

/// All accesses, in the order of Table 2.
pub const ACCESSES: [Access; 8] = [
    access("4k-random-read-qd1", false, true, 1),
    access("128k-sequential-read-qd1", false, false, 1),
    access("4k-random-write-qd1", true, true, 1),
    access("128k-sequential-write-qd1", true, false, 1),
    access("4k-random-read-qd32", false, true, 32),
    access("128k-sequential-read-qd32", false, false, 32),
    access("4k-random-write-qd32", true, true, 32),
    access("128k-sequential-write-qd32", true, false, 32),
];

impl Access {
    /// The access as a plan.
    pub fn plan(&self, target: PathBuf, seed: u64, time: Span) -> Plan {
        let percent = |all: bool| Percent::whole(if all { 100 } else { 0 });
        Plan {
            plan_version: PLAN_VERSION,
            written_by: concat!("reelgauge ", env!("CARGO_PKG_VERSION")).to_owned(),
            target,
            seed,
            driver: DriverChoice::default(),
            workers: Ramp(vec![1]),
            sweep: None,
            warmup: WARMUP.min(time),
            duration: time,
            hang_after: HANG_AFTER,
            verify: false,
            log: true,
            server_memory: None,
            read_from: None,
            shared_data: None,
            criteria: String::new(),
            tags: Vec::new(),
            storage: reelgauge_record::notes::StorageDetails::default(),
            mix: MixPlan {
                profile: self.name.to_owned(),
                max_length: None,
                lengths: Some(Sizes(vec![LENGTH])),
                blocks: Sizes(vec![Size::kib(if self.is_small { 4 } else { 128 })]),
                writes: percent(self.writes),
                random: percent(self.is_small),
                file_size: FILE_SIZE,
                in_flight: self.in_flight,
                ..MixPlan::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::procedure::{Action, Procedure, text};

    #[test]
    fn the_accesses_are_those_of_the_procedure() {
        let steps = Procedure::from_toml(text("iometer").unwrap()).unwrap().steps().unwrap();
        let sorted = |mut flags: Vec<String>| {
            flags.sort();
            flags
        };
        let of_procedure: Vec<Vec<String>> = steps
            .into_iter()
            .map(|step| match step.action {
                Action::Run { flags, .. } => sorted(flags),
                other => panic!("{other:?}"),
            })
            .collect();
        for access in ACCESSES {
            let plan = access.plan(PathBuf::from("/mnt"), 1, TIME);
            plan.check().unwrap();
            let mix = &plan.mix;
            let flags = sorted(vec![
                format!("--blocks={}", mix.blocks),
                format!("--duration={}", plan.duration),
                format!("--file-size={}", mix.file_size),
                format!("--in-flight={}", mix.in_flight),
                format!("--length={}", mix.lengths.as_ref().unwrap()),
                format!("--random={}", mix.random.ppm() / 10_000),
                format!("--warmup={}", plan.warmup),
                format!("--workers={}", plan.workers.0[0]),
                format!("--writes={}", mix.writes.ppm() / 10_000),
            ]);
            assert!(of_procedure.contains(&flags), "{}: {flags:?} in {of_procedure:#?}", access.name);
        }
        assert_eq!(of_procedure.len(), ACCESSES.len());
    }
}
