//! The screen of a replay: its duration compared with the recording, whether all operations had the
//! recorded result, the accuracy of the timing, and every pass of a batch.

mod bad_timing;

use std::collections::BTreeMap;

use reelgauge_analysis::figures::{CARRY_P99, Figures};
use reelgauge_analysis::statement::{Number, of};
use reelgauge_analysis::{
    DELAY_MAX_PERCENT, ReplayFacts, ReplayPass, ReplaySilence, ReplayTiming, Summary, WrittenPieces,
};

use crate::answer_parts::{nothing, outcome, place};
use crate::document::{Block, Section, Tile};
use crate::ending::end;
use crate::page::ScreenText;
use crate::screen_options::Screen;
use crate::sentence::Tone;
use crate::table::Table;
use crate::tables::{not_measured, numbers};
use crate::text::{plain, plain_short};
use crate::units::{amount, count, counted, duration, mb_per_s, moment, number};

pub use bad_timing::bad_timing_sentence;

/// At most this many remarks of a trace are shown; all are in summary.json.
const REMARKS_MAX: usize = 5;
/// At most this many differences are shown.
const DIFFERENCES_MAX: usize = 5;
const SYNTHETIC: &str = "The trace is synthetic: it is made from published statistics, not recorded.";
const ALL_AS_RECORDED: &str = "Every operation had its recorded result.";
/// At most this many silences of the storage are shown.
const SILENCES_MAX: usize = 3;

/// The first lines of the screen: the result.
pub(crate) fn answer(summary: &Summary, facts: &ReplayFacts) -> Vec<(Tone, String)> {
    let mut sentences = Vec::new();
    sentences.extend(outcome(summary).map(|outcome| (Tone::Bad, outcome)));
    sentences.push(match of(summary).number {
        Number::Replay { pass, complete_passes } => {
            (Tone::Answer, replayed(summary, facts, &facts.passes[pass], complete_passes))
        }
        _ => (Tone::Bad, nothing(summary)),
    });
    if facts.synthetic {
        sentences.push((Tone::Plain, SYNTHETIC.to_owned()));
    }
    differences(facts, &mut sentences);
    sentences.extend(silences(facts).into_iter().map(|text| (Tone::Bad, text)));
    sentences.extend(timing(facts).map(|text| (Tone::Plain, text)));
    sentences.extend(pieces(facts).into_iter().map(|text| (Tone::Plain, text)));
    sentences
}

/// Writes the screen after the result.
pub(crate) fn screen(summary: &Summary, facts: &ReplayFacts, show: &Screen, page: &mut ScreenText) {
    if facts.passes.len() > 1 {
        page.gap();
        page.table(table(summary, facts, false));
    }
    page.detail(|page| remarks(facts, page));
    end(summary, show, page);
}

fn remarks(facts: &ReplayFacts, page: &mut ScreenText) {
    page.gap();
    page.item("Trace", &trace(facts));
    for (why, operations) in &facts.left_out {
        page.item("Omitted", &format!("{}: {}", counted(*operations, "operation"), plain(why)));
    }
    for remark in facts.remarks.iter().take(REMARKS_MAX) {
        page.item("Note", &plain(remark));
    }
    if facts.remarks.len() > REMARKS_MAX {
        page.item("Note", &format!("summary.json has {} more.", facts.remarks.len() - REMARKS_MAX));
    }
}

