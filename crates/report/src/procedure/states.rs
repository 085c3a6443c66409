//! The table of the procedure "worst night": streams sustained, late frames and recovery time for each
//! state of the storage. Also as CSV.

use reelgauge_analysis::procedure::states::{Remedy, StateFound, StateRow, SteadyState};
use reelgauge_analysis::run_event::{EventEnd, Recovery};

use crate::document::{Block, Section};
use crate::event::recovery_words;
use crate::table::Table;
use crate::text::plain;
use crate::units::{amount, count};

/// The section's name in links.
pub const STATES: &str = "states";

/// The section of a page about the states.
pub fn states_section(states: &[StateRow]) -> Section {
    let blocks = vec![Block::Table(states_table(states))];
    Section { blocks, ..Section::of_page(STATES, "States", "") }
}

/// The table for a screen.
pub(super) fn states_table(states: &[StateRow]) -> Table {
    let cells = state_cells(states);
    let column = |at: usize| cells.iter().map(|row| row[at].clone()).collect::<Vec<String>>();
    let mut table = Table::new("States of the storage");
    table.column("", "state", column(0));
    table.words("streams sustained", column(1));
    table.column("", "late frames", column(2));
    table.words("time to recover", column(3));
    table
}

/// The cells of each state: its name, streams, late frames, recovery time.
fn state_cells(states: &[StateRow]) -> Vec<[String; 4]> {
    let cells = |state: &StateRow| {
        let (streams, late_frames, recovery) = match &state.found {
            StateFound::Search { streams, is_least, late_frames } => {
                (searched_words(*streams, *is_least), *late_frames, None)
            }
            StateFound::Steady(found) => (steady_words(found), found.late_frames, found.recovery),
            StateFound::NotTried { remedy } => (format!("not tried: {}", remedy_words(remedy)), None, None),
            StateFound::NotMeasured => ("not measured".to_owned(), None, None),
        };
        let late_frames = late_frames.map_or_else(|| "-".to_owned(), count);
        let recovery = recovery.map_or_else(|| "-".to_owned(), recovery_words);
        [plain(&state.name), streams, late_frames, recovery]
    };
    states.iter().map(cells).collect()
}

fn searched_words(streams: Option<u32>, is_least: bool) -> String {
    match streams {
        Some(streams) if is_least => format!("at least {} (search)", count(streams.into())),
        Some(streams) => format!("{} (search)", count(streams.into())),
        None => "unknown (search)".to_owned(),
    }
}

fn steady_words(found: &SteadyState) -> String {
    let played = count(found.played.into());
    let streams = found.streams.map_or_else(|| "unknown".to_owned(), |streams| count(streams.into()));
    let event = match &found.event {
        None | Some(EventEnd::Exit { code: 0 }) => "",
        Some(EventEnd::TimeLimit) => ", event stopped at its time limit",
        Some(EventEnd::NotStarted { .. } | EventEnd::NotBegun | EventEnd::Pending) => ", no event",
        Some(EventEnd::Running) => ", event still running",
        Some(EventEnd::Exit { .. } | EventEnd::Signal { .. }) => ", event failed",
    };
    format!("{streams} of {played} (steady{event})")
}

/// The remedy for a state that was not tried.
pub fn remedy_words(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Event { names } => {
            let events: Vec<String> =
                names.iter().map(|name| format!("'{}: COMMAND'", plain(name))).collect();
            format!("add --event {}", events.join(" or "))
        }
        Remedy::Room { needed_bytes, left_bytes } => format!(
            "it writes {}, but at most {} fit in this state. Use fewer streams (--set count=N) or less time \
             (--set duration=TIME)",
            amount(*needed_bytes),
            amount(*left_bytes)
        ),
        Remedy::Cold => "add --set command=COMMAND or --set server-memory=SIZE".to_owned(),
    }
}

/// The first sentence: the healthy state, and the worst of the others.
pub(super) fn state_words(states: &[StateRow]) -> String {
    let streams = |state: &StateRow| match &state.found {
        StateFound::Search { streams, .. } => *streams,
        StateFound::Steady(found) => found.streams,
        StateFound::NotTried { .. } | StateFound::NotMeasured => None,
    };
    let known: Vec<(&StateRow, u32)> =
        states.iter().filter_map(|state| Some((state, streams(state)?))).collect();
    let Some(((first, sustained), others)) = known.split_first() else {
        return "no state was measured.".to_owned();
    };
    let noun = if *sustained == 1 { "stream" } else { "streams" };
    let first = format!("{}: {} {noun}", plain(&first.name), count((*sustained).into()));
    match others.iter().min_by_key(|(_, streams)| *streams) {
        Some((worst, streams)) if streams < sustained => {
            format!("{first}; fewest {}: {}.", count((*streams).into()), plain(&worst.name))
        }
        Some(_) => format!("{first}; no other measured state has fewer."),
        None => format!("{first}; no other state was measured."),
    }
}

