//! The replay's part of the summary.

use std::io;

use reelgauge_analysis::figures::LatenessFigures;
use reelgauge_analysis::{
    ReplayFacts, ReplayPass, ReplaySilence, ResponseCounts, SilenceScene, WrittenPieces,
};
use reelgauge_record::errno::errno_name;
use reelgauge_report::bad_timing_sentence;
use reelgauge_report::units::{counted, counted_are};
use reelgauge_trace::replay::outcome::SHOWN;
use reelgauge_trace::replay::{Difference, Outcomes, ReplayScript};
use reelgauge_workload::replay::{Pacing, ReplayPlan};

use super::tape::Tape;
use crate::session::PointDone;

/// The results so far.
#[derive(Debug)]
pub(super) struct Findings {
    facts: ReplayFacts,
    copies: u32,
    are_staggered: bool,
}

impl Findings {
    /// The findings before the first pass.
    pub fn new(plan: &ReplayPlan, tape: &Tape) -> Findings {
        let set = &plan.replay;
        let packed = &tape.packed;
        let own_s = packed.span_ns as f64 * set.scale / 1e9;
        let stagger_s = set.stagger().ns() as f64 / 1e9 * f64::from(set.copies - 1);
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
            recorded_span_s: Some(own_s + stagger_s),
            user_span_s: Some(own_s),
            has_no_durations: tape.has_no_durations,
            prepared_files: files.count() as u64 * copies,
            prepared_bytes: tape.before.file_bytes().saturating_mul(copies),
            layout: set.layout.name().to_owned(),
            left_out: tape.left_out.iter().map(|(kind, count)| (kind.words().to_owned(), *count)).collect(),
            not_replayed_ops: tape
                .left_out
                .iter()
                .map(|(kind, count)| (kind.name().to_owned(), *count))
                .collect(),
            remarks: tape.remarks.clone(),
            ..ReplayFacts::default()
        };
        Findings { facts, copies: set.copies, are_staggered: stagger_s > 0.0 }
    }

    /// Adds a pass that is over. `wall_time` converts a time of the run to the wall clock.
    pub fn take(
        &mut self,
        done: &PointDone<ReplayScript>,
        tape: &Tape,
        wall_time: impl Fn(f64) -> Option<String>,
    ) {
        let users: Vec<&Outcomes> = done.workers.iter().map(|worker| worker.script.outcomes()).collect();
        let sum = |of: fn(&Outcomes) -> u64| users.iter().map(|user| of(user)).sum::<u64>();
        let most = |of: fn(&Outcomes) -> u64| users.iter().map(|user| of(user)).max();
        // A user that had not started when the pass was stopped has no time.
        let times =
            || users.iter().filter(|user| user.done_ops > 0).map(|user| (user.begun_ns, user.ended_ns));
        let begun_ns = times().map(|(begun_ns, _)| begun_ns).min().unwrap_or(0);
        let ended_ns = times().map(|(_, ended_ns)| ended_ns).max().unwrap_or(0);
        let span_s = ended_ns.saturating_sub(begun_ns) as f64 / 1e9;
        let bytes = done.total.read_bytes + done.total.written_bytes;
        let lateness = lateness_of(&users);
        let done_ops = sum(|user| user.done_ops);
        let complete = done.complete && done_ops == self.facts.ops * u64::from(self.copies);
        let keeps_time = self.facts.user_span_to_keep_s().filter(|_| complete);
        let delays_s = |own_s: f64| users.iter().map(move |user| length_s(user) - own_s).reduce(f64::max);
        let work = Work::of(times());
        let differences = users.iter().flat_map(|user| &user.first).take(SHOWN);
        self.facts.passes.push(ReplayPass {
            point: done.part.point,
            complete,
            span_s,
            bytes,
            worked_s: Some(work.s),
            bytes_per_s: (work.s > 0.0).then(|| bytes as f64 / work.s),
            delay_s: keeps_time.and_then(delays_s),
            behind_max_us: most(|user| user.behind_most_ns).map(|ns| ns as f64 / 1e3),
            lateness_p50_us: lateness.map(|lateness| lateness.p50_us),
            lateness_p99_us: lateness.map(|lateness| lateness.p99_us),
            lateness_max_us: lateness.map(|lateness| lateness.max_us),
            done_ops,
            held_up_ops: sum(|user| user.held_up_ops),
            held_up_max_us: most(|user| user.held_up_most_ns).unwrap_or(0) as f64 / 1e3,
            begun_late_ops: sum(|user| user.begun_late_ops),
            limit_late_ops: sum(|user| user.limit_late_ops),
            storage_late_ops: Some(sum(|user| user.storage_late_ops)),
            silences: self.silences(done, &users, wall_time),
            different_ops: sum(|user| user.different_ops),
            differences: differences.map(|difference| in_words(difference, tape)).collect(),
        });
        self.remark(&users, done);
        if complete {
            self.remark_on_work(work);
        }
    }

    /// Periods in which the storage did not respond and made operations late.
    fn silences(
        &self,
        done: &PointDone<ReplayScript>,
        users: &[&Outcomes],
        wall_time: impl Fn(f64) -> Option<String>,
    ) -> Vec<ReplaySilence> {
        let are_all_back = users.len() == self.copies as usize;
        let long_answers: Vec<(u64, u64)> =
            users.iter().flat_map(|user| user.long_answers.iter().copied()).collect();
        let begun_ns = users.iter().map(|user| user.begun_ns).min().unwrap_or(done.part.started_ns);
        let expected_end = |expected_s: f64| begun_ns.saturating_add((expected_s * 1e9) as u64);
        let scene = SilenceScene {
            point_started_ns: done.part.started_ns,
            long_answers: are_all_back.then_some(&long_answers),
            median_answer_us: done.total.service.data.as_ref().map(|service| service.p50_us),
            expected_end_ns: self.facts.expected_span_s.map(expected_end),
        };
        let mut silences = scene.incidents(&done.judged.silences);
        silences.iter_mut().for_each(|silence| silence.began_at = wall_time(silence.began_s));
        silences
    }

    /// Records the extent count of each file.
    pub fn take_pieces(&mut self, pieces: Vec<WrittenPieces>) {
        self.facts.written_pieces.extend(pieces);
    }

    /// Adds notes that are known only after a pass.
    fn remark(&mut self, users: &[&Outcomes], done: &PointDone<ReplayScript>) {
        let extra: u64 = users.iter().map(|user| user.extra_closes).sum();
        if extra > 0 {
            self.say(format!(
                "{} opened although the open failed in the recording, and closed again at once.",
                counted_are(extra, "file", "was", "were")
            ));
        }
        let displaced: u64 = users.iter().map(|user| user.displaced_ops).sum();
        if displaced > 0 {
            self.say(format!(
                "In {}, another process had replaced a file with a symbolic or hard link. Reelgauge follows \
                 no symbolic links and does not write to hard links. Find out which process changes files \
                 there, then replay again.",
                counted(displaced, "operation")
            ));
        }
        let fewer = done.workers.iter().find_map(|worker| worker.script.fewer_in_flight());
        if let Some(most) = fewer {
            self.say(format!(
                "At most {} per user {} in flight at once, because more would need too much memory or too \
                 many threads.",
                counted(u64::from(most), "operation"),
                if most == 1 { "was" } else { "were" }
            ));
        }
    }

    /// Adds a remark if several users were requested but were not at work at the same time.
    fn remark_on_work(&mut self, work: Work) {
        if work.users_at_once < self.copies {
            let then = match self.are_staggered {
                true => "Start them together with --stagger 0s, or replay a longer trace.",
                false => "Replay a longer trace.",
            };
            self.say(format!(
                "At most {} of {} were active at the same time; the others had ended or had not started. \
                 {then}",
                work.users_at_once,
                counted(self.copies.into(), "user")
            ));
        }
    }

    fn say(&mut self, remark: String) {
        if !self.facts.remarks.contains(&remark) {
            self.facts.remarks.push(remark);
        }
    }

    /// The facts after the last pass.
    pub fn finish(mut self) -> ReplayFacts {
        self.facts.conclude(bad_timing_sentence);
        self.facts
    }
}

