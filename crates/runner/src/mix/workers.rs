//! From a plan to workers: which script runs on which files.

use reelgauge_engine::driver::{TargetFile, Worker};
use reelgauge_workload::mix::{MixFile, MixScript};
use reelgauge_workload::plan::Plan;

/// The workers of a run, as many as any load point needs. Scripts live through all load points, so that
/// a worker continues where it was.
#[derive(Debug)]
pub struct MixWorkers {
    waiting: Vec<Option<Worker<MixScript>>>,
    files: Vec<TargetFile>,
}

impl MixWorkers {
    /// A worker for everything that the plan needs at the same time.
    pub fn new(plan: &Plan, files: &[TargetFile]) -> MixWorkers {
        let worker = |id| {
            let (mine, ..) = assignment(plan, files, id, plan.workers_max());
            Some(Worker { id, script: MixScript::new(id, plan.seed, plan.mix_at(0).shape(), &mine) })
        };
        MixWorkers { waiting: (0..plan.workers_max()).map(worker).collect(), files: files.to_vec() }
    }

    /// Returns the workers of a load point, configured for it. If every block is to be visited once,
    /// visits of earlier load points do not count, and the order is different.
    pub fn take(&mut self, plan: &Plan, point: usize) -> Vec<Worker<MixScript>> {
        let shape = plan.mix_at(point).shape();
        let count = plan.workers_at(point);
        let taken = self.waiting.iter_mut().take(count as usize).filter_map(Option::take);
        let mut workers: Vec<_> = taken.collect();
        for worker in &mut workers {
            worker.script.reshape(shape.clone());
            if plan.mix.no_repeat {
                let (_, share, sharers) = assignment(plan, &self.files, worker.id, count);
                worker.script.visit_all(plan.seed.wrapping_add(point as u64), share, sharers);
            }
        }
        workers
    }

    /// Takes back the workers that a load point returned.
    pub fn give_back(&mut self, workers: Vec<Worker<MixScript>>) {
        for worker in workers {
            if let Some(place) = self.waiting.get_mut(worker.id as usize) {
                *place = Some(worker);
            }
        }
    }
}

/// The files of one worker. If blocks are visited only once: also its share of the blocks, as its index
/// and the number of shares.
fn assignment(plan: &Plan, files: &[TargetFile], worker: u32, workers: u32) -> (Vec<MixFile>, u32, u32) {
    let all = files.iter().zip(0..).map(|(file, index)| MixFile { file: index, size_bytes: file.size_bytes });
    let shared = plan.mix.shared_file || plan.mix.files.is_some();
    if shared {
        (all.collect(), worker, workers)
    } else {
        let own = plan.client_files().map_or(worker, |clients| clients.of(worker));
        (all.skip(own as usize).take(1).collect(), 0, 1)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::PathBuf;

    use reelgauge_workload::profile::Profile;
    use reelgauge_workload::range::Ramp;
    use reelgauge_workload::units::Span;

    use super::*;

    fn plan() -> Plan {
        Plan {
            plan_version: 1,
            written_by: String::new(),
            target: PathBuf::from("/t"),
            seed: 1,
            driver: Default::default(),
            workers: Ramp(vec![1, 3]),
            sweep: None,
            criteria: String::new(),
            warmup: Span(0),
            duration: Span::secs(1),
            hang_after: Span::secs(1),
            verify: false,
            log: true,
            server_memory: None,
            tags: Vec::new(),
            storage: reelgauge_record::notes::StorageDetails::default(),
            read_from: None,
            shared_data: None,
            mix: Profile::named("seq-read").unwrap().plan(),
        }
    }

    fn files(count: usize) -> Vec<TargetFile> {
        vec![TargetFile { path: PathBuf::from("/t/f"), size_bytes: 1 << 30 }; count]
    }

    #[test]
    fn every_worker_has_its_own_file_unless_files_are_shared() {
        let mut plan = plan();
        let indices = |plan: &Plan, files: &[TargetFile], worker| {
            let (mine, ..) = assignment(plan, files, worker, 3);
            mine.iter().map(|file| file.file).collect::<Vec<_>>()
        };
        assert_eq!(indices(&plan, &files(3), 2), [2]);
        plan.mix.shared_file = true;
        assert_eq!(indices(&plan, &files(1), 2), [0]);
        plan.mix.shared_file = false;
        plan.mix.files = Some(2);
        assert_eq!(indices(&plan, &files(2), 2), [0, 1]);
    }

    #[test]
    fn workers_come_back_and_go_out_again() {
        let plan = plan();
        let mut mix_workers = MixWorkers::new(&plan, &files(3));
        let first = mix_workers.take(&plan, 0);
        assert_eq!(first.len(), 1);
        mix_workers.give_back(first);
        let ids: Vec<u32> = mix_workers.take(&plan, 1).iter().map(|worker| worker.id).collect();
        assert_eq!(ids, [0, 1, 2]);
        // A worker that hangs in a dead mount is omitted, not waited for.
        assert!(mix_workers.take(&plan, 1).is_empty());
    }
}
