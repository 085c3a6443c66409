//! Every mix is found in its own log, within its statistical bound; other logs are not taken for a mix.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use reelgauge_analysis::mix_fit::{FittedLengths, FittedSync, Likeness, MixFitter};
use reelgauge_record::{OpKind, OpRecord};
use reelgauge_results::mix_fit::{FoundProfile, found};
use reelgauge_workload::mix::{Lengths, MixFile, MixScript, MixShape, SyncPolicy};
use reelgauge_workload::profile::PROFILES;
use reelgauge_workload::script::{Done, Op, Script, Step};
use reelgauge_workload::units::Percent;

const FILE_BYTES: u64 = 256 << 20;

/// The operations of a mix's worker on storage that takes 50 µs for everything.
fn log_of(worker: u32, script: &mut MixScript, transfers: usize) -> Vec<OpRecord> {
    let (mut ops, mut now_ns, mut closed) = (Vec::new(), 0, 0);
    while closed < transfers {
        let Step::Do(op) = script.next(now_ns) else { panic!("a mix never waits") };
        let issued_ns = op.due_ns.max(now_ns);
        now_ns = issued_ns + 50_000;
        closed += usize::from(op.kind == OpKind::Close);
        let Op { token, due_ns, len, .. } = op;
        script.done(&Done { token, due_ns, issued_ns, done_ns: now_ns, done_len: len, errno: 0 });
        let record = reelgauge_record::test_records::op(op.kind);
        let record = record.on_file(op.file).at_offset(op.offset).of_len(op.len).by_worker(worker);
        let record = record.of_transfer(op.transfer).flagged(op.flags);
        ops.push(record.at_ns(issued_ns).due_at_ns(due_ns).done_at_ns(now_ns));
    }
    ops
}

/// The log of a mix of four workers, each on a separate file or all on any of eight.
fn found_in(shape: &MixShape, has_own_files: bool, transfers: usize) -> FoundProfile {
    let files = if has_own_files { 4 } else { 8 };
    let mut fitter = MixFitter::new(vec![FILE_BYTES; files]);
    for worker in 0..4 {
        let all = (0..files as u32).map(|file| MixFile { file, size_bytes: FILE_BYTES });
        let own: Vec<MixFile> = all.filter(|one| !has_own_files || one.file == worker).collect();
        let mut script = MixScript::new(worker, 11, shape.clone(), &own);
        log_of(worker, &mut script, transfers / 4).iter().for_each(|op| fitter.add(op));
    }
    found(fitter.fit())
}

fn shape(writes: u32, random: u32, exponents: std::ops::RangeInclusive<u32>, lengths: Lengths) -> MixShape {
    MixShape {
        lengths,
        blocks_bytes: exponents.map(|exponent| 1 << exponent).collect(),
        quantum_bytes: 4096,
        writes: Percent::whole(writes),
        random: Percent::whole(random),
        max_delay_ns: 0,
        sync: SyncPolicy::None,
        direct: true,
        in_flight: 1,
        create: false,
    }
}

#[test]
fn every_profile_is_found_by_its_name_in_its_own_log() {
    for profile in PROFILES {
        let plan = profile.plan();
        let exponents: Vec<u32> = plan.blocks.0.iter().map(|size| size.0.trailing_zeros()).collect();
        let percent = |percent: Percent| percent.ppm() / 10_000;
        let lengths = Lengths::UpTo(plan.max_length.unwrap().0);
        let exponents = exponents[0]..=exponents[exponents.len() - 1];
        let shape = shape(percent(plan.writes), percent(plan.random), exponents, lengths);
        let found = found_in(&shape, true, 1_200);
        assert_eq!(found.profile, Some(profile.name), "{found:#?}");
        assert_eq!(found.fit.likeness, Likeness::Same, "{found:#?}");
        assert_eq!(found.flags[..2], ["--profile", profile.name]);
        assert!(!found.flags.iter().any(|flag| flag == "--files" || flag == "--shared-file"));
    }
}

#[test]
fn pauses_syncs_and_fixed_lengths_are_found() {
    let mut shape = shape(50, 0, 20..=20, Lengths::Fixed(vec![3 << 20, 8 << 20]));
    shape.max_delay_ns = 40_000_000;
    shape.sync = SyncPolicy::Transfer;
    let found = found_in(&shape, false, 1_200);
    let mix = found.fit.mix.as_ref().unwrap();
    assert_eq!(mix.lengths, FittedLengths::FixedBytes(vec![3 << 20, 8 << 20]));
    assert!((39_000..=40_000).contains(&mix.max_delay_us), "{mix:?}");
    assert_eq!((mix.sync, mix.files, found.profile), (FittedSync::Transfer, 8, None));
    assert_eq!(found.fit.likeness, Likeness::Same, "{found:#?}");
    let flags: BTreeMap<&str, &str> =
        found.flags.chunks(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
    assert_eq!((flags["--length"], flags["--sync"], flags["--files"]), ("3MiB,8MiB", "transfer", "8"));
}

/// Of random 4 KiB accesses in 256 MiB, one in 65,536 follows the previous one by chance: of visits with
/// 3,000 of them, one in twenty has such a pair.
#[test]
fn random_visits_with_neighbours_by_chance_are_random() {
    let shape = shape(0, 93, 12..=12, Lengths::UpTo(13 << 20));
    let share = found_in(&shape, false, 4_000).fit.mix.unwrap().random.unwrap();
    assert!((share.percent - 93.0).abs() <= share.bound_percent, "{share:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Shares within their bounds, the exact block sizes, and no distance beyond a mix's own. A block as
    /// long as the longest visit is hardly ever transferred whole, and cannot be recognised: all are at
    /// most half as long.
    #[test]
    fn any_mix_is_recovered_within_its_bound(
        writes in 0_u32..=100,
        random in 0_u32..=100,
        smallest in 12_u32..=18,
        sizes in 0_u32..=4,
        longest_mib in 8_u64..=16,
        has_own_files in any::<bool>(),
    ) {
        let lengths = Lengths::UpTo(longest_mib << 20);
        let shape = shape(writes, random, smallest..=smallest + sizes, lengths);
        let found = found_in(&shape, has_own_files, 1_000);
        let mix = found.fit.mix.as_ref().unwrap();
        prop_assert!(found.fit.likeness != Likeness::NothingLikeIt, "{found:#?}");
        // A bound holds in 99 of 100 cases. Twice the bound is five standard deviations: chance exceeds
        // it once in four million comparisons, and these cases make three hundred.
        let is_near = |found: f64, is: u32, bound: f64| (found - f64::from(is)).abs() <= 2.0 * bound + 1e-6;
        prop_assert!(is_near(mix.writes.percent, writes, mix.writes.bound_percent), "{mix:?}");
        let share = mix.random.unwrap();
        prop_assert!(is_near(share.percent, random, share.bound_percent), "{mix:?}");
        prop_assert_eq!(&mix.blocks_bytes, &shape.blocks_bytes);
        let FittedLengths::UpToBytes(longest) = mix.lengths else { panic!("{mix:?}") };
        prop_assert!(longest <= longest_mib << 20 && longest * 100 >= (longest_mib << 20) * 97);
        for one in &found.fit.distances {
            let (distance, bound) = (one.distance.unwrap_or(0.0), one.bound.unwrap_or(1.0));
            prop_assert!(distance <= 2.0 * bound, "{one:?} of {shape:?}");
        }
    }
}
