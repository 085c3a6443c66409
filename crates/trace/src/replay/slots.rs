//! The open files of one user: maps open files of the trace to the driver's handles.
//!
//! Threads that are ahead of the recorded order may need more open files than the application had. They
//! get a limited number. A handle is always reserved for the operation that all others may be waiting
//! for.

/// Marks an open file of the trace that is not open now.
const NONE: u16 = u16::MAX;
/// Limit of files that are opened ahead of the trace's order.
const AHEAD: u32 = 64;

/// The handles of one user.
#[derive(Debug)]
pub(super) struct Slots {
    /// By open file of the trace: its handle.
    held: Vec<u16>,
    free: Vec<u16>,
    in_use: u32,
    open_most: u32,
}

/// The number of handles for a trace with this many opens, of which `open_most` are open at once.
pub(super) fn wanted(opens: usize, open_most: u32) -> u16 {
    let enough = 2 * u64::from(open_most) + u64::from(AHEAD);
    enough.min(opens as u64).min(u64::from(NONE) - 1) as u16
}

impl Slots {
    pub fn new(opens: usize, open_most: u32) -> Slots {
        let free = (0..wanted(opens, open_most)).rev().collect();
        Slots { held: vec![NONE; opens], free, in_use: 0, open_most }
    }

    /// Takes a handle for an open file; `None` if it has to wait. `is_first`: all earlier operations of
    /// the trace are complete, so it must not wait.
    pub fn take(&mut self, opened: u32, is_first: bool) -> Option<u16> {
        if !is_first && self.in_use >= self.open_most + AHEAD {
            return None;
        }
        let slot = self.free.pop()?;
        self.held[opened as usize] = slot;
        self.in_use += 1;
        Some(slot)
    }

    /// The handle of an open file; an invalid one if the file is not open.
    pub fn of(&self, opened: u32) -> u16 {
        self.held.get(opened as usize).copied().unwrap_or(NONE)
    }

    /// Releases a handle that was closed or could not be opened.
    pub fn give_back(&mut self, opened: u32) {
        if let Some(slot) = self.held.get_mut(opened as usize).filter(|slot| **slot != NONE) {
            self.free.push(*slot);
            self.in_use -= 1;
            *slot = NONE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_lane_leaves_slots_for_the_oldest() {
        let opens = 10_000;
        let mut slots = Slots::new(opens, 5);
        assert_eq!(slots.free.len(), 74);
        let ahead = (0..opens as u32).take_while(|&opened| slots.take(opened, false).is_some()).count();
        assert_eq!(ahead, 69);
        // Earlier operations of the trace never need more than five.
        for opened in 9_000..9_005 {
            assert!(slots.take(opened, true).is_some());
        }
        slots.give_back(3);
        slots.give_back(3);
        assert_eq!(slots.of(3), NONE);
        assert_eq!(slots.free.len(), 1);
    }
}
