//! The drain without its thread: the same work, done by a part of a simulated world.
//!
//! The world decides when a round comes. While a round waits for the log's disk, the world continues and
//! the drain does not, as with a thread. Orders are executed at once, because their sender waits anyway.

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use reelgauge_engine::simulated::world::{Part, VirtualWorld};

use super::{DrainDied, Drained, NAP, Order, Work};
use crate::simulation::world::{drain_ends, drain_nap_ns, drain_obeys};

/// Holds the drain's work. `None` after a panic, or when it is over.
#[derive(Clone)]
pub(super) struct SimulatedDrain(Rc<RefCell<Option<Work>>>);

impl fmt::Debug for SimulatedDrain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Seat")
    }
}

impl SimulatedDrain {
    /// Starts to work in this world.
    pub(super) fn take(world: &'static dyn VirtualWorld, work: Work) -> SimulatedDrain {
        let seat = SimulatedDrain(Rc::new(RefCell::new(Some(work))));
        world.join(Box::new(Rounds { seat: seat.clone(), next_ns: world.now_ns() + NAP.as_nanos() as u64 }));
        seat
    }

    pub(super) fn order(&self, order: Order) -> Result<(), DrainDied> {
        drain_obeys();
        self.work(|work| work.execute(order))
    }

    pub(super) fn finish(self) -> Result<Drained, DrainDied> {
        drain_obeys();
        drain_ends();
        let work = self.0.borrow_mut().take().ok_or(DrainDied)?;
        catch_unwind(AssertUnwindSafe(|| work.end())).map_err(|_| DrainDied)
    }

    /// A panic ends the work, as it ends a thread.
    fn work(&self, work: impl FnOnce(&mut Work)) -> Result<(), DrainDied> {
        let mut seat = self.0.borrow_mut();
        let at_work = seat.as_mut().ok_or(DrainDied)?;
        let result = catch_unwind(AssertUnwindSafe(|| work(at_work)));
        if result.is_err() {
            *seat = None;
        }
        result.map_err(|_| DrainDied)
    }
}

/// The rounds without an order.
struct Rounds {
    seat: SimulatedDrain,
    next_ns: u64,
}

impl Part for Rounds {
    fn next_ns(&self, now_ns: u64) -> Option<u64> {
        let is_over = self.seat.0.try_borrow().is_ok_and(|work| work.is_none());
        (!is_over).then_some(self.next_ns.max(now_ns))
    }

    fn act(&mut self, now_ns: u64) {
        // An order is being executed, which includes a round.
        if self.seat.0.try_borrow_mut().is_ok() {
            // A panic is reported at the next order.
            let _ = self.seat.work(Work::round);
        }
        self.next_ns = now_ns + drain_nap_ns(NAP.as_nanos() as u64);
    }
}