/// The section of the page about a replay.
pub(crate) fn section(summary: &Summary, facts: &ReplayFacts) -> Section {
    let synthetic = if facts.synthetic { format!(" {SYNTHETIC}") } else { String::new() };
    let mut section = Section::of_page("replay", "Replay", trace(facts) + &synthetic);
    let recorded = facts.expected_span_s.map_or_else(not_measured, |span_s| duration(span_s * 1e6));
    let median = facts.median_bytes_per_s.map(|rate| format!("{} MB/s", mb_per_s(rate)));
    section.blocks.push(Block::Tiles(vec![
        Tile::new("Recorded time of a pass", recorded).at("replay.expected_span_s"),
        Tile::new("Median of all passes", median.unwrap_or_else(not_measured))
            .at("replay.median_bytes_per_s"),
        Tile::new("Concurrent users", count(u64::from(facts.copies))).at("replay.copies"),
    ]));
    facts.bad_timing.iter().for_each(|text| section.say(Tone::Bad, plain(text)));
    for silence in facts.passes.iter().flat_map(|pass| &pass.silences) {
        section.say(Tone::Bad, silence_words(silence));
    }
    section.blocks.push(Block::Table(table(summary, facts, true)));
    let differences = || {
        facts
            .passes
            .iter()
            .zip(1_u64..)
            .flat_map(|(pass, at)| pass.differences.iter().map(move |text| (at, text)))
    };
    if differences().next().is_none() {
        section.say(Tone::Plain, ALL_AS_RECORDED);
    } else {
        let mut table = Table::new("First operations whose result differs from the recording");
        table.column("", "pass", differences().map(|(at, _)| count(at)).collect());
        table.words("what", differences().map(|(_, text)| plain(text)).collect());
        section.blocks.push(Block::Table(table));
    }
    if !facts.left_out.is_empty() {
        let mut table = Table::new("Recorded operations that were not replayed");
        table.words("why", facts.left_out.keys().map(|why| plain(why)).collect());
        table.column(
            "",
            "operations",
            facts.left_out.values().map(|operations| count(*operations)).collect(),
        );
        section.blocks.push(Block::Table(table));
    }
    facts.remarks.iter().for_each(|remark| section.say(Tone::Plain, plain(remark)));
    section
}

/// `Replayed edit in 12.3 s (recorded: 12.2 s) on /mnt/nas (NFS 4.2 from nas1): 812 operations, 85
/// MB/s.` At the recorded pace the rate is that of the recording, so the delay is shown instead.
fn replayed(summary: &Summary, facts: &ReplayFacts, last: &ReplayPass, complete_passes: u64) -> String {
    let users = match facts.copies {
        1 => String::new(),
        copies => format!(" by {}", counted(u64::from(copies), "user")),
    };
    let name = plain_short(&facts.trace, 60);
    let place = place(&summary.target);
    if facts.passes.len() > 1 {
        let median = || facts.median_bytes_per_s.map_or_else(|| "unknown".to_owned(), mb_per_s);
        let found = match facts.delay_s().and_then(|delay_s| delay_words(delay_s, facts)) {
            Some(delay) => format!("slowest pass {delay}"),
            None => format!("median {} MB/s", median()),
        };
        let passes = counted(complete_passes, "pass");
        return format!("Replayed {name}{users} in {passes} on {place}: {found}.");
    }
    let recorded_s = facts.recorded_span_s.or(facts.expected_span_s);
    let recorded = recorded_s.map(|span_s| format!(" (recorded: {})", duration(span_s * 1e6)));
    let rate = last.bytes_per_s.filter(|_| last.bytes > 0).map(|rate| format!("{} MB/s", mb_per_s(rate)));
    let figure = last.delay_s.and_then(|delay_s| delay_words(delay_s, facts)).or(rate);
    let figure = figure.map_or_else(String::new, |figure| format!(", {figure}"));
    let all_ops = facts.ops.saturating_mul(u64::from(facts.copies));
    if !last.complete {
        let part = match last.done_ops == all_ops {
            true => "completely, but the run stopped before the pass ended,",
            false => "partly",
        };
        return format!(
            "Replayed {name}{users} {part} on {place}: {} of {} in {}{figure}.",
            count(last.done_ops),
            counted(all_ops, "operation"),
            duration(last.span_s * 1e6),
        );
    }
    let other = match last.different_ops {
        0 => String::new(),
        all if all == last.done_ops => "; none of them had its recorded result".to_owned(),
        some => format!("; the result of {} of them differs from the recording", count(some)),
    };
    format!(
        "Replayed {name}{users} in {}{} on {place}: {}{figure}{other}.",
        duration(last.span_s * 1e6),
        recorded.unwrap_or_default(),
        counted(last.done_ops, "operation"),
    )
}

