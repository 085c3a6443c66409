//! A user-defined event as text: the result of its command, and the recovery of the streams.
//!
//! Not here: when streams have recovered ([`reelgauge_analysis::run_event`]).

use reelgauge_analysis::run_event::{EventEnd, EventFacts, QUIET_S, Recovery, WhyUnknown};

use crate::text::{plain, plain_short};
use crate::units::{counted, fixed, moment};

/// Longer texts from the system are cut.
const WHY_CHARS: usize = 100;

/// How the command ended: `exit code 3`.
pub fn end_words(event: &EventFacts) -> String {
    match &event.end {
        EventEnd::Exit { code: 0 } => "it succeeded".to_owned(),
        EventEnd::Exit { code: 126 } => {
            "it failed: the command cannot be executed (exit code 126)".to_owned()
        }
        EventEnd::Exit { code: 127 } => "it failed: the command was not found (exit code 127)".to_owned(),
        EventEnd::Exit { code } => format!("it failed with exit code {code}"),
        EventEnd::Signal { number } => format!("it failed: signal {number} ended it"),
        EventEnd::TimeLimit => {
            format!("it was stopped at its time limit of {}", moment(event.time_limit_s))
        }
        EventEnd::Running => format!(
            "it was still running when the run ended; its time limit is {}",
            moment(event.time_limit_s)
        ),
        EventEnd::NotStarted { why } => format!("it could not start: {}", plain_short(why, WHY_CHARS)),
        EventEnd::NotBegun => "it did not start: the load had ended".to_owned(),
        EventEnd::Pending => "it did not start".to_owned(),
    }
}

/// The lines of a screen about an event, each with its label.
pub(crate) fn event_lines(event: &EventFacts) -> Vec<(&'static str, String)> {
    let times = match (event.began_s, event.ended_s) {
        (Some(began_s), Some(ended_s)) => format!(" from {} to {}", moment(began_s), moment(ended_s)),
        (Some(began_s), None) => format!(" from {}", moment(began_s)),
        _ => String::new(),
    };
    let output = event.output.as_ref().filter(|_| event.began_s.is_some());
    let cut = if event.output_is_cut { ", cut off after 1 MiB" } else { "" };
    let output = output.map_or_else(String::new, |file| format!(". Its output is in {}{cut}", plain(file)));
    let mut lines = vec![("Event", format!("{}{times}: {}{output}", plain(&event.name), end_words(event)))];
    let Some(effect) = &event.effect else { return lines };
    if let (Some(sustained), Some(served)) = (effect.streams_sustained(), effect.served) {
        lines.push((
            "Sustained",
            format!(
                "{sustained} of {} during the event (the storage delivered enough for {})",
                counted(effect.streams.into(), "stream"),
                fixed(served, 1)
            ),
        ));
    }
    let recovery = match (effect.recovery_after_end, effect.recovery_after_begin) {
        (Recovery::Unknown { why: one }, Recovery::Unknown { why: other }) if one == other => {
            recovery_words(effect.recovery_after_end)
        }
        (after_end, after_begin) => format!(
            "{} after the end of the event, {} after its start",
            recovery_words(after_end),
            recovery_words(after_begin)
        ),
    };
    lines.push(("Recovery", recovery));
    lines
}

/// `2.3 s`, `at least 20 s`, `unknown (the run ended before the event)`.
pub fn recovery_words(recovery: Recovery) -> String {
    match recovery {
        Recovery::After { s } => format!("{} s", fixed(s, 1)),
        Recovery::AtLeast { s } => format!("at least {} s", fixed(s, 1)),
        Recovery::Unknown { why: None } => "unknown".to_owned(),
        Recovery::Unknown { why: Some(why) } => format!("unknown ({})", why_unknown(why)),
    }
}

fn why_unknown(why: WhyUnknown) -> String {
    match why {
        WhyUnknown::NoEvent => "the event did not take place".to_owned(),
        WhyUnknown::Failed => "the command failed, and no frame was late".to_owned(),
        WhyUnknown::EndedBefore => "the run ended before the event".to_owned(),
        WhyUnknown::EndedSoon { left_s } => format!(
            "the run ended {} s later, but {} s without a late frame are needed",
            fixed(left_s, 1),
            fixed(QUIET_S, 0)
        ),
        WhyUnknown::IncidentsCutOff => "there were too many incidents to keep".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::run_event::EventEffect;

    use super::*;

    fn event(end: EventEnd) -> EventFacts {
        EventFacts {
            name: "rebuild\u{1b}".to_owned(),
            command: "true".to_owned(),
            time_limit_s: 600.0,
            began_s: Some(10.0),
            ended_s: Some(16.0),
            end,
            output: Some("event-rebuild.log".to_owned()),
            output_is_cut: false,
            effect: None,
        }
    }

    #[test]
    fn every_end_has_its_words_and_nothing_is_printed_raw() {
        let mut printed = Vec::<String>::new();
        let of = |end| end_words(&event(end));
        assert!(of(EventEnd::Exit { code: 127 }).contains("not found"));
        assert!(of(EventEnd::Exit { code: 3 }).contains("exit code 3"));
        printed.push(of(EventEnd::TimeLimit).to_string());
        assert!(of(EventEnd::NotStarted { why: "x\u{1b}".to_owned() }).ends_with("x\\u{1b}"));
        let lines = event_lines(&event(EventEnd::Exit { code: 0 }));
        assert_eq!((lines.len(), lines[0].0), (1, "Event"));
        printed.push(lines[0].1.clone());
        let cut = EventFacts { output_is_cut: true, ..event(EventEnd::Exit { code: 0 }) };
        printed.push(event_lines(&cut)[0].1.clone());
        let not_begun = EventFacts { began_s: None, ended_s: None, ..event(EventEnd::NotBegun) };
        printed.push(event_lines(&not_begun)[0].1.to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn the_effect_is_streams_and_time() {
        let mut printed = Vec::<String>::new();
        let effect = EventEffect {
            streams: 10,
            served: Some(6.4),
            recovery_after_end: Recovery::After { s: 1.26 },
            recovery_after_begin: Recovery::AtLeast { s: 7.0 },
        };
        let lines = event_lines(&EventFacts { effect: Some(effect), ..event(EventEnd::TimeLimit) });
        printed.push(lines[1].1.to_string());
        printed.push(lines[2].1.to_string());
        assert_eq!(recovery_words(Recovery::Unknown { why: None }), "unknown");
        let of = |why| recovery_words(Recovery::Unknown { why: Some(why) });
        printed.push(of(WhyUnknown::EndedBefore).to_string());
        printed.push(of(WhyUnknown::EndedSoon { left_s: 3.24 }).to_string());
        let nothing = Recovery::Unknown { why: Some(WhyUnknown::Failed) };
        let effect = EventEffect {
            streams: 1,
            served: None,
            recovery_after_end: nothing,
            recovery_after_begin: nothing,
        };
        let failed = EventFacts { effect: Some(effect), ..event(EventEnd::Exit { code: 1 }) };
        printed.push(event_lines(&failed)[1].1.to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }
}
