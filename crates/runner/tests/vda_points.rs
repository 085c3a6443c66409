//! VDA-like load points one after the other, in virtual time. The files of a companion at the beginning
//! of a load point are those that the previous load point left, and every load point has the published
//! mix.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashSet};

use reelgauge_engine::simulated::{Outcome, SimulatedTimes, simulate};
use reelgauge_record::{OpFlags, OpKind, OpRecord};
use reelgauge_runner::streams::actors::{Actors, PointLoad};
use reelgauge_workload::camera::CameraPlan;
use reelgauge_workload::companion::CompanionPlan;
use reelgauge_workload::script::Op;
use reelgauge_workload::streams::StreamsPlan;
use reelgauge_workload::streams::actor::{InstanceFiles, ScratchFile};
use reelgauge_workload::vda_table::{COMPANION_MIX, CompanionOp, VdaLoad, WRITE_SIZES};

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;
const POINTS: u32 = 10;
const SEEDS: u64 = 10;
/// The published length of a load point's measured part.
const POINT_S: u64 = 300;

/// A directory and its answers.
#[derive(Default)]
struct Store {
    is_there: HashSet<u32>,
}

impl Store {
    /// Assigns files to all actors of this scale, as a run does.
    fn provide(&mut self, actors: &mut Actors, scale: u32) {
        let mut next = 0;
        let mut take = |count: u32| {
            next += count;
            (next - count..next).collect::<Vec<_>>()
        };
        for actor in &mut actors.actors {
            for _ in 0..actor.plan.count * scale {
                let needs = actor.needs();
                let made = take(needs.made_files);
                let stocked = made.iter().zip(0..).filter(|_| needs.empty_files > 0);
                let stock: Vec<ScratchFile> = stocked
                    .map(|(&file, number)| ScratchFile { file, is_there: number < needs.empty_files })
                    .collect();
                self.is_there.extend(stock.iter().filter(|file| file.is_there).map(|file| file.file));
                let prepared = take(needs.prepared_files);
                let folder = needs.folder.then(|| take(1)[0]);
                actor.files.push(InstanceFiles { prepared, made, stock, folder, ..InstanceFiles::default() });
            }
        }
    }

    fn perform(&mut self, op: &Op, issued_ns: u64) -> Outcome {
        let done_ns = issued_ns + 40 * MS;
        let found = match op.kind {
            OpKind::Create => self.is_there.insert(op.file),
            OpKind::Unlink => self.is_there.remove(&op.file),
            _ => true,
        };
        if found { Outcome::whole(op, done_ns) } else { Outcome::failed(2, done_ns) }
    }
}

/// The counts of a load point.
#[derive(Default)]
struct Counts {
    mix: [u64; COMPANION_MIX.len()],
    write_sizes: [u64; WRITE_SIZES.len()],
    commits: u64,
}

impl Counts {
    /// Counts a whole transfer.
    fn add(&mut self, transfer: &[OpRecord]) {
        let worked = transfer.iter().filter(|op| op.kind != OpKind::Open);
        let kinds: Vec<OpKind> = worked.map(|op| op.kind).collect();
        let last = transfer[transfer.len() - 1];
        let what = match kinds[..] {
            [OpKind::Write] | [OpKind::Write, OpKind::Sync] => {
                let write = transfer.iter().find(|op| op.kind == OpKind::Write).unwrap();
                let size = WRITE_SIZES.iter().position(|&(_, bytes)| bytes == write.len).unwrap();
                self.write_sizes[size] += 1;
                self.commits += u64::from(last.kind == OpKind::Sync);
                return;
            }
            [OpKind::Read] if last.flags.has(OpFlags::RANDOM) => CompanionOp::RandomRead,
            [OpKind::Read] => CompanionOp::SequentialRead,
            [OpKind::Read, OpKind::Write] => CompanionOp::ReadModifyWrite,
            [OpKind::ReadDir] => CompanionOp::ReadDir,
            [OpKind::Stat] => CompanionOp::Stat,
            [OpKind::Access] => CompanionOp::Access,
            [.., OpKind::Create, OpKind::Close] => CompanionOp::Create,
            [.., OpKind::Unlink] => CompanionOp::Unlink,
            _ => panic!("{kinds:?}"),
        };
        self.mix[COMPANION_MIX.iter().position(|&(_, op)| op == what).unwrap()] += 1;
    }
}