/// `3.01 s later than recorded (1.25 times as long)`; `None` for a recording without a length.
fn delay_words(delay_s: f64, facts: &ReplayFacts) -> Option<String> {
    let recorded_s = facts.user_span_to_keep_s().filter(|span_s| *span_s > 0.0)?;
    if is_as_recorded(delay_s, recorded_s) {
        return Some("as fast as recorded".to_owned());
    }
    let user = if facts.copies > 1 { "the slowest user " } else { "" };
    let when = if delay_s > 0.0 { "later" } else { "sooner" };
    Some(format!(
        "{user}{} {when} than recorded ({} times as long)",
        duration(delay_s.abs() * 1e6),
        number((recorded_s + delay_s) / recorded_s)
    ))
}

/// Whether the difference from the recorded time is too small to mention.
fn is_as_recorded(delay_s: f64, recorded_s: f64) -> bool {
    delay_s.abs() <= recorded_s * DELAY_MAX_PERCENT / 100.0
}

/// Why the duration matched that of the recording, or not.
pub(crate) fn cause(facts: &ReplayFacts) -> String {
    let silences = facts.passes.iter().flat_map(|pass| &pass.silences);
    let longest = silences.max_by(|one, two| one.length_s.total_cmp(&two.length_s));
    let late_ops: u64 = facts.passes.iter().filter_map(|pass| pass.storage_late_ops).sum();
    match (facts.timing(), longest) {
        (ReplayTiming::ToolLate, _) => {
            facts.bad_timing.clone().unwrap_or_else(|| "Reelgauge itself began operations late.".to_owned())
        }
        (_, Some(silence)) => silence_words(silence),
        (ReplayTiming::StorageLate, None) if late_ops > 0 => format!(
            "The storage was slower than the recording needed: {} began late because earlier ones were not \
             complete.",
            counted(late_ops, "operation")
        ),
        (ReplayTiming::LimitLate, None) => {
            "--max-rate was lower than the recording needed, so this shows nothing about the storage."
                .to_owned()
        }
        (ReplayTiming::StorageLate, None) => "The storage was slower than the recording needed.".to_owned(),
        (ReplayTiming::AsRecorded, None) => match (facts.delay_s(), facts.user_span_to_keep_s()) {
            (Some(delay_s), Some(recorded_s)) if !is_as_recorded(delay_s, recorded_s) && delay_s > 0.0 => {
                "Not determined: the last operation alone may account for the delay.".to_owned()
            }
            _ => "None: the storage kept the recorded pace.".to_owned(),
        },
        (ReplayTiming::Unknown, None) => "Unknown: no pass was complete.".to_owned(),
        (ReplayTiming::Free, None) => "Not determined: with this pace, times are not compared with the \
            recording."
            .to_owned(),
    }
}

/// When the storage was silent, and the number of operations that this delayed.
fn silences(facts: &ReplayFacts) -> Vec<String> {
    let all: Vec<&ReplaySilence> = facts.passes.iter().flat_map(|pass| &pass.silences).collect();
    let mut said: Vec<String> = all.iter().take(SILENCES_MAX).map(|silence| silence_words(silence)).collect();
    if all.len() > SILENCES_MAX {
        let more = counted((all.len() - SILENCES_MAX) as u64, "more time");
        said.push(format!("summary.json lists {more} when the storage did not respond."));
    }
    said
}

/// `The storage did not respond for 3.01 s, starting at 2.0 s; 57 operations waited for it.`
pub(crate) fn silence_words(silence: &ReplaySilence) -> String {
    let delayed = silence.delayed_ops.filter(|ops| *ops > 0);
    let delayed = delayed.map(|ops| format!("; {} waited for it", counted(ops, "operation")));
    format!(
        "The storage did not respond for {}, starting at {}{}.",
        duration(silence.length_s * 1e6),
        moment(silence.began_s),
        delayed.unwrap_or_default()
    )
}

/// Whether all operations had the recorded result.
fn differences(facts: &ReplayFacts, sentences: &mut Vec<(Tone, String)>) {
    let different: u64 = facts.passes.iter().map(|pass| pass.different_ops).sum();
    let done: u64 = facts.passes.iter().map(|pass| pass.done_ops).sum();
    if different == 0 {
        let text = match facts.passes.iter().all(|pass| pass.complete) {
            true => ALL_AS_RECORDED,
            false => "Every completed operation had its recorded result.",
        };
        if done > 0 {
            sentences.push((Tone::Plain, text.to_owned()));
        }
        return;
    }
    let text = format!(
        "{} of {} had a result that differs from the recording. The first:",
        count(different),
        counted(done, "operation")
    );
    sentences.push((Tone::Bad, text));
    let shown = facts.passes.iter().flat_map(|pass| &pass.differences).take(DIFFERENCES_MAX);
    sentences.extend(shown.map(|difference| (Tone::Plain, format!("  {}", plain(difference)))));
}

