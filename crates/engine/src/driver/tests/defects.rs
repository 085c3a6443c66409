//! Breaks each assumption of a driver deliberately; each must be reported as a defect.

use super::*;

#[test]
#[should_panic(expected = "a script has at least one operation in flight")]
fn a_script_that_can_have_nothing_in_flight_is_a_defect() {
    let bench = Bench::new(|_| {});
    let workers = Listed { in_flight: 0, ..Listed::new([]) }.one();
    let _ = start(DriverKind::Threads, workers, vec![Kept(Vec::new())], &bench.context);
}

/// The record of a 100-byte read with this result.
fn recorded(done_len: u32, errno: i32) -> OpRecord {
    let bench = Bench::new(|_| {});
    let read = Op { len: 100, ..op(OpKind::Read) };
    let done = Done { token: 0, due_ns: 0, issued_ns: 5, done_ns: 9, done_len, errno };
    record(&bench.context, 0, &read, 5, &done)
}

#[test]
#[should_panic(expected = "an operation is due, then issued, then done")]
fn an_operation_that_is_done_before_it_is_issued_is_a_defect() {
    let bench = Bench::new(|_| {});
    let done = Done { token: 0, due_ns: 0, issued_ns: 5, done_ns: 4, done_len: 0, errno: 0 };
    record(&bench.context, 0, &op(OpKind::Read), 5, &done);
}

#[test]
fn a_short_read_and_a_failed_one_are_results() {
    assert!(recorded(99, 0).is_short());
    assert_eq!(recorded(0, 5).errno, 5);
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "an operation transfers no more than requested")]
fn more_bytes_than_requested_is_a_defect() {
    recorded(101, 0);
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "an error number is not negative")]
fn a_negative_error_number_is_a_defect() {
    recorded(0, -5);
}