/// How long a user took.
fn length_s(user: &Outcomes) -> f64 {
    user.ended_ns.saturating_sub(user.begun_ns) as f64 / 1e9
}

/// The periods in which users of a pass were at work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Work {
    /// Total time in which at least one user was at work.
    s: f64,
    /// The largest number of users at work at the same time.
    users_at_once: u32,
}

impl Work {
    /// Computes it from each user's start and end.
    fn of(users: impl Iterator<Item = (u64, u64)>) -> Work {
        // If a user ends when another begins, they do not overlap.
        let mut changes: Vec<(u64, i32)> = users
            .filter(|(begun_ns, ended_ns)| ended_ns > begun_ns)
            .flat_map(|(begun_ns, ended_ns)| [(begun_ns, 1), (ended_ns, -1)])
            .collect();
        changes.sort_unstable();
        let (mut at_work, mut since_ns, mut worked_ns, mut most) = (0, 0, 0, 0);
        for (at_ns, change) in changes {
            if at_work == 0 {
                since_ns = at_ns;
            }
            at_work += change;
            most = most.max(at_work);
            if at_work == 0 {
                worked_ns += at_ns - since_ns;
            }
        }
        Work { s: worked_ns as f64 / 1e9, users_at_once: most.unsigned_abs() }
    }
}

/// Reelgauge's lateness over all users; `None` if no user finished.
pub(super) fn lateness_of(users: &[&Outcomes]) -> Option<LatenessFigures> {
    let mut counts = ResponseCounts::default();
    let delays = users.iter().flat_map(|user| user.own_lateness.counts());
    delays.for_each(|(delay_ns, count)| counts.add(delay_ns, count));
    let most_ns = users.iter().map(|user| user.own_lateness.most_ns()).max()?;
    let quantile_us = |quantile| Some(counts.quantile_ns(quantile)?.min(most_ns) as f64 / 1e3);
    let (p50_us, p99_us) = (quantile_us(0.5)?, quantile_us(0.99)?);
    Some(LatenessFigures { p50_us, p99_us, max_us: most_ns as f64 / 1e3 })
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
        "operation {op}, {} of {name}{place}: result {}, recorded result {}",
        kind.name(),
        result(now.errno, now.done_len),
        result(recorded.errno, recorded.done_len)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn work(users: &[(u64, u64)]) -> (f64, u32) {
        let work = Work::of(users.iter().map(|(from_s, until_s)| (from_s * S, until_s * S)));
        (work.s, work.users_at_once)
    }

    #[test]
    fn the_pause_before_the_next_user_is_no_work() {
        assert_eq!(work(&[]), (0.0, 0));
        assert_eq!(work(&[(3, 5)]), (2.0, 1));
        // A stagger of 10 s between users of 2 s each.
        assert_eq!(work(&[(0, 2), (10, 12), (20, 22)]), (6.0, 1));
        assert_eq!(work(&[(10, 12), (0, 11), (11, 13)]), (13.0, 2));
        assert_eq!(work(&[(0, 2), (2, 4)]), (4.0, 1), "one after the other");
        assert_eq!(work(&[(0, 9), (1, 2), (3, 4)]), (9.0, 2));
        assert_eq!(work(&[(5, 5), (0, 3)]), (3.0, 1), "a user without an operation");
    }
}
