//! The cost of a request beyond its bytes, and how the line slows down: as the volume fills, as files of
//! a name are written, or while too many requests wait at a time.
//!
//! All requests share one line, and every cost is booked there. The rate then follows from bytes alone,
//! however many requests are in flight.

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

/// The causes that slow the line down over time.
#[derive(Clone, Debug)]
pub(super) enum Fading {
    /// How full the volume of this folder is. A full one loses `loss` of the rate.
    Full { folder: PathBuf, loss: f64 },
    /// Bytes written into files with this name prefix. After `half_bytes`, half of the rate is left;
    /// after twice as many, a third.
    Worn { prefix: String, half_bytes: f64, written_bytes: u64 },
}

/// The properties of a write that its cost depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write<'a> {
    /// The file's own name.
    pub(super) name: &'a str,
    pub(super) len: u64,
    /// It does not continue where the last write through this open file ended.
    pub(super) jumps: bool,
    /// It ends beyond the end of the file.
    pub(super) grows: bool,
}

impl Costs {
    /// A write that does not continue where the last one ended costs as much as so many bytes.
    pub(super) fn jumps_cost(&self, bytes: u64) {
        self.jump_bytes.store(bytes, Ordering::SeqCst);
    }

    /// A write that extends a file costs this share of its bytes in addition.
    pub(super) fn growth_costs(&self, percent: u64) {
        self.growth_percent.store(percent, Ordering::SeqCst);
    }

    /// While so many requests or more wait at a time, each costs so many times its bytes.
    pub(super) fn crowds_cost(&self, from: u64, times: u64) {
        self.crowd_times.store(times, Ordering::SeqCst);
        self.crowd_from.store(from, Ordering::SeqCst);
    }

    /// Registers a request as waiting until the result is dropped. Also returns its cost.
    pub(super) fn begin(&self, cost: u64) -> (Waiting<'_>, u64) {
        let waiting = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
        let from = self.crowd_from.load(Ordering::SeqCst);
        let is_crowd = from > 0 && waiting >= from;
        (Waiting(self), if is_crowd { cost * self.crowd_times.load(Ordering::SeqCst) } else { cost })
    }

    pub(super) fn fade(&self, fading: Fading) {
        *self.fading.lock().unwrap() = Some(fading);
    }

    /// Books a write. Returns its cost beyond its bytes.
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

    /// The share of the line's rate that is left; `None` if nothing slows it down.
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
