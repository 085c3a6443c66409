//! Verdicts: why criteria were not met, in words for an editor.
//!
//! Not here: judging the criteria, and finding the first failure ([`reelgauge_analysis::verdict`]).

mod rates;

use reelgauge_analysis::verdict::{
    FallingMargins, FirstFailed, FrameFate, LateStream, Reason, Ruling, StreamName, Unmet, Verdict,
    WhoseMargin,
};

use crate::units::{clock, count, counted, span};

/// The verdict of a ruling, with its sentences.
pub fn in_words(ruling: Ruling) -> Verdict {
    ruling.in_words(unmet_sentence)
}

/// The same for a run with a limit on bytes per second, which delayed Reelgauge's operations.
pub fn in_words_held_back(ruling: Ruling) -> Verdict {
    ruling.in_words(|unmet| match unmet.reason() {
        Reason::LateFrames(late) if unmet.is_because_of_tool() => {
            let sentence = late_frames(late, unmet.limit(), false);
            format!(
                "{sentence}. Its operations waited for --max-rate, so this shows nothing about the storage"
            )
        }
        _ => unmet_sentence(unmet),
    })
}

/// Why a criterion was not met, without the full stop.
pub fn unmet_sentence(unmet: &Unmet) -> String {
    let (limit, reason) = (unmet.limit(), unmet.reason());
    match reason {
        Reason::NoStream => {
            format!("no stream was measured, so {} is unknown; see the run's errors", unmet.criterion())
        }
        Reason::NeverBegan(stream) => format!("{} never started; see the run's errors", name_of(stream)),
        Reason::NoFrameJudged(stream) => {
            format!("{} had no frame to judge in the measured time; use a longer --duration", name_of(stream))
        }
        Reason::LateFrames(late) => late_frames(late, limit, unmet.is_because_of_tool()),
        Reason::NoBufferThroughput { stream, buffer_s } => format!(
            "{} has no throughput figure: its buffer time of {buffer_s} s does not fit into the measured \
             time; use a longer --duration or a --buffer above 0",
            name_of(stream)
        ),
        Reason::BufferThroughput { stream, least_bytes_per_s, buffer_s, began_in_point_s } => format!(
            "{} got {:.1} MB/s (needs {limit:.1} MB/s) over its buffer time of {buffer_s} s, starting at {}",
            name_of(stream),
            least_bytes_per_s / 1e6,
            clock(*began_in_point_s)
        ),
        Reason::SlowSecond { least_bytes_per_s, over_s, began_in_point_s } => format!(
            "all workers together moved only {:.1} MB/s for {over_s} s (need {limit:.1} MB/s in every \
             second), starting at {}",
            least_bytes_per_s / 1e6,
            clock(*began_in_point_s)
        ),
        Reason::NoWholeSecond => {
            "less than one whole second was measured; use a longer --duration or --step".to_owned()
        }
        Reason::NoFrameCame(stream) => {
            format!("{} has no response times: none of its frames completed", name_of(stream))
        }
        Reason::SlowFrames { stream, p99_us } => {
            too_slow(&format!("frames of {}", name_of(stream)), *p99_us, limit)
        }
        Reason::NoDataResponse => {
            "no read or write succeeded, so there are no response times; see the run's errors".to_owned()
        }
        Reason::SlowResponses { p99_us } => too_slow("reads and writes", *p99_us, limit),
        Reason::TooFewForP99 { stream, count: all, max_us } => format!(
            "{} are too few to compute a p99 (the longest took {}); use a longer --duration",
            counted_of(*all, stream.as_ref()),
            span(*max_us)
        ),
        Reason::SlowHalf { stream, count: all, p50_us } => format!(
            "half of {} took longer than {} (limit for p99: {})",
            counted_of(*all, stream.as_ref()),
            span(*p50_us),
            span(limit * 1e3)
        ),
        Reason::NoOperation => "no operation was measured; use a longer --duration".to_owned(),
        Reason::FailedOps { failed_ops, ops, first } => failed((*failed_ops, *ops), limit, first.as_ref()),
        Reason::FallingMargins(falling) => falling_margins(falling),
        Reason::NoRates(error) => error.to_string(),
        Reason::WorkerRate(found) => rates::of_worker(found, limit),
        Reason::GlobalRate(found) => rates::of_all(found, limit),
        Reason::Ratio(found) => rates::ratio(found, limit),
    }
}

