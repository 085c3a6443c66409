//! Verdicts: why criteria were not met, in words that somebody at an editing desk understands.
//!
//! Not here: whether criteria are met, and which failed first ([`reelgauge_analysis::verdict`]).

mod rates;

use reelgauge_analysis::verdict::{
    FallingMargins, FirstFailed, FrameFate, LateStream, Reason, Ruling, StreamName, Unmet, Verdict,
    WhoseMargin,
};

use crate::units::{clock, count, counted, span};

/// The verdict that comes of a ruling, with its sentences.
pub fn in_words(ruling: Ruling) -> Verdict {
    ruling.in_words(unmet_sentence)
}

/// The same where operations waited for a limit on bytes a second, which is what made the tool late.
pub fn in_words_held_back(ruling: Ruling) -> Verdict {
    ruling.in_words(|unmet| match unmet.reason() {
        Reason::LateFrames(late) if unmet.is_because_of_tool() => {
            let sentence = late_frames(late, unmet.limit(), false);
            format!(
                "{sentence}. Its operations had waited for --max-rate: this says nothing about the storage"
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
            format!("no stream was measured, so {} is not known; look at the run's errors", unmet.criterion())
        }
        Reason::NeverBegan(stream) => format!("{} never began; look at the run's errors", name_of(stream)),
        Reason::NoFrameJudged(stream) => format!(
            "{} had no frame to be judged in the measured time; use a longer --duration",
            name_of(stream)
        ),
        Reason::LateFrames(late) => late_frames(late, limit, unmet.is_because_of_tool()),
        Reason::NoBufferThroughput { stream, buffer_s } => format!(
            "{} has no throughput over its buffer time of {buffer_s} s, because that does not fit into the \
             measured time; use a longer --duration or a --buffer above 0",
            name_of(stream)
        ),
        Reason::BufferThroughput { stream, least_bytes_per_s, buffer_s, began_in_point_s } => format!(
            "{} got {:.1} MB/s over {buffer_s} s from {} on, and needs {limit:.1} MB/s over its buffer time",
            name_of(stream),
            least_bytes_per_s / 1e6,
            clock(*began_in_point_s)
        ),
        Reason::SlowSecond { least_bytes_per_s, over_s, began_in_point_s } => format!(
            "all workers together moved {:.1} MB/s over {over_s} s from {} on, and {limit:.1} MB/s are needed in every \
             second",
            least_bytes_per_s / 1e6,
            clock(*began_in_point_s)
        ),
        Reason::NoWholeSecond => {
            "the measured time has no whole second to be judged; use a longer --duration or --step".to_owned()
        }
        Reason::NoFrameCame(stream) => {
            format!("{} has no response times, because none of its frames came", name_of(stream))
        }
        Reason::SlowFrames { stream, p99_us } => {
            too_slow(&format!("frames of {}", name_of(stream)), *p99_us, limit)
        }
        Reason::NoDataResponse => {
            "no read or write succeeded, so there are no response times; look at the run's errors".to_owned()
        }
        Reason::SlowResponses { p99_us } => too_slow("reads and writes", *p99_us, limit),
        Reason::TooFewForP99 { stream, count: all, max_us } => format!(
            "{} are too few to know how long 99 of 100 take (the longest took {}); use a longer --duration",
            counted_of(*all, stream.as_ref()),
            span(*max_us)
        ),
        Reason::SlowHalf { stream, count: all, p50_us } => format!(
            "half of {} took longer than {}, and {} is allowed for 99 of 100",
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

/// `stream 14 (player, …) was late: frame 212 at 00:08.5 came 310 ms after its time; 12 of 1,500 frames …`
fn late_frames(late: &LateStream, limit: f64, is_because_of_tool: bool) -> String {
    let mut sentence = format!(
        "{} was late: frame {} at {} {}; {} of {} frames were late",
        name_of(&late.stream),
        late.first_frame,
        clock(late.deadline_in_point_s),
        what_happened(late),
        count(late.late_frames),
        count(late.frames_judged)
    );
    let allowed = limit as u64;
    if allowed > 0 {
        sentence.push_str(&format!(", {allowed} are allowed"));
    }
    if is_because_of_tool {
        sentence.push_str(&format!(
            ". The tool itself issued operations late, and without that {} would have been: this says nothing \
             about the storage. Use fewer streams on this client or more idle CPU",
            late.late_frames_without_own_delay
        ));
    }
    sentence
}

fn what_happened(late: &LateStream) -> String {
    let (done, move_it) = if late.writes { ("written", "write") } else { ("read", "read") };
    match late.fate {
        FrameFate::Came { late_us } => format!("came {} after its time", span(late_us)),
        FrameFate::Skipped => {
            format!("was skipped, because its time had passed before it could be {done}")
        }
        FrameFate::NeverBegun => format!("was never {done}"),
        FrameFate::Failed => format!("could not be {done}: an attempt to {move_it} it failed"),
        FrameFate::Incomplete => format!("was never {done} completely"),
    }
}

fn too_slow(what: &str, p99_us: f64, limit_ms: f64) -> String {
    format!("99 of 100 {what} took up to {}, and {} is allowed", span(p99_us), span(limit_ms * 1e3))
}

fn failed((failed_ops, ops): (u64, u64), limit: f64, first: Option<&FirstFailed>) -> String {
    let mut sentence = format!("{} of {} operations failed", count(failed_ops), count(ops));
    if limit > 0.0 {
        sentence.push_str(&format!(" and {limit} may"));
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
        "{who} fell by {} in every second of {}, to {}: the buffers were running empty, and frames would be \
         late {} later",
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
