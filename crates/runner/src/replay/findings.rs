//! What the summary says of a replay.

use std::io;

use reelgauge_analysis::{ReplayFacts, ReplayPass, WrittenPieces};
use reelgauge_record::errno::errno_name;
use reelgauge_report::bad_timing_sentence;
use reelgauge_report::units::{counted, counted_are};
use reelgauge_trace::replay::outcome::SHOWN;
use reelgauge_trace::replay::{Difference, Outcomes, ReplayScript};
use reelgauge_workload::replay::{Pacing, ReplayPlan};

use super::tape::Tape;
use crate::session::PointDone;

/// What was found so far.
#[derive(Debug)]
pub(super) struct Findings {
    facts: ReplayFacts,
    copies: u32,
}

impl Findings {
    /// Before the first pass.
    pub fn new(plan: &ReplayPlan, tape: &Tape) -> Findings {
        let set = &plan.replay;
        let packed = &tape.packed;
        let own_s = packed.span_ns as f64 * set.scale / 1e9;
        let stagger_s = set.stagger.ns() as f64 / 1e9 * f64::from(set.copies - 1);
        let files = tape
            .before
            .entries
            .iter()
            .filter(|entry| matches!(entry.what, reelgauge_trace::prestate::Prepare::File { .. }));
        let copies = u64::from(set.copies);
        let facts = ReplayFacts {
            trace: tape.name.clone(),
            trace_path: set.trace.display().to_string(),
            made_by: tape.made_by.clone(),
            synthetic: tape.synthetic,
            ops: packed.ops.len() as u64,
            threads: packed.lanes() as u32,
            copies: set.copies,
            pace: set.pace.to_string(),
            order: set.order.name().to_owned(),
            expected_span_s: (set.pace == Pacing::Recorded).then_some(own_s + stagger_s),
            prepared_files: files.count() as u64 * copies,
            prepared_bytes: tape.before.file_bytes().saturating_mul(copies),
            layout: set.layout.name().to_owned(),
            left_out: tape.left_out.iter().map(|(why, count)| ((*why).to_owned(), *count)).collect(),
            remarks: tape.remarks.clone(),
            ..ReplayFacts::default()
        };
        Findings { facts, copies: set.copies }
    }

    /// A pass is over.
    pub fn take(&mut self, done: &PointDone<ReplayScript>, tape: &Tape) {
        let users: Vec<&Outcomes> = done.workers.iter().map(|worker| worker.script.outcomes()).collect();
        let sum = |of: fn(&Outcomes) -> u64| users.iter().map(|user| of(user)).sum::<u64>();
        let begun_ns = users.iter().map(|user| user.begun_ns).min().unwrap_or(0);
        let ended_ns = users.iter().map(|user| user.ended_ns).max().unwrap_or(0);
        let span_s = ended_ns.saturating_sub(begun_ns) as f64 / 1e9;
        let bytes = done.total.read_bytes + done.total.written_bytes;
        let lateness = done.total.lateness;
        let done_ops = sum(|user| user.done_ops);
        let differences = users.iter().flat_map(|user| &user.first).take(SHOWN);
        self.facts.passes.push(ReplayPass {
            point: done.part.point,
            complete: done.complete && done_ops == self.facts.ops * u64::from(self.copies),
            span_s,
            bytes,
            bytes_per_s: (span_s > 0.0).then(|| bytes as f64 / span_s),
            lateness_p50_us: lateness.map(|lateness| lateness.p50_us),
            lateness_p99_us: lateness.map(|lateness| lateness.p99_us),
            lateness_max_us: lateness.map(|lateness| lateness.max_us),
            done_ops,
            held_up_ops: sum(|user| user.held_up_ops),
            held_up_max_us: users.iter().map(|user| user.held_up_most_ns).max().unwrap_or(0) as f64 / 1e3,
            begun_late_ops: sum(|user| user.begun_late_ops),
            different_ops: sum(|user| user.different_ops),
            differences: differences.map(|difference| in_words(difference, tape)).collect(),
        });
        self.remark(&users, done);
    }

    /// What it wrote lies in so many pieces.
    pub fn take_pieces(&mut self, pieces: Vec<WrittenPieces>) {
        self.facts.written_pieces.extend(pieces);
    }

    /// What only a pass shows.
    fn remark(&mut self, users: &[&Outcomes], done: &PointDone<ReplayScript>) {
        let extra: u64 = users.iter().map(|user| user.extra_closes).sum();
        if extra > 0 {
            self.say(format!(
                "{} to be refused and opened all the same, and closed again at once.",
                counted_are(extra, "file", "was", "were")
            ));
        }
        let displaced: u64 = users.iter().map(|user| user.displaced_ops).sum();
        if displaced > 0 {
            self.say(format!(
                "In {} something else had put a link in the place of a file. No link is \
                 followed, and a file with a second name is not written in: find out what changes files there, \
                 then replay again.",
                counted(displaced, "operation")
            ));
        }
        let fewer = done.workers.iter().find_map(|worker| worker.script.fewer_in_flight());
        if let Some(most) = fewer {
            self.say(format!(
                "At most {} of a user {} in flight at once, because more would need too much memory or too many \
                 threads.",
                counted(u64::from(most), "operation"),
                if most == 1 { "was" } else { "were" }
            ));
        }
    }

    fn say(&mut self, remark: String) {
        if !self.facts.remarks.contains(&remark) {
            self.facts.remarks.push(remark);
        }
    }

    /// After the last pass.
    pub fn finish(mut self) -> ReplayFacts {
        self.facts.conclude(bad_timing_sentence);
        self.facts
    }
}

/// `operation 17, read of in.ts at 4096: 100 of 4096 bytes; recorded: 4096`.
fn in_words(difference: &Difference, tape: &Tape) -> String {
    let Difference { op, kind, file, offset, len, recorded, now } = difference;
    let name = tape.files.get(*file as usize).map_or("a file", |entry| entry.path.as_str());
    let place = if kind.moves_data() { format!(" at {offset}") } else { String::new() };
    let result = |errno_: i32, done_len: u32| match errno_ {
        0 if kind.moves_data() => format!("{done_len} of {len} bytes"),
        0 => "done".to_owned(),
        number => match errno_name(number) {
            Some(name) => format!("{name} ({})", io::Error::from_raw_os_error(number)),
            None => io::Error::from_raw_os_error(number).to_string(),
        },
    };
    format!(
        "operation {op}, {} of {name}{place}: {}; recorded: {}",
        kind.name(),
        result(now.errno, now.done_len),
        result(recorded.errno, recorded.done_len)
    )
}
