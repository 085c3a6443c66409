//! A test environment for actors: virtual time, a store that responds as a test specifies, and a driver
//! that checks the rules of [`crate::script`].
//!
//! The engine has the full simulated driver; this one is small enough to be read together with a test.

use reelgauge_record::OpKind;

use crate::script::{Done, Needs, Op, Script, Step};

/// An operation that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DoneOp {
    pub(crate) op: Op,
    pub(crate) issued_ns: u64,
    pub(crate) done_ns: u64,
    pub(crate) errno: i32,
}

/// The result of an operation in a store: when it is done, and its error number.
pub(crate) type Answer = (u64, i32);

/// A store that takes this long for every operation.
pub(crate) fn takes(ns: u64) -> impl FnMut(&Op, u64) -> Answer {
    move |_, issued_ns| (issued_ns + ns, 0)
}

/// Runs a script for one load point. Finished operations go to `sink` in the order of completion.
pub(crate) fn run<S: Script>(
    script: &mut S,
    (from_ns, until_ns): (u64, u64),
    store: impl FnMut(&Op, u64) -> Answer,
    sink: impl FnMut(&DoneOp),
) {
    let needs = script.needs();
    let stage = TestDriver {
        needs,
        until_ns,
        store,
        sink,
        flying: Vec::new(),
        held: None,
        open: vec![false; usize::from(needs.handles)],
    };
    stage.play(script, from_ns);
    assert_eq!(script.needs(), needs, "needs are constant");
}

/// Like [`run`], with the finished operations as a list.
pub(crate) fn done_ops<S: Script>(
    script: &mut S,
    span_ns: (u64, u64),
    store: impl FnMut(&Op, u64) -> Answer,
) -> Vec<DoneOp> {
    let mut all = Vec::new();
    run(script, span_ns, store, |op| all.push(*op));
    all
}

struct TestDriver<F, K> {
    needs: Needs,
    until_ns: u64,
    store: F,
    sink: K,
    flying: Vec<DoneOp>,
    held: Option<Op>,
    /// Whether each handle is open.
    open: Vec<bool>,
}

impl<F: FnMut(&Op, u64) -> Answer, K: FnMut(&DoneOp)> TestDriver<F, K> {
    fn play<S: Script>(mut self, script: &mut S, from_ns: u64) {
        script.resume(from_ns);
        let mut now_ns = from_ns;
        loop {
            let wake_ns = self.ask(script, now_ns);
            let landing_ns = self.flying.iter().map(|op| op.done_ns).min();
            let due_ns = self.held.map(|op| op.due_ns);
            let begins = [wake_ns, due_ns].into_iter().flatten().filter(|&at_ns| at_ns < self.until_ns);
            let Some(next_ns) = begins.chain(landing_ns).min() else {
                return;
            };
            assert!(next_ns >= now_ns, "time went back");
            now_ns = next_ns;
            if landing_ns == Some(now_ns) {
                self.land(script, now_ns);
            } else if let Some(op) = self.held.take() {
                self.issue(op, now_ns);
            }
        }
    }

    /// Asks for as many operations as may be in flight. Returns the time of a wait.
    fn ask<S: Script>(&mut self, script: &mut S, now_ns: u64) -> Option<u64> {
        while now_ns < self.until_ns && self.held.is_none() {
            if self.flying.len() >= usize::from(self.needs.in_flight) {
                return None;
            }
            match script.next(now_ns) {
                Step::Do(op) if op.due_ns > now_ns => self.held = Some(op),
                Step::Do(op) => self.issue(op, now_ns),
                Step::Wait { until_ns } => {
                    assert!(until_ns > now_ns, "waits for {until_ns} at {now_ns}");
                    return Some(until_ns);
                }
                Step::Blocked => {
                    assert!(!self.flying.is_empty(), "blocked with nothing in flight at {now_ns}");
                    return None;
                }
                Step::Finished => return None,
            }
        }
        None
    }

    fn issue(&mut self, op: Op, now_ns: u64) {
        assert!(op.len <= self.needs.max_len, "{op:?}");
        assert!((op.kind.moves_data() || op.kind == OpKind::Allocate) == (op.len > 0), "{op:?}");
        assert!(self.needs.writes || !matches!(op.kind, OpKind::Write | OpKind::Create), "{op:?}");
        if !op.goes_by_path() {
            let opens = matches!(op.kind, OpKind::Open | OpKind::Create);
            assert_eq!(self.open[usize::from(op.handle)], !opens, "{op:?}");
            let shared = self.flying.iter().any(|other| other.op.handle == op.handle);
            assert!(!shared || op.kind.moves_data(), "{op:?} beside others");
        }
        let (done_ns, errno) = (self.store)(&op, now_ns);
        self.flying.push(DoneOp { op, issued_ns: now_ns, done_ns, errno });
    }

    /// Completes the first operation that is done at this time.
    fn land<S: Script>(&mut self, script: &mut S, now_ns: u64) {
        let Some(at) = self.flying.iter().position(|op| op.done_ns == now_ns) else { return };
        let landed = self.flying.remove(at);
        let DoneOp { op, issued_ns, done_ns, errno } = landed;
        if !op.goes_by_path() {
            let is_open = match op.kind {
                OpKind::Open | OpKind::Create => errno == 0,
                kind => kind != OpKind::Close,
            };
            self.open[usize::from(op.handle)] = is_open;
        }
        (self.sink)(&landed);
        let done_len = if errno == 0 && op.kind.moves_data() { op.len } else { 0 };
        script.done(&Done { token: op.token, due_ns: op.due_ns, issued_ns, done_ns, done_len, errno });
    }
}

/// The deviation of counts from their expected shares: Pearson's chi-square.
pub(crate) fn chi_square(counts: &[u64], shares: &[u32]) -> f64 {
    let all = counts.iter().sum::<u64>() as f64;
    let shares_sum = f64::from(shares.iter().sum::<u32>());
    let terms = counts.iter().zip(shares).map(|(&count, &share)| {
        let expected = all * f64::from(share) / shares_sum;
        (count as f64 - expected).powi(2) / expected
    });
    terms.sum()
}

/// The value that is exceeded by chance once in a thousand tests, by degrees of freedom: 4 to 7.
pub(crate) fn chi_square_max(entries: usize) -> f64 {
    match entries - 1 {
        4 => 18.467,
        5 => 20.515,
        6 => 22.458,
        7 => 24.322,
        freedom => panic!("no limit for {freedom} degrees of freedom"),
    }
}