/// Pearson's chi-square of these counts.
fn chi_square(counts: &[u64], percents: impl Iterator<Item = u32>) -> f64 {
    let all = counts.iter().sum::<u64>() as f64;
    let terms = counts.iter().zip(percents).map(|(&count, percent)| {
        let expected = all * f64::from(percent) / 100.0;
        (count as f64 - expected).powi(2) / expected
    });
    terms.sum()
}

/// Runs all load points with this seed, and adds up the operations in each.
fn play(seed: u64, points: &mut [Counts]) {
    let load = VdaLoad { files: 2, ..VdaLoad::default() };
    let actors = vec![CameraPlan { load: load.clone() }.into(), CompanionPlan { load }.into()];
    let mut actors =
        Actors::new(&StreamsPlan { actors, direct: false, seed, ..StreamsPlan::default() }).unwrap();
    let mut store = Store::default();
    store.provide(&mut actors, POINTS);
    for (point, counts) in (0..).zip(points) {
        let scale = u32::from(point) + 1;
        let start_ns = u64::from(point) * 2 * POINT_S * S;
        let end_ns = start_ns + POINT_S * S;
        let span = SimulatedTimes { start_ns, end_ns, warmup_until_ns: start_ns, point };
        let PointLoad { workers, groups, .. } = actors.point_load(scale, point);
        let mut transfers: BTreeMap<u32, Vec<OpRecord>> = BTreeMap::new();
        let mut done: BTreeMap<u32, u64> = BTreeMap::new();
        let mut fake = |_: u32, op: &Op, issued_ns| store.perform(op, issued_ns);
        let left = simulate(workers, &mut fake, span, |record| {
            assert_eq!(record.errno, 0, "seed {seed}, load point {scale}: {record:?}");
            let transfer = transfers.entry(record.worker).or_default();
            transfer.push(*record);
            if record.flags.has(OpFlags::LAST) {
                counts.add(transfer);
                transfer.clear();
                *done.entry(record.worker).or_default() += 1;
            }
        });
        assert_eq!(left.workers.len() as u32, 2 * scale);
        for (worker, done) in done {
            let asked = if worker < scale { 9 * POINT_S } else { POINT_S };
            // It begins up to a second late, and the end cuts the last transfer off.
            assert!((asked - 11..=asked).contains(&done), "worker {worker} of {scale}: {done} of {asked}");
        }
        actors.take_back(&groups, &left.workers);
    }
}

#[test]
fn ten_points_with_ten_seeds_break_nothing_and_keep_the_mix() {
    let mut points: Vec<Counts> = (0..POINTS).map(|_| Counts::default()).collect();
    for seed in 1..=SEEDS {
        play(seed, &mut points);
    }
    // The values that chance exceeds once in a thousand, for 7, 5 and 1 degrees of freedom.
    for (scale, counts) in (1..).zip(&points) {
        let mix = chi_square(&counts.mix, COMPANION_MIX.iter().map(|&(percent, _)| percent));
        assert!(mix < 24.32, "load point {scale}: {mix} {:?}", counts.mix);
        let sizes = chi_square(&counts.write_sizes, WRITE_SIZES.iter().map(|&(percent, _)| percent));
        assert!(sizes < 20.52, "load point {scale}: {sizes} {:?}", counts.write_sizes);
        let writes: u64 = counts.write_sizes.iter().sum();
        let commits = chi_square(&[counts.commits, writes - counts.commits], [5, 95].into_iter());
        assert!(commits < 10.83, "load point {scale}: {commits}, {} of {writes}", counts.commits);
    }
}