/// `60 frames of stream 3 (player, …)`, or `60 reads and writes`.
fn counted_of(all: u64, stream: Option<&StreamName>) -> String {
    match stream {
        Some(stream) => format!("{} of {}", counted(all, "frame"), name_of(stream)),
        None => format!("{} reads and writes", count(all)),
    }
}

/// `stream 14 (player, …) was late: frame 212 at 00:08.5 came 310 ms after its time; 12 of 1,500 frames
/// …`
fn late_frames(late: &LateStream, limit: f64, is_because_of_tool: bool) -> String {
    let mut sentence = format!(
        "{} was late: frame {} at {} {}; {} of {} frames {} late",
        name_of(&late.stream),
        late.first_frame,
        clock(late.deadline_in_point_s),
        what_happened(late),
        count(late.late_frames),
        count(late.frames_judged),
        if late.late_frames == 1 { "was" } else { "were" }
    );
    let allowed = limit as u64;
    if allowed > 0 {
        sentence.push_str(&format!(" ({allowed} allowed)"));
    }
    if is_because_of_tool {
        sentence.push_str(&format!(
            ". Reelgauge itself issued operations late; without that delay, {} would have been late. This \
             shows nothing about the storage. Use fewer streams on this client or free some CPU",
            late.late_frames_without_own_delay
        ));
    }
    sentence
}

fn what_happened(late: &LateStream) -> String {
    let (done, move_it) = if late.writes { ("written", "write") } else { ("read", "read") };
    match late.fate {
        FrameFate::Came { late_us } => format!("came {} late", span(late_us)),
        FrameFate::Skipped => {
            format!("was skipped: its deadline passed before it could be {done}")
        }
        FrameFate::NeverBegun => format!("was never {done}"),
        FrameFate::Failed => format!("could not be {done}: the {move_it} failed"),
        FrameFate::Incomplete => format!("was never completely {done}"),
    }
}

fn too_slow(what: &str, p99_us: f64, limit_ms: f64) -> String {
    format!("99 of 100 {what} took up to {} ({} allowed)", span(p99_us), span(limit_ms * 1e3))
}

fn failed((failed_ops, ops): (u64, u64), limit: f64, first: Option<&FirstFailed>) -> String {
    let mut sentence = format!("{} of {} operations failed", count(failed_ops), count(ops));
    if limit > 0.0 {
        sentence.push_str(&format!(" ({limit} allowed)"));
    }
    if let Some(first) = first {
        sentence.push_str(&format!(
            "; the first was a {} by worker {} at {}: {}",
            first.kind.name(),
            first.worker,
            clock(first.at_in_point_s),
            first.message
        ));
    }
    sentence
}

fn falling_margins(falling: &FallingMargins) -> String {
    let who = match &falling.whose {
        WhoseMargin::Stream(stream) => format!("the margin of {}", name_of(stream)),
        WhoseMargin::All { streams } => format!("the margins of all {streams} streams"),
    };
    let trend = &falling.trend;
    format!(
        "{who} shrank by {} per second for {}, to {}: the buffers were emptying. Frames would have been \
         late after another {}",
        span(trend.fall_ms_per_s * 1e3),
        span(trend.observed_s * 1e6),
        span(trend.at_end_ms.max(0.0) * 1e3),
        span(falling.late_in_s * 1e6)
    )
}

fn name_of(stream: &StreamName) -> String {
    if stream.name.is_empty() {
        format!("stream {}", stream.number)
    } else {
        format!("stream {} ({})", stream.number, stream.name)
    }
}

#[cfg(test)]
mod tests;