/// The number of extents of the written files, in the worst pass.
fn pieces(facts: &ReplayFacts) -> Vec<String> {
    let mut worst: BTreeMap<&str, &WrittenPieces> = BTreeMap::new();
    for found in &facts.written_pieces {
        let known = worst.entry(&found.file).or_insert(found);
        if found.pieces > known.pieces {
            *known = found;
        }
    }
    let said = |found: &&WrittenPieces| {
        format!(
            "After the replay, {} consists of {} ({} each on average).",
            plain_short(&found.file, 60),
            counted(found.pieces, "extent"),
            amount(found.piece_bytes)
        )
    };
    worst.values().map(said).collect()
}

/// The number of operations that could not begin when due, and the delay added by Reelgauge, each
/// from its worst pass.
fn timing(facts: &ReplayFacts) -> Option<String> {
    let held_up = facts.passes.iter().max_by_key(|pass| pass.held_up_ops).and_then(held_up);
    let own = own_lateness(facts, held_up.is_some());
    match (held_up, own) {
        (Some(held_up), Some(own)) => Some(format!("{held_up} {own}")),
        (None, Some(own)) => Some(own),
        (held_up, None) => held_up,
    }
}

fn held_up(pass: &ReplayPass) -> Option<String> {
    (pass.held_up_ops > 0).then(|| {
        format!(
            "{} of {} began late because an earlier one was not complete (by up to {}).",
            count(pass.held_up_ops),
            counted(pass.done_ops, "operation"),
            duration(pass.held_up_max_us),
        )
    })
}

fn own_lateness(facts: &ReplayFacts, were_held_up: bool) -> Option<String> {
    let latest = |pass: &&ReplayPass| pass.lateness_p99_us.or(pass.lateness_max_us).unwrap_or(0.0);
    let worst = facts.passes.iter().max_by(|a, b| latest(a).total_cmp(&latest(b)))?;
    let (p50, max) = (duration(worst.lateness_p50_us?), duration(worst.lateness_max_us?));
    let within = match worst.lateness_p99_us.filter(|_| worst.done_ops >= CARRY_P99) {
        Some(p99_us) => format!("p99 {}, all within {max}", duration(p99_us)),
        None => format!("all within {max}"),
    };
    Some(match were_held_up {
        true => format!("Half of the operations began within {p50} of when they could begin, {within}."),
        false => format!("Half of the operations began within {p50} of their due time, {within}."),
    })
}

