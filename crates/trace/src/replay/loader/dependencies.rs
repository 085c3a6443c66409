//! The dependencies between single operations, without those implied by the order of lanes.

use std::collections::HashMap;

use crate::replay::error::ReplayError;
use crate::replay::packed::PackedTrace;

/// The most that is kept of what waits for what, in all (4 bytes each).
const AWAITED_MAX: usize = 64 << 20;

/// The most pairs of lanes of which is kept how far one has come after the other (16 bytes each). Without
/// that an operation waits for what its lane has waited for already, which costs room and nothing else.
const PAIRS_MAX: usize = 4 << 20;
/// The most past operations that are looked at, in all: some ten seconds.
const LOOKS_MAX: u64 = 1 << 32;

/// The list of the operation that is being read.
#[derive(Debug, Default)]
pub(super) struct Waits {
    op: u32,
    lane: u16,
    /// Operations of other lanes, each with its lane.
    now: Vec<(u32, u16)>,
    /// By lane and another lane: the last operation there that the first is known to come after.
    known: HashMap<(u16, u16), u32>,
    /// Past operations that were looked at so far.
    looks: u64,
}

impl Waits {
    /// Begins the list of an operation.
    pub fn begin(&mut self, op: u32, lane: u16) {
        self.op = op;
        self.lane = lane;
        self.now.clear();
    }

    /// It waits for this one. Of each lane only the last matters, and what the operation's own lane waited
    /// for before is done.
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

    /// So many past operations are looked at for it.
    pub fn look(&mut self, past: usize) {
        self.looks += past as u64;
    }

    /// Ends the list; whether there is anything on it.
    ///
    /// # Errors
    /// When there is no room for it, or all of them took too long.
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