/// The states, for spreadsheets. Unknown values are empty.
pub fn states_csv(states: &[StateRow]) -> String {
    let mut out = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = out.write_record([
        "state",
        "how",
        "streams_played",
        "streams_sustained",
        "late_frames",
        "recovery_s",
        "recovery_is_lower_bound",
        "event_succeeded",
    ]);
    for state in states {
        let cell = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
        let (how, played, streams, late_frames, recovery, event) = match &state.found {
            StateFound::Search { streams, late_frames, .. } => {
                ("search", *streams, *streams, *late_frames, None, None)
            }
            StateFound::Steady(found) => (
                "steady",
                Some(found.played),
                found.streams,
                found.late_frames,
                found.recovery,
                found.event.as_ref().map(EventEnd::is_success),
            ),
            StateFound::NotTried { .. } => ("not_tried", None, None, None, None, None),
            StateFound::NotMeasured => ("not_measured", None, None, None, None, None),
        };
        let (seconds, is_bound) = match recovery {
            Some(Recovery::After { s }) => (s.to_string(), "false"),
            Some(Recovery::AtLeast { s }) => (s.to_string(), "true"),
            Some(Recovery::Unknown { .. }) | None => (String::new(), ""),
        };
        let _ = out.write_record([
            state.name.as_str(),
            how,
            &cell(played.map(u64::from)),
            &cell(streams.map(u64::from)),
            &cell(late_frames),
            &seconds,
            is_bound,
            &event.map_or_else(String::new, |event| event.to_string()),
        ]);
    }
    String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::run_event::WhyUnknown;

    use super::*;

    fn state(name: &str, found: StateFound) -> StateRow {
        StateRow { name: name.to_owned(), found }
    }

    fn states() -> Vec<StateRow> {
        let search = StateFound::Search { streams: Some(10), is_least: false, late_frames: Some(0) };
        let steady = SteadyState {
            played: 10,
            streams: Some(6),
            late_frames: Some(1_400),
            recovery: Some(Recovery::After { s: 1.3 }),
            event: Some(EventEnd::Exit { code: 3 }),
        };
        let names = vec!["failover".to_owned()];
        vec![
            state("healthy", search),
            state("during a rebuild\u{1b}", StateFound::Steady(steady)),
            state("through a failover", StateFound::NotTried { remedy: Remedy::Event { names } }),
            state("90 % full", StateFound::NotMeasured),
        ]
    }

    #[test]
    fn every_state_has_a_row_and_untried_ones_name_the_flag() {
        let mut printed = Vec::<String>::new();
        let cells = state_cells(&states());
        assert_eq!(cells[0], ["healthy", "10 (search)", "0", "-"]);
        printed.extend(cells[1].iter().map(|text| text.to_string()));
        printed.extend(cells[2][1..].iter().map(|text| text.to_string()));
        assert_eq!(cells[3][1..], ["not measured", "-", "-"]);
        printed.push(state_words(&states()).to_string());
        let search = |name: &str, streams| StateRow {
            name: name.to_owned(),
            found: StateFound::Search { streams: Some(streams), is_least: false, late_frames: Some(0) },
        };
        let of = |healthy, full| state_words(&[search("healthy", healthy), search("90 % full", full)]);
        printed.push(of(2, 2).to_string());
        printed.push(of(1, 0).to_string());
        printed.push(state_words(&[]).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn the_table_is_no_wider_than_the_terminal() {
        let mut states = states();
        let names = ["rebuild", "balance"].map(str::to_owned).to_vec();
        states.push(state("during a rebuild", StateFound::NotTried { remedy: Remedy::Event { names } }));
        let remedy = Remedy::Room { needed_bytes: 12_000_000_000, left_bytes: 3_200_000_000 };
        states.push(state("90 % full", StateFound::NotTried { remedy }));
        let why = Some(WhyUnknown::EndedSoon { left_s: 3.2 });
        let cut_short = SteadyState {
            played: 10,
            streams: Some(10),
            late_frames: Some(0),
            recovery: Some(Recovery::Unknown { why }),
            event: Some(EventEnd::TimeLimit),
        };
        states.push(state("through a failover", StateFound::Steady(cut_short)));
        for width in [40, 60, 80, 100] {
            let lines = states_table(&states).lines(width);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}: {lines:#?}");
            let parts = lines.split(|line| line.is_empty());
            assert!(width < 80 || parts.count() == 1, "{width}: {lines:#?}");
        }
        let whole = states_table(&states).lines(300).join("\n");
        insta::assert_snapshot!(whole);
    }

    #[test]
    fn unknown_csv_cells_are_empty() {
        let text = states_csv(&states());
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines[0], "healthy,search,10,10,0,,,");
        assert!(lines[1].ends_with(",steady,10,6,1400,1.3,false,false"), "{text}");
        assert_eq!(lines[2], "through a failover,not_tried,,,,,,");
    }
}