/// A row for each pass. A page has space for more columns than a terminal.
fn table(summary: &Summary, facts: &ReplayFacts, is_page: bool) -> Table {
    let rows = &facts.passes;
    let point = |pass: &ReplayPass| summary.load_points.iter().find(|point| point.index == pass.point);
    // Over the same time as the total throughput.
    let rate = |pass: &ReplayPass, (bytes, of_point): (u64, Option<f64>)| match pass.worked_s {
        Some(worked_s) => (worked_s > 0.0 && of_point.is_some()).then(|| bytes as f64 / worked_s),
        None => of_point,
    };
    let rates = |of: &dyn Fn(&Figures) -> (u64, Option<f64>)| {
        let value = |pass: &ReplayPass| Some(rate(pass, of(&point(pass)?.total))? / 1e6);
        numbers(&rows.iter().map(value).collect::<Vec<_>>())
    };
    let values = |of: fn(&ReplayPass) -> Option<f64>| numbers(&rows.iter().map(of).collect::<Vec<_>>());
    let counts = |of: fn(&ReplayPass) -> u64| rows.iter().map(|pass| count(of(pass))).collect();
    let mut table = Table::new("Passes");
    table.rows = (0..rows.len()).map(|at| format!("replay.passes.{at}")).collect();
    table.bad_rows = (0..rows.len()).filter(|at| !rows[*at].complete).collect();
    table.column("", "pass", (1..=rows.len()).map(|number| number.to_string()).collect());
    table.column("took", "s", values(|pass| Some(pass.span_s))).at("span_s");
    if rows.iter().any(|pass| pass.delay_s.is_some()) {
        table.column("behind", "s", values(|pass| pass.delay_s)).at("delay_s");
    }
    table.column("moved", "MB/s", values(|pass| pass.bytes_per_s.map(|rate| rate / 1e6))).at("bytes_per_s");
    table.column("read", "MB/s", rates(&|total| (total.read_bytes, total.read_bytes_per_s)));
    table.column("written", "MB/s", rates(&|total| (total.written_bytes, total.written_bytes_per_s)));
    if is_page {
        table
            .column("late p50", "ms", values(|pass| pass.lateness_p50_us.map(|us| us / 1e3)))
            .at("lateness_p50_us");
    }
    table.column("late p99", "ms", values(late_p99_ms)).at("lateness_p99_us");
    if is_page {
        table
            .column("late max", "ms", values(|pass| pass.lateness_max_us.map(|us| us / 1e3)))
            .at("lateness_max_us");
        table.column("", "done", counts(|pass| pass.done_ops)).at("done_ops");
        table.column("", "held up", counts(|pass| pass.held_up_ops)).at("held_up_ops");
        table
            .column("longest wait", "ms", values(|pass| Some(pass.held_up_max_us / 1e3)))
            .at("held_up_max_us");
        table.column("", "begun late", counts(|pass| pass.begun_late_ops)).at("begun_late_ops");
    }
    table.column("", "different", counts(|pass| pass.different_ops)).at("different_ops");
    let complete = |pass: &ReplayPass| if pass.complete { "yes" } else { "NO" }.to_owned();
    table.column("", "complete", rows.iter().map(complete).collect());
    table
}

fn late_p99_ms(pass: &ReplayPass) -> Option<f64> {
    pass.lateness_p99_us.filter(|_| pass.done_ops >= CARRY_P99).map(|us| us / 1e3)
}

