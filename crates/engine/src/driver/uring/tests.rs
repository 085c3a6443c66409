//! Breaks each assumption of a ring's thread deliberately. The defect must be reported.

use reelgauge_record::OpRecord;

use super::slots::tests::{context, two_workers};
use super::*;

struct NoSink;

impl Sink for NoSink {
    fn record(&mut self, _op: &OpRecord) {}
}

#[test]
#[should_panic(expected = "a completed operation was in flight")]
fn a_completion_while_nothing_is_in_flight_is_a_defect() {
    let names = Arc::new(Names::new(None, std::iter::empty()));
    let post = ThreadContext { number: 0, heartbeat: Arc::default(), context: Arc::new(context()), names };
    let taken = Taken {
        rung: 0,
        registered_buffers: false,
        registered_files: false,
        registered_ring: false,
        kernel_threads: None,
    };
    RingThread::new(&post, two_workers(false), taken, NoSink).landed();
}
