//! What a request costs the store's line beyond its bytes, and how the line slows: as the volume fills, as
//! files of a name are written, or while too many requests wait at a time.
//!
//! Everything is booked with the one line that all requests pass through, so that the rate follows from bytes
//! alone, however many requests there are at a time.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The costs, all off at first.
#[derive(Debug, Default)]
pub(super) struct Costs {
    jump_bytes: AtomicU64,
    growth_percent: AtomicU64,
    fading: Mutex<Option<Fading>>,
    /// Requests that wait now.
    waiting: AtomicU64,
    crowd_from: AtomicU64,
    crowd_times: AtomicU64,
}

/// A request that waits for the line.
#[derive(Debug)]
pub(super) struct Waiting<'a>(&'a Costs);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What makes the line slower and slower.
#[derive(Clone, Debug)]
pub(super) enum Fading {
    /// The share of this folder's volume that is used: a full one loses `loss` of the rate.
    Full { folder: PathBuf, loss: f64 },
    /// Bytes written into files whose names begin like this: after `half_bytes` half of the rate is left,
    /// after twice as many a third.
    Worn { prefix: String, half_bytes: f64, written_bytes: u64 },
}

/// A write, as far as its cost depends on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write<'a> {
    /// The file's own name.
    pub(super) name: &'a str,
    pub(super) len: u64,
    /// It does not go on where the last write through this open file ended.
    pub(super) jumps: bool,
    /// It ends behind the end of the file.
    pub(super) grows: bool,
}

impl Costs {
    /// A write that does not go on where the last one ended costs as much as so many bytes.
    pub(super) fn jumps_cost(&self, bytes: u64) {
        self.jump_bytes.store(bytes, Ordering::SeqCst);
    }

    /// A write that makes a file longer costs so much more of its bytes.
    pub(super) fn growth_costs(&self, percent: u64) {
        self.growth_percent.store(percent, Ordering::SeqCst);
    }

    /// While so many requests or more wait at a time, each costs so many times its bytes.
    pub(super) fn crowds_cost(&self, from: u64, times: u64) {
        self.crowd_times.store(times, Ordering::SeqCst);
        self.crowd_from.store(from, Ordering::SeqCst);
    }

    /// A request that waits until the result is dropped, and what it costs.
    pub(super) fn begin(&self, cost: u64) -> (Waiting<'_>, u64) {
        let waiting = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
        let from = self.crowd_from.load(Ordering::SeqCst);
        let is_crowd = from > 0 && waiting >= from;
        (Waiting(self), if is_crowd { cost * self.crowd_times.load(Ordering::SeqCst) } else { cost })
    }

    pub(super) fn fade(&self, fading: Fading) {
        *self.fading.lock().unwrap() = Some(fading);
    }

    /// Books a write; what it costs beyond its bytes.
    pub(super) fn of_write(&self, write: Write<'_>) -> u64 {
        if let Some(Fading::Worn { prefix, written_bytes, .. }) = &mut *self.fading.lock().unwrap()
            && write.name.starts_with(prefix.as_str())
        {
            *written_bytes += write.len;
        }
        let jump = if write.jumps { self.jump_bytes.load(Ordering::SeqCst) } else { 0 };
        let growth =
            if write.grows { self.growth_percent.load(Ordering::SeqCst) * write.len / 100 } else { 0 };
        jump + growth
    }

    /// Bytes written so far into files that wear the store.
    pub(super) fn worn_bytes(&self) -> u64 {
        match &*self.fading.lock().unwrap() {
            Some(Fading::Worn { written_bytes, .. }) => *written_bytes,
            _ => 0,
        }
    }

    /// What is left of the line's rate now; `None` where nothing makes it slower.
    pub(super) fn rate_left(&self) -> Option<f64> {
        match self.fading.lock().unwrap().as_ref()? {
            Fading::Full { folder, loss } => {
                let space = rustix::fs::statvfs(folder).ok()?;
                Some(1.0 - loss * (space.f_blocks - space.f_bfree) as f64 / space.f_blocks.max(1) as f64)
            }
            Fading::Worn { half_bytes, written_bytes, .. } => {
                Some(1.0 / (1.0 + *written_bytes as f64 / half_bytes))
            }
        }
    }
}
