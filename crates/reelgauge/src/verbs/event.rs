//! From flags to the runner's request for an event.

use anyhow::{Result, bail};
use reelgauge_runner::event::EventRequest;
use reelgauge_workload::streams::StreamsPlan;
use reelgauge_workload::units::Span;

use crate::cli::EventArgs;

/// The default time limit of an event.
pub(super) const LIMIT_DEFAULT: Span = Span::secs(600);

/// The measured length of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measured {
    /// From the end of the first warm-up to the end of the last load point.
    For(Span),
    /// The length is unknown in advance.
    Unknown,
    /// A number of trials of a search.
    Search,
}

impl Measured {
    /// The measured time of this many load points.
    pub(super) fn points(points: u64, warmup: Span, duration: Span) -> Measured {
        let later = points.saturating_sub(1).saturating_mul(warmup.ns().saturating_add(duration.ns()));
        Measured::For(Span(later.saturating_add(duration.ns())))
    }

    /// A plan of streams.
    pub(super) fn of(plan: &StreamsPlan) -> Measured {
        match plan.find_max {
            Some(_) => Measured::Search,
            None => Measured::points(plan.scale.0.len() as u64, plan.warmup, plan.duration),
        }
    }
}

/// The event of a run.
///
/// # Errors
/// If it could not take place.
pub(super) fn event_of(args: &EventArgs, measured: Measured) -> Result<Option<EventRequest>> {
    let event = match args.event.as_slice() {
        [] => return Ok(None),
        [event] => event,
        several => bail!(
            "--event is given {} times; give it once, with a shell command for several actions",
            several.len()
        ),
    };
    if !cfg!(unix) {
        bail!("--event needs process groups; use Linux or macOS");
    }
    match (measured, args.event_at) {
        (Measured::Search, _) => {
            bail!("--event has no effect in a search; use --count and --duration")
        }
        (Measured::For(whole), Some(at)) if at >= whole => {
            bail!("--event-at {at} is after the end of the load ({whole}); choose an earlier time")
        }
        _ => {}
    }
    let time_limit = args.event_limit.unwrap_or(LIMIT_DEFAULT);
    if time_limit.ns() == 0 {
        bail!("--event-limit must not be 0; use 1s or more");
    }
    Ok(Some(EventRequest {
        event: event.clone(),
        after: args.event_at.map(Span::duration),
        time_limit: time_limit.duration(),
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn asked(at: Option<u64>, measured: Measured) -> Result<Option<EventRequest>> {
        let event = vec!["rebuild: true".parse().unwrap()];
        event_of(&EventArgs { event, event_at: at.map(Span::secs), event_limit: None }, measured)
    }

    #[test]
    fn an_event_takes_place_within_the_load_and_in_no_search() {
        let minute = Measured::points(1, Span::secs(5), Span::secs(60));
        assert_eq!(event_of(&EventArgs::default(), minute).unwrap(), None);
        assert!(asked(None, minute).unwrap().is_some_and(|asked| asked.after.is_none()));
        assert!(asked(Some(59), minute).is_ok() && asked(Some(60), minute).is_err());
        // Two load points with the warm-up between them.
        let two = Measured::points(2, Span::secs(5), Span::secs(60));
        assert!(asked(Some(124), two).is_ok() && asked(Some(125), two).is_err());
        assert!(asked(Some(900), Measured::Unknown).is_ok());
        let twice = vec!["a: true".parse().unwrap(), "b: true".parse().unwrap()];
        let twice = EventArgs { event: twice, ..EventArgs::default() };
        assert!(event_of(&twice, minute).unwrap_err().to_string().contains("2 times"));
        assert!(asked(None, Measured::Search).unwrap_err().to_string().contains("--count"));
    }
}