fn trace(facts: &ReplayFacts) -> String {
    let made_by = match facts.made_by.as_str() {
        "" => String::new(),
        made_by => format!(" (by {})", plain_short(made_by, 40)),
    };
    format!(
        "{}{made_by}: {} of {}; pace: {}, order: {}; {} of {} MB prepared.",
        plain(&facts.trace_path),
        counted(facts.ops, "operation"),
        counted(u64::from(facts.threads), "thread"),
        facts.pace,
        facts.order,
        counted(facts.prepared_files, "file"),
        number(facts.prepared_bytes as f64 / 1e6),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::summary::Target;

    use super::*;
    use crate::screen::screen;

    #[test]
    fn extents_of_the_worst_pass_are_shown() {
        let mut printed = Vec::<String>::new();
        let found = |point, pieces| WrittenPieces {
            point,
            file: "hint-stream.bin".to_owned(),
            size_bytes: 64 << 20,
            pieces,
            piece_bytes: (64 << 20) / pieces,
        };
        let written_pieces = vec![found(0, 512), found(1, 3)];
        let facts = ReplayFacts { written_pieces, ..ReplayFacts::default() };
        printed.extend(pieces(&facts).iter().map(|text| text.to_string()));
        assert!(pieces(&ReplayFacts::default()).is_empty());
        insta::assert_snapshot!(printed.join("\n"));
    }

    fn shown(passes: Vec<ReplayPass>, expected_span_s: Option<f64>) -> String {
        let target = Target { path: "/mnt/nas".to_owned(), ..Target::default() };
        let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "replay", target);
        let mut facts = ReplayFacts {
            trace: "edit".to_owned(),
            pace: "recorded".to_owned(),
            copies: 1,
            synthetic: true,
            expected_span_s,
            passes,
            ..ReplayFacts::default()
        };
        facts.left_out.insert("a lock".to_owned(), 3);
        facts.remarks = (1..=7).map(|number| format!("Remark {number}.")).collect();
        facts.conclude(bad_timing_sentence);
        summary.replay = Some(facts);
        screen(&summary, &Screen::default())
    }

    fn pass() -> ReplayPass {
        ReplayPass {
            complete: true,
            span_s: 12.0,
            bytes: 1_200_000_000,
            bytes_per_s: Some(1e8),
            lateness_p50_us: Some(1.0),
            lateness_p99_us: Some(70.0),
            lateness_max_us: Some(4_000.0),
            done_ops: 812,
            ..ReplayPass::default()
        }
    }

    #[test]
    fn answer_is_first_and_all_assumptions_are_shown() {
        let text = shown(vec![ReplayPass { delay_s: Some(0.0), ..pass() }], Some(12.0));
        insta::assert_snapshot!(text);
    }

    #[test]
    fn delay_versus_the_recording_and_its_cause_are_first() {
        let mut printed = Vec::<String>::new();
        let silence = |began_s, delayed_ops| ReplaySilence {
            began_s,
            length_s: 3.01,
            delayed_ops,
            ..ReplaySilence::default()
        };
        let frozen = ReplayPass {
            span_s: 15.02,
            delay_s: Some(3.02),
            silences: vec![silence(2.0, Some(57)), silence(9.0, None)],
            ..pass()
        };
        let text = shown(vec![frozen.clone()], Some(12.0));
        let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
        printed.push(flowing.to_string());
        let said = "The storage did not respond for 3.01 s, starting at 2.0 s; 57 operations waited for it.";
        assert!(flowing.contains(said), "{text}");
        printed.push(flowing.to_string());
        let text = shown(vec![ReplayPass { delay_s: Some(0.0), ..pass() }, frozen], Some(12.0));
        printed.push(text.split_whitespace().collect::<Vec<_>>().join(" ").to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    /// The figures and the text next to them agree, even for a short recording.
    #[test]
    fn the_factor_against_the_recording_is_that_of_the_figures() {
        let mut printed = Vec::<String>::new();
        for (recorded_s, took_s) in [
            (0.0005, 0.0095),
            (6.0, 114.0),
            (12.0, 12.1),
            (12.0, 11.9),
            (12.0, 12.2),
            (12.0, 6.0),
            (0.0, 0.003),
        ] {
            let bytes_per_s = Some(1.2e9 / took_s);
            let one =
                ReplayPass { span_s: took_s, delay_s: Some(took_s - recorded_s), bytes_per_s, ..pass() };
            let text = shown(vec![one], Some(recorded_s));
            let first = text.lines().next().unwrap_or_default();
            printed.push(format!("{recorded_s} s recorded, took {took_s} s: {first}"));
        }
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn operations_that_were_held_up_are_reported_of_any_pass() {
        let held = ReplayPass { held_up_ops: 300, held_up_max_us: 4e6, delay_s: Some(0.0), ..pass() };
        let late = ReplayPass { lateness_p99_us: Some(900.0), delay_s: Some(0.0), ..pass() };
        let text = shown(vec![held, late], Some(12.0));
        let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = "300 of 812 operations began late because an earlier one was not complete (by up to \
                    4.00 s). Half of the operations began within 1.00 µs of when they could begin, p99 900 \
                    µs";
        assert!(flowing.contains(said), "{text}");
    }

    #[test]
    fn a_pass_that_was_stopped_replayed_a_part() {
        let mut printed = Vec::<String>::new();
        let text = shown(vec![ReplayPass { complete: false, ..pass() }], Some(12.0));
        printed.push(text.to_string());
        // If nothing succeeded there is no replay, and the list shows only the first sentence.
        for different_ops in [812, 3] {
            printed.push(shown(vec![ReplayPass { different_ops, ..pass() }], Some(12.0)));
        }
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn differences_are_shown_and_a_batch_has_a_table() {
        let mut odd = pass();
        odd.different_ops = 2;
        odd.differences = vec!["operation 17, read of a at 0: 1 of 2 bytes".to_owned()];
        let text = shown(vec![pass(), odd, ReplayPass { complete: false, ..pass() }], None);
        let first = "Result:     Replayed edit in 2 passes on /mnt/nas: median 100 MB/s.";
        assert!(text.starts_with(first), "{text}");
        insta::assert_snapshot!(text);

        let rows: Vec<&str> =
            text.lines().filter(|line| line.ends_with("yes") || line.ends_with("NO")).collect();
        assert_eq!(rows.len(), 3, "{text}");
    }
}
