//! Notes of a trace as text: facts that an import discovered about its source.

use std::path::Path;

use crate::text::plain;
use crate::units::{counted, counted_are, duration};

/// The source's clock went back: the number of times, the largest step in nanoseconds (a lower bound),
/// and the first line.
pub fn clock_went_back(times: u64, largest_ns: u64, first_line: u64) -> String {
    let by = duration(largest_ns as f64 / 1e3);
    let steps = match times {
        1 => format!("went back once, at line {first_line}, by at least {by}"),
        _ => format!(
            "went back {}, first at line {first_line}; the largest step was at least {by}",
            counted(times, "time")
        ),
    };
    format!(
        "The clock of the source {steps}. The lines keep their order. After each step back, the next line \
         follows without a pause, and the intervals between later lines are unchanged. The real length of \
         the pause is unknown."
    )
}

/// A 12-hour clock without a.m. and p.m.
pub fn half_of_day_assumed(times: u64, first_line: u64) -> String {
    format!(
        "The times have no AM or PM. Reelgauge assumed a new half-day where the hours restarted ({}, first \
         at line {first_line}). To be sure, add the column Relative Time (Options, Select \
         Columns) and save the CSV again.",
        counted(times, "time")
    )
}

/// Operations that were split into several.
pub fn long_operations_split(times: u64, first_line: u64) -> String {
    format!(
        "{} too long for one entry of a trace (the first at line {first_line}). Each was split into several \
         of at most 1 GiB, with the same total bytes and time.",
        counted_are(times, "operation", "is", "are")
    )
}

/// Requests that were shortened compared with the source.
pub fn long_requests_shortened(times: u64, first_line: u64) -> String {
    format!(
        "{} too long for one entry of a trace, and moved less than requested (the first at line \
         {first_line}). Each now requests at most 1 GiB more than it moved.",
        counted_are(times, "request", "is", "are")
    )
}

/// The directory of a trace has another name than the trace, and why; `None` if the names are equal, or
/// the trace has no name.
pub fn other_name(name: &str, dir: &Path) -> Option<String> {
    let named = dir.file_name()?.to_string_lossy();
    if name.is_empty() || named == name {
        return None;
    }
    let why = match named.starts_with(name) {
        true => "because a trace of that name already exists",
        false => "because names of directories have at most 48 ASCII letters, digits, '.', '_' and '-'",
    };
    Some(format!("the directory of '{}' is named {named}, {why}.", plain(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_named_with_its_size_and_line() {
        let mut printed = Vec::<String>::new();
        let once = clock_went_back(1, 1_800_000_000, 5);
        printed.push(once.to_string());
        let often = clock_went_back(3, 2_000_000, 15);
        printed.push(often.to_string());
        printed.push(half_of_day_assumed(1, 9).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn a_directory_with_another_name_than_its_trace_is_reported() {
        let mut printed = Vec::<String>::new();
        let of = |name: &str, dir: &str| other_name(name, Path::new(dir)).unwrap_or_default();
        assert_eq!((of("edit", "traces/edit"), of("", "traces/trace")), (String::new(), String::new()));
        printed.push(of("edit", "traces/edit-2").to_string());
        let blank = of("my edit", "traces/my-edit");
        printed.push(blank.to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn operations_that_are_too_long_are_counted_with_the_first_line() {
        let mut printed = Vec::<String>::new();
        let split = long_operations_split(1, 5);
        printed.push(split.to_string());
        let shortened = long_requests_shortened(3, 7);
        printed.push(shortened.to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }
}
