//! Jobs that share a machine: each takes a part of it, and starts when so much of it is free.
//!
//! Not here: what the jobs are, and how large the part of each is.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What parts may come to together; a little more than a whole, since thirds are not exact.
const WHOLE: f64 = 1.0 + 1e-6;

/// What is going on.
struct Shared<T> {
    /// The next job to start.
    next: usize,
    /// The parts of those that run.
    taken: f64,
    /// What came of each.
    results: Vec<Option<T>>,
}

/// Runs a job for each of these parts of the machine (above 0, at most 1). They start in their order, each as
/// soon as its part is free, and nobody is passed by; what came of them is given in the same order.
pub fn run<T: Send>(parts: &[f64], job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let results = parts.iter().map(|_| None).collect();
    let shared = Mutex::new(Shared { next: 0, taken: 0.0, results });
    let changed = Condvar::new();
    let smallest = parts.iter().copied().fold(1.0, f64::min);
    let threads = parts.len().min((WHOLE / smallest) as usize);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(at) = start(&shared, &changed, parts) {
                    let result = job(at);
                    let mut shared = lock(&shared);
                    shared.results[at] = Some(result);
                    shared.taken -= parts[at];
                    changed.notify_all();
                }
            });
        }
    });
    let results = shared.into_inner().unwrap_or_else(PoisonError::into_inner).results;
    results.into_iter().flatten().collect()
}

/// Waits until the next job has room, and takes it; `None` when there is none left.
fn start<T>(shared: &Mutex<Shared<T>>, changed: &Condvar, parts: &[f64]) -> Option<usize> {
    let mut now = lock(shared);
    loop {
        let part = *parts.get(now.next)?;
        if now.taken + part <= WHOLE {
            now.taken += part;
            now.next += 1;
            // The one behind it may have room, too.
            changed.notify_all();
            return Some(now.next - 1);
        }
        now = changed.wait(now).unwrap_or_else(PoisonError::into_inner);
    }
}

fn lock<T>(shared: &Mutex<Shared<T>>) -> MutexGuard<'_, Shared<T>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn parts_never_come_to_more_than_a_whole_and_each_runs_once() {
        let parts: Vec<f64> =
            [1.0, 4.0, 4.0, 4.0, 4.0, 3.0, 3.0, 3.0, 6.0, 1.0, 10.0].map(|n| 1.0 / n).into();
        let running = Mutex::new((0.0, 0.0_f64));
        let ran = run(&parts, |at| {
            {
                let mut running = running.lock().unwrap();
                running.0 += parts[at];
                running.1 = running.1.max(running.0);
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
            running.lock().unwrap().0 -= parts[at];
            at
        });
        assert_eq!(ran, (0..parts.len()).collect::<Vec<_>>());
        let most = running.lock().unwrap().1;
        assert!(most <= WHOLE + 1e-9 && most > 0.5, "{most}");
    }

    #[test]
    fn thirds_fill_a_whole() {
        let all_there = std::sync::Barrier::new(3);
        assert_eq!(run(&[1.0 / 3.0; 3], |_| all_there.wait()).len(), 3);
        assert!(run(&[], |at| at).is_empty());
    }
}
