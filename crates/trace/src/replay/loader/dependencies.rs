//! The dependencies between single operations, without those implied by the order of lanes.

use std::collections::HashMap;

use crate::replay::error::ReplayError;
use crate::replay::packed::PackedTrace;

/// Limit of stored dependencies, in total (4 bytes each).
const AWAITED_MAX: usize = 64 << 20;

/// Limit of lane pairs whose progress is stored (16 bytes each). Beyond it, an operation may list a
/// dependency that its lane has already waited for. This only costs memory.
const PAIRS_MAX: usize = 4 << 20;
/// Limit of past operations that are compared, in total: about ten seconds of work.
const LOOKS_MAX: u64 = 1 << 32;

/// The dependencies of the current operation.
#[derive(Debug, Default)]
pub(super) struct Waits {
    op: u32,
    lane: u16,
    /// Operations of other lanes, each with its lane.
    now: Vec<(u32, u16)>,
    /// By lane and other lane: the last operation of the other lane that the first is known to follow.
    known: HashMap<(u16, u16), u32>,
    /// Past operations that were compared so far.
    looks: u64,
}

impl Waits {
    /// Starts the list of an operation.
    pub fn begin(&mut self, op: u32, lane: u16) {
        self.op = op;
        self.lane = lane;
        self.now.clear();
    }

    /// Adds a dependency. Of each other lane only the last operation matters. Operations that the own
    /// lane has already waited for are omitted.
    pub fn add(&mut self, op: u32, lane: u16) {
        if lane == self.lane || op >= self.op {
            return;
        }
        self.looks += self.now.len() as u64;
        match self.now.iter_mut().find(|(_, known)| *known == lane) {
            Some((last, _)) => *last = (*last).max(op),
            None => self.now.push((op, lane)),
        }
    }

    /// Counts past operations that are compared for this operation.
    pub fn look(&mut self, past: usize) {
        self.looks += past as u64;
    }

    /// Completes the list. Returns whether it has entries.
    ///
    /// # Errors
    /// If the dependencies need too much memory or too many comparisons.
    pub fn end(&mut self, packed: &mut PackedTrace) -> Result<bool, ReplayError> {
        let from = packed.awaited.len();
        for &(op, lane) in &self.now {
            let (pair, is_room) = ((self.lane, lane), self.known.len() < PAIRS_MAX);
            match self.known.get_mut(&pair) {
                Some(known) if *known >= op => continue,
                Some(known) => *known = op,
                None if is_room => drop(self.known.insert(pair, op)),
                None => {}
            }
            packed.awaited.push(op);
        }
        if packed.awaited.len() > AWAITED_MAX || self.looks > LOOKS_MAX {
            return Err(ReplayError::TooEntangled);
        }
        let waits = packed.awaited.len() > from;
        if waits {
            packed.waits.push((self.op, from as u32));
        }
        Ok(waits)
    }
}
