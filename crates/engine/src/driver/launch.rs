//! Launches driver threads: all get their memory ready; then all start together, or none does.

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use super::{Context, Deathwatch, DriverError, Heartbeat};
use crate::io::Names;

/// Threads need little stack. A thousand of them should not reserve gigabytes of address space.
pub(super) const STACK_BYTES: usize = 256 * 1024;

/// The parameters of every driver thread.
pub(super) struct ThreadContext {
    /// The number of the thread, from 0.
    pub(super) number: usize,
    pub(super) heartbeat: Arc<Heartbeat>,
    /// The context shared by all threads of the load point.
    pub(super) context: Arc<Context>,
    /// The names of the context's files, by index.
    pub(super) names: Arc<Names>,
}

/// The channel on which a driver thread reports whether it is ready.
pub(super) struct Ready {
    told: Sender<Result<(), DriverError>>,
    gate: Arc<Gate>,
}

impl Ready {
    /// Reports whether this thread could create its resources, and waits for the others. If it returns
    /// `None`, the thread must end.
    pub(super) fn wait_for_start<T>(self, made: Result<T, DriverError>) -> Option<T> {
        let (made, told) = match made {
            Ok(made) => (Some(made), Ok(())),
            Err(error) => (None, Err(error)),
        };
        let Ready { told: teller, gate } = self;
        // Fails only if the launch is already cancelled, which the gate reports, too.
        let _ = teller.send(told);
        // The launch waits until all senders are dropped.
        drop(teller);
        made.filter(|_| gate.pass())
    }
}

/// Starts one named thread per closure. Returns their heartbeats when all are ready.
pub(super) fn launch<L>(
    context: &Arc<Context>,
    lives: Vec<(String, L)>,
) -> Result<Vec<Arc<Heartbeat>>, DriverError>
where
    L: FnOnce(ThreadContext, Ready) + Send + 'static,
{
    let paths = context.files.iter().map(|file| file.path.as_path());
    let names = Arc::new(Names::new(context.area.as_ref(), paths));
    let gate = Arc::new(Gate::default());
    let (told, tidings) = mpsc::channel();
    let mut heartbeats = Vec::with_capacity(lives.len());
    let mut outcome = Ok(());
    for (number, (name, life)) in lives.into_iter().enumerate() {
        let heartbeat = Arc::new(Heartbeat::new());
        heartbeats.push(Arc::clone(&heartbeat));
        let (context, names) = (Arc::clone(context), Arc::clone(&names));
        let post = ThreadContext { number, heartbeat, context, names };
        let ready = Ready { told: told.clone(), gate: Arc::clone(&gate) };
        let builder = thread::Builder::new().name(name).stack_size(STACK_BYTES);
        let watched = move || {
            let _watch = Deathwatch(Arc::clone(&post.heartbeat));
            life(post, ready);
        };
        if let Err(source) = builder.spawn(watched) {
            outcome = Err(DriverError::Thread { source });
            break;
        }
    }
    drop(told);
    for tiding in tidings {
        outcome = outcome.and(tiding);
    }
    if outcome.is_ok() {
        context.window.begin_in_time(&context.clock, &context.stop);
    }
    gate.open(outcome.is_ok());
    outcome.map(|()| heartbeats)
}

/// Blocks ready threads until all are ready.
#[derive(Debug, Default)]
struct Gate {
    go: Mutex<Option<bool>>,
    opened: Condvar,
}

impl Gate {
    /// Lets the threads start (`true`) or ends them (`false`).
    fn open(&self, go: bool) {
        let before = self.go.lock().unwrap_or_else(PoisonError::into_inner).replace(go);
        assert_eq!(before, None, "the threads of a load point start once");
        self.opened.notify_all();
    }

    /// Waits for the gate to open. Returns whether to start.
    fn pass(&self) -> bool {
        let mut go = self.go.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match *go {
                Some(go) => return go,
                None => go = self.opened.wait(go).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the threads of a load point start once")]
    fn reporting_ready_twice_is_a_defect() {
        let gate = Gate::default();
        gate.open(true);
        gate.open(false);
    }
}
